#include "cli/reports/capture_report.h"

#include "base/memory.h"
#include "cli/reports/table.h"
#include "pipeline/capture_name.h"
#include "pipeline/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char *where(const ht_capture_row *row) {
    return row->file ? ht_format("%s:%d", row->file, row->line) : ht_strdup("-");
}

void ht_capture_print(const ht_capture_result *result, bool emulated, FILE *out) {
    const char *const headings[] = {
        "kernel",  "where", "launches", "distinct", emulated ? "emulated time" : "time",
        "problem", "status"};
    ht_table *table = ht_table_new("llrrrll", headings);
    for (size_t i = 0; i < result->count; ++i) {
        const ht_capture_row *row = &result->rows[i];
        char *cells[] = {ht_strdup(row->kernel),
                         where(row),
                         ht_format("%" PRIu64, row->times),
                         ht_format("%zu", row->distinct),
                         ht_format("%.1f%%", 100.0 * ht_capture_share(result, row)),
                         ht_strdup(row->problem_gap ? "not known" : "captured"),
                         ht_strdup(row->status ? row->status : "-")};
        ht_table_row_take(table, cells);
    }
    ht_table_finish(table, out, 0);
    for (size_t i = 0; i < result->count; ++i) {
        const ht_capture_row *row = &result->rows[i];
        const char *reason = row->problem_gap ? row->problem_gap : row->reason;
        if (reason)
            fprintf(out, "%s: %s\n", row->kernel, reason);
    }
}

static json_t *memory_json(const ht_captured_argument *argument) {
    json_t *of = json_pack("{s:I}", "bytes", (json_int_t)argument->bytes);
    if (argument->was_read) {
        json_t *least = json_array(), *most = json_array();
        for (size_t i = 0; i < HT_CAPTURE_WIDTHS; ++i) {
            json_array_append_new(least, json_integer(argument->bounds[i].least));
            json_array_append_new(most, json_integer(argument->bounds[i].most));
        }
        json_object_set_new(of, "least", least);
        json_object_set_new(of, "most", most);
    }
    if (argument->change != HT_CAPTURED_UNSEEN)
        json_object_set_new(of, "changed", json_boolean(argument->change == HT_CAPTURED_CHANGED));
    return of;
}

/* Describes the memory that the pointers in a structure point to. */
static json_t *pointers_json(const ht_captured_launch *launch, uint32_t index) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < launch->part_count; ++i) {
        const ht_captured_argument *part = &launch->arguments[launch->argument_count + i];
        if (part->of != index)
            continue;
        json_t *of = memory_json(part);
        json_object_set_new(of, "place", json_integer(part->place));
        json_array_append_new(list, of);
    }
    return list;
}

static json_t *argument_json(const ht_captured_launch *launch, uint32_t index) {
    const ht_captured_argument *argument = &launch->arguments[index];
    if (argument->has_memory)
        return memory_json(argument);
    char text[2 * HT_CAPTURE_VALUE + 1] = "";
    uint32_t size = argument->size < HT_CAPTURE_VALUE ? argument->size : HT_CAPTURE_VALUE;
    for (uint32_t i = 0; i < size; ++i) {
        bool pointer = (argument->pointers >> (i / 8) & 1) != 0; /* it differs from run to run */
        snprintf(text + 2 * (size_t)i, 3, "%02x", pointer ? 0 : argument->value[i]);
    }
    json_t *of = size ? json_pack("{s:s}", "value", text) : json_pack("{s:n}", "value");
    if (argument->pointers != 0)
        json_object_set_new(of, "pointers", pointers_json(launch, index));
    return of;
}

static json_t *launch_json(const ht_captured_launch *launch, bool emulated) {
    json_t *arguments = json_array();
    for (uint32_t i = 0; i < launch->argument_count; ++i)
        json_array_append_new(arguments, argument_json(launch, i));
    return json_pack("{s:o, s:[I,I,I], s:[I,I,I], s:I, s:I, s:f, s:o}", "name",
                     ht_report_json_text(launch->name), "grid", (json_int_t)launch->grid[0],
                     (json_int_t)launch->grid[1], (json_int_t)launch->grid[2], "block",
                     (json_int_t)launch->block[0], (json_int_t)launch->block[1],
                     (json_int_t)launch->block[2], "lds", (json_int_t)launch->lds, "times",
                     (json_int_t)launch->times, emulated ? "emulated_seconds" : "seconds",
                     launch->seconds, "arguments", arguments);
}

json_t *ht_capture_row_json(const ht_capture_result *result, const ht_capture_row *row) {
    return json_pack("{s:o, s:o, s:i, s:I, s:f, s:b, s:o, s:o, s:o}", "kernel",
                     ht_report_json_text(row->kernel), "file", ht_report_json_text(row->file),
                     "line", row->line, "launches", (json_int_t)row->times, "share",
                     ht_capture_share(result, row), "captured", row->problem_gap == NULL, "gap",
                     ht_report_json_text(row->problem_gap), "status",
                     ht_report_json_text(row->status), "reason", ht_report_json_text(row->reason));
}

static json_t *row_json(const ht_capture *capture, const ht_capture_result *result,
                        const ht_capture_row *row, bool emulated) {
    json_t *seen = json_array(), *of = ht_capture_row_json(result, row);
    for (uint32_t i = 0; i < capture->launch_count; ++i) {
        char *name = ht_capture_kernel_name(capture->launches[i].name);
        if (strcmp(name, row->kernel) == 0)
            json_array_append_new(seen, launch_json(&capture->launches[i], emulated));
        free(name);
    }
    json_object_set_new(of, "seen", seen);
    return of;
}

json_t *ht_capture_json(const ht_capture *capture, const ht_capture_result *result, bool emulated) {
    json_t *kernels = json_array();
    for (size_t i = 0; i < result->count; ++i)
        json_array_append_new(kernels, row_json(capture, result, &result->rows[i], emulated));
    json_t *document = ht_report_json_new("hiptemper-capture", 1);
    json_object_set_new(document, emulated ? "emulated_seconds" : "seconds",
                        json_real(result->seconds));
    json_object_set_new(document, "dropped", json_integer((json_int_t)capture->dropped));
    json_object_set_new(document, "kernels", kernels);
    return document;
}
