/* A network's weights along with its plan: for training, decoding and teachers. */
#ifndef HT_PREDICTOR_NETWORK_NETWORK_FLOAT_H
#define HT_PREDICTOR_NETWORK_NETWORK_FLOAT_H

#include "predictor/network/network_core.h"

struct ht_network {
    ht_core core;
    const float *weights;
    float *owned; /* the same, when they are its own; NULL: a file's */
};

/* The streams of a seed (base/random.h). */
enum { HT_STREAM_WEIGHTS = 1, HT_STREAM_SAMPLES = 2, HT_STREAM_EPOCHS = 1000 };

#endif
