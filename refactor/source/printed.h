/* Values that a program only reports: arguments of printf, parts of what a stream prints. Private
 * to refactor/. */
#ifndef HT_REFACTOR_SOURCE_PRINTED_H
#define HT_REFACTOR_SOURCE_PRINTED_H

#include "refactor/source/source.h"

/* Returns true if the name at an offset of the source's whole text, or a part of it like `grid.x`,
 * is printed as it is: `printf("%d blocks\n", blocks)`, `std::cout << blocks`. */
bool ht_source_is_printed(const ht_source *source, size_t offset);

#endif
