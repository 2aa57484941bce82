/* The library's tuner: a template, the options by name, and a session for each problem. */
#include "api/hiptemper.h"

#include "api/tuner_options.h"
#include "base/memory.h"
#include "pipeline/input.h"
#include "runtime/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

struct ht_tuner {
    char *path;
    ht_template *template;
    ht_tuner_options options;
};

struct ht_tuned {
    ht_pair_result result;
    char *config;  /* NULL: none was verified */
    char **names;  /* of the parameters */
    char **values; /* in that configuration; elements owned */
    size_t count;
    bool emulated;
};

const char *ht_tuner_version(void) {
    return HT_VERSION;
}

ht_status ht_tuner_open_kernel(const char *path, const char *kernel, ht_tuner **out_tuner,
                               ht_error *error) {
    *out_tuner = NULL;
    ht_refactor_options compiler;
    ht_compiler_arguments_make(&(ht_compiler_options){0}, &compiler);
    ht_template *templates = NULL;
    size_t count = 0;
    ht_status status = ht_templates_load(path, kernel, &compiler, &templates, &count, error);
    ht_compiler_arguments_free(&compiler);
    if (status != HT_OK)
        return status;
    if (count != 1) {
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, templates[1].line, 0,
                                 "the file has %zu templates: name one, such as '%s'", count,
                                 templates[0].name);
        ht_template_free(templates, count);
        return status;
    }
    *out_tuner = ht_alloc(1, sizeof **out_tuner);
    **out_tuner = (ht_tuner){.path = ht_strdup(path), .template = templates};
    ht_tuner_options_init(&(*out_tuner)->options);
    return HT_OK;
}

ht_status ht_tuner_open(const char *path, ht_tuner **out_tuner, ht_error *error) {
    return ht_tuner_open_kernel(path, NULL, out_tuner, error);
}

void ht_tuner_close(ht_tuner *tuner) {
    if (!tuner)
        return;
    ht_template_free(tuner->template, 1);
    ht_tuner_options_free(&tuner->options);
    free(tuner->path);
    free(tuner);
}

ht_status ht_tuner_set(ht_tuner *tuner, const char *option, const char *value, ht_error *error) {
    return ht_tuner_options_set(&tuner->options, option, value, error);
}

void ht_tuner_stop(void) {
    ht_interrupted = 1;
    ht_stopped = 1;
}

static void config_take(ht_tuned *tuned, const ht_template *template) {
    const ht_config *config = &tuned->result.config;
    if (!tuned->result.has_config || !tuned->result.verified)
        return;
    tuned->config = ht_config_string(template, config);
    tuned->count = template->param_count;
    tuned->names = ht_alloc(tuned->count + 1, sizeof *tuned->names);
    tuned->values = ht_alloc(tuned->count + 1, sizeof *tuned->values);
    for (size_t i = 0; i < tuned->count; ++i) {
        tuned->names[i] = ht_strdup(template->params[i].name);
        tuned->values[i] = ht_strdup(template->params[i].values[config->choice[i]].text);
    }
}

/* Tunes the template for one instance, in a session of its own. */
static ht_status instance_tune(ht_tuner *tuner, const ht_problem *instance, ht_tuned *tuned,
                               ht_error *error) {
    ht_session session;
    ht_status status = ht_sandbox_require(tuner->options.sandbox, error);
    if (status != HT_OK)
        return status;
    ht_sandbox_choose(tuner->options.sandbox);
    status = ht_session_open(&tuner->options.tuning, &session, error);
    const ht_binding binding = {tuner->template, instance, &session.device.fields};
    if (status == HT_OK)
        status = ht_binding_check_default(&binding, error);
    if (status == HT_OK) {
        session.pairs_left = 1;
        session.progress = ht_progress_new(NULL, 1);
        ht_interrupted = 0;
        double limit = tuner->options.tuning.max_time;
        ht_stop_at(limit > 0 ? session.start + limit : 0);
        status = ht_tuning_run(&session, tuner->template, instance, &tuned->result, error);
        ht_stop_at(0);
        tuned->emulated = session.device.emulated;
        ht_progress_free(session.progress);
    }
    ht_session_close(&session);
    return status;
}

ht_status ht_tuner_tune(ht_tuner *tuner, const char *problem, ht_tuned **out_tuned,
                        ht_error *error) {
    *out_tuned = NULL;
    ht_problems problems = {.text = ht_strdup(problem ? problem : "")};
    ht_problem *instances = NULL;
    size_t count = 0;
    ht_status status = ht_instances_find(&problems, tuner->template, &instances, &count, error);
    ht_problems_close(&problems);
    if (status != HT_OK)
        return status;
    ht_tuned *tuned = ht_alloc(1, sizeof *tuned);
    *tuned = (ht_tuned){0};
    status = instance_tune(tuner, &instances[0], tuned, error);
    if (status == HT_OK)
        config_take(tuned, tuner->template);
    ht_instances_free(instances, count);
    if (status == HT_OK)
        *out_tuned = tuned;
    else
        ht_tuned_free(tuned);
    return status;
}

const char *ht_tuned_verdict(const ht_tuned *tuned) {
    return ht_verdict_name(tuned->result.verdict);
}

const char *ht_tuned_reason(const ht_tuned *tuned) {
    return tuned->result.reason ? tuned->result.reason : "";
}

const char *ht_tuned_config(const ht_tuned *tuned) {
    return tuned->config ? tuned->config : "";
}

const char *ht_tuned_value(const ht_tuned *tuned, const char *parameter) {
    for (size_t i = 0; i < tuned->count; ++i)
        if (strcmp(tuned->names[i], parameter) == 0)
            return tuned->values[i];
    return NULL;
}

bool ht_tuned_verified(const ht_tuned *tuned) {
    return tuned->result.verified;
}

uint64_t ht_tuned_evaluations(const ht_tuned *tuned) {
    return tuned->result.search.result.trial_count;
}

bool ht_tuned_emulated(const ht_tuned *tuned) {
    return tuned->emulated;
}

bool ht_tuned_get_times(const ht_tuned *tuned, ht_tuned_times *out_times) {
    const ht_pair_times *times = &tuned->result.times;
    *out_times = (ht_tuned_times){0};
    if (!times->known)
        return false;
    *out_times = (ht_tuned_times){.original_ms = times->original.median_ms,
                                  .tuned_ms = times->tuned.median_ms,
                                  .speedup = times->speedup,
                                  .speedup_lo = times->speedup_lo,
                                  .speedup_hi = times->speedup_hi};
    return true;
}

void ht_tuned_free(ht_tuned *tuned) {
    if (!tuned)
        return;
    ht_pair_result_free(&tuned->result);
    for (size_t i = 0; i < tuned->count; ++i) {
        free(tuned->names[i]);
        free(tuned->values[i]);
    }
    free(tuned->names);
    free(tuned->values);
    free(tuned->config);
    free(tuned);
}
