#include "cli/reports/loop_report.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/report.h"
#include "pipeline/verdict.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const ht_loop_report *report, const char *key) {
    return ht_report_text_of(report->about, key);
}

/* Returns what a revision gained over the best before it, in words; free(). */
static char *gain_words(const ht_revision *revision) {
    const ht_gain_interval *gain = &revision->over_best;
    if (revision->number == 0)
        return ht_strdup("1x");
    if (!revision->verdict || strcmp(revision->verdict, "refused") == 0)
        return ht_strdup("refused");
    if (gain->ratio > 0)
        return ht_format("%.3fx [%.3f, %.3f]", gain->ratio, gain->lo, gain->hi);
    if (strcmp(revision->verdict, ht_verdict_name(HT_VERDICT_KEPT)) == 0)
        return ht_strdup("the original stays"); /* `kept` is said of revisions */
    return ht_strdup(revision->verdict);
}

static void speedup_print(const ht_revision *revision, FILE *out) {
    const ht_gain_interval *speedup = &revision->speedup;
    if (revision->number > 0 && speedup->ratio > 0)
        fprintf(out, ", %.3fx [%.3f, %.3f] of the original's speed", speedup->ratio, speedup->lo,
                speedup->hi);
}

/* Prints how fast it is at sizes that it was not tuned for. */
static void elsewhere_print(const json_t *rows, const char *margin, const char *below, FILE *out) {
    fprintf(out, "%s%s   elsewhere: ", margin, below);
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        const json_t *row = json_array_get(rows, i), *speedup = json_object_get(row, "speedup");
        fprintf(out, "%s%.3fx at %s%s", i ? ", " : "",
                json_number_value(json_array_get(speedup, 0)), ht_report_text_of(row, "problem"),
                json_is_true(json_object_get(row, "original")) ? " (takes the original)" : "");
    }
    fputc('\n', out);
}

static void node_print(const ht_revision *revision, const char *margin, const char *branch,
                       const char *below, FILE *out) {
    char *gain = gain_words(revision);
    fprintf(out, "%s%s%lu %s: %s%s", margin, branch, (unsigned long)revision->number,
            ht_action_name(revision->action), gain, revision->kept ? ", kept" : "");
    free(gain);
    speedup_print(revision, out);
    if (revision->number > 0)
        fprintf(out, "; %lu configuration%s, %.0f s", (unsigned long)revision->evaluations,
                revision->evaluations == 1 ? "" : "s", revision->seconds);
    fputc('\n', out);
    if (revision->reason && *revision->reason)
        fprintf(out, "%s%s   why: %s\n", margin, below, revision->reason);
    if (revision->kept && revision->config)
        fprintf(out, "%s%s   with: %s\n", margin, below, revision->config);
    if (revision->finding)
        fprintf(out, "%s%s   %s: %s\n", margin, below,
                revision->verified && !revision->slower ? "checked" : "but", revision->finding);
    if (revision->kept && json_array_size(revision->elsewhere))
        elsewhere_print(revision->elsewhere, margin, below, out);
}

static bool is_child(const ht_revision *revision, uint64_t parent) {
    return revision->number > parent && revision->parent == parent;
}

/* Prints a revision and what was made from it. */
static void tree_print(const ht_history *history, const ht_revision *node, const char *margin,
                       bool last, FILE *out) {
    bool root = node->number == 0;
    const char *below = root ? "" : last ? "   " : "|  ";
    node_print(node, margin, root ? "" : "+- ", below, out);
    char *inner = ht_format("%s%s", margin, below);
    size_t left = 0;
    for (size_t i = 0; i < history->count; ++i)
        left += is_child(&history->items[i], node->number);
    for (size_t i = 0; i < history->count; ++i)
        if (is_child(&history->items[i], node->number))
            tree_print(history, &history->items[i], inner, --left == 0, out);
    free(inner);
}

/* Prints the roofline: the bytes that have to be moved, the time to move them once, and its part of
 * the original's time and the best's. */
