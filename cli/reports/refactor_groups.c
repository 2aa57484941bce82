#include "cli/reports/refactor_groups.h"

#include "base/memory.h"
#include "base/text.h"
#include "cli/reports/table.h"
#include "pipeline/report.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *ht_reason_core(const char *reason) {
    static const char *const usual[] = {"nothing can be made a parameter: ",
                                        "no problem is known for it: "};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; ++i)
        if (strncmp(reason, usual[i], strlen(usual[i])) == 0)
            return reason + strlen(usual[i]);
    return reason;
}

char *ht_reason_class(const char *reason) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (const char *at = ht_reason_core(reason); *at && *at != ';'; ++at) {
        bool opens = *at == '\'' && (at == reason || !isalnum((unsigned char)at[-1]));
        const char *end = opens ? strchr(at + 1, '\'') : NULL; /* not in "the original's" */
        const char *place = strncmp(at, " (line ", 7) == 0 ? strchr(at, ')') : NULL;
        if (place)
            at = place;
        else if (*at == '(')
            break;
        else if (end) {
            ht_text_append(&text, "'...'");
            at = end;
        } else if (isdigit((unsigned char)*at)) {
            ht_text_append(&text, "#");
            at += strspn(at, "0123456789") - 1;
        } else
            ht_text_append_n(&text, at, 1);
    }
    while (text.length && text.data[text.length - 1] == ' ')
        text.data[--text.length] = 0;
    return ht_text_take(&text);
}

/* By status: a step that may help. */
static const char *next_of(const char *status) {
    static const char *const steps[][2] = {
        {"needs-problem",
         "fill in its skeleton and save it as NAME.problem.json next to the source, "
         "or let the program say its sizes: hiptemper optimize --run"},
        {"unparsed", "say where its headers are and how it is compiled: -I, -D, --std, "
                     "--compile-commands"},
        {"too-complex", "raise --analysis-operations, --analysis-time or --analysis-memory"},
        {"withheld", "see its reason; a defect of hiptemper comes with a file to pass on"},
        {"crashed", "a defect of hiptemper: please pass the source on"},
        {"kept", "more configurations (--max-evals) or other sizes may find something faster"},
        {"unclear", "time longer (--final-time), or on a machine that does nothing else"},
        {"failed", "see its reason; hiptemper check TEMPLATE looks at the original itself"},
        {"refused",
         "hiptemper refactor --explain KERNEL FILE says more; docs/refused.md what to do"},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
        if (strcmp(steps[i][0], status) == 0)
            return steps[i][1];
    return NULL;
}

static ht_reason_group *group_of(ht_reason_groups *groups, const char *status, char *reason) {
    for (size_t i = 0; i < groups->count; ++i)
        if (strcmp(groups->items[i].status, status) == 0 &&
            strcmp(groups->items[i].reason, reason) == 0) {
            free(reason);
            return &groups->items[i];
        }
    HT_GROW(groups->items, groups->count);
    groups->items[groups->count] =
        (ht_reason_group){.status = status, .reason = reason, .next = next_of(status)};
    return &groups->items[groups->count++];
}

static int largest_first(const void *a, const void *b) {
    const ht_reason_group *first = a, *second = b;
    if (first->count != second->count)
        return first->count > second->count ? -1 : 1;
    int order = strcmp(first->status, second->status);
    return order ? order : strcmp(first->reason, second->reason);
}

void ht_reason_groups_make(const json_t *rows, ht_reason_groups *out_groups) {
    *out_groups = (ht_reason_groups){0};
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row) {
        const char *reason = ht_report_text_of(row, "reason");
        if (!*reason)
            continue;
        ht_reason_group *of =
            group_of(out_groups, ht_report_text_of(row, "status"), ht_reason_class(reason));
        HT_GROW(of->rows, of->count);
        of->rows[of->count++] = row;
    }
    if (out_groups->count)
        qsort(out_groups->items, out_groups->count, sizeof *out_groups->items, largest_first);
}

void ht_reason_groups_free(ht_reason_groups *groups) {
    for (size_t i = 0; i < groups->count; ++i) {
        free(groups->items[i].reason);
        free(groups->items[i].rows);
    }
    free(groups->items);
    *groups = (ht_reason_groups){0};
}

void ht_reason_groups_print(const json_t *rows, bool brief, FILE *out) {
    enum { SHOWN = 12 };
    const char *heads[] = {"reason", "kernels"};
    ht_reason_groups groups;
    ht_reason_groups_make(rows, &groups);
    size_t shown = brief && groups.count > SHOWN ? SHOWN : groups.count;
    size_t hidden = 0;
    ht_table *table = groups.count ? ht_table_new("lr", heads) : NULL;
    for (size_t i = 0; i < groups.count; ++i) {
        const ht_reason_group *of = &groups.items[i];
        char *word = ht_format("%s: %s", of->status, of->reason);
        char *count = ht_format("%zu", of->count);
        const char *cells[] = {word, count};
        if (i < shown)
            ht_table_row(table, cells);
        else
            hidden += of->count;
        free(count);
        free(word);
    }
    if (table) {
        fputc('\n', out);
        ht_table_finish(table, out, 0);
    }
    if (shown < groups.count)
        fprintf(out, "and %zu more reasons, of %zu kernels (--verbose lists them)\n",
                groups.count - shown, hidden);
    const char *last = NULL;
    for (size_t i = 0; i < groups.count && brief; ++i) {
        bool seen = false;
        for (size_t j = 0; j < i; ++j)
            seen = seen || groups.items[j].next == groups.items[i].next;
        if (seen || !groups.items[i].next)
            continue;
        fprintf(out, "%s%s: %s\n", last ? "" : "\n", groups.items[i].status, groups.items[i].next);
        last = groups.items[i].next;
    }
    ht_reason_groups_free(&groups);
}
