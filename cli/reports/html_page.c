#include "cli/reports/html_page.h"

#include "cli/reports/refactor_groups.h"
#include "pipeline/report.h"

static const char style[] =
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
    "th, td { border-color: #444; } p.next { color: #aaa; } }\n";

void ht_html_begin_with(const ht_html_page *page, ht_text *out) {
    ht_text_append(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width, "
                        "initial-scale=1\">\n");
    ht_text_append(out, page->head ? page->head : "");
    ht_text_append(out, "<title>");
    ht_html_text(page->title, out);
    ht_text_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>",
                   page->style ? page->style : style);
    ht_html_text(page->heading, out);
    ht_text_append(out, "</h1>\n");
}

void ht_html_begin(const char *title, const char *heading, ht_text *out) {
    ht_html_begin_with(&(ht_html_page){.title = title, .heading = heading}, out);
}

void ht_html_end(ht_text *out) {
    ht_text_append(out, "</body>\n</html>\n");
}

void ht_html_text(const char *text, ht_text *out) {
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

void ht_html_place(const json_t *row, ht_text *out) {
    ht_text_append(out, "<code>");
    ht_html_text(ht_report_text_of(row, "file"), out);
    ht_text_printf(out, ":%lld</code>", json_integer_value(json_object_get(row, "line")));
}

static void group_put(const ht_reason_group *group, ht_text *out) {
    ht_text_printf(out, "<details>\n<summary>%zu &times; %s: ", group->count, group->status);
    ht_html_text(group->reason, out);
    ht_text_append(out, "</summary>\n");
    if (group->next) {
        ht_text_append(out, "<p class=\"next\">Next: ");
        ht_html_text(group->next, out);
        ht_text_append(out, "</p>\n");
    }
    ht_text_append(out, "<table>\n<tr><th>kernel</th><th>where</th><th>reason</th></tr>\n");
    for (size_t i = 0; i < group->count; ++i) {
        ht_text_append(out, "<tr><td><code>");
        ht_html_text(ht_report_text_of(group->rows[i], "name"), out);
        ht_text_append(out, "</code></td><td>");
        ht_html_place(group->rows[i], out);
        ht_text_append(out, "</td><td>");
        ht_html_text(ht_report_text_of(group->rows[i], "reason"), out);
        ht_text_append(out, "</td></tr>\n");
    }
    ht_text_append(out, "</table>\n</details>\n");
}

void ht_html_groups(const json_t *rows, const char *title, ht_text *out) {
    ht_reason_groups groups;
    ht_reason_groups_make(rows, &groups);
    size_t count = 0;
    for (size_t i = 0; i < groups.count; ++i)
        count += groups.items[i].count;
    ht_text_printf(out, "<h2>%s: %zu</h2>\n", title, count);
    for (size_t i = 0; i < groups.count; ++i)
        group_put(&groups.items[i], out);
    ht_reason_groups_free(&groups);
}

void ht_html_errors(const json_t *errors, ht_text *out) {
    size_t index;
    json_t *error;
    if (json_array_size(errors) > 0)
        ht_text_printf(out, "<h2>Files that could not be read: %zu</h2>\n<ul>\n",
                       json_array_size(errors));
    json_array_foreach(errors, index, error) {
        ht_text_append(out, "<li>");
        ht_html_place(error, out);
        ht_text_append(out, ": ");
        ht_html_text(ht_report_text_of(error, "message"), out);
        ht_text_append(out, "</li>\n");
    }
    ht_text_append(out, json_array_size(errors) > 0 ? "</ul>\n" : "");
}
