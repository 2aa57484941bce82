#include "cli/reports/refactor_report.h"

#include "base/memory.h"
#include "base/text.h"
#include "cli/reports/refactor_groups.h"
#include "cli/reports/table.h"
#include "pipeline/report.h"

#include <stdlib.h>
#include <string.h>

static long number_of(const json_t *object, const char *key) {
    return (long)json_integer_value(json_object_get(object, key));
}

/* ---- remarks */

static const char *color_of(const char *kind) {
    return strcmp(kind, "applied") == 0  ? "\033[32m"
           : strcmp(kind, "missed") == 0 ? "\033[33m"
                                         : "\033[36m";
}

static void place_print(const char *file, long line, long column, const char *kind, FILE *out) {
    bool color = ht_report_has_color(out);
    fprintf(out, "%s:%ld:%ld: %sremark:%s ", file, line, column ? column : 1,
            color ? color_of(kind) : "", color ? "\033[0m" : "");
}

/* Returns true for a remark of a transformation that stood in the way of the template: a defect, to
 * be seen unasked. The plan ran without it, so that this is its only remark. */
static bool is_of_left_out(const json_t *row, const json_t *remark) {
    size_t index;
    json_t *name;
    bool found = false;
    json_array_foreach(json_object_get(row, "left_out"), index, name) found =
        found || strcmp(json_string_value(name), ht_report_text_of(remark, "transformation")) == 0;
    return found;
}

void ht_refactor_report_remarks(const json_t *row, ht_report_detail detail, FILE *out) {
    const char *reason = ht_report_text_of(row, "reason"),
               *status = ht_report_text_of(row, "status");
    long place = number_of(row, "reason_line");
    if (*reason && detail != HT_REPORT_BRIEF) {
        place_print(ht_report_text_of(row, "file"), place ? place : number_of(row, "line"),
                    place ? 1 : number_of(row, "column"), status, out);
        const char *earlier = ht_report_text_of(row, "earlier");
        fprintf(out, "%s: %s%s%.10s%s [%s]\n", ht_report_text_of(row, "name"), reason,
                *earlier ? " (in a run on " : "", earlier, *earlier ? "; --fresh tries again)" : "",
                status);
    }
    size_t index;
    json_t *remark;
    json_array_foreach(json_object_get(row, "remarks"), index, remark) {
        const char *kind = ht_report_text_of(remark, "kind");
        bool unasked = is_of_left_out(row, remark) ||
                       (strcmp(kind, "doubt") == 0 && detail != HT_REPORT_BRIEF);
        if (detail != HT_REPORT_ALL && !unasked)
            continue;
        const char *of = ht_report_text_of(remark, "transformation");
        place_print(ht_report_text_of(remark, "file"), number_of(remark, "line"),
                    number_of(remark, "column"), kind, out);
        fprintf(out, "%s: %s [%s%s%s]\n", ht_report_text_of(row, "name"),
                ht_report_text_of(remark, "message"), kind, *of ? ": " : "", of);
    }
}

/* ---- the table */

/* Returns "a b c", or "-"; free(). */
static char *list_text(const json_t *array) {
    ht_text text = {0};
    size_t index;
    json_t *item;
    json_array_foreach(array, index, item)
        ht_text_printf(&text, "%s%s", index ? " " : "", json_string_value(item));
    if (!text.length)
        ht_text_append(&text, "-");
    return ht_text_take(&text);
}

/* Returns the reason's first part, with dots for the others; free(). */
static char *brief_reason(const char *reason) {
    const char *core = ht_reason_core(reason), *end = strchr(core, ';');
    return end ? ht_format("%.*s; ...", (int)(end - core), core) : ht_strdup(core);
}

/* Briefly, a kernel without a template has its reason here, and parameters are left out. */
void ht_refactor_report_table(const json_t *rows, ht_report_detail detail, FILE *out) {
    bool brief = detail == HT_REPORT_BRIEF;
    const char *heads[] = {"kernel", "where", "status", "transformations", "parameters"};
    heads[3] = brief ? "transformations, or the reason" : heads[3];
    ht_table *table = ht_table_new(brief ? "lllt" : "llllt", heads);
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row) {
        char *where = ht_format("%s:%ld", ht_report_text_of(row, "file"), number_of(row, "line"));
        char *transformations = list_text(json_object_get(row, "transformations"));
        char *parameters = list_text(json_object_get(row, "parameters"));
        const char *reason = ht_report_text_of(row, "reason");
        if (brief && *reason) {
            free(transformations);
            transformations = brief_reason(reason);
        }
        const char *cells[] = {ht_report_text_of(row, "name"), where,
                               ht_report_text_of(row, "status"), transformations, parameters};
        ht_table_row(table, cells);
        free(where);
        free(transformations);
        free(parameters);
    }
    ht_table_finish(table, out, 0);
}

