/* Proposals of an untrained predictor on real problems, and the measures over them. */
#include "predictor/predictor.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DATA HT_SOURCE_DIR "/tests/predictor/data/"

typedef struct setting {
    ht_predictor *predictor;
    ht_dataset data;
} setting;

static void check(ht_status status, const ht_error *error) {
    cr_assert_eq(status, HT_OK, "%s:%d: %s", error->file, error->line, error->message);
}

static setting make(const char *kernel, const char *file, size_t networks) {
    setting s;
    ht_error error;
    ht_schema *schema;
    ht_tokenizer *tokenizer;
    ht_network_settings settings;
    ht_output_shape output;
    ht_network **list = ht_alloc(networks, sizeof(ht_network *));
    check(ht_schema_parse(ht_schema_builtin_text(kernel), kernel, &schema, &error), &error);
    check(ht_dataset_read(schema, &file, 1, &s.data, &error), &error);
    check(ht_tokenizer_make(&s.data, "default", &tokenizer, &error), &error);
    check(ht_network_defaults("attention", &settings, &error), &error);
    settings.embedding = settings.hidden = 32;
    ht_schema_output(schema, &output);
    for (size_t i = 0; i < networks; ++i)
        check(ht_network_create(&settings, ht_tokenizer_shape(tokenizer), &output, i + 1, &list[i],
                                &error),
              &error);
    check(ht_predictor_make(schema, tokenizer, list, networks, NULL, &s.predictor, &error), &error);
    free(list);
    return s;
}

static void drop(setting *s) {
    ht_dataset_free(&s->data);
    ht_predictor_free(s->predictor);
}

static const int64_t *fields_of(const setting *s, size_t record) {
    return &s->data.fields[record * s->data.schema->field_count];
}

Test(proposer, proposes_as_many_legal_ones_as_asked) {
    setting s = make("ConvAsm1x1U", DATA "ConvAsm1x1U.tsv", 2);
    ht_error error;
    ht_proposer *proposer;
    ht_proposal proposals[40];
    ht_beam_settings settings = {.width = 3, .constrained = true};
    check(ht_proposer_new(s.predictor, NULL, &settings, &proposer, &error), &error);
    for (size_t i = 0; i < s.data.count; ++i)
        for (size_t k = 1; k <= 40; k += 13) {
            double sum = 0;
            cr_assert_eq(ht_proposer_propose(proposer, fields_of(&s, i), k, proposals), k);
            for (size_t p = 0; p < k; ++p) {
                cr_assert(proposals[p].legal);
                cr_assert(p == 0 ||
                          proposals[p].log_probability <= proposals[p - 1].log_probability);
                sum += exp(proposals[p].log_probability);
            }
            cr_assert(sum > 0 && sum <= 1);
        }
    ht_proposer_free(proposer);
    drop(&s);
}

Test(proposer, tells_what_is_illegal_when_unconstrained) {
    setting s = make("ConvAsm1x1U", DATA "ConvAsm1x1U.tsv", 1);
    ht_error error;
    ht_proposer *proposer;
    ht_proposal proposals[10];
    ht_rules *rules;
    ht_beam_settings settings = {.width = 10, .constrained = false};
    check(ht_rules_compile(s.data.schema, NULL, 0, &rules, &error), &error);
    ht_completion *completion = ht_completion_new(rules);
    check(ht_proposer_new(s.predictor, NULL, &settings, &proposer, &error), &error);
    for (size_t i = 0; i < s.data.count; ++i) {
        cr_assert_eq(ht_proposer_propose(proposer, fields_of(&s, i), 10, proposals), 10);
        ht_completion_start(completion, fields_of(&s, i));
        for (size_t p = 0; p < 10; ++p)
            cr_assert_eq(proposals[p].legal, ht_completion_legal(completion, proposals[p].choice));
    }
    ht_proposer_free(proposer);
    ht_completion_free(completion);
    ht_rules_free(rules);
    drop(&s);
}

/* Makes the predictor's proposal at a known place the label. */
static void relabel(setting *s, size_t place) {
    ht_error error;
    ht_proposer *proposer;
    ht_proposal proposals[10];
    ht_beam_settings settings = {.width = 10, .constrained = true};
    size_t params = s->data.schema->param_count;
    check(ht_proposer_new(s->predictor, NULL, &settings, &proposer, &error), &error);
    for (size_t i = 0; i < s->data.count; ++i) {
        size_t count = ht_proposer_propose(proposer, fields_of(s, i), 10, proposals);
        cr_assert_gt(count, place);
        memcpy(&s->data.targets[i * params], proposals[place].choice,
               params * sizeof *s->data.targets);
    }
    ht_proposer_free(proposer);
}

