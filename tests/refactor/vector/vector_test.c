/* Kernels in which elements of neighbouring outputs are one access compute what the originals do,
 * bit for bit; accesses that cannot be one are left alone, with the reason and its place. */
#include "tests/refactor/coarsen/generate.h"
#include "tests/refactor/coarsen/harness.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Next to each other, and tiled; a width divides the outputs. The first is the original itself. */
static const variant widths[] = {
    {{1, 1, 1}, false, false, 1, 1, false, false}, {{2, 1, 1}, false, false, 1, 2, false, false},
    {{4, 1, 1}, false, false, 1, 4, false, false}, {{8, 1, 1}, false, false, 1, 4, false, true},
    {{6, 1, 1}, false, false, 1, 3, false, false}, {{2, 1, 1}, false, true, 1, 2, false, false},
    {{4, 2, 1}, false, true, 2, 4, false, false},  {{8, 3, 2}, false, true, 4, 2, false, false}};

static const ht_transformation *const all[] = {
    &ht_transformation_coarsen_x, &ht_transformation_tiled, &ht_transformation_vector, NULL};

typedef struct trial {
    char *folder;
    outcomes of;
    size_t applied, vectors;
} trial;

static trial trial_run(const char *text) {
    trial made = {0};
    cr_assert_eq(ht_dir_temporary("vector", &made.folder, NULL), HT_OK);
    made.of = rewrite_list(all, made.folder, "shapes.hip", text);
    for (size_t i = 0; i < made.of.count; ++i) {
        made.applied += made.of.items[i].applied;
        made.vectors += made.of.items[i].vectors;
    }
    return made;
}

static void trial_end(trial *made) {
    outcomes_free(&made->of);
    ht_dir_remove(made->folder);
    free(made->folder);
}

static void expect_equal(const trial *made, const char *text) {
    char *difference =
        compare_variants(made->folder, text, &made->of, widths, sizeof widths / sizeof *widths);
    cr_expect_null(difference, "%s", difference);
    free(difference);
}

static char *shapes(const char *path_in_tests) {
    char *path = ht_format("%s/tests/refactor/%s.hip", HT_SOURCE_DIR, path_in_tests);
    char *text = NULL;
    cr_assert_eq(ht_file_read(path, 0, &text, NULL, NULL), HT_OK);
    free(path);
    return text;
}

/* Checks that all are equal; those named in `alone` have no such access, the others have. */
static void check_shapes(const char *path, size_t least, const char *const *alone) {
    char *text = shapes(path);
    trial made = trial_run(text);
    cr_expect_geq(made.applied, least);
    for (size_t i = 0; i < made.of.count; ++i) {
        const outcome *one = &made.of.items[i];
        bool expected = true;
        for (const char *const *each = alone; *each; ++each)
            expected = expected && strcmp(*each, one->kernel) != 0;
        cr_expect_eq(one->vectors, expected, "%s, line %d: %s", one->kernel, one->line,
                     one->reason ? one->reason : "");
    }
    expect_equal(&made, text);
    trial_end(&made);
    free(text);
}

Test(vector, maps) {
    check_shapes("vector/shapes/maps", 14, (const char *const[]){"counted", "spread", NULL});
}

/* Checks that every kernel with such accesses is right. */
static void check_text(const char *text, size_t least) {
    trial made = trial_run(text);
    cr_expect_geq(made.vectors, least, "%zu of %zu", made.vectors, made.of.count);
    expect_equal(&made, text);
    trial_end(&made);
}

static void check_all(const char *path, size_t least) {
    char *text = shapes(path);
    check_text(text, least);
    free(text);
}

Test(vector, convolutions) {
    check_all("coarsen/shapes/convolutions", 8);
}

Test(vector, control_flow) {
    check_all("coarsen/shapes/control", 5);
}

Test(vector, data) {
    check_all("coarsen/shapes/data", 5);
}

Test(vector, planes) {
    check_all("tiled/shapes/planes", 8);
}

Test(vector, random_kernels) {
    const int count = random_kernel_count();
    char *text = generate_source(20261122, count);
    check_text(text, (size_t)count / 3);
    free(text);
}

/* ---- accesses that are left alone ---- */

#define HEAD                                                                                       \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "struct careful { float a; __device__ void operator=(const careful &o) { a = o.a; } };\n"      \
    "__global__ void k(%s in, const int *at, float *out, float *more, int n) {\n" /* line 3 */     \
    "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "    if (x >= n) return;\n"
#define TAIL                                                                                       \
    "}\n"                                                                                          \
    "void launch(%s in, const int *at, float *out, float *more, int n) {\n"                        \
    "    k<<<(n + 15) / 16, 16>>>(in, at, out, more, n);\n}\n"

/* `body` begins in line 6. `some`: other accesses are vectors. */
static void check_left(const char *type, const char *body, bool some, int line, int column,
                       const char *words) {
    char *head = ht_format(HEAD, type), *tail = ht_format(TAIL, type);
    char *text = ht_format("%s%s%s", head, body, tail);
    trial made = trial_run(text);
    cr_assert_eq(made.of.count, 1);
    const outcome *one = &made.of.items[0];
    const char *said = some ? one->note : one->reason;
    cr_expect_eq(one->vectors, some, "%s", text);
    cr_expect(said && strstr(said, words), "\"%s\" for %s", said ? said : "", text);
    if (!some) {
        cr_expect_eq(one->line, line, "line %d, not %d, for %s", one->line, line, text);
        cr_expect_eq(one->column, column, "column %d, not %d, for %s", one->column, column, text);
    }
    trial_end(&made);
    free(text);
    free(head);
    free(tail);
}

Test(vector, places_that_do_not_follow_each_other) {
    check_left("const float *", "    out[2 * x] = in[3 * x];\n", false, 6, 18, "not the next one");
    check_left("const float *", "    if (in[2 * x] > 0) out[x] = 1;\n", false, 6, 5,
               "an effect other than a store");
}

Test(vector, elements_that_are_more_than_bytes) {
    check_left("volatile const float *", "    out[x] = in[x];\n", false, 3, 42, "volatile");
    check_left("const careful *", "    careful c; c = in[x]; out[2 * x] = c.a;\n", false, 6, 20,
               "plain bytes");
}

Test(vector, memory_that_may_be_the_same) {
    check_left("const float *", "    out[x] = 1; more[2 * x] = in[x];\n", false, 6, 17,
               "may alias");
    check_left("const float *", "    out[x] = in[x]; more[x] = in[x + 1];\n", true, 0, 0,
               "may alias");
}
