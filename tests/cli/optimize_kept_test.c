/* Results of `hiptemper optimize` that are kept from run to run. */
#include "kept_tree.h"
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(optimize_kept, .init = kept_place_make, .fini = workplace_remove);

enum { N = 20000 };

/* Almost any speedup counts, so that a tuned source is written. */
#define OPTIMIZE                                                                                   \
    "optimize tree --json - --max-evals 6 --final-time 0.1 --ablation 0 --min-speedup 1 --out out"

/* Where it does not matter whether anything faster is found. */
#define QUICK                                                                                      \
    "optimize tree --json - --max-evals 1 --final-time 0.02 --ablation 0 --min-speedup 1 --out "   \
    "out"

static json_t *kernel_of(const json_t *document, const char *name) {
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(document, "kernels"), index,
                       row) if (strcmp(json_string_value(json_object_get(row, "name")), name) ==
                                0) return row;
    return NULL;
}

Test(optimize_kept, an_unchanged_tree_gives_the_same_report_and_files_and_says_when_it_was_tuned) {
    kept_tree_write(N);
    json_t *first = kept_run(OPTIMIZE, 0);
    json_t *then = kernel_of(first, "scale");
    const char *name = json_string_value(json_object_get(then, "template_file"));
    cr_assert_not_null(name);
    char *template = workplace_read(name), *whole = ht_format("%s/%s", workplace(), name);
    cr_assert_not_null(template);
    cr_assert_eq(unlink(whole), 0);
    json_t *second = kept_run(OPTIMIZE, 2);
    json_t *now = kernel_of(second, "scale");
    cr_expect(json_is_null(json_object_get(then, "earlier")));
    cr_expect(json_is_string(json_object_get(now, "earlier")));
    json_object_set_new(now, "earlier", json_null());
    cr_expect(json_equal(then, now), "times, configuration, files and all");
    char *again = workplace_read(name);
    cr_assert_not_null(again, "the template is in its place again");
    cr_expect_str_eq(again, template);
    program_result words = program_run("optimize tree --max-evals 6 --final-time 0.1 --ablation 0 "
                                       "--min-speedup 1 --out out");
    cr_expect(strstr(words.out, "--fresh finds it again"), "%s", words.out);
    cr_expect(strstr(words.out, "2 of the files did not change"), "%s", words.out);
    cr_expect(strstr(words.out, "(host emulation)"), "%s", words.out);
    program_free(&words);
    json_decref(first);
    json_decref(second);
    free(again);
    free(template);
    free(whole);
}

Test(optimize_kept, a_source_is_tuned_again_when_anything_changes_that_its_result_depends_on) {
    kept_tree_write(N);
    expect_kept(QUICK, 0);
    workplace_write("tree/size.h", "#define BLOCK 128\n"); /* a header */
    usleep(20000);
    expect_kept(QUICK, 1);
    expect_kept(QUICK, 2);
    expect_kept(QUICK " --seed 2", 0);
    expect_kept(QUICK " --check none", 0);
    expect_kept(QUICK " --fresh", 0);
    expect_kept(QUICK " --db other.sqlite", 0); /* which has none of the measurements */
    expect_kept(QUICK " --db other.sqlite", 2);
    char *database = ht_format("%s/other.sqlite", workplace());
    cr_assert_eq(unlink(database), 0);
    expect_kept(QUICK " --db other.sqlite", 0);
    free(database);
    setenv("HIPTEMPER_KEPT", "", 1);
    expect_kept(QUICK, 0);
}

/* A run with more time might have found more. */
Test(optimize_kept, times_are_taken_under_a_smaller_limit_but_not_under_a_larger_one) {
    kept_tree_write(N);
    expect_kept(QUICK " --max-time 400", 0);
    expect_kept(QUICK " --max-time 300", 2);
    expect_kept(QUICK " --max-time 500", 1); /* the one that is refused has no times */
    expect_kept(QUICK, 1);
    expect_kept(QUICK " --max-time 500", 2);
}

/* The original of `shift` reads past its array: nothing of its tuned source can be verified. */
static void shift_write(const char *index) {
    char *source = ht_format("__global__ void shift(const float *in, float *out, int n) {\n"
                             "    int i = blockIdx.x * 64 + threadIdx.x;\n"
                             "    if (i < n) out[i] = in[%s];\n"
                             "}\n"
                             "void move(const float *in, float *out, int n) {\n"
                             "    shift<<<(n + 63) / 64, 64>>>(in, out, n);\n"
                             "}\n",
                             index);
    workplace_write("tree/shift.hip", source);
    free(source);
    workplace_write("tree/shift.problem.json",
                    "{ \"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [ {\n"
                    "  \"kernel\": \"shift\", \"problem\": \"line : n\",\n"
                    "  \"args\": [\"in : in float[problem.n]\", \"out : out float[problem.n]\", "
                    "\"n : int = problem.n\"],\n"
                    "  \"host\": {\"n\": \"problem.n\"},\n"
                    "  \"instances\": [ {\"name\": \"a\", \"fields\": {\"n\": 9000}} ] } ] }\n");
    usleep(20000);
}

/* Returns the report; the command must end with this code. */
static json_t *shift_run(int code) {
    program_result result = program_run(OPTIMIZE " --kernel shift");
    cr_assert_eq(result.code, code, "%s%s", result.out, result.err);
    json_t *document = json_loads(result.out, 0, NULL);
    cr_assert_not_null(document, "%s", result.out);
    program_free(&result);
    return document;
}

Test(optimize_kept, a_source_with_a_withheld_kernel_is_tuned_again_when_it_changes) {
    shift_write("i + 1");
    json_t *first = shift_run(1), *second = shift_run(1);
    json_t *then = kernel_of(first, "shift"), *now = kernel_of(second, "shift");
    cr_expect_str_eq(json_string_value(json_object_get(then, "status")), "withheld");
    cr_expect_eq(json_integer_value(json_object_get(first, "kept")), 0);
    cr_expect_eq(json_integer_value(json_object_get(second, "kept")), 1);
    cr_expect(json_is_string(json_object_get(now, "earlier")));
    json_object_set_new(now, "earlier", json_null());
    cr_expect(json_equal(then, now), "the verdict and its reason");
    shift_write("i");
    json_t *third = shift_run(0);
    cr_expect_eq(json_integer_value(json_object_get(third, "kept")), 0);
    json_decref(first);
    json_decref(second);
    json_decref(third);
}

Test(optimize_kept, an_unknown_kernel_is_reported_with_the_names_of_kept_sources) {
    kept_tree_write(N);
    expect_kept(QUICK " --kernel scale", 0);
    char *scale = ht_format("%s/tree/scale.hip", workplace());
    cr_assert_eq(unlink(scale), 0);
    program_result result = program_run(QUICK " --kernel scale");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "there are: nothing"), "%s", result.err);
    program_free(&result);
    free(scale);
}
