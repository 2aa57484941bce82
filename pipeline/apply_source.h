/* Writing configurations into one source file. */
#ifndef HT_PIPELINE_APPLY_SOURCE_H
#define HT_PIPELINE_APPLY_SOURCE_H

#include "pipeline/apply_choices.h"
#include "pipeline/input.h"

#include <jansson.h>

typedef struct ht_apply_request {
    const char *problem; /* as in ht_problems_open */
    const char *out;     /* folder for copies and patch */
    const char *copy;    /* the copy's name there */
    const char *root;    /* folder whose sources may include the file; NULL: the file's own */
    bool in_place;       /* the files themselves are rewritten */
    bool comment;        /* one above kernels without a measured gain, too */
    bool no_comment;     /* none above the kernels */
    bool no_format;      /* changed lines are not put through clang-format */
    bool any_style;      /* no message about forms that nobody writes by hand */
    ht_refactor_options compiler;
} ht_apply_request;

/* The choices are all of the file choices[0].file. Appends {"name", "file", "config", "status",
 * "files", "patch", "patch_folder", "reason", "verification", "form"} for each to `rows`; status is
 * "applied", "unchanged" when nothing is to be done, "not written" after an error, or "withheld"
 * when the text that would have been written failed its check: `reason` says why, and nothing of it
 * is written. */
ht_status ht_apply_source(const ht_apply_request *request, const ht_apply_choice *choices,
                          size_t count, json_t *rows, ht_error *error);

#endif
