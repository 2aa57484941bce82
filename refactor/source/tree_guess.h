/* Headers of a tree for which no option names a folder. Private to refactor/source/tree*.c. */
#ifndef HT_REFACTOR_SOURCE_TREE_GUESS_H
#define HT_REFACTOR_SOURCE_TREE_GUESS_H

#include "refactor/source/tree_graph.h"

/* Finds the one file of the tree whose path ends with an included name ("utils/math.cuh", or
 * <polybench.h> if the system has no such header), or the nearest of several, and notes its folder.
 * SIZE_MAX: there is none, or several are as near. */
size_t ht_tree_guess(graph *in, size_t from, const char *name, bool quoted);
/* Adds -iquote, or -I for names in <>, for the folders that a unit's files were found in by
 * ht_tree_guess. */
void ht_tree_guesses_add(const graph *in, size_t unit, ht_tree_file *file);

/* Returns true for an include, not found in the tree, of a library that is neither installed nor
 * one whose names hiptemper declares. */
bool ht_tree_is_unknown(const char *name);

#endif
