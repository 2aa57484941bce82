#include "pipeline/nightly/night.h"
#include "pipeline/nightly/night_brief.h"
#include "pipeline/nightly/night_internal.h"
#include "pipeline/nightly/night_join.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/host_name.h"
#include "base/memory.h"
#include "base/result.h"
#include "pipeline/outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_turn = 2;    /* seconds: with less nothing is begun */
static const double least_part = 0.4;  /* of its need: evaluations are kept for the next night */
static const double turn_factor = 1.5; /* a turn has at least this many times its need */
static const double first_need = 12;   /* seconds, as long as none was seen */
static const double end_reserve = 1;   /* seconds for the end: the report, workers that end */

/* ---- opening */

static ht_status device_open(ht_night *night, const char *name, ht_error *error) {
    const ht_job_file *job = night->job;
    ht_night_device *device = &night->devices[night->device_count++];
    bool any = strcmp(job->style, "any") == 0;
    const ht_tuning_options tuning = {.device = name,
                                      .strategy = job->strategy,
                                      .database = job->database,
                                      .cache = job->cache,
                                      .check = job->check,
                                      .min_speedup = 1 + job->least_effect,
                                      .final_time = job->final_seconds,
                                      .max_evals = job->budget.evaluations,
                                      .seed = job->seed,
                                      .plain = !any,
                                      .predictor = job->predictor,
                                      .predictor_seeds = 10};
    device->night = night;
    device->lock.file = -1;
    if (night->options->dry)
        return ht_device_find(tuning.device, &device->session.device, error);
    ht_status status = ht_session_open(&tuning, &device->session, error);
    device->open = true;
    device->session.share = true;
    ht_night_gate_set(device);
    return status;
}

ht_compiler_options ht_night_compiler_options(const ht_job_file *job) {
    return (ht_compiler_options){.include = {(const char **)job->include.items, job->include.count},
                                 .define = {(const char **)job->define.items, job->define.count},
                                 .standard = job->standard,
                                 .analysis_operations = HT_ANALYSIS_OPERATIONS,
                                 .analysis_seconds = 60,
                                 .analysis_mebibytes = 1024};
}

/* Returns the job's name: its file's absolute path. free(). */
static char *name_of(const char *path) {
    char *real = realpath(path, NULL);
    return real ? real : ht_strdup(path);
}

/* Opens the nights of the database; a dry run makes none. */
static ht_status nights_open(ht_night *night, ht_error *error) {
    if (night->options->dry) { /* without one all is new */
        if (ht_file_exists(night->job->database) &&
            ht_nights_read(night->job->database, &night->nights, NULL) != HT_OK)
            night->nights = NULL;
        return HT_OK;
    }
    ht_status status = ht_nights_open(night->job->database, &night->nights, error);
    if (status == HT_OK)
        status = ht_nights_begin(night->nights, night->name, &night->options->name, &night->number,
                                 error);
    return ht_error_named(status, error);
}

static ht_status outputs_check(const ht_night *night, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < night->sources.count && status == HT_OK; ++i)
        status = ht_output_check(night->job->out, night->sources.items[i].output, error);
    return status;
}

static ht_status night_open(ht_night *night, ht_error *error) {
    const ht_job_file *job = night->job;
    ht_status status = HT_OK;
    const ht_compiler_options compiler = ht_night_compiler_options(job);
    ht_input_add(night->options->path);
    ht_compiler_arguments_make(&compiler, &night->compiler);
    if (!night->options->dry)
        status = ht_outputs_prepare(job->out, NULL, error);
    if (status == HT_OK && job->profile) {
        status = ht_profile_load(job->profile, &night->profile, error);
        night->profiled = status == HT_OK;
    }
    if (status == HT_OK)
        status = ht_night_sources(night, error);
    if (status == HT_OK)
        status = outputs_check(night, error);
    night->devices = ht_alloc(job->devices.count + 1, sizeof *night->devices);
    for (size_t i = 0; i < job->devices.count && status == HT_OK; ++i)
        if (!night->options->device || strcmp(night->options->device, job->devices.items[i]) == 0)
            status = device_open(night, job->devices.items[i], error);
    if (status == HT_OK && night->device_count == 0)
        status = ht_error_set(error, HT_ERROR_INPUT,
                              "option --device: the job has no '%s' in \"devices\"",
                              night->options->device);
    if (status == HT_OK)
        status = nights_open(night, error);
    if (status == HT_OK)
        status = ht_night_baseline_open(night, error);
    for (size_t i = 0; i < night->device_count && status == HT_OK; ++i)
        status = ht_night_common_make(night, &night->devices[i], error);
    if (status == HT_OK)
        status = ht_night_programs_open(night, error);
    if (status == HT_OK && job->program_count > 0)
        status = outputs_check(night, error);
    return status == HT_OK ? ht_night_turns(night, error) : status;
}

