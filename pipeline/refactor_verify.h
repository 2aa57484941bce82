/* The second part of `refactor`: each new template is run next to the original before it is handed
 * out, in a process of its own. */
#ifndef HT_PIPELINE_REFACTOR_VERIFY_H
#define HT_PIPELINE_REFACTOR_VERIFY_H

#include "refactor/refactor.h"

#include <jansson.h>

typedef struct ht_refactor_verifying {
    size_t configurations; /* random ones in addition to the default */
    uint64_t seed;
    size_t jobs; /* processes; 0: one a core */
    /* Called for a row once it has no proof to wait for any more; NULL: nobody asks. */
    void (*settled)(void *context, const json_t *row);
    void *context;
} ht_refactor_verifying;

/* Makes the proof that a kernel's row carries from the process that read it to the one that
 * verifies it: the template with the original next to it, the sizes it is for, where its parameters
 * come from. New reference; NULL when there is nothing to verify. `instance` may be NULL. */
json_t *ht_refactor_proof_make(const ht_kernel *kernel, const ht_problem *instance);

/* Returns true for a row whose template was withheld because verifying it took too long. */
bool ht_refactor_verify_lost(const json_t *row);

/* A template waits under another name until it is verified. */
ht_status ht_refactor_template_hold(const char *path, ht_error *error);

/* Verifies every row that carries a proof (member "proof", removed here) and writes the outcome
 * into it: "verified", "verification", and for those that fail the status "withheld", a reason and
 * a "bug_report". Templates are put in their places, or removed. *out_code: the exit code that this
 * asks for. */
ht_status ht_refactor_verify(json_t *rows, const ht_refactor_verifying *how, int *out_code,
                             ht_error *error);

#endif
