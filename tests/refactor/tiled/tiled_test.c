/* The tiled form computes what the original does, bit for bit, for tiles of any shape and outputs
 * that do not fill them; kernels that have no such form are left alone with the reason and its
 * place. */
#include "tests/refactor/coarsen/generate.h"
#include "tests/refactor/coarsen/harness.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The first is the original itself. */
static const variant tiles[] = {
    {{1, 1, 1}, false, false, 1, 1, false, false}, {{1, 1, 1}, false, true, 1, 1, false, false},
    {{2, 1, 1}, false, true, 1, 1, false, false},  {{4, 2, 1}, true, true, 2, 1, false, false},
    {{1, 4, 2}, false, true, 3, 1, false, false},  {{3, 5, 2}, false, true, 4, 1, false, false},
    {{2, 3, 4}, true, true, 8, 1, false, false},   {{8, 1, 1}, false, true, 1, 1, false, false}};

/* A source as the pass rewrote it, in a folder of its own. */
typedef struct rewritten {
    char *text, *folder; /* owned */
    outcomes of;
} rewritten;

/* Takes `text`. */
static rewritten rewrite(char *text) {
    rewritten out = {.text = text};
    cr_assert_eq(ht_dir_temporary("tiled", &out.folder, NULL), HT_OK);
    out.of = rewrite_text(&ht_transformation_tiled, out.folder, "source.hip", text);
    return out;
}

static rewritten rewrite_file(const char *path_in_tests) {
    char *path = ht_format("%s/tests/refactor/%s.hip", HT_SOURCE_DIR, path_in_tests), *text = NULL;
    cr_assert_eq(ht_file_read(path, 0, &text, NULL, NULL), HT_OK);
    free(path);
    return rewrite(text);
}

static void rewritten_free(rewritten *source) {
    outcomes_free(&source->of);
    ht_dir_remove(source->folder);
    free(source->folder);
    free(source->text);
}

static void check_agrees(const rewritten *source) {
    char *difference = compare_variants(source->folder, source->text, &source->of, tiles,
                                        sizeof tiles / sizeof *tiles);
    cr_expect_null(difference, "%s", difference);
    free(difference);
}

static void check_shapes(const char *path_in_tests, size_t least, const char *const *refused) {
    rewritten source = rewrite_file(path_in_tests);
    size_t applied = 0;
    for (size_t i = 0; i < source.of.count; ++i) {
        const outcome *one = &source.of.items[i];
        bool expected = true;
        for (const char *const *each = refused; *each; ++each)
            expected = expected && strcmp(*each, one->kernel) != 0;
        applied += one->applied;
        cr_expect_eq(one->applied, expected, "%s, line %d: %s", one->kernel, one->line,
                     one->reason ? one->reason : "applied");
    }
    cr_expect_geq(applied, least);
    check_agrees(&source);
    rewritten_free(&source);
}

Test(tiled, planes) {
    check_shapes("tiled/shapes/planes", 10, (const char *const[]){"masked", NULL});
}

/* Tests are made in the loops that follow them, where they have the same answer. */
Test(tiled, tests_in_front_of_loops) {
    check_shapes("tiled/shapes/carried", 10, (const char *const[]){NULL});
}

/* The loops after a test stay outside, and elements that do not differ by it are read once. */
Test(tiled, what_a_test_does_not_tell_apart_is_read_once) {
    static const struct {
        const char *kernel, *piece;
    } cases[] = {{"channels_last", "w_once[tk] = w["},
                 {"skipped", "w_once = w["},
                 {"skipped", "for (int c = 0; c < 2; ++c) {"}};
    rewritten source = rewrite_file("tiled/shapes/carried");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *begin = ht_format("void %s(", cases[i].kernel);
        const char *kernel = strstr(source.of.text, begin),
                   *end = kernel ? strstr(kernel, "__global__") : NULL;
        const char *found = kernel ? strstr(kernel, cases[i].piece) : NULL;
        cr_expect(found && (!end || found < end), "%s: %s", cases[i].kernel, cases[i].piece);
        free(begin);
    }
    rewritten_free(&source);
}

/* An output channel is an axis where inputs do not depend on it, and loops neither. */
Test(tiled, channels_of_a_block) {
    static const struct {
        const char *kernel, *plain;
    } cases[] = {{"channels", "TILE_K"},     {"batched", "TILE_OC"}, {"cut_short", "TILE_K"},
                 {"inner_rows", "TILE_ROW"}, {"grouped", NULL},      {"padded", NULL}};
    rewritten source = rewrite_file("tiled/shapes/planes");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const outcome *one = outcomes_find(&source.of, cases[i].kernel);
        const char *plain = one && one->plain ? one->plain : "none";
        cr_expect_str_eq(plain, cases[i].plain ? cases[i].plain : "none", "%s: %s", cases[i].kernel,
                         plain);
    }
    rewritten_free(&source);
}

