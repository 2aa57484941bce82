#include "cli/reports/night_report.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>

static const char *text_at(const json_t *object, const char *key) {
    return ht_report_text_of(object, key);
}

/* Prints "1.031 [1.02, 1.04]" of a change; nothing where it is not known. */
static void change_print(const char *what, const json_t *change, FILE *out) {
    const json_t *ends = json_object_get(change, "interval");
    if (!json_is_array(ends))
        return;
    fprintf(out, "  %s %.3f [%.3f, %.3f]", what,
            json_number_value(json_object_get(change, "ratio")),
            json_number_value(json_array_get(ends, 0)), json_number_value(json_array_get(ends, 1)));
}

static void row_print(const json_t *row, FILE *out) {
    const char *problem = text_at(row, "problem"), *kernel = text_at(row, "kernel");
    const char *verdict = text_at(row, "verdict"), *status = text_at(row, "status");
    char *label = !*kernel   ? ht_strdup(text_at(row, "file"))
                  : *problem ? ht_format("%s (%s)", kernel, problem)
                             : ht_strdup(kernel);
    const json_t *speedup = json_object_get(row, "speedup");
    fprintf(out, "%-9s %-28s %-8s %-12s", *verdict ? verdict : "-", label, text_at(row, "device"),
            status);
    if (json_is_number(speedup) && json_number_value(speedup) > 0)
        fprintf(out, " %.2fx", json_number_value(speedup));
    change_print("time", json_object_get(row, "change"), out);
    if (strcmp(text_at(json_object_get(row, "original"), "verdict"), "slower") == 0)
        change_print("the original is slower:", json_object_get(row, "original"), out);
    if (*text_at(row, "reason") && strcmp(status, "kept") != 0 && strcmp(status, "unclear") != 0)
        fprintf(out, "  %s", text_at(row, "reason"));
    fprintf(out, "\n");
    free(label);
}

/* The machine's change is the median of the rows'. */
static void machine_print(const json_t *rows, FILE *out) {
    size_t index, slower = 0, faster = 0, known = 0;
    json_t *row;
    json_array_foreach(rows, index, row) {
        const json_t *machine = json_object_get(row, "machine");
        known += json_is_number(json_object_get(machine, "ratio"));
        slower += strcmp(text_at(machine, "verdict"), "slower") == 0;
        faster += strcmp(text_at(machine, "verdict"), "faster") == 0;
    }
    if (2 * slower > known)
        fprintf(out, "The machine is slower than it was: so is the calibration kernel.\n");
    else if (2 * faster > known)
        fprintf(out, "The machine is faster than it was: so is the calibration kernel.\n");
}

/* Prints how a program with its tuned copies compares; in a plan, why it is to be run. */
static void programs_print(const json_t *document, FILE *out) {
    size_t index, of;
    json_t *program, *compared;
    json_array_foreach(json_object_get(document, "programs"), index, program) {
        const char *name = text_at(program, "program"), *reason = text_at(program, "reason");
        if (*reason)
            fprintf(out, "program %s: %s\n", name, reason);
        json_array_foreach(json_object_get(program, "compared"), of, compared) {
            const char *why = text_at(compared, "reason"), *verdict = text_at(compared, "verdict");
            fprintf(out, "program %s on %s, with its tuned sources: %s", name,
                    text_at(compared, "device"), verdict);
            if (strcmp(verdict, "within-tolerance") == 0)
                fprintf(out, " (%g)", json_number_value(json_object_get(compared, "tolerance")));
            fprintf(out, "%s%s%s\n", *why ? ": " : "", why,
                    json_is_true(json_object_get(compared, "kept")) ? "; found in an earlier night"
                                                                    : "");
            size_t each;
            json_t *result;
            json_array_foreach(json_object_get(compared, "results"), each,
                               result) if (*text_at(result, "reason"))
                fprintf(out, "  %s: %s\n", text_at(result, "problem"), text_at(result, "reason"));
        }
    }
}

static void planned_print(const json_t *document, FILE *out) {
    const json_t *planned = json_object_get(document, "planned");
    size_t index, unknown = 0, kept = json_array_size(json_object_get(document, "kernels"));
    double seconds = 0;
    json_t *turn;
    fprintf(out, "%zu kernels are as they were: their verdicts stay.\n", kept);
    programs_print(document, out);
    bool running = false;
    json_array_foreach(json_object_get(document, "programs"), index, turn) running =
        running || *text_at(turn, "reason");
    if (json_array_size(planned) == 0 && !running)
        fprintf(out, "Nothing is to be done.\n");
    json_array_foreach(planned, index, turn) {
        const json_t *need = json_object_get(turn, "seconds");
        fprintf(out, "%3zu. %s on %s: %s", index + 1, text_at(turn, "file"),
                text_at(turn, "device"), text_at(turn, "why"));
        if (json_is_number(need))
            fprintf(out, "; %.0f s to prepare", json_number_value(need));
        fprintf(out, "\n");
        seconds += json_number_value(need);
        unknown += !json_is_number(need);
    }
    fprintf(out, "The budget is %.0f s.", json_number_value(json_object_get(document, "budget")));
    if (seconds > 0)
        fprintf(out, " Preparing takes %.0f s%s, searching the rest.", seconds,
                unknown ? " as far as it is known" : "");
    fprintf(out, "\n");
}

