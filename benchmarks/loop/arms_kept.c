#include "benchmarks/loop/arms.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool arms_kept_open(const char *path, arms_kept *out_kept) {
    *out_kept = (arms_kept){.path = path, .rows = json_array()};
    FILE *file = fopen(path, "r");
    if (!file)
        return !ht_file_exists(path);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        json_t *row = json_loads(line, 0, NULL);
        if (row) /* the last line of a run that was killed may be cut short */
            json_array_append_new(out_kept->rows, row);
    }
    free(line);
    fclose(file);
    return true;
}

static bool is_text(const json_t *row, const char *key, const char *text) {
    const char *value = json_string_value(json_object_get(row, key));
    return value && strcmp(value, text) == 0;
}

bool arms_row_fits(const json_t *row, const arms_settings *settings) {
    return is_text(row, "device", settings->device) &&
           is_text(row, "final_time", settings->final_time) &&
           json_integer_value(json_object_get(row, "budget")) == settings->budget;
}

bool arms_kept_has(const arms_kept *kept, const arms_settings *settings, const arms_run *run) {
    for (size_t i = 0; i < json_array_size(kept->rows); ++i) {
        const json_t *row = json_array_get(kept->rows, i);
        if (arms_row_fits(row, settings) && is_text(row, "kernel", run->subject->name) &&
            is_text(row, "arm", arms_names[run->arm]) &&
            json_integer_value(json_object_get(row, "seed")) == run->seed)
            return true;
    }
    return false;
}

void arms_kept_add(arms_kept *kept, const arms_settings *settings, const arms_run *run) {
    json_t *row = json_pack("{s:s, s:s, s:i, s:s, s:i, s:s, s:f, s:f, s:f, s:f, s:f}", "kernel",
                            run->subject->name, "arm", arms_names[run->arm], "seed", (int)run->seed,
                            "device", settings->device, "budget", (int)settings->budget,
                            "final_time", settings->final_time, "speedup", run->speedup,
                            "evaluations", run->evaluations, "seconds", run->seconds, "original_ms",
                            run->original_ms, "roofline", run->roofline);
    char *line = json_dumps(row, JSON_COMPACT);
    FILE *file = fopen(kept->path, "a");
    if (!file || fprintf(file, "%s\n", line) < 0)
        fprintf(stderr, "compare_arms: %s cannot be written\n", kept->path);
    if (file)
        fclose(file);
    free(line);
    json_array_append_new(kept->rows, row);
}

void arms_kept_close(arms_kept *kept) {
    json_decref(kept->rows);
    kept->rows = NULL;
}
