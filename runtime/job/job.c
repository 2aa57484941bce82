#include "runtime/job/job_internal.h"
#include "runtime/job/job_memory.h"

#include "base/clock.h"
#include "base/code_tokens.h"
#include "base/machine_memory.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/buffers/input_files.h"
#include "runtime/job/check.h"
#include "runtime/protocol/spec.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static unsigned core_count(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (unsigned)count : 1;
}

static void fill_options(ht_job *job, const ht_job_options *options) {
    enum { COMPILERS_MAX = 64 };
    job->options = *options;
    if (job->options.compile_workers == 0)
        job->options.compile_workers = core_count();
    if (job->options.compile_workers > COMPILERS_MAX)
        job->options.compile_workers = COMPILERS_MAX;
    const ht_provider *provider = ht_provider_find(job->device->provider);
    if (job->options.program_size == 0)
        job->options.program_size =
            provider && provider->program_size > 1 ? provider->program_size : 1;
    if (!(job->options.sample_budget > 0))
        job->options.sample_budget = 0.25;
    if (!(job->options.relative_interval > 0))
        job->options.relative_interval = 0.02;
}

/* Returns everything that changes a result without being in the kernel, problem, device or
 * compiler. */
static char *method_text(const ht_job *job) {
    ht_text text = {0};
    ht_text_printf(&text, "hiptemper " HT_METHOD_VERSION "; interval %g; budget %g s",
                   job->options.relative_interval, job->options.sample_budget);
    if (job->device->emulated)
        ht_text_printf(&text, "; %u cores", core_count());
    if (job->options.cold_cache)
        ht_text_printf(&text, "; cold cache");
    if (job->options.unpaired)
        ht_text_printf(&text, "; unpaired");
    if (job->options.time_limit > 0)
        ht_text_printf(&text, "; limit %g s", job->options.time_limit);
    if (job->options.compile_limit > 0)
        ht_text_printf(&text, "; compile limit %g s", job->options.compile_limit);
    if (job->options.memory_limit > 0)
        ht_text_printf(&text, "; memory limit %llu", (unsigned long long)job->options.memory_limit);
    return ht_text_take(&text);
}

/* Returns what the provider adds to every compile and run. */
static char *settings_text(const ht_job *job) {
    enum { OPTIONS_MAX = 8 };
    const ht_provider *provider = ht_provider_find(job->device->provider);
    ht_text text = {0};
    ht_text_append(&text, "options");
    const char *options[OPTIONS_MAX];
    size_t count = provider != NULL && provider->compile_options != NULL
                       ? provider->compile_options(job->device, options)
                       : 0;
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&text, " %s", options[i]);
    char *own =
        provider != NULL && provider->settings != NULL ? provider->settings(job->device) : NULL;
    if (own != NULL)
        ht_text_printf(&text, "; %s", own);
    free(own);
    return ht_text_take(&text);
}

/* Names the compiler: "clang 19.1.7 (5d41...)". The hash is for the database alone, and costs
 * some. */
static ht_status name_compiler(ht_job *job, ht_error *error) {
    const ht_provider *provider = ht_provider_find(job->device->provider);
    bool wanted = job->options.database != NULL || job->options.recording != NULL;
    char hash[HT_HASH_SIZE];
    if (!wanted || provider == NULL || provider->compiler_hash == NULL) {
        job->identity.compiler = ht_strdup(job->device->compiler);
        return HT_OK;
    }
    ht_status status = provider->compiler_hash(hash, error);
    if (status == HT_OK)
        job->identity.compiler = ht_format("%s (%s)", job->device->compiler, hash);
    return status;
}

static void identity_free(ht_job_identity *identity) {
    free(identity->problem);
    free(identity->device);
    free(identity->compiler);
    free(identity->method);
    free(identity->settings);
}

static ht_status make_key(ht_job *job, ht_error *error) {
    ht_status status = name_compiler(job, error);
    if (status != HT_OK)
        return status;
    const ht_template *template = job->binding->template;
    ht_text annotations = {0}, unit = {0};
    ht_template_print(template, &annotations);
    ht_input_files_key(template, &annotations);
    ht_code_tokens(template->unit, &unit); /* places and comments change no result */
    ht_hash_strings(job->identity.template_hash, unit.data,
                    annotations.data ? annotations.data : "", NULL);
    ht_hash_strings(job->identity.source_hash, unit.data, NULL);
    ht_text_free(&unit);
    ht_text_free(&annotations);
    job->identity.problem = job->binding->problem
                                ? ht_problem_string(&template->problem, job->binding->problem)
                                : ht_strdup("");
    job->identity.device = ht_format("%s: %s", job->device->name, job->device->description);
    job->identity.method = method_text(job);
    job->identity.settings = settings_text(job);
    job->identity.key = (ht_database_key){
        .source_hash =
            job->options.source_hash ? job->options.source_hash : job->identity.source_hash,
        .template_name = template->name,
        .template_hash = job->identity.template_hash,
        .problem = job->identity.problem,
        .device = job->identity.device,
        .compiler = job->identity.compiler,
        .method = job->identity.method,
        .settings = job->identity.settings,
        .checking = job->options.check == HT_CHECK_ALL && ht_check_possible(job->device)
                        ? "outputs, guards and accesses"
                        : "outputs and guards",
    };
    return HT_OK;
}