/* ---- refusals ---- */

#define HEAD                                                                                       \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k(const float *in, float *out, int W, int H) {\n" /* line 2 */
#define INDEX                                                                                      \
    "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
#define GUARD "    if (x >= W || y >= H) return;\n"
#define WORK                                                                                       \
    "    float sum = 0;\n    for (int s = 0; s < 3; ++s) sum += in[y * W + x + s];\n"              \
    "    out[y * W + x] = sum;\n"
#define TAIL                                                                                       \
    "}\n"                                                                                          \
    "void launch(const float *in, float *out, int W, int H) {\n"                                   \
    "    k<<<dim3((W + 15) / 16, (H + 3) / 4), dim3(16, 4)>>>(in, out, W, H);\n}\n"

/* `body` begins in line 3. */
static void check_refusal(const char *body, int line, const char *words) {
    rewritten source = rewrite(ht_format(HEAD "%s" TAIL, body));
    const char *text = source.text;
    cr_assert_eq(source.of.count, 1);
    const outcome *one = &source.of.items[0];
    cr_expect(!one->applied, "%s", text);
    cr_expect(one->reason && strstr(one->reason, words), "\"%s\" for %s",
              one->reason ? one->reason : "", text);
    cr_expect_eq(one->line, line, "line %d, not %d, for %s", one->line, line, text);
    cr_expect_gt(one->column, 0);
    rewritten_free(&source);
}

Test(tiled, what_threads_share_is_left_alone) {
    check_refusal(INDEX GUARD "    __syncthreads();\n" WORK, 2, "barrier");
    check_refusal(INDEX GUARD "    float v = in[threadIdx.x];\n    out[y] = v;\n" WORK, 3,
                  "serves more than `x`");
    check_refusal(INDEX GUARD
                  "    for (int s = 0; s < 3; ++s) out[y * W + x] += out[y * W + x + s];\n",
                  6, "both read and written");
    check_refusal(INDEX GUARD "    for (int s = 0; s < 3; ++s) atomicAdd(out + s, in[x]);\n", 2,
                  "atomic");
}

Test(tiled, blocks_counted_over_two_axes_are_left_alone) {
    rewritten source = rewrite_file("sources/flat_grid");
    const outcome *one = outcomes_find(&source.of, "flat_sum");
    cr_assert_not_null(one);
    cr_expect(!one->applied && one->reason && strstr(one->reason, "two axes"), "%s",
              one->reason ? one->reason : "applied");
    rewritten_free(&source);
}

Test(tiled, guards_must_be_understood) {
    check_refusal(INDEX "    if (x + y >= W || y >= H) return;\n" WORK, 4, "guard");
    check_refusal(INDEX "    out[0] = 1;\n" GUARD WORK, 5, "in front of a guard");
}

Test(tiled, outputs_must_stay_in_their_segments) {
    check_refusal(INDEX GUARD "    for (int s = 0; s < x; ++s) if (in[s] > 0) return;\n" WORK, 6,
                  "return inside of a loop");
    check_refusal(INDEX GUARD "    float a = 0; float &b = a;\n" WORK, 6, "reference");
    check_refusal(INDEX GUARD "    int s = 0;\nend:\n    if (++s < 3) goto end;\n" WORK, 7, "goto");
    check_refusal(INDEX GUARD "    W = x;\n" WORK, 5, "changes");
    check_refusal(INDEX GUARD "    in += x;\n" WORK, 2, "changed differently");
}

Test(tiled, convolutions) {
    check_shapes("coarsen/shapes/convolutions", 11, (const char *const[]){NULL});
}

Test(tiled, control_flow) {
    check_shapes("coarsen/shapes/control", 11,
                 (const char *const[]){"two_guards", "negated_guard", "changing_bounds",
                                       "changing_named_bound", /* nothing to share */
                                       "masked", "in_place", "histogram", "same_after_tests",
                                       NULL});
}

Test(tiled, data) {
    check_shapes("coarsen/shapes/data", 3,
                 (const char *const[]){"moved_parameters", "unsigned_wrap", "taken_names",
                                       "device_functions", "typed_by_x", /* nothing to share */
                                       "moved_by_x", "statement_macros", "macro_arguments",
                                       "aliases", "struct_parameter", "measured", NULL});
}

/* Every kernel that gets the form is right. */
Test(tiled, random_kernels) {
    const size_t count = (size_t)random_kernel_count();
    rewritten source = rewrite(generate_source(20261122, (int)count));
    size_t applied = 0;
    for (size_t i = 0; i < source.of.count; ++i)
        applied += source.of.items[i].applied;
    cr_expect_geq(applied, count / 2, "%zu", applied);
    check_agrees(&source);
    rewritten_free(&source);
}
