/* A predictor from the inside, for predictor.c and model_file.c. */
#ifndef HT_PREDICTOR_PREDICTOR_INTERNAL_H
#define HT_PREDICTOR_PREDICTOR_INTERNAL_H

#include "predictor/forests/chain.h"
#include "predictor/predictor.h"

struct ht_predictor {
    ht_schema *schema;
    ht_tokenizer *tokenizer;
    ht_network **networks;
    size_t network_count;
    bool halves;     /* weights are float16 in the file */
    ht_chain *chain; /* NULL: none */
    char *note;
    char *path;    /* of the file; NULL: it was not opened from one */
    void *mapping; /* of the file that the networks' weights lie in; NULL when they own theirs */
    size_t mapping_length;
    float **copies; /* [copy_count]: weights that could not be used in place */
    size_t copy_count;
};

#endif
