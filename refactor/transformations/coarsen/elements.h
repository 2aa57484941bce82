/* Which elements can be accessed several at once, and why others cannot. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_ELEMENTS_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_ELEMENTS_H

#include <clang-c/Index.h>

/* Why elements of a type cannot be copied several at once; NULL: they can. */
const char *ht_vector_unfit(CXType element);

/* The reason why an access has no neighbours: its place. */
extern const char ht_vector_not_next[];

/* Of reasons why accesses are not several at once (NULL: none) the first counts; any other comes
 * before that one, which most kernels have somewhere. */
void ht_vector_why_merge(const char **why, CXCursor *at, const char *more, CXCursor more_at);

#endif
