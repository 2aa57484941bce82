#include "pipeline/nightly/night_internal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "pipeline/losses.h"
#include "pipeline/outputs.h"
#include "refactor/recall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double reading_share = 1.0 / 3; /* of a turn's time */
static const double parsing_share = 1.0 / 3; /* of what reading and analysing a source takes */
static const double watching = 2; /* seconds that a kernel is timed for its verdict, and compiled */
static const double settling = 3; /* seconds that writing may take past the end */

/* Of type ht_survey_options.known: only the turn's own source is read. */
static json_t *known(void *context, const ht_survey *survey, size_t source) {
    const ht_night *night = context;
    (void)survey;
    return source == night->turn->source ? NULL : json_object();
}

static void waiting(void *context, long process) {
    ht_night_device *device = context;
    FILE *progress = device->night->options->progress;
    if (device->waited)
        return;
    device->waited = true;
    fprintf(progress, "device %s is in use by another job (process %ld): waiting for it\n",
            device->session.device.name, process);
    fflush(progress);
}

static ht_status gate_take(void *context, ht_error *error) {
    ht_night_device *device = context;
    if (device->session.recording)
        return HT_OK;
    ht_status status = ht_device_lock_take(device->session.device.name, device->night->end,
                                           &ht_stopped, waiting, device, &device->lock, error);
    if (status == HT_ERROR_TIMEOUT)
        status = ht_error_set(error, HT_ERROR_INTERRUPTED, "the device was in use to the end");
    return status;
}

static void gate_release(void *context) {
    ht_night_device *device = context;
    ht_device_lock_release(&device->lock);
}

void ht_night_gate_set(ht_night_device *device) {
    device->gate = (ht_job_gate){gate_take, gate_release, device};
    device->session.gate = &device->gate;
}

static void settle(void *context, size_t source) {
    ht_night *night = context;
    ht_night_source_write(night, source);
}

static void nothing_report(const ht_entry *entry, const ht_device *device, FILE *out) {
    (void)entry;
    (void)device;
    (void)out;
}

/* The kernel that others are timed next to is started once in a night. */
static void calibration_start(ht_night *night) {
    ht_night_device *device = night->turn->device;
    ht_error error = {0};
    if (device->calibration || device->no_calibration)
        return;
    if (ht_calibration_start(&device->session, &device->calibration, &error) != HT_OK) {
        device->no_calibration = !ht_stopped;
        if (!ht_stopped)
            ht_report_message("warning: no verdicts on %s: the calibration kernel: %s",
                              device->session.device.name, error.message);
    }
}

static bool is_wanted(const ht_survey *survey) {
    for (size_t i = 0; i < survey->entries.count; ++i)
        if (survey->entries.items[i].template && !survey->entries.items[i].settled)
            return true;
    return false;
}

/* Tunes what is open. The device is held where something is timed on it. */
static ht_status tune(ht_night *night, ht_error *error) {
    ht_session *session = &night->turn->device->session;
    ht_night_device *device = night->turn->device;
    ht_night_settle_known(night);
    if (is_wanted(night->survey)) {
        device->waited = false;
        ht_status status = gate_take(device, error);
        if (status == HT_ERROR_INTERRUPTED)
            return HT_OK; /* its kernels were not run */
        if (status != HT_OK)
            return status;
        ht_night_settle_known(night); /* another job may have done it meanwhile */
        if (is_wanted(night->survey))
            calibration_start(night);
        gate_release(device);
    }
    return ht_entries_tune(&night->survey->entries, session, night->options->progress, error);
}

static ht_status survey_tune(ht_night *night, const ht_refactor_options *compiler,
                             ht_error *error) {
    ht_session *session = &night->turn->device->session;
    ht_outputs outputs;
    const size_t count = night->survey->entries.count;
    night->documents = ht_alloc(count + 1, sizeof *night->documents);
    ht_outputs_open(night->survey, session, compiler, night->job->out, &outputs);
    night->outputs = &outputs;
    outputs.checker.reading = night->reading * parsing_share;
    outputs.checker.session = session;
    outputs.checker.winner_only = true; /* nights are compared by its times, which were watched */
    session->report = nothing_report;
    session->settle = settle;
    session->settle_context = night;
    session->decided = ht_night_decided;
    session->defended = ht_night_defended;
    session->decided_context = night;
    session->decided_seconds = watching;
    if (night->job->budget.kernel_seconds > 0)
        session->options.max_time =
            fmin(session->options.max_time, ht_clock_seconds() - session->start +
                                                night->job->budget.kernel_seconds * (double)count);
    ht_status status = tune(night, error);
    if (status == HT_OK && !ht_interrupted)
        ht_night_source_write(night, night->turn->source);
    if (status == HT_OK && !ht_interrupted)
        status = ht_outputs_write(&outputs, error);
    if (status == HT_OK)
        status = ht_night_keep(night, error);
    ht_outputs_close(&outputs);
    for (size_t i = 0; i < count; ++i)
        json_decref(night->documents[i]);
    free(night->documents);
    night->documents = NULL;
    night->outputs = NULL;
    return status;
}

static void errors_note(ht_night *night) {
    json_t *errors = ht_survey_errors_json(night->survey);
    if (json_array_size(errors) > 0 && !ht_stopped && !ht_interrupted)
        ht_night_note(night, ht_survey_files_exit_code(night->survey));
    json_array_extend(night->errors, errors);
    json_decref(errors);
}

ht_status ht_night_turn_run(ht_night *night, ht_night_turn *turn, double seconds, ht_error *error) {
    ht_session *session = &turn->device->session;
    ht_survey survey = {.sources = night->sources};
    ht_refactor_options compiler = night->compilers[turn->source];
    const ht_night_program *program = ht_night_program_of(night, turn->source);
    ht_survey_options options = {.problem = ht_night_problems(night, turn->source),
                                 .wanted = program ? ht_whole_wants : NULL,
                                 .wanted_context = program ? &program->whole : NULL,
                                 .out = night->job->out,
                                 .known = known,
                                 .known_context = night,
                                 .recall = ht_night_recall,
                                 .recall_context = night,
                                 .device = &session->device.fields,
                                 .silent = true,
                                 .compiler = compiler};
    ht_rehearsal rehearsal;
    night->turn = turn;
    night->survey = &survey;
    session->start = ht_clock_seconds();
    session->options.max_time = seconds;
    session->end_by = night->end + settling;
    session->reserve = 0;
    night->reread = 0;
    night->reused = false;
    night->survey_options = &options;
    ht_stop_at(session->start + seconds * reading_share);
    ht_rehearsal_init(&rehearsal, &compiler.limits);
    options.compiler.stopped = &ht_stopped;
    options.compiler.watch = &rehearsal.watch;
    ht_survey_read(&survey, &options);
    night->reading = ht_clock_seconds() - session->start;
    session->reserve = night->reread; /* a new winner's source is read after all */
    errors_note(night);
    ht_night_analysis_keep(night);
    bool recalled = survey.analyses[turn->source].refactor &&
                    ht_refactor_is_recalled(survey.analyses[turn->source].refactor);
    night->analyses_made += !recalled;
    night->analyses_kept += recalled;
    ht_stop_at(0);
    options.compiler.stopped = NULL; /* what is written is read again whatever the time */
    ht_status status = ht_interrupted ? HT_OK : survey_tune(night, &compiler, error);
    turn->done = true;
    ht_survey_clear(&survey); /* its sources are the night's */
    night->survey = NULL;
    return status;
}
