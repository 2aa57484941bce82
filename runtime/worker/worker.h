/* Inside a worker process: the requests it serves. Each is answered by one JSON object with a
 * status. A program is {code (file), kernels, constants}.
 *
 * - start: role "compile", "run" or "check", cold. Opens the provider; the first of every worker.
 * - compile: config, launches, numbers, output -> program, seconds, resources. The code goes to the
 *   file `output`.
 * - reference: seed, file, original, twin, numbers -> way ("builtin", "twin" or "original").
 *   Computes the expected outputs and saves them.
 * - expect: file. Loads expected outputs that another worker saved.
 * - measure: program, config, launches, time, budget, interval -> samples. Checks, then times.
 * - check: program, config, launches, accesses -> check. A program compiled for checking
 *   (docs/checking.md).
 * - load: slot, program, config, reference. Keeps a variant loaded and warm.
 * - sample: slot -> ms. One timing sample of it.
 * - unload: all slots.
 * - forget: all that is the problem's, so that its memory is free.
 * - bind: forgets, and reads the specification of another problem in the job's folder. */
#ifndef HT_RUNTIME_WORKER_WORKER_H
#define HT_RUNTIME_WORKER_WORKER_H

#include "runtime/buffers/expected.h"
#include "runtime/measure/timing.h"
#include "runtime/protocol/protocol.h"
#include "runtime/protocol/spec.h"

enum { HT_SLOTS_MAX = 64 };

typedef struct ht_run_slot {
    ht_variant *variant;
    unsigned launches; /* a sample */
} ht_run_slot;

/* A variant that others are timed next to; loaded once, for as long as requests name it. */
typedef struct ht_control {
    ht_variant *variant; /* NULL: none */
    unsigned launches;   /* a sample */
    json_int_t id;
} ht_control;

typedef struct ht_worker {
    const char *folder; /* the job's */
    int socket;         /* to the tuner */
    bool confined;      /* in the sandbox */
    ht_spec spec;
    const ht_provider *provider;
    const ht_hip *hip;

    /* Run workers. */
    bool runs;
    ht_timer timer;
    ht_reference reference;
    bool forgot; /* the problem and its reference: nothing is compared before there is one again */
    ht_buffers **buffers; /* sets of one layout each; unused ones go when a new one is needed */
    size_t buffers_count;
    ht_run_slot slots[HT_SLOTS_MAX];
    ht_control control;
} ht_worker;

ht_status ht_worker_compile(ht_worker *worker, const json_t *request, json_t *reply,
                            ht_error *error);

ht_status ht_worker_open_device(ht_worker *worker, const json_t *request, ht_error *error);
void ht_worker_close_device(ht_worker *worker);
ht_status ht_worker_measure(ht_worker *worker, const json_t *request, json_t *reply,
                            ht_error *error);
ht_status ht_worker_load(ht_worker *worker, const json_t *request, json_t *reply, ht_error *error);
ht_status ht_worker_sample(ht_worker *worker, const json_t *request, json_t *reply,
                           ht_error *error);
void ht_worker_unload(ht_worker *worker);
/* Frees variants, buffers and the reference. */
void ht_worker_forget(ht_worker *worker);
/* Serves the problem that is now specified in the job's folder. */
ht_status ht_worker_bind(ht_worker *worker, ht_error *error);

/* check_worker.c: runs a program that was compiled for checking. */
void ht_worker_check_begin(ht_worker *worker);
/* Gives the memory back that is kept for the next check. */
void ht_worker_check_forget(void);
ht_status ht_worker_check(ht_worker *worker, const json_t *request, json_t *reply, ht_error *error);

ht_status ht_worker_reference(ht_worker *worker, const json_t *request, json_t *reply,
                              ht_error *error);
ht_status ht_worker_expect(ht_worker *worker, const json_t *request, ht_error *error);

/* Loads `program` (as in requests) with buffers filled for `seed`. Free with ht_variant_free;
 * buffers stay the worker's. */
ht_status ht_worker_variant(ht_worker *worker, const json_t *program, const ht_config *config,
                            ht_launch_set set, ht_numbers numbers, uint64_t seed,
                            ht_variant **out_variant, ht_error *error);
/* Reads every output of a variant that ran and compares it with `reference`. */
ht_status ht_worker_compare(ht_worker *worker, const ht_reference *reference,
                            const ht_variant *variant, ht_error *error);

#endif
