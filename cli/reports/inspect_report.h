/* The report of inspect on the configurations of one template and instance. */
#ifndef HT_CLI_REPORTS_INSPECT_REPORT_H
#define HT_CLI_REPORTS_INSPECT_REPORT_H

#include "cli/command.h"
#include "runtime/measure/inspect.h"
#include "runtime/measure/predicted.h"

/* A template with one instance of its problem, and what was found of its configurations. */
typedef struct ht_inspected {
    const char *path; /* borrowed */
    const ht_device *device;
    const ht_template *template;
    const ht_problem *problem;
    uint64_t legal;             /* configurations; 0 when they were not counted */
    ht_config *configs;         /* owned */
    ht_inspection *inspections; /* owned */
    size_t count;
    bool counted;           /* accesses too, and the original's */
    ht_inspection original; /* owned; {0} unless counted or ranked */
    const ht_gpu *gpu;      /* that times are predicted for; NULL: they are not */
    ht_gpu_time *times;     /* owned; one a configuration */
    size_t *order;          /* owned; indices of configurations, the fastest first */
    ht_gpu_time original_time;
} ht_inspected;

void ht_inspected_free(ht_inspected *inspected);
/* A table, and the reasons of what did not compile. */
void ht_inspected_print(const ht_inspected *inspected, FILE *out);
/* An element of "templates" (docs/json.md). New reference. */
json_t *ht_inspected_json(const ht_inspected *inspected);

#endif
