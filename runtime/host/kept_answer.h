/* Answers of tools about themselves, kept from run to run in ht_cache_folder():
 * to ask clang for its version takes half as long as to compile a small unit. */
#ifndef HT_RUNTIME_HOST_KEPT_ANSWER_H
#define HT_RUNTIME_HOST_KEPT_ANSWER_H

#include "base/text.h"

#include <stdbool.h>

/* Takes the answer to a call, a program's path and its arguments, NULL ends, that was kept for the
 * same program: the same path, links followed, with the same size and time of the last change.
 * Returns false where there is none. */
bool ht_kept_answer_take(const char *const *arguments, ht_text *out);

/* Keeps an answer. Nothing is kept without such a folder, nor of scripts, which may start another
 * program tomorrow. */
void ht_kept_answer_put(const char *const *arguments, const ht_text *answer);

#endif