ht_status ht_job_identify(const ht_binding *binding, const ht_device *device,
                          const ht_job_options *options,
                          void (*part)(void *context, const char *name, const char *text),
                          void *context, ht_error *error) {
    ht_job job = {.binding = binding, .device = device};
    fill_options(&job, options);
    ht_status status = make_key(&job, error);
    const ht_database_key *key = &job.identity.key;
    const struct {
        const char *name, *text;
    } parts[] = {{"kernel", key->template_name}, {"code", key->template_hash},
                 {"problem", key->problem},      {"device", key->device},
                 {"compiler", key->compiler},    {"method", key->method},
                 {"settings", key->settings},    {"checking", key->checking}};
    for (size_t i = 0; status == HT_OK && i < sizeof parts / sizeof *parts; ++i)
        part(context, parts[i].name, parts[i].text);
    identity_free(&job.identity);
    return status;
}

/* Returns a size that is enough for every compile worker to have a second program while the first
 * is measured, or for a program as large as pays off; no more, because a search learns only between
 * batches. */
static size_t batch_size(const ht_job *job) {
    size_t two_each = 2 * (size_t)job->options.compile_workers;
    return two_each > job->options.program_size ? two_each : job->options.program_size;
}

static void make_processes(ht_job *job) {
    job->workers.compiler_count = job->options.compile_workers;
    job->workers.compilers = ht_alloc(job->workers.compiler_count, sizeof *job->workers.compilers);
    for (size_t i = 0; i < job->workers.compiler_count; ++i) {
        char name[40];
        snprintf(name, sizeof name, "compile-%zu.log", i);
        ht_process_init(&job->workers.compilers[i], job->folder.path, name);
    }
    ht_process_init(&job->workers.runner, job->folder.path, "run.log");
    ht_process_init(&job->workers.checker, job->folder.path, "check.log");
}

/* Finds out whether the template has something to check, of types that can be made, and whether
 * float64 twins serve its reference. */
static ht_status look_at_arguments(ht_job *job, ht_error *error) {
    const ht_template *template = job->binding->template;
    ht_layout layout;
    ht_status status =
        ht_layout_make(job->binding, &job->default_config, HT_NUMBERS_PLAIN, &layout, error);
    if (status != HT_OK)
        return status;
    bool any = false, floating = false;
    for (size_t i = 0; i < layout.count; ++i) {
        bool output = ht_arg_is_output(layout.args[i].arg);
        any = any || output;
        floating = floating || (output && ht_element_floating(layout.args[i].element));
    }
    ht_layout_free(&layout);
    if (!any)
        return ht_error_set_at(error, HT_ERROR_INPUT, template->file, template->line, 0,
                               "template '%s' has no out or inout argument, so there is nothing to "
                               "check; annotate what the kernel writes",
                               template->name);
    /* One run of a twin costs less than a search, wherever the compiler takes it. */
    if (floating && !template->exact && template->reference_kind != HT_REFERENCE_BUILTIN &&
        ht_provider_find(job->device->provider)->float64_twins)
        job->reference.numbers = HT_NUMBERS_TRACKED;
    return HT_OK;
}

ht_status ht_job_inputs_write(ht_job *job, const uint64_t *seed, ht_error *error) {
    ht_layout layout = {0};
    ht_status status =
        ht_layout_make(job->binding, &job->default_config, HT_NUMBERS_PLAIN, &layout, error);
    if (status == HT_OK)
        status = ht_input_files_copy(&layout, job->folder.path, seed, error);
    ht_layout_free(&layout);
    return status;
}

