/* Nights of a job in a test's workplace. */
#ifndef HT_TESTS_CLI_NIGHT_SUPPORT_H
#define HT_TESTS_CLI_NIGHT_SUPPORT_H

#include "tests/cli/program.h"

#include <jansson.h>

/* A night's report, and what it printed as it went. */
typedef struct ran_night {
    json_t *report;
    char *progress;
} ran_night;

/* Runs a night, which must end with this code. */
ran_night night_run(const char *words, int code);
/* The same of one that times again what an earlier one timed: on a busy machine something may well
 * be slower, with code 1. */
ran_night night_run_again(const char *words);
void night_free(ran_night *night);
/* Writes tree/scale.hip, with this launch and `more` after it, and its header tree/factor.h; nights
 * lock devices in the workplace. */
void night_tree_write(const char *launch, const char *more);
/* Replaces a text's first occurrence in a file of the workplace. */
void night_edit(const char *name, const char *mark, const char *by);
/* Writes n.json: `sources` are those of the job, `more` further keys, which end in a comma. */
void night_job_write(const char *sources, int seconds, int evaluations, const char *more);

const char *night_text(const json_t *object, const char *key);
/* The report's kernel of this index, and its first program's comparison. */
const json_t *night_row(const ran_night *night, size_t index);
const json_t *night_compared(const ran_night *night);
/* How many analyses were made, or kept. */
int night_analyses(const ran_night *night, const char *which);

#endif
