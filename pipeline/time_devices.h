/* The numbers of a device that a time model learns with (predictor/times/columns.h). */
#ifndef HT_PIPELINE_TIME_DEVICES_H
#define HT_PIPELINE_TIME_DEVICES_H

#include "predictor/times/columns.h"
#include "templates/annotations/device_fields.h"

/* Finds a GPU by its name, as recorded runs and providers have it ("AMD Radeon PRO W7800", "NVIDIA
 * A100-PCIE-40GB", "... gfx90a"). All 0 of one that is not listed. */
void ht_time_device_find(const char *text, ht_time_device *out_device);
/* The same, with what the provider says of its own device where the name is not listed. */
void ht_time_device_of(const char *text, const ht_device_fields *fields,
                       ht_time_device *out_device);

#endif
