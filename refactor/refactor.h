/* Source tree -> templates: finds the kernels of a HIP source file through libclang's AST, proves
 * which choices can be made parameters, and writes templates. What it cannot prove it leaves alone,
 * with the reason and the place. */
#ifndef HT_REFACTOR_REFACTOR_H
#define HT_REFACTOR_REFACTOR_H

#include "refactor/plan/remark.h"
#include "refactor/source/options.h"
#include "refactor/unit/slice_file.h"
#include "templates/annotations/template.h"
#include "templates/problem_file/problem_file.h"

typedef struct ht_refactor ht_refactor; /* the result for one file; owns everything below */

/* Where the meaning of its arguments is known from. */
typedef enum ht_problem_origin {
    HT_PROBLEM_MISSING,
    HT_PROBLEM_GIVEN,     /* a problem file's entry */
    HT_PROBLEM_ANNOTATED, /* the source's annotations */
    HT_PROBLEM_INFERRED   /* from subscripts, guards and host code */
} ht_problem_origin;

typedef struct ht_kernel {
    char *name; /* as written, qualified */
    char *file;
    int line, column; /* of its name */
    ht_kernel_status status;
    char *reason;    /* NULL when templated */
    int reason_line; /* in `file`; 0 when the reason has no place of its own */
    ht_problem_origin problem;
    ht_problem_file *inferred; /* NULL unless inferred */
    char *skeleton; /* text of a problem file: the inferred one, or one to fill in; NULL: neither */
    ht_template *template; /* NULL unless templated or annotated. Its unit holds the original kernel
                              as reference */
    ht_template *against;  /* of a templated kernel: the same with the original as its reference, to
                              be verified */
    const char **origins;  /* of each of its parameters: the transformation */
    bool reassociates;     /* sums may come in any order: the kernel uses atomics */
    char *rounds; /* parameters, "A,B", that change the order of sums, so that results may differ in
                     their last bits where they do not have their defaults; NULL: none; owned */
    ht_remark *remarks;
    size_t remark_count;
    const char **transformations; /* names of those applied; with needs-problem, that would be */
    size_t transformation_count;
    const char **omitted; /* names of those without which alone there is a template; a remark of
                             each says why */
    size_t omitted_count;
    char *launch_file; /* NULL: no launch found; may be another than `file` */
    int launch_line;
} ht_kernel;

/* Analyses one file. `problems` may be NULL. A file that does not parse at all is HT_ERROR_INPUT
 * with clang's first error; a file without kernels gives count 0. */
ht_status ht_refactor_file(const char *path, const ht_problem_file *problems,
                           const ht_refactor_options *options, ht_refactor **out_refactor,
                           ht_error *error);
void ht_refactor_free(ht_refactor *refactor);
size_t ht_refactor_kernel_count(const ht_refactor *refactor);
const ht_kernel *ht_refactor_kernel(const ht_refactor *refactor, size_t index);

/* The original file's text with each given kernel replaced by its tuned form (tuned constants,
 * author's style and names, same signature) and its launches rewritten; a kernel without a launch
 * gets a launcher function next to it. Kernels that are not given stay as they are. */
typedef struct ht_refactor_choice {
    size_t kernel; /* index in the refactor */
    ht_config config;
    const char *note; /* a comment to stand above the kernel, "// ..."; borrowed; NULL: none */
} ht_refactor_choice;
/* The files that it takes: the one looked at, then others of its unit whose launches change with
 * it. Paths as they were given, or as clang names them. */
typedef struct ht_applied_file {
    char *path;
    char *text;
} ht_applied_file;
typedef struct ht_applied {
    ht_applied_file *files; /* owned */
    size_t count;
} ht_applied;
ht_status ht_refactor_apply_all(const ht_refactor *refactor, const ht_refactor_choice *choices,
                                size_t choice_count, ht_applied *out_applied, ht_error *error);
void ht_applied_free(ht_applied *applied);
/* The text of the file looked at, where that is all that changes; HT_ERROR_UNSUPPORTED else. */
ht_status ht_refactor_apply(const ht_refactor *refactor, const ht_refactor_choice *choices,
                            size_t choice_count, char **out_source, ht_error *error);

#endif
