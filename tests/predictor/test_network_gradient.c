/* Whole networks, compiled for double: gradients against central differences, decoding against the
 * training's forward pass. */
#include "predictor/network/network_core.h"
#include "toy.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5 };
static const uint32_t rows[ROWS] = {0, 1, 2, 3, 4};

static ht_core plan_small(const char *name, uint32_t layers, const ht_examples *examples) {
    size_t i = 0;
    while (ht_architecture_all[i] &&
           strcmp(ht_architecture_all[i]->defaults.architecture, name) != 0)
        i++;
    cr_assert_not_null(ht_architecture_all[i]);
    ht_network_settings settings = ht_architecture_all[i]->defaults;
    settings.hidden = 32;
    settings.embedding = strcmp(name, "transformer") == 0 ? 32 : 16;
    settings.layers = layers;
    ht_core core;
    const char *wrong = ht_core_plan(&settings, &examples->input, &examples->output, &core);
    cr_assert_null(wrong, "%s", wrong);
    return core;
}

static double loss_of(const ht_core *core, const double *weights, ht_pass *pass,
                      const ht_shard *shard) {
    return ht_core_learn(core, weights, pass, shard, NULL, NULL);
}

/* Checks a thirtieth of all weights, so that every kind of weight is met. */
static void gradient_check(const char *name, uint32_t layers, bool extras, float dropout) {
    ht_examples examples = toy_random(ROWS, extras, 7);
    ht_core core = plan_small(name, layers, &examples);
    ht_random random;
    ht_random_seed(&random, 3);
    double *weights = ht_alloc(core.weight_count, sizeof *weights);
    double *gradient = ht_alloc(core.weight_count, sizeof *gradient);
    ht_core_init(&core, weights, &random);
    ht_pass *pass = ht_pass_new(&core, ROWS);
    pass->drop.rate = dropout;
    ht_shard shard = {
        .examples = &examples, .rows = rows, .count = ROWS, .smoothing = extras ? 0.1F : 0};
    double loss = ht_core_learn(&core, weights, pass, &shard, gradient, NULL);
    cr_assert(isfinite(loss) && loss > 0);
    double worst = 0, norm = 0;
    for (size_t i = 0; i < core.weight_count; i++)
        norm = fmax(norm, fabs(gradient[i]));
    for (size_t i = ht_random_below(&random, 30); i < core.weight_count;
         i += 1 + ht_random_below(&random, 60)) {
        double kept = weights[i], step = 1e-5;
        weights[i] = kept + step;
        double above = loss_of(&core, weights, pass, &shard);
        weights[i] = kept - step;
        double below = loss_of(&core, weights, pass, &shard);
        weights[i] = kept;
        double numeric = (above - below) / (2 * step);
        double wrong =
            fabs(numeric - gradient[i]) / (fabs(numeric) + fabs(gradient[i]) + 1e-3 * norm);
        if (wrong > worst)
            worst = wrong;
    }
    cr_expect_lt(worst, 1e-6, "%s, %u layers, extras %d, dropout %g: relative error %g", name,
                 layers, extras, dropout, worst);
    ht_pass_free(pass);
    free(weights);
    free(gradient);
    ht_examples_free(&examples);
}

Test(network_gradient, basic) {
    gradient_check("basic", 1, true, 0);
    gradient_check("basic", 1, false, 0.3F);
}

Test(network_gradient, attention) {
    gradient_check("attention", 1, true, 0);
    gradient_check("attention", 1, false, 0.3F);
}

Test(network_gradient, hybrid) {
    for (uint32_t layers = 1; layers <= 3; layers++)
        gradient_check("hybrid", layers, true, 0);
    gradient_check("hybrid", 2, false, 0.3F);
}

Test(network_gradient, transformer) {
    gradient_check("transformer", 1, true, 0);
    gradient_check("transformer", 2, true, 0.3F);
}

/* Checks that the logits of decoding, row by row along the labels, are those of training. Several
 * rows are kept, and mixed up, so that a mistake in following parents shows. */
static void decoding_check(const char *name, uint32_t layers) {
    ht_examples examples = toy_random(ROWS, false, 11);
    ht_core core = plan_small(name, layers, &examples);
    ht_random random;
    ht_random_seed(&random, 5);
    double *weights = ht_alloc(core.weight_count, sizeof *weights);
    ht_core_init(&core, weights, &random);
    ht_pass *pass = ht_pass_new(&core, ROWS);
    /* One problem with all the labels. */
    for (size_t r = 1; r < ROWS; r++) {
        memcpy(examples.ids + r * 15, examples.ids, 15 * sizeof *examples.ids);
        memcpy(examples.features + r * 10, examples.features, 10 * sizeof *examples.features);
    }
    ht_shard shard = {.examples = &examples, .rows = rows, .count = ROWS};
    ht_core_learn(&core, weights, pass, &shard, NULL, NULL);
    ht_asking *asking = ht_asking_new(&core, ROWS);
    ht_asking_start(&core, weights, asking, examples.ids, examples.features);
    double logits[ROWS * 5];
    uint32_t place[ROWS] = {0}; /* the example of each row of the decoder */
    for (uint32_t t = 0; t < 3; t++) {
        uint32_t parents[ROWS], next[ROWS];
        uint16_t tokens[ROWS];
        size_t count = t == 0 ? 1 : ROWS;
        for (uint32_t r = 0; r < count; r++) {
            next[r] = t == 0 ? 0 : (r * 2 + t) % ROWS;
            parents[r] = 0;
            for (uint32_t q = 0; t > 1 && q < ROWS; q++)
                if (place[q] == next[r])
                    parents[r] = q;
            tokens[r] = t ? examples.targets[next[r] * 3 + t - 1] : 0;
        }
        memcpy(place, next, sizeof place);
        ht_asking_step(&core, weights, asking, count, parents, tokens, logits);
        size_t values = core.output.values[t];
        for (size_t r = 0; r < count; r++)
            for (size_t v = 0; v < values; v++)
                cr_assert_float_eq(
                    logits[r * values + v],
                    pass->logits[core.output.first[t] * ROWS + place[r] * values + v], 1e-9,
                    "%s, step %u", name, t);
    }
    ht_asking_free(asking);
    ht_pass_free(pass);
    free(weights);
    ht_examples_free(&examples);
}

Test(network_gradient, decoding) {
    decoding_check("basic", 1);
    decoding_check("attention", 1);
    decoding_check("hybrid", 1);
    decoding_check("hybrid", 3);
    decoding_check("transformer", 2);
}
