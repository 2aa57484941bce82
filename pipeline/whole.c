#include "pipeline/whole.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/stop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Builds the program and runs it once. */
static ht_status run_once(const ht_whole *whole, const ht_substitutes *substitutes,
                          ht_capture *capture, ht_copies *copies, ht_hip_program **out_program,
                          ht_emulate_outcome *out_outcome, ht_error *error) {
    ht_program_run run = whole->run;
    run.capture = capture;
    run.copies = copies;
    run.interrupted = &ht_interrupted;
    ht_emulate_report *report = ht_emulate_report_new();
    ht_status status = HT_OK;
    *out_program = NULL;
    if (report == NULL || copies == NULL)
        status = ht_error_set(error, HT_ERROR_IO, "no memory for what the program copies");
    int kept = output_aside();
    if (status == HT_OK)
        status = ht_hip_program_build(&whole->files, substitutes, whole->wavefront, false,
                                      &ht_interrupted, out_program, error);
    if (status == HT_OK)
        status = ht_hip_program_run(*out_program, &run, report, out_outcome, error);
    output_back(kept);
    ht_emulate_report_free(report);
    return status;
}

ht_status ht_whole_begin(ht_whole *whole, const char *folder, const ht_refactor_options *compiler,
                         ht_error *error) {
    ht_hip_program *program = NULL;
    whole->capture = ht_capture_new();
    whole->before = ht_copies_new();
    ht_status status =
        whole->capture != NULL ? HT_OK : ht_error_set(error, HT_ERROR_IO, "no memory for launches");
    if (status == HT_OK)
        status = run_once(whole, NULL, whole->capture, whole->before, &program,
                          &whole->result.original, error);
    if (status == HT_OK) {
        char *path = ht_path_join(folder, "problem.json");
        whole->sources = ht_hip_program_sources(program, &whole->source_count);
        status = ht_capture_problems(whole->capture, whole->sources, whole->source_count, path,
                                     compiler, &whole->captured, error);
        if (status == HT_OK && whole->captured.problem_count > 0)
            whole->problem_file = ht_strdup(path);
        free(path);
    }
    ht_hip_program_free(program);
    return status;
}

static uint64_t kept_count(const ht_copies *copies) {
    return copies->count < HT_COPIES ? copies->count : HT_COPIES;
}

static void compare(ht_whole_result *result, const ht_copies *before, const ht_copies *after) {
    uint64_t most = kept_count(before), least = kept_count(after);
    result->copies = before->count;
    for (uint64_t i = 0; i < most; ++i)
        result->bytes += before->items[i].bytes;
    if (least > most) {
        uint64_t swap = most;
        most = least;
        least = swap;
    }
    for (uint64_t i = 0; i < most; ++i) {
        const ht_copy *a = &before->items[i], *b = &after->items[i];
        if (i < least && a->bytes == b->bytes && a->hash == b->hash)
            continue;
        ++result->different;
        if (result->first_different == 0)
            result->first_different = i + 1;
    }
    bool same_end = result->original.exit_code == result->tuned.exit_code;
    bool equal = result->different == 0 && before->count == after->count && same_end;
    result->verdict = equal ? HT_WHOLE_EQUAL : HT_WHOLE_DIFFERS;
    if (equal)
        return;
    ht_text reason = {0};
    if (before->count != after->count)
        ht_text_printf(&reason,
                       "the tuned program copies %" PRIu64 " times to the host, the original "
                       "%" PRIu64 " times",
                       after->count, before->count);
    else if (result->different > 0)
        ht_text_printf(&reason,
                       "%" PRIu64 " of %" PRIu64 " copies to the host differ, the first is "
                       "number %" PRIu64,
                       result->different, before->count, result->first_different);
    if (!same_end)
        ht_text_printf(&reason, "%sthe tuned program ends with exit code %d, the original with %d",
                       reason.length > 0 ? "; " : "", result->tuned.exit_code,
                       result->original.exit_code);
    result->reason = ht_text_take(&reason);
}

ht_status ht_whole_compare(ht_whole *whole, const ht_substitutes *substitutes, ht_error *error) {
    ht_whole_result *result = &whole->result;
    if (substitutes->count == 0) {
        result->reason = ht_strdup("no source was changed");
        return HT_OK;
    }
    ht_copies *after = ht_copies_new();
    ht_hip_program *program = NULL;
    ht_error own = {0};
    ht_status status = run_once(whole, substitutes, NULL, after, &program, &result->tuned, &own);
    if (status == HT_OK) {
        compare(result, whole->before, after);
    } else if (status == HT_ERROR_COMPILE) {
        result->verdict = HT_WHOLE_FAILED;
        result->reason = ht_format("the tuned program does not compile: %s", own.message);
        status = HT_OK;
    } else if (error != NULL) {
        *error = own;
    }
    ht_hip_program_free(program);
    ht_copies_free(after);
    return status;
}

void ht_whole_free(ht_whole *whole) {
    for (size_t i = 0; i < whole->source_count; ++i)
        free(whole->sources[i]);
    free(whole->sources);
    free(whole->problem_file);
    free(whole->result.reason);
    ht_capture_result_free(&whole->captured);
    ht_capture_free(whole->capture);
    ht_copies_free(whole->before);
    *whole = (ht_whole){0};
}

const char *ht_whole_verdict_name(ht_whole_verdict verdict) {
    switch (verdict) {
    case HT_WHOLE_EQUAL:
        return "equal";
    case HT_WHOLE_DIFFERS:
        return "differs";
    case HT_WHOLE_FAILED:
        return "failed";
    case HT_WHOLE_NOT_RUN:
        break;
    }
    return "not-run";
}
