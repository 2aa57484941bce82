/* A choice by the model of a GPU (pipeline/model_tuning.h), in words and as JSON: `tune` and
 * `optimize` on a device model:NAME. */
#ifndef HT_CLI_REPORTS_MODEL_REPORT_H
#define HT_CLI_REPORTS_MODEL_REPORT_H

#include "cli/command.h"
#include "pipeline/entry.h"
#include "pipeline/model_tuning.h"

/* `files`: that each choice was written to; NULL: it was not. */
void ht_model_result_print(const ht_entry *entry, const ht_model_result *result,
                           char *const files[HT_MODEL_CHOICES], FILE *out);
json_t *ht_model_result_json(const ht_entry *entry, const ht_model_result *result,
                             char *const files[HT_MODEL_CHOICES]);

#endif
