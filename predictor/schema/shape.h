/* The input and output of a network, whatever its problem: the shapes of one input sequence
 * and of one output sequence, and a set of examples in these shapes. The only thing that tokens,
 * training and beam share.
 *
 * Input (paper section 3, "tensor descriptors as a token sequence"): `positions` places, each with
 * `ids` identifiers out of one common vocabulary (0 stands for none) and `features` reals. The
 * vector of a place is the sum of the rows of the embedding table for its identifiers (with one
 * identifier: one-hot) and a linear map of its features. Output: `steps` places, one for each
 * parameter, in the order of the parameters; step t has `values[t]` possible tokens, the
 * parameter's values in their written order. */
#ifndef HT_PREDICTOR_SCHEMA_SHAPE_H
#define HT_PREDICTOR_SCHEMA_SHAPE_H

#include "templates/annotations/param.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ht_input_shape {
    uint32_t positions;
    uint32_t ids;        /* of a place */
    uint32_t vocabulary; /* identifiers are below this */
    uint32_t features;   /* of a place; may be 0 */
} ht_input_shape;

typedef struct ht_output_shape {
    uint32_t steps;
    uint32_t values[HT_PARAM_MAX];
    uint32_t first[HT_PARAM_MAX]; /* where step t starts in an array over all values of all steps */
    uint32_t total;               /* the length of such an array */
} ht_output_shape;

/* `count` examples. All arrays are owned; free with ht_examples_free. */
typedef struct ht_examples {
    ht_input_shape input;
    ht_output_shape output;
    size_t count;
    uint32_t *ids;   /* [count][positions][ids] */
    float *features; /* [count][positions][features]; NULL when there are none */
    /* [count]: whose ids and features an example has, where several share them; NULL: its own. */
    uint32_t *inputs;
    uint16_t *targets; /* [count][steps]: value indices */
    /* [count][total]: 1 where the value of step t can be completed to a legal configuration after
     * the example's own targets before t. The target itself is always allowed. NULL: everything is.
     */
    uint8_t *allowed;
    /* [count][total]: a distribution for each step to learn instead of the target alone (smoothing
     * over aliases, a teacher's answer); each step sums to 1. NULL: the targets. */
    float *soft;
    float *weights;   /* [count]; NULL: all 1 */
    uint64_t *groups; /* [count]: examples of one group never stand on both sides of a split */
} ht_examples;

/* Fills first and total from steps and values. */
void ht_output_shape_finish(ht_output_shape *shape);
/* The examples named by `rows`, copied. */
void ht_examples_pick(const ht_examples *examples, const uint32_t *rows, size_t count,
                      ht_examples *out_examples);
void ht_examples_free(ht_examples *examples); /* leaves {0} */

#endif
