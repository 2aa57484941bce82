/* hiptemper run: nights of a job over one small kernel, as an operator would have them. */
#include "tests/cli/night_support.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void prepare(void) {
    workplace_make();
    night_tree_write("(n + 255) / 256, 256",
                     "#include <cstdio>\n" /* a line that is printed is no use of lines */
                     "void check(int n) {\n"
                     "    if (n) std::fprintf(stderr, \"%d\", __LINE__);\n"
                     "}\n");
    workplace_write("n.json",
                    "{\"sources\": [\"tree\"], \"budget\": {\"seconds\": 60, \"evaluations\": 2},\n"
                    " \"final_seconds\": 0.05, \"check\": \"none\", \"seed\": 3,\n"
                    " \"database\": \"n.sqlite\", \"out\": \"out\"}\n");
}

TestSuite(night, .init = prepare, .fini = workplace_remove, .timeout = 120);

/* Runs a night; returns its report. */
static json_t *night(const char *words, int code) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, code, "%d: %s%s", result.code, result.out, result.err);
    json_t *report = json_loads(result.out, 0, NULL);
    cr_assert(report, "%s", result.out);
    program_free(&result);
    return report;
}

/* The same of a night that looks at its sources and analyses none. */
static json_t *night_of_looks(const char *words) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_expect_null(strstr(result.err, " on host: "), "%s", result.err);
    json_t *report = json_loads(result.out, 0, NULL);
    cr_assert(report, "%s", result.out);
    program_free(&result);
    return report;
}

static const json_t *only_row(const json_t *report) {
    const json_t *rows = json_object_get(report, "kernels");
    cr_assert_eq(json_array_size(rows), 1);
    return json_array_get(rows, 0);
}

/* Checks what `report` says of the only kernel. */
static void reported(const char *verdict, bool kept) {
    json_t *report = night("report n.sqlite --json", 0);
    const json_t *row = only_row(report);
    cr_expect_str_eq(night_text(row, "verdict"), verdict);
    cr_expect_eq(json_is_true(json_object_get(row, "kept")), kept);
    cr_expect(json_is_integer(json_object_get(row, "search")), "its search is found");
    json_decref(report);
}

Test(night, all_devices_are_used_at_once_and_give_one_report_and_one_night) {
    night_edit("n.json", "\"budget\"", "\"devices\": [\"host\", \"host:wave32\"], \"budget\"");
    json_t *report = night("run n.json --json", 0);
    const json_t *rows = json_object_get(report, "kernels");
    cr_assert_eq(json_array_size(rows), 2);
    cr_expect_str_neq(night_text(json_array_get(rows, 0), "device"),
                      night_text(json_array_get(rows, 1), "device"));
    cr_expect_eq(json_integer_value(json_object_get(report, "night")), 1);
    json_decref(report);
    report = night("report n.sqlite --json", 0);
    cr_expect_eq(json_array_size(json_object_get(report, "nights")), 1);
    cr_expect_eq(json_array_size(json_object_get(report, "kernels")), 2);
    json_decref(report);
}

