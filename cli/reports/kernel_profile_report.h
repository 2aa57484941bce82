/* The report of profile on one kernel. */
#ifndef HT_CLI_REPORTS_KERNEL_PROFILE_REPORT_H
#define HT_CLI_REPORTS_KERNEL_PROFILE_REPORT_H

#include "cli/command.h"
#include "runtime/amd/model/gpu.h"

#include <jansson.h>

/* Prints an element of "kernels" (docs/json.md). `gpu`: that times are predicted for; may be
 * NULL. */
void ht_kernel_profile_print(const json_t *row, const ht_gpu *gpu, FILE *out);

#endif
