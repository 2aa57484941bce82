/* Telling `extern __shared__` from `__shared__` in a unit's text. */
#ifndef HT_RUNTIME_HOST_DYNAMIC_SHARED_H
#define HT_RUNTIME_HOST_DYNAMIC_SHARED_H

/* Replaces the second word of each `extern ... __shared__` by `__shared_d`, of the same length, so
 * that lines and columns in messages stay. The prelude defines the two differently: an `extern
 * thread_local` costs a test and perhaps a call an access, `extern __thread` nothing, but the
 * latter cannot declare a function's own array. Text that is not marked (in a header) works too,
 * only slower. */
void ht_dynamic_shared_mark(char *source);

/* Behind a comment, a string or a character constant that starts at `at`; NULL when none does. */
const char *ht_source_skip(const char *at);

#endif
