/* Beam search over the steps of one problem's answer: keeps the likeliest partial answers.
 *
 * With a look-ahead every kept one can be completed, and each step gives every kept one at least
 * one successor. So from the first step that has to drop any (it keeps `width` then) on, `width`
 * remain; when no step drops any, all legal answers are found. With a width of at least k the beam
 * thus returns k answers whenever there are k. Private to the predictor. */
#ifndef HT_PREDICTOR_RULES_BEAM_H
#define HT_PREDICTOR_RULES_BEAM_H

#include "predictor/rules/completion.h"
#include "predictor/schema/shape.h"

/* A source of answers: one network of an ensemble (ht_decoder_step), a chain of forests, or a
 * test's. Started on the problem already. */
typedef struct ht_beam_source {
    void *context;
    void (*step)(void *context, size_t rows, const uint32_t *parents, const uint16_t *tokens,
                 float *out_logits);
    double weight; /* above 0; all together count as 1 */
} ht_beam_source;

/* One answer. `score` is its log-probability: the logarithm of the weighted mean of the
 * probabilities that the sources give to the answer as a whole, each the product of its steps',
 * normalised over the allowed values of the step. */
typedef struct ht_beam_row {
    uint16_t choice[HT_PARAM_MAX];
    double score;
} ht_beam_row;

typedef struct ht_beam ht_beam; /* room for a search; one per thread */
ht_beam *ht_beam_new(const ht_output_shape *shape, size_t max_width);
void ht_beam_free(ht_beam *beam);
/* Searches with `width` <= max_width. `completion` NULL: every value is allowed. Returns the number
 * of answers, likeliest first (of equally likely ones the one with earlier values first);
 * *out_rows is valid until the next search. *out_dropped: whether any partial answer was dropped.
 */
size_t ht_beam_search(ht_beam *beam, const ht_beam_source *sources, size_t source_count,
                      ht_completion *completion, size_t width, const ht_beam_row **out_rows,
                      bool *out_dropped);

#endif
