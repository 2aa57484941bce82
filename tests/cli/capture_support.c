#include "capture_support.h"

#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

json_t *capture_read(const char *name) {
    char *text = workplace_read(name);
    cr_assert_not_null(text, "%s", name);
    json_t *document = json_loads(text, 0, NULL);
    cr_assert_not_null(document, "%s: %s", name, text);
    free(text);
    return document;
}

const json_t *capture_kernel(const json_t *document, const char *name) {
    size_t index;
    json_t *entry;
    json_array_foreach(
        json_object_get(document, "kernels"), index,
        entry) if (!strcmp(json_string_value(json_object_get(entry, "kernel")), name)) return entry;
    return NULL;
}

const json_t *capture_run(const char *words, const char *kernel, json_t **out_problems) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    program_free(&result);
    *out_problems = capture_read("seen/problem.json");
    const json_t *entry = capture_kernel(*out_problems, kernel);
    cr_assert_not_null(entry);
    return entry;
}

void capture_expect(const char *source, const char *status) {
    char *words = ht_format("refactor %s --problem seen/problem.json --out out "
                            "--json=report.json --verify-configurations 4",
                            source);
    program_result result = program_run(words);
    json_t *report = capture_read("report.json");
    const json_t *row = json_array_get(json_object_get(report, "kernels"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(row, "status")), status, "%s", result.err);
    json_decref(report);
    program_free(&result);
    free(words);
}

const char *capture_argument(const json_t *entry, size_t index) {
    return json_string_value(json_array_get(json_object_get(entry, "args"), index));
}

json_int_t capture_field(const json_t *entry, size_t instance, const char *name) {
    const json_t *of = json_array_get(json_object_get(entry, "instances"), instance);
    return json_integer_value(json_object_get(json_object_get(of, "fields"), name));
}
