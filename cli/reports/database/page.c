#include "cli/reports/database/page.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/warning.h"
#include "cli/reports/database/document.h"
#include "cli/reports/database/page_kernel.h"
#include "cli/reports/database/page_table.h"
#include "cli/reports/database/plots.h"
#include "cli/reports/html_page.h"
#include "pipeline/report.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern const char ht_report_style[], ht_report_script[]; /* report.css, report.js */

/* A page under way. */
typedef struct page {
    const json_t *document, *kernels, *searches;
    ht_gnuplot *batch;
    size_t speedups;        /* its drawing */
    ht_kernel_plots *plots; /* of the first parts */
    size_t part_count;      /* kernels, or searches where there are no kernels */
    char *trouble;          /* why there are no drawings; NULL: there are */
    char nonce[HT_HASH_SIZE];
    ht_text out;
} page;

static const char *text_at(const json_t *object, const char *key) {
    return ht_report_text_of(object, key);
}

/* ---- parts: kernels with their searches, or searches alone */

static bool has_kernels(const page *in) {
    return json_array_size(in->kernels) > 0;
}

static const json_t *part_kernel(const page *in, size_t index) {
    return has_kernels(in) ? json_array_get(in->kernels, index) : NULL;
}

static const json_t *part_search(const page *in, size_t index) {
    if (!has_kernels(in))
        return json_array_get(in->searches, index);
    const json_t *number = json_object_get(json_array_get(in->kernels, index), "search");
    return json_is_integer(number)
               ? json_array_get(in->searches, (size_t)json_integer_value(number))
               : NULL;
}

static void plots_make(page *in) {
    ht_error error = {0};
    in->batch = ht_gnuplot_new();
    in->plots = ht_alloc(in->part_count + 1, sizeof *in->plots);
    in->speedups = ht_plot_speedups(in->batch, has_kernels(in) ? in->kernels : in->searches);
    for (size_t i = 0; i < in->part_count; ++i)
        if (i < HT_PAGE_DRAWN)
            ht_kernel_plots_add(in->batch, part_kernel(in, i), part_search(in, i), &in->plots[i]);
        else
            ht_kernel_plots_none(&in->plots[i]);
    if (ht_gnuplot_draw(in->batch, &error) == HT_OK)
        return;
    in->trouble = ht_strdup(error.message);
    ht_warning("%s", error.message);
}

/* ---- the beginning */

/* A script runs only with the page's own word for this once; nothing is loaded from anywhere. */
static void begin(page *in) {
    char *text = json_dumps(in->document, JSON_COMPACT);
    ht_hash_bytes(text ? text : "", text ? strlen(text) : 0, in->nonce);
    free(text);
    char *head = ht_format("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                           "'none'; style-src 'unsafe-inline'; script-src 'nonce-%s'; img-src "
                           "data:; base-uri 'none'; form-action 'none'\">\n"
                           "<link rel=\"icon\" href=\"data:,\">\n",
                           in->nonce);
    const ht_html_page frame = {.title = "hiptemper report",
                                .heading = "Tuning report",
                                .style = ht_report_style,
                                .head = head};
    ht_html_begin_with(&frame, &in->out);
    free(head);
}

/* Puts "NAME TEXT" of a line of facts. */
static void word_put(const char *name, const char *text, ht_text *out) {
    if (!*text)
        return;
    ht_text_printf(out, "%s <b>", name);
    ht_html_text(text, out);
    ht_text_append(out, "</b> ");
}