/* Compiles the original, and at once the twin that its reference will probably come from. */
static ht_status compile_original(ht_job *job, ht_error *error) {
    bool other = job->baseline.set != job->reference.set && !job->options.only_check &&
                 !job->options.unbound;
    ht_compile_task tasks[3] = {
        {.config = &job->default_config, .set = job->reference.set},
        {.config = &job->default_config,
         .set = job->reference.set,
         .numbers = job->reference.numbers,
         .skip = job->reference.numbers == HT_NUMBERS_PLAIN},
        {.config = &job->default_config, .set = job->baseline.set, .skip = !other},
    };
    ht_status status = ht_job_compile(job, tasks, 3, error);
    job->reference.program = tasks[0].program;
    job->reference.twin = tasks[1].program;
    job->baseline.program = other ? tasks[2].program : json_incref(job->reference.program);
    ht_job_limits_set(&job->limits, job->options.compile_limit, tasks[0].seconds);
    if (status == HT_OK && ht_job_fatal(tasks[1].status)) { /* without a twin it would go on */
        status = tasks[1].status;
        if (error != NULL)
            *error = tasks[1].error;
    } else if (status == HT_OK && tasks[0].status != HT_OK) {
        status = tasks[0].status;
        if (error != NULL)
            *error = tasks[0].error;
        if (!ht_job_fatal(status)) /* which says nothing about it */
            ht_error_prefix(error, "the original does not compile: ");
    } else if (status == HT_OK && other && tasks[2].status != HT_OK) {
        status = tasks[2].status;
        if (error != NULL)
            *error = tasks[2].error;
        if (!ht_job_fatal(status))
            ht_error_prefix(error, "the baseline does not compile: ");
    }
    return status;
}

/* Names the two that disagree in front of the message. */
static void disagreement_prefix(const ht_job *job, ht_error *error) {
    const ht_template *template = job->binding->template;
    if (job->baseline.set == job->reference.set) {
        ht_error_prefix(error, "the original does not agree with its own reference: ");
        return;
    }
    char *base = ht_template_set_words(template, job->baseline.set);
    char *wanted = ht_template_set_words(template, job->reference.set);
    ht_error_prefix(error, "the baseline (%s) does not agree with the reference (%s): ", base,
                    wanted);
    free(base);
    free(wanted);
}

static ht_status measure_baseline(ht_job *job, ht_error *error) {
    json_t *reply = NULL;
    json_t *request = ht_job_run_request("measure", &job->default_config, job->baseline.program,
                                         job->baseline.set);
    json_object_set_new(request, "time", json_true());
    json_object_set_new(request, "budget", json_real(job->options.sample_budget));
    json_object_set_new(request, "interval", json_real(job->options.relative_interval));
    double seconds =
        job->options.time_limit > 0 ? 10 * job->options.time_limit : (double)HT_REFERENCE_SECONDS;
    double begun = ht_clock_seconds();
    ht_status status = ht_job_ask_steady(job, request, seconds, &reply, error);
    double took = ht_clock_seconds() - begun;
    if (status == HT_ERROR_MISMATCH)
        disagreement_prefix(job, error);
    else if (status != HT_OK && status != HT_ERROR_INTERRUPTED)
        ht_error_prefix(error, "timing the original: %s: ", ht_status_name(status));
    ht_evaluation evaluation = {.config = ht_strdup("original"),
                                .resources = ht_resources_unknown()};
    if (status == HT_OK)
        status = ht_job_take_timing(job, reply, &evaluation, error);
    job->baseline.timing = ht_timing_of(evaluation.samples, evaluation.sample_count);
    /* The limit is ten times the original's time, in all that a measurement does; seven runs is the
     * least of it. Two attempts share the limit (job_deaths.c). */
    job->limits.run = job->options.time_limit > 0
                          ? job->options.time_limit
                          : fmax(5, 10 * fmax(took, 14 * job->baseline.timing.median_ms / 1000 +
                                                        job->options.sample_budget));
    bool known = false;
    if (status == HT_OK)
        status = ht_job_control_begin(job, &known, error);
    if (status == HT_OK && !known && job->options.database != NULL)
        status = ht_database_put(job->options.database, &job->identity.key, &evaluation, error);
    job->baseline.conditions = evaluation.conditions;
    evaluation.conditions = NULL;
    ht_evaluation_free(&evaluation);
    json_decref(reply);
    return status;
}

/* A kernel that an annotation names as the reference is not what its author calls the original. */
static void running_prefix(const ht_job *job, ht_status status, ht_error *error) {
    char *words = ht_template_set_words(job->binding->template, job->reference.set);
    bool original = job->reference.set == HT_LAUNCHES_OWN || ht_text_begins(words, "the original ");
    ht_error_prefix(error, "running %s%s: %s: ", original ? "the original" : "the reference ",
                    original ? "" : words, ht_status_name(status));
    free(words);
}

