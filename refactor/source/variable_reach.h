/* The value that a host variable has where it is used. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_VARIABLE_REACH_H
#define HT_REFACTOR_SOURCE_VARIABLE_REACH_H

#include "refactor/source/libclang.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum ht_reach_kind {
    HT_REACH_INITIAL, /* that of its initialiser */
    HT_REACH_WHOLE,   /* what `variable = value;` set */
    HT_REACH_PART     /* what `variable.x = value;` or `variable[1] = value;` set */
} ht_reach_kind;

/* Finds what set a local variable (`part` -1), or the field x, y, z of a dim3, a structure's field
 * by its number or the element of an array (`part`), where `use` names it: the nearest assignment
 * on every way there. Returns false where ways differ, or where a loop, a lambda, a label or an
 * address could change it. *out_value: what is assigned; for HT_REACH_INITIAL the initialiser, or
 * null. */
bool ht_variable_reach(CXCursor variable, CXCursor use, int64_t part, ht_reach_kind *out_kind,
                       CXCursor *out_value);

#endif
