#include "cli/reports/replay_report.h"

#include "base/memory.h"
#include "cli/command.h"
#include "cli/reports/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t points[] = {10, 25, 50, 100, 150, 200};
enum { POINTS = sizeof points / sizeof *points };

/* Totals over the complete searches of a strategy. */
typedef struct totals {
    size_t complete;
    uint64_t evaluations, failed, missing, longest;
    double overhead;
    double spent_mean, spent_median; /* of one search, milliseconds */
} totals;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static totals totals_of(const ht_replayed *run) {
    totals sum = {0};
    double *spent = ht_alloc(run->count, sizeof *spent);
    for (size_t r = 0; r < run->count; ++r) {
        const ht_replay_trace *trace = &run->traces[r];
        if (!trace->complete)
            continue;
        sum.evaluations += trace->count;
        sum.failed += trace->failed;
        sum.missing += trace->missing;
        sum.overhead += trace->overhead;
        sum.longest = trace->count > sum.longest ? trace->count : sum.longest;
        spent[sum.complete] = trace->count ? trace->spent[trace->count - 1] : 0;
        sum.spent_mean += spent[sum.complete++];
    }
    if (sum.complete) {
        qsort(spent, sum.complete, sizeof *spent, ascending);
        sum.spent_mean /= (double)sum.complete;
        sum.spent_median = (spent[(sum.complete - 1) / 2] + spent[sum.complete / 2]) / 2;
    }
    free(spent);
    return sum;
}

static double overhead_of(const totals *sum) {
    return sum->evaluations ? sum->overhead * 1e3 / (double)sum->evaluations : 0;
}

static void print_row(const ht_replay_report *report, const ht_replayed *run, ht_table *table) {
    char *cells[POINTS + 5];
    totals sum = totals_of(run);
    size_t at = 0;
    cells[at++] = ht_strdup(run->strategy);
    for (size_t i = 0; i < POINTS; ++i) {
        ht_score_share share = ht_score_at(report->score, run->traces, run->count, points[i]);
        cells[at++] = ht_format("%.3f (%.3f)", share.mean, share.tenth);
    }
    double performance = ht_score_performance(report->score, run->traces, run->count);
    cells[at++] = isnan(performance) ? ht_strdup("-") : ht_format("%.3f", performance);
    cells[at++] = ht_format("%zu x %.0f", sum.complete,
                            sum.complete ? (double)sum.evaluations / (double)sum.complete : 0);
    cells[at++] =
        ht_replay_timed(report->replay) ? ht_format("%.0f", sum.spent_mean / 1e3) : ht_strdup("-");
    cells[at++] = ht_format("%.4f", overhead_of(&sum));
    ht_table_row_take(table, cells);
}

/* Returns true if a strategy makes use of what is known before. */
static bool expects(const ht_replayed *run) {
    for (size_t i = 0; ht_strategy_classes[i]; ++i)
        if (strcmp(ht_strategy_classes[i]->name, run->strategy) == 0)
            return ht_strategy_classes[i]->expects;
    return false;
}

static void print_expectations(const ht_replay_report *report, FILE *out) {
    bool any = false;
    for (size_t i = 0; i < report->run_count; ++i)
        any = any || expects(&report->runs[i]);
    if (any && report->facts)
        fprintf(out,
                "bayes and auto expect longer times where tiles do not divide the problem and "
                "wavefronts of %.0f are not full (--no-facts: nothing).\n",
                report->facts->wavefront);
    if (any && report->source_count)
        fprintf(out, "bayes and auto expect what %zu other run%s, as far as outcomes agree.\n",
                report->source_count, report->source_count == 1 ? " says" : "s say");
}

static void print_head(const ht_replay_report *report, FILE *out) {
    ht_replay_counts counts = ht_replay_count(report->replay);
    const ht_recording *recording = report->recording;
    const ht_score *score = report->score;
    fprintf(out, "%s%s%s: %llu configurations", recording->kernel[0] ? recording->kernel : "run",
            recording->device[0] ? " on " : "", recording->device,
            (unsigned long long)counts.space);
    if (counts.missing)
        fprintf(out, ", %llu not recorded", (unsigned long long)counts.missing);
    fprintf(out, ", %llu failed; optimum %.4g ms, median %.4g ms\n",
            (unsigned long long)counts.failed, score->optimum, score->median);
    if (counts.extra)
        fprintf(out, "%llu recorded configurations are not legal in this space; left out\n",
                (unsigned long long)counts.extra);
    if (report->seed_count)
        fprintf(out, "Every search begins with %zu configurations from other runs.\n",
                report->seed_count);
    print_expectations(report, out);
}

static void print_notes(const ht_replay_report *report, FILE *out) {
    const ht_score *score = report->score;
    uint64_t missing = 0;
    for (size_t i = 0; i < report->run_count; ++i)
        missing += totals_of(&report->runs[i]).missing;
    fprintf(out,
            "\nMean (tenth percentile) of optimum / best so far after 10, 25, ... evaluations. P: "
            "performance against\nrandom search in %.0f %s (about %.0f successes), 0 random, 1 the "
            "optimum at "
            "once; random search itself ",
            ht_replay_timed(report->replay) ? score->budget_ms / 1e3 : score->budget_ms,
            ht_replay_timed(report->replay) ? "seconds of recorded tuning"
                                            : "evaluations, as the run has no tuning times",
            score->budget_draws);
    if (isnan(report->random_performance))
        fprintf(out, "was not measured.\n");
    else
        fprintf(out, "has %.3f.\n", report->random_performance);
    if (report->max_evaluations && (double)report->max_evaluations < score->budget_draws)
        fprintf(out, "P counts what a search had at its end for the time left, as --max-evals ends "
                     "it before.\n");
    if (missing)
        fprintf(out,
                "%llu evaluations asked for configurations that are not recorded; they "
                "counted as failures.\n",
                (unsigned long long)missing);
    if (report->interrupted)
        fprintf(out, "Interrupted: only searches that were complete count.\n");
}

