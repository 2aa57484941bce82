/* Tests that run amd's whole path over a stand-in. */
#ifndef HT_TESTS_STANDIN_SUPPORT_H
#define HT_TESTS_STANDIN_SUPPORT_H

#include "runtime/job/job.h"

/* Uses the stand-in of this version of ROCm ("5", "6", "7", "6-broken") and a folder of this test's
 * own for twins. */
void standin_use(const char *version);
/* The same, for jobs: twins lie in the folder of each. */
void standin_use_in_workers(const char *version);
/* Removes the folder. */
void standin_end(void);

/* Finds a device; skips the test where there is no hiprtc that compiles for it. */
ht_device standin_device(const char *name);

/* A template bound to a problem on a device. */
typedef struct standin_bound {
    ht_template *templates;
    size_t count;
    ht_problem problem;
    ht_device device;
    ht_binding binding;
} standin_bound;

void standin_bind(standin_bound *bound, const char *text, const char *problem, const char *device);
void standin_unbind(standin_bound *bound);

#endif