static void facts_put(page *in) {
    ht_text *out = &in->out;
    size_t index;
    json_t *night;
    ht_text_append(out, "<p class=\"facts\">Made ");
    word_put("", text_at(in->document, "made"), out);
    word_put("on", text_at(in->document, "host"), out);
    word_put("by hiptemper", text_at(in->document, "hiptemper"), out);
    word_put("of", text_at(in->document, "database"), out);
    ht_text_append(out, "</p>\n");
    json_array_foreach(json_object_get(in->document, "nights"), index, night) {
        if (!json_is_true(json_object_get(night, "latest")))
            continue;
        ht_text_printf(out, "<p class=\"facts\">Night %lld of ",
                       (long long)json_integer_value(json_object_get(night, "night")));
        ht_html_text(text_at(night, "job"), out);
        word_put(": began", text_at(night, "began"), out);
        word_put("on", text_at(night, "host"), out);
        word_put("at commit", text_at(night, "commit"), out);
        word_put("with hiptemper", text_at(night, "hiptemper"), out);
        word_put("shard", text_at(night, "shard"), out);
        word_put("named", text_at(night, "tag"), out);
        word_put("verdicts against", text_at(night, "baseline"), out);
        if (!*text_at(night, "ended"))
            ht_text_append(out, "<b>It did not end: it was killed, or is under way.</b>");
        ht_text_append(out, "</p>\n");
    }
}

static bool is_emulated(const page *in) {
    size_t index;
    json_t *row;
    json_array_foreach(in->kernels, index,
                       row) if (json_is_true(json_object_get(row, "emulated"))) return true;
    json_array_foreach(in->searches, index,
                       row) if (ht_text_begins(text_at(row, "device"), "host: ")) return true;
    return false;
}

static void summary_put(page *in) {
    ht_text *out = &in->out;
    const char *verdict;
    json_t *count;
    ht_text_append(out, "<ul class=\"verdicts\" id=\"summary\">\n");
    json_object_foreach(json_object_get(in->document, "verdicts"), verdict, count) {
        ht_text_append(out, "<li><span class=\"verdict v-");
        ht_html_text(verdict, out);
        ht_text_printf(out, "\"><b>%lld</b>", (long long)json_integer_value(count));
        ht_html_text(strcmp(verdict, "-") == 0 ? "not timed" : verdict, out);
        ht_text_append(out, "</span></li>\n");
    }
    size_t index, originals = 0;
    json_t *row;
    json_array_foreach(in->kernels, index, row) originals += ht_report_original_slower(row);
    if (originals > 0)
        ht_text_printf(out,
                       "<li><span class=\"verdict v-slower\"><b>%zu</b>original slower</span>"
                       "</li>\n",
                       originals);
    ht_text_append(out, "</ul>\n");
    if (in->part_count == 0)
        ht_text_append(out, "<p>The database has no kernels and no searches.</p>\n");
    else if (!has_kernels(in))
        ht_text_append(out, "<p>The database has no nights of <code>hiptemper run</code>: its "
                            "searches are shown. Their speedups are those of the search, and were "
                            "not confirmed by timing in turn.</p>\n");
    if (is_emulated(in))
        ht_text_append(out, "<p class=\"note\">Times of the device <code>host</code> are host "
                            "emulation: they say nothing about a GPU.</p>\n");
    if (in->trouble) {
        ht_text_append(out, "<p class=\"note\">");
        ht_html_text(in->trouble, out);
        ht_text_append(out, "</p>\n");
    }
    ht_html_errors(json_object_get(in->document, "errors"), out);
}

/* ---- tables */

enum {
    VERDICT,
    KERNEL,
    PROBLEM,
    DEVICE,
    STATUS,
    ORIGINAL,
    TUNED,
    SPEEDUP,
    INTERVAL,
    CHANGE,
    TRIED
};
static const ht_page_column kernel_columns[] = {
    {"verdict", false},      {"kernel", false},       {"problem", false}, {"device", false},
    {"status", false},       {"original ms", true},   {"tuned ms", true}, {"speedup", true},
    {"95 % interval", true}, {"time / before", true}, {"tried", true},    {NULL, false}};

/* Puts the cell that leads to the kernel's part of the page. */
static void link_put(const ht_page_column *column, size_t index, const json_t *row, ht_text *out) {
    const char *kernel = text_at(row, "kernel");
    ht_text_printf(out, "<td data-label=\"%s\"><a href=\"#k%zu\"><code>", column->name, index);
    ht_html_text(*kernel ? kernel : text_at(row, "file"), out);
    ht_text_append(out, "</code></a></td>");
}

