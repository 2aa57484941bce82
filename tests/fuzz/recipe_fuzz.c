#include "fuzz.h"

#include "refactor/plan/recipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    ht_recipe *recipe;
    ht_error error;
    ht_status status = ht_recipe_parse(text, "f", &recipe, &error);
    FUZZ_CHECK_ERROR(status, error);
    FUZZ_CHECK((status == HT_OK) == (recipe != NULL));
    for (size_t i = 0; recipe && i < recipe->kernel_count; ++i) {
        const ht_recipe_kernel *kernel = &recipe->kernels[i];
        FUZZ_CHECK(ht_recipe_find(recipe, kernel->kernel) == kernel);
        FUZZ_CHECK(kernel->step_count > 0);
        for (size_t k = 0; k < kernel->step_count; ++k)
            FUZZ_CHECK(ht_recipe_step_find(kernel, kernel->steps[k].transformation) ==
                       &kernel->steps[k]);
    }
    ht_recipe_free(recipe);
    free(text);
    return 0;
}
