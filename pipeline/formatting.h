/* Tuned texts in the format that the project around them asks for: clang-format over the lines that
 * were changed, where a `.clang-format` is above the file, else the style of the file's own lines.
 */
#ifndef HT_PIPELINE_FORMATTING_H
#define HT_PIPELINE_FORMATTING_H

#include "base/text.h"
#include "refactor/refactor.h"

/* Formats the changed lines of each file, unless a `.clang-format-ignore` names it. Lines that are
 * as in the source stay byte by byte. If clang-format is missing or fails, which a warning says
 * once, texts stay as they are; so they do where it would change more than blanks and line breaks.
 */
void ht_formatting_apply(const ht_applied *applied);

/* Appends what the result depends on for a source: the style files above it and the program. */
void ht_formatting_key(const char *path, ht_text *out);

#endif
