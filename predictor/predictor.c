#include "predictor/predictor_internal.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool same_output(const ht_output_shape *a, const ht_output_shape *b) {
    bool same = a->steps == b->steps;
    for (uint32_t t = 0; same && t < a->steps; ++t)
        same = a->values[t] == b->values[t];
    return same;
}

static bool same_input(const ht_input_shape *a, const ht_input_shape *b) {
    return a->positions == b->positions && a->ids == b->ids && a->vocabulary == b->vocabulary &&
           a->features == b->features;
}

ht_status ht_predictor_make(ht_schema *schema, ht_tokenizer *tokenizer, ht_network **networks,
                            size_t network_count, const char *note, ht_predictor **out_predictor,
                            ht_error *error) {
    ht_output_shape output = {0};
    ht_schema_output(schema, &output);
    const ht_input_shape *input = ht_tokenizer_shape(tokenizer);
    if (network_count == 0)
        return ht_error_set(error, HT_ERROR_INPUT, "a predictor needs a network");
    for (size_t i = 0; i < network_count; ++i) {
        if (!same_input(ht_network_input(networks[i]), input) ||
            !same_output(ht_network_output(networks[i]), &output))
            return ht_error_set(error, HT_ERROR_INPUT,
                                "network %zu is of another shape than the schema and tokens of %s",
                                i + 1, schema->kernel);
    }
    ht_predictor *predictor = ht_alloc(1, sizeof *predictor);
    predictor->schema = schema;
    predictor->tokenizer = tokenizer;
    predictor->networks = ht_alloc(network_count, sizeof(ht_network *));
    memcpy(predictor->networks, networks, network_count * sizeof(ht_network *));
    predictor->network_count = network_count;
    predictor->note = ht_strdup(note ? note : "");
    *out_predictor = predictor;
    return HT_OK;
}

void ht_predictor_free(ht_predictor *predictor) {
    if (!predictor)
        return;
    for (size_t i = 0; i < predictor->network_count; ++i)
        ht_network_free(predictor->networks[i]);
    free(predictor->networks);
    ht_chain_free(predictor->chain);
    ht_tokenizer_free(predictor->tokenizer);
    ht_schema_free(predictor->schema);
    free(predictor->note);
    free(predictor->path);
    for (size_t i = 0; i < predictor->copy_count; ++i)
        free(predictor->copies[i]);
    free(predictor->copies);
    if (predictor->mapping)
        munmap(predictor->mapping, predictor->mapping_length);
    free(predictor);
}

void ht_predictor_set_chain(ht_predictor *predictor, ht_chain *chain) {
    ht_chain_free(predictor->chain);
    predictor->chain = chain;
}

void ht_predictor_set_halves(ht_predictor *predictor, bool halves) {
    predictor->halves = halves;
}

const ht_chain *ht_predictor_chain(const ht_predictor *predictor) {
    return predictor->chain;
}

const ht_schema *ht_predictor_schema(const ht_predictor *predictor) {
    return predictor->schema;
}

const ht_tokenizer *ht_predictor_tokenizer(const ht_predictor *predictor) {
    return predictor->tokenizer;
}

size_t ht_predictor_network_count(const ht_predictor *predictor) {
    return predictor->network_count;
}

const ht_network *ht_predictor_network(const ht_predictor *predictor, size_t index) {
    return predictor->networks[index];
}

const char *ht_predictor_path(const ht_predictor *predictor) {
    return predictor->path;
}

const char *ht_predictor_note(const ht_predictor *predictor) {
    return predictor->note;
}
