/* The limits of an analysis: past one a kernel is lost, and only it. */
#include "program.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/sanitizer.h"
#include "base/text.h"
#include "tests/refactor/blur.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

TestSuite(limits, .init = workplace_make, .fini = workplace_remove);

/* Writes a sum whose tree is `depth` deep, and next to it a kernel like any other. */
static void write_deep(const char *name, int depth) {
    ht_text text = {0};
    ht_text_append(&text, "#include <hip/hip_runtime.h>\n"
                          "__global__ void deep(const float *a, float *b, int n) {\n"
                          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i < n) b[i] = a[i]");
    for (int i = 0; i < depth; ++i)
        ht_text_append(&text, "+a[i]");
    ht_text_append(&text, ";\n}\n"
                          "__global__ void plain(const float *a, float *b, int n) {\n"
                          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i < n) b[i] = 2 * a[i];\n"
                          "}\n"
                          "void host(const float *a, float *b, int n) {\n"
                          "    deep<<<(n + 255) / 256, 256>>>(a, b, n);\n"
                          "    plain<<<(n + 255) / 256, 256>>>(a, b, n);\n"
                          "}\n");
    workplace_write(name, text.data);
    ht_text_free(&text);
}

static json_t *run_json(const char *words, int code) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, code, "%d: %s", result.code, result.err);
    json_error_t error;
    json_t *document = json_loads(result.out, 0, &error);
    cr_assert_not_null(document, "%s in %s", error.text, result.out);
    cr_assert_eq(json_array_size(json_object_get(document, "errors")), 0, "%s", result.err);
    cr_assert_null(strstr(result.err, "no kernel is named"), "%s", result.err);
    program_free(&result);
    return document;
}

static const char *kernel_text(const json_t *document, size_t index, const char *name) {
    json_t *kernel = json_array_get(json_object_get(document, "kernels"), index);
    return json_string_value(json_object_get(kernel, name));
}

static bool has_transformation(const json_t *document, size_t index, const char *name) {
    json_t *kernel = json_array_get(json_object_get(document, "kernels"), index), *each;
    size_t at;
    bool found = false;
    json_array_foreach(json_object_get(kernel, "transformations"), at, each) found =
        found || strcmp(json_string_value(each), name) == 0;
    return found;
}

Test(limits, a_kernel_whose_analysis_crashes_is_lost_alone_and_told_once) {
    struct rlimit before, small;
    write_deep("deep.hip", 2000);
    getrlimit(RLIMIT_STACK, &before);
    small = before;
    small.rlim_cur = (HT_ADDRESS_SANITIZED ? 1024 : 512) << 10;
    setrlimit(RLIMIT_STACK, &small);
    json_t *all = run_json("refactor deep.hip --no-verify --json --out out", 1);
    json_t *one = run_json("refactor deep.hip --no-verify --json --out out --kernel deep", 1);
    setrlimit(RLIMIT_STACK, &before);
    cr_assert_eq(json_array_size(json_object_get(all, "kernels")), 2);
    cr_assert_str_eq(kernel_text(all, 0, "status"), "crashed");
    cr_assert(strstr(kernel_text(all, 0, "reason"), "Segmentation fault"));
    cr_assert_str_eq(kernel_text(all, 1, "status"), "templated");
    cr_assert_eq(json_array_size(json_object_get(one, "kernels")), 1);
    cr_assert_str_eq(kernel_text(one, 0, "status"), "crashed");
    json_decref(all);
    json_decref(one);
}

Test(limits, a_kernel_whose_analysis_takes_too_long_is_too_complex_and_only_it) {
    write_deep("deep.hip", 900);
    json_t *document =
        run_json("refactor deep.hip --no-verify --json --out out --analysis-time 1", 0);
    cr_assert_str_eq(kernel_text(document, 0, "status"), "too-complex");
    cr_assert(strstr(kernel_text(document, 0, "reason"), "--analysis-time"));
    cr_assert_str_eq(kernel_text(document, 1, "status"), "templated");
    json_decref(document);
}

/* Expects one kernel to be lost: `optimize` and `apply` go on with what an analysis finds, which
 * must not end them. */
static void expect_lost_alone(const char *limit, int code, const char *status, const char *reason) {
    char *words = ht_format("optimize deep.hip --max-evals 1 --ablation 0 --json - %s", limit);
    json_t *document = run_json(words, code);
    free(words);
    cr_assert_eq(json_array_size(json_object_get(document, "kernels")), 2);
    cr_expect_str_eq(kernel_text(document, 0, "status"), status);
    cr_expect(strstr(kernel_text(document, 0, "reason"), reason), "%s",
              kernel_text(document, 0, "reason"));
    cr_expect_str_eq(kernel_text(document, 1, "name"), "plain");
    cr_expect(strstr(kernel_text(document, 1, "status"), "kept"), "%s",
              kernel_text(document, 1, "status"));
    json_decref(document);
}

