/* The input of `apply`: configurations of kernels, from the command line or a JSON report. */
#ifndef HT_PIPELINE_APPLY_CHOICES_H
#define HT_PIPELINE_APPLY_CHOICES_H

#include "base/error.h"

#include <stddef.h>

typedef struct ht_apply_choice {
    char *file;   /* source or template; owned */
    char *kernel; /* NULL: the file's only one; owned */
    char *config; /* "BLOCK_X=64 COARSEN_X=4"; owned */
    char *gain;   /* ht_gain_words of a report; NULL: not measured; owned */
} ht_apply_choice;

typedef struct ht_apply_choices {
    ht_apply_choice *items; /* owned */
    size_t count;
} ht_apply_choices;

/* `config`: NAME=VALUE pairs; or a JSON file, which is an object {"NAME": VALUE, ...} or a report
 * of optimize or tune, of which the configurations of improved kernels are taken (the first
 * problem's of each). `file` and `kernel` narrow it down, and say what pairs and plain objects are
 * for; NULL: all. A template that `refactor` wrote stands for the source that its first line names.
 * Errors are HT_ERROR_INPUT. */
ht_status ht_apply_choices_read(const char *config, const char *file, const char *kernel,
                                ht_apply_choices *out_choices, ht_error *error);
void ht_apply_choices_free(ht_apply_choices *choices);

#endif
