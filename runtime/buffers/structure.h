/* Structures that are passed by value: bytes that hold their fields, at the places that the
 * compiled program has for them (runtime/compile/record.h). */
#ifndef HT_RUNTIME_BUFFERS_STRUCTURE_H
#define HT_RUNTIME_BUFFERS_STRUCTURE_H

#include "runtime/buffers/arguments.h"
#include "runtime/buffers/buffers.h"

typedef struct ht_structure_field {
    size_t arg; /* index in the template */
    size_t offset, size;
    bool is_array; /* holds a buffer's contents, not its address */
} ht_structure_field;

typedef struct ht_structure {
    size_t arg;                 /* index in the template */
    char *bytes;                /* into `memory`, aligned for any type */
    char *device;               /* its copy there, for a kernel that gets its address; NULL: none */
    char *sent;                 /* what that copy was given; owned */
    char *memory;               /* owned */
    size_t size;                /* sizeof the structure */
    ht_structure_field *fields; /* owned; those that the template lists */
    size_t field_count;
} ht_structure;

/* Reads the places of argument `index`, a structure, from the loaded module; `symbol` is the
 * array's lowered name. `args` are the template's arguments: the element of a field in a header of
 * the unit, which has no other numbers, becomes the plain one. HT_ERROR_INPUT where a field has
 * another type than its argument or shares bytes with another, HT_ERROR_UNSUPPORTED where the
 * structure cannot be copied as bytes. Free with ht_structure_free, also on failure. */
ht_status ht_structure_read(const ht_hip *hip, hipModule_t module, const char *symbol,
                            ht_layout_arg *args, size_t arg_count, size_t index,
                            ht_structure *out_structure, ht_error *error);
void ht_structure_free(const ht_hip *hip, ht_structure *structure);

/* Stores numbers and the addresses that buffers have now; the other bytes are zero. Of a structure
 * that a pointer leads to, the device gets them. */
ht_status ht_structure_compose(const ht_hip *hip, ht_structure *structure,
                               const ht_layout_arg *args, const ht_scalar *scalars,
                               const ht_buffers *buffers, ht_error *error);
/* Checks that a structure which a pointer leads to was left alone: HT_ERROR_MISMATCH with
 * "guard: ..." when not. */
ht_status ht_structure_check(const ht_hip *hip, const ht_structure *structure,
                             const ht_layout_arg *args, ht_error *error);

#endif
