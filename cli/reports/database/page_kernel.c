#include "cli/reports/database/page_kernel.h"

#include "base/memory.h"
#include "cli/reports/database/document.h"
#include "cli/reports/database/page_table.h"
#include "cli/reports/database/plots.h"
#include "cli/reports/html_page.h"
#include "pipeline/report.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DIFF_MAX = 64 << 10 }; /* bytes of a patch that are shown */

static const char *text_at(const json_t *object, const char *key) {
    return ht_report_text_of(object, key);
}

/* ---- drawings */

void ht_kernel_plots_none(ht_kernel_plots *out_plots) {
    out_plots->history = out_plots->evaluations = out_plots->seconds = SIZE_MAX;
    for (size_t i = 0; i < HT_PAGE_EFFECTS; ++i)
        out_plots->effects[i] = SIZE_MAX;
}

void ht_kernel_plots_add(ht_gnuplot *batch, const json_t *kernel, const json_t *search,
                         ht_kernel_plots *out_plots) {
    const json_t *effects = json_object_get(search, "effects");
    ht_kernel_plots_none(out_plots);
    if (kernel)
        out_plots->history = ht_plot_history(batch, kernel);
    if (!search)
        return;
    out_plots->evaluations = ht_plot_progress(batch, search, false);
    out_plots->seconds = ht_plot_progress(batch, search, true);
    for (size_t i = 0; i < HT_PAGE_EFFECTS && i < json_array_size(effects); ++i)
        out_plots->effects[i] = ht_plot_effect(batch, json_array_get(effects, i));
}

/* Puts a drawing with its caption, which is HTML; nothing if there is no drawing. */
static void figure_put(const ht_gnuplot *batch, size_t number, const char *kind,
                       const char *caption, ht_text *out) {
    const char *svg = ht_gnuplot_svg(batch, number);
    if (svg)
        ht_text_printf(out, "<figure class=\"plot %s\">%s<figcaption>%s</figcaption></figure>\n",
                       kind, svg, caption);
}

/* ---- facts */

static void fact_put(const char *name, const char *text, bool code, ht_text *out) {
    if (!*text)
        return;
    ht_text_printf(out, "<p class=\"facts\">%s: %s", name, code ? "<code>" : "");
    ht_html_text(text, out);
    ht_text_printf(out, "%s</p>\n", code ? "</code>" : "");
}

static void change_put(const char *name, const json_t *change, ht_text *out) {
    const json_t *ends = json_object_get(change, "interval");
    if (!json_is_array(ends))
        return;
    ht_text_printf(out, "<p class=\"facts\">%s: <span class=\"verdict v-", name);
    ht_html_text(text_at(change, "verdict"), out);
    ht_text_append(out, "\">");
    ht_html_text(text_at(change, "verdict"), out);
    ht_text_printf(out, "</span>, %.3f [%.3f, %.3f] times what it was</p>\n",
                   json_number_value(json_object_get(change, "ratio")),
                   json_number_value(json_array_get(ends, 0)),
                   json_number_value(json_array_get(ends, 1)));
}

static void times_put(const char *names, const json_t *row, const char *original, const char *tuned,
                      ht_text *out) {
    const json_t *ends = json_object_get(row, "speedup_ci");
    const json_t *before = json_object_get(row, original), *after = json_object_get(row, tuned);
    if (!json_is_number(before) || !json_is_number(after))
        return;
    ht_text_printf(out, "<p class=\"facts\">%s: %.4g ms, %.4g ms", names, json_number_value(before),
                   json_number_value(after));
    if (json_is_array(ends))
        ht_text_printf(out, "; speedup <b>%.3f</b> [%.3f, %.3f]",
                       json_number_value(json_object_get(row, "speedup")),
                       json_number_value(json_array_get(ends, 0)),
                       json_number_value(json_array_get(ends, 1)));
    ht_text_append(out, "</p>\n");
}

