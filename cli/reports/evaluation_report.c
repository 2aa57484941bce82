#include "cli/reports/evaluation.h"

#include "base/file.h"
#include "base/memory.h"
#include "cli/reports/table.h"
#include "pipeline/confidence.h"
#include "pipeline/report.h"

#include <stdlib.h>

static json_t *accuracy_members(json_t *object, const ht_accuracy *accuracy) {
    json_object_set_new(object, "average_accuracy", json_real(accuracy->average_accuracy));
    json_object_set_new(object, "perfect", json_real(accuracy->perfect));
    json_t *topk = json_object();
    for (size_t i = 0; i < HT_TOPK_COUNT; ++i) {
        char *k = ht_format("%zu", ht_topk[i]);
        json_object_set_new(topk, k, json_real(accuracy->topk[i]));
        free(k);
    }
    json_object_set_new(object, "topk", topk);
    return object;
}

/* Of each k of top-k the bounds of its 95 % interval. */
static json_t *intervals_json(const ht_accuracy *accuracy, size_t records) {
    json_t *object = json_object();
    for (size_t i = 0; i < HT_TOPK_COUNT; ++i) {
        ht_share share = ht_share_of(accuracy->topk[i], records);
        char *k = ht_format("%zu", ht_topk[i]);
        json_object_set_new(object, k, json_pack("[f, f]", share.lo, share.hi));
        free(k);
    }
    return object;
}

static json_t *parameters_json(const ht_evaluated *evaluated, const ht_accuracy *accuracy) {
    json_t *object = json_object();
    for (size_t i = 0; i < evaluated->param_count; ++i)
        json_object_set_new(object, evaluated->params[i], json_real(accuracy->per_parameter[i]));
    return object;
}

/* Of top-k on the records whose own configuration is legal. Where proposals are legal, none of
 * them matches another record. */
static double topk_legal(const ht_assessment *assessment, size_t k) {
    size_t records = assessment->records - assessment->refused.records;
    return records ? assessment->exact.topk[k] * (double)assessment->records / (double)records : 0;
}

static json_t *refused_json(const ht_evaluated *evaluated) {
    const ht_assessment *assessment = &evaluated->assessment;
    return json_pack("{s:I, s:o}", "records", (json_int_t)assessment->refused.records, "most",
                     evaluated->refused_by ? ht_report_json_text(evaluated->refused_by)
                                           : json_null());
}

static json_t *item_json(const ht_evaluated_list *list, const ht_evaluated *evaluated) {
    const ht_assessment *assessment = &evaluated->assessment;
    json_t *object = ht_report_json_new("hiptemper-evaluate", 1);
    json_object_set_new(object, "kernel", ht_report_json_text(evaluated->kernel));
    json_object_set_new(object, "records", json_integer((json_int_t)assessment->records));
    accuracy_members(object, &assessment->exact);
    json_object_set_new(object, "topk_intervals",
                        intervals_json(&assessment->exact, assessment->records));
    json_t *canonical = accuracy_members(json_object(), &assessment->canonical);
    json_object_set_new(canonical, "per_parameter",
                        parameters_json(evaluated, &assessment->canonical));
    json_object_set_new(object, "canonical", canonical);
    json_object_set_new(object, "legal", json_real(assessment->legal));
    json_object_set_new(object, "ms_per_prediction", json_real(assessment->ms_per_prediction));
    json_object_set_new(object, "per_parameter", parameters_json(evaluated, &assessment->exact));
    json_object_set_new(object, "reliability", ht_reliability_json(&assessment->reliability));
    json_object_set_new(object, "short_beams", json_real(assessment->short_beams));
    json_object_set_new(object, "skipped", json_integer((json_int_t)evaluated->skipped));
    json_object_set_new(object, "refused", refused_json(evaluated));
    json_object_set_new(object, "model", ht_report_json_text(evaluated->model));
    json_object_set_new(object, "data", ht_report_json_text(evaluated->path));
    json_object_set_new(object, "beam", json_integer((json_int_t)list->beam));
    json_object_set_new(object, "constrained", json_boolean(list->constrained));
    json_t *dropped = json_array();
    for (size_t i = 0; i < list->dropped->count; ++i)
        json_array_append_new(dropped, ht_report_json_text(list->dropped->items[i]));
    json_object_set_new(object, "dropped_constraints", dropped);
    json_object_set_new(object, "fold", ht_report_json_text(list->fold->fold));
    json_object_set_new(object, "fold_by", ht_report_json_text(list->fold->by));
    return object;
}

json_t *ht_evaluated_json(const ht_evaluated_list *list) {
    if (list->count == 1)
        return item_json(list, &list->items[0]);
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; ++i)
        json_array_append_new(array, item_json(list, &list->items[i]));
    return array;
}

static char *percent(double share) {
    return ht_format("%.1f", share * 100);
}