/* ---- the summary */

typedef struct tally {
    char *word;
    size_t count, waiting; /* waiting: for a problem file */
} tally;

typedef struct tallies {
    tally *items;
    size_t count;
} tallies;

static tally *tally_of(tallies *list, const char *word) {
    for (size_t i = 0; i < list->count; ++i)
        if (strcmp(list->items[i].word, word) == 0)
            return &list->items[i];
    HT_GROW(list->items, list->count);
    list->items[list->count] = (tally){.word = ht_strdup(word)};
    return &list->items[list->count++];
}

static int most_first(const void *a, const void *b) {
    const tally *first = a, *second = b;
    size_t m = first->count + first->waiting, n = second->count + second->waiting;
    return m != n ? (m > n ? -1 : 1) : strcmp(first->word, second->word);
}

static void tallies_sort(tallies *list) {
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, most_first);
}

static void tallies_free(tallies *list) {
    for (size_t i = 0; i < list->count; ++i)
        free(list->items[i].word);
    free(list->items);
}

static void row_count(const json_t *row, tallies *statuses, tallies *transformations) {
    const char *status = ht_report_text_of(row, "status");
    bool waits = strcmp(status, "needs-problem") == 0;
    ++tally_of(statuses, status)->count;
    size_t index;
    json_t *name;
    json_array_foreach(json_object_get(row, "transformations"), index, name) {
        tally *of = tally_of(transformations, json_string_value(name));
        ++*(waits ? &of->waiting : &of->count);
    }
}

static void transformations_print(tallies *list, FILE *out) {
    const char *heads[] = {"transformation", "kernels", "waiting for sizes"};
    if (list->count == 0)
        return;
    tallies_sort(list);
    fputc('\n', out);
    ht_table *table = ht_table_new("lrr", heads);
    for (size_t i = 0; i < list->count; ++i) {
        char *count = ht_format("%zu", list->items[i].count);
        char *more = ht_format("%zu", list->items[i].waiting);
        const char *cells[] = {list->items[i].word, count, more};
        ht_table_row(table, cells);
        free(count);
        free(more);
    }
    ht_table_finish(table, out, 0);
}

void ht_refactor_report_summary(const json_t *rows, size_t files, size_t parsed,
                                ht_report_detail detail, FILE *out) {
    tallies statuses = {0}, transformations = {0};
    size_t index, count = json_array_size(rows);
    json_t *row;
    json_array_foreach(rows, index, row) row_count(row, &statuses, &transformations);
    transformations_print(&transformations, out);
    ht_reason_groups_print(rows, detail == HT_REPORT_BRIEF, out);
    fprintf(out, "\n%zu file%s", files, files == 1 ? "" : "s");
    if (parsed < files)
        fprintf(out, " (%zu not read)", files - parsed);
    fprintf(out, ", %zu kernel%s", count, count == 1 ? "" : "s");
    tallies_sort(&statuses);
    for (size_t i = 0; i < statuses.count; ++i)
        fprintf(out, ", %zu %s", statuses.items[i].count, statuses.items[i].word);
    fputc('\n', out);
    tallies_free(&statuses);
    tallies_free(&transformations);
}

/* ---- files */

void ht_refactor_report_files(const json_t *rows, const char *folder, ht_report_detail detail,
                              FILE *out) {
    static const char *const keys[] = {"template", "launcher", "bug_report", "skeleton"},
                             *const words[] = {"template", "launcher", "bug", "fill in"},
                             *const counted[] = {"template%s", "launcher%s", "bug report%s",
                                                 "skeleton%s to fill in"};
    const char *last = "";
    size_t counts[4] = {0};
    bool any = false;
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row) for (size_t i = 0; i < 4; ++i) {
        const char *path = ht_report_text_of(row, keys[i]);
        if (!*path || strcmp(path, last) == 0) /* one skeleton serves all kernels of its file */
            continue;
        last = path;
        ++counts[i];
        if (detail == HT_REPORT_BRIEF && i != 2)
            continue;
        if (!any)
            fprintf(out, "\nWritten to %s:\n", folder);
        any = true;
        fprintf(out, "  %-9s %s\n", words[i], path);
    }
    const char *between = "";
    for (size_t i = 0; i < 4 && detail == HT_REPORT_BRIEF; ++i) {
        if (counts[i] == 0)
            continue;
        if (!*between)
            fprintf(out, "\nWritten to %s: ", folder);
        char *what = ht_format(counted[i], counts[i] == 1 ? "" : "s");
        fprintf(out, "%s%zu %s", between, counts[i], what);
        free(what);
        between = ", ";
    }
    if (*between)
        fprintf(out, " (--verbose lists them)\n");
}
