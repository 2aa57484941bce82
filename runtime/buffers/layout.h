/* Arguments of a bound template under one configuration: element types and sizes, resolved. */
#ifndef HT_RUNTIME_BUFFERS_LAYOUT_H
#define HT_RUNTIME_BUFFERS_LAYOUT_H

#include "runtime/buffers/element.h"
#include "templates/bind.h"

/* Which numbers stand for `float` (twin.h): float itself, or one of the float64 twins. */
typedef enum ht_numbers { HT_NUMBERS_PLAIN, HT_NUMBERS_DOUBLE, HT_NUMBERS_TRACKED } ht_numbers;

typedef struct ht_layout_arg {
    const ht_arg *arg;  /* borrowed */
    ht_element plain;   /* the type as annotated (a type parameter resolved) */
    ht_element element; /* the type in these numbers */
    size_t count;       /* elements of a buffer; 1 for a scalar */
} ht_layout_arg;

typedef struct ht_layout {
    ht_layout_arg *args; /* owned; one per argument of the template */
    size_t count;
} ht_layout;

ht_status ht_layout_make(const ht_binding *binding, const ht_config *config, ht_numbers numbers,
                         ht_layout *out_layout, ht_error *error);
void ht_layout_free(ht_layout *layout);
bool ht_layout_equal(const ht_layout *a, const ht_layout *b);

bool ht_arg_is_output(const ht_arg *arg);      /* out, inout: compared */
bool ht_arg_is_initialised(const ht_arg *arg); /* in, inout, constant */
bool ht_arg_is_buffer(const ht_arg *arg);      /* all but scalars */
size_t ht_layout_bytes(const ht_layout_arg *arg);

#endif