void ht_replay_report_print(const ht_replay_report *report, FILE *out) {
    ht_table *table = ht_table_new(
        "lrrrrrrrrrr", (const char *const[]){"strategy", "10", "25", "50", "100", "150", "200", "P",
                                             "searches", "tuning s", "overhead ms/eval"});
    print_head(report, out);
    fputc('\n', out);
    for (size_t i = 0; i < report->run_count; ++i)
        print_row(report, &report->runs[i], table);
    ht_table_finish(table, out, 0);
    print_notes(report, out);
}

static json_t *number_or_null(double number) {
    return isfinite(number) ? json_real(number) : json_null();
}

static json_t *curve_json(const ht_replay_report *report, const ht_replayed *run) {
    json_t *curve = json_object();
    for (size_t i = 0; i < POINTS; ++i) {
        ht_score_share share = ht_score_at(report->score, run->traces, run->count, points[i]);
        char *name = ht_format("%llu", (unsigned long long)points[i]);
        json_object_set_new(curve, name,
                            json_pack("{s:f, s:f, s:f, s:f}", "mean", share.mean, "median",
                                      share.median, "tenth", share.tenth, "error", share.error));
        free(name);
    }
    return curve;
}

static json_t *run_json(const ht_replay_report *report, const ht_replayed *run) {
    ht_replay_counts counts = ht_replay_count(report->replay);
    totals sum = totals_of(run);
    const ht_score *score = report->score;
    json_t *json = ht_report_json_new("hiptemper-replay", 1);
    json_object_set_new(json, "space", ht_report_json_text(report->space_path));
    json_object_set_new(json, "cache", ht_report_json_text(report->cache_path));
    json_object_set_new(json, "device", ht_report_json_text(report->recording->device));
    json_object_set_new(json, "strategy", ht_report_json_text(run->strategy));
    json_object_set_new(json, "repeats", json_integer((json_int_t)sum.complete));
    json_object_set_new(json, "seed", json_integer((json_int_t)report->seed));
    json_object_set_new(json, "max_evals", json_integer((json_int_t)report->max_evaluations));
    json_object_set_new(json, "batch", json_integer((json_int_t)report->batch));
    json_object_set_new(json, "seeds", json_integer((json_int_t)report->seed_count));
    json_object_set_new(json, "facts", json_boolean(report->facts && expects(run)));
    json_object_set_new(json, "sources",
                        json_integer(expects(run) ? (json_int_t)report->source_count : 0));
    json_object_set_new(json, "curve", curve_json(report, run));
    json_object_set_new(json, "P",
                        number_or_null(ht_score_performance(score, run->traces, run->count)));
    json_object_set_new(json, "P_random", number_or_null(report->random_performance));
    json_object_set_new(
        json, "P_budget",
        json_pack("{s:f, s:f}", "draws", score->budget_draws, "tuning_time_ms", score->budget_ms));
    json_object_set_new(json, "optimum_ms", json_real(score->optimum));
    json_object_set_new(json, "median_ms", json_real(score->median));
    json_object_set_new(json, "configurations",
                        json_pack("{s:I, s:I, s:I, s:I, s:I}", "legal", (json_int_t)counts.space,
                                  "recorded", (json_int_t)counts.recorded, "failed",
                                  (json_int_t)counts.failed, "missing", (json_int_t)counts.missing,
                                  "extra", (json_int_t)counts.extra));
    json_object_set_new(json, "evaluations",
                        json_pack("{s:I, s:I, s:I}", "total", (json_int_t)sum.evaluations, "failed",
                                  (json_int_t)sum.failed, "missing", (json_int_t)sum.missing));
    json_object_set_new(
        json, "tuning_time_ms",
        json_pack("{s:f, s:f}", "mean", sum.spent_mean, "median", sum.spent_median));
    json_object_set_new(json, "overhead_ms_per_eval", json_real(overhead_of(&sum)));
    json_object_set_new(json, "interrupted", json_boolean(report->interrupted));
    return json;
}

json_t *ht_replay_report_json(const ht_replay_report *report) {
    if (report->run_count == 1)
        return run_json(report, report->runs);
    json_t *array = json_array();
    for (size_t i = 0; i < report->run_count; ++i)
        json_array_append_new(array, run_json(report, &report->runs[i]));
    return array;
}

void ht_replay_report_curve(const ht_replay_report *report, ht_text *out) {
    ht_text_append(out, "strategy\tevaluations\tmean\tmedian\ttenth\n");
    for (size_t i = 0; i < report->run_count; ++i) {
        const ht_replayed *run = &report->runs[i];
        uint64_t longest = totals_of(run).longest;
        for (uint64_t n = 1; n <= longest; ++n) {
            ht_score_share share = ht_score_at(report->score, run->traces, run->count, n);
            ht_text_printf(out, "%s\t%llu\t%.6g\t%.6g\t%.6g\n", run->strategy,
                           (unsigned long long)n, share.mean, share.median, share.tenth);
        }
    }
}
