#include "runtime/job/job_internal.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ht_job_reason(ht_status status, const ht_error *error, ht_text *out) {
    const char *message = error->message;
    /* A mismatch's message begins with its kind. */
    if (status != HT_ERROR_MISMATCH)
        ht_text_printf(out, "%s: ", ht_status_name(status));
    ht_text_append_n(out, message, strcspn(message, "\n"));
}

ht_timing ht_timing_of(const double *samples, size_t count) {
    if (count == 0)
        return (ht_timing){0};
    ht_interval interval = ht_stats_median_interval(samples, count);
    return (ht_timing){interval.median, interval.lo, interval.hi, count};
}

ht_status ht_job_take_timing(ht_job *job, const json_t *reply, ht_evaluation *evaluation,
                             ht_error *error) {
    if (job->options.recording == NULL) {
        evaluation->samples = ht_job_samples(reply, &evaluation->sample_count);
        if (evaluation->samples == NULL)
            return ht_error_set(error, HT_ERROR_CRASH, "the worker sent no times");
        evaluation->cost = ht_timing_of(evaluation->samples, evaluation->sample_count).median_ms;
        evaluation->reduced = json_is_true(json_object_get(reply, "reduced"));
        evaluation->conditions =
            json_dumps(json_object_get(reply, "conditions"), JSON_COMPACT | JSON_REAL_PRECISION(7));
        return HT_OK;
    }
    bool found = false;
    ht_evaluation recorded;
    ht_status status = ht_database_get(job->options.recording, &job->identity.key,
                                       evaluation->config, &found, &recorded, error);
    if (status != HT_OK)
        return status;
    if (!found || recorded.status != HT_OK) {
        ht_evaluation_free(&recorded);
        return ht_error_set(error, HT_ERROR_IO,
                            "the recording of timings has none for '%s' of this job; record one "
                            "with the same template, problem and settings",
                            evaluation->config);
    }
    evaluation->samples = recorded.samples;
    evaluation->sample_count = recorded.sample_count;
    evaluation->cost = recorded.cost;
    evaluation->reduced = recorded.reduced;
    evaluation->conditions = recorded.conditions;
    recorded.samples = NULL;
    recorded.conditions = NULL;
    ht_evaluation_free(&recorded);
    return HT_OK;
}

ht_status ht_job_recorded(ht_job *job, const ht_config *config, double *out, size_t *count,
                          ht_error *error) {
    ht_evaluation evaluation = {.config = config ? ht_config_string(job->binding->template, config)
                                                 : ht_strdup("original")};
    ht_status status = ht_job_take_timing(job, NULL, &evaluation, error);
    if (status == HT_OK && evaluation.sample_count < *count)
        *count = evaluation.sample_count;
    for (size_t i = 0; i < *count && status == HT_OK; ++i)
        out[i] = evaluation.samples[i];
    ht_evaluation_free(&evaluation);
    return status;
}

/* A configuration on its way through the evaluator. */
typedef struct item {
    ht_evaluation evaluation;
    ht_outcome *outcome;
    bool known; /* nothing left to do */
} item;

static void set_failure(item *item, ht_status status, const ht_error *error) {
    ht_text reason = {0};
    ht_job_reason(status, error, &reason);
    item->evaluation.status = status;
    free(item->evaluation.reason);
    item->evaluation.reason = ht_text_take(&reason);
}

static void publish(item *item, bool reused) {
    *item->outcome = (ht_outcome){
        .status = item->evaluation.status, .cost = item->evaluation.cost, .reused = reused};
    if (item->evaluation.reason != NULL)
        ht_text_shorten(item->evaluation.reason, item->outcome->reason,
                        sizeof item->outcome->reason);
    item->known = true;
}

/* Writes the evaluation down and answers. */
static ht_status commit(ht_job *job, item *item, ht_error *error) {
    publish(item, false);
    if (job->options.database == NULL)
        return HT_OK;
    return ht_database_put(job->options.database, &job->identity.key, &item->evaluation, error);
}

