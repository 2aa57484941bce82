/* The HIP functions that a program called and that are not there. */
#ifndef HT_PIPELINE_MISSING_H
#define HT_PIPELINE_MISSING_H

#include "pipeline/program.h"

#include <jansson.h>

typedef struct ht_missing_call {
    char *name;
    char *place; /* "main.hip:12"; "": not known */
    uint64_t times;
} ht_missing_call;

typedef struct ht_missing {
    ht_missing_call *items; /* owned, as are their strings */
    size_t count;
} ht_missing;

/* Finds them in the report of the program's run; one entry for each function and line. */
void ht_missing_find(const ht_hip_program *program, const ht_emulate_report *report,
                     ht_missing *out_missing);
void ht_missing_free(ht_missing *missing);
/* "main.hip:12: hipGraphCreate is not supported: it returned hipErrorNotSupported (1 call)";
 * free(). */
char *ht_missing_string(const ht_missing_call *call);
/* [{"function", "place", "calls"}]; new reference. */
json_t *ht_missing_json(const ht_missing *missing);

#endif