static void kernel_row(size_t index, const json_t *row, ht_text *out) {
    const ht_page_column *columns = kernel_columns;
    const char *verdict = text_at(row, "verdict");
    ht_page_row_begin(*verdict ? verdict : "-", out);
    ht_page_word(&columns[VERDICT], verdict, ht_report_original_slower(row), out);
    link_put(&columns[KERNEL], index, row, out);
    ht_page_text(&columns[PROBLEM], text_at(row, "problem"), false, out);
    ht_page_text(&columns[DEVICE], text_at(row, "device"), false, out);
    ht_page_text(&columns[STATUS], text_at(row, "status"), false, out);
    ht_page_number(&columns[ORIGINAL], json_object_get(row, "original_ms"), "%.4g", out);
    ht_page_number(&columns[TUNED], json_object_get(row, "tuned_ms"), "%.4g", out);
    ht_page_number(&columns[SPEEDUP], json_object_get(row, "speedup"), "%.3f", out);
    ht_page_interval(&columns[INTERVAL], json_object_get(row, "speedup_ci"), out);
    ht_page_number(&columns[CHANGE], json_object_get(json_object_get(row, "change"), "ratio"),
                   "%.3f", out);
    ht_page_number(&columns[TRIED], json_object_get(row, "evaluations"), "%.0f", out);
    ht_page_row_end(out);
}

static void kernels_put(page *in) {
    size_t index;
    json_t *row;
    if (!has_kernels(in))
        return;
    ht_text_printf(&in->out, "<h2>Kernels: %zu</h2>\n", json_array_size(in->kernels));
    ht_page_table_begin("kernels", kernel_columns, json_object_get(in->document, "verdicts"),
                        &in->out);
    json_array_foreach(in->kernels, index, row) kernel_row(index, row, &in->out);
    ht_page_table_end(&in->out);
}

static void searches_put(page *in) {
    static const ht_page_column columns[] = {
        {"kernel", false},  {"problem", false},    {"device", false}, {"tried", true},
        {"rejected", true}, {"original ms", true}, {"best ms", true}, {"speedup", true},
        {"interval", true}, {"fastest", false},    {NULL, false}};
    ht_text *out = &in->out;
    size_t index;
    json_t *row;
    if (json_array_size(in->searches) == 0)
        return;
    ht_text_printf(out, "<h2>Searches: %zu</h2>\n", json_array_size(in->searches));
    ht_page_table_begin("searches", columns, NULL, out);
    json_array_foreach(in->searches, index, row) {
        ht_page_row_begin("", out);
        if (has_kernels(in))
            ht_page_text(&columns[0], text_at(row, "kernel"), true, out);
        else
            link_put(&columns[0], index, row, out);
        ht_page_text(&columns[1], text_at(row, "problem"), true, out);
        ht_page_text(&columns[2], text_at(row, "device"), false, out);
        ht_page_number(&columns[3], json_object_get(row, "evaluations"), "%.0f", out);
        ht_page_number(&columns[4], json_object_get(row, "rejections"), "%.0f", out);
        ht_page_number(&columns[5], json_object_get(row, "original_ms"), "%.4g", out);
        ht_page_number(&columns[6], json_object_get(row, "best_ms"), "%.4g", out);
        ht_page_number(&columns[7], json_object_get(row, "speedup"), "%.3f", out);
        ht_page_interval(&columns[8], json_object_get(row, "speedup_ci"), out);
        ht_page_text(&columns[9], text_at(row, "best"), true, out);
        ht_page_row_end(out);
    }
    ht_page_table_end(out);
}

