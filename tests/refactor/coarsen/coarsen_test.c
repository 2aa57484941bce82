/* Coarsened kernels compute what the originals do, bit for bit; kernels that cannot be coarsened
 * are left alone with the reason and its place. */
#include "tests/refactor/coarsen/generate.h"
#include "tests/refactor/coarsen/harness.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Checks that applied sources, with what is the same for all outputs ahead of the loop over them,
 * compute the same. */
static void check_applied(const char *folder, const char *name, const char *text) {
    for (int strided = 0; strided < 2; ++strided) {
        variant one = {.factor = {4, 1, 1}, .strided = strided, .apart = true, .plain = 1};
        outcomes of = coarsen_applied(folder, name, text, 4, strided);
        for (size_t i = 0; i < of.count; ++i)
            cr_expect(of.items[i].applied, "%s: %s", of.items[i].kernel, of.items[i].reason);
        const char *loop = strided ? " * blockDim.x;\n" : " 4; ++"; /* one of them has it */
        cr_expect(strstr(of.text, loop), "%s", of.text);
        char *difference = compare_variants(folder, text, &of, &one, 1);
        cr_expect_null(difference, "strided %d: %s", strided, difference);
        free(difference);
        outcomes_free(&of);
    }
}

/* Checks that every kernel of a file of shapes is coarsened and equal; those named in `apart`
 * compute their outputs one after the other, the rest next to each other. */
static void check_shapes(const char *name, size_t least, const char *const *apart) {
    char *path = ht_format("%s/tests/refactor/coarsen/shapes/%s.hip", HT_SOURCE_DIR, name);
    char *text = NULL, *folder = NULL;
    cr_assert_eq(ht_file_read(path, 0, &text, NULL, NULL), HT_OK);
    cr_assert_eq(ht_dir_temporary("coarsen", &folder, NULL), HT_OK);
    outcomes of = coarsen_text(folder, "shapes.hip", text);
    cr_expect_geq(of.count, least);
    for (size_t i = 0; i < of.count; ++i) {
        const outcome *one = &of.items[i];
        bool expect_apart = false;
        for (const char *const *each = apart; *each; ++each)
            expect_apart |= strcmp(*each, one->kernel) == 0;
        cr_expect(one->applied, "%s is refused at line %d: %s", one->kernel, one->line,
                  one->reason ? one->reason : "");
        cr_expect(!one->applied || expect_apart == (one->note != NULL), "%s: %s", one->kernel,
                  one->note ? one->note : "side by side");
    }
    char *difference = compare_runs(folder, text, &of);
    cr_expect_null(difference, "%s", difference);
    check_applied(folder, "shapes.hip", text);
    free(difference);
    outcomes_free(&of);
    ht_dir_remove(folder);
    free(folder);
    free(text);
    free(path);
}

Test(coarsen, convolutions) {
    check_shapes("convolutions", 11, (const char *const[]){NULL});
}

Test(coarsen, control_flow) {
    check_shapes("control", 17, (const char *const[]){"histogram", "changing_bounds", NULL});
}

Test(coarsen, own_arrays_by_their_address) {
    check_shapes("addresses", 10, (const char *const[]){"returned", "pointed", NULL});
}

Test(coarsen, data) {
    check_shapes("data", 16,
                 (const char *const[]){"moved_by_x", "aliases", "statement_macros", "measured",
                                       "typed_by_x", NULL});
}

/* Every coarsened kernel is right. */
Test(coarsen, random_kernels) {
    const int count = random_kernel_count();
    char *text = generate_source(20240229, count), *folder = NULL;
    cr_assert_eq(ht_dir_temporary("random", &folder, NULL), HT_OK);
    outcomes of = coarsen_text(folder, "random.hip", text);
    size_t together = 0;
    for (size_t i = 0; i < of.count; ++i) {
        cr_expect(of.items[i].applied, "%s: %s", of.items[i].kernel, of.items[i].reason);
        together += of.items[i].applied && !of.items[i].note;
    }
    cr_expect_geq(together, (size_t)count * 5 / 6);
    char *difference = compare_runs(folder, text, &of);
    cr_expect_null(difference, "%s", difference);
    check_applied(folder, "random.hip", text);
    free(difference);
    outcomes_free(&of);
    free(text);
    ht_dir_remove(folder);
    free(folder);
}

/* ---- refusals */

#define HEAD                                                                                       \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(const float *in, float *out, int W, int H) {\n" /* line 2 */
#define INDEX "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
#define TAIL                                                                                       \
    "}\n"                                                                                          \
    "void launch(const float *in, float *out, int W, int H) {\n"                                   \
    "    k<<<dim3((W + 15) / 16, H), dim3(16)>>>(in, out, W, H);\n}\n"

static void check_text(const char *text, int line, const char *words) {
    char *folder;
    cr_assert_eq(ht_dir_temporary("coarsen", &folder, NULL), HT_OK);
    outcomes of = coarsen_text(folder, "refused.hip", text);
    cr_assert_eq(of.count, 1);
    const outcome *one = &of.items[0];
    cr_expect(!one->applied, "%s", text);
    cr_expect(one->reason && strstr(one->reason, words), "\"%s\" for %s",
              one->reason ? one->reason : "", text);
    cr_expect_eq(one->line, line, "line %d, not %d, for %s: %s", one->line, line, text,
                 one->reason);
    cr_expect_gt(one->column, 0);
    cr_expect_str_eq(of.text, text, "a refused kernel is left alone");
    outcomes_free(&of);
    ht_dir_remove(folder);
    free(folder);
}

