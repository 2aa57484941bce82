#include "cli/reports/whole_report.h"

#include "cli/reports/capture_report.h"
#include "pipeline/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void end_print(const ht_emulate_outcome *outcome, FILE *out) {
    if (outcome->late)
        fprintf(out, "The program was ended when its time was over.\n");
    else if (outcome->signal != 0)
        fprintf(out, "The program was ended by signal %d (%s).\n", outcome->signal,
                strsignal(outcome->signal));
    else if (outcome->exit_code != 0)
        fprintf(out, "The program ended with exit code %d.\n", outcome->exit_code);
}

/* Lists the kernels that take too little of the time to be tuned. */
static void others_print(const ht_whole *whole, FILE *out) {
    const ht_capture_result *captured = &whole->captured;
    bool any = false;
    for (size_t i = 0; i < captured->count; ++i) {
        const ht_capture_row *row = &captured->rows[i];
        if (row->chosen)
            continue;
        if (!any)
            fprintf(out, "Not tuned, as the others take %g %% of the time (--share):",
                    100.0 * whole->share);
        fprintf(out, "%s %s (%.1f %%)", any ? "," : "", row->kernel,
                100.0 * ht_capture_share(captured, row));
        any = true;
    }
    if (any)
        fputc('\n', out);
}

static json_t *kernels_json(const ht_whole *whole) {
    const ht_capture_result *captured = &whole->captured;
    json_t *kernels = json_array();
    for (size_t i = 0; i < captured->count; ++i) {
        const ht_capture_row *row = &captured->rows[i];
        json_array_append_new(kernels,
                              json_pack("{s:o, s:o, s:i, s:I, s:f, s:b}", "kernel",
                                        ht_report_json_text(row->kernel), "file",
                                        ht_report_json_text(row->file), "line", row->line,
                                        "launches", (json_int_t)row->times, "share",
                                        ht_capture_share(captured, row), "chosen", row->chosen));
    }
    return kernels;
}

void ht_whole_print_begin(const ht_whole *whole, FILE *out) {
    fprintf(out, "The program launched, in host emulation:\n");
    ht_capture_print(&whole->captured, true, out);
    others_print(whole, out);
    end_print(&whole->original, out);
    for (size_t i = 0; i < whole->missing.count; ++i) {
        char *words = ht_missing_string(&whole->missing.items[i]);
        fprintf(out, "%s\n", words);
        free(words);
    }
    fputc('\n', out);
}

/* "equal", "equal within 1e-06" */
static void verdict_print(const ht_whole *whole, ht_whole_verdict verdict, FILE *out) {
    if (verdict == HT_WHOLE_WITHIN)
        fprintf(out, "equal within %g", whole->tolerance);
    else
        fprintf(out, "%s", ht_whole_verdict_name(verdict));
}

static void result_print(const ht_whole *whole, const ht_whole_result *result, FILE *out) {
    const ht_copies_answer *copies = &result->copies;
    uint64_t count = whole->before->count;
    bool several = whole->result_count > 1;
    fprintf(out, "Whole program%s%s%s: ", several ? " (" : "", several ? result->problem : "",
            several ? ")" : "");
    verdict_print(whole, result->verdict, out);
    if (result->reason != NULL) {
        fprintf(out, ": %s\n", result->reason);
        return;
    }
    fprintf(out,
            ": %" PRIu64 " cop%s to the host (%" PRIu64 " bytes) and exit code %d, with the "
            "original and with the tuned sources\n",
            count, count == 1 ? "y" : "ies", copies->bytes, whole->original.exit_code);
    if (copies->within > 0)
        fprintf(out,
                "  sums come in another order: %" PRIu64 " cop%s not equal to the bit, by at most "
                "%.2g of %s largest value\n",
                copies->within, copies->within == 1 ? "y is" : "ies are", copies->largest,
                copies->within == 1 ? "its" : "their");
}

void ht_whole_print(const ht_whole *whole, FILE *out) {
    fputc('\n', out);
    if (whole->result_count == 0)
        fprintf(out, "Whole program: not-run: %s\n", whole->reason);
    for (size_t i = 0; i < whole->result_count; ++i)
        result_print(whole, &whole->results[i], out);
    if (whole->result_count > 0 && whole->before->count == 0)
        fprintf(out, "The program copied nothing to the host, so that its exit code alone was "
                     "compared.\n");
}

static json_t *result_json(const ht_whole_result *result) {
    bool ran = result->verdict != HT_WHOLE_NOT_RUN && result->verdict != HT_WHOLE_FAILED;
    const ht_copies_answer *copies = &result->copies;
    json_t *made = json_pack("{s:o, s:s, s:o}", "problem", ht_report_json_text(result->problem),
                             "verdict", ht_whole_verdict_name(result->verdict), "reason",
                             ht_report_json_text(result->reason));
    json_object_set_new(made, "exit_code",
                        ran ? json_integer(result->tuned.exit_code) : json_null());
    json_object_set_new(made, "different",
                        ran ? json_integer((json_int_t)copies->different) : json_null());
    json_object_set_new(made, "first_different",
                        copies->first_different > 0
                            ? json_integer((json_int_t)copies->first_different)
                            : json_null());
    json_object_set_new(made, "within",
                        ran ? json_integer((json_int_t)copies->within) : json_null());
    json_object_set_new(made, "largest_difference", ran ? json_real(copies->largest) : json_null());
    return made;
}

json_t *ht_whole_json(const ht_whole *whole) {
    json_t *arguments = json_array(), *results = json_array();
    for (size_t i = 0; i < whole->run.argument_count; ++i)
        json_array_append_new(arguments, ht_report_json_text(whole->run.arguments[i]));
    for (size_t i = 0; i < whole->result_count; ++i)
        json_array_append_new(results, result_json(&whole->results[i]));
    return json_pack("{s:o, s:s, s:o, s:i, s:I, s:f, s:o, s:f, s:o, s:o}", "arguments", arguments,
                     "verdict", ht_whole_verdict_name(ht_whole_verdict_of(whole)), "reason",
                     ht_report_json_text(whole->reason), "exit_code", whole->original.exit_code,
                     "copies", (json_int_t)whole->before->count, "tolerance", whole->tolerance,
                     "results", results, "share", whole->share, "kernels", kernels_json(whole),
                     "missing", ht_missing_json(&whole->missing));
}