static void night_close(ht_night *night) {
    for (size_t i = 0; i < night->turn_count; ++i) {
        ht_night_look_free(&night->turns[i].look);
        ht_night_results_free(&night->turns[i].known);
        ht_night_results_free(&night->turns[i].last);
        json_decref(night->turns[i].memory);
    }
    free(night->turns);
    ht_night_programs_free(night);
    for (size_t i = 0; i < night->device_count; ++i) {
        ht_night_device *device = &night->devices[i];
        ht_calibration_free(device->calibration);
        ht_device_lock_release(&device->lock);
        if (device->open)
            ht_session_close(&device->session);
        json_decref(device->common);
    }
    free(night->devices);
    for (size_t i = 0; i < night->command_count; ++i)
        ht_command_list_free(&night->commands[i]);
    free(night->commands);
    free(night->compilers);
    ht_sources_free(&night->sources);
    ht_profile_free(&night->profile);
    ht_compiler_arguments_free(&night->compiler);
    ht_nights_close(night->nights);
    ht_nights_close(night->baseline);
    json_decref(night->rows);
    json_decref(night->errors);
    free(night->name);
}

/* ---- turns */

typedef struct putting {
    const ht_night *night;
    const ht_source *source;
    bool over;
} putting;

/* Puts a file back; the same code may have been written under other names, too. */
static ht_status file_put_back(void *context, const char *name, const char *content,
                               ht_error *error) {
    const putting *own = context;
    const ht_night *night = own->night;
    if (!ht_night_is_of(name, own->source->output))
        return HT_OK;
    char *path = ht_path_join(night->job->out, name), *written = NULL, *now = NULL;
    ht_status status = HT_OK;
    bool there = ht_file_exists(path);
    bool other =
        there && own->over &&
        (ht_file_read_text(path, "a result", &now, NULL) != HT_OK || strcmp(now, content) != 0);
    free(now);
    if (!there || other)
        status = ht_output_write(night->job->out, name, content, &written, error);
    free(written);
    free(path);
    return status;
}

ht_status ht_night_files_back(const ht_night *night, const ht_night_turn *turn, bool over,
                              ht_error *error) {
    putting own = {night, &night->sources.items[turn->source], over};
    return ht_nights_files(night->nights, turn->look.key, file_put_back, &own, error);
}

static ht_status kept_take(ht_night *night, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < night->turn_count && status == HT_OK; ++i) {
        ht_night_turn *turn = &night->turns[i];
        if (turn->why == ht_night_text_changed)
            turn->kept = night->options->dry || ht_night_rewrite(night, turn) || !turn->won;
        if (!turn->kept)
            continue;
        ht_night_add_kept(night, turn);
        if (!night->options->dry)
            status = ht_night_files_back(night, turn, false, error);
    }
    return status;
}

/* Returns the first turn that is left, in the order of the last sort; NULL: there is none. */
static ht_night_turn *turn_next(ht_night *night, size_t *out_unmeasured) {
    ht_night_turn *next = NULL;
    *out_unmeasured = 0;
    ht_night_sort(night);
    for (size_t i = 0; i < night->turn_count; ++i) {
        ht_night_turn *turn = &night->turns[i];
        if (turn->kept || turn->done || turn->device->lost)
            continue;
        next = next ? next : turn;
        *out_unmeasured += !turn->measured;
    }
    return next;
}

/* Returns the seconds that a turn may take: a fair part of what is left, but enough for it to
 * measure something. */
static double turn_seconds(const ht_night *night, const ht_night_turn *turn, size_t unmeasured) {
    double left = night->end - ht_clock_seconds();
    double need = turn->need > 0          ? turn->need
                  : night->need_count > 0 ? night->need_seen
                                          : first_need;
    double share = left / fmax((double)unmeasured, 1);
    if (!night->any) /* on a busy machine one result is worth more than several beginnings */
        share = fmax(share, left / 2);
    return fmin(fmax(share, turn_factor * need), left);
}

