/* The tokenizer's parts. Private to predictor/tokens*.c. */
#ifndef HT_PREDICTOR_TOKENS_INTERNAL_H
#define HT_PREDICTOR_TOKENS_INTERNAL_H

#include "predictor/data/dataset.h"
#include "predictor/tokens_slots.h"

/* One question that is asked of a value at a place, with the answers of the training data that have
 * an identifier of their own. */
typedef struct ht_tokens_slot {
    uint32_t slot;
    int64_t *codes; /* ascending; owned */
    size_t count;
    uint32_t first; /* identifier of codes[0]; the others follow */
    uint32_t rare;  /* of every other code; 0: none */
} ht_tokens_slot;

/* One place of the input sequence: a field, or a feature of the schema. */
typedef struct ht_tokens_place {
    bool feature;
    size_t index;          /* of the field or feature */
    uint32_t identity;     /* identifier of the place itself */
    ht_tokens_slot *slots; /* owned */
    size_t slot_count;
    double mean, deviation; /* of ht_tokens_log; deviation 0: an enumeration, which has no reals */
} ht_tokens_place;

struct ht_tokenizer {
    const ht_schema *schema; /* borrowed */
    unsigned kinds;
    ht_tokens_place *places; /* owned */
    size_t place_count;
    ht_unseen *dropped; /* owned */
    size_t dropped_count;
    ht_input_shape shape;
};

/* Numbers the identifiers and works out the shape. */
void ht_tokenizer_finish(ht_tokenizer *tokenizer);

#endif
