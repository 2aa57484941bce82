/* Writes tuned constants into the source. */
#ifndef HT_REFACTOR_REWRITE_APPLY_H
#define HT_REFACTOR_REWRITE_APPLY_H

#include "refactor/refactor.h"

/* Sizes at which a tuned kernel was timed next to the original, of its template's problem. */
typedef struct ht_size_samples {
    const ht_problem *kept; /* at which it is to be launched, the first of which it was tuned for;
                               borrowed, as the next */
    size_t kept_count;
    const ht_problem *lost; /* at which the original is to be launched in its place */
    size_t lost_count;
} ht_size_samples;

/* A kernel to be replaced by its tuned form: with tuned constants, in the author's style, with the
 * author's names and signature. Its launches are rewritten; a kernel without a launch gets a
 * launcher function next to it. Other kernels of the file stay as they are. */
typedef struct ht_refactor_choice {
    size_t kernel; /* index in the refactor */
    ht_config config;
    const char *note; /* words of a comment above the kernel, in the place of an older one; they
                         begin with HT_COMMENT_FRONT; borrowed; NULL: none */
    const ht_size_samples *sizes; /* borrowed; NULL: it is launched whatever the size. Launches that
                                     cannot choose are HT_ERROR_UNSUPPORTED */
} ht_refactor_choice;

ht_status ht_refactor_apply_all(const ht_refactor *refactor, const ht_refactor_choice *choices,
                                size_t choice_count, ht_applied *out_applied, ht_error *error);
void ht_applied_free(ht_applied *applied);
/* Returns the text of the analysed file if no other one changes; else HT_ERROR_UNSUPPORTED. */
ht_status ht_refactor_apply(const ht_refactor *refactor, const ht_refactor_choice *choices,
                            size_t choice_count, char **out_source, ht_error *error);

#endif