static void progress_turn(const ht_night *night, const ht_night_turn *turn, double seconds) {
    double left = night->end - ht_clock_seconds();
    fprintf(night->options->progress, "%s on %s: %s; %.0f s of the %.0f s that are left\n",
            night->sources.items[turn->source].path, turn->device->session.device.name, turn->why,
            seconds, left);
    fflush(night->options->progress);
}

static void need_learn(ht_night *night) {
    double need = ht_night_need(night);
    night->need_seen =
        (night->need_seen * (double)night->need_count + need) / (double)(night->need_count + 1);
    ++night->need_count;
}

static ht_status turns_run(ht_night *night, ht_error *error) {
    size_t unmeasured;
    ht_night_turn *turn;
    ht_status status = HT_OK;
    ht_night_programs_reserve(night);
    ht_night_programs_compare(night, false); /* for which an earlier night had no time */
    while (status == HT_OK && !ht_interrupted && (turn = turn_next(night, &unmeasured)) != NULL) {
        double left = night->end - ht_clock_seconds();
        double need = turn->need > 0 ? turn->need : night->need_seen;
        bool first = night->need_count == 0;
        if (left < least_turn || (!first && left < least_part * need))
            break;
        double seconds = turn_seconds(night, turn, unmeasured);
        progress_turn(night, turn, seconds);
        status = ht_night_turn_run(night, turn, seconds, error);
        if (status == HT_ERROR_DEVICE || status == HT_ERROR_MISSING) {
            turn->device->lost = true;
            turn->done = false;
            ht_report_error(error);
            ht_night_note(night, ht_status_exit_code(status));
            status = HT_OK;
        }
        need_learn(night);
        ht_night_programs_compare(night, false);
    }
    ht_night_programs_compare(night, true);
    ht_night_programs_not_run(night);
    for (size_t i = 0; i < night->turn_count; ++i)
        if (!night->turns[i].kept && !night->turns[i].done)
            ht_night_add_not_run(night, &night->turns[i],
                                 night->turns[i].device->lost ? "its device keeps failing"
                                 : ht_interrupted             ? "interrupted"
                                                              : "the budget was at its end");
    return status;
}

/* ---- the report */

static json_t *planned_json(ht_night *night) {
    json_t *planned = json_array();
    ht_night_sort(night);
    for (size_t i = 0; i < night->turn_count; ++i) {
        const ht_night_turn *turn = &night->turns[i];
        if (turn->kept)
            continue;
        json_array_append_new(
            planned,
            json_pack("{s:o, s:s, s:s, s:o, s:f}", "file",
                      ht_report_json_text(night->sources.items[turn->source].path), "device",
                      turn->device->session.device.name, "why", turn->why, "seconds",
                      turn->need > 0 ? json_real(turn->need) : json_null(), "score", turn->score));
    }
    return planned;
}

/* Returns the looks at all sources: what keys are made of, and were. */
static json_t *looks_json(const ht_night *night) {
    json_t *looks = json_array();
    for (size_t i = 0; i < night->turn_count; ++i) {
        const ht_night_turn *turn = &night->turns[i];
        json_t *before = json_object_get(turn->memory, "parts");
        json_t *kernels = json_object();
        for (size_t j = 0; j < turn->last.count; ++j) {
            const ht_night_result *result = &turn->last.items[j];
            json_t *document = json_loads(result->document, 0, NULL);
            json_t *parts = json_object_get(document, "parts");
            char *label = *result->problem ? ht_format("%s (%s)", result->kernel, result->problem)
                                           : ht_strdup(result->kernel);
            if (*result->kernel && parts)
                json_object_set(kernels, label, parts);
            free(label);
            json_decref(document);
        }
        json_array_append_new(
            looks, json_pack("{s:o, s:s, s:s, s:s, s:O, s:o, s:o}", "file",
                             ht_report_json_text(night->sources.items[turn->source].path), "device",
                             turn->device->session.device.name, "state",
                             turn->why ? turn->why : "as it was measured", "key", turn->look.key,
                             "parts", turn->look.parts, "before",
                             before ? json_incref(before) : json_null(), "kernels", kernels));
    }
    return looks;
}

