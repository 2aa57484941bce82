#include "cli/reports/database/page_table.h"

#include "base/memory.h"
#include "cli/reports/html_page.h"

#include <stdlib.h>

static void filter_put(const char *id, const json_t *verdicts, ht_text *out) {
    const char *word;
    json_t *count;
    ht_text_printf(out,
                   "<div class=\"filter\" data-table=\"%s\"><input type=\"search\" "
                   "placeholder=\"Filter\" aria-label=\"Filter\">",
                   id);
    if (verdicts) {
        ht_text_append(out, "<select aria-label=\"Verdict\"><option value=\"\">all</option>");
        json_object_foreach((json_t *)verdicts, word, count) {
            ht_text_append(out, "<option>");
            ht_html_text(word, out);
            ht_text_append(out, "</option>");
        }
        ht_text_append(out, "</select>");
    }
    ht_text_append(out, "<span class=\"count\" aria-live=\"polite\"></span></div>\n");
}

void ht_page_table_begin(const char *id, const ht_page_column *columns, const json_t *verdicts,
                         ht_text *out) {
    filter_put(id, verdicts, out);
    ht_text_printf(out,
                   "<div class=\"scroll\"><table class=\"sortable cards\" id=\"%s\">\n"
                   "<thead><tr>",
                   id);
    for (; columns->name; ++columns)
        ht_text_printf(out, "<th scope=\"col\"%s><button type=\"button\">%s</button></th>",
                       columns->number ? " class=\"number\"" : "", columns->name);
    ht_text_append(out, "</tr></thead>\n<tbody>\n");
}

void ht_page_table_end(ht_text *out) {
    ht_text_append(out, "</tbody>\n</table></div>\n");
}

void ht_page_row_begin(const char *verdict, ht_text *out) {
    ht_text_append(out, "<tr data-verdict=\"");
    ht_html_text(verdict, out);
    ht_text_append(out, "\">");
}

void ht_page_row_end(ht_text *out) {
    ht_text_append(out, "</tr>\n");
}

static void cell_begin(const ht_page_column *column, ht_text *out) {
    ht_text_printf(out, "<td data-label=\"%s\"", column->name);
}

void ht_page_text(const ht_page_column *column, const char *text, bool code, ht_text *out) {
    cell_begin(column, out);
    ht_text_append(out, code && *text ? "><code>" : "><span>");
    ht_html_text(text, out);
    ht_text_append(out, code && *text ? "</code></td>" : "</span></td>");
}

void ht_page_verdict(const char *word, bool original_slower, ht_text *out) {
    ht_text_append(out, "<span class=\"verdict v-");
    ht_html_text(word, out);
    ht_text_append(out, "\">");
    ht_html_text(*word ? word : "-", out);
    ht_text_append(out, "</span>");
    if (original_slower)
        ht_text_append(out, ", <span class=\"verdict v-slower\">original slower</span>");
}

void ht_page_word(const ht_page_column *column, const char *word, bool original_slower,
                  ht_text *out) {
    cell_begin(column, out);
    ht_text_append(out, "><span>");
    ht_page_verdict(word, original_slower, out);
    ht_text_append(out, "</span></td>");
}

void ht_page_number(const ht_page_column *column, const json_t *number, const char *format,
                    ht_text *out) {
    cell_begin(column, out);
    if (json_is_number(number)) {
        char *text = ht_format(format, json_number_value(number));
        ht_text_printf(out, " class=\"number\" data-sort=\"%.9g\">%s</td>",
                       json_number_value(number), text);
        free(text);
    } else
        ht_text_append(out, " class=\"number\" data-sort=\"\"></td>");
}

void ht_page_interval(const ht_page_column *column, const json_t *interval, ht_text *out) {
    const json_t *lo = json_array_get(interval, 0), *hi = json_array_get(interval, 1);
    cell_begin(column, out);
    if (json_is_number(lo) && json_is_number(hi))
        ht_text_printf(out, " class=\"number\" data-sort=\"%.9g\">[%.3f, %.3f]</td>",
                       json_number_value(lo), json_number_value(lo), json_number_value(hi));
    else
        ht_text_append(out, " class=\"number\" data-sort=\"\"></td>");
}
