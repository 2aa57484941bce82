/* The report of `refactor` as a page: plain HTML, nothing that is loaded or run. */
#include "base/memory.h"
#include "base/text.h"
#include "cli/reports/refactor_groups.h"
#include "cli/reports/refactor_report.h"
#include "pipeline/report.h"
#include "refactor/transformations/transformations.h"

#include <stdlib.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<title>hiptemper refactor</title>\n<style>\n"
    "body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; "
    "padding: 0 1em; color: #222; background: #fff; }\n"
    "table { border-collapse: collapse; margin: 1em 0; }\n"
    "th, td { text-align: left; vertical-align: top; padding: .2em 1em .2em 0; "
    "border-bottom: 1px solid #ddd; }\n"
    "td.number { text-align: right; }\n"
    "code { font: 13px ui-monospace, monospace; }\n"
    "summary { cursor: pointer; margin: .4em 0; }\n"
    "p.next { color: #555; margin: .2em 0 .6em 1.2em; }\n"
    "@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; } "
    "th, td { border-color: #444; } p.next { color: #aaa; } }\n"
    "</style>\n</head>\n<body>\n<h1>Kernels</h1>\n";

static void escape(const char *text, ht_text *out) {
    for (const char *at = text; *at; ++at) {
        const char *entity = *at == '<'   ? "&lt;"
                             : *at == '>' ? "&gt;"
                             : *at == '&' ? "&amp;"
                             : *at == '"' ? "&quot;"
                                          : NULL;
        if (entity)
            ht_text_append(out, entity);
        else
            ht_text_append_n(out, at, 1);
    }
}

static void place_put(const json_t *row, ht_text *out) {
    ht_text_append(out, "<code>");
    escape(ht_report_text_of(row, "file"), out);
    ht_text_printf(out, ":%lld</code>", json_integer_value(json_object_get(row, "line")));
}

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
    escape(ht_report_text_of(row, "name"), out);
    ht_text_append(out, "</code></td><td>");
    place_put(row, out);
    ht_text_printf(out, "</td><td class=\"number\">%zu</td><td>", changes_of(row));
    json_array_foreach(json_object_get(row, "transformations"), index, name) {
        ht_text_append(out, index ? ", " : "");
        escape(json_string_value(name), out);
    }
    ht_text_append(out, "</td><td><code>");
    escape(ht_report_text_of(row, "template"), out);
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

static void group_put(const ht_reason_group *group, ht_text *out) {
    ht_text_printf(out, "<details>\n<summary>%zu &times; %s: ", group->count, group->status);
    escape(group->reason, out);
    ht_text_append(out, "</summary>\n");
    if (group->next) {
        ht_text_append(out, "<p class=\"next\">Next: ");
        escape(group->next, out);
        ht_text_append(out, "</p>\n");
    }
    ht_text_append(out, "<table>\n<tr><th>kernel</th><th>where</th><th>reason</th></tr>\n");
    for (size_t i = 0; i < group->count; ++i) {
        ht_text_append(out, "<tr><td><code>");
        escape(ht_report_text_of(group->rows[i], "name"), out);
        ht_text_append(out, "</code></td><td>");
        place_put(group->rows[i], out);
        ht_text_append(out, "</td><td>");
        escape(ht_report_text_of(group->rows[i], "reason"), out);
        ht_text_append(out, "</td></tr>\n");
    }
    ht_text_append(out, "</table>\n</details>\n");
}

static void groups_put(const json_t *rows, ht_text *out) {
    ht_reason_groups groups;
    ht_reason_groups_make(rows, &groups);
    size_t count = 0;
    for (size_t i = 0; i < groups.count; ++i)
        count += groups.items[i].count;
    ht_text_printf(out, "<h2>Without: %zu</h2>\n", count);
    for (size_t i = 0; i < groups.count; ++i)
        group_put(&groups.items[i], out);
    ht_reason_groups_free(&groups);
}

static void errors_put(const json_t *errors, ht_text *out) {
    size_t index;
    json_t *error;
    if (json_array_size(errors) > 0)
        ht_text_printf(out, "<h2>Files that could not be read: %zu</h2>\n<ul>\n",
                       json_array_size(errors));
    json_array_foreach(errors, index, error) {
        ht_text_append(out, "<li>");
        place_put(error, out);
        ht_text_append(out, ": ");
        escape(ht_report_text_of(error, "message"), out);
        ht_text_append(out, "</li>\n");
    }
    ht_text_append(out, json_array_size(errors) > 0 ? "</ul>\n" : "");
}

char *ht_refactor_html(const json_t *rows, const json_t *errors) {
    ht_text out = {0};
    ht_text_append(&out, head);
    templates_put(rows, &out);
    groups_put(rows, &out);
    errors_put(errors, &out);
    ht_text_append(&out, "</body>\n</html>\n");
    return ht_text_take(&out);
}
