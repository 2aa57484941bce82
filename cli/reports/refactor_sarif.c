#include "cli/reports/refactor_report.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct rule {
    const char *id, *level, *text;
} rule;

/* The rule that a result is an instance of, by status of the kernel or kind of the remark. */
static const rule rules[] = {
    {"templated", "note", "The kernel was made a template."},
    {"annotated", "note", "The kernel has annotations of its own."},
    {"needs-problem", "note", "What the kernel's arguments mean is not known."},
    {"refused", "note", "Nothing in the kernel can be made a parameter."},
    {"withheld", "error", "The kernel's template did not pass verification."},
    {"unparsed", "warning", "The kernel has errors as HIP device code."},
    {"too-complex", "warning", "The kernel's analysis reached a limit."},
    {"crashed", "error", "The kernel's analysis crashed, which is a defect of hiptemper."},
    {"applied", "note", "A choice became a parameter."},
    {"missed", "note", "A choice could not be made a parameter."},
    {"note", "note", "Something about a kernel."},
    {"doubt", "note", "A patch of the kernel is probably not wanted."},
    {"file", "error", "A file could not be read."},
};

static size_t rule_index(const char *id) {
    size_t index = 0;
    while (index + 1 < sizeof rules / sizeof *rules && strcmp(rules[index].id, id) != 0)
        ++index;
    return index;
}

static json_t *rules_json(void) {
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
        json_array_append_new(list, json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", rules[i].id,
                                              "shortDescription", "text", rules[i].text,
                                              "defaultConfiguration", "level", rules[i].level));
    return list;
}

/* Returns a path as a URI reference: what is not plain is escaped. */
static json_t *uri_json(const char *path) {
    ht_text text = {0};
    ht_text_append(&text, path[0] == '/' ? "file://" : "");
    for (const char *at = path; *at; ++at) {
        if (isalnum((unsigned char)*at) || strchr("/._-~+=@", *at))
            ht_text_append_n(&text, at, 1);
        else
            ht_text_printf(&text, "%%%02X", (unsigned)(unsigned char)*at);
    }
    json_t *uri = json_string(text.data);
    ht_text_free(&text);
    return uri;
}

static json_t *location_json(const char *file, json_int_t line, json_int_t column,
                             const char *kernel) {
    json_t *place =
        json_pack("{s:{s:o}}", "artifactLocation", "uri", uri_json(file ? file : "unknown"));
    if (line > 0) {
        json_t *region = json_pack("{s:I}", "startLine", line);
        if (column > 0)
            json_object_set_new(region, "startColumn", json_integer(column));
        json_object_set_new(place, "region", region);
    }
    json_t *location = json_pack("{s:o}", "physicalLocation", place);
    if (kernel)
        json_object_set_new(
            location, "logicalLocations",
            json_pack("[{s:s, s:s}]", "fullyQualifiedName", kernel, "kind", "function"));
    return location;
}

static void result_add(json_t *results, const char *id, const char *text, json_t *location) {
    size_t index = rule_index(id);
    json_array_append_new(results,
                          json_pack("{s:s, s:i, s:s, s:{s:s}, s:[o]}", "ruleId", rules[index].id,
                                    "ruleIndex", (int)index, "level", rules[index].level, "message",
                                    "text", text, "locations", location));
}

static const char *text_of(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static json_int_t number_of(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static void row_add(json_t *results, const json_t *row) {
    const char *name = text_of(row, "name"), *reason = text_of(row, "reason");
    json_int_t line = number_of(row, "reason_line");
    char *text = ht_format("%s: %s", name ? name : "?", reason ? reason : "made a template");
    result_add(results, text_of(row, "status"), text,
               location_json(text_of(row, "file"), line ? line : number_of(row, "line"),
                             line ? 0 : number_of(row, "column"), name));
    free(text);
    size_t index;
    json_t *remark;
    json_array_foreach(json_object_get(row, "remarks"), index, remark) {
        const char *of = text_of(remark, "transformation"), *words = text_of(remark, "message");
        text = ht_format("%s: %s%s%s", name ? name : "?", of ? of : "", of ? ": " : "",
                         words ? words : "");
        result_add(results, text_of(remark, "kind"), text,
                   location_json(text_of(remark, "file"), number_of(remark, "line"),
                                 number_of(remark, "column"), name));
        free(text);
    }
}

json_t *ht_refactor_sarif(const json_t *rows, const json_t *errors) {
    json_t *results = json_array();
    size_t index;
    json_t *item;
    json_array_foreach(rows, index, item) row_add(results, item);
    json_array_foreach(errors, index, item) {
        const char *words = text_of(item, "message");
        result_add(results, "file", words ? words : "",
                   location_json(text_of(item, "file"), number_of(item, "line"),
                                 number_of(item, "column"), NULL));
    }
    return json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:s, s:o}]}", "$schema",
                     "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                     "tool", "driver", "name", "hiptemper", "version", HT_VERSION, "rules",
                     rules_json(), "columnKind", "unicodeCodePoints", "results", results);
}