Test(night, what_did_not_change_is_not_measured_again_and_what_did_is) {
    workplace_write("hook", "#!/bin/sh\ncat > told.json\n");
    char *hook = ht_path_join(workplace(), "hook");
    chmod(hook, 0700);
    free(hook);
    json_t *report = night("run n.json --json --notify ./hook", 0);
    const json_t *row = only_row(report);
    char *text = workplace_read("told.json");
    json_t *told = json_loads(text ? text : "", 0, NULL);
    cr_expect(json_equal(told, report), "the program has the report: %s", text);
    json_decref(told);
    free(text);
    reported("new", false);
    cr_expect_str_eq(night_text(row, "kernel"), "scale");
    cr_expect_str_eq(night_text(row, "verdict"), "new");
    cr_expect(json_is_false(json_object_get(row, "kept")));
    cr_expect_gt(json_array_size(json_object_get(json_object_get(row, "watch"), "calibration")), 7);
    char *key = ht_strdup(night_text(row, "kernel_key"));
    json_decref(report);

    report = night_of_looks("run n.json --json"); /* nothing */
    cr_expect_str_eq(night_text(only_row(report), "verdict"), "same");
    cr_expect(json_is_true(json_object_get(only_row(report), "kept")));
    json_decref(report);
    reported("same", true);

    night_edit("tree/scale.hip", "__global__", "// a comment\n\n__global__"); /* text, no code */
    report = night_of_looks("run n.json --json");
    cr_expect(json_is_true(json_object_get(only_row(report), "kept")));
    cr_expect_eq(json_integer_value(json_object_get(only_row(report), "line")), 5);
    char *copy = workplace_read("out/scale.hip"); /* when it was faster */
    cr_expect(!copy || strstr(copy, "// a comment"), "%s", copy);
    free(copy);
    json_decref(report);

    night_edit("tree/scale.hip", "void launch",
               "int unrelated;\nvoid launch"); /* not the kernel's */
    report = night("run n.json --json", 0);
    cr_expect(json_is_true(json_object_get(only_row(report), "kept")));
    cr_expect_str_eq(night_text(only_row(report), "kernel_key"), key);
    json_decref(report);

    night_edit("tree/factor.h", "2.0f", "3.0f"); /* in a header: the kernel's */
    program_result result = program_run("run n.json --json");
    cr_expect_leq(result.code, 1, "%s", result.err); /* other code may well be slower */
    report = json_loads(result.out, 0, NULL);
    program_free(&result);
    cr_expect(json_is_false(json_object_get(only_row(report), "kept")));
    cr_expect_str_neq(night_text(only_row(report), "kernel_key"), key);
    json_decref(report);
    free(key);
}

Test(night, a_renamed_file_and_another_folder_have_the_same_results) {
    json_t *report = night("run n.json --json", 0);
    bool won = strcmp(night_text(only_row(report), "status"), "improved") == 0;
    json_decref(report);
    char *text = workplace_read("tree/scale.hip");
    workplace_write("moved/deep/named.hip", text);
    workplace_write("moved/deep/factor.h", "#define FACTOR 2.0f\n");
    workplace_write("other.json",
                    "{\"sources\": [\"moved/deep/named.hip\"], \"budget\": {\"seconds\": 60, "
                    "\"evaluations\": 2}, \"final_seconds\": 0.05, \"check\": \"none\", \"seed\": "
                    "3, \"database\": \"n.sqlite\", \"out\": \"out2\"}");
    report = night_of_looks("run other.json --json");
    cr_expect(json_is_true(json_object_get(only_row(report), "kept")));
    cr_expect_str_eq(night_text(only_row(report), "file"), "moved/deep/named.hip");
    json_decref(report);
    char *copy = workplace_read("out2/named.hip");
    cr_expect_eq(won, copy != NULL, "what was won is written for the file as it is called now");
    free(copy);
    copy = workplace_read("out2/scale.hip");
    cr_expect_null(copy, "and not for the one of the same code");
    free(copy);
    free(text);
}

Test(night, a_kernel_that_went_away_is_said_once) {
    json_decref(night("run n.json --json", 0));
    char *text = workplace_read("tree/scale.hip");
    char *at = strstr(text, "scale(const");
    memcpy(at, "twice", 5);
    at = strstr(text, "scale<<<");
    memcpy(at, "twice", 5);
    workplace_write("tree/scale.hip", text);
    free(text);
    json_t *report = night("run n.json --json", 0);
    const json_t *verdicts = json_object_get(report, "verdicts");
    cr_expect_eq(json_integer_value(json_object_get(verdicts, "gone")), 1);
    cr_expect_eq(json_integer_value(json_object_get(verdicts, "new")), 1);
    json_decref(report);
    report = night("run n.json --json", 0);
    verdicts = json_object_get(report, "verdicts");
    cr_expect_eq(json_integer_value(json_object_get(verdicts, "gone")), 0);
    json_decref(report);
}