static void row_print(ht_table *table, const ht_evaluated *evaluated, bool canonical) {
    const ht_assessment *assessment = &evaluated->assessment;
    const ht_accuracy *accuracy = canonical ? &assessment->canonical : &assessment->exact;
    char *cells[9];
    cells[0] = ht_strdup(canonical ? "  aliases equal" : ht_path_name(evaluated->path));
    cells[1] = canonical ? ht_strdup("") : ht_format("%zu", assessment->records);
    cells[2] = percent(accuracy->average_accuracy);
    for (size_t i = 0; i < HT_TOPK_COUNT; ++i)
        cells[3 + i] = percent(accuracy->topk[i]);
    cells[7] = canonical ? ht_strdup("") : percent(assessment->legal);
    cells[8] = canonical ? ht_strdup("") : ht_format("%.2f", assessment->ms_per_prediction);
    ht_table_row_take(table, cells);
}

/* The bounds of what stands above. */
static void intervals_print(ht_table *table, const ht_assessment *assessment) {
    char *cells[9] = {ht_strdup("  95 % interval"), ht_strdup(""), ht_strdup("")};
    for (size_t i = 0; i < HT_TOPK_COUNT; ++i) {
        ht_share share = ht_share_of(assessment->exact.topk[i], assessment->records);
        cells[3 + i] = ht_format("%.1f-%.1f", 100 * share.lo, 100 * share.hi);
    }
    cells[7] = ht_strdup("");
    cells[8] = ht_strdup("");
    ht_table_row_take(table, cells);
}

static void parameters_print(const ht_evaluated *evaluated, FILE *out) {
    fprintf(out, "\n%s by parameter, %%\n", ht_path_name(evaluated->path));
    const char *heads[] = {"parameter", "right", "aliases equal"};
    ht_table *table = ht_table_new("lrr", heads);
    for (size_t i = 0; i < evaluated->param_count; ++i) {
        char *exact = percent(evaluated->assessment.exact.per_parameter[i]);
        char *canonical = percent(evaluated->assessment.canonical.per_parameter[i]);
        ht_table_row(table, (const char *[]){evaluated->params[i], exact, canonical});
        free(exact);
        free(canonical);
    }
    ht_table_finish(table, out, 2);
}

static void reliability_print(const ht_evaluated *evaluated, FILE *out) {
    const ht_reliability *reliability = &evaluated->assessment.reliability;
    const char *heads[] = {"probability", "records", "mean %", "right %", "among ten %"};
    fprintf(out, "\n%s by the probability of the first proposal\n", ht_path_name(evaluated->path));
    ht_table *table = ht_table_new("lrrrr", heads);
    for (size_t b = 0; b < HT_RELIABILITY_BINS; ++b) {
        const ht_reliability_bin *bin = &reliability->bins[b];
        double records = (double)bin->records;
        if (bin->records == 0)
            continue;
        char *cells[] = {
            ht_format("%.2f to %.2f", ht_reliability_edges[b], ht_reliability_edges[b + 1]),
            ht_format("%zu", bin->records), percent(bin->probabilities / records),
            percent((double)bin->right / records), percent((double)bin->among / records)};
        ht_table_row_take(table, cells);
    }
    ht_table_finish(table, out, 2);
    fprintf(out, "  mean distance of probability and share right: %.1f points\n",
            100 * ht_reliability_error(reliability));
}

static void left_out_print(const ht_evaluated_list *list, const ht_evaluated *evaluated,
                           FILE *out) {
    const ht_assessment *assessment = &evaluated->assessment;
    if (evaluated->skipped)
        fprintf(out,
                "  %zu records were left out: a parameter has a value that the model's "
                "schema does not know\n",
                evaluated->skipped);
    size_t refused = assessment->refused.records;
    if (!refused)
        return;
    fprintf(out,
            "  %zu of %zu records break the model's constraints (%s), so that no legal proposal "
            "can match them\n",
            refused, assessment->records,
            evaluated->refused_by ? evaluated->refused_by : "none of the configurations admitted");
    if (list->constrained && !list->dropped->count && refused < assessment->records)
        fprintf(out, "    of the others: perfect %.1f %%, top-10 %.1f %%\n",
                100 * topk_legal(assessment, 0), 100 * topk_legal(assessment, HT_TOPK_COUNT - 1));
}

void ht_evaluated_print(const ht_evaluated_list *list, FILE *out) {
    const char *heads[] = {"data",    "records",  "average %", "perfect %",    "top-3 %",
                           "top-5 %", "top-10 %", "legal %",   "ms/prediction"};
    ht_table *table = ht_table_new("lrrrrrrrr", heads);
    fprintf(out, "Beam of %zu, constraints %s\n", list->beam,
            !list->constrained     ? "off"
            : list->dropped->count ? "on, but for those dropped"
                                   : "on");
    for (size_t i = 0; i < list->count; ++i) {
        row_print(table, &list->items[i], false);
        intervals_print(table, &list->items[i].assessment);
        row_print(table, &list->items[i], true);
    }
    ht_table_finish(table, out, 2);
    for (size_t i = 0; i < list->count; ++i) {
        parameters_print(&list->items[i], out);
        reliability_print(&list->items[i], out);
        left_out_print(list, &list->items[i], out);
    }
}

void ht_evaluated_free(ht_evaluated_list *list) {
    for (size_t i = 0; i < list->count; ++i) {
        ht_strings_free(list->items[i].params, list->items[i].param_count);
        free(list->items[i].refused_by);
        free(list->items[i].kernel);
    }
    free(list->items);
}
