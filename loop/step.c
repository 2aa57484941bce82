#include "loop/step.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "loop/deliver.h"
#include "loop/neighbours.h"
#include "loop/step_internal.h"
#include "loop/widen.h"
#include "pipeline/elsewhere.h"
#include "pipeline/model_search.h"
#include "pipeline/progress.h"
#include "pipeline/roofline.h"
#include "templates/annotations/contest.h"

#include <stdlib.h>
#include <string.h>

/* Finds what is known of the original without running it: its roofline where the GPU is one of the
 * model's, and its time where the model stands in for the GPU. */
static ht_status original_predict(ht_steps *steps, ht_error *error) {
    const ht_session *session = steps->session;
    const ht_model_devices *model = session->model;
    const ht_device *device = model ? &model->target : &session->device;
    const ht_gpu *gpu = model ? model->gpu : ht_gpu_of_arch(device->arch);
    const ht_entry *entry = steps->sources.original.entry;
    const ht_binding binding = {entry->template, entry->instance, &device->fields};
    if (!gpu || strcmp(device->provider, "amd") != 0)
        return HT_OK;
    ht_status status = ht_roofline_find(gpu, device, &binding, &steps->roofline, error);
    if (status != HT_OK || !model)
        return status;
    ht_model_times times;
    ht_gpu_time time;
    bool known = false;
    char *why = NULL;
    ht_model_times_begin(model, entry->template, entry->instance, steps->session->predicted,
                         &times);
    status = ht_model_times_original(&times, &time, &known, &why, error);
    ht_model_times_end(&times);
    if (known)
        steps->original_ms = 1e3 * time.seconds;
    free(why);
    return status;
}

void ht_steps_phase(const ht_steps *steps, const char *text) {
    if (steps->session->progress)
        ht_progress_long_phase(steps->session->progress, text);
}

void ht_steps_first(const ht_steps *steps, ht_revision *out_revision) {
    *out_revision = (ht_revision){.kept = true,
                                  .verified = true,
                                  .source = ht_strdup(steps->sources.original.text),
                                  .reason = ht_strdup(""),
                                  .verdict = ht_strdup("original"),
                                  .best_ms = steps->original_ms,
                                  .least_bytes = steps->roofline.bytes,
                                  .least_ms = 1e3 * steps->roofline.seconds};
}

ht_status ht_steps_open(const ht_loop_origin *origin, ht_session *session, ht_steps **out_steps,
                        ht_error *error) {
    ht_steps *steps = ht_alloc(1, sizeof *steps);
    *steps = (ht_steps){.origin = origin, .session = session};
    steps->predicted = session->model ? ht_model_memory_new() : NULL;
    session->predicted = steps->predicted;
    ht_steps_phase(steps, "reading and analysing the source");
    ht_status status = ht_generations_open(origin, &steps->sources, error);
    ht_entry *entry = steps->sources.original.entry;
    if (status == HT_OK)
        status = ht_entry_problem_check(entry, session, error);
    if (status == HT_OK && !entry->template)
        status = ht_error_set_at(error, HT_ERROR_INPUT, origin->path, 0, 0, "%s: %s", entry->name,
                                 entry->result.reason);
    if (status == HT_OK)
        status = original_predict(steps, error);
    if (status == HT_OK)
        *out_steps = steps;
    else
        ht_steps_close(steps);
    return status;
}

void ht_steps_close(ht_steps *steps) {
    ht_generations_close(&steps->sources);
    steps->session->predicted = NULL;
    ht_model_memory_free(steps->predicted);
    free(steps);
}

const ht_generation *ht_steps_original(const ht_steps *steps) {
    return &steps->sources.original;
}

/* ---- which template */

ht_status ht_steps_source(ht_steps *steps, const char *text, ht_generation **out_generation,
                          ht_error *error) {
    if (!ht_generations_has(&steps->sources, text))
        ht_steps_phase(steps, "reading and analysing the new source");
    return ht_generations_get(&steps->sources, text, out_generation, error);
}

