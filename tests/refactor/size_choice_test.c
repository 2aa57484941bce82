/* Tuned launches that take the original at sizes at which that is faster. */
#include "written_support.h"

#include "base/memory.h"
#include "refactor/rewrite/apply.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MAX = 8 };

/* Sizes as texts, "W=8 H=8"; NULL ends them. */
typedef struct sizes {
    const char *kept[SIZES_MAX], *lost[SIZES_MAX];
} sizes;

static size_t problems_read(const ht_template *template, const char *const *texts,
                            ht_problem *out) {
    size_t count = 0;
    ht_error error;
    for (; count < SIZES_MAX && texts[count]; ++count)
        cr_assert_eq(ht_problem_parse(&template->problem, texts[count], &out[count], &error), HT_OK,
                     "%s", error.message);
    return count;
}

/* Returns the text of the source's first kernel in a configuration; NULL: *out_why says why its
 * launches cannot choose; free() either. */
static char *chosen(const char *source, const char *problem, const char *config, const sizes *of,
                    char **out_why) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(source, problem, &problems);
    const ht_kernel *kernel = ht_refactor_kernel(refactor, 0);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    ht_problem kept[SIZES_MAX], lost[SIZES_MAX];
    const ht_size_samples samples = {kept, problems_read(kernel->template, of->kept, kept), lost,
                                     problems_read(kernel->template, of->lost, lost)};
    ht_refactor_choice choice = {.sizes = &samples};
    ht_error error;
    cr_assert_eq(ht_config_parse(kernel->template, config, &choice.config, &error), HT_OK, "%s",
                 error.message);
    char *text = NULL, *output;
    ht_status status = ht_refactor_apply(refactor, &choice, 1, &text, &error);
    *out_why = status == HT_OK ? NULL : ht_strdup(error.message);
    if (status == HT_OK) {
        cr_expect(clang_parses(text, &output), "%s\n%s", output, text);
        free(output);
    } else
        cr_expect_eq(status, HT_ERROR_UNSUPPORTED, "%s", error.message);
    for (size_t i = 0; i < samples.kept_count; ++i)
        ht_problem_free(&kept[i]);
    for (size_t i = 0; i < samples.lost_count; ++i)
        ht_problem_free(&lost[i]);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    return text;
}

static const char line_problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [\n"
    "  {\"kernel\": \"k\", \"problem\": \"line : n\",\n"
    "   \"args\": [\"in : in float[problem.n]\", \"out : out float[problem.n]\",\n"
    "            \"n : int = problem.n\"],\n"
    "   \"instances\": [{\"fields\": {\"n\": 4096}}]}]}";

#define LINE(launch)                                                                               \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(const float *in, float *out, int n) {\n"                                    \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    if (i < n) out[i] = in[i] * 2;\n}\n"                                                      \
    "void run(const float *in, float *out, int n) {\n" launch "}\n"

static void expect_condition(const sizes *of, const char *condition) {
    char *why, *text = chosen(LINE("    k<<<(n + 255) / 256, 256>>>(in, out, n);\n"), line_problem,
                              "BLOCK_X=64 COARSEN_X=4", of, &why);
    char *line =
        ht_format("    const bool tuned = %s; // else the original is faster\n", condition);
    cr_assert(text, "%s", why);
    expect_part(text, line);
    free(line);
    free(text);
}

Test(size_choice, a_launch_takes_the_original_kept_as_it_was_at_smaller_sizes) {
    const sizes smaller = {{"n=4096", "n=6144", "n=4095"}, {"n=2048"}};
    char *why, *text = chosen(LINE("    k<<<(n + 255) / 256, 256>>>(in, out, n);\n"), line_problem,
                              "BLOCK_X=64 COARSEN_X=4", &smaller, &why);
    cr_assert(text, "%s", why);
    expect_part(text, "    const bool tuned = n >= 4095; // else the original is faster\n"
                      "    (tuned ? k : k_plain)<<<");
    expect_part(text, "// as it was, for sizes at which it is faster\n"
                      "__global__ void k_plain(const float *in, float *out, int n) {\n"
                      "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "    if (i < n) out[i] = in[i] * 2;\n}\n");
    expect_part(text, "tuned ? 64 : 256>>>(in, out, n);");
    free(text);
}

Test(size_choice, a_condition_says_no_more_than_the_sizes_that_were_timed) {
    const sizes larger = {{"n=4096", "n=2048", "n=4095"}, {"n=6144"}};
    const sizes odd = {{"n=4096", "n=2048", "n=6144"}, {"n=4095"}};
    const sizes both = {{"n=4096", "n=4095"}, {"n=2048", "n=6144"}};
    const sizes between = {{"n=4096", "n=2048", "n=8192"}, {"n=3072", "n=6144"}};
    expect_condition(&larger, "n <= 4096");
    expect_condition(&odd, "n % 64 == 0");
    expect_condition(&both, "n >= 4095 && n <= 4096");
    expect_condition(&between, "n == 4096");
}

Test(size_choice, a_launch_of_the_same_kernel_in_another_block_needs_no_copy) {
    const sizes smaller = {{"n=4096"}, {"n=2048"}};
    char *why, *text = chosen(LINE("    k<<<(n + 255) / 256, 256>>>(in, out, n);\n"), line_problem,
                              "BLOCK_X=512", &smaller, &why);
    cr_assert(text, "%s", why);
    expect_none(text, "k_plain");
    expect_part(
        text, "    k<<<tuned ? n / 512 + (n % 512 != 0) : (n + 255) / 256, tuned ? 512 : 256>>>(");
    free(text);
}

Test(size_choice, declarations_ahead_of_the_launch_choose_too) {
    const sizes smaller = {{"n=4096"}, {"n=2048"}};
    char *why, *text = chosen(LINE("    const int threads = 256;\n"
                                   "    dim3 block(threads), grid((n + threads - 1) / threads);\n"
                                   "    k<<<grid, block>>>(in, out, n);\n"),
                              line_problem, "BLOCK_X=512", &smaller, &why);
    cr_assert(text, "%s", why);
    expect_part(text, "    const bool tuned = n >= 4096; // else the original is faster\n"
                      "    const int threads = tuned ? 512 : 256;\n");
    expect_part(text, "    k<<<grid, block>>>(in, out, n);\n");
    free(text);
}

Test(size_choice, a_launch_that_cannot_choose_says_why) {
    const sizes smaller = {{"n=4096"}, {"n=2048"}}, same = {{"n=4096"}, {"n=4096"}};
    char *why;
    cr_expect_null(chosen("#define BLOCK 256\n" LINE("    k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>"
                                                     "(in, out, n);\n"),
                          line_problem, "BLOCK_X=512", &same, &why));
    cr_expect(strstr(why, "distinguishes those sizes"), "%s", why);
    free(why);
    cr_expect_null(chosen(LINE("    if (n) k<<<(n + 255) / 256, 256>>>(in, out, n);\n"),
                          line_problem, "BLOCK_X=512", &smaller, &why));
    cr_expect(strstr(why, "is no statement of its own"), "%s", why);
    free(why);
}