Test(night, an_interrupted_night_is_continued) {
    program_result result = program_interrupt_on_error("run n.json", "not measured yet");
    cr_expect_eq(result.code, 130, "%s%s", result.out, result.err);
    program_free(&result);
    json_t *report = night("run n.json --json", 0);
    cr_expect_str_eq(night_text(only_row(report), "verdict"), "new");
    json_decref(report);
}

Test(night, a_budget_that_is_too_small_is_no_failure_unless_the_job_says_so) {
    night_edit("n.json", "\"seconds\": 60", "\"seconds\": 1");
    json_t *report = night("run n.json --json", 0);
    cr_expect_str_eq(night_text(only_row(report), "verdict"), "not-run");
    json_decref(report);
    night_edit("n.json", "{", "{\"not_run_exit\": 7, ");
    report = night("run n.json --json", 7);
    cr_expect_eq(json_integer_value(json_object_get(report, "exit")), 7);
    json_decref(report);
}

Test(night, a_dry_run_says_what_would_be_done_and_writes_nothing) {
    program_result result = program_run("run --dry-run n.json");
    cr_expect_eq(result.code, 0, "%s", result.err);
    cr_expect(strstr(result.out, "tree/scale.hip on host: not measured yet"), "%s", result.out);
    program_free(&result);
    char *text = workplace_read("n.sqlite");
    cr_expect_null(text);
    free(text);
}

Test(night, why_names_the_part_of_the_key_that_changed) {
    json_decref(night("run n.json --json", 0));
    night_edit("tree/factor.h", "2.0f", "3.0f");
    program_result result = program_run("run --why scale.hip n.json");
    cr_expect_eq(result.code, 0, "%s", result.err);
    cr_expect(strstr(result.out, "code       CHANGED"), "%s", result.out);
    cr_expect(strstr(result.out, "problems   same"), "%s", result.out);
    program_free(&result);
    result = program_run("run --why nothing n.json");
    cr_expect_eq(result.code, 2);
    program_free(&result);
}

/* A header of an older text would launch what the source no longer is. */
Test(night, export_takes_the_template_that_the_latest_night_kept) {
    json_decref(night("run n.json --json", 0));
    night_edit("tree/factor.h", "2.0f", "3.0f");
    program_result result = program_run("run n.json --json");
    cr_expect_leq(result.code, 1, "%s", result.err); /* other code may well be slower */
    program_free(&result);
    result = program_run("export n.sqlite --out exported");
    cr_expect_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "exported/scale.dispatch.hpp"), "%s", result.out);
    program_free(&result);
    char *text = workplace_read("exported/scale.hip");
    cr_assert(text);
    cr_expect(strstr(text, "3.0f") && !strstr(text, "2.0f"), "%s", text);
    free(text);
}

Test(night, init_writes_a_job_that_is_one_and_replaces_no_file) {
    program_result result = program_run("run --init new.json");
    cr_expect_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    result = program_run("run --init new.json");
    cr_expect_eq(result.code, 2);
    program_free(&result);
    result = program_run("run --dry-run new.json");
    cr_expect(strstr(result.err, "src"), "it has no such folder here, and all else is right: %s",
              result.err);
    program_free(&result);
}

static void expect_verdict(const char *words, const char *verdict) {
    json_t *report = night_of_looks(words);
    cr_expect_str_eq(night_text(only_row(report), "verdict"), verdict, "%s", words);
    json_decref(report);
}

Test(night, verdicts_are_against_a_tagged_night_or_another_database_when_asked) {
    workplace_write("others/other.hip", "#include <hip/hip_runtime.h>\n"
                                        "__global__ void other(void **p) { *p = p; }\n");
    workplace_write("others.json", "{\"sources\": [\"others\"], \"budget\": {\"seconds\": 60},\n"
                                   " \"database\": \"others.sqlite\", \"out\": \"out3\"}\n");
    json_decref(night("run others.json --json", 0));
    json_t *report = night("run n.json --json --tag v1", 0);
    cr_expect_str_eq(night_text(report, "tag"), "v1");
    json_decref(report);
    expect_verdict("run n.json --json", "same");
    expect_verdict("run n.json --json --baseline others.sqlite", "new");
    report = night_of_looks("run n.json --json --baseline v1");
    /* its ratios are those of itself; samples that scatter more than the margin say nothing */
    const char *verdict = night_text(only_row(report), "verdict");
    cr_expect(strcmp(verdict, "same") == 0 || strcmp(verdict, "unclear") == 0, "%s", verdict);
    cr_expect(json_is_object(json_object_get(only_row(report), "change")));
    json_decref(report);
    program_result result = program_run("run n.json --baseline v2");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "no night of the database has this tag"), "%s", result.err);
    program_free(&result);
}

