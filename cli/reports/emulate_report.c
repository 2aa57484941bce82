#include "cli/reports/emulate_report.h"

#include "pipeline/report.h"

#include <string.h>

static const char *outcome_name(const ht_emulate_outcome *outcome) {
    return outcome->late ? "timeout" : outcome->signal != 0 ? "signal" : "ended";
}

/* The words of launches that failed: those that checking mode ended, or the others. */
static json_t *failures_json(const ht_emulate_report *report, bool found) {
    json_t *words = json_array();
    for (uint32_t i = 0; i < report->failure_count; ++i)
        if (report->failures[i].found == found)
            json_array_append_new(words, ht_report_json_text(report->failures[i].words));
    return words;
}

json_t *ht_emulate_json(const ht_emulate_report *report, const ht_emulate_outcome *outcome,
                        const ht_missing *missing) {
    json_t *document = ht_report_json_new("hiptemper-emulate", 1);
    json_object_set_new(document, "outcome", json_string(outcome_name(outcome)));
    json_object_set_new(document, "exit_code", json_integer(outcome->exit_code));
    json_object_set_new(document, "signal",
                        outcome->signal != 0 ? json_integer(outcome->signal) : json_null());
    json_object_set_new(document, "launches", json_integer((json_int_t)report->launches));
    json_object_set_new(document, "missing", ht_missing_json(missing));
    json_object_set_new(document, "failures", failures_json(report, false));
    json_object_set_new(document, "findings", failures_json(report, true));
    return document;
}
