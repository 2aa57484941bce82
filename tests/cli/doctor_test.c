/* Whole-command tests of doctor. */
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

TestSuite(doctor, .init = workplace_make, .fini = workplace_remove);

static json_t *findings_of(const program_result *result, json_t **out_document) {
    *out_document = json_loads(result->out, 0, NULL);
    cr_assert_not_null(*out_document, "%s", result->out);
    cr_assert_str_eq(json_string_value(json_object_get(*out_document, "format")),
                     "hiptemper-doctor");
    return json_object_get(*out_document, "findings");
}

Test(doctor, finds_this_machine_ready_and_what_is_not_in_order_comes_with_a_fix) {
    program_result result = program_run("doctor --device host --seconds 0.1 --json");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    json_t *document, *finding, *findings = findings_of(&result, &document);
    size_t i, floors = 0;
    json_array_foreach(findings, i, finding) {
        const char *level = json_string_value(json_object_get(finding, "level"));
        bool fine = strcmp(level, "fine") == 0;
        cr_assert_eq(json_is_null(json_object_get(finding, "fix")), fine, "%s", level);
        floors +=
            strstr(json_string_value(json_object_get(finding, "name")), "noise floor") != NULL;
    }
    cr_assert_eq(floors, 1);
    cr_assert_eq(json_integer_value(json_object_get(document, "missing")), 0);
    cr_assert(strstr(result.err, "Ready to tune") != NULL, "the report for people is beside");
    json_decref(document);
    program_free(&result);
}

Test(doctor, without_a_compiler_nothing_can_run) {
    setenv("HIPTEMPER_CLANG", "/nowhere/clang", 1);
    program_result result = program_run("doctor --seconds 0.1");
    cr_assert_eq(result.code, 3, "%s%s", result.out, result.err);
    cr_assert(strstr(result.out, "/nowhere/clang") != NULL);
    cr_assert(strstr(result.out, "MISSING") != NULL);
    program_free(&result);
}

Test(doctor, a_device_that_is_not_there_is_missing) {
    program_result result = program_run("doctor --device amd:99");
    cr_assert_eq(result.code, 3, "%s%s", result.out, result.err);
    program_free(&result);
}

/* Returns the level of the finding on rocjitsu, "" without one. */
static char *rocjitsu_level(const char *fragment) {
    program_result result = program_run("doctor --device amd:99 --json");
    json_t *document, *finding, *findings = findings_of(&result, &document);
    const char *level = "";
    size_t i;
    json_array_foreach(findings, i, finding) {
        if (strcmp(json_string_value(json_object_get(finding, "name")), "rocjitsu") != 0)
            continue;
        const char *found = json_string_value(json_object_get(finding, "found"));
        cr_expect(strstr(found, fragment), "%s", found);
        level = json_string_value(json_object_get(finding, "level"));
    }
    char *copy = ht_strdup(level);
    json_decref(document);
    program_free(&result);
    return copy;
}

Test(doctor, knows_rocjitsu_where_it_emulates_and_where_it_is_installed) {
    char *none = rocjitsu_level("");
    cr_expect_str_eq(none, "", "this machine has rocjitsu: the test cannot tell");
    workplace_write("bin/rocjitsu", "#!/bin/sh\n");
    char *program = ht_format("%s/bin/rocjitsu", workplace());
    char *path = ht_format("%s/bin:%s", workplace(), getenv("PATH"));
    cr_assert_eq(chmod(program, 0755), 0);
    setenv("PATH", path, 1);
    char *installed = rocjitsu_level(program);
    cr_expect_str_eq(installed, "fine");
    setenv("LD_PRELOAD", HT_STANDIN_ROCJITSU, 1);
    char *loaded = rocjitsu_level("emulated");
    cr_expect_str_eq(loaded, "warning");
    free(none);
    free(program);
    free(path);
    free(installed);
    free(loaded);
}
