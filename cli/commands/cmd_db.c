#include "base/memory.h"
#include "cli/command.h"
#include "runtime/store/merge.h"

#include <inttypes.h>
#include <string.h>

typedef struct db_options {
    double days;
    const char *json;
} db_options;

static const ht_option options[] = {
    {"days", HT_OPTION_NUMBER, offsetof(db_options, days), "DAYS", .fallback = "90", .min = 0,
     .help = "prune: what is younger stays."},
    {"json", HT_OPTION_JSON, offsetof(db_options, json), "FILE",
     .help = "check, stats: writes the counts as JSON: to standard output, or to FILE. "
             "docs/json.md describes it."},
    {0},
};

static int merge(const ht_command_line *line) {
    ht_error error = {0};
    const char *out = line->operands[1];
    ht_status status = ht_database_merge(out, (const char *const *)line->operands + 2,
                                         line->operand_count - 2, &error);
    ht_database_counts counts = {0};
    if (status == HT_OK)
        status = ht_database_count(out, &counts, &error);
    if (ht_error_named(status, &error) != HT_OK)
        return ht_report_error(&error);
    printf("%s: %" PRId64 " evaluations of %" PRId64 " kernels\n", out, counts.evaluations,
           counts.kernels);
    return HT_EXIT_OK;
}

static json_t *counts_json(const char *path, const ht_database_counts *counts) {
    const struct {
        const char *name;
        int64_t number;
    } members[] = {{"jobs", counts->jobs},           {"kernels", counts->kernels},
                   {"devices", counts->devices},     {"evaluations", counts->evaluations},
                   {"successes", counts->successes}, {"deaths", counts->deaths},
                   {"races", counts->races},         {"nights", counts->nights},
                   {"results", counts->results},     {"files", counts->files},
                   {"loops", counts->loops},         {"revisions", counts->revisions},
                   {"damaged", counts->damaged}};
    json_t *file = json_pack("{s:o}", "file", ht_report_json_text(path));
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i)
        json_object_set_new(file, members[i].name,
                            members[i].number < 0 ? json_null() : json_integer(members[i].number));
    return file;
}

static void counts_print(const char *path, const ht_database_counts *counts, FILE *out) {
    fprintf(out,
            "%s: %" PRId64 " kernels on %" PRId64 " devices, %" PRId64 " jobs\n"
            "  %" PRId64 " evaluations, %" PRId64 " of them with a time; %" PRId64
            " configurations that took workers down; %" PRId64 " races\n",
            path, counts->kernels, counts->devices, counts->jobs, counts->evaluations,
            counts->successes, counts->deaths, counts->races);
    if (counts->nights >= 0)
        fprintf(out, "  %" PRId64 " nights, %" PRId64 " results, %" PRId64 " files\n",
                counts->nights, counts->results, counts->files);
    if (counts->loops >= 0)
        fprintf(out, "  %" PRId64 " loops, %" PRId64 " revisions\n", counts->loops,
                counts->revisions);
}

/* `stats` prints counts; `check` says whether all rows are whole. */
static int look(const ht_command_line *line, bool check) {
    const db_options *given = line->options;
    FILE *out = ht_report_stream(given->json);
    json_t *files = json_array();
    int code = HT_EXIT_OK;
    for (size_t i = 1; i < line->operand_count; ++i) {
        const char *path = line->operands[i];
        ht_database_counts counts = {0};
        ht_error error = {0};
        ht_status status = ht_database_count(path, &counts, &error);
        if (ht_error_named(status, &error) != HT_OK) {
            code = ht_report_error(&error);
            continue;
        }
        json_array_append_new(files, counts_json(path, &counts));
        if (!check)
            counts_print(path, &counts, out);
        else if (counts.damaged)
            fprintf(out, "%s: %" PRId64 " damaged rows; `hiptemper db prune` removes them\n", path,
                    counts.damaged);
        else
            fprintf(out, "%s: whole\n", path);
        if (check && counts.damaged && code == HT_EXIT_OK)
            code = HT_EXIT_FAILED;
    }
    json_t *document = ht_report_json_new("hiptemper-db", 1);
    json_object_set_new(document, "files", files);
    int written = ht_report_json(given->json, document);
    json_decref(document);
    return code ? code : written;
}

static int prune(const ht_command_line *line) {
    const db_options *given = line->options;
    int code = HT_EXIT_OK;
    for (size_t i = 1; i < line->operand_count && code == HT_EXIT_OK; ++i) {
        const char *path = line->operands[i];
        ht_database_counts before = {0}, after = {0};
        ht_error error = {0};
        ht_status status = ht_database_count(path, &before, &error);
        if (status == HT_OK)
            status = ht_database_prune(path, given->days, &error);
        if (status == HT_OK)
            status = ht_database_count(path, &after, &error);
        if (ht_error_named(status, &error) != HT_OK)
            code = ht_report_error(&error);
        else
            printf("%s: %" PRId64 " of %" PRId64 " evaluations stay\n", path, after.evaluations,
                   before.evaluations);
    }
    return code;
}

static int run(const ht_command_line *line) {
    const char *action = line->operands[0];
    ht_error error = {0};
    if (strcmp(action, "check") == 0 || strcmp(action, "stats") == 0)
        return look(line, action[0] == 'c');
    if (strcmp(action, "prune") == 0)
        return prune(line);
    if (strcmp(action, "merge") == 0 && line->operand_count > 2)
        return merge(line);
    ht_error_set(&error, HT_ERROR_INPUT,
                 strcmp(action, "merge") == 0
                     ? "merge takes a file to merge into, then those that are merged"
                     : "there is no 'db %s'; there are merge, check, stats and prune",
                 action);
    return ht_report_error(&error);
}

const ht_command ht_command_db = {
    .name = "db",
    .summary = "merge tuning databases, check them, count what is in them, and shorten them",
    .usage = "[OPTION]... merge OUT FILE... | check FILE... | stats FILE... | prune FILE...",
    .description =
        "merge puts the contents of databases into OUT, which is made when missing and whose own "
        "contents count, too: of two evaluations of one configuration the younger full one stays. "
        "The result is the same in any order, so that the databases of several machines, or of "
        "'run --shard', can be merged as they come.\n\n"
        "check compares every row to its checksum. stats prints how much there is. prune removes "
        "damaged rows, evaluations of what was not measured for --days and is no kernel's latest "
        "result, and of results all but the latest and those that are younger.\n\n"
        "No run may use OUT, or a file that is pruned, at the same time.",
    .examples = "hiptemper db merge all.sqlite one.sqlite two.sqlite\n"
                "hiptemper db check all.sqlite\n"
                "hiptemper db prune all.sqlite --days 30",
    .exit_codes = "  0    done; check: all rows are whole\n"
                  "  1    check: rows are damaged\n"
                  "  2    wrong usage, or a file that is not a tuning database, or is damaged",
    .options = options,
    .options_size = sizeof(db_options),
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .operand = "what to do and a FILE",
    .run = run,
};
