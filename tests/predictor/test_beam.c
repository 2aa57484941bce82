/* The beam over made-up networks: its answers, and that their probabilities are the conditional
 * ones. */
#include "predictor/rules/beam.h"
#include "rules_case.h"

#include "base/hash.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A network whose logits are a hash of the answer so far. */
typedef struct fake {
    const ht_output_shape *shape;
    uint64_t seed;
    bool flat; /* all logits are 0 */
    uint32_t at;
    uint64_t *states; /* [rows] */
} fake;

static uint64_t mix(uint64_t state, uint64_t token) {
    uint64_t pair[] = {state, token};
    return ht_hash_short(pair, sizeof pair);
}

static float logit(const fake *net, uint64_t state, size_t value) {
    return net->flat ? 0 : (float)(mix(state, 1000 + value) % 1000) / 150.0F;
}

static void fake_step(void *context, size_t rows, const uint32_t *parents, const uint16_t *tokens,
                      float *out_logits) {
    fake *net = context;
    uint64_t *states = ht_alloc(rows, sizeof *states);
    for (size_t r = 0; r < rows; ++r) {
        states[r] = net->at ? mix(net->states[parents[r]], tokens[r]) : net->seed;
        for (size_t v = 0; v < net->shape->values[net->at]; ++v)
            out_logits[r * net->shape->values[net->at] + v] = logit(net, states[r], v);
    }
    free(net->states);
    net->states = states;
    ++net->at;
}

/* Returns what one network gives a legal configuration, under the condition that it is legal. */
static double network_probability(const ht_schema *schema, const fake *net, const uint8_t *legal,
                                  const uint16_t *choice) {
    double product = 1;
    uint64_t state = net->seed;
    size_t first = 0, span = rules_count(schema);
    for (size_t t = 0; t < schema->param_count; ++t) {
        size_t values = schema->params[t].value_count;
        double sum = 0;
        span /= values;
        for (size_t v = 0; v < values; ++v)
            if (!legal || memchr(legal + first + v * span, 1, span))
                sum += exp((double)logit(net, state, v));
        product *= exp((double)logit(net, state, choice[t])) / sum;
        state = mix(state, choice[t]);
        first += choice[t] * span;
    }
    return product;
}

static const double weights[2] = {3, 1};

static double probability(const ht_schema *schema, const fake *nets, const uint8_t *legal,
                          const uint16_t *choice) {
    return 0.75 * network_probability(schema, &nets[0], legal, choice) +
           0.25 * network_probability(schema, &nets[1], legal, choice);
}

typedef struct setting {
    ht_schema *schema;
    ht_rules *rules;
    ht_completion *completion;
    ht_output_shape shape;
    int64_t fields[2];
    uint8_t *legal;
    size_t legal_count;
} setting;

static void setting_make(ht_random *random, setting *out) {
    ht_error error;
    out->schema = rules_random_schema(random);
    cr_assert_eq(ht_rules_compile(out->schema, NULL, 0, &out->rules, &error), HT_OK);
    out->completion = ht_completion_new(out->rules);
    out->shape = (ht_output_shape){.steps = (uint32_t)out->schema->param_count};
    for (size_t p = 0; p < out->schema->param_count; ++p)
        out->shape.values[p] = (uint32_t)out->schema->params[p].value_count;
    ht_output_shape_finish(&out->shape);
    out->fields[0] = (int64_t)ht_random_below(random, 9);
    out->fields[1] = (int64_t)ht_random_below(random, 40);
    out->legal = rules_legal_all(out->schema, out->fields, &out->legal_count);
    ht_completion_start(out->completion, out->fields);
}

static void setting_free(setting *s) {
    ht_completion_free(s->completion);
    ht_rules_free(s->rules);
    ht_schema_free(s->schema);
    free(s->legal);
}

