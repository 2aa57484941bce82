/* From source files to templates: finds the kernels of a HIP source file through libclang's AST,
 * proves which choices can be made parameters, and writes templates. A choice without a proof stays
 * as the author wrote it, and a remark says why and where. */
#ifndef HT_REFACTOR_REFACTOR_H
#define HT_REFACTOR_REFACTOR_H

#include "refactor/plan/remark.h"
#include "refactor/source/options.h"
#include "refactor/unit/slice_file.h"
#include "templates/annotations/template.h"
#include "templates/problem_file/problem_file.h"

typedef struct ht_refactor ht_refactor; /* the result for one file; owns everything below */

/* The source of the meaning of a kernel's arguments. */
typedef enum ht_problem_origin {
    HT_PROBLEM_MISSING,
    HT_PROBLEM_GIVEN,     /* a problem file's entry */
    HT_PROBLEM_ANNOTATED, /* the source's annotations */
    HT_PROBLEM_INFERRED   /* from subscripts, guards and host code */
} ht_problem_origin;

typedef struct ht_kernel {
    char *name; /* qualified, as written */
    char *file;
    int line, column; /* of its name */
    ht_kernel_status status;
    char *reason;    /* NULL: the kernel is templated */
    int reason_line; /* in `file`; 0: the reason has no place */
    ht_problem_origin problem;
    ht_problem_file *inferred; /* NULL unless inferred */
    char *skeleton; /* text of a problem file: the inferred one, or one to fill in; NULL: neither */
    char *places; /* of the fields of structures passed by value, "p.n 8 4\n" a field: its place and
                     its size in bytes; NULL: there are none, or the problem was given */
    ht_template *template; /* NULL unless templated or annotated. Its unit contains the original
                              kernel as the reference */
    ht_template *against;  /* for a templated kernel: the same template with the original as its
                              reference, for verification */
    const char **origins;  /* by parameter: the transformation that added it */
    bool reassociates;     /* sums may be in any order, since the kernel uses atomics */
    char *rounds; /* parameters, "A,B", that change the order of sums, so that results may differ in
                     their last bits if they do not have their defaults; NULL: none; owned */
    ht_remark *remarks;
    size_t remark_count;
    const char **transformations; /* names of those applied; for HT_KERNEL_NEEDS_PROBLEM, of those
                                     that would be */
    size_t transformation_count;
    const char **omitted; /* names of those that had to be left out for a template; a remark of each
                             says why */
    size_t omitted_count;
    char *launch_file; /* may differ from `file`; NULL: no launch was found */
    int launch_line;
} ht_kernel;

/* Call it once before the files: for processes that are forked later it loads libclang and parses
 * HIP's header, if that is kept. Their warnings may not be seen. HT_ERROR_MISSING: there is no
 * libclang. */
ht_status ht_refactor_prepare(const ht_refactor_options *options, ht_error *error);

/* Analyses one file. `problems` may be NULL. If the file does not parse at all, returns
 * HT_ERROR_INPUT with clang's first error; for a file without kernels, *out_refactor has count
 * 0. */
ht_status ht_refactor_file(const char *path, const ht_problem_file *problems,
                           const ht_refactor_options *options, ht_refactor **out_refactor,
                           ht_error *error);
void ht_refactor_free(ht_refactor *refactor);
size_t ht_refactor_kernel_count(const ht_refactor *refactor);
const ht_kernel *ht_refactor_kernel(const ht_refactor *refactor, size_t index);

/* The changed files: the analysed one, then others of its unit whose launches change. Paths are as
 * they were given, or as clang names them. */
typedef struct ht_applied_file {
    char *path;
    char *text;
} ht_applied_file;
typedef struct ht_applied {
    ht_applied_file *files; /* owned */
    size_t count;
} ht_applied;

#endif
