#include "pipeline/written_limits.h"

#include "base/memory.h"
#include "refactor/rewrite/written_compare.h"
#include "runtime/verify/verify.h"

#include <stdlib.h>

typedef struct limits {
    const ht_written_launch *launch;
    const ht_template *tuned;
    const ht_config *config;
    const ht_device_fields *device;
} limits;

static bool is_unlaunched(void *context, const ht_problem *problem) {
    const limits *in = context;
    return !ht_written_fits(in->launch, problem, in->device);
}

static bool is_past(void *context, const ht_problem *problem) {
    const limits *in = context;
    return ht_written_is_past(in->launch, in->tuned, in->config, problem, in->device);
}

/* Returns the fault at a size, in words; NULL: there is none; free(). */
static char *fault_at(limits *in, const ht_problem *problem) {
    if (!ht_written_original_fits(in->launch, problem, in->device) ||
        ht_written_refuses(in->launch, problem, in->device))
        return NULL;
    bool unlaunched = is_unlaunched(in, problem);
    if (!unlaunched && !is_past(in, problem))
        return NULL;
    char *difference = unlaunched ? ht_written_original_difference(in->launch, problem, in->device)
                                  : ht_written_past_difference(in->launch, in->tuned, in->config,
                                                               problem, in->device);
    if (!difference)
        return NULL;
    char *sizes = ht_problem_string(&in->launch->template->problem, problem);
    char *fault = ht_format(
        "at %s, where a device launches %s, %s", sizes,
        unlaunched ? "the original but not this one" : "no grid of the tuned blocks", difference);
    free(sizes);
    free(difference);
    return fault;
}

/* Returns the fault at the first sizes with a property that the tuned one has not. */
static char *fault_from(limits *in, const ht_problem *instance,
                        bool (*has)(void *context, const ht_problem *problem)) {
    ht_problem *problems = NULL;
    size_t count = 0;
    char *fault = NULL;
    ht_verify_turns_of(in->launch->template, instance, has, in, &problems, &count);
    for (size_t i = 0; i < count; ++i) {
        if (!fault)
            fault = fault_at(in, &problems[i]);
        ht_problem_free(&problems[i]);
    }
    free(problems);
    return fault;
}

char *ht_written_limits_fault(const ht_written_launch *launch, const ht_template *tuned,
                              const ht_written_subject *subject, const ht_device_fields *device) {
    limits in = {launch, tuned, subject->config, device};
    const ht_template *own = launch->template;
    if (!subject->instance || !own->launch_count || !own->reference_launch_count)
        return NULL;
    char *fault = fault_from(&in, subject->instance, is_unlaunched);
    return fault ? fault : fault_from(&in, subject->instance, is_past);
}
