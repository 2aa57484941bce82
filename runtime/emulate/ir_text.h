/* Reading LLVM's textual IR, as clang 19 writes it, as far as the two halves of a HIP program need
 * it. */
#ifndef HT_RUNTIME_EMULATE_IR_TEXT_H
#define HT_RUNTIME_EMULATE_IR_TEXT_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* A part of a text that is borrowed. */
typedef struct ht_ir_span {
    const char *at;
    size_t length;
} ht_ir_span;

/* Gives the next line, without its end; false when there is none. */
bool ht_ir_line(const char **at, ht_ir_span *out_line);
bool ht_ir_span_begins(ht_ir_span span, const char *prefix);
bool ht_ir_span_has(ht_ir_span span, const char *word);
bool ht_ir_span_equal(ht_ir_span a, ht_ir_span b);
/* The part after the first `mark`; empty when there is none. */
ht_ir_span ht_ir_span_after(ht_ir_span span, const char *mark);
ht_ir_span ht_ir_span_trim(ht_ir_span span);

/* The name after the first '@', with quotes if it has any; empty when there is none. */
ht_ir_span ht_ir_global(ht_ir_span line);
/* The number after the first '%'; -1 when none follows. */
long ht_ir_value(ht_ir_span span);

/* One parameter of a function. */
typedef struct ht_ir_parameter {
    ht_ir_span type;
    ht_ir_span passing; /* "zeroext", "signext", "byval(T) align N" or empty */
    bool by_address;    /* byval */
} ht_ir_parameter;

/* Bytes of a value of a number's, a pointer's or a vector's type; 0 for others. */
size_t ht_ir_type_size(ht_ir_span type);

/* The parameters of a `define` line; the array is the caller's to free. */
size_t ht_ir_parameters(ht_ir_span define, ht_ir_parameter **out_parameters);

#endif
