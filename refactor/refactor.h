/* Source tree -> templates: finds the kernels of a HIP source file through libclang's AST, proves
 * which choices can be made parameters, and writes templates. What it cannot prove it leaves alone,
 * with the reason and the place. */
#ifndef HT_REFACTOR_REFACTOR_H
#define HT_REFACTOR_REFACTOR_H

#include "templates/annotations/template.h"
#include "templates/problem/problem_file.h"

typedef struct ht_refactor ht_refactor; /* the result for one file; owns everything below */

/* What the analysis of one kernel may take. */
typedef struct ht_analysis_limits {
    uint64_t operations; /* of isl: HT_ANALYSIS_OPERATIONS when 0. A transformation that needs more
                            than an eighth of them is left out */
    double seconds;      /* of CPU time; 0: no limit. This and memory hold for the processes in */
    size_t memory_bytes; /* which files are read (cli/losses.h), not for the pass itself */
} ht_analysis_limits;
#define HT_ANALYSIS_OPERATIONS UINT64_C(8000000)

typedef enum ht_kernel_status {
    HT_KERNEL_TEMPLATED, /* `template` is there */
    HT_KERNEL_ANNOTATED, /* has annotations of its own; `template` is that, with a sliced unit */
    HT_KERNEL_NEEDS_PROBLEM, /* sizes or roles unknown: `reason` says which, `skeleton` is a file to
                                fill in */
    HT_KERNEL_REFUSED,       /* nothing can be parameterized, or slicing failed; `reason` */
    HT_KERNEL_UNPARSED,      /* errors inside the kernel */
    HT_KERNEL_TOO_COMPLEX,   /* its analysis reached a limit; `reason` says which */
    HT_KERNEL_CRASHED,       /* its analysis crashed, in another process: a defect */
    HT_KERNEL_NOT_REACHED    /* ht_refactor_options.stopped */
} ht_kernel_status;

/* A kernel whose analysis did not end well, in another process: it is not tried again. */
typedef struct ht_lost_kernel {
    int line, column; /* of its name */
    ht_kernel_status status;
    char *reason;
} ht_lost_kernel;

/* Who watches the pass over a file from outside. */
typedef struct ht_refactor_watch {
    /* A kernel's analysis begins; line 0: the last one ended. */
    void (*begin)(void *context, int line, int column); /* NULL: nobody asks */
    void *context;
    const ht_lost_kernel *lost; /* borrowed */
    size_t lost_count;
    /* For a pass whose process has to live on: runs a kernel's analysis once where it can do no
     * harm, in another process, before it is done here. False: it did not end well there, and is
     * not done; *out_lost says why, its reason is the caller's to free(). NULL: done without that.
     */
    bool (*rehearse)(void *context, void (*analysis)(void *argument), void *argument,
                     ht_lost_kernel *out_lost);
} ht_refactor_watch;

typedef struct ht_refactor_options {
    const char *const *arguments; /* extra compiler arguments: -I, -D, -std; borrowed */
    size_t argument_count;
    const char *resource_dir; /* clang's; NULL: found */
    /* A folder in which HIP's header, parsed, is kept from file to file; borrowed. NULL: the one
     * that $HIPTEMPER_CACHE names, from run to run (base/cache.h), else it is parsed for each. */
    const char *cache;
    /* A source that includes the file, directly or not: the file is then read as a part of that
     * translation unit, with its launches there. For headers; borrowed. NULL: by itself. */
    const char *through;
    /* `through` does not include the file, but launches its kernels, which a header declares: both
     * are read as one unit, the file first. */
    bool joined;
    ht_analysis_limits limits;
    const ht_refactor_watch *watch; /* borrowed; NULL: nobody */
    const volatile int
        *stopped; /* not 0: only the first kernel is analysed from there on; NULL: all */
    /* Only what it names is offered, docs/refactor-command.md; borrowed. NULL: everything. */
    const struct ht_recipe *recipe;
} ht_refactor_options;

typedef enum ht_remark_kind { HT_REMARK_APPLIED, HT_REMARK_MISSED, HT_REMARK_NOTE } ht_remark_kind;

/* Like a compiler's optimisation remark. */
typedef struct ht_remark {
    ht_remark_kind kind;
    const char *transformation; /* "block-size"; may be NULL */
    char *file;
    int line, column;
    char *message;
    bool left_out; /* the transformation as a whole, by its cost or for the others' sake */
} ht_remark;

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

/* A self-contained device unit cut out of a file: the named kernels with everything they reach. For
 * annotated sources; ht_refactor_file uses it for all. With the types that `template`'s annotations
 * name; NULL: none. */
ht_status ht_slice_file(const char *path, const char *const *kernels, size_t kernel_count,
                        const ht_template *template, const ht_refactor_options *options,
                        char **out_unit, ht_error *error);

#endif
