/* The calibration kernel: the same every night, so that what it shows is the machine. */
#ifndef HT_PIPELINE_NIGHTLY_CALIBRATION_H
#define HT_PIPELINE_NIGHTLY_CALIBRATION_H

#include "pipeline/tuning.h"

typedef struct ht_calibration ht_calibration;

/* Compiles and checks it on the session's device. The session must outlive it. */
ht_status ht_calibration_start(const ht_session *session, ht_calibration **out_calibration,
                               ht_error *error);
void ht_calibration_free(ht_calibration *calibration);
/* The job whose original is the kernel; borrowed. */
ht_job *ht_calibration_job(const ht_calibration *calibration);

#endif
