/* Several elements of an array accessed as one (vector.c). */
#ifndef HT_REFACTOR_VECTOR_H
#define HT_REFACTOR_VECTOR_H

#include <clang-c/Index.h>

/* Why elements of a type cannot be copied several at once; NULL: they can. */
const char *ht_vector_unfit(CXType element);

/* The reason why an access has no neighbours: its place. */
extern const char ht_vector_not_next[];

#endif
