/* Places of the fields of structures that are passed by value, as the compiler of the device has
 * them. Text after the unit asks for them: one array in constant memory for each structure, so that
 * a compiled program brings its own places, also in other numbers (runtime/reference/twin.h).
 *
 * An array holds the structure's size, 1 if its bytes may be copied, and three numbers for each
 * field in the template's order: size, offset, ht_record_kind. The text does not compile where a
 * field does not exist or is not public, or where the kernel's parameter has another type. */
#ifndef HT_RUNTIME_COMPILE_RECORD_H
#define HT_RUNTIME_COMPILE_RECORD_H

#include "base/text.h"
#include "templates/annotations/template.h"

#include <stdint.h>

typedef enum ht_record_kind {
    HT_RECORD_OTHER, /* a half, a vector, a structure */
    HT_RECORD_FLOAT,
    HT_RECORD_DOUBLE,
    HT_RECORD_INTEGER,
    HT_RECORD_BOOL,
    HT_RECORD_ENUMERATION,
    HT_RECORD_POINTER, /* 16 times the kind of what it points to is added */
    HT_RECORD_REFERENCE,
    HT_RECORD_ARRAY /* in the structure itself; 16 times the kind of its numbers is added */
} ht_record_kind;

typedef struct ht_record_field {
    uint64_t size, offset, kind;
} ht_record_field;

typedef struct ht_record_head {
    uint64_t size, copies;
} ht_record_head;

/* Returns true if the template passes a structure. */
bool ht_record_wanted(const ht_template *template);
/* Appends the text. `kernels` are the launches' name expressions. */
void ht_record_write(const ht_template *template, const ht_launch *launches, char *const *kernels,
                     size_t launch_count, ht_text *out);
/* The array's name expression, "&hiptemper_record_p"; free(). */
char *ht_record_expression(const ht_arg *structure);

#endif
