/* The report of `refactor` as a page: plain HTML, nothing that is loaded or run. */
#include "base/memory.h"
#include "base/text.h"
#include "cli/reports/html_page.h"
#include "cli/reports/refactor_report.h"
#include "pipeline/report.h"
#include "refactor/transformations/transformations.h"

#include <stdlib.h>
#include <string.h>

/* Counts the transformations that change what a thread does; hints to the compiler do not. */
static size_t changes_of(const json_t *row) {
    size_t index, count = 0;
    json_t *name;
    json_array_foreach(json_object_get(row, "transformations"), index, name) {
        const ht_searched *of = ht_searched_of(json_string_value(name));
        count += of && !of->is_hint;
    }
    return count;
}

static int most_changes_first(const void *a, const void *b) {
    const json_t *first = *(const json_t *const *)a, *second = *(const json_t *const *)b;
    size_t m = changes_of(first), n = changes_of(second);
    if (m != n)
        return m > n ? -1 : 1;
    int order = strcmp(ht_report_text_of(first, "file"), ht_report_text_of(second, "file"));
    return order ? order
                 : strcmp(ht_report_text_of(first, "name"), ht_report_text_of(second, "name"));
}

static void template_put(const json_t *row, ht_text *out) {
    size_t index;
    json_t *name;
    ht_text_append(out, "<tr><td><code>");
    ht_html_text(ht_report_text_of(row, "name"), out);
    ht_text_append(out, "</code></td><td>");
    ht_html_place(row, out);
    ht_text_printf(out, "</td><td class=\"number\">%zu</td><td>", changes_of(row));
    json_array_foreach(json_object_get(row, "transformations"), index, name) {
        ht_text_append(out, index ? ", " : "");
        ht_html_text(json_string_value(name), out);
    }
    ht_text_append(out, "</td><td><code>");
    ht_html_text(ht_report_text_of(row, "template"), out);
    ht_text_printf(out, "</code></td><td>%s</td></tr>\n",
                   json_is_true(json_object_get(row, "verified")) ? "yes" : "no");
}

static void templates_put(const json_t *rows, ht_text *out) {
    const json_t **templated = ht_alloc(json_array_size(rows) + 1, sizeof *templated);
    size_t index, count = 0;
    json_t *row;
    json_array_foreach(rows, index, row) if (*ht_report_text_of(row, "template"))
        templated[count++] = row;
    if (count)
        qsort(templated, count, sizeof *templated, most_changes_first);
    ht_text_printf(out, "<h2>With a template: %zu</h2>\n", count);
    if (count)
        ht_text_append(out, "<table>\n<tr><th>kernel</th><th>where</th><th>changes</th>"
                            "<th>transformations</th><th>template</th><th>verified</th></tr>\n");
    for (size_t i = 0; i < count; ++i)
        template_put(templated[i], out);
    ht_text_append(out, count ? "</table>\n" : "");
    free(templated);
}

char *ht_refactor_html(const json_t *rows, const json_t *errors) {
    ht_text out = {0};
    ht_html_begin("hiptemper refactor", "Kernels", &out);
    templates_put(rows, &out);
    ht_html_groups(rows, "Without", &out);
    ht_html_errors(errors, &out);
    ht_html_end(&out);
    return ht_text_take(&out);
}
