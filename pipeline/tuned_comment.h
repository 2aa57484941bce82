/* The words of the comment above a tuned kernel: with what it was tuned, and what that gained. */
#ifndef HT_PIPELINE_TUNED_COMMENT_H
#define HT_PIPELINE_TUNED_COMMENT_H

#include "templates/bind.h"

#include <stdbool.h>

/* A measured gain. */
typedef struct ht_gain {
    const char *fields; /* the problem: "W=1920 H=1080"; borrowed */
    const char *device; /* borrowed */
    bool emulated;      /* its times say nothing about a GPU */
    double speedup, lo, hi;
} ht_gain;

/* Returns "1.31x [1.29, 1.33] for W=1920 H=1080 on MI250X", or words that say that it was measured
 * in host emulation; free(). */
char *ht_gain_words(const ht_gain *gain);
/* Returns the comment's words: the values that are not the original's, and the gain, unless it is
 * NULL; free(). */
char *ht_tuned_comment(const ht_template *template, const ht_config *config, const char *gain);

#endif
