/* `hiptemper capture`: a program as it is, over a stand-in for HIP's runtime. */
#include "tests/cli/program.h"
#include "tests/runtime/standin/support.h"

#include "base/memory.h"
#include "base/sanitizer.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { CODE = 3 }; /* of app.c */

static void begin(void) {
    standin_use("6");
    standin_device("amd:0");  /* or skips */
    if (HT_ADDRESS_SANITIZED) /* the library is in front of its runtime; the app frees nothing */
        setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 1);
    workplace_make();
}

static void end(void) {
    workplace_remove();
    standin_end();
}

/* Runs the app's way of launching with these options; checks what comes of it otherwise. */
static program_result capture(const char *options, const char *way) {
    char *words =
        ht_format("capture --out seen %s -- " HT_APP " " HT_APP_SOURCE " %s", options, way);
    program_result result = program_run(words);
    free(words);
    return result;
}

static json_t *read_json(const char *name) {
    char *text = workplace_read(name);
    json_t *document = text != NULL ? json_loads(text, 0, NULL) : NULL;
    free(text);
    cr_assert_not_null(document, "%s", name);
    return document;
}

static const json_t *kernel_of(const json_t *document, const char *name) {
    size_t index;
    const json_t *kernel;
    json_array_foreach(json_object_get(document, "kernels"), index, kernel) {
        const char *own = json_string_value(json_object_get(kernel, "kernel"));
        if (own != NULL && strcmp(own, name) == 0)
            return kernel;
    }
    cr_assert_fail("no %s", name);
    return NULL;
}

static void expect_json(const json_t *value, const char *text) {
    json_t *wanted = json_loads(text, JSON_DECODE_ANY, NULL);
    char *own = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    cr_expect(json_equal(value, wanted), "%s, not %s", own, text);
    free(own);
    json_decref(wanted);
}

/* Expects the launch of `shift` that app.c makes, however it is made. */
static void expect_shift(const json_t *kernel, int times) {
    const json_t *seen = json_object_get(kernel, "seen"), *launch = json_array_get(seen, 0);
    const json_t *arguments = json_object_get(launch, "arguments");
    cr_expect_eq(json_array_size(seen), 1, "launches that are the same are one");
    cr_expect_eq(json_integer_value(json_object_get(launch, "times")), times);
    cr_expect_str_eq(json_string_value(json_object_get(launch, "name")),
                     "shift(float const*, float*, int, int, float)");
    expect_json(json_object_get(launch, "grid"), "[2, 6, 1]");
    expect_json(json_object_get(launch, "block"), "[64, 1, 1]");
    cr_assert_eq(json_array_size(arguments), 5);
    expect_json(json_object_get(json_array_get(arguments, 0), "bytes"), "2400");
    expect_json(json_object_get(json_array_get(arguments, 0), "changed"), "false");
    expect_json(json_object_get(json_array_get(arguments, 1), "bytes"), "2400");
    expect_json(json_object_get(json_array_get(arguments, 1), "changed"), "true");
    expect_json(json_array_get(arguments, 2), "{\"value\": \"06000000\"}");
    expect_json(json_array_get(arguments, 3), "{\"value\": \"64000000\"}");
    expect_json(json_array_get(arguments, 4), "{\"value\": \"0000003f\"}");
    cr_expect_gt(json_real_value(json_object_get(launch, "seconds")), 0);
}

static void expect_way(const char *way, const char *sum, int times) {
    begin();
    program_result result = capture("", way);
    cr_expect_eq(result.code, CODE, "%d: %s", result.code, result.err);
    cr_expect_str_eq(result.out, sum, "the program's own output");
    json_t *document = read_json("seen/capture.json");
    expect_shift(kernel_of(document, "shift"), times);
    json_decref(document);
    program_free(&result);
    end();
}

/* hipModuleLaunchKernel */
Test(preload, a_launch_of_a_modules_kernel_is_captured) {
    expect_way("module", "sum 188595.0\n", 2);
}
/* Where the code object has them; the stand-in has no way to run it, which the program sees. */
Test(preload, arguments_that_come_in_one_block_are_captured) {
    begin();
    program_result result = capture("", "packed");
    cr_expect_eq(result.code, 1);
    cr_expect(strstr(result.err, "801"), "the runtime's error: %s", result.err);
    json_t *document = read_json("seen/capture.json");
    const json_t *seen = json_object_get(kernel_of(document, "shift"), "seen");
    const json_t *arguments = json_object_get(json_array_get(seen, 0), "arguments");
    expect_json(json_object_get(json_array_get(arguments, 1), "bytes"), "2400");
    expect_json(json_array_get(arguments, 3), "{\"value\": \"64000000\"}");
    expect_json(json_array_get(arguments, 4), "{\"value\": \"0000003f\"}");
    json_decref(document);
    program_free(&result);
    end();
}
/* hipLaunchKernel, which the stand-in makes of functions that are watched, too */
Test(preload, a_launch_by_host_code_is_captured_once) {
    expect_way("host", "sum 188595.0\n", 2);
}
/* hipExtModuleLaunchKernel, which is given threads, not blocks */
Test(preload, a_launch_by_threads_is_captured_in_blocks) {
    expect_way("threads", "sum 188595.0\n", 2);
}
Test(preload, launches_of_forked_processes_are_added_up) {
    expect_way("fork", "sum 188595.0\nsum 188595.0\n", 4);
}

