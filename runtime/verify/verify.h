/* Verifying a template before it is offered: its default configuration and random legal ones run
 * next to the original kernel on small problems, with every access checked (docs/checking.md), and
 * outputs compared. Host emulation. docs/refactor-command.md has the details. */
#ifndef HT_RUNTIME_VERIFY_VERIFY_H
#define HT_RUNTIME_VERIFY_VERIFY_H

#include "runtime/provider/provider.h"

#include <stddef.h>
#include <stdint.h>

enum { HT_VERIFY_CONFIGURATIONS = 32, HT_VERIFY_SIZES = 5, HT_VERIFY_REFERENCE_SECONDS = 20 };

/* Bytes of buffers with which every process of a verification stays below 600 MiB. */
#define HT_VERIFY_MEMORY (UINT64_C(512) << 20)

/* Fields of a problem from here on are extents; below, filter sizes and the like, which stay. */
enum { HT_EXTENT_MIN = 12 };

/* A run of a configuration that agreed. */
typedef struct ht_verify_run ht_verify_run;

typedef struct ht_verify_options {
    uint64_t seed;         /* of configurations and inputs; each problem has inputs of its own */
    size_t configurations; /* random ones in addition to the default */
    size_t sizes;          /* problems; 0: HT_VERIFY_SIZES */
    bool fresh;            /* sizes that nobody can know beforehand, drawn by `seed`, come ahead of
                              those that are always tried */
    bool reassociates;     /* the original's sums come in any order, as with atomics: outputs are
                              compared within the template's tolerance from the start */
    const char *rounds; /* parameters, "A,B", that change the order of sums: configurations in which
                           they do not have their defaults are compared within the tolerance, all
                           others to the bit; NULL: none */
    unsigned compile_workers; /* 0: one a core */
    double compile_limit;     /* seconds that a compile may take; 0: derived from the original's */
    double run_limit;         /* seconds that a run in checking mode may take; 0: 120 */
    double reference_limit;   /* seconds that a run of the original for its outputs may take; 0:
                                 HT_VERIFY_REFERENCE_SECONDS */
    double none_limit;        /* seconds for which sizes are tried as long as the original runs
                                 cleanly for none; then the given one alone; 0: 300 */
    uint64_t memory; /* bytes that buffers may take in a process: problems that take more are left
                        out; 0: any */
    bool written; /* the template is a delivered file's launch: it has no choice, and must be legal
                     wherever the original's is */
    bool unreduced; /* a failing configuration is reported as it was found, not made simpler */
    const volatile int *interrupted; /* may be NULL */
    /* Called after each run that agreed; an error ends the verification. NULL: nothing is. */
    ht_status (*agreed)(void *context, ht_verify_run *run, ht_error *error);
    /* Problems of which one at least must be tried: those that take the way that was tuned, say.
     * NULL: any will do. */
    bool (*asked)(void *context, const ht_problem *problem);
    /* Problems that are not to be tried; NULL: none. */
    bool (*skipped)(void *context, const ht_problem *problem);
    /* Of these: problems that the program does not have, so that a way that only such take is left
     * out (left_out); the others take the original. NULL: there are none. */
    bool (*absent)(void *context, const ht_problem *problem);
    void *context;    /* of all four */
    const char *unit; /* what configurations are chosen by, where something was written into the
                         template's text; NULL: that text */
} ht_verify_options;

typedef enum ht_verify_outcome {
    HT_VERIFY_AGREES,  /* every run gave what the original gave */
    HT_VERIFY_DIFFERS, /* one did not, or did not end, or touched what it must not */
    HT_VERIFY_ORIGINAL /* the original itself does not run cleanly for any problem tried */
} ht_verify_outcome;

typedef struct ht_verify_size {
    char *problem; /* "W=37 H=19"; "" for a template without sizes */
    uint64_t seed; /* of its inputs */
    size_t runs;   /* configurations run */
} ht_verify_size;

typedef struct ht_verify_result {
    ht_verify_outcome outcome;
    bool bitwise; /* outputs were compared to the bit (but for what the options' `rounds` says);
                     else within the template's tolerance, because the original may give other bits
                     with its threads in another order */
    bool checked; /* every access was looked at; else only outputs and guard words, because the
                     original has findings of its own */
    ht_verify_size *sizes;
    size_t size_count;
    size_t configurations; /* different ones, the default among them */
    size_t slow; /* of these, not run: the compiler took longer than it may (never the default) */
    bool late;   /* the original did not end for a size, so that larger ones were left out: a faster
                    machine might have run them */
    char *reason; /* why it does not agree; NULL when it does */
    /* Of a delivered file's launch: which of the ways that it may go was not run, and why; NULL:
     * all were. */
    char *left_out;
    ht_status failure; /* with HT_VERIFY_DIFFERS: how it failed; else HT_OK */
    char finding[24];  /* and the kind of what checking mode found ("race"); "": nothing */
    /* With HT_VERIFY_DIFFERS: the failing configuration, with every parameter at its default that
     * it also fails without; and the index of its size. */
    ht_config failing;
    size_t failing_size;
    double seconds;
} ht_verify_result;

/* `template` has the original as its reference (HT_REFERENCE_KERNEL); `given` is a problem that it
 * is meant for, NULL when it has none. An error: it could not be found out (no compiler, Ctrl-C).
 * Free the result. */
ht_status ht_verify(const ht_template *template, const ht_problem *given, const ht_device *device,
                    const ht_verify_options *options, ht_verify_result *out_result,
                    ht_error *error);
/* The same program once more, on the same inputs: for those who have changed what it does, as tests
 * of verification do. *out_reason, free(): why it differs now; NULL when it does not. */
ht_status ht_verify_run_again(ht_verify_run *run, char **out_reason, ht_error *error);
/* Index of its size. */
size_t ht_verify_run_size(const ht_verify_run *run);
void ht_verify_result_free(ht_verify_result *result);

/* verify_sizes.c. Problems to try, small ones, the preferred first: odd sizes, sizes below any
 * block's, sizes that no block divides, then multiples of powers of two and the given one cut down,
 * for kernels that ask for such. The launches' grid says which extents lie along which axis. Each
 * of the family; free with ht_problem_free, then free(). */
void ht_verify_problems(const ht_template *template, const ht_problem *given,
                        ht_problem **out_problems, size_t *out_count);
/* The same sizes with each extent moved at random, which need not suit the original. Freed
 * likewise. */
void ht_verify_fresh(const ht_template *template, const ht_problem *given, uint64_t seed,
                     ht_problem **out_problems, size_t *out_count);
/* verify_fallback.c. Problems of any size, the given one but for one field, at which the conditions
 * of the template's launch are other than there. Freed likewise. */
void ht_verify_turns(const ht_template *template, const ht_device *device,
                     const ht_problem *problem, ht_problem **out_problems, size_t *out_count);
/* The same for a property of problems: for each field the least value above the given one's, below
 * 2^32, with which a problem has it and the given one has not, or the other way round. */
void ht_verify_turns_of(const ht_template *template, const ht_problem *problem,
                        bool (*has)(void *context, const ht_problem *problem), void *context,
                        ht_problem **out_problems, size_t *out_count);

#endif
