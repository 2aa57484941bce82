/* The library: tunes an annotated template as `hiptemper tune` does, from a program of your own.
 *
 *     ht_tuner *tuner;
 *     ht_tuned *tuned;
 *     ht_error error;
 *     if (ht_tuner_open("scale.hip", &tuner, &error) == HT_OK &&
 *         ht_tuner_set(tuner, "max-evals", "40", &error) == HT_OK &&
 *         ht_tuner_tune(tuner, "n=1048576", &tuned, &error) == HT_OK)
 *         printf("%s %s\n", ht_tuned_verdict(tuned), ht_tuned_config(tuned));
 *
 * Compiling and running kernels is done by worker processes: the program hiptemper of the same
 * installation, in its sandbox. Tuning starts processes and waits for them, and keeps its state for
 * the whole process: one thread at a time may use the library. What goes on although something is
 * wrong is reported on standard error, as "hiptemper: warning: ...".
 *
 * Functions that can fail return an ht_status and fill the ht_error (which may be NULL) with a
 * message that names the place and the remedy. What a failing function should have made is NULL,
 * which the functions that free take. */
#ifndef HT_API_HIPTEMPER_H
#define HT_API_HIPTEMPER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"

typedef struct ht_tuner ht_tuner; /* a template and how it is tuned */
typedef struct ht_tuned ht_tuned; /* what became of it for one problem */

/* "0.1.0". */
const char *ht_tuner_version(void);

/* Reads a file with `#pragma tune` annotations, which must hold one template: use
 * ht_tuner_open_kernel for one of several. Close with ht_tuner_close. */
ht_status ht_tuner_open(const char *path, ht_tuner **out_tuner, ht_error *error);
ht_status ht_tuner_open_kernel(const char *path, const char *kernel, ht_tuner **out_tuner,
                               ht_error *error);
void ht_tuner_close(ht_tuner *tuner);

/* Sets an option of `hiptemper tune`, by its name without dashes and with its value as text:
 * device, max-evals, max-time (seconds, of one ht_tuner_tune), min-speedup, final-time (seconds),
 * strategy, cache, check, seed, compile-workers, db, predictor, predictor-seeds, sandbox (for the
 * whole process), fresh ("yes" or "no"). `hiptemper tune --help` explains them; the defaults are
 * the same. HT_ERROR_INPUT for another name or value. */
ht_status ht_tuner_set(ht_tuner *tuner, const char *option, const char *value, ht_error *error);

/* Searches, checks every variant's output against the reference, times the best next to the
 * original. `problem` is text such as "N=1 C=64 H=56", NULL or "" where the template's fields all
 * have defaults or there are none. HT_OK when there is a verdict, whatever it is; free the result
 * with ht_tuned_free. */
ht_status ht_tuner_tune(ht_tuner *tuner, const char *problem, ht_tuned **out_tuned,
                        ht_error *error);
/* Ends what ht_tuner_tune does; it returns soon after, with the verdict "not-run". May be called by
 * a signal handler or another thread. */
void ht_tuner_stop(void);

/* "improved": a configuration is faster than the original; "kept", "unclear": the original stays;
 * "refused", "failed": it could not be tuned; "not-run": it was stopped. Static. */
const char *ht_tuned_verdict(const ht_tuned *tuned);
/* Why it is not improved; "" when it is. Borrowed. */
const char *ht_tuned_reason(const ht_tuned *tuned);
/* The configuration that stays, as "BLOCK_X=64 TILE_X=2": the fastest one, or the default; "" when
 * none was verified. Borrowed. */
const char *ht_tuned_config(const ht_tuned *tuned);
/* A parameter of that configuration, as text: "64"; NULL: there is none of this name. Borrowed. */
const char *ht_tuned_value(const ht_tuned *tuned, const char *parameter);
/* Returns true if that configuration's output was compared with the reference's, and was right. */
bool ht_tuned_verified(const ht_tuned *tuned);
/* Configurations that were evaluated, those known from a database included. */
uint64_t ht_tuned_evaluations(const ht_tuned *tuned);
/* Returns true if times were made on the machine's cores: they say nothing about a GPU. */
bool ht_tuned_emulated(const ht_tuned *tuned);

/* Times of the original and of the configuration that stays, in milliseconds a run, and the
 * speedup with its 95 % interval. */
typedef struct ht_tuned_times {
    double original_ms, tuned_ms, speedup, speedup_lo, speedup_hi;
} ht_tuned_times;
/* Returns false, and zeroes, when nothing was timed to the end. */
bool ht_tuned_get_times(const ht_tuned *tuned, ht_tuned_times *out_times);

void ht_tuned_free(ht_tuned *tuned);

#ifdef __cplusplus
}
#endif

#endif
