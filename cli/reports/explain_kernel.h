/* `refactor --explain KERNEL FILE...`: what the kernel's model knows. */
#ifndef HT_CLI_REPORTS_EXPLAIN_KERNEL_H
#define HT_CLI_REPORTS_EXPLAIN_KERNEL_H

#include "pipeline/input.h"

typedef struct ht_explain_request {
    const char *kernel;
    char *const *paths; /* source files */
    size_t path_count;
    const char *problem; /* --problem; may be NULL */
    const char *json;    /* --json; may be NULL */
    ht_refactor_options compiler;
} ht_explain_request;

/* Prints and returns the exit code. */
int ht_explain_kernel(const ht_explain_request *request);

#endif
