#include "cli/reports/whole_report.h"

#include "cli/reports/capture_report.h"

#include <inttypes.h>
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

void ht_whole_print_begin(const ht_whole *whole, FILE *out) {
    fprintf(out, "The program launched, in host emulation:\n");
    ht_capture_print(&whole->captured, out);
    end_print(&whole->result.original, out);
    fputc('\n', out);
}

void ht_whole_print(const ht_whole_result *result, FILE *out) {
    fprintf(out, "\nWhole program: %s: ", ht_whole_verdict_name(result->verdict));
    if (result->verdict != HT_WHOLE_EQUAL) {
        fprintf(out, "%s\n", result->reason);
        return;
    }
    fprintf(out,
            "%" PRIu64 " cop%s to the host (%" PRIu64 " bytes) and exit code %d, with the original "
            "and with the tuned sources\n",
            result->copies, result->copies == 1 ? "y" : "ies", result->bytes,
            result->original.exit_code);
    if (result->copies == 0)
        fprintf(out, "The program copied nothing to the host, so that its exit code alone was "
                     "compared.\n");
}

json_t *ht_whole_json(const ht_whole *whole) {
    const ht_whole_result *result = &whole->result;
    bool ran = result->verdict == HT_WHOLE_EQUAL || result->verdict == HT_WHOLE_DIFFERS;
    json_t *arguments = json_array();
    for (size_t i = 0; i < whole->run.argument_count; ++i)
        json_array_append_new(arguments, json_string(whole->run.arguments[i]));
    json_t *document = json_pack("{s:o, s:s, s:s?, s:i, s:o}", "arguments", arguments, "verdict",
                                 ht_whole_verdict_name(result->verdict), "reason", result->reason,
                                 "exit_code", result->original.exit_code, "tuned_exit_code",
                                 ran ? json_integer(result->tuned.exit_code) : json_null());
    if (document == NULL)
        return json_null();
    json_object_set_new(document, "copies", json_integer((json_int_t)whole->before->count));
    json_object_set_new(document, "different",
                        ran ? json_integer((json_int_t)result->different) : json_null());
    json_object_set_new(document, "first_different",
                        result->first_different > 0
                            ? json_integer((json_int_t)result->first_different)
                            : json_null());
    return document;
}