bool ht_step_is_of_original(const ht_step *step) {
    return step->from == &step->steps->sources.original;
}

/* Returns the analysis of the source that a step searches, as it was read. */
static ht_status searched_get(ht_steps *steps, const char *text, ht_generation **out,
                              ht_error *error) {
    ht_status status = ht_steps_source(steps, text, out, error);
    if (status == HT_OK)
        ht_generation_reset(*out);
    return status;
}

/* Returns the kernel's own template, to be given further values: what is applied is one of it. */
static ht_template *template_of(const ht_generation *from) {
    return from->kernel->template;
}

static const ht_template *original_of(const ht_steps *steps) {
    const ht_kernel *kernel = steps->sources.original.kernel;
    return kernel->against ? kernel->against : kernel->template;
}

/* Gives a template the values that the revision's had. */
static ht_status values_restore(ht_template *template, const ht_revision *like, ht_error *error) {
    ht_template *templates = NULL;
    size_t count = 0;
    if (!like)
        return HT_OK;
    ht_status status =
        ht_template_parse(like->template_text, template->file, &templates, &count, error);
    if (status == HT_OK && (count != 1 || !ht_widen_like(template, templates)))
        status = ht_error_set(error, HT_ERROR_UNSUPPORTED,
                              "revision %lu's source does not give its template any more",
                              (unsigned long)like->number);
    ht_template_free(templates, count);
    return status;
}

/* Makes the template to search: that of the source, against the original. */
static ht_status template_make(ht_step *in, const ht_template *own, ht_error *error) {
    const ht_steps *steps = in->steps;
    if (own != template_of(&steps->sources.original))
        return ht_contest_make(original_of(steps), own, &in->template, error);
    /* as it was read, unless it has further values: what was measured of it counts */
    in->template = ht_template_copy(own);
    ht_template *read = NULL;
    size_t count = 0;
    ht_status status = ht_template_parse(own->unit, own->file, &read, &count, error);
    bool same = status == HT_OK && count == 1 && ht_template_equal(read, own);
    ht_template_free(read, count);
    if (status != HT_OK || same)
        return status;
    ht_template *printed = NULL;
    status = ht_contest_print(own, &printed, error);
    if (status == HT_OK) {
        ht_template_free(in->template, 1);
        in->template = printed;
    }
    return status;
}

/* Finds the revision whose template a search goes on with. */
static const ht_revision *like_find(const ht_step *in) {
    const ht_history *history = in->history;
    const ht_revision *parent = &history->items[in->choice->parent];
    if (parent->template_text)
        return parent;
    for (size_t i = 1; i < history->count; ++i)
        if (history->items[i].template_text)
            return &history->items[i];
    return NULL;
}

static ht_status config_of(const ht_template *template, const ht_revision *revision,
                           ht_config *out_config) {
    return revision->config ? ht_config_parse(template, revision->config, out_config, NULL)
                            : HT_ERROR_INPUT;
}

/* Prepares a search that goes on with a revision's template. */
static ht_status go_on(ht_step *in, const ht_loop_proposal *proposal, ht_error *error) {
    in->like = like_find(in);
    if (!in->like)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED, "there is no template to go on with");
    ht_config config = {0};
    ht_status status = searched_get(in->steps, in->like->base, &in->from, error);
    if (status != HT_OK)
        return status;
    ht_template *own = template_of(in->from);
    status = values_restore(own, in->like, error);
    bool wider = in->choice->action == HT_ACTION_WIDEN;
    bool known = status == HT_OK && config_of(own, in->like, &config) == HT_OK;
    size_t counts[HT_PARAM_MAX] = {0};
    for (size_t i = 0; i < own->param_count; ++i)
        counts[i] = own->params[i].value_count;
    if (known && wider)
        ht_widen_past(own, &config);
    if (status == HT_OK && proposal && proposal->kind == HT_PROPOSAL_PARAMETERS)
        status = ht_widen_lines(own, proposal->text, error);
    in->first[0] = config;
    if (known && status == HT_OK && (wider || proposal))
        in->first_count =
            1 + ht_widen_steps(own, &config, counts, in->first + 1, HT_STEP_FIRST - 1);
    else if (known && status == HT_OK && in->choice->action == HT_ACTION_REFINE)
        in->first_count = 1 + ht_neighbours_list(own, &config, in->first + 1, HT_STEP_FIRST - 1);
    in->any = in->like->any || in->choice->action == HT_ACTION_FREER;
    return status == HT_OK ? template_make(in, own, error) : status;
}