static void errors_print(const json_t *errors, FILE *out) {
    size_t index;
    json_t *error;
    json_array_foreach(errors, index, error)
        fprintf(out, "not analysed: %s:%d: %s\n", text_at(error, "file"),
                (int)json_integer_value(json_object_get(error, "line")), text_at(error, "message"));
}

void ht_night_report(const json_t *document, FILE *out) {
    if (json_object_get(document, "planned")) {
        planned_print(document, out);
        return;
    }
    const json_t *rows = json_object_get(document, "kernels");
    size_t index, kept = 0;
    json_t *row;
    json_array_foreach(rows, index, row) {
        bool is_kept = json_is_true(json_object_get(row, "kept"));
        kept += is_kept;
        if (!is_kept)
            row_print(row, out);
    }
    errors_print(json_object_get(document, "errors"), out);
    programs_print(document, out);
    machine_print(rows, out);
    if (kept > 0)
        fprintf(out, "%zu kernels are as they were and were not timed again.\n", kept);
    fprintf(out, "Night %lld:", (long long)json_integer_value(json_object_get(document, "night")));
    const char *verdict;
    json_t *count;
    const char *mark = " ";
    json_object_foreach(json_object_get(document, "verdicts"), verdict, count) {
        if (json_integer_value(count) == 0)
            continue;
        fprintf(out, "%s%lld %s", mark, (long long)json_integer_value(count), verdict);
        mark = ", ";
    }
    fprintf(out, "; %.0f of %.0f s; exit code %d%s\n",
            json_number_value(json_object_get(document, "seconds")),
            json_number_value(json_object_get(document, "budget")),
            (int)json_integer_value(json_object_get(document, "exit")),
            json_is_true(json_object_get(document, "interrupted")) ? "; interrupted" : "");
}

bool ht_night_report_compare(const json_t *document, FILE *out) {
    static const char *const verdicts[] = {"faster", "same", "slower", "unclear",
                                           "new",    "gone", "not-run"};
    const json_t *rows = json_object_get(document, "kernels");
    size_t counts[sizeof verdicts / sizeof *verdicts] = {0}, index;
    bool worse = false;
    json_t *row;
    json_array_foreach(rows, index, row) {
        row_print(row, out);
        const char *original = text_at(json_object_get(row, "original"), "verdict");
        worse = worse || strcmp(text_at(row, "verdict"), "slower") == 0 ||
                strcmp(original, "slower") == 0;
        for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; ++i)
            counts[i] += strcmp(text_at(row, "verdict"), verdicts[i]) == 0;
    }
    machine_print(rows, out);
    fprintf(out, "%zu kernels:", json_array_size(rows));
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; ++i)
        if (counts[i] > 0)
            fprintf(out, " %zu %s", counts[i], verdicts[i]);
    fprintf(out, "\n");
    return worse;
}

/* ---- why */

static void parts_print(const json_t *parts, const json_t *before, FILE *out) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)parts, name, value) {
        const char *old = text_at(before, name), *text = json_string_value(value);
        bool same = !before || strcmp(old, text) == 0;
        fprintf(out, "    %-10s %-7s %s\n", name, !before ? "" : same ? "same" : "CHANGED", text);
        if (!same)
            fprintf(out, "    %-10s %-7s %s\n", "", "was", *old ? old : "not part of it");
    }
}

int ht_night_report_why(const json_t *document, const char *name, FILE *out) {
    size_t index, found = 0;
    json_t *look;
    json_array_foreach(json_object_get(document, "looks"), index, look) {
        bool is_file = strcmp(ht_path_name(text_at(look, "file")), ht_path_name(name)) == 0;
        const json_t *kernels = json_object_get(look, "kernels");
        const char *kernel;
        json_t *parts;
        bool has = is_file;
        json_object_foreach((json_t *)kernels, kernel, parts) has =
            has || strcmp(kernel, name) == 0 ||
            (ht_text_begins(kernel, name) && kernel[strlen(name)] == ' ');
        if (!has)
            continue;
        ++found;
        fprintf(out, "%s on %s: %s\n  key of the source %s:\n", text_at(look, "file"),
                text_at(look, "device"), text_at(look, "state"), text_at(look, "key"));
        parts_print(json_object_get(look, "parts"), json_object_get(look, "before"), out);
        json_object_foreach((json_t *)kernels, kernel, parts) {
            if (!is_file && strncmp(kernel, name, strlen(name)) != 0)
                continue;
            fprintf(out, "  %s was last measured under a key of:\n", kernel);
            parts_print(parts, NULL, out);
        }
    }
    if (found > 0)
        return HT_EXIT_OK;
    ht_report_message("no kernel that was measured is named '%s', nor a source; a kernel is known "
                      "after its first night",
                      name);
    return HT_EXIT_INPUT;
}