/* Takes the answer from the database, or refuses what is not legal. */
static ht_status look_up(ht_job *job, const ht_config *config, item *item, ht_error *error) {
    item->evaluation.config = ht_config_string(job->binding->template, config);
    item->evaluation.resources = ht_resources_unknown();
    bool legal = false;
    char *why = NULL;
    ht_error own = {0};
    ht_status status = ht_binding_legal(job->binding, config, &legal, &why, &own);
    if (status != HT_OK || !legal) {
        if (status == HT_OK)
            ht_error_set(&own, HT_ERROR_INPUT, "not legal: %s", why ? why : "a constraint");
        set_failure(item, HT_ERROR_INPUT, &own);
        publish(item, false); /* costs nothing to find again, so it is not kept */
        free(why);
        return HT_OK;
    }
    free(why);
    if (job->options.database == NULL)
        return HT_OK;
    if (job->options.fresh)
        return ht_database_forgive(job->options.database, &job->identity.key,
                                   item->evaluation.config, error);
    bool found = false;
    ht_evaluation known;
    status = ht_database_get(job->options.database, &job->identity.key, item->evaluation.config,
                             &found, &known, error);
    if (status == HT_OK && found) {
        ht_evaluation_free(&item->evaluation);
        item->evaluation = known;
        publish(item, true);
        ++job->counts.reused;
        /* The tuner was killed between the last death and the verdict. */
        if (known.condemned)
            status = ht_database_put(job->options.database, &job->identity.key, &item->evaluation,
                                     error);
    } else if (status == HT_OK) {
        ht_evaluation_free(&known);
    }
    return status;
}

static ht_status measure(ht_job *job, const ht_config *config, ht_compile_task *task, item *item,
                         ht_error *error) {
    json_t *request = ht_job_run_request("measure", config, task->program, false), *reply = NULL;
    json_object_set_new(request, "time", json_true());
    json_object_set_new(request, "budget", json_real(job->options.sample_budget));
    json_object_set_new(request, "interval", json_real(job->options.relative_interval));
    ht_job_control_offer(job, request);
    ht_error own = {0};
    ht_status status = ht_job_ask_measure(job, request, job->limits.run, &reply, &own);
    if (ht_job_fatal(status)) {
        json_decref(reply);
        if (error != NULL)
            *error = own;
        return status;
    }
    ++job->counts.run;
    if (status == HT_OK) {
        ht_resources loaded = ht_message_get_resources(json_object_get(reply, "resources"));
        ht_resources_merge(&item->evaluation.resources, &loaded);
        status = ht_job_take_timing(job, reply, &item->evaluation, error);
    } else {
        set_failure(item, status, &own);
    }
    job->counts.dropped += status == HT_OK && item->evaluation.reduced;
    if (status == HT_OK)
        ht_job_control_consider(job, config, task, &item->evaluation);
    json_decref(reply);
    if (ht_job_fatal(status))
        return status;
    return commit(job, item, error);
}

/* Finishes the items one by one, all compiled: what failed to compile is written down, the rest is
 * measured. */
static ht_status finish_items(ht_job *job, const ht_config *configs, ht_compile_task *tasks,
                              item *items, size_t count, ht_error *error) {
    for (size_t i = 0; i < count; ++i) {
        if (tasks[i].skip)
            continue;
        ht_status status;
        items[i].evaluation.compile_seconds = tasks[i].seconds;
        items[i].evaluation.resources = tasks[i].resources;
        if (tasks[i].status == HT_OK) {
            const ht_config *config = &configs[i];
            status = ht_job_check_variants(job, &config, 1, HT_CHECK_ALL, &tasks[i].status,
                                           &tasks[i].error, error);
            if (status != HT_OK)
                return status;
        }
        if (tasks[i].status == HT_OK) {
            status = measure(job, &configs[i], &tasks[i], &items[i], error);
        } else if (ht_job_fatal(tasks[i].status)) {
            if (error != NULL)
                *error = tasks[i].error;
            status = tasks[i].status;
        } else {
            set_failure(&items[i], tasks[i].status, &tasks[i].error);
            status = commit(job, &items[i], error);
        }
        if (status != HT_OK)
            return status;
    }
    return HT_OK;
}

ht_status ht_job_gate_take(const ht_job *job, ht_error *error) {
    const ht_job_gate *gate = job->options.gate;
    return gate ? gate->take(gate->context, error) : HT_OK;
}

