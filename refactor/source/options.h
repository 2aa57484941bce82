/* Options of the pass over a file. */
#ifndef HT_REFACTOR_SOURCE_OPTIONS_H
#define HT_REFACTOR_SOURCE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits for the analysis of one kernel. */
typedef struct ht_analysis_limits {
    uint64_t operations; /* of isl; 0: HT_ANALYSIS_OPERATIONS. A transformation that needs more than
                            an eighth of them is left out */
    double seconds;      /* of CPU time; 0: no limit. This and memory limit the processes in */
    size_t memory_bytes; /* which files are read (pipeline/losses.h), not for the pass itself */
} ht_analysis_limits;
#define HT_ANALYSIS_OPERATIONS UINT64_C(8000000)

typedef enum ht_kernel_status {
    HT_KERNEL_TEMPLATED, /* `template` is set */
    HT_KERNEL_ANNOTATED, /* has annotations of its own; `template` is made of them, with a sliced
                            unit */
    HT_KERNEL_NEEDS_PROBLEM, /* sizes or roles are unknown: `reason` says which, `skeleton` is a
                                file to fill in */
    HT_KERNEL_REFUSED,       /* nothing can be parameterized, or slicing failed; `reason` */
    HT_KERNEL_UNPARSED,      /* errors inside the kernel */
    HT_KERNEL_TOO_COMPLEX,   /* its analysis reached a limit; `reason` says which */
    HT_KERNEL_CRASHED,       /* its analysis, in another process, crashed: a defect */
    HT_KERNEL_NOT_REACHED    /* the pass was stopped first, or the kernel is not wanted:
                                ht_refactor_options */
} ht_kernel_status;

/* A kernel whose analysis in another process crashed or reached a limit: it is not tried again. */
typedef struct ht_lost_kernel {
    int line, column; /* of its name */
    ht_kernel_status status;
    char *reason;
} ht_lost_kernel;

/* Callbacks for an observer of the pass over a file. */
typedef struct ht_refactor_watch {
    /* The analysis of the kernel at this place begins; line 0: the last kernel's has ended. */
    void (*begin)(void *context, int line, int column); /* may be NULL */
    void *context;
    const ht_lost_kernel *lost; /* borrowed */
    size_t lost_count;
    /* For a pass whose process must survive: runs a kernel's analysis in another process, before it
     * is done in this one. Returns false if that crashed or reached a limit; the analysis is then
     * skipped here, and the reason in *out_lost is the caller's to free(). May be NULL. */
    bool (*rehearse)(void *context, void (*analysis)(void *argument), void *argument,
                     ht_lost_kernel *out_lost);
} ht_refactor_watch;

/* The field that leaves the elements of a buffer x to a run is named x_elements; of p.x,
 * p_x_elements. */
#define HT_TRIED_SUFFIX "_elements"

typedef struct ht_refactor_options {
    const char *const *arguments; /* extra compiler arguments: -I, -D, -std; borrowed */
    size_t argument_count;
    const char *resource_dir; /* clang's; NULL: it is searched for */
    /* The folder that keeps HIP's parsed header from file to file; borrowed. NULL:
     * ht_cache_folder(), which lasts from run to run (base/cache.h); without either, the header is
     * parsed for each file. */
    const char *cache;
    /* A source that includes the file, directly or not. The file is then read as a part of that
     * translation unit, with its launches there, as headers need it. Borrowed. NULL: the file is
     * read by itself. */
    const char *through;
    /* `through` does not include the file, but launches its kernels, which a header declares. Both
     * are then read as one unit, the file first. */
    bool joined;
    ht_analysis_limits limits;
    const ht_refactor_watch *watch; /* borrowed; may be NULL */
    /* Returns true for a kernel, by its name, that is to be analysed; the others are
     * HT_KERNEL_NOT_REACHED. NULL: all are. */
    bool (*wanted)(const void *context, const char *kernel);
    const void *wanted_context;
    /* once it is not 0, kernels after the first are skipped; may be NULL */
    const volatile int *stopped;
    /* The recipe to follow (docs/refactor-command.md); borrowed. NULL: all transformations run. */
    const struct ht_recipe *recipe;
    /* The number of a buffer's elements that the source does not give may be left to a run
     * (refactor/infer/infer.h), and block and grid of a kernel that nothing launches may be chosen
     * (refactor/kernel/supposed.h); for those who make that run. */
    bool tries;
    /* Where code of other builds (#ifdef) leaves nothing to be made a parameter, make a template
     * for this build, of which there is no tuned source; for those who hand out templates. */
    bool own_build;
    unsigned without; /* transformations not to run (ht_transformations_without) */
} ht_refactor_options;

#endif
