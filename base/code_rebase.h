/* A change of a C++ text, taken over to a text that differs from the changed one in comments and
 * layout alone. */
#ifndef HT_BASE_CODE_REBASE_H
#define HT_BASE_CODE_REBASE_H

/* A text and another one of the same tokens (base/code_tokens.h). */
typedef struct ht_code_rebase ht_code_rebase;

/* Returns NULL if the tokens of the two differ, or depend on lines or names of files. Both texts
 * are borrowed. */
ht_code_rebase *ht_code_rebase_open(const char *older, const char *newer);
void ht_code_rebase_free(ht_code_rebase *rebase);

/* Returns `changed`, which was made of the older text, with the comments and the layout that the
 * newer one has where the older one was not changed: its tokens are those of `changed`. free().
 * NULL: the two texts differ within what was changed, or it is not clear where theirs goes. */
char *ht_code_rebase_apply(const ht_code_rebase *rebase, const char *changed);

/* Returns the line of the newer text on which the first token stands that is on this line of the
 * older one, or after it. Lines count from 1. */
int ht_code_rebase_line(const ht_code_rebase *rebase, int line);

#endif
