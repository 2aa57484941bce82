/* A template given as text, bound to a problem on the host device, with a job on it. */
#ifndef HT_TESTS_RUNTIME_JOB_SUPPORT_H
#define HT_TESTS_RUNTIME_JOB_SUPPORT_H

#include "runtime/job/job.h"

typedef struct bound {
    ht_template *templates;
    size_t count;
    ht_problem problem;
    bool has_problem;
    ht_device device;
    ht_binding binding;
} bound;

/* Workers of this process are test_job_worker. */
void use_test_worker(void);

/* Parses and binds; fails the test when that does not work. `problem` may be NULL. */
void bind_text(bound *bound, const char *text, const char *problem);
void unbind(bound *bound);

/* Options for short tests. */
ht_job_options quick_options(void);
/* Starts a job or fails the test. */
ht_job *start_job(const bound *bound, const ht_job_options *options);

ht_config config_of(const bound *bound, const char *text);
/* Evaluates one configuration. */
ht_outcome evaluate(ht_job *job, const bound *bound, const char *config);

#endif