/* A label that breaks a constraint is counted, and with it the constraint. */
Test(evaluate, counts_labels_that_are_not_legal) {
    setting s = make("ConvOclDirectFwd", DATA "ConvOclDirectFwd.tsv.gz", 1);
    int tile = ht_schema_param_index(s.data.schema, "in_tile1");
    size_t params = s.data.schema->param_count;
    ht_rules *rules;
    ht_error error;
    check(ht_rules_compile(s.data.schema, NULL, 0, &rules, &error), &error);
    relabel(&s, 0);
    ht_illegal found = ht_dataset_illegal(&s.data, rules, NULL);
    cr_assert_eq(found.records, 0);
    cr_assert_eq(found.by, -1);
    cr_assert_null(ht_illegal_text(&found, s.data.schema));
    /* grp_tile1 is in_tile1 / out_pix_tile1: another in_tile1 contradicts it. */
    for (size_t i = 0; i < 3; ++i) {
        uint16_t *value = &s.data.targets[i * params + (size_t)tile];
        *value = (uint16_t)((*value + 1) % 4);
    }
    size_t *broken = ht_alloc(s.data.schema->require_count, sizeof *broken);
    found = ht_dataset_illegal(&s.data, rules, broken);
    cr_assert_eq(found.records, 3);
    cr_assert_eq(found.by, 0);
    cr_assert_eq(found.by_records, 3);
    cr_assert_eq(broken[0], 3);
    char *text = ht_illegal_text(&found, s.data.schema);
    cr_assert_str_eq(text, "3 break grp_tile1 == in_tile1 / out_pix_tile1 && "
                           "grp_tile0 == in_tile0 / out_pix_tile0");
    free(text);
    free(broken);
    ht_rules_free(rules);
    drop(&s);
}

static ht_assessment assess(const setting *s, uint32_t threads, bool constrained) {
    ht_assessment out;
    ht_error error;
    ht_beam_settings settings = {.width = 10, .constrained = constrained};
    check(ht_predictor_evaluate(s->predictor, &s->data, NULL, &settings, threads, NULL, NULL, NULL,
                                &out, &error),
          &error);
    return out;
}

Test(evaluate, measures_what_is_proposed) {
    setting s = make("ConvOclDirectFwd", DATA "ConvOclDirectFwd.tsv.gz", 1);
    static const size_t places[] = {0, 2, 3, 9};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        relabel(&s, places[i]);
        ht_assessment got = assess(&s, 2, true);
        cr_assert_eq(got.records, s.data.count);
        cr_assert_eq(got.refused.records, 0);
        cr_assert_float_eq(got.legal, 1, 1e-12);
        cr_assert_float_eq(got.short_beams, 0, 1e-12);
        cr_assert_eq(got.exact.perfect == 1, places[i] == 0);
        cr_assert_float_eq(got.exact.perfect, got.exact.topk[0], 1e-12);
        for (size_t k = 0; k < HT_TOPK_COUNT; ++k) {
            cr_assert_float_eq(got.exact.topk[k], places[i] < ht_topk[k] ? 1 : 0, 1e-9);
            cr_assert_geq(got.canonical.topk[k], got.exact.topk[k]);
        }
        double mean = 0;
        for (size_t p = 0; p < s.data.schema->param_count; ++p)
            mean += got.exact.per_parameter[p] / (double)s.data.schema->param_count;
        cr_assert_float_eq(mean, got.exact.average_accuracy, 1e-12);
        cr_assert_gt(got.ms_per_prediction, 0);
    }
    drop(&s);
}

Test(evaluate, does_not_depend_on_the_threads) {
    setting s = make("ConvAsm1x1U", DATA "ConvAsm1x1U.tsv", 2);
    for (int constrained = 0; constrained < 2; ++constrained) {
        ht_assessment one = assess(&s, 1, constrained), three = assess(&s, 3, constrained);
        one.ms_per_prediction = three.ms_per_prediction = 0;
        cr_assert_eq(memcmp(&one, &three, sizeof one), 0);
    }
    drop(&s);
}

/* Top-1 of a beam of 1 is the greedy answer; the longer lists stay those of wider beams. */
Test(evaluate, narrow_beams_rank_their_own_first) {
    setting s = make("ConvAsm1x1U", DATA "ConvAsm1x1U.tsv", 1);
    ht_error error;
    ht_proposer *proposer;
    ht_proposal proposal;
    ht_assessment out;
    size_t params = s.data.schema->param_count;
    ht_beam_settings settings = {.width = 1, .constrained = true};
    check(ht_proposer_new(s.predictor, NULL, &settings, &proposer, &error), &error);
    for (size_t i = 0; i < s.data.count; ++i) {
        cr_assert_eq(ht_proposer_propose(proposer, fields_of(&s, i), 1, &proposal), 1);
        memcpy(&s.data.targets[i * params], proposal.choice, params * sizeof *s.data.targets);
    }
    ht_proposer_free(proposer);
    check(ht_predictor_evaluate(s.predictor, &s.data, NULL, &settings, 1, NULL, NULL, NULL, &out,
                                &error),
          &error);
    cr_assert_eq(out.exact.perfect, 1);
    cr_assert_eq(out.short_beams, 0);
    relabel(&s, 8);
    check(ht_predictor_evaluate(s.predictor, &s.data, NULL, &settings, 1, NULL, NULL, NULL, &out,
                                &error),
          &error);
    cr_assert_eq(out.exact.topk[3],
                 1); /* the greedy answer may push the tenth out, not the ninth */
    drop(&s);
}

static bool stop_at_once(void *context) {
    ++*(int *)context;
    return true;
}

Test(evaluate, stops_when_asked) {
    setting s = make("ConvAsm1x1U", DATA "ConvAsm1x1U.tsv", 1);
    ht_assessment out;
    ht_error error;
    int asked = 0;
    ht_beam_settings settings = {.width = 1, .constrained = true};
    cr_assert_eq(ht_predictor_evaluate(s.predictor, &s.data, NULL, &settings, 1, NULL, stop_at_once,
                                       &asked, &out, &error),
                 HT_ERROR_INTERRUPTED);
    cr_assert_eq(asked, 1);
    drop(&s);
}
