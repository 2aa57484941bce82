/* Kernels with their times, from a profiler's CSV file: rocprof's and rocprofv3's statistics (a row
 * for each kernel) and traces (a row for each launch). */
#ifndef HT_PIPELINE_PROFILE_H
#define HT_PIPELINE_PROFILE_H

#include "base/error.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_profile_kernel {
    char *name; /* "ns::conv": a template's instances are one; as written where mangled; owned */
    double ns;  /* in all */
    uint64_t rows;
    bool chosen; /* it is one of those that take the time: ht_profile_choose */
} ht_profile_kernel;

typedef struct ht_profile {
    ht_profile_kernel *kernels; /* the longest first; owned */
    size_t count;
    double ns;               /* of all */
    double share;            /* 0 to 1: as chosen */
    char hash[HT_HASH_SIZE]; /* of the file */
} ht_profile;

/* Reads a file. One without the columns, or with a row that does not fit them, is HT_ERROR_INPUT,
 * with its line. On an error nothing is to be freed. */
ht_status ht_profile_load(const char *path, ht_profile *out_profile, ht_error *error);
/* The same of a text of this length; `path` is for messages. */
ht_status ht_profile_parse(const char *text, size_t length, const char *path,
                           ht_profile *out_profile, ht_error *error);
void ht_profile_free(ht_profile *profile);

/* Returns "ns::conv" of "void ns::conv<float>(float*) [clone .kd]", as profilers name kernels;
 * free(). */
char *ht_profile_kernel_name(const char *text);

/* Fails with HT_ERROR_INPUT if a --share is no percentage to choose kernels by. */
ht_status ht_profile_share_check(double percent, ht_error *error);
/* Chooses the fewest kernels that together take this share (0 to 1) of the time. */
void ht_profile_choose(ht_profile *profile, double share);
/* Returns true if the name that a profiler gave is a kernel's of a source. */
bool ht_profile_names(const ht_profile_kernel *profiled, const char *kernel);
/* Returns the time of all that is this kernel. Of type ht_survey_options.time. */
double ht_profile_time(const void *profile, const char *kernel);
/* Of type ht_survey_options.wanted: it was chosen. */
bool ht_profile_wants(const void *profile, const char *kernel);

#endif
