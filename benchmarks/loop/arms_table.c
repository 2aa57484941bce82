#include "benchmarks/loop/arms_table.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static double number_of(const json_t *row, const char *key) {
    return json_number_value(json_object_get(row, key));
}

static bool is_of(const json_t *row, size_t subject, int arm) {
    const char *kernel = json_string_value(json_object_get(row, "kernel"));
    const char *name = json_string_value(json_object_get(row, "arm"));
    return kernel && name && strcmp(kernel, loop_subjects[subject].name) == 0 &&
           strcmp(name, arms_names[arm]) == 0;
}

static arms_cell cell_make(const arms_kept *kept, const arms_settings *settings, size_t subject,
                           int arm) {
    arms_cell cell = {.worst = (double)INFINITY};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < json_array_size(kept->rows); ++i) {
        const json_t *row = json_array_get(kept->rows, i);
        if (!arms_row_fits(row, settings) || !is_of(row, subject, arm))
            continue;
        double speedup = number_of(row, "speedup");
        ++cell.runs;
        sum += speedup;
        squares += speedup * speedup;
        cell.worst = fmin(cell.worst, speedup);
        cell.best = fmax(cell.best, speedup);
        cell.evaluations += number_of(row, "evaluations");
        cell.seconds += number_of(row, "seconds");
        cell.roofline = fmax(cell.roofline, number_of(row, "roofline"));
    }
    if (cell.runs == 0)
        return (arms_cell){0};
    cell.mean = sum / cell.runs;
    cell.evaluations /= cell.runs;
    cell.seconds /= cell.runs;
    if (cell.runs > 1)
        cell.deviation = sqrt(fmax(squares - sum * cell.mean, 0) / (cell.runs - 1));
    return cell;
}

void arms_table_make(const arms_kept *kept, const arms_settings *settings, arms_table *out_table) {
    *out_table = (arms_table){0};
    for (size_t i = 0; i < loop_subject_count && i < ARMS_ROWS; ++i)
        for (int arm = 0; arm < ARM_COUNT; ++arm)
            out_table->cells[i][arm] = cell_make(kept, settings, i, arm);
}

static bool is_whole(const arms_cell *cells) {
    return cells[ARM_REWRITING].runs && cells[ARM_SEARCH].runs && cells[ARM_LOOP].runs;
}

/* Returns the geometric mean of the means, over the kernels that all arms have; 0: there are none.
 */
static double overall(const arms_table *table, int arm) {
    double sum = 0;
    unsigned count = 0;
    for (size_t i = 0; i < loop_subject_count; ++i)
        if (is_whole(table->cells[i])) {
            sum += log(table->cells[i][arm].mean);
            ++count;
        }
    return count ? exp(sum / count) : 0;
}

char *arms_table_markdown(const arms_table *table, const arms_settings *settings) {
    ht_text text = {0};
    bool predicted = ht_text_begins(settings->device, "model:");
    ht_text_printf(&text, "%s, %s; %u evaluations a run.\n\n", settings->device,
                   predicted                               ? "predicted, not measured"
                   : strcmp(settings->device, "host") == 0 ? "host emulation"
                                                           : "measured",
                   settings->budget);
    ht_text_append(&text, "| kernel | way | seeds | mean | deviation | worst | best | evaluations "
                          "| seconds | of the roofline |\n|---|---|---|---|---|---|---|---|---|"
                          "---|\n");
    for (size_t i = 0; i < loop_subject_count; ++i)
        for (int arm = 0; arm < ARM_COUNT; ++arm) {
            const arms_cell *cell = &table->cells[i][arm];
            if (cell->runs == 0)
                continue;
            ht_text_printf(&text, "| `%s` | %s | %u | %.3f | ", loop_subjects[i].name,
                           arms_names[arm], cell->runs, cell->mean);
            if (cell->runs > 1)
                ht_text_printf(&text, "%.3f", cell->deviation);
            ht_text_printf(&text, " | %.3f | %.3f | %.0f | %.0f | ", cell->worst, cell->best,
                           cell->evaluations, cell->seconds);
            if (cell->roofline > 0)
                ht_text_printf(&text, "%.0f %% |\n", 100 * cell->roofline);
            else
                ht_text_append(&text, "|\n");
        }
    for (int arm = 0; arm < ARM_COUNT; ++arm)
        if (overall(table, arm) > 0)
            ht_text_printf(&text, "| all, geometric mean | %s | | %.3f | | | | | | |\n",
                           arms_names[arm], overall(table, arm));
    return ht_text_take(&text);
}

char *arms_table_json(const arms_table *table, const arms_settings *settings) {
    json_t *rows = json_array();
    for (size_t i = 0; i < loop_subject_count; ++i)
        for (int arm = 0; arm < ARM_COUNT; ++arm) {
            const arms_cell *cell = &table->cells[i][arm];
            if (cell->runs == 0)
                continue;
            json_array_append_new(rows,
                                  json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
                                            "kernel", loop_subjects[i].name, "arm", arms_names[arm],
                                            "runs", (int)cell->runs, "mean", cell->mean,
                                            "deviation", cell->deviation, "worst", cell->worst,
                                            "best", cell->best, "evaluations", cell->evaluations,
                                            "seconds", cell->seconds, "roofline", cell->roofline));
        }
    json_t *document = json_pack("{s:s, s:i, s:o}", "device", settings->device, "budget",
                                 (int)settings->budget, "rows", rows);
    char *text = json_dumps(document, JSON_INDENT(1));
    json_decref(document);
    return text;
}
