/* Names, and sets of them. */
#ifndef HT_REFACTOR_SOURCE_NAMES_H
#define HT_REFACTOR_SOURCE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true for the characters of names and numbers. */
bool ht_name_has(char c);
/* Returns true if the name stands in the text as a whole word. */
bool ht_name_stands(const char *text, size_t length, const char *name);
/* Returns the next place of a name in the text, as a whole word, from `at` on; NULL: there is none.
 */
const char *ht_name_next(const char *text, const char *at, const char *name);
/* Returns true if a qualified name is `name`, or ends in ::name. */
bool ht_name_ends(const char *qualified, const char *name);
/* Returns where the scopes ahead of a name begin, of which the name itself begins at `at`. */
size_t ht_qualifier_begin(const char *text, size_t at);

/* Returns a name made of another one and a word: "blur_grid", or "blurRowsGrid" after one that is
 * written so; free(). */
char *ht_name_joined(const char *name, const char *word);

typedef struct ht_names {
    char **items; /* owned, each once, in the order of their adding */
    size_t count;
} ht_names;

void ht_names_add(ht_names *names, const char *name);
bool ht_names_has(const ht_names *names, const char *name);
void ht_names_free(ht_names *names);

#endif