Test(night, a_template_that_is_named_is_a_source) {
    workplace_write(
        "add.template.hip",
        "#pragma tune unit\n"
        "#pragma tune kernel(add<BLOCK>)\n"
        "#pragma tune problem(line : n = 4096)\n"
        "#pragma tune param(BLOCK : 64, 128 = 64)\n"
        "#pragma tune block(BLOCK)\n"
        "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
        "#pragma tune arg(in : in float[problem.n])\n"
        "#pragma tune arg(out : out float[problem.n])\n"
        "#pragma tune arg(n : int = problem.n)\n"
        "template <int BLOCK> __global__ void add(const float *in, float *out, int n) {\n"
        "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
        "    if (i < n) out[i] = in[i] + 1;\n"
        "}\n");
    workplace_write("add.template.problem.json",
                    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"problem\": \"line : n\","
                    " \"instances\": [{\"name\": \"small\", \"fields\": {\"n\": 4096}}]}\n");
    night_edit("n.json", "[\"tree\"]", "[\"add.template.hip\"]");
    json_t *report = night("run n.json --json", 0);
    cr_expect_str_eq(night_text(only_row(report), "kernel"), "add");
    cr_expect_str_eq(night_text(only_row(report), "verdict"), "new");
    json_decref(report);
}

Test(night, a_shard_takes_its_sources_and_calls_no_kernel_of_another_gone) {
    json_decref(night("run n.json --json", 0));
    /* sources are in the order of their names: this is the first of two */
    workplace_write("tree/other.hip", "#include <hip/hip_runtime.h>\n"
                                      "__global__ void other(void **p) { *p = p; }\n");
    json_t *report = night("run n.json --shard 1/2 --json", 0);
    const json_t *row = only_row(report);
    cr_expect_str_eq(night_text(row, "kernel"), "other");
    cr_expect_str_eq(night_text(report, "shard"), "1/2");
    json_decref(report);
    program_result result = program_run("run n.json --shard 3/2");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "I from 1 to N"), "%s", result.err);
    program_free(&result);
    result = program_run("run n.json --device amd:7");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "has no 'amd:7' in"), "%s", result.err);
    program_free(&result);
}

Test(night, a_database_compared_to_itself_has_no_slower_kernel_and_other_files_are_refused) {
    json_decref(night("run n.json --json", 0));
    program_result result = program_run("compare n.sqlite n.sqlite");
    cr_expect_eq(result.code, 0, "%s", result.err);
    /* samples that scatter more than the margin say nothing: "unclear" */
    cr_expect(strstr(result.out, "1 kernels: 1 same") || strstr(result.out, "1 kernels: 1 unclear"),
              "%s", result.out);
    program_free(&result);
    result = program_run("db merge all.sqlite n.sqlite n.sqlite");
    cr_expect_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    result = program_run("db check all.sqlite");
    cr_expect_eq(result.code, 0, "%s", result.err);
    cr_expect_str_eq(result.out, "all.sqlite: whole\n");
    program_free(&result);
    result = program_run("compare n.sqlite all.sqlite"); /* a merged one is as good */
    cr_expect_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    result = program_run("db merge all.sqlite n.json");
    cr_expect_eq(result.code, 2);
    program_free(&result);
    result = program_run("compare n.sqlite n.json");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "no report of `hiptemper run --json`"), "%s", result.err);
    program_free(&result);
}
