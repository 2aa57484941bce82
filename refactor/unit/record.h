/* Structures that are passed by value, as a problem describes them. Private to refactor/. */
#ifndef HT_REFACTOR_UNIT_RECORD_H
#define HT_REFACTOR_UNIT_RECORD_H

#include "base/text.h"
#include "refactor/kernel/model.h"

/* The structure that the index-th parameter is, or, if it holds pointers, points to: its own type,
 * or, where the kernel's template leaves it open, that of what the first launch passes. Kind
 * CXType_Invalid: it is no structure. */
CXType ht_record_type(const ht_model *model, size_t index);

/* Returns what is wrong with the description of the index-th parameter as a structure: fields that
 * it does not have or that have another type, bytes that no copy may make. NULL: nothing is.
 * free(). */
char *ht_record_check(const ht_model *model, size_t index, const ht_arg *arg);

#endif