/* Prepares the search of a source's template. */
static ht_status begin(ht_step *in, const char *text, ht_error *error) {
    ht_status status = searched_get(in->steps, text, &in->from, error);
    in->any = in->history->items[in->choice->parent].any;
    return status == HT_OK ? template_make(in, template_of(in->from), error) : status;
}

/* Prepares the search of a template that somebody proposed. */
static ht_status begin_template(ht_step *in, const char *text, ht_error *error) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_status status = ht_template_parse(text, in->steps->origin->path, &templates, &count, error);
    if (status == HT_OK && count != 1)
        status = ht_error_set(error, HT_ERROR_INPUT, "it annotates %zu kernels, not one", count);
    in->any = true;
    if (status == HT_OK)
        status = ht_contest_make(original_of(in->steps), templates, &in->template, error);
    ht_template_free(templates, count);
    return status;
}

static ht_status prepare(ht_step *in, const ht_loop_proposal *proposal, ht_error *error) {
    const ht_revision *parent = &in->history->items[in->choice->parent];
    switch (in->choice->action) {
    case HT_ACTION_TUNE:
        return begin(in, NULL, error);
    case HT_ACTION_AGAIN:
        return begin(in, parent->source, error);
    case HT_ACTION_SOURCE:
        return begin(in, proposal->text, error);
    case HT_ACTION_TEMPLATE:
        return begin_template(in, proposal->text, error);
    default:
        return go_on(in, proposal, error);
    }
}

/* ---- the search and what comes of it */

static bool is_best_here(const ht_step *in) {
    const ht_revision *like = in->like;
    return like && in->best->template_text && in->best->number > 0 &&
           strcmp(in->best->base ? in->best->base : "", like->base ? like->base : "") == 0;
}

/* Of type ht_session.defended: the best so far takes part in the finals. */
static bool best_defended(void *context, const ht_binding *binding,
                          const struct ht_pair_result *result, ht_config *out_config) {
    const ht_step *in = context;
    (void)binding, (void)result;
    if (in->has_incumbent)
        *out_config = in->incumbent;
    return in->has_incumbent;
}

/* Of type ht_session.obstacle. */
static char *source_obstacle(void *context, const ht_config *config) {
    const ht_step *in = context;
    return in->from ? ht_deliver_obstacle(in->from, config) : NULL;
}

