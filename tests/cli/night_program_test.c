/* hiptemper run: whole programs as sources, tuned for their launches and compared as a whole. */
#include "tests/cli/night_support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of one thread, which any other is faster than. */
static const char header[] = "#pragma once\n"
                             "__global__ void scale(const float *in, float *out, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i >= n) return;\n"
                             "    float x = in[i];\n"
                             "    for (int k = 0; k < 8; k++) x = x * 0.5f + 1.0f;\n"
                             "    out[i] = x;\n"
                             "}\n"
                             "__global__ void tiny(float *out, int n) {\n"
                             "    if (threadIdx.x < n) out[threadIdx.x] = 1.0f;\n"
                             "}\n";
static const char source[] =
    "#include <hip/hip_runtime.h>\n"
    "#include <cstdio>\n"
    "#include <cstdlib>\n"
    "#include <unistd.h>\n"
    "#include <vector>\n"
    "#include \"scale.cuh\"\n"
    "int main(int argc, char **argv) {\n"
    "    int n = atoi(argv[1]);\n"
    "    std::vector<float> a(n, 1.0f);\n"
    "    float *in, *out;\n"
    "    hipMalloc(&in, n * sizeof(float));\n"
    "    hipMalloc(&out, n * sizeof(float));\n"
    "    hipMemcpy(in, a.data(), n * sizeof(float), hipMemcpyHostToDevice);\n"
    "    for (int i = 0; i < 20; i++) /* takes most of the time, whatever else runs */\n"
    "        scale<<<(n + 0) / 1, 1>>>(in, out, n);\n"
    "    hipMemcpy(a.data(), out, n * sizeof(float), hipMemcpyDeviceToHost);\n"
    "    tiny<<<1, 1>>>(in, 1);\n"
    "    %s\n"
    "    printf(\"last %%g\\n\", a[n - 1]);\n"
    "    return 0;\n"
    "}\n";

static const char of_program[] =
    "[{\"program\": \"main.hip\", \"arguments\": [\"20000\"], \"share\": 60}]";
static const char runs[] = "built and run for its launches";
static const char compares[] = "built and run with its tuned sources";

static void program_write(const char *more) {
    char *text = ht_format(source, more);
    workplace_write("main.hip", text);
    workplace_write("scale.cuh", header);
    free(text);
}

static void prepare(void) {
    workplace_make();
    setenv("HIPTEMPER_LOCKS", workplace(), 1);
    night_job_write(of_program, 120, 3, "");
}

TestSuite(night_programs, .init = prepare, .fini = workplace_remove, .timeout = 300);

Test(night_programs, a_program_is_tuned_for_its_launches_and_compared_when_something_won) {
    program_write("");
    ran_night night = night_run("run n.json --json", 0);
    const json_t *row = night_row(&night, 0);
    cr_expect_str_eq(night_text(row, "kernel"), "scale");
    cr_expect_str_eq(night_text(row, "status"), "improved");
    cr_expect(strstr(night_text(row, "problem_fields"), "n=20000"));
    cr_expect_gt(json_number_value(json_object_get(row, "share")), 0.5);
    cr_expect_eq(json_array_size(json_object_get(night.report, "kernels")), 1,
                 "the other takes too little of the time");
    cr_expect_str_eq(night_text(night_compared(&night), "verdict"), "equal");
    cr_expect(json_is_false(json_object_get(night_compared(&night), "kept")));
    night_free(&night);

    night = night_run("run n.json --json", 0);
    cr_expect_null(strstr(night.progress, "run "), "nothing is: %s", night.progress);
    cr_expect_str_eq(night_text(night_compared(&night), "verdict"), "equal");
    cr_expect(json_is_true(json_object_get(night_compared(&night), "kept")));
    night_free(&night);

    night_edit("scale.cuh", "__global__", "// a comment\n__global__");
    night = night_run("run n.json --json", 0);
    cr_expect_null(strstr(night.progress, "built and run"), "%s", night.progress);
    cr_expect_str_eq(night_text(night_compared(&night), "verdict"), "equal");
    night_free(&night);
}

/* A number that is another one in each run stands for a tuned source that computes something else.
 */
Test(night_programs, a_program_that_differs_is_a_failure_each_night) {
    program_write("int own = getpid(), back; hipMemcpy(in, &own, 4, hipMemcpyHostToDevice); "
                  "hipMemcpy(&back, in, 4, hipMemcpyDeviceToHost);");
    ran_night night = night_run("run n.json --json", 1);
    cr_expect_str_eq(night_text(night_compared(&night), "verdict"), "differs");
    night_free(&night);
    night = night_run("run n.json --json", 1);
    cr_expect(strstr(night.progress, compares), "%s", night.progress);
    cr_expect_str_eq(night_text(night_compared(&night), "verdict"), "differs");
    night_free(&night);
}

Test(night_programs, a_comparison_that_was_cut_off_is_made_in_the_next_night) {
    program_write("");
    program_result result = program_interrupt_on_error("run n.json", compares);
    cr_expect_eq(result.code, 130, "%s%s", result.out, result.err);
    /* There is no report where a parser would hold it up beyond the two seconds promised. */
    cr_expect(!*result.out || strstr(result.out, "with its tuned sources: not-run: interrupted"),
              "%s", result.out);
    program_free(&result);
    ran_night night = night_run("run n.json --json", 0);
    cr_expect_null(strstr(night.progress, runs), "its launches are known: %s", night.progress);
    cr_expect(strstr(night.progress, compares), "%s", night.progress);
    cr_expect_str_eq(night_text(night_compared(&night), "verdict"), "equal");
    night_free(&night);
}

