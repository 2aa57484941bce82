/* The loss: its gradient against central differences, in float64. */
#include "layer_case.h"
#include "predictor/layers/loss.h"

#include <criterion/criterion.h>

enum { ROWS = 5, VALUES = 7, STRIDE = 11 };

typedef struct loss_case {
    layer_case at;
    layer_input logits;
    ht_real *gradient;
    ht_labels labels;
    uint16_t targets[ROWS];
    uint8_t allowed[ROWS * STRIDE];
    float soft[ROWS * STRIDE], weights[ROWS];
} loss_case;

static void forward(void *context) {
    loss_case *c = context;
    c->at.output[0] =
        (ht_real)ht_cross_entropy(ROWS, VALUES, c->logits.values, &c->labels, 1, NULL, NULL);
}

static void backward(void *context) {
    loss_case *c = context;
    ht_cross_entropy(ROWS, VALUES, c->logits.values, &c->labels, c->at.grad_output[0], c->gradient,
                     NULL);
    for (size_t i = 0; i < ROWS * VALUES; ++i)
        c->logits.gradient[i] += c->gradient[i];
}

static void labels_make(loss_case *c, unsigned kinds) {
    ht_random *random = &c->at.random;
    for (size_t r = 0; r < ROWS; ++r) {
        float total = 0;
        c->targets[r] = (uint16_t)ht_random_below(random, VALUES);
        c->weights[r] = (float)ht_random_unit(random) + 0.5F;
        for (size_t v = 0; v < STRIDE; ++v) {
            c->allowed[r * STRIDE + v] = r != 1 && ht_random_unit(random) < 0.5; /* row 1: none */
            c->soft[r * STRIDE + v] = (float)ht_random_unit(random);
            total += v < VALUES ? c->soft[r * STRIDE + v] : 0;
        }
        for (size_t v = 0; v < STRIDE; ++v)
            c->soft[r * STRIDE + v] /= total;
    }
    c->labels = (ht_labels){.targets = c->targets,
                            .target_stride = 1,
                            .allowed = kinds & 1U ? c->allowed : NULL,
                            .soft = kinds & 2U ? c->soft : NULL,
                            .stride = STRIDE,
                            .weights = kinds & 4U ? c->weights : NULL,
                            .smoothing = kinds & 8U ? 0.1F : 0};
}

Test(layers, cross_entropy) {
    for (unsigned kinds = 0; kinds < 16; ++kinds) {
        loss_case c;
        layer_case_start(&c.at, kinds);
        c.logits = layer_case_input(&c.at, "logits", (size_t)ROWS * VALUES, 3);
        c.gradient = layer_case_buffer(&c.at, (size_t)ROWS * VALUES);
        layer_case_output(&c.at, 1);
        labels_make(&c, kinds);
        layer_case_check(&c.at, forward, backward, &c);
        layer_case_end(&c.at);
    }
}
