/* What the pass over a file is given. */
#ifndef HT_REFACTOR_SOURCE_OPTIONS_H
#define HT_REFACTOR_SOURCE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the analysis of one kernel may take. */
typedef struct ht_analysis_limits {
    uint64_t operations; /* of isl: HT_ANALYSIS_OPERATIONS when 0. A transformation that needs more
                            than an eighth of them is left out */
    double seconds;      /* of CPU time; 0: no limit. This and memory hold for the processes in */
    size_t memory_bytes; /* which files are read (pipeline/losses.h), not for the pass itself */
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

#endif
