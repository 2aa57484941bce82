/* Revisions as documents. */
#include "base/memory.h"
#include "loop/revision.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(revision, .timeout = 60);

Test(revision, a_document_is_read_as_it_was_written) {
    ht_revision made = {.number = 3,
                        .parent = 1,
                        .action = HT_ACTION_WIDEN,
                        .reason = ht_strdup("why \"so\"."),
                        .predicted_gain = 1.08,
                        .predicted_cost = 12.5,
                        .base = ht_strdup("base\n"),
                        .any = true,
                        .source = ht_strdup("int a;\n"),
                        .template_text = ht_strdup("t"),
                        .config = ht_strdup("A=1"),
                        .verdict = ht_strdup("improved"),
                        .finding = NULL,
                        .verified = true,
                        .kept = true,
                        .original_ms = 2.5,
                        .best_ms = 0.5,
                        .speedup = {5, 4.9, 5.1},
                        .least_bytes = 4096,
                        .least_ms = 0.25,
                        .evaluations = 60,
                        .seconds = 31.25,
                        .exhausted = true,
                        .edges = ht_strdup("A (1 of 1 to 8)"),
                        .held_back = ht_strdup("a lambda"),
                        .profile = json_pack("{s:i}", "space", 12)};
    json_t *document = ht_revision_json(&made), *again;
    ht_revision read;
    cr_assert_eq(ht_revision_read(document, &read, NULL), HT_OK);
    again = ht_revision_json(&read);
    cr_expect(json_equal(document, again));
    cr_expect_str_eq(read.base, "base\n");
    cr_expect_null(read.finding);
    cr_expect_eq(read.over_best.ratio, 0, "it was not measured");
    cr_expect_eq(read.speedup.hi, 5.1);
    cr_expect_eq(read.least_bytes, 4096);
    cr_expect_eq(read.least_ms, 0.25);
    cr_expect(read.kept && read.any && read.exhausted && read.verified);
    json_decref(document);
    json_decref(again);
    ht_revision_free(&made);
    ht_revision_free(&read);
}

Test(revision, what_is_no_revision_is_an_error) {
    json_t *document = json_pack("{s:i}", "number", 1);
    ht_revision read;
    ht_error error = {0};
    cr_expect_eq(ht_revision_read(document, &read, &error), HT_ERROR_INPUT);
    ht_revision_free(&read);
    cr_expect_eq(ht_revision_read(NULL, &read, &error), HT_ERROR_INPUT);
    json_decref(document);
}

Test(revision, each_action_has_a_name_of_its_own) {
    for (int i = 0; i < HT_ACTION_COUNT; ++i)
        cr_expect_eq(ht_action_find(ht_action_name((ht_action)i)), (ht_action)i);
    cr_expect_eq(ht_action_find("dance"), HT_ACTION_STOP);
}