Test(limits, optimize_reports_a_kernel_whose_analysis_takes_too_long_and_tunes_the_others) {
    write_deep("deep.hip", 900);
    expect_lost_alone("--analysis-time 1", 0, "refused", "--analysis-time raises the limit");
}

Test(limits, optimize_reports_a_kernel_whose_analysis_takes_too_much_memory) {
    if (HT_ADDRESS_SANITIZED)
        cr_skip_test("no limit of memory");
    write_deep("deep.hip", 900);
    expect_lost_alone("--analysis-memory 20", 0, "refused", "--analysis-memory raises the limit");
}

Test(limits, optimize_lives_on_when_an_analysis_crashes) {
    struct rlimit before, small;
    write_deep("deep.hip", 2000);
    getrlimit(RLIMIT_STACK, &before);
    small = before;
    small.rlim_cur = (HT_ADDRESS_SANITIZED ? 1024 : 512) << 10;
    setrlimit(RLIMIT_STACK, &small);
    expect_lost_alone("", 1, "failed", "Segmentation fault");
    setrlimit(RLIMIT_STACK, &before);
}

Test(limits, apply_writes_a_kernel_next_to_one_whose_analysis_takes_too_long) {
    write_deep("deep.hip", 900);
    program_result result =
        program_run("apply BLOCK_X=64 deep.hip --kernel plain --analysis-time 1 --out out");
    cr_expect_eq(result.code, 0, "%s", result.err);
    cr_expect(strstr(result.out, "plain: applied"), "%s", result.out);
    program_free(&result);
    result = program_run("apply BLOCK_X=64 deep.hip --kernel deep --analysis-time 1 --out out");
    cr_expect_eq(result.code, 1, "%s", result.err);
    cr_expect(strstr(result.err, "deep.hip:2: deep has no parameters: its analysis was given up"),
              "%s", result.err);
    program_free(&result);
}

static const char blur[] =
    BLUR_KERNEL "__global__ void plain(const float *a, float *b, int n) {\n"
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    if (i < n) b[i] = 2 * a[i];\n"
                "}\n"
                "void host(const float *in, float *out, int w, int h) {\n"
                "    blur<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(in, out, w, h);\n"
                "    plain<<<(w + 255) / 256, 256>>>(in, out, w);\n"
                "}\n";

Test(limits, a_transformation_that_isl_works_too_long_for_is_left_out_and_the_others_stay) {
    workplace_write("blur.hip", blur);
    json_t *whole = run_json("refactor blur.hip --no-verify --json --out out", 0);
    json_t *part =
        run_json("refactor blur.hip --no-verify --json --out out --analysis-operations 200000", 0);
    cr_assert(has_transformation(whole, 0, "lds-stage"));
    cr_assert(has_transformation(whole, 0, "register-tile"));
    cr_assert_str_eq(kernel_text(part, 0, "status"), "templated");
    cr_assert_not(has_transformation(part, 0, "lds-stage"));
    cr_assert(has_transformation(part, 0, "register-tile"));
    char *text = json_dumps(part, 0);
    cr_assert(strstr(text, "too complex to prove"));
    cr_assert(strstr(text, "--analysis-operations"));
    free(text);
    json_decref(whole);
    json_decref(part);
}

/* Preparing nine kernels takes longer than this: those that are not reached say so, in the report
 * and in its document, and the command ends. */
Test(limits, a_time_limit_holds_for_preparing_kernels_too) {
    ht_text text = {0};
    ht_text_append(&text, "#include <hip/hip_runtime.h>\n");
    for (int i = 0; i < 9; ++i)
        ht_text_printf(&text,
                       "__global__ void k%d(const float *a, float *b, int n) {\n"
                       "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "    if (i < n) b[i] = %d * a[i];\n}\n"
                       "void host%d(const float *a, float *b, int n) {\n"
                       "    k%d<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n",
                       i, i, i, i);
    workplace_write("nine.hip", text.data);
    ht_text_free(&text);
    double begun = ht_clock_seconds();
    program_result result = program_run("optimize nine.hip --max-time 6 --out out --json -");
    double seconds = ht_clock_seconds() - begun;
    cr_assert_eq(result.code, 0, "the limit is no failure: %d: %s", result.code, result.err);
    json_t *document = json_loads(result.out, 0, NULL), *kernels, *kernel;
    kernels = json_object_get(document, "kernels");
    cr_assert_eq(json_array_size(kernels), 9);
    size_t index, late = 0;
    json_array_foreach(kernels, index, kernel) {
        const char *reason = json_string_value(json_object_get(kernel, "reason"));
        bool left = strcmp(json_string_value(json_object_get(kernel, "status")), "not-run") == 0;
        cr_expect_eq(left, reason && strstr(reason, "--max-time"), "%s", reason);
        late += left;
    }
    cr_assert_geq(late, 2, "%s", result.out);
    cr_assert_lt(seconds, 60);
    json_decref(document);
    program_free(&result);
}
