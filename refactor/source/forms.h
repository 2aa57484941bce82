/* The form in which a file's text is analysed: what its author may write in several ways is written
 * in one. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_FORMS_H
#define HT_REFACTOR_SOURCE_FORMS_H

#include "refactor/source/whole_block.h"

#include <stdbool.h>

/* Returns the text in that form, with as many lines, and appends those that change to `lines`;
 * NULL: it is in that form. free(). */
char *ht_forms_text(const char *text, ht_whole_blocks *lines);
/* Returns the text in that form, whether or not that is another one; free(). */
char *ht_forms_plain(const char *text);
/* Returns true if the first is the second in that form. */
bool ht_forms_same(const char *plain, const char *text);

#endif
