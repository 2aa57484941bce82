/* Where a file declares a new constant: next to its like. */
#ifndef HT_REFACTOR_REWRITE_CONSTANT_PLACE_H
#define HT_REFACTOR_REWRITE_CONSTANT_PLACE_H

#include "refactor/kernel/model.h"
#include "refactor/source/source.h"

/* Returns where constants for a kernel go, the begin of a line: after the last line ahead of
 * `place` that declares one as `declaration` does, if nothing is between them, or if the kernel or
 * its launch has that one's name and neither scope nor #if is another; else `place`. */
size_t ht_constant_place(const ht_source *source, const ht_model *model, size_t place,
                         const char *declaration);

#endif
