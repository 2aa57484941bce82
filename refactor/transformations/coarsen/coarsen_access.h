/* Writing accesses of several elements, aligned where the device asks for it (docs/vectors.md). */
#ifndef HT_REFACTOR_COARSEN_ACCESS_H
#define HT_REFACTOR_COARSEN_ACCESS_H

#include "refactor/transformations/coarsen/coarsen_vector.h"

/* Writes the statements that load, or that store, all values of an access at once. `element` writes
 * the text of the first element. */
typedef void ht_vectors_write_element(void *context, const ht_syntax *node, ht_writer *writer);
void ht_vectors_access(const ht_vectors *vectors, bool store, size_t like,
                       ht_vectors_write_element *element, void *context, ht_writer *writer);

/* Returns true if as many elements have a size that addresses can be a multiple of: parameters are
 * powers of two. */
bool ht_vectors_alignable(const ht_vector_access *access);
/* Adds the parameter for accesses that have to be aligned, where `param` elements are one. On a GPU
 * that accesses several elements at any address it is off, on others it goes with them. */
void ht_vectors_align(ht_plan *plan, const char *aligned, const char *param);

#endif
