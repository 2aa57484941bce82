/* Starting from another kernel's network: weights go where their meaning is, whatever place that
 * has in the other network; a difference in kind is refused. */
#include "predictor/transfer.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The second kernel's values and enumerators stand in another order, and it has values and
 * identifiers that the first has not. */
static const char first_schema[] = "kernel(one)\nfield(n)\nfield(way : F, B)\n"
                                   "param(tile : 1, 2, 4)\nparam(vec : 1, 2)\n";
static const char first_table[] =
    "n\tway\ttile\tvec\n8\tF\t1\t1\n8\tF\t2\t2\n6\tB\t4\t1\n3\tB\t1\t2\n";
static const char second_schema[] = "kernel(two)\nfield(n)\nfield(way : B, W, F)\n"
                                    "param(tile : 4, 8, 2, 1)\nparam(vec : 2, 1)\n";
static const char second_table[] =
    "n\tway\ttile\tvec\n8\tF\t1\t1\n7\tF\t2\t2\n6\tB\t4\t1\n3\tB\t1\t2\n5\tW\t8\t2\n16\tW\t8\t2\n";

typedef struct made {
    ht_schema *schema;
    ht_tokenizer *tokenizer;
    ht_network *network;
    ht_predictor *predictor; /* owns the others when there is one */
} made;

