#include "cli/reports/database/markdown.h"

#include "base/memory.h"
#include "base/text.h"
#include "cli/reports/database/document.h"
#include "cli/reports/database/escape.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>

enum {
    END_RESERVE = 2000,   /* bytes for what follows the rows */
    WORD_MAX = 300,       /* bytes of a foreign word */
    HEAD_MAX = 20 * 1000, /* bytes of the lines about nights */
    ERRORS_MAX = 10
};

static const char *text_at(const json_t *object, const char *key) {
    return ht_report_text_of(object, key);
}

/* Puts a foreign text as code, cut where it is long. */
static void word_put(const char *text, ht_text *out) {
    size_t length = strlen(text);
    if (length <= WORD_MAX) {
        ht_markdown_code(text, out);
        return;
    }
    length = WORD_MAX;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        --length;
    char *cut = ht_format("%.*s...", (int)length, text);
    ht_markdown_code(cut, out);
    free(cut);
}

/* ---- the beginning */

static void heading_put(const json_t *document, ht_text *out) {
    const char *verdict, *mark = "";
    json_t *count;
    const json_t *verdicts = json_object_get(document, "verdicts");
    ht_text_append(out, "### hiptemper: ");
    json_object_foreach((json_t *)verdicts, verdict, count) {
        const char *name = strcmp(verdict, "-") == 0 ? "not timed" : verdict;
        ht_text_printf(out, "%s%lld ", mark, (long long)json_integer_value(count));
        ht_text_append_n(out, name, strspn(name, "abcdefghijklmnopqrstuvwxyz- "));
        mark = ", ";
    }
    if (json_object_size(verdicts) == 0)
        ht_text_printf(out, "%zu searches", json_array_size(json_object_get(document, "searches")));
    ht_text_append(out, "\n\n");
}

static void fact_put(const char *name, const char *text, ht_text *out) {
    if (!*text)
        return;
    ht_text_printf(out, "%s ", name);
    word_put(text, out);
}

static void facts_put(const json_t *document, ht_text *out) {
    size_t index;
    json_t *night;
    json_array_foreach(json_object_get(document, "nights"), index, night) {
        if (!json_is_true(json_object_get(night, "latest")) || out->length > HEAD_MAX)
            continue;
        ht_text_printf(out, "Night %lld",
                       (long long)json_integer_value(json_object_get(night, "night")));
        fact_put(" of", text_at(night, "job"), out);
        fact_put(", began", text_at(night, "began"), out);
        fact_put(" on", text_at(night, "host"), out);
        fact_put(" at commit", text_at(night, "commit"), out);
        fact_put(", hiptemper", text_at(night, "hiptemper"), out);
        fact_put(", shard", text_at(night, "shard"), out);
        fact_put(", verdicts against", text_at(night, "baseline"), out);
        ht_text_append(out, *text_at(night, "ended") ? ".\n\n" : "; it did not end.\n\n");
    }
    ht_text_append(out, "Report made");
    fact_put("", text_at(document, "made"), out);
    fact_put(" on", text_at(document, "host"), out);
    fact_put(" by hiptemper", text_at(document, "hiptemper"), out);
    ht_text_append(out, ".\n\n");
}

/* ---- rows */

static void kernel_row(const json_t *row, ht_text *out) {
    const json_t *speedup = json_object_get(row, "speedup");
    const json_t *ends = json_object_get(row, "speedup_ci");
    const json_t *change = json_object_get(row, "change");
    const json_t *moved = json_object_get(change, "interval");
    const char *verdict = text_at(row, "verdict"), *kernel = text_at(row, "kernel");
    ht_text_append(out, "| ");
    word_put(*verdict ? verdict : text_at(row, "status"), out);
    ht_text_append(out, ht_report_original_slower(row) ? ", original slower" : "");
    ht_text_append(out, " | ");
    word_put(*kernel ? kernel : text_at(row, "file"), out);
    ht_text_append(out, " | ");
    word_put(text_at(row, "problem"), out);
    ht_text_append(out, " | ");
    word_put(text_at(row, "device"), out);
    ht_text_append(out, " | ");
    if (json_is_number(speedup))
        ht_text_printf(out, "%.2f [%.2f, %.2f]", json_number_value(speedup),
                       json_number_value(json_array_get(ends, 0)),
                       json_number_value(json_array_get(ends, 1)));
    ht_text_append(out, " | ");
    if (json_is_array(moved))
        ht_text_printf(out, "%.3f [%.3f, %.3f]",
                       json_number_value(json_object_get(change, "ratio")),
                       json_number_value(json_array_get(moved, 0)),
                       json_number_value(json_array_get(moved, 1)));
    ht_text_append(out, " | ");
    word_put(text_at(row, "reason"), out);
    ht_text_append(out, " |\n");
}

static void rows_put(const json_t *rows, ht_text *out) {
    size_t index, put = 0;
    json_t *row;
    if (json_array_size(rows) == 0) {
        ht_text_append(out, "No kernels.\n\n");
        return;
    }
    ht_text_append(out, "| verdict | kernel | problem | device | speedup | time / before "
                        "| reason |\n"
                        "|---|---|---|---|---|---|---|\n");
    json_array_foreach(rows, index, row) {
        ht_text line = {0};
        kernel_row(row, &line);
        bool fits = out->length + line.length + END_RESERVE <= HT_MARKDOWN_MAX;
        if (fits)
            ht_text_append(out, line.data);
        put += fits;
        ht_text_free(&line);
        if (!fits)
            break;
    }
    ht_text_append(out, "\n");
    if (put < json_array_size(rows))
        ht_text_printf(out, "And %zu more, which do not fit here.\n\n",
                       json_array_size(rows) - put);
}

static void errors_put(const json_t *errors, ht_text *out) {
    size_t index, count = json_array_size(errors);
    json_t *error;
    if (count == 0)
        return;
    ht_text_printf(out, "Files that could not be analysed: %zu\n\n", count);
    json_array_foreach(errors, index, error) {
        ht_text line = {0};
        ht_text_append(&line, "- ");
        word_put(text_at(error, "file"), &line);
        ht_text_append(&line, ": ");
        word_put(text_at(error, "message"), &line);
        ht_text_append(&line, "\n");
        bool fits = out->length + line.length + 100 <= HT_MARKDOWN_MAX && index < ERRORS_MAX;
        ht_text_append(out, fits ? line.data : "");
        ht_text_free(&line);
    }
}

char *ht_database_markdown(const json_t *document) {
    const json_t *kernels = json_object_get(document, "kernels");
    bool nights = json_array_size(json_object_get(document, "nights")) > 0;
    ht_text out = {0};
    heading_put(document, &out);
    facts_put(document, &out);
    rows_put(nights ? kernels : json_object_get(document, "searches"), &out);
    ht_text_append(&out, "Times of the device `host` are host emulation: they say nothing about a "
                         "GPU.\n\n");
    errors_put(json_object_get(document, "errors"), &out);
    return ht_text_take(&out);
}
