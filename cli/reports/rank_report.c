#include "cli/reports/rank_report.h"

#include "base/memory.h"
#include "cli/reports/table.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 8 };

void ht_inspected_rank(ht_inspected *inspected) {
    size_t count;
    ht_inspect_launches(inspected->template, false, &count);
    inspected->times = ht_alloc(inspected->count + 1, sizeof *inspected->times);
    inspected->order = ht_alloc(inspected->count + 1, sizeof *inspected->order);
    ht_inspections_rank(inspected->gpu, inspected->inspections, inspected->count, count,
                        inspected->times, inspected->order);
    ht_inspect_launches(inspected->template, true, &count);
    if (ht_inspection_predict(inspected->gpu, &inspected->original, count,
                              &inspected->original_time, NULL) != HT_OK)
        inspected->original_time.seconds = (double)INFINITY;
}

static void add_row(ht_table *table, const ht_gpu_time *time, double best,
                    const ht_inspection *inspection, const char *rank, const char *name) {
    const ht_resources *resources = &inspection->launches[0].resources;
    char *cells[COLUMNS] = {
        ht_strdup(rank),
        ht_format("%.4g", 1e3 * time->seconds),
        ht_format("%.2fx", time->seconds / best),
        ht_strdup(ht_gpu_term_words(time->bottleneck)),
        ht_format("%d", resources->scratch),
        ht_format("%d", resources->vgprs),
        ht_format("%d/%d", resources->waves_per_simd, resources->max_waves_per_simd),
        ht_strdup(name),
    };
    ht_table_row_take(table, cells);
}

static void print_missing(const ht_inspected *inspected, FILE *out) {
    size_t launches, missing = 0, first = 0;
    ht_error error = {0};
    ht_gpu_time time;
    ht_inspect_launches(inspected->template, false, &launches);
    for (size_t i = inspected->count; i-- > 0;)
        if (!inspected->inspections[i].status && isinf(inspected->times[i].seconds)) {
            missing++;
            first = i;
        }
    if (missing == 0)
        return;
    ht_inspection_predict(inspected->gpu, &inspected->inspections[first], launches, &time, &error);
    fprintf(out, "  not predicted: %zu configuration%s; the first: %s\n", missing,
            missing == 1 ? "" : "s", error.message);
}

void ht_rank_print(const ht_inspected *inspected, FILE *out) {
    static const char *const heads[COLUMNS] = {"rank",    "ms",   "of best", "bottleneck",
                                               "scratch", "VGPR", "waves",   "configuration"};
    ht_table *table = ht_table_new("rrrlrrrl", heads);
    const size_t *order = inspected->order;
    double best = inspected->count ? inspected->times[order[0]].seconds : (double)INFINITY;
    fprintf(out, "  Predicted, not measured, for %s:\n", inspected->gpu->board);
    for (size_t i = 0; i < inspected->count && !isinf(inspected->times[order[i]].seconds); ++i) {
        char *config = ht_config_string(inspected->template, &inspected->configs[order[i]]);
        char *rank = ht_format("%zu", i + 1);
        add_row(table, &inspected->times[order[i]], best, &inspected->inspections[order[i]], rank,
                config);
        free(rank);
        free(config);
    }
    if (!isinf(inspected->original_time.seconds))
        add_row(table, &inspected->original_time,
                isinf(best) ? inspected->original_time.seconds : best, &inspected->original, "",
                "the original");
    ht_table_finish(table, out, 2);
    print_missing(inspected, out);
}

json_t *ht_predicted_json(const ht_gpu_time *time, size_t rank) {
    if (isinf(time->seconds))
        return json_null();
    json_t *terms = json_object();
    for (size_t i = 0; i < HT_GPU_TERM_COUNT; ++i)
        json_object_set_new(terms, ht_gpu_term_words((ht_gpu_term)i), json_real(time->terms[i]));
    return json_pack("{s:o, s:f, s:s, s:o}", "rank",
                     rank ? json_integer((json_int_t)rank) : json_null(), "seconds", time->seconds,
                     "bottleneck", ht_gpu_term_words(time->bottleneck), "terms", terms);
}

json_t *ht_model_json(const ht_gpu *gpu) {
    return json_pack("{s:s, s:s, s:s}", "gpu", gpu->name, "board", gpu->board, "source",
                     gpu->source);
}
