/* A job that verifies: its programs are compiled once and run for several problems. Private to
 * runtime/: verify.h is what others use. */
#ifndef HT_RUNTIME_JOB_JOB_VERIFY_H
#define HT_RUNTIME_JOB_JOB_VERIFY_H

#include "runtime/job/check.h"
#include "runtime/job/job_internal.h"

/* check_job.c. Puts the words for `out->status` into the result; a status that ends the job is
 * returned, with `own` as the error. */
ht_status ht_check_result_finish(ht_check_result *out, const ht_error *own, ht_error *error);

/* check_job.c. One compiled program, in a worker that knows the reference in use. */
ht_status ht_job_check_program(ht_job *job, const ht_compile_task *task,
                               const ht_check_settings *settings, ht_check_result *out,
                               ht_error *error);

/* Compiled configurations, or the original alone. */
typedef struct ht_programs ht_programs;

/* Goes on with another problem (borrowed, outlives that) of the same template: runs the original on
 * random inputs of `seed` and keeps its outputs. A fault of it is returned as from ht_job_start,
 * and another problem may follow. */
ht_status ht_job_bind(ht_job *job, const ht_binding *binding, uint64_t seed, ht_error *error);

/* `configs` NULL: the original. `checked`: for checking mode. One that does not compile fails when
 * it is run. */
ht_status ht_programs_compile(ht_job *job, const ht_config *configs, size_t count, bool checked,
                              ht_programs **out_programs, ht_error *error);
/* Runs one of them for the problem at hand and compares its outputs. An error ends the job. Free
 * the result. */
ht_status ht_programs_run(ht_job *job, const ht_programs *programs, size_t index,
                          const ht_check_settings *settings, ht_check_result *out_result,
                          ht_error *error);
/* Returns true if the compiler took longer than it may. Such a configuration fails in tuning too;
 * whether it is right is not known. */
bool ht_programs_slow(const ht_programs *programs, size_t index);
void ht_programs_free(ht_job *job, ht_programs *programs);

#endif