Test(night_programs, a_program_that_does_not_end_leaves_half_of_the_night_and_is_no_failure) {
    program_write("for (;;) usleep(1000);");
    night_job_write(of_program, 20, 3, "");
    ran_night night = night_run("run n.json --json", 0);
    const json_t *program = json_array_get(json_object_get(night.report, "programs"), 0);
    cr_expect_str_eq(night_text(program, "launches"), "not-run");
    cr_expect(strstr(night_text(program, "reason"), "raise budget.seconds"), "%s",
              night_text(program, "reason"));
    cr_expect_lt(json_number_value(json_object_get(night.report, "seconds")), 18);
    night_free(&night);
    night = night_run("run n.json --json", 0);
    cr_expect_null(strstr(night.progress, runs), "it is known not to end: %s", night.progress);
    night_free(&night);
}

Test(night_programs, a_compile_commands_that_is_missing_or_contradicts_itself_is_named) {
    program_write("");
    workplace_write("more.hip", "int more() { return 0; }\n");
    night_job_write("[{\"program\": [\"main.hip\", \"more.hip\"], \"compile_commands\": "
                    "\"all.json\"}]",
                    60, 1, "");
    program_result result = program_run("run n.json");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "n.json") && strstr(result.err, "there is no file"), "%s",
              result.err);
    program_free(&result);
    workplace_write("all.json", "[{\"directory\": \".\", \"file\": \"main.hip\", \"command\": "
                                "\"hipcc -DKIND=1 -c main.hip\"},"
                                "{\"directory\": \".\", \"file\": \"more.hip\", \"command\": "
                                "\"hipcc -DKIND=2 -c more.hip\"}]");
    result = program_run("run n.json");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "-DKIND=2") && strstr(result.err, "defined otherwise"), "%s",
              result.err);
    program_free(&result);
    result = program_run("optimize --run main.hip more.hip --compile-commands all.json --out out");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "defined otherwise"), "%s", result.err);
    program_free(&result);
    result = program_run("optimize main.hip --compile-commands all.json --out out");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "add --run"), "%s", result.err);
    program_free(&result);
}

/* Nothing of it is tuned: what is asked is how often the program runs. */
Test(night_programs, a_program_is_run_for_its_launches_once_until_its_code_or_arguments_change) {
    workplace_write("main.hip", "#include <hip/hip_runtime.h>\n"
                                "#include <cstdlib>\n"
                                "__global__ void swap(KIND **p) { KIND *q = *p; *p = q; }\n"
                                "int main(int argc, char **argv) {\n"
                                "    void **p;\n"
                                "    hipMalloc(&p, sizeof *p * atoi(argv[1]));\n"
                                "    swap<<<1, 1>>>(p);\n"
                                "    return hipDeviceSynchronize();\n"
                                "}\n");
#define WITH ", \"compile_commands\": \"all.json\""
    static const char once[] = "[{\"program\": \"main.hip\", \"arguments\": [\"8\"]" WITH "}]";
    static const char other[] = "[{\"program\": \"main.hip\", \"arguments\": [\"16\"]" WITH "}]";
    workplace_write("all.json", "[{\"directory\": \".\", \"file\": \"main.hip\", \"command\": "
                                "\"hipcc -DKIND=void -c main.hip\"}]");
    night_job_write(once, 60, 1, "");
    ran_night night = night_run("run n.json --json", 0);
    cr_expect(strstr(night.progress, runs), "%s", night.progress);
    const json_t *row = night_row(&night, 0);
    cr_expect_str_eq(night_text(row, "kernel"), "swap");
    cr_expect_str_eq(night_text(row, "program"), "main.hip 8");
    cr_expect_float_eq(json_number_value(json_object_get(row, "share")), 1, 1e-9);
    cr_expect_str_eq(night_text(night_compared(&night), "verdict"), "not-run");
    cr_expect_str_eq(night_text(night_compared(&night), "reason"), "no source was changed");
    night_free(&night);

    night_edit("main.hip", "__global__", "/* a comment */ __global__");
    night = night_run("run n.json --json", 0);
    cr_expect_null(strstr(night.progress, runs), "%s", night.progress);
    cr_expect(json_is_true(json_object_get(night_row(&night, 0), "kept")));
    night_free(&night);

    night_job_write(other, 60, 1, "");
    night = night_run("run n.json --json", 0);
    cr_expect(strstr(night.progress, runs), "%s", night.progress);
    night_free(&night);
}

/* A comment is no change of the code, but templates have the lines of the text. */
Test(night_programs, a_source_is_read_again_when_its_text_changed) {
    workplace_write("tree/scale.hip", "#include <hip/hip_runtime.h>\n"
                                      "#include \"scale.cuh\"\n"
                                      "void launch(const float *in, float *out, int n) {\n"
                                      "    scale<<<n, 1>>>(in, out, n);\n"
                                      "}\n");
    workplace_write("tree/scale.cuh", header);
    night_job_write("[\"tree/scale.hip\", \"tree/scale.cuh\"]", 120, 2, "");
    ran_night night = night_run("run n.json --json", 0);
    char *key = ht_strdup(night_text(night_row(&night, 0), "kernel_key"));
    night_free(&night);
    night_job_write("[\"tree/scale.hip\", \"tree/scale.cuh\"]", 120, 3, "");
    night_edit("tree/scale.cuh", "#pragma once", "// more\n#pragma once");
    night = night_run_again("run n.json --json");
    cr_expect_gt(night_analyses(&night, "made"), 0, "%s", night.progress);
    cr_expect_eq(night_analyses(&night, "kept"), 0, "%s", night.progress);
    cr_expect_str_eq(night_text(night_row(&night, 0), "kernel_key"), key);
    night_free(&night);
    free(key);
}
