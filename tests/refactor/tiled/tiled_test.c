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
static const variant tiles[] = {{{1, 1, 1}, false, false}, {{1, 1, 1}, false, true},
                                {{2, 1, 1}, false, true},  {{4, 2, 1}, true, true},
                                {{1, 4, 2}, false, true},  {{3, 5, 2}, false, true},
                                {{2, 3, 4}, true, true},   {{8, 1, 1}, false, true}};

static void check_source(const char *name, const char *text, size_t least,
                         const char *const *refused) {
    char *folder = NULL;
    cr_assert_eq(ht_dir_temporary("tiled", &folder, NULL), HT_OK);
    outcomes of = rewrite_text(&ht_transformation_tiled, folder, name, text);
    size_t applied = 0;
    for (size_t i = 0; i < of.count; ++i) {
        const outcome *one = &of.items[i];
        bool expected = true;
        for (const char *const *each = refused; *each; ++each)
            expected = expected && strcmp(*each, one->kernel) != 0;
        applied += one->applied;
        cr_expect_eq(one->applied, expected, "%s, line %d: %s", one->kernel, one->line,
                     one->reason ? one->reason : "applied");
    }
    cr_expect_geq(applied, least);
    char *difference = compare_variants(folder, text, &of, tiles, sizeof tiles / sizeof *tiles);
    cr_expect_null(difference, "%s", difference);
    free(difference);
    outcomes_free(&of);
    ht_dir_remove(folder);
    free(folder);
}

static void check_shapes(const char *path_in_tests, size_t least, const char *const *refused) {
    char *path = ht_format("%s/tests/refactor/%s.hip", HT_SOURCE_DIR, path_in_tests);
    char *text = NULL;
    cr_assert_eq(ht_file_read(path, 0, &text, NULL, NULL), HT_OK);
    check_source("shapes.hip", text, least, refused);
    free(text);
    free(path);
}

Test(tiled, planes) {
    check_shapes("tiled/shapes/planes", 9, (const char *const[]){"masked", NULL});
}

Test(tiled, convolutions) {
    check_shapes("coarsen/shapes/convolutions", 11, (const char *const[]){NULL});
}

Test(tiled, control_flow) {
    check_shapes("coarsen/shapes/control", 11,
                 (const char *const[]){"two_guards", "negated_guard", "changing_bounds",
                                       "changing_named_bound", /* nothing to share */
                                       "masked", "in_place", "histogram", NULL});
}

Test(tiled, data) {
    check_shapes("coarsen/shapes/data", 3,
                 (const char *const[]){"moved_parameters", "unsigned_wrap", "taken_names",
                                       "device_functions", "typed_by_x", /* nothing to share */
                                       "moved_by_x", "windows", "statement_macros",
                                       "macro_arguments", "aliases", "struct_parameter", "flags",
                                       "measured", NULL});
}

/* Whatever gets the form is right. */
Test(tiled, random_kernels) {
    ht_random random;
    ht_text text = {0};
    char *folder;
    ht_random_seed(&random, 20261122);
    cr_assert_eq(ht_dir_temporary("tiled", &folder, NULL), HT_OK);
    ht_text_append(&text, "#include <hip/hip_runtime.h>\n#define TWICE(v) ((v) * 2)\n"
                          "#define AT(c) in[y * W + x + (c)]\n");
    for (int i = 0; i < 30; ++i) {
        char *name = ht_format("random%d", i);
        generate_kernel(&random, name, &text);
        free(name);
    }
    outcomes of = rewrite_text(&ht_transformation_tiled, folder, "random.hip", text.data);
    size_t applied = 0;
    for (size_t i = 0; i < of.count; ++i)
        applied += of.items[i].applied;
    cr_expect_geq(applied, 15, "%zu", applied);
    char *difference =
        compare_variants(folder, text.data, &of, tiles, sizeof tiles / sizeof *tiles);
    cr_expect_null(difference, "%s", difference);
    free(difference);
    outcomes_free(&of);
    ht_text_free(&text);
    ht_dir_remove(folder);
    free(folder);
}