/* `body` begins in line 3. */
static void check_refusal(const char *body, int line, const char *words) {
    char *text = ht_format(HEAD "%s" TAIL, body);
    check_text(text, line, words);
    free(text);
}

Test(coarsen, threads_that_meet_are_left_alone) {
    check_refusal(INDEX "    if (x >= W) return;\n    __syncthreads();\n    out[x] = in[x];\n", 5,
                  "barrier");
    check_refusal("    __shared__ float tile[16];\n" INDEX "    if (x >= W) return;\n"
                  "    tile[threadIdx.x] = in[x];\n    out[x] = tile[threadIdx.x];\n",
                  3, "share memory");
    check_refusal(INDEX "    if (x >= W) return;\n    out[x] = __shfl_down(in[x], 1);\n", 5,
                  "wavefront");
}

Test(coarsen, statements_that_begin_in_a_macros_argument_are_left_alone) {
    check_text("#define MORE(v, by) v = (v) + (by)\n" HEAD INDEX
               "    if (x < W)\n        MORE(out[x], in[x]);\n" TAIL,
               6, "argument begins");
}

Test(coarsen, grid_stride_loops_are_left_alone) {
    check_refusal(INDEX "    for (int i = x; i < W; i += gridDim.x * blockDim.x)\n"
                        "        out[i] = in[i];\n",
                  4, "gridDim.x");
}

Test(coarsen, a_guard_is_needed_before_every_store) {
    check_refusal(INDEX "    out[x] = in[x];\n", 4, "guard");
    check_refusal(INDEX
                  "    if (x >= W)\n        out[W] = 0.f;\n    else\n        out[x] = in[x];\n",
                  5, "guard");
    check_refusal(INDEX
                  "    out[blockIdx.y] = 1.f;\n    if (x >= W) return;\n    out[x] = in[x];\n",
                  4, "guard");
    check_refusal(INDEX "    if (x < W)\n        out[x] = in[x];\n    out[W + blockIdx.y] = 1.f;\n",
                  5, "guard");
    check_refusal(INDEX "    if (x < 1) return;\n    out[x] = in[x];\n", 5, "guard");
    check_refusal(INDEX "    if (x < W || H > 3)\n        out[x] = in[x];\n", 5, "guard");
    check_refusal(INDEX "    if (x >= W && H > 3) return;\n    out[x] = in[x];\n", 5, "guard");
    check_refusal(INDEX "    if (x == W) return;\n    out[x] = in[x];\n", 5, "guard");
    /* an unsigned difference wraps: not a bound */
    check_refusal(INDEX "    if ((unsigned)x - 2u >= (unsigned)W) return;\n    out[x] = in[x];\n",
                  5, "guard");
    /* the bound differs between threads */
    check_refusal(INDEX "    if (x >= in[x]) return;\n    out[x] = in[x];\n", 5, "guard");
}

Test(coarsen, an_index_that_changes_is_left_alone) {
    check_refusal(INDEX "    x += 1;\n    if (x >= W) return;\n    out[x] = in[x];\n", 2,
                  "unchanged");
    check_refusal(INDEX "    if (x >= W) return;\n    int *p = &x;\n    out[*p] = in[x];\n", 2,
                  "unchanged");
    check_refusal("    int x;\n    x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "    if (x >= W) return;\n    out[x] = in[x];\n",
                  2, "unchanged");
}

Test(coarsen, parts_of_the_index_must_serve_it_alone) {
    check_refusal(INDEX "    if (x >= W) return;\n    out[x] = in[threadIdx.x];\n", 5,
                  "threadIdx.x");
    check_refusal("    int tx = threadIdx.x;\n    int x = blockIdx.x * 16 + tx;\n"
                  "    if (x >= W) return;\n    out[x] = in[tx];\n",
                  6, "threadIdx.x");
    check_refusal(INDEX
                  "    if (x >= W) return;\n    int y = blockIdx.x + 1;\n    out[x] = in[y];\n",
                  6, "blockIdx.x");
    /* not the block of the launch */
    check_refusal("    int x = blockIdx.x * 32 + threadIdx.x;\n    if (x >= W) return;\n"
                  "    out[x] = in[x];\n",
                  2, "global index");
}

Test(coarsen, unknown_effects_and_constructs_are_left_alone) {
    check_refusal(
        INDEX "    if (x >= W) return;\n    auto f = [=] { return in[x]; };\n    out[x] = f();\n",
        5, "lambda");
    check_refusal(INDEX "    if (x >= W) return;\n    goto end;\nend:\n    out[x] = in[x];\n", 5,
                  "goto");
    check_refusal(INDEX "    if (x >= W) return;\n    int at = atomicAdd((int *)out, 1);\n"
                        "    out[at + 1] = in[x];\n",
                  5, "order");
    check_refusal(INDEX "    if (x >= W) return;\n    out[x] = in[x] + clock();\n", 5, "clock");
    check_refusal(INDEX "    if (x >= W) return;\n    static int s;\n    out[x] = in[x] + s;\n", 5,
                  "static");
    check_refusal(
        INDEX "    if (x >= W) return;\n#ifdef FAST\n    return;\n#endif\n    out[x] = in[x];\n", 2,
        "preprocessor");
}
