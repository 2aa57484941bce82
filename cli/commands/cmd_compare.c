#include "base/memory.h"
#include "cli/command.h"
#include "cli/reports/night_report.h"
#include "pipeline/nightly/night_diff.h"

#include <string.h>

typedef struct compare_options {
    double least_effect;
    const char *json;
} compare_options;

static const ht_option options[] = {
    {"least-effect", HT_OPTION_NUMBER, offsetof(compare_options, least_effect), "PART",
     .fallback = "0.02", .min = 0, .help = "A change of a time by less than this part is 'same'."},
    {"json", HT_OPTION_JSON, offsetof(compare_options, json), "FILE",
     .help = "Writes the comparison as JSON: to standard output, or to FILE. docs/json.md "
             "describes it."},
    {0},
};

static int run(const ht_command_line *line) {
    const compare_options *given = line->options;
    json_t *then = NULL, *now = NULL;
    ht_error error = {0};
    ht_status status = ht_night_rows_load(line->operands[0], &then, &error);
    if (status == HT_OK)
        status = ht_night_rows_load(line->operands[1], &now, &error);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
    if (status == HT_OK) {
        json_t *document = ht_report_json_new("hiptemper-compare", 1);
        json_object_set_new(document, "old", ht_report_json_text(line->operands[0]));
        json_object_set_new(document, "new", ht_report_json_text(line->operands[1]));
        json_object_set_new(document, "least_effect", json_real(given->least_effect));
        json_object_set_new(document, "kernels", ht_night_diff(then, now, given->least_effect));
        bool worse = ht_night_report_compare(document, ht_report_stream(given->json));
        int written = ht_report_json(given->json, document);
        code = worse ? HT_EXIT_FAILED : written;
        json_decref(document);
    }
    json_decref(then);
    json_decref(now);
    return code;
}

const ht_command ht_command_compare = {
    .name = "compare",
    .summary = "compare two databases or reports of run: which kernels became faster or slower",
    .usage = "[OPTION]... OLD NEW",
    .description =
        "Gives each kernel of NEW a verdict against OLD, by the same rules as 'run' from night to "
        "night: faster, same, slower, unclear, new, gone, not-run. OLD and NEW are databases of "
        "'run', of which the latest result of each kernel counts, or its reports as JSON. Times "
        "are compared as multiples of a calibration kernel's, so that they may be of machines or "
        "days of different speed; of devices that differ in more than speed they say little.",
    .examples = "hiptemper compare release.sqlite nightly.sqlite\n"
                "hiptemper compare monday.json tuesday.json --json",
    .exit_codes = "  0    no kernel became slower\n"
                  "  1    a kernel or its original became slower\n"
                  "  2    wrong usage, or a file that is neither",
    .options = options,
    .options_size = sizeof(compare_options),
    .min_operands = 2,
    .max_operands = 2,
    .operand = "OLD and NEW",
    .run = run,
};
