/* Problem files: JSON with the meaning of a kernel's arguments and the sizes to tune for, when
 * the source does not say so in annotations; also plain catalogues of instances of one family.
 * docs/problem-file.md shows the format.
 *
 *   { "format": "hiptemper-problem", "version": 1,
 *     "kernels": [ { "kernel": "conv2d_nchw",
 *         "problem": "conv2d",                          as in the problem(...) directive
 *         "args": ["in : in float[problem.N * ...]", "W : int = problem.W", ...],   as in arg(...),
 * in the kernel's order "host": {"OW": "problem.Q"},                  values of host names that the
 * launch geometry uses "block": ["16", "16"], "grid": [...], "lds": "0",    optional: the
 * original's launch, when none is found "template": ["float", "5"],                   optional:
 * template arguments of the original's launch "reference": "conv2d : in, weights, out", optional,
 * as in reference(...) "tolerance": "1e-6",                          optional, as in tolerance(...)
 *         "instances": [ {"name": "small", "fields": {"N": 1, ...}}, ... ] } ] }
 * A catalogue has "problem" and "instances" at the top level and no "kernels"; it is read as one
 * entry without kernel. Unknown and doubled keys are errors. A "?" where a value belongs is the
 * mark of a skeleton that is to be filled in. */
#ifndef HT_TEMPLATES_PROBLEM_FILE_PROBLEM_FILE_H
#define HT_TEMPLATES_PROBLEM_FILE_PROBLEM_FILE_H

#include "templates/annotations/template.h"

typedef struct ht_host_value {
    char *name;
    ht_expr *expr;
} ht_host_value;

typedef struct ht_problem_entry {
    char *kernel;         /* NULL in a catalogue */
    ht_problem_spec spec; /* the family */
    ht_arg *args;         /* as ht_template's */
    size_t arg_count;
    ht_host_value *host;
    size_t host_count;
    ht_expr *block[3]; /* all NULL when not given */
    ht_expr *grid[3];
    ht_expr *lds;
    char **template_arguments;
    size_t template_argument_count;
    bool has_reference;
    char *reference_name; /* a built-in */
    char **reference_arguments;
    size_t reference_argument_count;
    bool has_tolerance;
    bool exact;
    double tolerance;
    ht_problem *instances; /* at least one */
    size_t instance_count;
    int line; /* of the entry in the file; 0 unknown (JSON values have no lines: errors name their
                 path instead) */
} ht_problem_entry;

typedef struct ht_problem_file {
    char *path;
    ht_problem_entry *entries;
    size_t entry_count;
} ht_problem_file;

ht_status ht_problem_file_parse(const char *text, const char *path, ht_problem_file **out_file,
                                ht_error *error);
ht_status ht_problem_file_load(const char *path, ht_problem_file **out_file, ht_error *error);
/* The entry for a kernel by its (unqualified or qualified) name; NULL when there is none. */
const ht_problem_entry *ht_problem_file_entry(const ht_problem_file *file, const char *kernel);
void ht_problem_file_free(ht_problem_file *file);

/* Copies what the entry says of problem, arguments, reference and tolerance into a template that
 * has none of these yet. Launches are the caller's: ht_problem_entry_launch, or what the source
 * says. */
void ht_problem_entry_apply(const ht_problem_entry *entry, ht_template *template);
/* The original's launch as the entry gives it; false when it gives none. Free with ht_launch_free.
 */
bool ht_problem_entry_launch(const ht_problem_entry *entry, ht_launch *out_launch);

#endif
