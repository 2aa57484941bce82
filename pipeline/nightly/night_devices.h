/* All devices of a job at once: a process for each, on one database, and one report. */
#ifndef HT_PIPELINE_NIGHTLY_NIGHT_DEVICES_H
#define HT_PIPELINE_NIGHTLY_NIGHT_DEVICES_H

#include "pipeline/nightly/job_file.h"
#include "runtime/store/nights.h"

#include <jansson.h>

/* Puts the devices of a provider that can run kernels in the place of "amd:*" and "nvidia:*". None
 * at all is HT_ERROR_MISSING. */
ht_status ht_night_devices_expand(ht_job_file *job, ht_error *error);
/* Returns the name of one device for a name that may stand for several: "amd" for "amd:*"; free().
 */
char *ht_night_device_any(const char *name);
/* Returns the folder that a device's files go to: the job's own, or one in it when the job has
 * several devices, whose files have the same names; free(). */
char *ht_night_device_out(const ht_job_file *job, const char *device);

/* Runs `hiptemper run --device DEVICE ARGUMENTS... PATH` for each device at the same time, all in
 * one night. `arguments` end in NULL. *out_document is the report of all; a process that fails is
 * an error in it. Ctrl-C ends them, and gives the report. */
ht_status ht_night_devices_run(const ht_job_file *job, const char *path,
                               const char *const *arguments, json_t **out_document,
                               ht_error *error);
/* Returns the night that this process is part of, as the one above has named it in the environment;
 * {0}: a night of its own. The texts stay. */
ht_night_name ht_night_devices_name(void);

#endif
