/* A source that a loop refactors: the original, or one that came of it. */
#ifndef HT_LOOP_GENERATION_H
#define HT_LOOP_GENERATION_H

#include "base/scratch.h"
#include "pipeline/survey.h"

/* The user's input to a loop. All borrowed. */
typedef struct ht_loop_origin {
    const char *path;    /* of the source */
    const char *kernel;  /* --kernel; NULL: the only one that has a template */
    const char *problem; /* --problem; NULL: the file next to the source, or what is inferred */
    const ht_refactor_options *compiler;
    const ht_device_fields *device;
    double elsewhere; /* of the original's speed, the least at sizes not tuned for; 0: not timed */
} ht_loop_origin;

typedef struct ht_generation {
    char *text;        /* of the file; owned */
    ht_scratch folder; /* where it is; none: it is the original */
    ht_survey survey;
    ht_entry *entry;                   /* of the kernel and the problem; borrowed from the survey */
    const ht_kernel *kernel;           /* likewise */
    size_t value_counts[HT_PARAM_MAX]; /* of its template's parameters, as it was read */
} ht_generation;

/* Analyses the original. A file without a kernel that can be tuned, or with several of which
 * --kernel names none, is HT_ERROR_INPUT. Free in any case. */
ht_status ht_generation_original(const ht_loop_origin *origin, ht_generation *out_generation,
                                 ht_error *error);
/* Analyses a text in the place of the original's file, for the same problem. HT_ERROR_UNSUPPORTED:
 * the kernel has no template, for a reason. Its unit names the original's file, so that the same
 * text always gives the same template. Free in any case. */
ht_status ht_generation_make(const ht_loop_origin *origin, const ht_generation *original,
                             const char *text, ht_generation *out_generation, ht_error *error);
/* Takes back the values that parameters were given since. */
void ht_generation_reset(ht_generation *generation);
void ht_generation_free(ht_generation *generation);

#endif
