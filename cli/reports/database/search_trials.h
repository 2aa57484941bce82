/* The evaluations of one search in memory: few bytes each, so that a million fit. */
#ifndef HT_CLI_REPORTS_DATABASE_SEARCH_TRIALS_H
#define HT_CLI_REPORTS_DATABASE_SEARCH_TRIALS_H

#include "runtime/store/archive.h"

#include <stdint.h>

enum {
    HT_TRIAL_VALUES = 64, /* a parameter with more values has no effects by value */
    HT_TRIAL_NO_VALUE = 0xff
};

typedef struct ht_trial_parameter {
    char *name;
    char *values[HT_TRIAL_VALUES]; /* in the order met */
    size_t value_count;
    bool many; /* there are more values than fit */
} ht_trial_parameter;

/* Configurations that were rejected with one status and one reason, but for names and numbers. */
typedef struct ht_trial_rejection {
    char *status, *reason;
    char *example, *config; /* the first one's reason and configuration */
    size_t count;
} ht_trial_rejection;

typedef struct ht_trial {
    double ms; /* 0: rejected */
    int64_t when;
    uint32_t number; /* its row of `values` */
} ht_trial;

/* {0} is a search without evaluations. All is owned. */
typedef struct ht_search_trials {
    ht_trial *items;
    size_t count, rejected;
    ht_trial_parameter *parameters; /* those of the first configuration */
    size_t parameter_count;
    uint8_t *values; /* `count` rows of parameter_count indexes into .values; HT_TRIAL_NO_VALUE */
    ht_trial_rejection *rejections;
    size_t rejection_count, rejections_left_out; /* reasons; configurations of reasons past these */
    double original_ms;                          /* 0: not measured */
    double best_ms;                              /* 0: nothing ran */
    char *best;                                  /* its configuration; NULL: nothing ran */
} ht_search_trials;

void ht_search_trials_add(ht_search_trials *trials, const ht_archive_evaluation *of);
/* Sorts them by time, those of one second in the order in which they were added. */
void ht_search_trials_sort(ht_search_trials *trials);
/* Returns the value's index of a parameter of a trial, or HT_TRIAL_NO_VALUE. */
size_t ht_search_trials_value(const ht_search_trials *trials, const ht_trial *trial,
                              size_t parameter);
void ht_search_trials_free(ht_search_trials *trials);

#endif