static void roofline_print(const ht_history *history, FILE *out) {
    const ht_revision *best = ht_history_best(history);
    double share = ht_history_roofline(history), original_ms = 0;
    if (share <= 0)
        return;
    for (size_t i = 0; i < history->count && original_ms <= 0; ++i)
        original_ms = i ? history->items[i].original_ms : history->items[i].best_ms;
    fprintf(out,
            "Roofline: %.4g MB have to be moved, which takes %.4g ms: ", best->least_bytes / 1e6,
            best->least_ms);
    if (original_ms > 0)
        fprintf(out, "%.0f %% of the original's time", 100 * best->least_ms / original_ms);
    if (best->number > 0)
        fprintf(out, "%s%.0f %% of the best's", original_ms > 0 ? ", " : "", 100 * share);
    fputs(".\n", out);
}

static const char *how_measured(const ht_loop_report *report) {
    if (json_is_true(json_object_get(report->about, "predicted")))
        return "predicted, not measured; verified on the host";
    return json_is_true(json_object_get(report->about, "emulated"))
               ? "measured in turn with it (host emulation)"
               : "measured in turn with it";
}

static void best_print(const ht_loop_report *report, FILE *out) {
    const ht_revision *best = ht_history_best(report->history);
    if (best == NULL || best->number == 0) {
        fputs(report->history->count > 1 ? "\nThe original stays: nothing was clearly faster.\n"
                                         : "\nNothing was tried to its end.\n",
              out);
        return;
    }
    fprintf(out, "\nBest: revision %lu, %.3fx [%.3f, %.3f] of the original's speed, %s.\n",
            (unsigned long)best->number, best->speedup.ratio, best->speedup.lo, best->speedup.hi,
            how_measured(report));
}

void ht_loop_report_print(const ht_loop_report *report, FILE *out) {
    const char *problem = text_of(report, "problem"), *fields = text_of(report, "fields");
    fprintf(out, "%s%s%s%s", report->kernel, *problem ? " (" : "", problem, *problem ? ")" : "");
    fprintf(out, "%s%s on %s%s, of %s\n", *fields ? ", " : "", fields, text_of(report, "device"),
            json_is_true(json_object_get(report->about, "emulated")) ? " (host emulation)" : "",
            report->file);
    if (report->history->count)
        tree_print(report->history, &report->history->items[0], "", true, out);
    best_print(report, out);
    roofline_print(report->history, out);
    if (report->ended)
        fprintf(out, "Ended: %s\n", report->ended);
    else
        fprintf(out, "Not ended: the same command goes on.\n");
}

void ht_loop_report_choice(const ht_choice *choice, uint64_t number, FILE *out) {
    fprintf(out, "%lu %s from revision %lu: %s Expected: %.3fx", (unsigned long)number,
            ht_action_name(choice->action), (unsigned long)choice->parent, choice->reason,
            choice->predicted_gain);
    if (choice->predicted_cost > 0)
        fprintf(out, ", %.0f s", choice->predicted_cost);
    fputc('\n', out);
    fflush(out);
}

void ht_loop_report_done(const ht_revision *revision, FILE *out) {
    node_print(revision, "", "", "", out);
    fflush(out);
}

json_t *ht_loop_report_json(const ht_loop_report *report) {
    json_t *document = ht_report_json_new("hiptemper-loop", 1);
    const ht_revision *best = ht_history_best(report->history);
    json_t *revisions = json_array();
    json_object_set_new(document, "file", ht_report_json_text(report->file));
    json_object_set_new(document, "kernel", ht_report_json_text(report->kernel));
    ht_report_json_copy(document, report->about,
                        (const char *const[]){"problem", "fields", "device", "emulated",
                                              "predicted", "lessons", NULL});
    json_object_set_new(document, "ended", ht_report_json_text(report->ended));
    json_object_set_new(document, "evaluations",
                        json_integer((json_int_t)ht_history_spent(report->history)));
    json_object_set_new(document, "best",
                        best ? json_integer((json_int_t)best->number) : json_null());
    for (size_t i = 0; i < report->history->count; ++i)
        json_array_append_new(revisions, ht_revision_json(&report->history->items[i]));
    json_object_set_new(document, "revisions", revisions);
    return document;
}