/* The problem says what a reader of the program would: sizes, roles, and which numbers index. */
Test(preload, a_problem_of_a_source_has_its_names_and_is_templated) {
    begin();
    program_result result = capture("--json run.json " HT_APP_SOURCE, "host");
    cr_expect_eq(result.code, CODE, "%s", result.err);
    json_t *document = read_json("seen/problem.json");
    const json_t *shift = kernel_of(document, "shift"), *gather = kernel_of(document, "gather");
    expect_json(json_object_get(shift, "args"),
                "[\"in : in float[6 * problem.columns]\", \"out : out float[6 * problem.columns]\","
                " \"rows : int = problem.rows\", \"columns : int = problem.columns\","
                " \"by : float = 0.5\"]");
    expect_json(json_object_get(json_array_get(json_object_get(shift, "instances"), 0), "fields"),
                "{\"rows\": 6, \"columns\": 100}");
    expect_json(json_array_get(json_object_get(gather, "args"), 0),
                "\"index : in int[problem.count] integers(7, 274)\"");
    json_decref(document);
    document = read_json("run.json");
    cr_expect_eq(json_integer_value(json_object_get(document, "exit_code")), CODE);
    cr_expect_eq(json_integer_value(json_object_get(document, "launches")), 3);
    cr_expect_eq(json_integer_value(json_object_get(document, "processes")), 1);
    expect_json(json_object_get(kernel_of(document, "shift"), "status"), "\"templated\"");
    expect_json(json_object_get(kernel_of(document, "gather"), "status"), "\"templated\"");
    json_decref(document);
    program_free(&result);
    end();
}

/* Without a source nothing may be claimed to be read only but what is constant: a kernel may write
 * what was there before. */
Test(preload, a_problem_without_a_source_is_made_of_types_and_can_be_used) {
    begin();
    program_result result = capture("", "module");
    json_t *document = read_json("seen/problem.json");
    const json_t *shift = kernel_of(document, "shift");
    expect_json(json_object_get(shift, "args"),
                "[\"arg1 : in float[6 * problem.arg4]\", \"arg2 : inout float[6 * problem.arg4]\","
                " \"arg3 : int = problem.arg3\", \"arg4 : int = problem.arg4\","
                " \"arg5 : float = 0.5\"]");
    expect_json(json_object_get(shift, "block"), "[\"64\", \"1\"]");
    json_decref(document);
    program_free(&result);
    result = program_run("refactor " HT_APP_SOURCE " --problem seen/problem.json --json r.json "
                         "--verify-configurations 2");
    cr_expect_eq(result.code, 0, "%s", result.err);
    document = read_json("r.json");
    size_t index;
    const json_t *kernel;
    json_array_foreach(json_object_get(document, "kernels"), index, kernel)
        expect_json(json_object_get(kernel, "status"), "\"templated\"");
    json_decref(document);
    program_free(&result);
    end();
}

Test(preload, buffers_past_the_limit_are_not_looked_at) {
    begin();
    program_result result = capture("--compare 0", "module");
    json_t *document = read_json("seen/capture.json");
    const json_t *seen = json_object_get(kernel_of(document, "gather"), "seen");
    const json_t *arguments = json_object_get(json_array_get(seen, 0), "arguments");
    expect_json(json_array_get(arguments, 0), "{\"bytes\": 360}");
    json_decref(document);
    char *problem = workplace_read("seen/problem.json");
    cr_expect(strstr(problem, "\"arg1 : in int[problem.arg4]\""), "%s", problem);
    free(problem);
    program_free(&result);
    end();
}

/* The contents of index buffers are kept, as under `emulate --capture`. */
Test(preload, contents_of_index_buffers_are_written_on_demand) {
    begin();
    program_result result = capture("--inputs 1 " HT_APP_SOURCE, "module");
    char *problem = workplace_read("seen/problem.json");
    const char *file = problem != NULL ? strstr(problem, "file(\\\"index.") : NULL;
    cr_assert_not_null(file, "%s", problem);
    file += strlen("file(\\\"");
    char *name = ht_format("seen/%.*s", (int)strcspn(file, "\\"), file);
    char *bytes = workplace_read(name);
    cr_assert_not_null(bytes, "%s", name);
    int numbers[3];
    memcpy(numbers, bytes, sizeof numbers);
    cr_expect_eq(numbers[0], 7);
    cr_expect_eq(numbers[2], 13);
    free(bytes);
    free(name);
    free(problem);
    program_free(&result);
    end();
}

Test(preload, what_was_launched_before_a_program_died_is_kept) {
    begin();
    program_result result = capture("", "crash");
    cr_expect_eq(result.code, 128 + 6);
    cr_expect(strstr(result.err, "signal 6"), "%s", result.err);
    json_t *document = read_json("seen/capture.json");
    expect_shift(kernel_of(document, "shift"), 2);
    json_decref(document);
    program_free(&result);
    end();
}

/* The error of a launch is the program's to see, and nothing after it hides it. */
Test(preload, an_error_of_the_runtime_reaches_the_program) {
    begin();
    setenv("HT_STANDIN_FAULTS", "hipModuleLaunchKernel=719", 1);
    program_result result = capture("", "module");
    cr_expect_eq(result.code, 1);
    cr_expect(strstr(result.err, "719"), "%s", result.err);
    program_free(&result);
    end();
}

Test(preload, a_program_without_launches_says_so_and_ends_as_it_does) {
    begin();
    program_result result = capture("", "nothing");
    cr_expect_eq(result.code, CODE);
    cr_expect(strstr(result.err, "no launch was seen"), "%s", result.err);
    program_free(&result);
    end();
}

Test(preload, a_program_that_is_not_there_and_a_line_without_one_are_refused) {
    workplace_make();
    program_result result = program_run("capture -- ./nowhere");
    cr_expect_eq(result.code, 3);
    cr_expect(strstr(result.err, "cannot run './nowhere'"), "%s", result.err);
    program_free(&result);
    result = program_run("capture kernels.hip");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "name it after --"), "%s", result.err);
    program_free(&result);
    workplace_remove();
}
