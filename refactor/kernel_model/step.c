#include "refactor/kernel_model/step.h"
#include "refactor/kernel/effort.h"
#include "refactor/kernel/facts.h"

#include <isl/ctx.h>
#include <isl/val.h>

enum { FIRST_GUESS = 512, ROUNDS = 5 };

/* Returns true if isl has made more operations than this. */
static bool were_more(isl_ctx *context, uint64_t than) {
    isl_ctx_set_max_operations(context, than);
    isl_val *value = isl_val_zero(context);
    isl_val_free(value);
    return value == NULL;
}

static uint64_t count(isl_ctx *context, uint64_t most) {
    uint64_t high = FIRST_GUESS, low = 0;
    while (high < most && were_more(context, high)) {
        low = high;
        high *= 2;
    }
    high = high < most ? high : most;
    for (int round = 0; round < ROUNDS && low + 1 < high; ++round) {
        uint64_t middle = low + (high - low) / 2;
        if (were_more(context, middle))
            low = middle;
        else
            high = middle;
    }
    return high;
}

void ht_km_step(ht_kernel_model *km) {
    ht_effort *effort = &km->facts->facts->effort;
    if (km->allowed) {
        bool ended = isl_ctx_last_error(km->context) == isl_error_quota;
        uint64_t made = ended ? km->allowed : count(km->context, km->allowed);
        ht_effort_spend(effort, made, ended);
    }
    uint64_t left = ht_effort_left(effort);
    km->allowed = left ? left : 1; /* 0 would mean no limit */
    isl_ctx_reset_error(km->context);
    isl_ctx_reset_operations(km->context);
    isl_ctx_set_max_operations(km->context, km->allowed);
}
