/* Finds sources that belong together: kernels in one source that are launched by another one, which
 * has no more than their declaration. Reads text alone, as for includes. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_TREE_JOINED_H
#define HT_REFACTOR_SOURCE_TREE_JOINED_H

#include "refactor/source/tree_graph.h"

/* Notes the kernels that the text declares, and whether it launches them. */
void ht_tree_kernels_note(node *of, const char *text);

/* Finds the units that launch a kernel of the file by a declaration that both see, if neither the
 * file nor its includes launch that kernel: those of its own folder first, then by name.
 * *out_units: free(). */
size_t ht_tree_joined(const graph *in, size_t index, size_t **out_units);

#endif
