/* `hiptemper evaluate` of a model of time (predictor/times/) on databases. */
#ifndef HT_CLI_COMMANDS_EVALUATE_TIMES_H
#define HT_CLI_COMMANDS_EVALUATE_TIMES_H

#include <stddef.h>

/* Prints how good its choices are on each database; returns the exit code. `json` may be NULL. */
int ht_evaluate_times(const char *path, char *const *databases, size_t count, const char *json);

#endif