static void kernel_facts(const json_t *kernel, ht_text *out) {
    ht_text_append(out, "<p class=\"facts\">");
    ht_html_place(kernel, out);
    ht_text_append(out, "</p>\n");
    fact_put("status", text_at(kernel, "status"), false, out);
    fact_put("reason", text_at(kernel, "reason"), false, out);
    fact_put("problem", text_at(kernel, "problem_fields"), true, out);
    times_put("original and tuned, timed in turn", kernel, "original_ms", "tuned_ms", out);
    fact_put("configuration", text_at(kernel, "config"), true, out);
    change_put("tuned kernel", json_object_get(kernel, "change"), out);
    change_put("original", json_object_get(kernel, "original"), out);
    change_put("calibration kernel", json_object_get(kernel, "machine"), out);
    fact_put("compiler", text_at(kernel, "compiler"), false, out);
}

static void search_facts(const json_t *search, ht_text *out) {
    fact_put("device", text_at(search, "device"), false, out);
    fact_put("compiler", text_at(search, "compiler"), false, out);
    fact_put("problem", text_at(search, "problem"), true, out);
    times_put("original and fastest of the search, not timed in turn", search, "original_ms",
              "best_ms", out);
    fact_put("fastest", text_at(search, "best"), true, out);
}

/* ---- tables of a search */

static void effects_put(const json_t *search, ht_text *out) {
    size_t index, number;
    json_t *effect, *value;
    ht_text_append(out, "<details><summary>Times by value</summary>\n<div class=\"scroll\"><table>"
                        "<tr><th>parameter</th><th>value</th><th class=\"number\">ran</th>"
                        "<th class=\"number\">best ms</th><th class=\"number\">median ms</th>"
                        "</tr>\n");
    json_array_foreach(json_object_get(search, "effects"), index, effect) {
        json_array_foreach(json_object_get(effect, "values"), number, value) {
            ht_text_append(out, "<tr><td><code>");
            ht_html_text(text_at(effect, "parameter"), out);
            ht_text_append(out, "</code></td><td><code>");
            ht_html_text(text_at(value, "value"), out);
            ht_text_printf(out, "</code></td><td class=\"number\">%lld</td>",
                           (long long)json_integer_value(json_object_get(value, "count")));
            bool ran = json_is_number(json_object_get(value, "best_ms"));
            ht_text_printf(out, ran ? "<td class=\"number\">%.4g</td>" : "<td></td>",
                           json_number_value(json_object_get(value, "best_ms")));
            ht_text_printf(out, ran ? "<td class=\"number\">%.4g</td>" : "<td></td>",
                           json_number_value(json_object_get(value, "median_ms")));
            ht_text_append(out, "</tr>\n");
        }
    }
    ht_text_append(out, "</table></div></details>\n");
}

static void parameters_put(const json_t *search, const ht_gnuplot *batch,
                           const ht_kernel_plots *plots, ht_text *out) {
    const json_t *effects = json_object_get(search, "effects");
    if (json_array_size(effects) == 0)
        return;
    ht_text_append(out, "<h3>Effects of parameters</h3>\n<div class=\"plots\">\n");
    for (size_t i = 0; i < HT_PAGE_EFFECTS && i < json_array_size(effects); ++i) {
        const json_t *effect = json_array_get(effects, i);
        ht_text caption = {0};
        ht_text_append(&caption, "<code>");
        ht_html_text(text_at(effect, "parameter"), &caption);
        ht_text_printf(&caption, "</code>: its value explains %.0f %% of the spread",
                       100 * json_number_value(json_object_get(effect, "explains")));
        if (json_is_true(json_object_get(effect, "more_values")))
            ht_text_append(&caption, "; its first 64 values");
        figure_put(batch, plots->effects[i], "small", caption.data, out);
        ht_text_free(&caption);
    }
    ht_text_append(out, "</div>\n");
    effects_put(search, out);
}

static void rejected_put(const json_t *search, ht_text *out) {
    size_t index;
    json_t *row;
    long long count = json_integer_value(json_object_get(search, "rejections"));
    long long others = json_integer_value(json_object_get(search, "rejected_others"));
    if (count == 0)
        return;
    ht_text_printf(out,
                   "<h3>Rejected variants: %lld</h3>\n<div class=\"scroll\"><table><tr>"
                   "<th class=\"number\">count</th><th>kind</th><th>reason of the first</th>"
                   "<th>its configuration</th></tr>\n",
                   count);
    json_array_foreach(json_object_get(search, "rejected"), index, row) {
        ht_text_printf(out, "<tr><td class=\"number\">%lld</td><td>",
                       (long long)json_integer_value(json_object_get(row, "count")));
        ht_html_text(text_at(row, "status"), out);
        ht_text_append(out, "</td><td>");
        ht_html_text(text_at(row, "example"), out);
        ht_text_append(out, "</td><td><code>");
        ht_html_text(text_at(row, "config"), out);
        ht_text_append(out, "</code></td></tr>\n");
    }
    if (others > 0)
        ht_text_printf(out,
                       "<tr><td class=\"number\">%lld</td><td></td><td>other reasons</td>"
                       "<td></td></tr>\n",
                       others);
    ht_text_append(out, "</table></div>\n");
}