static made make(const char *schema, const char *table, const char *architecture, const char *kinds,
                 uint64_t seed) {
    made made = {0};
    ht_error error = {0};
    ht_dataset dataset = {0};
    cr_assert_eq(ht_schema_parse(schema, "test", &made.schema, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_dataset_parse(made.schema, table, strlen(table), "t.tsv", &dataset, &error),
                 HT_OK, "%s", error.message);
    cr_assert_eq(ht_tokenizer_make(&dataset, kinds, &made.tokenizer, &error), HT_OK);
    ht_dataset_free(&dataset);
    ht_network_settings settings;
    cr_assert_eq(ht_network_defaults(architecture, &settings, &error), HT_OK);
    settings.hidden = 32;
    settings.embedding = 32;
    ht_output_shape output = {0};
    ht_schema_output(made.schema, &output);
    cr_assert_eq(ht_network_create(&settings, ht_tokenizer_shape(made.tokenizer), &output, seed,
                                   &made.network, &error),
                 HT_OK, "%s", error.message);
    return made;
}

static void wrap(made *made) {
    ht_error error = {0};
    ht_network *networks[] = {made->network};
    cr_assert_eq(ht_predictor_make(made->schema, made->tokenizer, networks, 1, NULL,
                                   &made->predictor, &error),
                 HT_OK, "%s", error.message);
}

static void unmake(made *made) {
    if (made->predictor) {
        ht_predictor_free(made->predictor);
        return;
    }
    ht_network_free(made->network);
    ht_tokenizer_free(made->tokenizer);
    ht_schema_free(made->schema);
}

/* Asks for the logits of the second step after this value of the first one, for a problem; of the
 * first step when `before` is NULL. `out` by the parameter's value text. */
static void ask(const made *made, const char *problem, const char *before, size_t step,
                const char *const *texts, size_t count, float *out) {
    const ht_input_shape *shape = ht_tokenizer_shape(made->tokenizer);
    int64_t fields[2];
    uint32_t *ids = ht_alloc((size_t)shape->positions * shape->ids, sizeof *ids);
    float *features = ht_alloc((size_t)shape->positions * shape->features + 1, sizeof *features);
    ht_error error = {0};
    cr_assert_eq(ht_schema_problem_parse(made->schema, problem, fields, &error), HT_OK, "%s",
                 error.message);
    ht_tokenizer_encode(made->tokenizer, fields, ids, features);
    ht_decoder *decoder = ht_decoder_new(made->network, 1);
    ht_decoder_start(decoder, ids, features);
    float logits[16];
    const uint32_t parent = 0;
    uint16_t token = 0;
    ht_decoder_step(decoder, 1, &parent, &token, logits);
    const ht_param *tile = &made->schema->params[0], *asked = &made->schema->params[step];
    if (step) {
        while (strcmp(tile->values[token].text, before) != 0)
            ++token;
        ht_decoder_step(decoder, 1, &parent, &token, logits);
    }
    for (size_t i = 0; i < count; ++i)
        for (size_t v = 0; v < asked->value_count; ++v)
            if (strcmp(asked->values[v].text, texts[i]) == 0)
                out[i] = logits[v];
    ht_decoder_free(decoder);
    free(features);
    free(ids);
}

static void same_answers(const made *a, const made *b) {
    static const char *const problems[] = {"n=8 way=F", "n=6 way=B", "n=3 way=F"};
    static const char *const tiles[] = {"1", "2", "4"};
    static const char *const vecs[] = {"1", "2"};
    for (size_t p = 0; p < 3; ++p)
        for (size_t step = 0; step < 2; ++step) {
            float x[3], y[3];
            size_t count = step ? 2 : 3;
            ask(a, problems[p], "2", step, step ? vecs : tiles, count, x);
            ask(b, problems[p], "2", step, step ? vecs : tiles, count, y);
            for (size_t i = 0; i < count; ++i)
                cr_assert_float_eq(x[i], y[i], 1e-6, "%s, step %zu: %g and %g", problems[p], step,
                                   x[i], y[i]);
        }
}

Test(transfer, what_both_kernels_know_is_answered_alike) {
    static const char *const architectures[] = {"basic", "attention", "hybrid", "transformer"};
    for (size_t a = 0; a < 4; ++a) {
        made from = make(first_schema, first_table, architectures[a], "onehot", 1);
        made to = make(second_schema, second_table, architectures[a], "onehot", 2);
        wrap(&from);
        ht_transfer told;
        ht_error error = {0};
        cr_assert_eq(ht_network_start_from(to.network, to.schema, to.tokenizer, from.predictor,
                                           &told, &error),
                     HT_OK, "%s", error.message);
        cr_assert_eq(told.places_known, 2);
        cr_assert_eq(told.values, 6);
        cr_assert_eq(told.values_known, 5); /* all but tile 8 */
        cr_assert_lt(told.identifiers_known, told.identifiers);
        same_answers(&from, &to);
        unmake(&from);
        unmake(&to);
    }
}

Test(transfer, a_network_of_its_own_kernel_is_taken_whole) {
    made from = make(first_schema, first_table, "hybrid", "default", 1);
    made to = make(first_schema, first_table, "hybrid", "default", 2);
    wrap(&from);
    ht_transfer told;
    ht_error error = {0};
    cr_assert_eq(
        ht_network_start_from(to.network, to.schema, to.tokenizer, from.predictor, &told, &error),
        HT_OK);
    cr_assert_eq(told.identifiers_known, told.identifiers);
    same_answers(&from, &to);
    unmake(&from);
    unmake(&to);
}

Test(transfer, another_kind_of_network_or_tokens_is_refused_with_words) {
    made from = make(first_schema, first_table, "hybrid", "onehot", 1);
    made network = make(second_schema, second_table, "basic", "onehot", 2);
    made tokens = make(second_schema, second_table, "hybrid", "onehot,divisibility", 2);
    wrap(&from);
    ht_transfer told;
    ht_error error = {0};
    cr_assert_eq(ht_network_start_from(network.network, network.schema, network.tokenizer,
                                       from.predictor, &told, &error),
                 HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "hybrid with embedding=32 hidden=32"), "%s", error.message);
    cr_assert_eq(ht_network_start_from(tokens.network, tokens.schema, tokens.tokenizer,
                                       from.predictor, &told, &error),
                 HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "--tokens onehot"), "%s", error.message);
    unmake(&from);
    unmake(&network);
    unmake(&tokens);
}
