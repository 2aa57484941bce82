/* The last step before a tuned file is written: kernel and launches are taken out of its text and
 * run against the original's, at the sizes that `refactor` verifies. docs/apply.md says what is
 * proven. */
#ifndef HT_PIPELINE_WRITTEN_CHECK_H
#define HT_PIPELINE_WRITTEN_CHECK_H

#include "pipeline/pair_result.h"
#include "refactor/rewrite/apply.h"
#include "runtime/provider/provider.h"

#include <jansson.h>

struct ht_session; /* pipeline/tuning.h */

/* A unit that was run. */
typedef struct ht_written_agreed {
    char *tokens; /* of its text (base/code_tokens.h); owned */
    size_t sizes;
    bool bitwise;
    char *left_out;      /* which of the ways that it may go was not run; NULL: all were; owned */
    ht_pair_times times; /* next to the original's; may be unknown */
    char *timed_for;     /* the problem; NULL: it was not tried; owned */
    char *wrong;         /* why it is wrong there; NULL: it is not; owned */
} ht_written_agreed;

/* Keeps what was proven, so that the same text is not run twice. */
typedef struct ht_written_checker {
    const ht_device *device;          /* that was tuned for: its fields are in geometries */
    const struct ht_session *session; /* times on it what was proven; borrowed; NULL: nothing is
                                         timed */
    bool winner_only; /* another finalist is never taken, though its file may be faster */
    uint64_t seed;
    const volatile int *interrupted; /* Ctrl-C, or the time is over; may be NULL */
    double reading; /* seconds that reading a file takes, which nothing interrupts: not begun where
                       less is left (ht_stop_left) */
    ht_written_agreed *agreed; /* owned */
    size_t agreed_count;
} ht_written_checker;
void ht_written_checker_free(ht_written_checker *checker);

/* A kernel that was rewritten in the files. */
typedef struct ht_written_subject {
    size_t kernel; /* index in the refactor */
    const ht_config *config;
    const ht_problem *instance;   /* what it was tuned for; NULL: sizes are not known */
    const ht_size_samples *sizes; /* at which the launch must take it, or the original; NULL: no
                                     size was chosen for */
    bool proven; /* its text was proven before: it is read again though the time is over */
} ht_written_subject;

/* The result. */
typedef struct ht_written_proof {
    bool stopped;      /* the fault is that it was not checked to the end: there was no time, or the
                          checking itself failed; another run may get there */
    bool unverified;   /* the fault is that nothing of it can be run: another run finds the same */
    char *fault;       /* why the file must not be delivered; NULL: it may; owned */
    char *unproven;    /* what could not be run, and why; NULL: everything was; owned */
    char *missing;     /* that why, if a tool is not on this machine, the same for every kernel;
                          NULL: another reason; owned */
    size_t launches;   /* that were run */
    size_t sizes;      /* problems, of the launch that ran at most */
    bool reassociates; /* its sums come in another order than the original's */
    bool bitwise;      /* outputs were equal to the bit */
    ht_pair_times times; /* of the launch that the tuned instance takes, next to the original's */
} ht_written_proof;
void ht_written_proof_free(ht_written_proof *proof);

/* `applied` is what the refactor made of its file with all of the subjects. *proofs has an element
 * for each. An error: nothing could be found out. */
ht_status ht_written_check(ht_written_checker *checker, const ht_refactor *refactor,
                           const ht_applied *applied, const ht_written_subject *subjects,
                           size_t count, ht_written_proof *proofs, ht_error *error);

/* Checks an annotated source, which only gets new defaults. Returns NULL if its text has them, else
 * the fault; free(). */
char *ht_written_defaults_fault(const char *text, const char *path, const ht_template *template,
                                const ht_config *config);

/* For reports: "1 launch at 5 sizes, to the bit"; free(). */
char *ht_written_proof_string(const ht_written_proof *proof);
/* The same without the reason of `missing` where nothing was run: for lists that have it once. */
char *ht_written_proof_brief(const ht_written_proof *proof);
/* {"launches", "sizes", "bitwise", "timed", "not_proven", "missing", "text"} */
json_t *ht_written_proof_json(const ht_written_proof *proof);

#endif