static json_t *document_make(ht_night *night, const char *began) {
    char machine[HT_HOST_NAME_SIZE];
    ht_host_name(machine);
    const char *host = night->options->name.host ? night->options->name.host : machine;
    if (ht_interrupted)
        ht_night_note(night, HT_EXIT_INTERRUPTED);
    int code = night->code;
    if (!code)
        code = ht_night_has_not_run(night->rows) ? (int)night->job->not_run_exit : HT_EXIT_OK;
    json_t *document = ht_report_json_new("hiptemper-run", 1);
    json_object_set_new(document, "job", ht_report_json_text(night->name));
    json_object_set_new(document, "host", ht_report_json_text(host));
    const ht_job_words *sources = &night->job->sources;
    const char *first =
        sources->count > 0 ? sources->items[0] : night->job->programs[0].files.items[0];
    char *commit = ht_night_commit(first);
    json_object_set_new(document, "commit", ht_report_json_text(commit));
    free(commit);
    json_object_set_new(document, "began", json_string(began));
    json_object_set_new(document, "night", json_integer((json_int_t)night->number));
    if (night->options->shards > 0) {
        char *shard = ht_format("%zu/%zu", night->options->shard + 1, night->options->shards);
        json_object_set_new(document, "shard", json_string(shard));
        free(shard);
    }
    json_t *devices = json_array();
    for (size_t i = 0; i < night->device_count; ++i)
        json_array_append_new(devices, ht_report_json_text(night->devices[i].session.device.name));
    json_object_set_new(document, "devices", devices);
    if (night->options->tag)
        json_object_set_new(document, "tag", ht_report_json_text(night->options->tag));
    if (night->options->baseline)
        json_object_set_new(document, "baseline", ht_report_json_text(night->options->baseline));
    json_object_set_new(document, "budget", json_real(night->job->budget.seconds));
    json_object_set_new(document, "seconds", json_real(ht_clock_seconds() - night->start));
    json_object_set_new(document, "least_effect", json_real(night->job->least_effect));
    json_object_set_new(document, "interrupted", json_boolean(ht_interrupted != 0));
    json_object_set_new(document, "exit", json_integer(code));
    json_object_set_new(document, "verdicts", ht_night_verdict_counts(night->rows));
    json_object_set(document, "kernels", night->rows);
    json_object_set(document, "errors", night->errors);
    json_object_set_new(document, "analyses",
                        json_pack("{s:I, s:I}", "made", (json_int_t)night->analyses_made, "kept",
                                  (json_int_t)night->analyses_kept));
    if (night->job->program_count > 0)
        json_object_set_new(document, "programs", ht_night_programs_json(night));
    if (night->options->dry) {
        json_object_set_new(document, "planned", planned_json(night));
        json_object_set_new(document, "looks", looks_json(night));
    }
    return document;
}

static ht_status night_run(ht_night *night, ht_error *error) {
    ht_status status = night_open(night, error);
    if (status == HT_OK)
        status = kept_take(night, error);
    if (status != HT_OK || night->options->dry)
        return status;
    status = turns_run(night, error);
    if (status == HT_OK && !ht_interrupted)
        status = ht_night_add_gone(night, error);
    return status;
}

ht_status ht_night_run(const ht_night_options *options, json_t **out_document, ht_error *error) {
    ht_night night = {.options = options,
                      .job = options->job,
                      .name = name_of(options->path),
                      .start = ht_clock_seconds(),
                      .rows = json_array(),
                      .errors = json_array()};
    char began[HT_CLOCK_UTC_SIZE];
    ht_clock_utc(time(NULL), began);
    night.end = night.start + options->job->budget.seconds - end_reserve;
    *out_document = NULL;
    ht_status status = night_run(&night, error);
    if (status == HT_OK || (status == HT_ERROR_INTERRUPTED && night.nights))
        *out_document = document_make(&night, options->name.began ? options->name.began : began);
    if (*out_document && night.number > 0) {
        json_t *brief = ht_night_brief(*out_document);
        char *text = json_dumps(brief, JSON_COMPACT);
        status = ht_nights_end(night.nights, night.number, text, error);
        free(text);
        json_decref(brief);
    }
    night_close(&night);
    return status;
}

ht_status ht_night_source_count(const ht_night_options *options, size_t *out_count,
                                ht_error *error) {
    ht_night night = {.options = options, .job = options->job};
    const ht_compiler_options compiler = ht_night_compiler_options(options->job);
    ht_compiler_arguments_make(&compiler, &night.compiler);
    ht_status status = ht_night_sources(&night, error);
    size_t files = night.sources.count, programs = options->job->program_count;
    *out_count = files > programs ? files : programs; /* shards count them apart */
    night_close(&night);
    return status;
}