/* Puts "1 slower, 3 same". */
static void verdicts_put(const ht_page_column *column, const json_t *night, ht_text *out) {
    const char *verdict;
    json_t *count;
    ht_text words = {0};
    ht_text_append(&words, "");
    json_object_foreach(json_object_get(night, "verdicts"), verdict,
                        count) if (json_integer_value(count) > 0)
        ht_text_printf(&words, "%s%lld %s", words.length ? ", " : "",
                       (long long)json_integer_value(count), verdict);
    ht_page_text(column, words.data, false, out);
    ht_text_free(&words);
}

static void nights_put(page *in) {
    static const ht_page_column columns[] = {
        {"night", true},     {"began (UTC)", false}, {"job", false},    {"host", false},
        {"commit", false},   {"hiptemper", false},   {"seconds", true}, {"exit code", true},
        {"verdicts", false}, {NULL, false}};
    const json_t *nights = json_object_get(in->document, "nights");
    ht_text *out = &in->out;
    if (json_array_size(nights) == 0)
        return;
    ht_text_printf(out, "<h2>Nights: %zu</h2>\n", json_array_size(nights));
    ht_page_table_begin("nights", columns, NULL, out);
    for (size_t i = json_array_size(nights); i-- > 0;) {
        const json_t *night = json_array_get(nights, i);
        ht_page_row_begin("", out);
        ht_page_number(&columns[0], json_object_get(night, "night"), "%.0f", out);
        ht_page_text(&columns[1], text_at(night, "began"), false, out);
        ht_page_text(&columns[2], text_at(night, "job"), false, out);
        ht_page_text(&columns[3], text_at(night, "host"), false, out);
        ht_page_text(&columns[4], text_at(night, "commit"), true, out);
        ht_page_text(&columns[5], text_at(night, "hiptemper"), false, out);
        ht_page_number(&columns[6], json_object_get(night, "seconds"), "%.0f", out);
        ht_page_number(&columns[7], json_object_get(night, "exit"), "%.0f", out);
        verdicts_put(&columns[8], night, out);
        ht_page_row_end(out);
    }
    ht_page_table_end(out);
}

/* ---- all */

static void parts_put(page *in) {
    ht_text *out = &in->out;
    if (in->part_count == 0)
        return;
    ht_text_append(out, "<h2>One by one</h2>\n");
    if (in->part_count > HT_PAGE_DRAWN && !in->trouble)
        ht_text_printf(out, "<p class=\"note\">The first %d have plots.</p>\n", HT_PAGE_DRAWN);
    for (size_t i = 0; i < in->part_count; ++i)
        ht_page_kernel(i, part_kernel(in, i), part_search(in, i), in->batch, &in->plots[i], out);
}

char *ht_database_page(const json_t *document) {
    page in = {.document = document,
               .kernels = json_object_get(document, "kernels"),
               .searches = json_object_get(document, "searches")};
    in.part_count = json_array_size(has_kernels(&in) ? in.kernels : in.searches);
    plots_make(&in);
    begin(&in);
    ht_text_printf(&in.out, "<svg class=\"shapes\" aria-hidden=\"true\">%s</svg>\n",
                   ht_gnuplot_shapes(in.batch));
    facts_put(&in);
    summary_put(&in);
    const char *speedups = ht_gnuplot_svg(in.batch, in.speedups);
    if (speedups)
        ht_text_printf(&in.out,
                       "<figure class=\"plot wide\">%s<figcaption>Speedups over the original with "
                       "their 95 %% intervals, the largest first</figcaption></figure>\n",
                       speedups);
    kernels_put(&in);
    if (!has_kernels(&in))
        searches_put(&in);
    nights_put(&in);
    parts_put(&in);
    if (has_kernels(&in))
        searches_put(&in);
    ht_text_printf(&in.out, "<script nonce=\"%s\">\n%s</script>\n", in.nonce, ht_report_script);
    ht_html_end(&in.out);
    ht_gnuplot_free(in.batch);
    free(in.plots);
    free(in.trouble);
    return ht_text_take(&in.out);
}