void ht_job_gate_release(const ht_job *job) {
    if (job->options.gate)
        job->options.gate->release(job->options.gate->context);
}

/* A batch on its way through the evaluator. */
typedef struct batch {
    const ht_config *configs;
    item *items;
    ht_compile_task *tasks;
    size_t count;
} batch;

/* Compiles and measures what is not to be skipped. */
static ht_status pass(ht_job *job, const batch *batch, ht_error *error) {
    ht_status status = ht_job_gate_take(job, error);
    if (status != HT_OK)
        return status;
    status = ht_job_compile(job, batch->tasks, batch->count, error);
    if (status == HT_OK)
        status = finish_items(job, batch->configs, batch->tasks, batch->items, batch->count, error);
    ht_job_gate_release(job);
    return status;
}

/* Claims a part of what is left and looks at it again: it may be there since. */
static ht_status claim(ht_job *job, const batch *batch, size_t *out_mine, ht_error *error) {
    const char **names = ht_alloc(batch->count + 1, sizeof *names);
    size_t *which = ht_alloc(batch->count + 1, sizeof *which), left = 0;
    bool *mine = ht_alloc(batch->count + 1, sizeof *mine);
    for (size_t i = 0; i < batch->count; ++i) {
        batch->tasks[i].skip = true;
        if (batch->items[i].known)
            continue;
        names[left] = batch->items[i].evaluation.config;
        which[left++] = i;
    }
    ht_status status = ht_claims_take(job->claims, names, left, mine, error);
    *out_mine = 0;
    for (size_t i = 0; i < left && status == HT_OK; ++i) {
        item *item = &batch->items[which[i]];
        free(item->evaluation.config);
        status = look_up(job, &batch->configs[which[i]], item, error);
        batch->tasks[which[i]].skip = item->known || !mine[i];
        *out_mine += mine[i] && !item->known;
    }
    free(mine);
    free(which);
    free(names);
    return status;
}

static bool all_known(const batch *batch) {
    for (size_t i = 0; i < batch->count; ++i)
        if (!batch->items[i].known)
            return false;
    return true;
}

/* Evaluates with others: a part is made here, the rest is waited for. */
static ht_status share(ht_job *job, const batch *batch, ht_error *error) {
    enum { STEP_US = 20000 };
    ht_status status = HT_OK;
    while (status == HT_OK && !all_known(batch)) {
        size_t mine;
        status = claim(job, batch, &mine, error);
        if (status == HT_OK && mine > 0)
            status = pass(job, batch, error);
        ht_status left = ht_claims_done(job->claims, mine, status == HT_OK ? error : NULL);
        status = status == HT_OK ? left : status;
        if (mine > 0 || status != HT_OK || all_known(batch))
            continue;
        if (job->options.interrupted && *job->options.interrupted)
            return ht_error_set(error, HT_ERROR_INTERRUPTED, "interrupted");
        usleep(STEP_US);
    }
    return status;
}

ht_status ht_job_evaluate(void *self, const ht_config *configs, size_t count, ht_outcome *outcomes,
                          size_t *out_done, ht_error *error) {
    ht_job *job = self;
    item *items = ht_alloc(count, sizeof *items);
    ht_compile_task *tasks = ht_alloc(count, sizeof *tasks);
    const batch batch = {configs, items, tasks, count};
    ht_status status = HT_OK;
    for (size_t i = 0; i < count; ++i) {
        items[i].outcome = &outcomes[i];
        outcomes[i] = (ht_outcome){.status = HT_ERROR_INTERRUPTED};
    }
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        status = look_up(job, &configs[i], &items[i], error);
        tasks[i].config = &configs[i];
        tasks[i].skip = items[i].known;
    }
    if (status == HT_OK && !all_known(&batch))
        status = job->claims ? share(job, &batch, error) : pass(job, &batch, error);
    *out_done = 0;
    while (*out_done < count && items[*out_done].known)
        ++*out_done;
    for (size_t i = 0; i < count; ++i) {
        ht_evaluation_free(&items[i].evaluation);
        ht_job_forget_program(job, tasks[i].program);
    }
    free(tasks);
    free(items);
    return status;
}
