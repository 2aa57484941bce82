#include "pipeline/model_tuning.h"

#include "base/memory.h"
#include "pipeline/first_moves.h"
#include "pipeline/style.h"
#include "pipeline/template_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERIFIED_MOST = 8 }; /* configurations that are run before it is given up */

/* One kernel and problem under way. */
typedef struct attempt {
    const ht_model_devices *devices;
    const ht_tuning_options *options;
    ht_binding target, host;
    ht_config *configs;         /* owned */
    ht_inspection *inspections; /* owned */
    ht_gpu_time *times;         /* owned */
    size_t *order;              /* owned */
    size_t count, compiled;     /* of these the first ones */
    ht_template *plain;         /* owned; NULL: all configurations may be chosen */
    ht_space *space;            /* owned */
    ht_model_result *result;
} attempt;

ht_status ht_model_devices_find(const char *name, ht_model_devices *out_devices, ht_error *error) {
    ht_status status = ht_model_device_find(name, &out_devices->gpu, &out_devices->target, error);
    return status ? status : ht_device_find("host", &out_devices->host, error);
}

static void add_config(attempt *self, const ht_config *config) {
    HT_GROW(self->configs, self->count);
    self->configs[self->count++] = *config;
}

static ht_status space_make(attempt *self, ht_error *error) {
    ht_binding bound = self->target;
    self->plain = self->options->plain ? ht_style_plain(bound.template) : NULL;
    if (self->plain)
        bound.template = self->plain;
    ht_status status = ht_space_build(&bound, 0, &self->space, error);
    if (status != HT_OK)
        return status;
    uint64_t count = ht_space_count(self->space);
    self->result->legal = count == UINT64_MAX ? 0 : count;
    return HT_OK;
}

ht_status ht_model_original(const ht_model_devices *devices, const ht_binding *target,
                            ht_gpu_time *out_time, bool *out_known, char **out_why,
                            ht_error *error) {
    ht_config config = ht_config_default(target->template);
    ht_error why = {0};
    *out_why = NULL;
    for (size_t i = 0; i < 2; ++i) {
        ht_inspect_options options = {
            .original = i == 0, .count = true, .blocks_max = HT_MODEL_BLOCKS};
        ht_inspection found = {0};
        size_t launches;
        ht_inspect_launches(target->template, options.original, &launches);
        ht_status status =
            ht_inspect(&devices->target, target, &config, 1, &options, &ht_stopped, &found, error);
        if (status != HT_OK)
            return status;
        status = ht_inspection_predict(devices->gpu, &found, launches, out_time, &why);
        ht_inspection_free(&found);
        *out_known = status == HT_OK && i == 0;
        if (status == HT_OK)
            return HT_OK;
    }
    out_time->seconds = (double)NAN;
    *out_why = ht_format("the original's time cannot be predicted: %s", why.message);
    return HT_OK;
}

/* Compiles and predicts the configurations that were added since. */
static ht_status predict_added(attempt *self, ht_error *error) {
    size_t launches, first = self->compiled;
    const ht_inspect_options options = {.count = true, .blocks_max = HT_MODEL_BLOCKS};
    self->inspections = ht_realloc(self->inspections, self->count, sizeof *self->inspections);
    self->times = ht_realloc(self->times, self->count, sizeof *self->times);
    memset(self->inspections + first, 0, (self->count - first) * sizeof *self->inspections);
    self->compiled = self->count;
    ht_status status = ht_inspect(&self->devices->target, &self->target, self->configs + first,
                                  self->count - first, &options, &ht_interrupted,
                                  self->inspections + first, error);
    ht_inspect_launches(self->target.template, false, &launches);
    for (size_t i = first; i < self->count && status == HT_OK; ++i)
        if (ht_inspection_predict(self->devices->gpu, &self->inspections[i], launches,
                                  &self->times[i], NULL) != HT_OK)
            self->times[i].seconds = INFINITY;
    return status;
}

/* Asks a strategy, to which predicted times are outcomes. */
static ht_status predict_asking(attempt *self, ht_strategy *strategy, ht_error *error) {
    enum { BATCH = 16 };
    ht_status status = HT_OK;
    while (status == HT_OK && self->count < self->options->max_evals) {
        ht_config asked[BATCH];
        uint64_t left = self->options->max_evals - self->count;
        size_t first = self->count;
        size_t count = ht_strategy_ask(strategy, left < BATCH ? (size_t)left : BATCH, asked);
        if (count == 0)
            break;
        for (size_t i = 0; i < count; ++i)
            add_config(self, &asked[i]);
        status = predict_added(self, error);
        for (size_t i = 0; i < count && status == HT_OK; ++i) {
            double seconds = self->times[first + i].seconds;
            const ht_outcome outcome = {.status = seconds < INFINITY ? HT_OK : HT_ERROR_UNSUPPORTED,
                                        .cost = 1e3 * seconds};
            ht_strategy_tell(strategy, &asked[i], &outcome);
        }
    }
    return status;
}

/* Searches a space that is too large for all of it to be compiled. */
static ht_status predict_searching(attempt *self, ht_error *error) {
    const ht_tuning_options *options = self->options;
    double wavefront = (double)self->devices->target.fields.wavefront;
    ht_move moves[HT_FIRST_MOVES_MOST];
    ht_template_facts *facts =
        options->no_facts ? NULL : ht_template_facts_new(&self->target, wavefront);
    ht_prior prior;
    if (facts)
        prior = ht_template_facts_prior(facts);
    const ht_config standard = ht_config_default(self->target.template);
    const ht_strategy_options given = {.seed = options->seed,
                                       .seeds = &standard,
                                       .seed_count = ht_space_legal(self->space, &standard),
                                       .moves = moves,
                                       .move_count =
                                           ht_first_moves_find(self->space, options->seed, moves),
                                       .prior = facts ? &prior : NULL};
    ht_strategy *strategy = NULL;
    ht_status status = ht_strategy_create("auto", self->space, &given, &strategy, error);
    if (status == HT_OK)
        status = predict_asking(self, strategy, error);
    ht_strategy_free(strategy);
    ht_template_facts_free(facts);
    return status;
}