/* ---- the winning diff */

static const char *line_class(const char *line) {
    return strncmp(line, "+++", 3) == 0 || strncmp(line, "---", 3) == 0 ? "hunk"
           : *line == '+'                                               ? "added"
           : *line == '-'                                               ? "removed"
           : *line == '@'                                               ? "hunk"
                                                                        : "";
}

static void diff_put(const json_t *kernel, ht_text *out) {
    const char *diff = text_at(kernel, "diff"), *at = diff;
    if (!*diff)
        return;
    ht_text_append(out, "<h3>The winning diff</h3>\n<pre class=\"diff\">");
    while (*at && at - diff < DIFF_MAX) {
        size_t length = strcspn(at, "\n");
        char *line = ht_strndup(at, length);
        ht_text_printf(out, "<span class=\"%s\">", line_class(line));
        ht_html_text(line, out);
        ht_text_append(out, "</span>\n");
        free(line);
        at += length + (at[length] == '\n');
    }
    ht_text_append(out, "</pre>\n");
    if (*at) {
        ht_text_append(out, "<p class=\"note\">The rest is in <code>");
        ht_html_text(text_at(kernel, "patch_file"), out);
        ht_text_append(out, "</code>.</p>\n");
    }
}

/* ---- all of a kernel */

static void summary_put(size_t number, const json_t *row, bool is_kernel, ht_text *out) {
    const char *verdict = text_at(row, "verdict"), *problem = text_at(row, "problem");
    const char *kernel = text_at(row, "kernel");
    const json_t *speedup = json_object_get(row, "speedup");
    ht_text_printf(out, "<details class=\"kernel\" id=\"k%zu\"><summary>", number);
    if (is_kernel) {
        ht_page_verdict(*verdict ? verdict : text_at(row, "status"), ht_report_original_slower(row),
                        out);
        ht_text_append(out, " ");
    }
    ht_text_append(out, "<code>");
    ht_html_text(*kernel ? kernel : text_at(row, "file"), out);
    ht_text_append(out, "</code> ");
    if (*problem && is_kernel)
        ht_text_append(out, "(");
    ht_html_text(problem, out);
    if (*problem && is_kernel)
        ht_text_append(out, ")");
    if (json_is_number(speedup))
        ht_text_printf(out, " <b>%.2f&times;</b>", json_number_value(speedup));
    ht_text_append(out, "</summary>\n");
}

void ht_page_kernel(size_t number, const json_t *kernel, const json_t *search,
                    const ht_gnuplot *batch, const ht_kernel_plots *plots, ht_text *out) {
    summary_put(number, kernel ? kernel : search, kernel != NULL, out);
    if (kernel)
        kernel_facts(kernel, out);
    else
        search_facts(search, out);
    ht_text_append(out, "<div class=\"plots\">\n");
    figure_put(batch, plots->history, "",
               "Over nights: the kernel and its original, as multiples "
               "of the calibration kernel in the same rounds",
               out);
    char *caption =
        ht_format("The best time so far against evaluations (%lld)",
                  (long long)json_integer_value(json_object_get(search, "evaluations")));
    figure_put(batch, plots->evaluations, "", caption, out);
    free(caption);
    figure_put(batch, plots->seconds, "",
               "The same against time; pauses of more than five minutes, as between nights, are "
               "left out",
               out);
    ht_text_append(out, "</div>\n");
    if (search) {
        parameters_put(search, batch, plots, out);
        rejected_put(search, out);
    }
    if (kernel)
        diff_put(kernel, out);
    ht_text_append(out, "</details>\n");
}
