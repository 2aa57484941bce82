/* Outcomes that a step begins with: those of revisions of the same file. */
#include "loop/known.h"

#include "base/memory.h"
#include "templates/annotations/template.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(known, .timeout = 60);

static const char unit[] =
    "#pragma tune unit\n#pragma tune kernel(k<A>)\n#pragma tune problem(line : n)\n"
    "#pragma tune param(A : 1, 2, 4, 8 = 1)\n"
    "#pragma tune block(A) grid(problem.n)\n#pragma tune arg(out : out float[problem.n])\n"
    "template <int A> __global__ void k(float *out) {}\n";

static ht_revision *add(ht_history *history, ht_action action, const char *template_text,
                        const char *base, const char *tried) {
    ht_revision revision = {.action = action,
                            .template_text = template_text ? ht_strdup(template_text) : NULL,
                            .base = base ? ht_strdup(base) : NULL,
                            .tried = tried ? json_loads(tried, 0, NULL) : NULL};
    return ht_history_add(history, &revision);
}

Test(known, outcomes_of_the_same_file_whatever_the_values_were) {
    ht_template *template = NULL;
    size_t count = 0;
    cr_assert_eq(ht_template_parse(unit, "k.hip", &template, &count, NULL), HT_OK);
    ht_history history = {0};
    add(&history, HT_ACTION_ORIGINAL, NULL, NULL, NULL);
    add(&history, HT_ACTION_TUNE, "narrow", NULL,
        "[[\"A=1\", 2.5], [\"A=2\", null], [\"A=64\", 1]]");
    add(&history, HT_ACTION_WIDEN, unit, NULL, "[[\"A=8\", 0.1]]");
    add(&history, HT_ACTION_AGAIN, unit, "another file", "[[\"A=4\", 9]]");
    add(&history, HT_ACTION_TEMPLATE, unit, NULL, "[[\"A=4\", 9]]");
    add(&history, HT_ACTION_LONGER, unit, NULL, NULL); /* of an earlier program */
    ht_known known;
    ht_known_list(&history, &history.items[2], template, unit, false, &known);
    cr_assert_eq(known.count, 3);
    cr_expect_eq(known.same, 1, "of the wider template");
    cr_expect_eq(template->params[0].values[known.trials[0].config.choice[0]].number, 1);
    cr_expect_eq(known.trials[0].outcome.status, HT_OK);
    cr_expect_eq(known.trials[0].outcome.cost, 2.5);
    cr_expect_neq(known.trials[1].outcome.status, HT_OK);
    cr_expect_eq(template->params[0].values[known.trials[2].config.choice[0]].number, 8);
    ht_known_free(&known);
    ht_known_list(&history, &history.items[3], template, unit, false, &known);
    cr_expect_eq(known.count, 1);
    ht_known_free(&known);
    ht_history_free(&history);
    ht_template_free(template, 1);
}

Test(known, a_revision_keeps_what_it_tried) {
    ht_history history = {0};
    ht_revision *made =
        add(&history, HT_ACTION_TUNE, unit, NULL, "[[\"A=1\", 0.1], [\"A=2\", null]]");
    ht_revision read;
    made->reason = ht_strdup("");
    json_t *document = ht_revision_json(made);
    cr_assert_eq(ht_revision_read(document, &read, NULL), HT_OK);
    cr_expect(json_equal(read.tried, made->tried));
    json_decref(document);
    ht_revision_free(&read);
    ht_history_free(&history);
}
