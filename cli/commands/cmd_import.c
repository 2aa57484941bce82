#include "cli/command.h"

#include "base/file.h"
#include "base/memory.h"
#include "pipeline/import/miopen.h"

#include <stdlib.h>
#include <string.h>

typedef struct import_options {
    const char *out;
    const char *arch;
    uint64_t units;
    bool times;
    const char *json;
} import_options;

static const ht_option options[] = {
    {"out", HT_OPTION_TEXT, offsetof(import_options, out), "FOLDER", .fallback = ".",
     .help = "Where the data files go, KERNEL.PRECISION.ARCH.tsv; made if it is not there."},
    {"arch", HT_OPTION_TEXT, offsetof(import_options, arch), "ARCH",
     .help = "The GPU that the databases are of, as gfx90a. Default: by each file's name."},
    {"cu", HT_OPTION_COUNT, offsetof(import_options, units), "N", .min = 1,
     .help = "Its compute units. Default: by each file's name."},
    {"times", HT_OPTION_FLAG, offsetof(import_options, times),
     .help = "Of find databases also the time of every solver: MIOpenTimes.PRECISION.ARCH.tsv."},
    {"json", HT_OPTION_JSON, offsetof(import_options, json), "FILE",
     .help = "Writes what was done as JSON: to standard output, or to FILE."},
    {0},
};

/* Most counted first; equal ones by their words. */
static int by_count(const void *left, const void *right) {
    const ht_import_reason *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->text, b->text);
}

static uint64_t skipped(const ht_import *import) {
    uint64_t count = 0;
    for (size_t i = 0; i < import->reason_count; ++i)
        count += import->reasons[i].count;
    return count;
}

static void report(const ht_import *import, const import_options *given, FILE *out) {
    fprintf(out, "%llu entries: %llu taken, %llu skipped\n", (unsigned long long)import->entries,
            (unsigned long long)(import->entries - skipped(import)),
            (unsigned long long)skipped(import));
    for (size_t i = 0; i < import->table_count; ++i) {
        char *name = ht_import_file_name(&import->tables[i]);
        char *path = ht_path_join(given->out, name);
        fprintf(out, "  %s: %zu records\n", path, import->tables[i].count);
        free(path);
        free(name);
    }
    if (import->replaced)
        fprintf(out, "%llu records were replaced by later ones of the same problem\n",
                (unsigned long long)import->replaced);
    for (size_t i = 0; i < import->reason_count; ++i)
        fprintf(out, "skipped %llu: %s\n", (unsigned long long)import->reasons[i].count,
                import->reasons[i].text);
}

static int report_json(const ht_import *import, const import_options *given) {
    json_t *document = ht_report_json_new("hiptemper-import", 1);
    json_t *files = json_array(), *reasons = json_array();
    for (size_t i = 0; i < import->table_count; ++i) {
        const ht_import_table *table = &import->tables[i];
        char *name = ht_import_file_name(table), *path = ht_path_join(given->out, name);
        json_array_append_new(files, json_pack("{s:o, s:s, s:s, s:s, s:I}", "path",
                                               ht_report_json_text(path), "kernel", table->kernel,
                                               "precision", table->precision, "arch", table->arch,
                                               "records", (json_int_t)table->count));
        free(path);
        free(name);
    }
    for (size_t i = 0; i < import->reason_count; ++i)
        json_array_append_new(reasons, json_pack("{s:o, s:I}", "reason",
                                                 ht_report_json_text(import->reasons[i].text),
                                                 "entries", (json_int_t)import->reasons[i].count));
    json_object_set_new(document, "entries", json_integer((json_int_t)import->entries));
    json_object_set_new(document, "taken",
                        json_integer((json_int_t)(import->entries - skipped(import))));
    json_object_set_new(document, "replaced", json_integer((json_int_t)import->replaced));
    json_object_set_new(document, "files", files);
    json_object_set_new(document, "skipped", reasons);
    int code = ht_report_json(given->json, document);
    json_decref(document);
    return code;
}

static ht_status settings_make(const import_options *given, ht_miopen_settings *out,
                               ht_error *error) {
    *out = (ht_miopen_settings){.times = given->times};
    size_t length = given->arch ? strlen(given->arch) : 0;
    if (length >= sizeof out->device.arch ||
        (given->arch && strspn(given->arch, "abcdefgx0123456789") != length))
        return ht_error_set(error, HT_ERROR_INPUT,
                            "option --arch: '%.40s' is not an architecture, as gfx90a is",
                            given->arch);
    if (given->units > 65535)
        return ht_error_set(error, HT_ERROR_INPUT, "option --cu: a GPU has at most 65535");
    if (length)
        memcpy(out->device.arch, given->arch, length);
    out->device.cu = (int64_t)given->units;
    return HT_OK;
}

static int run_import(const ht_command_line *line) {
    const import_options *given = line->options;
    ht_miopen_settings settings;
    ht_import import = {0};
    ht_error error = {0};
    ht_status status = HT_OK;
    if (strcmp(line->operands[0], "miopen") != 0)
        status = ht_error_set(&error, HT_ERROR_INPUT,
                              "'%.40s' is not a program whose results can be read; there is miopen",
                              line->operands[0]);
    if (status == HT_OK)
        status = settings_make(given, &settings, &error);
    for (size_t i = 1; status == HT_OK && i < line->operand_count; ++i)
        status = ht_import_miopen(line->operands[i], &settings, &import, &error);
    if (status == HT_OK)
        status = ht_import_write(&import, given->out, &error);
    int code = HT_EXIT_OK;
    if (status == HT_OK) {
        if (import.reason_count)
            qsort(import.reasons, import.reason_count, sizeof *import.reasons, by_count);
        report(&import, given, ht_report_stream(given->json));
        code = report_json(&import, given);
    } else {
        code = ht_report_error(&error);
    }
    ht_import_free(&import);
    return code;
}

const ht_command ht_command_import = {
    .name = "import",
    .summary = "turn the databases of other tuners into data for 'train'",
    .usage = "[OPTION]... miopen FILE...",
    .description =
        "Reads databases of AMD's MIOpen and writes their records as the TSV files that 'hiptemper "
        "train' and 'evaluate' read, one for each kernel, precision and GPU. A FILE is a "
        "performance database (the best parameters of a solver for a problem), as text or SQLite, "
        "or a find database (how long each solver takes), as text.\n\n"
        "Entries that make no record are counted by their reason. All files are written, or none.",
    .examples = "hiptemper import miopen gfx90a6e.db --out data\n"
                "hiptemper import miopen ~/.config/miopen/gfx942130.HIP.*.ufdb.txt --times\n"
                "hiptemper train data/ConvAsm1x1U.*.tsv --out 1x1u.model",
    .options = options,
    .options_size = sizeof(import_options),
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .operand = "miopen or FILE",
    .run = run_import,
};
