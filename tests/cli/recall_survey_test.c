/* A survey over an analysis of an earlier run: its entries, and its source changed after all. */
#include "pipeline/survey.h"

#include "base/memory.h"
#include "pipeline/written_check.h"
#include "refactor/recall.h"
#include "refactor/rewrite/apply.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static char path[] = HT_SOURCE_DIR "/examples/kernels/depthwise.hip";

static ht_refactor *recall(void *context, const ht_survey *survey, size_t source) {
    (void)survey;
    (void)source;
    return ht_refactor_recall(context);
}

/* The problem file is read again, too, and the analysis borrows from it: the sanitizers' builds
 * look. */
Test(recall_survey, a_source_whose_analysis_was_recalled_is_read_when_it_is_to_be_changed) {
    char *paths[] = {path};
    ht_survey_options options = {.silent = true};
    ht_survey first, survey;
    ht_error error = {0};
    cr_assert_eq(ht_survey_make(paths, 1, &options, &first, &error), HT_OK, "%s", error.message);
    json_t *document = ht_refactor_pack(first.analyses[0].refactor);
    cr_assert_not_null(document);
    options.recall = recall;
    options.recall_context = document;
    cr_assert_eq(ht_survey_make(paths, 1, &options, &survey, &error), HT_OK, "%s", error.message);
    cr_assert(ht_refactor_is_recalled(survey.analyses[0].refactor));
    cr_assert_eq(survey.entries.count, first.entries.count);
    const ht_entry *entry = &survey.entries.items[0];
    cr_assert_not_null(entry->template);
    cr_expect_str_eq(entry->fields, first.entries.items[0].fields);

    options.recall = NULL;
    cr_assert_eq(ht_survey_reread(&survey, 0, &options, &error), HT_OK, "%s", error.message);
    const ht_refactor *refactor = survey.analyses[0].refactor;
    cr_expect(!ht_refactor_is_recalled(refactor));
    ht_config config = ht_config_default(entry->template);
    const ht_refactor_choice choice = {.kernel = entry->kernel, .config = config};
    ht_applied applied;
    cr_assert_eq(ht_refactor_apply_all(refactor, &choice, 1, &applied, &error), HT_OK, "%s",
                 error.message);
    ht_device host;
    cr_assert_eq(ht_device_find("host", &host, &error), HT_OK);
    setenv("HIPTEMPER_WORKER", HT_BINARY_DIR "/hiptemper", 1);
    ht_written_checker checker = {.device = &host, .seed = 1};
    const ht_written_subject subject = {
        .kernel = entry->kernel, .config = &config, .instance = entry->instance};
    ht_written_proof proof;
    cr_assert_eq(ht_written_check(&checker, refactor, &applied, &subject, 1, &proof, &error), HT_OK,
                 "%s", error.message);
    cr_expect_null(proof.fault, "%s", proof.fault);
    cr_expect(proof.launches > 0, "%s", proof.unproven);
    ht_written_proof_free(&proof);
    ht_written_checker_free(&checker);
    ht_applied_free(&applied);
    ht_survey_free(&survey);
    ht_survey_free(&first);
    json_decref(document);
}

/* Another template is no reason to guess. */
Test(recall_survey, an_analysis_that_comes_to_something_else_is_an_error) {
    char *paths[] = {path};
    ht_survey_options options = {.silent = true};
    ht_survey survey;
    ht_error error = {0};
    cr_assert_eq(ht_survey_make(paths, 1, &options, &survey, &error), HT_OK, "%s", error.message);
    json_t *document = ht_refactor_pack(survey.analyses[0].refactor);
    ht_survey_free(&survey);
    json_t *kernel = json_array_get(json_object_get(document, "kernels"), 0);
    json_object_set_new(kernel, "line", json_integer(1));
    options.recall = recall;
    options.recall_context = document;
    cr_assert_eq(ht_survey_make(paths, 1, &options, &survey, &error), HT_OK, "%s", error.message);
    cr_expect_eq(ht_survey_reread(&survey, 0, &options, &error), HT_ERROR_INTERNAL);
    cr_expect(ht_refactor_is_recalled(survey.analyses[0].refactor));
    ht_survey_free(&survey);
    json_decref(document);
}
