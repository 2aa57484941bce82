/* The form in which a file's text is analysed: what its author may write in several ways is written
 * in one. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_FORMS_H
#define HT_REFACTOR_SOURCE_FORMS_H

#include "refactor/source/launch_names.h"
#include "refactor/source/whole_block.h"

#include <stdbool.h>

/* Returns the text in that form, with as many lines, and appends those that change to `lines`;
 * NULL: it is in that form. free(). */
char *ht_forms_text(const char *text, ht_whole_blocks *lines);
/* Returns the text in that form, whether or not that is another one, and with these names in
 * launches as calls; free(). */
char *ht_forms_plain(const char *text, const ht_launch_names *names);
/* Returns true if the first is the second in that form. */
bool ht_forms_same(const char *plain, const char *text, const ht_launch_names *names);

#endif
