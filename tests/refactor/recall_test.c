/* A pass's result, packed and made again. */
#include "refactor/recall.h"

#include "base/memory.h"
#include "refactor/rewrite/apply.h"
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Templates, an annotated one, kernels without a problem or a template. */
static const char *const sources[] = {
    "examples/kernels/conv2d_tiled.hip", "examples/kernels/filter_constant.hip",
    "tests/refactor/sources/literal_blocks.hip", "tests/refactor/sources/host_forms.hip", NULL};

static json_t *packed_again(const ht_refactor *refactor) {
    json_t *document = ht_refactor_pack(refactor);
    cr_assert_not_null(document);
    char *text = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    document = json_loads(text, 0, NULL);
    free(text);
    return document;
}

Test(recall, a_result_that_is_packed_and_made_again_is_the_same_but_changes_no_source) {
    size_t templates = 0;
    for (size_t i = 0; sources[i]; ++i) {
        ht_problem_file *problems = NULL;
        ht_error error = {0};
        ht_refactor *refactor = refactor_open(sources[i], &problems);
        json_t *document = packed_again(refactor);
        ht_refactor *again = ht_refactor_recall(document);
        json_decref(document);
        cr_assert_not_null(again, "%s", sources[i]);
        cr_expect(ht_refactor_is_recalled(again) && !ht_refactor_is_recalled(refactor));
        cr_expect(ht_refactor_agrees(again, refactor), "%s", sources[i]);
        cr_assert_eq(ht_refactor_kernel_count(again), ht_refactor_kernel_count(refactor));
        for (size_t j = 0; j < ht_refactor_kernel_count(again); ++j) {
            const ht_kernel *kernel = ht_refactor_kernel(again, j);
            if (!kernel->template)
                continue;
            ++templates;
            cr_expect_str_eq(kernel->template->unit,
                             ht_refactor_kernel(refactor, j)->template->unit);
            ht_refactor_choice choice = {.kernel = j,
                                         .config = ht_config_default(kernel->template)};
            ht_applied applied;
            cr_expect_eq(ht_refactor_apply_all(again, &choice, 1, &applied, &error),
                         HT_ERROR_INTERNAL);
        }
        ht_refactor_free(again);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
    cr_expect_gt(templates, 3);
}

/* Puts `value` in the place of a member of a kernel. The result is nothing, or can be freed. */
static void damage(const json_t *document, const char *key, json_t *value) {
    json_t *copy = json_deep_copy(document);
    json_t *kernel = json_array_get(json_object_get(copy, "kernels"), 0);
    json_object_set_new(kernel, key, value);
    ht_refactor_free(ht_refactor_recall(copy));
    json_decref(copy);
}

Test(recall, a_damaged_document_is_refused_or_harmless) {
    ht_problem_file *problems = NULL;
    ht_refactor *refactor = refactor_open(sources[0], &problems);
    json_t *document = packed_again(refactor), *value;
    const char *key;
    json_object_foreach(json_array_get(json_object_get(document, "kernels"), 0), key, value) {
        damage(document, key, json_null());
        damage(document, key, json_integer(-1));
        damage(document, key, json_string("{"));
        damage(document, key, json_object());
    }
    cr_expect_null(ht_refactor_recall(NULL));
    json_t *nothing = json_object();
    cr_expect_null(ht_refactor_recall(nothing));
    json_object_set_new(document, "version", json_integer(2));
    cr_expect_null(ht_refactor_recall(document), "another version's");
    json_decref(nothing);
    json_decref(document);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}
