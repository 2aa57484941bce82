/* The value that a host variable has where it is used. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_VARIABLE_REACH_H
#define HT_REFACTOR_SOURCE_VARIABLE_REACH_H

#include "refactor/source/libclang.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum ht_reach_kind {
    HT_REACH_INITIAL, /* that of its initialiser */
    HT_REACH_WHOLE,   /* what `variable = value;` set */
    HT_REACH_PART,    /* what `variable.x = value;` or `variable[1] = value;` set */
    HT_REACH_UPDATE   /* what a statement makes of an earlier value: `++n;`, `n.x += 1;`, or
                         an `if` whose branches do so or assign it */
} ht_reach_kind;

/* Finds what set a local variable (`part` -1), or the field x, y, z of a dim3, a structure's field
 * by its number or the element of an array (`part`), where `use` names it: the nearest assignment
 * on every way there. Returns false where ways differ, or where a loop, a lambda, a label or an
 * address could change it. *out_value: what is assigned; for HT_REACH_INITIAL the initialiser, or
 * null; for HT_REACH_UPDATE the statement, which is a use of the value before it. */
bool ht_variable_reach(CXCursor variable, CXCursor use, int64_t part, ht_reach_kind *out_kind,
                       CXCursor *out_value);
/* Returns true if a label, an address, a reference or a lambda in its function may let a local
 * variable change where no statement says so. */
bool ht_variable_escapes(CXCursor variable);
/* One statement that changes a variable or part: what `++n;`, `n += value;` and `n = value;` do. */
typedef struct ht_update {
    CXCursor at;    /* the statement */
    const char *op; /* "+" for ++ and +=; NULL: the value is assigned */
    CXCursor value; /* null: 1 */
} ht_update;
/* Parts a statement of HT_REACH_UPDATE. *out_condition: of the `if`; null: the statement always
 * runs. out_branches: where it holds, and where it does not; a null `at` changes nothing. */
void ht_variable_update(CXCursor variable, CXCursor statement, int64_t part,
                        CXCursor *out_condition, ht_update out_branches[2]);

#endif
