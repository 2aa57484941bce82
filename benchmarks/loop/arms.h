/* One run of one way to make a kernel faster, and the file that runs are kept in. */
#ifndef HT_BENCHMARKS_LOOP_ARMS_H
#define HT_BENCHMARKS_LOOP_ARMS_H

#include "benchmarks/loop/subjects.h"

#include <jansson.h>
#include <stdbool.h>

typedef enum arms_arm { ARM_REWRITING, ARM_SEARCH, ARM_LOOP, ARM_COUNT } arms_arm;
extern const char *const arms_names[ARM_COUNT];

typedef struct arms_settings {
    const char *program, *folder; /* absolute */
    const char *device;
    unsigned budget; /* evaluations of a run */
    const char *final_time;
} arms_settings;

typedef struct arms_run {
    const loop_subject *subject;
    arms_arm arm;
    unsigned seed;
    /* The result: the original's time over the best's; 1 where nothing was faster. */
    double speedup;
    double evaluations, seconds;
    double original_ms, roofline; /* of the model alone; 0: not known */
} arms_run;

/* Runs it, in a folder of its own that is removed after it. False: it failed, which is printed. */
bool arms_run_make(const arms_settings *settings, arms_run *io_run);

/* Runs that ended: lines of JSON. */
typedef struct arms_kept {
    const char *path; /* borrowed */
    json_t *rows;     /* array; owned */
} arms_kept;
bool arms_kept_open(const char *path, arms_kept *out_kept);
bool arms_kept_has(const arms_kept *kept, const arms_settings *settings, const arms_run *run);
void arms_kept_add(arms_kept *kept, const arms_settings *settings, const arms_run *run);
/* Returns true if a row is of these settings; they must be the same for rows to be compared. */
bool arms_row_fits(const json_t *row, const arms_settings *settings);
void arms_kept_close(arms_kept *kept);

#endif
