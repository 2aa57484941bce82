#include "pipeline/whole.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/stop.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A tuned program may take 20 times what the original took, and at least a minute. */
static const double limit_times = 20, limit_least = 60;

/* Sends what a program prints to standard error: standard output is the report's. Returns what
 * output_back takes. */
static int output_aside(void) {
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return kept;
}

static void output_back(int kept) {
    if (kept < 0)
        return;
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

static const volatile int *stopped_of(const ht_whole *whole) {
    return whole->stopped != NULL ? whole->stopped : &ht_interrupted;
}

/* Returns true if a run ends for lack of time before it takes too long for what it is. */
static bool is_short(const ht_whole *whole) {
    return whole->most > 0 && (whole->limit <= 0 || whole->most < whole->limit);
}

/* Builds the program and runs it once. */
static ht_status run_once(const ht_whole *whole, const ht_substitutes *substitutes,
                          ht_capture *capture, ht_copies *copies, const ht_byte_store *store,
                          ht_hip_program **out_program, ht_emulate_report *report,
                          ht_emulate_outcome *out_outcome, ht_error *error) {
    ht_program_run run = whole->run;
    run.capture = capture;
    run.copies = copies;
    run.store = store;
    run.contents = capture != NULL ? &whole->contents : NULL;
    run.interrupted = stopped_of(whole);
    run.seconds = is_short(whole) ? whole->most : whole->limit;
    ht_status status = HT_OK;
    *out_program = NULL;
    if (report == NULL || copies == NULL)
        status = ht_error_set(error, HT_ERROR_IO, "no memory for what the program copies");
    const ht_program_mode mode = {.wavefront = whole->wavefront};
    int kept = output_aside();
    if (status == HT_OK)
        status = ht_hip_program_build(&whole->files, substitutes, &mode, stopped_of(whole),
                                      out_program, error);
    if (status == HT_OK)
        status = ht_hip_program_run(*out_program, &run, report, out_outcome, error);
    output_back(kept);
    return status;
}

/* Runs the original, which is noted with its copies and launches. */
static ht_status original_run(ht_whole *whole, ht_hip_program **out_program,
                              ht_emulate_report *report, ht_error *error) {
    whole->capture = ht_capture_new();
    whole->before = ht_copies_new();
    ht_status status =
        whole->capture != NULL ? HT_OK : ht_error_set(error, HT_ERROR_IO, "no memory for launches");
    if (status == HT_OK)
        status = ht_scratch_make("copies", &whole->scratch, error);
    if (status != HT_OK)
        return status;
    ht_byte_store_open(&whole->store, whole->scratch.path, HT_WHOLE_KEPT);
    if (whole->inputs > 0)
        ht_byte_store_open(&whole->contents, whole->scratch.path, HT_WHOLE_KEPT);
    whole->capture->content_limit = whole->inputs;
    double begun = ht_clock_seconds();
    status = run_once(whole, NULL, whole->capture, whole->before, &whole->store, out_program,
                      report, &whole->original, error);
    whole->seconds = ht_clock_seconds() - begun;
    whole->limit = fmax(limit_least, limit_times * whole->seconds);
    if (status == HT_OK) {
        ht_byte_store_trim(&whole->store, whole->before->used);
        ht_byte_store_trim(&whole->contents, whole->capture->used);
    }
    return status;
}

ht_status ht_whole_begin(ht_whole *whole, const char *folder, const ht_refactor_options *compiler,
                         ht_error *error) {
    ht_hip_program *program = NULL;
    ht_emulate_report *report = ht_emulate_report_new();
    ht_status status = original_run(whole, &program, report, error);
    if (status == HT_OK) {
        ht_missing_find(program, report, &whole->missing);
        char *path = ht_path_join(folder, "problem.json");
        whole->sources = ht_hip_program_sources(program, &whole->source_count);
        const ht_capture_seen seen = {.capture = whole->capture,
                                      .contents = whole->inputs > 0 ? &whole->contents : NULL};
        status = ht_capture_problems(&seen, whole->sources, whole->source_count, path, compiler,
                                     &whole->captured, error);
        ht_capture_choose(&whole->captured, whole->share);
        if (status == HT_OK && whole->captured.problem_count > 0)
            whole->problem_file = ht_strdup(path);
        free(path);
    }
    ht_emulate_report_free(report);
    ht_hip_program_free(program);
    return status;
}

ht_status ht_whole_begin_known(ht_whole *whole, ht_error *error) {
    ht_hip_program *program = NULL;
    ht_emulate_report *report = ht_emulate_report_new();
    ht_status status = original_run(whole, &program, report, error);
    ht_emulate_report_free(report);
    ht_hip_program_free(program);
    return status;
}

bool ht_whole_wants(const void *context, const char *kernel) {
    const ht_whole *whole = context;
    const ht_capture_row *row = ht_capture_row_find(&whole->captured, kernel);
    return row != NULL && row->chosen;
}

static char *difference_string(const ht_whole *whole, const ht_whole_result *result,
                               const ht_copies *after) {
    const ht_copies *before = whole->before;
    const ht_copies_answer *answer = &result->copies;
    ht_text reason = {0};
    if (before->count != after->count)
        ht_text_printf(&reason,
                       "the tuned program copies %" PRIu64 " times to the host, the original "
                       "%" PRIu64 " times",
                       after->count, before->count);
    else if (answer->different > 0)
        ht_text_printf(&reason,
                       "%" PRIu64 " of %" PRIu64 " copies to the host differ, the first is "
                       "number %" PRIu64 "%s%s",
                       answer->different, before->count, answer->first_different,
                       answer->reason != NULL ? ": " : "",
                       answer->reason != NULL ? answer->reason : "");
    if (whole->original.exit_code != result->tuned.exit_code)
        ht_text_printf(&reason, "%sthe tuned program ends with exit code %d, the original with %d",
                       reason.length > 0 ? "; " : "", result->tuned.exit_code,
                       whole->original.exit_code);
    return reason.length > 0 ? ht_text_take(&reason) : NULL;
}

static void compare(const ht_whole *whole, const ht_copies *after, const ht_byte_store *store,
                    ht_whole_result *result) {
    const ht_copies_question question = {.before = {whole->before, &whole->store},
                                         .after = {after, store},
                                         .capture = whole->capture,
                                         .tolerance = whole->tolerance};
    ht_copies_compare(&question, &result->copies);
    result->reason = difference_string(whole, result, after);
    result->verdict = result->reason != NULL      ? HT_WHOLE_DIFFERS
                      : result->copies.within > 0 ? HT_WHOLE_WITHIN
                                                  : HT_WHOLE_EQUAL;
}

/* Runs the program with the copies for one problem. */
static ht_status compare_one(ht_whole *whole, const ht_substitutes *substitutes,
                             const char *problem, ht_error *error) {
    HT_GROW(whole->results, whole->result_count);
    ht_whole_result *result = &whole->results[whole->result_count++];
    *result = (ht_whole_result){.problem = ht_strdup(problem)};
    ht_copies *after = ht_copies_new();
    ht_byte_store store = {0};
    ht_emulate_report *report = ht_emulate_report_new();
    ht_hip_program *program = NULL;
    ht_error own = {0};
    if (after != NULL)
        ht_copies_expect(after, whole->before);
    if (whole->tolerance > 0 && whole->before->used > 0)
        ht_byte_store_open(&store, whole->scratch.path, whole->before->used);
    ht_status status =
        run_once(whole, substitutes, NULL, after, &store, &program, report, &result->tuned, &own);
    if (status == HT_OK && result->tuned.late && is_short(whole)) {
        result->reason = ht_strdup("there was no time left for the tuned program");
    } else if (status == HT_OK && result->tuned.late) {
        result->verdict = HT_WHOLE_FAILED;
        result->reason = ht_format("the tuned program did not end within %.3g s, many times what "
                                   "the original took",
                                   whole->limit);
    } else if (status == HT_OK && after != NULL) {
        compare(whole, after, &store, result);
    } else if (status == HT_ERROR_COMPILE) {
        result->verdict = HT_WHOLE_FAILED;
        result->reason = ht_format("the tuned program does not compile: %s", own.message);
        status = HT_OK;
    } else {
        result->reason = ht_strdup(status == HT_ERROR_INTERRUPTED ? "interrupted" : own.message);
        if (error != NULL)
            *error = own;
    }
    ht_emulate_report_free(report);
    ht_hip_program_free(program);
    ht_byte_store_close(&store);
    ht_copies_free(after);
    return status;
}

double ht_whole_tolerance(const ht_entries *entries) {
    double tolerance = 0.0;
    for (size_t i = 0; i < entries->count; ++i) {
        const ht_entry *entry = &entries->items[i];
        if (entry->result.verdict != HT_VERDICT_IMPROVED)
            continue;
        bool exact = entry->template->exact;
        if (entry->annotated ? exact : !entry->written.reassociates)
            continue;
        tolerance = fmax(tolerance, exact ? HT_TOLERANCE_DEFAULT : entry->template->tolerance);
    }
    return tolerance;
}

static bool is_first(const ht_substitutes *all, size_t index) {
    for (size_t i = 0; i < index; ++i)
        if (strcmp(all->items[i].problem, all->items[index].problem) == 0)
            return false;
    return true;
}

ht_status ht_whole_compare(ht_whole *whole, const ht_substitutes *substitutes, double tolerance,
                           ht_error *error) {
    ht_status status = HT_OK;
    if (substitutes->count == 0)
        whole->reason = ht_strdup("no source was changed");
    whole->tolerance = tolerance;
    for (size_t i = 0; i < whole->captured.count; ++i)
        if (whole->captured.rows[i].reassociates)
            whole->tolerance = fmax(whole->tolerance, HT_TOLERANCE_DEFAULT);
    for (size_t i = 0; i < substitutes->count && status == HT_OK; ++i) {
        if (!is_first(substitutes, i))
            continue;
        ht_substitutes chosen;
        ht_substitutes_choose(substitutes, substitutes->items[i].problem, &chosen);
        status = compare_one(whole, &chosen, substitutes->items[i].problem, error);
        free(chosen.items);
    }
    return status;
}

ht_whole_verdict ht_whole_verdict_of(const ht_whole *whole) {
    static const ht_whole_verdict order[] = {HT_WHOLE_FAILED, HT_WHOLE_DIFFERS, HT_WHOLE_NOT_RUN,
                                             HT_WHOLE_WITHIN, HT_WHOLE_EQUAL};
    for (size_t i = 0; i < sizeof order / sizeof *order; ++i)
        for (size_t j = 0; j < whole->result_count; ++j)
            if (whole->results[j].verdict == order[i])
                return order[i];
    return HT_WHOLE_NOT_RUN;
}

void ht_whole_free(ht_whole *whole) {
    ht_strings_free(whole->sources, whole->source_count);
    free(whole->problem_file);
    for (size_t i = 0; i < whole->result_count; ++i) {
        free(whole->results[i].problem);
        free(whole->results[i].reason);
        ht_copies_answer_free(&whole->results[i].copies);
    }
    free(whole->results);
    free(whole->reason);
    ht_byte_store_close(&whole->store);
    ht_byte_store_close(&whole->contents);
    ht_scratch_remove(&whole->scratch);
    ht_missing_free(&whole->missing);
    ht_capture_result_free(&whole->captured);
    ht_capture_free(whole->capture);
    ht_copies_free(whole->before);
    *whole = (ht_whole){0};
}

const char *ht_whole_verdict_name(ht_whole_verdict verdict) {
    switch (verdict) {
    case HT_WHOLE_EQUAL:
        return "equal";
    case HT_WHOLE_WITHIN:
        return "within-tolerance";
    case HT_WHOLE_DIFFERS:
        return "differs";
    case HT_WHOLE_FAILED:
        return "failed";
    case HT_WHOLE_NOT_RUN:
        break;
    }
    return "not-run";
}
