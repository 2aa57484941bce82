#include "predictor/network/network_float.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_ROOM = 8 };

const char *const *ht_network_architectures(void) {
    static const char *names[NAMES_ROOM];
    for (size_t i = 0; ht_architecture_all[i]; i++)
        names[i] = ht_architecture_all[i]->defaults.architecture;
    return names;
}

static ht_status unknown_architecture(const char *name, ht_error *error) {
    char names[128] = "";
    for (size_t i = 0; ht_architecture_all[i]; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                 ht_architecture_all[i]->defaults.architecture);
    }
    return ht_error_set(error, HT_ERROR_INPUT, "there is no architecture '%.32s'; it may be %s",
                        name, names);
}

ht_status ht_network_defaults(const char *architecture, ht_network_settings *out_settings,
                              ht_error *error) {
    for (size_t i = 0; ht_architecture_all[i]; i++)
        if (strcmp(architecture, ht_architecture_all[i]->defaults.architecture) == 0) {
            *out_settings = ht_architecture_all[i]->defaults;
            return HT_OK;
        }
    return unknown_architecture(architecture, error);
}

static ht_status network_plan(const ht_network_settings *settings, const ht_input_shape *input,
                              const ht_output_shape *output, ht_network **out_network,
                              ht_error *error) {
    ht_network_settings known;
    char name[sizeof settings->architecture + 1];
    snprintf(name, sizeof name, "%.*s", (int)sizeof settings->architecture, settings->architecture);
    ht_status status = ht_network_defaults(name, &known, error);
    if (status)
        return status;
    ht_network *network = ht_alloc(1, sizeof *network);
    const char *wrong = ht_core_plan(settings, input, output, &network->core);
    if (wrong) {
        free(network);
        return ht_error_set(error, HT_ERROR_INPUT, "%s: %s", name, wrong);
    }
    *out_network = network;
    return HT_OK;
}

ht_status ht_network_create(const ht_network_settings *settings, const ht_input_shape *input,
                            const ht_output_shape *output, uint64_t seed, ht_network **out_network,
                            ht_error *error) {
    ht_status status = network_plan(settings, input, output, out_network, error);
    if (status)
        return status;
    ht_network *network = *out_network;
    ht_random random;
    ht_random_stream(&random, seed, HT_STREAM_WEIGHTS);
    network->owned = ht_alloc(network->core.weight_count, sizeof *network->owned);
    network->weights = network->owned;
    ht_core_init(&network->core, network->owned, &random);
    return HT_OK;
}

ht_status ht_network_open(const ht_network_settings *settings, const ht_input_shape *input,
                          const ht_output_shape *output, const float *weights, size_t weight_count,
                          ht_network **out_network, ht_error *error) {
    ht_status status = network_plan(settings, input, output, out_network, error);
    if (status)
        return status;
    ht_network *network = *out_network;
    if (network->core.weight_count != weight_count) {
        size_t expected = network->core.weight_count;
        free(network);
        *out_network = NULL;
        return ht_error_set(error, HT_ERROR_INPUT,
                            "a %.16s network of these dimensions has %zu weights, but %zu are "
                            "there",
                            settings->architecture, expected, weight_count);
    }
    network->weights = weights;
    return HT_OK;
}

void ht_network_free(ht_network *network) {
    if (!network)
        return;
    free(network->owned);
    free(network);
}

const ht_network_settings *ht_network_settings_of(const ht_network *network) {
    return &network->core.settings;
}

const ht_input_shape *ht_network_input(const ht_network *network) {
    return &network->core.input;
}

const ht_output_shape *ht_network_output(const ht_network *network) {
    return &network->core.output;
}

size_t ht_network_weight_count(const ht_network *network) {
    return network->core.weight_count;
}

const float *ht_network_weights(const ht_network *network) {
    return network->weights;
}

struct ht_decoder {
    const ht_network *network;
    ht_asking *asking;
};

ht_decoder *ht_decoder_new(const ht_network *network, size_t max_rows) {
    ht_decoder *decoder = ht_alloc(1, sizeof *decoder);
    decoder->network = network;
    decoder->asking = ht_asking_new(&network->core, max_rows);
    return decoder;
}

void ht_decoder_free(ht_decoder *decoder) {
    if (!decoder)
        return;
    ht_asking_free(decoder->asking);
    free(decoder);
}

void ht_decoder_start(ht_decoder *decoder, const uint32_t *ids, const float *features) {
    ht_asking_start(&decoder->network->core, decoder->network->weights, decoder->asking, ids,
                    features);
}

void ht_decoder_step(ht_decoder *decoder, size_t rows, const uint32_t *parents,
                     const uint16_t *tokens, float *out_logits) {
    ht_asking_step(&decoder->network->core, decoder->network->weights, decoder->asking, rows,
                   parents, tokens, out_logits);
}