static ht_status start(ht_job *job, ht_error *error) {
    ht_status status = look_at_arguments(job, error);
    if (status == HT_OK)
        status = ht_scratch_make("job", &job->folder.scratch, error);
    if (status != HT_OK)
        return status;
    job->folder.path = job->folder.scratch.path;
    make_processes(job);
    status = ht_spec_write(job->folder.path, job->binding, job->device, error);
    if (status == HT_OK && !job->options.unbound)
        status = ht_job_inputs_write(job, NULL, error);
    bool needless =
        job->options.only_check && job->binding->template->reference_kind == HT_REFERENCE_BUILTIN;
    if (status == HT_OK)
        status = ht_job_gate_take(job, error);
    if (status != HT_OK)
        return status;
    if (!needless)
        status = compile_original(job, error);
    if (status == HT_OK && !job->options.unbound) {
        status = ht_job_make_reference(job, job->options.seed, error);
        if (status == HT_ERROR_CRASH || status == HT_ERROR_TIMEOUT || status == HT_ERROR_LAUNCH ||
            status == HT_ERROR_MISMATCH)
            running_prefix(job, status, error);
    }
    if (status == HT_OK)
        status =
            job->options.only_check || job->options.unbound ? HT_OK : measure_baseline(job, error);
    ht_job_gate_release(job);
    return status;
}

ht_status ht_job_start(const ht_binding *binding, const ht_device *device,
                       const ht_job_options *options, ht_job **out_job, ht_error *error) {
    *out_job = NULL;
    if (!device->can_run)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "device %s (%s) cannot run kernels; tune for a device that can, or use "
                            "`hiptemper inspect`",
                            device->name, device->description);
    ht_job *job = ht_alloc(1, sizeof *job);
    job->binding = binding;
    job->device = device;
    job->workers.runner.fd = -1;
    job->workers.checker.fd = -1;
    job->default_config = ht_config_default(binding->template);
    job->reference.set = ht_template_reference_set(binding->template);
    job->baseline.set = ht_template_baseline_set(binding->template);
    fill_options(job, options);
    job->limits.compile = options->compile_limit > 0 ? options->compile_limit : HT_COMPILE_SECONDS;
    job->evaluator =
        (ht_evaluator){.self = job, .evaluate = ht_job_evaluate, .batch = batch_size(job)};
    ht_status status = ht_job_memory_check(binding, device, ht_machine_memory_usable(), error);
    if (status == HT_OK)
        status = make_key(job, error);
    if (status == HT_OK && options->share && options->database && !options->fresh)
        status = ht_claims_open(options->database, &job->identity.key, &job->claims, error);
    if (status == HT_OK)
        status = start(job, error);
    if (status != HT_OK) {
        ht_job_free(job);
        return status;
    }
    *out_job = job;
    return HT_OK;
}

/* Ends a process; after Ctrl-C nobody waits for a worker that may be stopped. */
static void end_process(const ht_job *job, ht_process *process) {
    const volatile int *interrupted = job->options.interrupted;
    if (interrupted == NULL || *interrupted == 0)
        ht_process_stop(process);
    ht_process_free(process);
}

void ht_job_free(ht_job *job) {
    if (job == NULL)
        return;
    for (size_t i = 0; i < job->workers.compiler_count; ++i)
        end_process(job, &job->workers.compilers[i]);
    free(job->workers.compilers);
    end_process(job, &job->workers.runner);
    end_process(job, &job->workers.checker);
    ht_job_control_end(job);
    ht_scratch_remove(&job->folder.scratch);
    json_decref(job->reference.program);
    json_decref(job->baseline.program);
    free(job->original_check.finding);
    json_decref(job->reference.twin);
    free(job->reference.expect_file);
    identity_free(&job->identity);
    free(job->baseline.conditions);
    ht_claims_close(job->claims);
    free(job);
}

ht_evaluator *ht_job_evaluator(ht_job *job) {
    return &job->evaluator;
}

ht_timing ht_job_baseline(const ht_job *job) {
    return job->baseline.timing;
}

const char *ht_job_conditions(const ht_job *job) {
    return job->baseline.conditions;
}

ht_job_counts ht_job_get_counts(const ht_job *job) {
    return job->counts;
}

const char *ht_job_reference_source(const ht_job *job) {
    if (job->binding->template->reference_kind == HT_REFERENCE_BUILTIN)
        return "float64 conv2d";
    switch (job->reference.numbers) {
    case HT_NUMBERS_TRACKED:
        return "float64 twin with tracked sums";
    case HT_NUMBERS_DOUBLE:
        return "float64 twin";
    case HT_NUMBERS_PLAIN:
        break;
    }
    return "the original's own outputs";
}

const ht_database_key *ht_job_key(const ht_job *job) {
    return &job->identity.key;
}
