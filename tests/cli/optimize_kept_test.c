/* Results of `hiptemper optimize` that are kept from run to run. */
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void place_make(void) {
    workplace_make();
    char *folder = ht_format("%s/kept", workplace());
    setenv("HIPTEMPER_KEPT", folder, 1);
    free(folder);
}

TestSuite(optimize_kept, .init = place_make, .fini = workplace_remove);

static const char source[] =
    "#include \"size.h\"\n"
    "#include <hip/hip_runtime.h>\n"
    "__global__ void scale(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i < n) out[i] = 2 * in[i];\n"
    "}\n"
    "void host(const float *in, float *out, int n) {\n"
    "    hipLaunchKernelGGL(scale, dim3((n + BLOCK - 1) / BLOCK), dim3(BLOCK), 0, 0, in, out, n);\n"
    "}\n";

static const char problem[] =
    "{ \"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [ {\n"
    "  \"kernel\": \"scale\", \"problem\": \"line : n\",\n"
    "  \"args\": [\"in : in float[problem.n]\", \"out : out float[problem.n]\", "
    "\"n : int = problem.n\"],\n"
    "  \"host\": {\"n\": \"problem.n\"},\n"
    "  \"instances\": [ {\"name\": \"a\", \"fields\": {\"n\": 20000}} ] } ] }\n";

/* Almost any speedup counts, so that a tuned source is written. */
#define OPTIMIZE                                                                                   \
    "optimize tree --json - --max-evals 6 --final-time 0.1 --ablation 0 --min-speedup 1 --out out"

/* Where it does not matter whether anything faster is found. */
#define QUICK                                                                                      \
    "optimize tree --json - --max-evals 1 --final-time 0.02 --ablation 0 --min-speedup 1 --out "   \
    "out"

static void tree_write(void) {
    workplace_write("tree/scale.hip", source);
    workplace_write("tree/size.h", "#define BLOCK 64\n");
    workplace_write("tree/scale.problem.json", problem);
    workplace_write("tree/empty.hip", "__global__ void nothing() {}\n");
    usleep(20000); /* a file that changes while it is read is not kept */
}

/* Returns the report of a run that took this many files from an earlier one. */
static json_t *run(const char *words, json_int_t kept) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    json_t *document = json_loads(result.out, 0, NULL);
    cr_assert_not_null(document, "%s", result.out);
    cr_expect_eq(json_integer_value(json_object_get(document, "kept")), kept, "not %d: %s: %s%s",
                 (int)kept, words, result.out, result.err);
    program_free(&result);
    return document;
}

static void expect_kept(const char *words, json_int_t kept) {
    json_decref(run(words, kept));
}

static json_t *kernel_of(const json_t *document, const char *name) {
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(document, "kernels"), index,
                       row) if (strcmp(json_string_value(json_object_get(row, "name")), name) ==
                                0) return row;
    return NULL;
}

Test(optimize_kept, an_unchanged_tree_gives_the_same_report_and_files_and_says_when_it_was_tuned) {
    tree_write();
    json_t *first = run(OPTIMIZE, 0);
    json_t *then = kernel_of(first, "scale");
    const char *name = json_string_value(json_object_get(then, "template_file"));
    cr_assert_not_null(name);
    char *template = workplace_read(name), *whole = ht_format("%s/%s", workplace(), name);
    cr_assert_not_null(template);
    cr_assert_eq(unlink(whole), 0);
    json_t *second = run(OPTIMIZE, 2);
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
    tree_write();
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
    tree_write();
    expect_kept(QUICK " --max-time 400", 0);
    expect_kept(QUICK " --max-time 300", 2);
    expect_kept(QUICK " --max-time 500", 1); /* the one that is refused has no times */
    expect_kept(QUICK, 1);
    expect_kept(QUICK " --max-time 500", 2);
}

Test(optimize_kept, an_unknown_kernel_is_reported_with_the_names_of_kept_sources) {
    tree_write();
    expect_kept(QUICK " --kernel scale", 0);
    char *scale = ht_format("%s/tree/scale.hip", workplace());
    cr_assert_eq(unlink(scale), 0);
    program_result result = program_run(QUICK " --kernel scale");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "there are: nothing"), "%s", result.err);
    program_free(&result);
    free(scale);
}
