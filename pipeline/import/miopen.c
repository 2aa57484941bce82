#include "pipeline/import/miopen.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text.h"
#include "pipeline/import/miopen_solvers.h"
#include "pipeline/import/miopen_sqlite.h"
#include "runtime/store/database_export.h"

#include <stdlib.h>
#include <string.h>

/* A text database may have this many bytes; those of 2019 have 20 million. */
static const size_t most_bytes = (size_t)1 << 30;

/* Architectures, longer names before those that they begin with. */
static const char *const archs[] = {"gfx1030", "gfx1100", "gfx1101", "gfx1102", "gfx1200",
                                    "gfx1201", "gfx803",  "gfx900",  "gfx906",  "gfx908",
                                    "gfx90a",  "gfx940",  "gfx941",  "gfx942",  "gfx950"};

bool ht_miopen_device_of(const char *path, ht_import_device *out) {
    const char *name = ht_path_name(path);
    char *end;
    for (size_t i = 0; i < sizeof archs / sizeof *archs; ++i) {
        size_t length = strlen(archs[i]);
        if (strncmp(name, archs[i], length) != 0)
            continue;
        const char *units = name + length;
        bool decimal = *units == '_';
        long count = strtol(units + decimal, &end, decimal ? 10 : 16);
        if (end == units + decimal || *end != '.' || count < 1 || count > 65535)
            continue;
        *out = (ht_import_device){.cu = count};
        memcpy(out->arch, archs[i], length);
        return true;
    }
    return false;
}

/* Returns the solver as a name that a schema may have: ConvOclBwdWrW2<4> is ConvOclBwdWrW2_4. NULL
 * for what is not like that; free(). */
static char *solver_name(ht_miopen_text solver) {
    if (solver.length == 0 || solver.length > 100)
        return NULL;
    char *name = ht_strndup(solver.at, solver.length), *to = name;
    for (const char *c = name; *c; ++c) {
        bool plain = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
                     (*c >= 'A' && *c <= 'Z') || *c == '_';
        if (plain || *c == '<')
            *to++ = plain ? *c : '_';
        else if (*c != '>') {
            free(name);
            return NULL;
        }
    }
    *to = 0;
    return name;
}

static void time_add(ht_import *import, ht_import_record *record, const ht_miopen_item *item,
                     const char *name) {
    char *values =
        ht_format("%s\t%.9g\t%lld", name, item->milliseconds, (long long)item->workspace);
    record->kernel = HT_MIOPEN_TIMES;
    record->variant = name;
    record->columns = "solver\ttime_ms\tworkspace";
    record->values = values;
    ht_import_add(import, record);
    free(values);
}

/* Takes the entries of a line. */
static void line_take(ht_import *import, const ht_miopen_problem *problem, const char *source,
                      const ht_miopen_settings *settings, ht_miopen_text items) {
    ht_import_record record = {.problem = problem, .device = &settings->device, .source = source};
    ht_miopen_item item;
    const char *reason;
    char *fastest = NULL;
    double best = 0;
    while (ht_miopen_item_take(&items, &item, &reason)) {
        if (reason) {
            ht_import_skip(import, reason, NULL);
        } else if (!item.timed) {
            ht_miopen_entry_take(import, problem, &settings->device, source, item.solver,
                                 item.values);
        } else {
            char *name = solver_name(item.solver);
            if (!name)
                ht_import_skip(import, "the solver's name is not one", NULL);
            else if (settings->times)
                time_add(import, &record, &item, name);
            if (name && (!fastest || item.milliseconds < best)) {
                free(fastest);
                fastest = ht_strdup(name);
                best = item.milliseconds;
            }
            free(name);
        }
    }
    if (!fastest)
        return;
    record.kernel = HT_MIOPEN_FIND;
    record.variant = NULL;
    record.columns = "solver";
    record.values = fastest;
    ht_import_add(import, &record);
    free(fastest);
}

void ht_import_miopen_text(ht_miopen_text text, const char *source,
                           const ht_miopen_settings *settings, ht_import *import) {
    ht_miopen_text line, key, items;
    while (ht_miopen_line_take(&text, &line)) {
        ht_miopen_problem problem;
        if (line.length == 0)
            continue;
        if (!ht_miopen_line_split(line, &key, &items)) {
            ht_import_skip(import, "a line without '='", NULL);
            continue;
        }
        const char *reason = ht_miopen_key_parse(key, &problem);
        if (reason)
            ht_import_skip(import, reason, NULL);
        else
            line_take(import, &problem, source, settings, items);
    }
}

/* Returns the cell of the column src: the file's name without what a table cannot hold. */
static char *source_name(const char *path) {
    char *name = ht_strdup(ht_path_name(path));
    ht_text_make_printable(name, "", true);
    for (char *c = name; *c; ++c)
        if (*c == ' ' || *c == '\t')
            *c = '_';
    return name;
}

static bool is_packed(ht_miopen_text text) {
    return text.length > 3 && (!memcmp(text.at, "BZh", 3) || !memcmp(text.at, "\x1f\x8b", 2) ||
                               !memcmp(text.at,
                                       "\xfd"
                                       "7z",
                                       3));
}

static ht_status text_import(const char *path, const char *source,
                             const ht_miopen_settings *settings, ht_import *import,
                             ht_error *error) {
    ht_miopen_text text = {0};
    char *data;
    ht_status status = ht_file_read(path, most_bytes, &data, &text.length, error);
    if (status != HT_OK)
        return status;
    text.at = data;
    if (is_packed(text))
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "the database is packed: unpack it first (bunzip2 --keep)");
    else if (memchr(text.at, 0, text.length))
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "this is neither a text database of MIOpen nor an SQLite file");
    else
        ht_import_miopen_text(text, source, settings, import);
    free(data);
    return status;
}

ht_status ht_import_miopen(const char *path, const ht_miopen_settings *settings, ht_import *import,
                           ht_error *error) {
    ht_miopen_settings own = *settings;
    ht_import_device named;
    ht_input_add(path);
    if ((!own.device.arch[0] || !own.device.cu) && ht_miopen_device_of(path, &named)) {
        if (!own.device.arch[0])
            memcpy(own.device.arch, named.arch, sizeof named.arch);
        if (!own.device.cu)
            own.device.cu = named.cu;
    }
    if (!own.device.arch[0] || !own.device.cu)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                               "the file's name does not say which GPU it is of, as "
                               "gfx90a6e.db does; give --arch and --cu");
    char *source = source_name(path);
    ht_status status = ht_database_is(path)
                           ? ht_miopen_sqlite_import(path, source, &own.device, import, error)
                           : text_import(path, source, &own, import, error);
    free(source);
    return status;
}
