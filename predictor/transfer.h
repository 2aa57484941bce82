/* Starts a kernel's network from one that learned another kernel: kernels of one
 * kind (convolutions) have fields in common, and which sizes are alike is much the same for all.
 *
 * Weights are carried over by what they mean, not by where they stand: identifiers by place, slot
 * and code, maps of features by place, values and read-outs by parameter and value, the layers
 * between whole. Weights that the other network does not have stay as they were (fresh and random).
 */
#ifndef HT_PREDICTOR_TRANSFER_H
#define HT_PREDICTOR_TRANSFER_H

#include "predictor/predictor.h"

typedef struct ht_transfer {
    size_t identifiers, identifiers_known; /* of the tokens; how many were carried over */
    size_t places, places_known;
    size_t values, values_known; /* of all parameters */
} ht_transfer;

/* `network` is fresh, over `schema` and `tokenizer`; it takes what it can from the first network of
 * `from`, which must have the same architecture, widths and kinds of tokens (an error that says
 * what differs). */
ht_status ht_network_start_from(ht_network *network, const ht_schema *schema,
                                const ht_tokenizer *tokenizer, const ht_predictor *from,
                                ht_transfer *out_transfer, ht_error *error);

#endif
