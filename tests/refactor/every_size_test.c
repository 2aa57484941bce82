/* A tuned source is right for every size that the original was right for, not only for the sizes it
 * was tuned for; and a launch is rewritten once, where it stands. */
#include "refactor/rewrite/apply.h"
#include "support.h"

#include "base/memory.h"
#include "base/text.h"
#include "templates/bind.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "#include <hip/hip_runtime.h>\n"
#define TWO_BUFFERS "\"in : in float[problem.n]\", \"out : out float[problem.n]\", "

static const char *const problems =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : n\", \"args\": [" TWO_BUFFERS "\"n : int = problem.n\"], "
    "\"instances\": [{\"fields\": {\"n\": 4096}}]}]}";

typedef struct subject {
    ht_refactor *refactor;
    ht_problem_file *problems;
    const ht_kernel *kernel;
    size_t index;
} subject;

static subject subject_open(const char *text) {
    subject of;
    of.refactor = refactor_text(text, problems, &of.problems);
    of.kernel = kernel_named(of.refactor, "k", &of.index);
    return of;
}

static void subject_close(subject *of) {
    ht_refactor_free(of->refactor);
    ht_problem_file_free(of->problems);
}

static char *applied(const subject *of, const char *config) {
    ht_refactor_choice choice = {.kernel = of->index};
    ht_error error;
    char *text = NULL;
    cr_assert_not_null(of->kernel->template, "%s", of->kernel->reason);
    cr_assert_eq(ht_config_parse(of->kernel->template, config, &choice.config, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_refactor_apply(of->refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    return text;
}

/* Applies `config` and looks for the pieces, in order; the result must compile. */
static void expect_pieces(const char *source, const char *config, const char *const *pieces) {
    subject of = subject_open(source);
    char *text = applied(&of, config), *output;
    const char *at = text;
    for (size_t i = 0; pieces[i]; ++i) {
        const char *found = strstr(at, pieces[i]);
        cr_expect_not_null(found, "'%s' is not (or not there) in\n%s", pieces[i], text);
        at = found ? found + strlen(pieces[i]) : at;
    }
    cr_expect(clang_parses(text, &output), "%s\n%s", output, text);
    free(output);
    free(text);
    subject_close(&of);
}

/* Returns true if the configuration is legal for n = 4096. */
static bool legal(const char *source, const char *config) {
    subject of = subject_open(source);
    ht_error error;
    ht_config parsed;
    cr_assert_not_null(of.kernel->template, "%s", of.kernel->reason);
    const ht_template *template = of.kernel->template;
    if (ht_config_parse(template, config, &parsed, &error) != HT_OK) { /* not even a value */
        subject_close(&of);
        return false;
    }
    ht_device_fields device = {.max_threads = 1024,
                               .max_block_x = 1024,
                               .max_block_y = 1024,
                               .max_block_z = 64,
                               .max_grid_x = 1 << 30,
                               .max_grid_y = 65535,
                               .max_grid_z = 65535,
                               .max_static_lds = 65536,
                               .max_dynamic_lds = 65536,
                               .wavefront = 64};
    const ht_problem_entry *entry = ht_problem_file_entry(of.problems, "k");
    ht_binding binding = {template, &entry->instances[0], &device};
    bool is = false;
    cr_assert_eq(ht_binding_legal(&binding, &parsed, &is, NULL, &error), HT_OK, "%s",
                 error.message);
    subject_close(&of);
    return is;
}

static const char unguarded[] =
    HEAD "__global__ void k(const float *in, float *out, int n) {\n"
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    out[i] = in[i] * 2.0f;\n"
         "}\n"
         "void run(const float *in, float *out, int n) { // n is a multiple of 128\n"
         "    k<<<n / 128, 128>>>(in, out, n);\n"
         "}\n";

/* 4096 is a multiple of 512, but 4224 would not be. */
Test(every_size, a_kernel_without_guard_gets_blocks_that_divide_its_own) {
    cr_expect(legal(unguarded, "BLOCK_X=128"));
    cr_expect(legal(unguarded, "BLOCK_X=32"));
    cr_expect_not(legal(unguarded, "BLOCK_X=256"));
    cr_expect_not(legal(unguarded, "BLOCK_X=512"));
    const char *pieces[] = {"k<<<(n / 128) * 2, 64>>>", NULL}; /* as many threads for any n */
    expect_pieces(unguarded, "BLOCK_X=64", pieces);
}

Test(every_size, rounding_up_without_a_guard_keeps_the_number_of_threads) {
    char *source = ht_strdup(unguarded);
    ht_text text = {0};
    char *launch = strstr(source, "n / 128");
    ht_text_printf(&text, "%.*s(n + 127) / 128%s", (int)(launch - source), source, launch + 7);
    const char *pieces[] = {"k<<<((n + 127) / 128) * 2, 64>>>", NULL};
    expect_pieces(text.data, "BLOCK_X=64", pieces);
    ht_text_free(&text);
    free(source);
}

Test(every_size, a_number_in_the_source_is_checked_as_it_is) {
    const char fixed[] = HEAD "#define COUNT 4096\n"
                              "__global__ void k(const float *in, float *out, int n) {\n"
                              "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "    out[i] = in[i] * 2.0f;\n"
                              "}\n"
                              "void run(const float *in, float *out, int n) {\n"
                              "    k<<<COUNT / 128, 128>>>(in, out, n);\n"
                              "}\n";
    cr_expect(legal(fixed, "BLOCK_X=512"));
}

static const char *const tiled = HEAD "#define TILE 128\n"
                                      "__global__ void k(const float *in, float *out, int n) {\n"
                                      "    __shared__ float row[TILE];\n"
                                      "    int i = blockIdx.x * TILE + threadIdx.x;\n"
                                      "    float sum = 0;\n"
                                      "    for (int t = 0; t < n / TILE; ++t) {\n"
                                      "        row[threadIdx.x] = in[t * TILE + threadIdx.x];\n"
                                      "        __syncthreads();\n"
                                      "        for (int j = 0; j < TILE; ++j)\n"
                                      "            sum += row[j];\n"
                                      "        __syncthreads();\n"
                                      "    }\n"
                                      "    if (i < n)\n"
                                      "        out[i] = sum;\n"
                                      "}\n"
                                      "void run(const float *in, float *out, int n) {\n"
                                      "    k<<<(n + TILE - 1) / TILE, TILE>>>(in, out, n);\n"
                                      "}\n";

/* With n = 4096, 512 comes out even as well; with the next multiple of 128 it would not. */
Test(every_size, a_size_divided_by_the_tile_wants_tiles_that_divide) {
    cr_expect(legal(tiled, "TILE=64"));
    cr_expect_not(legal(tiled, "TILE=256"));
    cr_expect_not(legal(tiled, "TILE=512"));
}

/* Returns a kernel in which the last tile of a size that 128 does not divide is only right when its
 * rest is filled. */
static char *rounded_up(const char *otherwise) {
    return ht_format(HEAD "#define TILE 128\n"
                          "__global__ void k(const float *in, float *out, int n) {\n"
                          "    __shared__ float row[TILE];\n"
                          "    int i = blockIdx.x * TILE + threadIdx.x;\n"
                          "    float sum = 0;\n"
                          "    for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {\n"
                          "        if (t * TILE + threadIdx.x < n)\n"
                          "            row[threadIdx.x] = in[t * TILE + threadIdx.x];\n"
                          "        %s\n"
                          "        __syncthreads();\n"
                          "        for (int j = 0; j < TILE; ++j)\n"
                          "            sum += row[j];\n"
                          "        __syncthreads();\n"
                          "    }\n"
                          "    if (i < n)\n"
                          "        out[i] = sum;\n"
                          "}\n"
                          "void run(const float *in, float *out, int n) {\n"
                          "    k<<<(n + TILE - 1) / TILE, TILE>>>(in, out, n);\n"
                          "}\n",
                     otherwise);
}

Test(every_size, a_tile_that_is_not_filled_up_does_not_grow) {
    char *stale = rounded_up(""), *filled = rounded_up("else row[threadIdx.x] = 0;");
    cr_expect(legal(stale, "TILE=64"));
    cr_expect_not(legal(stale, "TILE=256"));
    cr_expect(legal(filled, "TILE=256"));
    free(stale);
    free(filled);
}

static const char *const halo = HEAD "#define TILE 128\n"
                                     "__global__ void k(const float *in, float *out, int n) {\n"
                                     "    __shared__ float row[TILE];\n"
                                     "    int i = blockIdx.x * TILE + threadIdx.x;\n"
                                     "    row[threadIdx.x] = i < n ? in[i] : 0.0f;\n"
                                     "    if (threadIdx.x < n / 100)\n"
                                     "        row[threadIdx.x] += 1.0f;\n"
                                     "    __syncthreads();\n"
                                     "    if (i < n)\n"
                                     "        out[i] = row[threadIdx.x];\n"
                                     "}\n"
                                     "void run(const float *in, float *out, int n) {\n"
                                     "    k<<<(n + TILE - 1) / TILE, TILE>>>(in, out, n);\n"
                                     "}\n";

/* 64 threads reach n / 100 = 40, but not for a larger n. */
Test(every_size, a_thread_compared_with_a_size_wants_blocks_as_large_as_the_original) {
    cr_expect_not(legal(halo, "TILE=64"));
    cr_expect(legal(halo, "TILE=256"));
}

/* ---- launches that share their geometry */

#define GUARDED                                                                                    \
    HEAD "__global__ void k(const float *in, float *out, int n) {\n"                               \
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                    \
         "    if (i < n) out[i] = in[i];\n"                                                        \
         "}\n"

Test(every_size, a_grid_of_several_launches_is_rewritten_once) {
    const char *pieces[] = {"dim3 block(64), grid((n + 63) / 64);",
                            "k<<<grid, block>>>(in, out, n);",
                            "k<<<grid, block>>>(out, (float *)in, n);", NULL};
    expect_pieces(GUARDED "void run(const float *in, float *out, int n) {\n"
                          "    dim3 block(256), grid((n + 255) / 256);\n"
                          "    k<<<grid, block>>>(in, out, n);\n"
                          "    k<<<grid, block>>>(out, (float *)in, n);\n"
                          "}\n",
                  "BLOCK_X=64 COARSEN_X=1", pieces);
}

/* ceil(n / 128) would have cut off the last block, and the 24 bits of a float some of a large n. */
Test(every_size, a_quotient_of_reals_rounds_up_exactly) {
#define EACH "(kOutputsPerThread * 64)"
    static const char *const exact = "n / " EACH " + (n % " EACH " != 0)";
    const struct {
        const char *grid, *tuned;
    } forms[] = {{"ceil(n / 256.0)", "ceil(n / 128.0)"},
                 {"ceilf(n / 256.f)", exact},
                 {"ceil((float)n / 256)", exact},
                 {"ceil((1.0 * n) / 256)", "ceil((1.0 * n) / " EACH ")"},
                 {"ceil(n * 1.0f / 2.56e2f)", exact},
                 {"(int)ceil(double(n) / double(256))", "(int)ceil(double(n) / double(" EACH "))"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        char *source = ht_format("%svoid run(const float *in, float *out, int n) {\n"
                                 "    k<<<%s, 256>>>(in, out, n);\n"
                                 "}\n",
                                 GUARDED, forms[i].grid);
        char *launch = ht_format("k<<<%s, 64>>>(in, out, n);", forms[i].tuned);
        const char *pieces[] = {launch, NULL};
        expect_pieces(source, "BLOCK_X=64 COARSEN_X=2", pieces);
        free(launch);
        free(source);
    }
#undef EACH
}

/* The count was computed from `threads`: were `threads` to change, it would change twice. Four
 * times the blocks are more than an int holds, so the launch asks. */
Test(every_size, a_grid_that_is_no_plain_quotient_keeps_its_constants) {
    const char *pieces[] = {"int threads = 256;",
                            "blocks = n > 1000 ? (n + threads - 1) / threads : 4",
                            "k_fits = blocks <= 536870911;",
                            "k_block = k_fits ? 64 : threads;",
                            "k_grid = k_fits ? blocks * 4 : blocks;",
                            NULL};
    expect_pieces(GUARDED "void run(const float *in, float *out, int n) {\n"
                          "    const int threads = 256;\n"
                          "    int blocks = n > 1000 ? (n + threads - 1) / threads : 4;\n"
                          "    k<<<blocks, threads>>>(in, out, n);\n"
                          "}\n",
                  "BLOCK_X=64 COARSEN_X=1", pieces);
}

Test(every_size, a_count_for_two_launches_is_not_rewritten_twice) {
    const char *pieces[] = {
        "int blocks = (n + 255) / 256;", "k<<<", "blocks * 4", "k<<<", "blocks * 4", NULL};
    expect_pieces(GUARDED "void run(const float *in, float *out, int n) {\n"
                          "    int blocks = (n + 255) / 256;\n"
                          "    k<<<blocks, 256>>>(in, out, n);\n"
                          "    k<<<dim3(blocks), 256>>>(out, (float *)in, n);\n"
                          "}\n",
                  "BLOCK_X=64 COARSEN_X=1", pieces);
}

Test(every_size, one_variable_among_the_arguments_of_the_launch_macro) {
    const char *pieces[] = {"hipLaunchKernelGGL(k, (n + 63) / 64, dim3(64), 0, 0, in, out, n);",
                            "other<<<1, block>>>", NULL};
    expect_pieces(GUARDED "__global__ void other(float *out) { out[threadIdx.x] = 0; }\n"
                          "void run(const float *in, float *out, int n) {\n"
                          "    dim3 block(256);\n"
                          "    hipLaunchKernelGGL(k, (n + 255) / 256, block, 0, 0, in, out, n);\n"
                          "    other<<<1, block>>>(out);\n"
                          "}\n",
                  "BLOCK_X=64 COARSEN_X=1", pieces);
}

/* libclang says that (n + B - 1) / B ends ahead of B there. */
Test(every_size, a_macro_that_ends_an_argument_of_the_launch_macro_is_replaced_with_it) {
    const char *pieces[] = {
        "hipLaunchKernelGGL(k, dim3(n / 512 + (n % 512 != 0)), dim3(512), 0, 0,", NULL};
    expect_pieces(GUARDED
                  "#define B 256\n"
                  "static const int other = B;\n"
                  "void run(const float *in, float *out, int n) {\n"
                  "    hipLaunchKernelGGL(k, dim3((n + B - 1) / B), dim3(B), 0, 0, in, out, "
                  "n);\n"
                  "}\n",
                  "BLOCK_X=512 COARSEN_X=1", pieces);
}

/* Integer arguments make a function template's quotient one of integers; real ones do not. */
Test(every_size, a_function_template_that_rounds_up_is_understood) {
    const char *helper = "template <typename A, typename B> A over(A a, B b) { return (a + b - 1) "
                         "/ b; }\n";
    const char *pieces[] = {"k<<<over(n, 64), 64>>>", NULL};
    char *source = ht_format("%s%svoid run(const float *in, float *out, int n) {\n"
                             "    k<<<over(n, 256), 256>>>(in, out, n);\n"
                             "}\n",
                             GUARDED, helper);
    expect_pieces(source, "BLOCK_X=64 COARSEN_X=1", pieces);
    free(source);
    source = ht_format("%s%svoid run(const float *in, float *out, int n) {\n"
                       "    k<<<over(n * 1.0f, 256), 256>>>(in, out, n);\n"
                       "}\n",
                       GUARDED, helper);
    subject of = subject_open(source);
    cr_expect_eq(of.kernel->status, HT_KERNEL_NEEDS_PROBLEM);
    subject_close(&of);
    free(source);
}

/* ---- what macros write */

Test(every_size, a_launch_whose_block_a_macro_writes_is_refused_or_kept) {
    subject of =
        subject_open(GUARDED "#define GO(kernel, grid, ...) kernel<<<grid, 256>>>(__VA_ARGS__)\n"
                             "void run(const float *in, float *out, int n) {\n"
                             "    GO(k, (n + 255) / 256, in, out, n);\n"
                             "}\n");
    if (of.kernel->template) {
        char *text = applied(&of, "");
        cr_expect_not_null(strstr(text, "    GO(k, (n + 255) / 256, in, out, n);"), "%s", text);
        free(text);
    } else
        cr_expect_not_null(strstr(of.kernel->reason, "line 8"), "%s", of.kernel->reason);
    subject_close(&of);
}

/* The 128 in the macro's body has no place of its own: the macro's name must not become 64. */
Test(every_size, an_index_that_a_macro_writes_keeps_its_block) {
    subject of = subject_open(HEAD "#define HERE (blockIdx.x * 128 + threadIdx.x)\n"
                                   "__global__ void k(const float *in, float *out, int n) {\n"
                                   "    int i = HERE;\n"
                                   "    if (i < n) out[i] = in[i];\n"
                                   "}\n"
                                   "void run(const float *in, float *out, int n) {\n"
                                   "    k<<<(n + 127) / 128, 128>>>(in, out, n);\n"
                                   "}\n");
    cr_assert_not_null(of.kernel->template, "%s", of.kernel->reason);
    for (size_t i = 0; i < of.kernel->template->param_count; ++i)
        cr_expect_str_neq(of.kernel->template->params[i].name, "BLOCK_X");
    subject_close(&of);
}

Test(every_size, a_name_behind_a_line_continuation_is_refused) {
    subject of = subject_open(HEAD "__global__ void \\\n"
                                   "k(const float *in, float *out, int n) {\n"
                                   "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    if (i < n) out[i] = in[i];\n"
                                   "}\n"
                                   "void run(const float *in, float *out, int n) {\n"
                                   "    k<<<(n + 127) / 128, 128>>>(in, out, n);\n"
                                   "}\n");
    cr_expect_eq(of.kernel->status, HT_KERNEL_REFUSED);
    cr_expect_not_null(strstr(of.kernel->reason, "continuation"), "%s", of.kernel->reason);
    subject_close(&of);
}

/* Launched for n, guarded by more: the threads that rounding up adds beyond n run or not, as the
 * block has it. Where the grid leaves nothing out, any block will do. */
#define BEYOND(items)                                                                              \
    HEAD "__global__ void k(const float *in, float *out, int n) {\n"                               \
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                    \
         "    if (i > 0 && i < n + 2) out[i] = in[i] * 2.0f;\n"                                    \
         "}\n"                                                                                     \
         "void run(const float *in, float *out, int n) {\n"                                        \
         "    k<<<(" items " + 63) / 64, 64>>>(in, out, n);\n"                                     \
         "}\n"

Test(every_size, a_grid_that_leaves_some_out_leaves_out_the_same) {
    cr_expect(legal(BEYOND("n"), "BLOCK_X=64"));
    cr_expect_not(legal(BEYOND("n"), "BLOCK_X=128"));
    cr_expect_not(legal(BEYOND("n"), "BLOCK_X=32"));
    cr_expect_not(legal(BEYOND("n"), "COARSEN_X=2"));
    cr_expect(legal(BEYOND("n + 64"), "BLOCK_X=128"));
    cr_expect(legal(BEYOND("n + 64"), "COARSEN_X=2"));
}
