#include "base/memory.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/reports/database/document.h"
#include "cli/reports/database/junit.h"
#include "cli/reports/database/markdown.h"
#include "cli/reports/database/page.h"
#include "cli/reports/night_report.h"
#include "cli/reports/table.h"
#include "pipeline/nightly/notify.h"

#include <stdlib.h>
#include <string.h>

typedef struct report_options {
    const char *html;
    const char *junit;
    const char *markdown;
    const char *json;
    const char *notify;
} report_options;

static const ht_option options[] = {
    {"html", HT_OPTION_TEXT, offsetof(report_options, html), "FILE", .writes = true,
     .help = "Writes the report as a page for a browser, one file that loads nothing: summary, "
             "tables that sort and filter, plots (drawn by gnuplot), reasons of rejection, diffs. "
             "'-' is standard output, here and below."},
    {"junit", HT_OPTION_TEXT, offsetof(report_options, junit), "FILE", .writes = true,
     .help = "Writes it as JUnit's XML, for continuous integration: a case for each kernel, a "
             "failure where it or its original became slower."},
    {"markdown", HT_OPTION_TEXT, offsetof(report_options, markdown), "FILE", .writes = true,
     .help = "Writes it as Markdown for a pull request, no longer than GitHub takes."},
    {"json", HT_OPTION_JSON, offsetof(report_options, json), "FILE",
     .help = "Writes it as JSON: to standard output, or to FILE. docs/json.md describes it."},
    {"notify", HT_OPTION_TEXT, offsetof(report_options, notify), "CMD",
     .help = "Runs a program with the JSON as its standard input. Blanks divide its arguments; no "
             "shell reads them."},
    {0},
};

/* Writes what one of the writers made, unless its option was not given. */
static int form_write(const char *path, char *(*make)(const json_t *document),
                      const json_t *document) {
    ht_error error = {0};
    if (!path)
        return HT_EXIT_OK;
    char *text = make(document);
    size_t length = strlen(text);
    ht_status status = HT_OK;
    if (strcmp(path, "-") != 0)
        status = ht_result_write(path, text, length, &error);
    else if (fwrite(text, 1, length, stdout) != length || fflush(stdout) != 0)
        status = ht_error_set(&error, HT_ERROR_IO, "standard output cannot be written");
    free(text);
    return status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
}

static char *number_text(const json_t *row, const char *key, const char *format) {
    const json_t *number = json_object_get(row, key);
    return json_is_number(number) ? ht_format(format, json_number_value(number)) : ht_strdup("-");
}

/* Prints the searches of a database without nights. */
static void searches_print(const json_t *searches, FILE *out) {
    static const char *const headings[] = {"kernel",  "problem", "tried",       "rejected",
                                           "best ms", "speedup", "best config", NULL};
    size_t index;
    json_t *row;
    ht_table *table = ht_table_new("llrrrrt", headings);
    json_array_foreach(searches, index, row) {
        char *tried = number_text(row, "evaluations", "%.0f");
        char *rejected = number_text(row, "rejections", "%.0f");
        char *best = number_text(row, "best_ms", "%.4g");
        char *speedup = number_text(row, "speedup", "%.2fx");
        const char *const cells[] = {ht_report_text_of(row, "kernel"),
                                     ht_report_text_of(row, "problem"),
                                     tried,
                                     rejected,
                                     best,
                                     speedup,
                                     ht_report_text_of(row, "best"),
                                     NULL};
        ht_table_row(table, cells);
        free(tried);
        free(rejected);
        free(best);
        free(speedup);
    }
    ht_table_finish(table, out, 0);
    fprintf(out, "%zu searches; the database has no nights.\n", json_array_size(searches));
}

/* Returns true if a form goes to standard output. */
static bool is_piped(const report_options *given) {
    const char *const paths[] = {given->html, given->junit, given->markdown, given->json};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i)
        if (paths[i] && strcmp(paths[i], "-") == 0)
            return true;
    return false;
}

/* The gravest of two exit codes of writing: any but 0. */
static int also(int code, int other) {
    return code ? code : other;
}

static int forms_write(const report_options *given, const json_t *document) {
    ht_error error = {0};
    int code = form_write(given->html, ht_database_page, document);
    code = also(code, form_write(given->junit, ht_database_junit, document));
    code = also(code, form_write(given->markdown, ht_database_markdown, document));
    code = also(code, ht_report_json(given->json, document));
    if (given->notify && ht_notify(given->notify, document, &error) != HT_OK)
        code = also(code, ht_report_error(&error));
    return code;
}

static int run(const ht_command_line *line) {
    const report_options *given = line->options;
    json_t *document;
    ht_error error = {0};
    if (ht_database_document(line->operands[0], &document, &error) != HT_OK)
        return ht_report_error(&error);
    FILE *out = ht_report_stream(is_piped(given) ? "-" : NULL);
    if (json_array_size(json_object_get(document, "nights")) > 0)
        ht_night_report_compare(document, out);
    else
        searches_print(json_object_get(document, "searches"), out);
    int code = forms_write(given, document);
    json_decref(document);
    return code;
}

const ht_command ht_command_report = {
    .name = "report",
    .summary = "a report of what a database holds: as a page, JUnit, Markdown, JSON",
    .usage = "[OPTION]... DB",
    .description =
        "Reports what a tuning database holds: of each job of 'run' its latest night with the "
        "verdict of each kernel, their history over nights, and how each search went. A database "
        "without nights, as of 'tune --db', is reported by searches. Nothing is measured, and the "
        "database is not changed; it may be read while a night writes to it.\n\n"
        "All forms have the time, the host, the commit and the versions. The page's plots are "
        "drawn by gnuplot; where that is not installed, the page has none and says so.",
    .examples = "hiptemper report n.sqlite --html report.html\n"
                "hiptemper report n.sqlite --junit results.xml --markdown comment.md\n"
                "hiptemper report n.sqlite --markdown - | gh pr comment 17 --body-file -",
    .exit_codes = "  0    the report was written, whatever the verdicts are\n"
                  "  1    a file could not be written, or --notify failed\n"
                  "  2    wrong usage, or a file that is no tuning database\n"
                  "  3    the program of --notify could not be started",
    .options = options,
    .options_size = sizeof(report_options),
    .min_operands = 1,
    .max_operands = 1,
    .operand = "DB",
    .run = run,
};