static ht_status predict_all(attempt *self, ht_error *error) {
    uint64_t want = self->options->max_evals, count = ht_space_count(self->space);
    bool all = ht_space_listed(self->space) && (want == 0 || count <= want);
    if (!all && want == 0)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "the space is too large to be listed: give --max-evals");
    for (uint64_t i = 0; all && i < count; ++i) {
        ht_config config = ht_space_at(self->space, i);
        add_config(self, &config);
    }
    ht_status status = !all          ? predict_searching(self, error)
                       : self->count ? predict_added(self, error)
                                     : HT_OK;
    size_t launches;
    self->order = ht_alloc(self->count + 1, sizeof *self->order);
    ht_inspect_launches(self->target.template, false, &launches);
    self->result->tried = self->count;
    if (status == HT_OK)
        self->result->predicted = ht_inspections_rank(
            self->devices->gpu, self->inspections, self->count, launches, self->times, self->order);
    return status;
}

static void refuse(ht_model_result *result, const char *why) {
    result->refused++;
    if (!result->first_why)
        result->first_why = ht_strdup(why);
}

/* Verifies one configuration: it must be legal for the host too, agree with the original, and pass
 * the check of its accesses. */
static ht_status verify(attempt *self, ht_job *job, size_t index, ht_error *error) {
    ht_model_result *result = self->result;
    const ht_config *config = &self->configs[index];
    ht_evaluator *evaluator = ht_job_evaluator(job);
    ht_outcome outcome = {0};
    size_t done = 0;
    bool legal = false;
    char *why = NULL;
    ht_status status = ht_binding_legal(&self->host, config, &legal, &why, error);
    if (status == HT_OK && !legal)
        refuse(result, why);
    else if (status == HT_OK)
        status = evaluator->evaluate(evaluator->self, config, 1, &outcome, &done, error);
    free(why);
    if (status != HT_OK || !legal)
        return status;
    if (outcome.status != HT_OK) {
        refuse(result, outcome.reason);
        return HT_OK;
    }
    result->choices[result->count++] =
        (ht_model_choice){.config = *config,
                          .time = self->times[index],
                          .speedup = result->original.seconds / self->times[index].seconds};
    return HT_OK;
}

static ht_status verify_first(attempt *self, ht_error *error) {
    ht_model_result *result = self->result;
    const ht_job_options options = {
        .seed = self->options->seed,
        .compile_workers = (unsigned)self->options->compile_workers,
        .check = strcmp(self->options->check, "none") == 0 ? HT_CHECK_NEVER : HT_CHECK_ALL,
        .interrupted = &ht_stopped,
    };
    ht_job *job = NULL;
    ht_status status = ht_job_start(&self->host, &self->devices->host, &options, &job, error);
    ht_config standard = ht_config_default(self->target.template);
    size_t tried = 0;
    for (size_t i = 0; i < self->count && status == HT_OK; ++i) {
        size_t index = self->order[i];
        if (result->count == HT_MODEL_CHOICES || tried == VERIFIED_MOST ||
            !(self->times[index].seconds < result->original.seconds))
            break;
        if (!result->original_known && ht_config_equal(&self->configs[index], &standard))
            continue;
        tried++;
        status = verify(self, job, index, error);
    }
    ht_job_free(job);
    return status;
}

/* Says why nothing was chosen. */
static void conclude(ht_model_result *result) {
    if (result->count || result->reason)
        return;
    if (result->predicted == 0)
        result->reason = ht_strdup("no configuration's time can be predicted: 'hiptemper inspect "
                                   "--rank' lists why");
    else if (result->refused)
        result->reason = ht_format("none of the %zu fastest was verified: %s", result->refused,
                                   result->first_why);
    else
        result->reason = ht_strdup("none is predicted to be faster than the original");
}

ht_status ht_model_tune(const ht_model_devices *devices, const ht_tuning_options *options,
                        const ht_template *template, const ht_problem *problem,
                        ht_model_result *out_result, ht_error *error) {
    attempt self = {.devices = devices,
                    .options = options,
                    .target = {template, problem, &devices->target.fields},
                    .host = {template, problem, &devices->host.fields},
                    .result = out_result};
    *out_result = (ht_model_result){0};
    ht_status status = space_make(&self, error);
    if (status == HT_OK)
        status = ht_model_original(devices, &self.target, &out_result->original,
                                   &out_result->original_known, &out_result->reason, error);
    if (status == HT_OK && !out_result->reason)
        status = predict_all(&self, error);
    if (status == HT_OK && !out_result->reason && out_result->predicted)
        status = verify_first(&self, error);
    for (size_t i = 0; i < self.compiled; ++i)
        ht_inspection_free(&self.inspections[i]);
    free(self.inspections);
    free(self.times);
    free(self.order);
    free(self.configs);
    ht_space_free(self.space);
    ht_template_free(self.plain, self.plain ? 1 : 0);
    if (status == HT_OK)
        conclude(out_result);
    return status;
}

void ht_model_result_free(ht_model_result *result) {
    free(result->first_why);
    free(result->reason);
    *result = (ht_model_result){0};
}
