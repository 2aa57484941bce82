/* Tables of predicted times: for each problem, all legal configurations of a template, compiled for
 * a GPU and predicted by the model of it (docs/gpu-model.md), in a tuning database. */
#ifndef HT_BENCHMARKS_SEEDING_PREDICTED_H
#define HT_BENCHMARKS_SEEDING_PREDICTED_H

#include "runtime/store/database.h"

/* Finds "model:NAME": the device that compiles for it, and how databases call its predicted times
 * ("amd:gfx90a: predicted by the model of mi250x"; free()). */
ht_status ht_predicted_device(const char *name, ht_device *out_device, char **out_text,
                              ht_error *error);

/* The key of predicted times; the texts are borrowed. */
ht_database_key ht_predicted_key(const ht_template *template, const char *code, const char *problem,
                                 const char *device);

/* Predicts what the database does not have yet. Ends the program on an error. `blocks`: followed of
 * each launch. */
void ht_predicted_fill(const ht_template *template, const char *code, char *const *problems,
                       size_t problem_count, const char *gpu, uint64_t blocks,
                       const char *database);

#endif
