/* The report of `optimize` as a page: a summary, what was measured by gain, then reasons. */
#include "base/memory.h"
#include "cli/reports/entry_report.h"
#include "cli/reports/html_page.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>

static double gain_of(const json_t *row) {
    bool improved = strcmp(ht_report_text_of(row, "status"), "improved") == 0;
    return improved ? json_number_value(json_object_get(row, "speedup")) : 0;
}

static int most_gain_first(const void *a, const void *b) {
    const json_t *first = *(const json_t *const *)a, *second = *(const json_t *const *)b;
    double m = gain_of(first), n = gain_of(second);
    if (m > n || m < n)
        return m > n ? -1 : 1;
    int order = strcmp(ht_report_text_of(first, "file"), ht_report_text_of(second, "file"));
    return order ? order
                 : strcmp(ht_report_text_of(first, "name"), ht_report_text_of(second, "name"));
}

static void cell_put(const char *text, bool code, ht_text *out) {
    ht_text_append(out, code ? "<td><code>" : "<td>");
    ht_html_text(text, out);
    ht_text_append(out, code ? "</code></td>" : "</td>");
}

static void number_put(const json_t *row, const char *key, const char *format, ht_text *out) {
    char *text = ht_format(format, json_number_value(json_object_get(row, key)));
    ht_text_printf(out, "<td class=\"number\">%s</td>", text);
    free(text);
}

/* Puts "BLOCK_X=32 TILED=true". */
static void config_put(const json_t *row, ht_text *out) {
    const char *name, *between = "";
    json_t *value;
    ht_text_append(out, "<td><code>");
    json_object_foreach(json_object_get(row, "config"), name, value) {
        char *text = json_is_string(value) ? ht_strdup(json_string_value(value))
                                           : json_dumps(value, JSON_ENCODE_ANY);
        ht_text_append(out, between);
        ht_html_text(name, out);
        ht_text_append(out, "=");
        ht_html_text(text ? text : "", out);
        between = " ";
        free(text);
    }
    ht_text_append(out, "</code></td>");
}

static void measured_put(const json_t *row, ht_text *out) {
    const json_t *interval = json_object_get(row, "speedup_ci");
    const char *problem = ht_report_text_of(row, "problem");
    ht_text_append(out, "<tr>");
    cell_put(ht_report_text_of(row, "name"), true, out);
    cell_put(*problem ? problem : "-", false, out);
    ht_text_append(out, "<td>");
    ht_html_place(row, out);
    ht_text_append(out, "</td>");
    cell_put(ht_report_text_of(row, "status"), false, out);
    number_put(row, "original_ms", "%.4g", out);
    number_put(row, "tuned_ms", "%.4g", out);
    number_put(row, "speedup", "%.2fx", out);
    ht_text_printf(out, "<td>[%.3f, %.3f]</td>", json_number_value(json_array_get(interval, 0)),
                   json_number_value(json_array_get(interval, 1)));
    config_put(row, out);
    cell_put(ht_report_text_of(row, "patch_file"), true, out);
    char *day = ht_format("%.10s", ht_report_text_of(row, "earlier"));
    cell_put(*day ? day : "now", false, out);
    free(day);
    ht_text_append(out, "</tr>\n");
}

static void measured_list(const json_t *rows, ht_text *out) {
    const json_t **measured = ht_alloc(json_array_size(rows) + 1, sizeof *measured);
    size_t index, count = 0;
    json_t *row;
    json_array_foreach(rows, index, row) if (json_is_number(json_object_get(row, "speedup")))
        measured[count++] = row;
    if (count)
        qsort(measured, count, sizeof *measured, most_gain_first);
    ht_text_printf(out, "<h2>Measured: %zu</h2>\n", count);
    if (count)
        ht_text_append(out, "<table>\n<tr><th>kernel</th><th>problem</th><th>where</th>"
                            "<th>status</th><th>original ms</th><th>tuned ms</th>"
                            "<th>speedup</th><th>95 % interval</th><th>configuration</th>"
                            "<th>patch</th><th>measured</th></tr>\n");
    for (size_t i = 0; i < count; ++i)
        measured_put(measured[i], out);
    ht_text_append(out, count ? "</table>\n" : "");
    free(measured);
}

static void summary_put(const json_t *document, ht_text *out) {
    const json_t *device = json_object_get(document, "device");
    const json_t *rows = json_object_get(document, "kernels");
    ht_text_append(out, "<p>");
    for (int verdict = 0; verdict < HT_VERDICTS; ++verdict) {
        const char *name = ht_verdict_name((ht_verdict)verdict);
        size_t index, count = 0;
        json_t *row;
        json_array_foreach(rows, index, row) count +=
            strcmp(ht_report_text_of(row, "status"), name) == 0;
        if (count)
            ht_text_printf(out, "<b>%zu</b> %s &nbsp; ", count, name);
    }
    ht_text_append(out, "</p>\n<p>On ");
    ht_html_text(ht_report_text_of(device, "name"), out);
    ht_text_append(out, ": ");
    ht_html_text(ht_report_text_of(device, "description"), out);
    if (json_is_true(json_object_get(document, "emulated")))
        ht_text_append(out, ". All times are host emulation: they say nothing about a GPU");
    ht_text_append(out, ".</p>\n");
}

char *ht_optimize_html(const json_t *document) {
    const json_t *rows = json_object_get(document, "kernels");
    ht_text out = {0};
    ht_html_begin("hiptemper optimize", "Kernels", &out);
    summary_put(document, &out);
    measured_list(rows, &out);
    ht_html_groups(rows, "Without a gain", &out);
    ht_html_errors(json_object_get(document, "errors"), &out);
    ht_html_end(&out);
    return ht_text_take(&out);
}