/* Searches with two networks and checks every answer; returns their count. */
static size_t check_search(setting *s, uint64_t seed, size_t width, bool constrained) {
    fake nets[] = {{.shape = &s->shape, .seed = seed}, {.shape = &s->shape, .seed = seed + 1}};
    ht_beam_source sources[] = {{&nets[0], fake_step, weights[0]},
                                {&nets[1], fake_step, weights[1]}};
    ht_beam *beam = ht_beam_new(&s->shape, width);
    const ht_beam_row *rows;
    bool dropped;
    double sum = 0;
    size_t count = ht_beam_search(beam, sources, 2, constrained ? s->completion : NULL, width,
                                  &rows, &dropped);
    size_t all = constrained ? s->legal_count : rules_count(s->schema);
    cr_assert_eq(count, all < width ? all : width);
    for (size_t i = 0; i < count; ++i) {
        double expected =
            probability(s->schema, nets, constrained ? s->legal : NULL, rows[i].choice);
        cr_assert_float_eq(rows[i].score, log(expected), 1e-9);
        cr_assert(!constrained || rules_legal(s->schema, s->fields, rows[i].choice));
        cr_assert(i == 0 || rows[i].score <= rows[i - 1].score);
        for (size_t k = 0; k < i; ++k)
            cr_assert(memcmp(rows[i].choice, rows[k].choice,
                             s->schema->param_count * sizeof *rows[i].choice) != 0);
        sum += exp(rows[i].score);
    }
    cr_assert(!count || sum < 1 + 1e-9);
    if (count && count == all)
        cr_assert_float_eq(sum, 1, 1e-9);
    ht_beam_free(beam);
    free(nets[0].states);
    free(nets[1].states);
    return count;
}

Test(beam, returns_as_many_legal_answers_as_there_are_with_their_probabilities) {
    ht_random random;
    size_t some = 0;
    ht_random_seed(&random, 3);
    for (int i = 0; i < 150; ++i) {
        setting s;
        setting_make(&random, &s);
        size_t all = rules_count(s.schema);
        some += check_search(&s, (uint64_t)i, all, true) > 1;
        check_search(&s, (uint64_t)i, all, false);
        check_search(&s, (uint64_t)i, 1, true);
        check_search(&s, (uint64_t)i, 1 + ht_random_below(&random, all), true);
        check_search(&s, (uint64_t)i, 1 + ht_random_below(&random, all), false);
        setting_free(&s);
    }
    cr_assert_gt(some, 50);
}

Test(beam, breaks_ties_by_the_order_of_the_values) {
    ht_random random;
    ht_random_seed(&random, 4);
    setting s;
    setting_make(&random, &s);
    size_t all = rules_count(s.schema), width = all < 7 ? all : 7;
    fake net = {.shape = &s.shape, .flat = true};
    ht_beam *beam = ht_beam_new(&s.shape, width);
    const ht_beam_row *rows;
    bool dropped;
    cr_assert_eq(ht_beam_search(beam, &(ht_beam_source){&net, fake_step, 1}, 1, NULL, width, &rows,
                                &dropped),
                 width);
    cr_assert_eq(dropped, all > width);
    for (size_t i = 0; i < width; ++i) {
        uint16_t choice[HT_PARAM_MAX];
        rules_config(s.schema, i, choice);
        cr_assert_arr_eq(rows[i].choice, choice, s.schema->param_count * sizeof *choice);
    }
    ht_beam_free(beam);
    free(net.states);
    setting_free(&s);
}

static void broken_step(void *context, size_t rows, const uint32_t *parents, const uint16_t *tokens,
                        float *out_logits) {
    const ht_output_shape *shape = context;
    static uint32_t at;
    (void)parents, (void)tokens;
    for (size_t i = 0; i < rows * shape->values[at]; ++i)
        out_logits[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
    at = (at + 1) % shape->steps;
}

Test(beam, survives_a_network_of_nonsense) {
    ht_random random;
    ht_random_seed(&random, 5);
    for (int i = 0; i < 20; ++i) {
        setting s;
        setting_make(&random, &s);
        ht_beam *beam = ht_beam_new(&s.shape, 10);
        const ht_beam_row *rows;
        bool dropped;
        if (s.legal_count) {
            size_t count = ht_beam_search(beam, &(ht_beam_source){&s.shape, broken_step, 1}, 1,
                                          s.completion, 10, &rows, &dropped);
            cr_assert_eq(count, s.legal_count < 10 ? s.legal_count : 10);
            for (size_t k = 0; k < count; ++k)
                cr_assert(rules_legal(s.schema, s.fields, rows[k].choice));
        }
        ht_beam_free(beam);
        setting_free(&s);
    }
}
