/* The work of `refactor` on the files of a tree: each is read, and its templates written, in a
 * process of its own. */
#ifndef HT_PIPELINE_REFACTOR_FILES_H
#define HT_PIPELINE_REFACTOR_FILES_H

#include "pipeline/profile.h"
#include "pipeline/refactor_verify.h"
#include "pipeline/survey.h"

typedef struct ht_refactor_request {
    char *const *paths;
    size_t path_count;
    const char *problem, *kernel, *out; /* as in ht_survey_options */
    const ht_profile *profile;          /* kernels' times, of which the chosen are taken, those that
                                           take longest first; NULL: all are, by place */
    const char *commands;               /* compile_commands.json; NULL: the one in a given folder */
    size_t jobs;                        /* processes; 0: one a core */
    double file_limit;                  /* seconds for one file; 0: none */
    bool beside;                        /* templates and launchers go next to their sources */
    bool verify;                        /* templates are verified before they are handed out */
    bool fresh;                         /* results that an earlier run kept are not taken */
    ht_refactor_verifying verifying;
    ht_refactor_options compiler;
} ht_refactor_request;

typedef struct ht_refactor_tree_result {
    size_t files, parsed;
    size_t kept;     /* files whose results are those of an earlier run */
    json_t *kernels; /* rows, by file and place, or by time: docs/json.md */
    json_t *errors;  /* of files; docs/json.md */
    int code;        /* the exit code that these files ask for */
} ht_refactor_tree_result;

/* Errors of files are printed on standard error and kept. An error: a path that cannot be read, a
 * kernel name that nothing has, a malformed problem file or compilation database. */
ht_status ht_refactor_tree(const ht_refactor_request *request, ht_refactor_tree_result *out_result,
                           ht_error *error);
void ht_refactor_tree_result_free(ht_refactor_tree_result *result);

#endif
