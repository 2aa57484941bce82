/* Recipes: transformations that are saved are offered again, those that are cut out are not, and
 * those that are not possible are reported by name. */
#include "support.h"

#include "refactor/plan/recipe.h"
#include "refactor/recipe_entry.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "#include <hip/hip_runtime.h>\n"
    "namespace filters {\n"
    "__global__ void sums(const float *in, float *out, int W, int H) {\n"
    "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "    if (x >= W || y >= H) return;\n"
    "    float s = 0;\n"
    "    for (int k = 0; k < 3; ++k) s += in[y * (W + 2) + x + k];\n"
    "    out[y * W + x] = s;\n"
    "}\n"
    "}\n"
    "void run(int W, int H) {\n"
    "    float *a, *b;\n"
    "    hipMalloc(&a, sizeof(float) * (W + 2) * H);\n"
    "    hipMalloc(&b, sizeof(float) * W * H);\n"
    "    filters::sums<<<dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16)>>>(a, b, W, H);\n"
    "}\n";

static ht_refactor *replay(const ht_recipe *recipe) {
    const ht_refactor_options options = {.recipe = recipe};
    return refactor_text_with(source, &options);
}

static ht_recipe *parse(const char *text) {
    ht_recipe *recipe;
    ht_error error = {0};
    cr_assert_eq(ht_recipe_parse(text, "r.json", &recipe, &error), HT_OK, "%s", error.message);
    return recipe;
}

static ht_recipe *recipe_of(const ht_kernel *kernel) {
    json_t *entries = json_array();
    json_array_append_new(entries, ht_recipe_entry_json(kernel));
    json_t *document = ht_recipe_document(entries);
    char *text = json_dumps(document, 0);
    ht_recipe *recipe = parse(text);
    free(text);
    json_decref(document);
    json_decref(entries);
    return recipe;
}

/* Returns a recipe of one kernel, around the text of its transformations. */
static char *around(const char *kernel, const char *steps) {
    return ht_format("{\"format\": \"hiptemper-recipe\", \"version\": 1, \"kernels\": "
                     "[{\"kernel\": \"%s\", \"transformations\": [%s]}]}",
                     kernel, steps);
}

Test(recipe, replayed_whole_it_gives_the_same_template) {
    ht_refactor *plain = replay(NULL);
    const ht_kernel *kernel = kernel_named(plain, "filters::sums", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    ht_recipe *recipe = recipe_of(kernel);
    ht_refactor *again = replay(recipe);
    const ht_kernel *second = kernel_named(again, "filters::sums", NULL);
    cr_assert_eq(second->status, HT_KERNEL_TEMPLATED, "%s", second->reason);
    cr_assert_eq(second->transformation_count, kernel->transformation_count);
    cr_assert(ht_template_equal(second->template, kernel->template));
    ht_recipe_free(recipe);
    ht_refactor_free(again);
    ht_refactor_free(plain);
}

Test(recipe, only_what_it_names_is_offered) {
    char *text = around("sums", "{\"name\": \"block-size\", \"parameters\": {\"BLOCK_X\": [32, "
                                "16]}}, {\"name\": \"unroll\", \"parameters\": {\"UNROLL_K\": [1, "
                                "3]}}");
    ht_recipe *recipe = parse(text);
    ht_refactor *refactor = replay(recipe);
    const ht_kernel *kernel = kernel_named(refactor, "filters::sums", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_eq(kernel->transformation_count, 2);
    const ht_param *x = ht_template_param(kernel->template, "BLOCK_X");
    const ht_param *y = ht_template_param(kernel->template, "BLOCK_Y");
    cr_assert_eq(x->value_count, 2);
    cr_assert_eq(x->values[x->default_index].number, 16);
    cr_assert_eq(y->value_count, 1, "a parameter that is not named keeps its default");
    cr_assert_eq(y->values[0].number, 16);
    cr_assert_null(ht_template_param(kernel->template, "COARSEN_X"));
    free(text);
    ht_recipe_free(recipe);
    ht_refactor_free(refactor);
}

Test(recipe, what_is_not_possible_is_said_by_name) {
    static const struct {
        const char *steps, *words;
    } cases[] = {
        {"{\"name\": \"block-size\", \"parameters\": {\"BLOCK_X\": [16, 33]}}", "33 of BLOCK_X"},
        {"{\"name\": \"block-size\", \"parameters\": {\"BLOCK_X\": [32]}}",
         "BLOCK_X leave out the original's, 16"},
        {"{\"name\": \"block-size\", \"parameters\": {\"BLOCK_Q\": [16]}}",
         "BLOCK_Q of block-size"},
        {"{\"name\": \"fixed-sizes\", \"parameters\": {\"R_SIZE\": [0]}}", "recipe's fixed-sizes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = around("filters::sums", cases[i].steps);
        ht_recipe *recipe = parse(text);
        ht_refactor *refactor = replay(recipe);
        const ht_kernel *kernel = kernel_named(refactor, "filters::sums", NULL);
        cr_expect_eq(kernel->status, HT_KERNEL_REFUSED);
        cr_expect(kernel->reason && strstr(kernel->reason, cases[i].words), "%s: %s",
                  cases[i].words, kernel->reason);
        free(text);
        ht_recipe_free(recipe);
        ht_refactor_free(refactor);
    }
}

Test(recipe, a_kernel_that_is_not_named_is_left_alone) {
    char *text = around("other", "{\"name\": \"unroll\", \"parameters\": {\"UNROLL_K\": [1]}}");
    ht_recipe *recipe = parse(text);
    ht_refactor *refactor = replay(recipe);
    const ht_kernel *kernel = kernel_named(refactor, "filters::sums", NULL);
    cr_expect_eq(kernel->status, HT_KERNEL_REFUSED);
    cr_expect_str_eq(kernel->reason, "the recipe does not name it");
    free(text);
    ht_recipe_free(recipe);
    ht_refactor_free(refactor);
}

Test(recipe, mistakes_are_told_with_their_place) {
    static const struct {
        const char *steps, *words;
    } cases[] = {
        {"", "kernels[0].transformations: expected a list"},
        {"{\"name\": \"unrol\", \"parameters\": {\"A\": [1]}}",
         "kernels[0].transformations[0].name: there is no transformation unrol"},
        {"{\"name\": \"unroll\", \"parameters\": {}}",
         "kernels[0].transformations[0].parameters: expected an object"},
        {"{\"name\": \"unroll\", \"parameters\": {\"A\": []}}",
         "kernels[0].transformations[0].parameters.A: expected a list"},
        {"{\"name\": \"unroll\", \"parameters\": {\"A\": [1, 1]}}", "A[1]: the value stands here"},
        {"{\"name\": \"unroll\", \"parameters\": {\"A\": [1.5]}}", "A[0]: expected a number"},
        {"{\"name\": \"unroll\", \"parameters\": {\"A\": [1]}}, {\"name\": \"block-size\", "
         "\"parameters\": {\"B\": [1]}}",
         "transformations[1].name: block-size cannot run after unroll"},
        {"{\"name\": \"unroll\", \"paramaters\": {}}", "paramaters"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = around("k", cases[i].steps);
        ht_recipe *recipe;
        ht_error error = {0};
        cr_expect_eq(ht_recipe_parse(text, "r.json", &recipe, &error), HT_ERROR_INPUT);
        cr_expect(strstr(error.message, cases[i].words), "%s: %s", cases[i].words, error.message);
        free(text);
    }
}