static ht_status search(ht_step *in, ht_error *error) {
    ht_session *session = in->steps->session;
    const ht_tuning_options kept = session->options;
    const ht_problem *problem = in->steps->sources.original.entry->instance;
    if (in->from)
        problem = in->from->entry->instance;
    in->has_incumbent =
        is_best_here(in) && config_of(in->template, in->best, &in->incumbent) == HT_OK;
    if (in->like)
        ht_known_list(in->history, in->like, in->template, in->template->unit, in->any, &in->known);
    /* a longer search counts those that were tried of its template */
    uint64_t counted = in->choice->action == HT_ACTION_LONGER ? in->known.same : 0;
    session->options.max_evals =
        in->choice->evaluations > counted ? in->choice->evaluations - counted : 1;
    session->known = in->known.trials;
    session->known_count = in->known.count;
    session->options.plain = !in->any;
    session->alone = true;
    session->defended = best_defended;
    session->obstacle = source_obstacle;
    session->decided_context = in;
    session->first = in->first;
    session->first_count = in->first_count;
    session->pairs_left = 1;
    session->prepare_begun = ht_clock_seconds();
    ht_pair_result_free(in->result);
    ht_status status = session->model
                           ? ht_model_search_run(session, in->template, problem, in->result, error)
                           : ht_tuning_run(session, in->template, problem, in->result, error);
    session->options = kept;
    session->defended = NULL;
    session->obstacle = NULL;
    session->decided_context = NULL;
    session->first_count = session->known_count = 0;
    /* A full disk says nothing of the kernel; that a recording lacks timings is no fault of it. */
    if (status == HT_OK && in->result->io_failed && !session->recording)
        status = ht_error_set(error, HT_ERROR_IO, "%s", in->result->reason);
    else if (status == HT_OK && ht_stopped && in->result->verdict == HT_VERDICT_NOT_RUN)
        status = ht_error_set(error, HT_ERROR_INTERRUPTED, "%s", in->result->reason);
    return status;
}

/* A step that comes to nothing has not failed. */
static ht_status settle(const ht_step *in, ht_status status, const ht_error *own, ht_error *error) {
    if (status == HT_ERROR_UNSUPPORTED || status == HT_ERROR_INPUT || status == HT_ERROR_COMPILE) {
        free(in->out->verdict);
        in->out->verdict = ht_strdup("refused");
        ht_step_finding_set(in->out, ht_strdup(own->message));
        return HT_OK;
    }
    if (status != HT_OK && error)
        *error = *own;
    return status;
}

ht_status ht_steps_perform(void *context, const ht_history *history, const ht_choice *choice,
                           const ht_loop_proposal *proposal, ht_revision *out_revision,
                           ht_error *error) {
    ht_steps *steps = context;
    ht_step in = {.steps = steps,
                  .history = history,
                  .choice = choice,
                  .best = ht_history_best(history),
                  .out = out_revision};
    double begun = ht_clock_seconds();
    ht_error own = {0};
    *out_revision = (ht_revision){0};
    if (ht_stopped)
        return ht_error_set(error, HT_ERROR_INTERRUPTED, "the step was not begun");
    steps->session->step = history->count;
    ht_status status = prepare(&in, proposal, &own);
    in.result = in.from ? &in.from->entry->result : &in.own;
    if (status == HT_OK) {
        out_revision->template_text = ht_strdup(in.template->unit);
        out_revision->any = in.any;
        if (in.from && !ht_step_is_of_original(&in))
            out_revision->base = ht_strdup(in.from->text);
        status = search(&in, &own);
    }
    if (status == HT_OK)
        status = ht_step_conclude(&in, &own);
    steps->session->step = 0;
    status = settle(&in, status, &own, error);
    out_revision->least_bytes = steps->roofline.bytes;
    out_revision->least_ms = 1e3 * steps->roofline.seconds;
    out_revision->seconds = ht_clock_seconds() - begun;
    ht_pair_result_free(&in.own);
    ht_known_free(&in.known);
    if (in.from)
        ht_pair_result_free(&in.from->entry->result);
    if (in.template)
        ht_template_free(in.template, 1);
    return status;
}

void ht_steps_view(void *context, ht_loop_view *out_view) {
    const ht_steps *steps = context;
    const ht_generation *original = &steps->sources.original;
    const ht_session *session = steps->session;
    out_view->path = steps->origin->path;
    out_view->kernel = original->entry->name;
    out_view->source = original->text;
    out_view->problem = original->entry->fields;
    out_view->device = session->model ? session->model->target.name : session->device.name;
    double limit = session->options.max_time;
    double left = limit > 0 ? session->start + limit - ht_clock_seconds() : 0;
    out_view->seconds_left = limit > 0 && left < 1e-3 ? 1e-3 : left;
}
