#include "predictor/transfer.h"

#include "predictor/network/network_float.h"
#include "predictor/predictor_internal.h"
#include "predictor/tokens_internal.h"

#include <string.h>

/* Two networks, each with what its numbers stand for. */
typedef struct side {
    const ht_schema *schema;
    const ht_tokenizer *tokenizer;
    const ht_core *core;
} side;

typedef struct transfer {
    side to, from;
    float *weights;
    const float *known;
    ht_transfer *told;
} transfer;

/* ---- input */

static const char *place_name(const side *of, const ht_tokens_place *place) {
    return place->feature ? of->schema->features[place->index].name
                          : of->schema->fields[place->index].name;
}

static void row_copy(const transfer *transfer, uint32_t to, uint32_t from) {
    size_t width = transfer->to.core->width;
    memcpy(transfer->weights + transfer->to.core->at_tokens + to * width,
           transfer->known + transfer->from.core->at_tokens + from * width,
           width * sizeof *transfer->weights);
    ++transfer->told->identifiers_known;
}

/* Returns true if the two codes mean the same. Enumerations have codes of their own in each schema:
 * only their names can agree. */
static bool code_known(const transfer *transfer, const ht_tokens_place *to,
                       const ht_tokens_place *from, int64_t code_to, int64_t code_from) {
    if (to->deviation > 0 || to->feature)
        return code_to == code_from;
    const ht_schema_field *here = &transfer->to.schema->fields[to->index];
    const ht_schema_field *there = &transfer->from.schema->fields[from->index];
    return code_to >= 0 && code_from >= 0 && (size_t)code_to < here->name_count &&
           (size_t)code_from < there->name_count &&
           strcmp(here->names[code_to], there->names[code_from]) == 0;
}

static void slot_copy(const transfer *transfer, const ht_tokens_place *to,
                      const ht_tokens_place *from, const ht_tokens_slot *slot) {
    for (size_t s = 0; s < from->slot_count; ++s) {
        const ht_tokens_slot *other = &from->slots[s];
        if (other->slot != slot->slot)
            continue;
        for (size_t i = 0; i < slot->count; ++i)
            for (size_t j = 0; j < other->count; ++j)
                if (code_known(transfer, to, from, slot->codes[i], other->codes[j]))
                    row_copy(transfer, slot->first + (uint32_t)i, other->first + (uint32_t)j);
        if (slot->rare && other->rare)
            row_copy(transfer, slot->rare, other->rare);
    }
}

static void place_copy(const transfer *transfer, size_t to, size_t from) {
    const ht_core *core = transfer->to.core, *other = transfer->from.core;
    const ht_tokens_place *place = &transfer->to.tokenizer->places[to];
    const ht_tokens_place *known = &transfer->from.tokenizer->places[from];
    row_copy(transfer, place->identity, known->identity);
    for (size_t s = 0; s < place->slot_count; ++s)
        slot_copy(transfer, place, known, &place->slots[s]);
    size_t map = ht_dense_weights(&core->features);
    if (core->input.features)
        memcpy(transfer->weights + core->at_features + to * map,
               transfer->known + other->at_features + from * map, map * sizeof *transfer->weights);
    ++transfer->told->places_known;
}

static void input_copy(const transfer *transfer) {
    const ht_tokenizer *to = transfer->to.tokenizer, *from = transfer->from.tokenizer;
    for (size_t p = 0; p < to->place_count; ++p)
        for (size_t q = 0; q < from->place_count; ++q) {
            const ht_tokens_place *place = &to->places[p], *known = &from->places[q];
            /* An enumeration here and a number there have nothing in common. */
            if (place->feature == known->feature &&
                (place->deviation > 0) == (known->deviation > 0) &&
                strcmp(place_name(&transfer->to, place), place_name(&transfer->from, known)) == 0)
                place_copy(transfer, p, q);
        }
    transfer->told->places = to->place_count;
    transfer->told->identifiers = transfer->to.core->input.vocabulary - 1;
}

/* ---- output */

static void value_copy(const transfer *transfer, size_t step, size_t value, size_t other_step,
                       size_t other_value) {
    const ht_core *to = transfer->to.core, *from = transfer->from.core;
    size_t width = to->width, read = to->read_width;
    size_t row = 1 + to->output.steps + to->output.first[step] + value;
    size_t known = 1 + from->output.steps + from->output.first[other_step] + other_value;
    memcpy(transfer->weights + to->at_values + row * width,
           transfer->known + from->at_values + known * width, width * sizeof *transfer->weights);
    float *out = transfer->weights + to->at_output[step];
    const float *in = transfer->known + from->at_output[other_step];
    size_t count = to->output.values[step], others = from->output.values[other_step];
    for (size_t r = 0; r <= read; ++r) /* the last row is the bias */
        out[r * count + value] = in[r * others + other_value];
    ++transfer->told->values_known;
}

static void parameter_copy(const transfer *transfer, size_t step, size_t other_step) {
    const ht_core *to = transfer->to.core, *from = transfer->from.core;
    const ht_param *param = &transfer->to.schema->params[step];
    const ht_param *other = &transfer->from.schema->params[other_step];
    memcpy(transfer->weights + to->at_values + (1 + step) * to->width,
           transfer->known + from->at_values + (1 + other_step) * to->width,
           to->width * sizeof *transfer->weights);
    for (size_t v = 0; v < param->value_count; ++v)
        for (size_t w = 0; w < other->value_count; ++w)
            if (strcmp(param->values[v].text, other->values[w].text) == 0)
                value_copy(transfer, step, v, other_step, w);
}

static void output_copy(const transfer *transfer) {
    const ht_schema *to = transfer->to.schema;
    for (size_t t = 0; t < to->param_count; ++t) {
        int other = ht_schema_param_index(transfer->from.schema, to->params[t].name);
        if (other >= 0)
            parameter_copy(transfer, t, (size_t)other);
    }
    transfer->told->values = transfer->to.core->output.total;
}

/* ---- between */

/* Finds the architecture's own weights (network_core.h: after the values, before the read-outs). */
static size_t layers_of(const ht_core *core, size_t *out_first) {
    *out_first = core->at_values + ht_embedding_weights(&core->values);
    return core->at_output[0] - *out_first;
}

static ht_status alike(const transfer *transfer, ht_error *error) {
    const ht_network_settings *a = &transfer->to.core->settings,
                              *b = &transfer->from.core->settings;
    if (strncmp(a->architecture, b->architecture, sizeof a->architecture) != 0 ||
        a->embedding != b->embedding || a->hidden != b->hidden || a->layers != b->layers ||
        a->kernel != b->kernel || a->heads != b->heads)
        return ht_error_set(
            error, HT_ERROR_INPUT,
            "the model to start from is %.16s with embedding=%u hidden=%u layers=%u "
            "kernel=%u heads=%u; the new network must be the same (--arch, --set)",
            b->architecture, b->embedding, b->hidden, b->layers, b->kernel, b->heads);
    if (transfer->to.tokenizer->kinds != transfer->from.tokenizer->kinds) {
        ht_text kinds = {0};
        ht_tokens_kinds_print(transfer->from.tokenizer->kinds, &kinds);
        ht_error_set(error, HT_ERROR_INPUT,
                     "the model to start from has other tokens; give --tokens %s", kinds.data);
        ht_text_free(&kinds);
        return HT_ERROR_INPUT;
    }
    return HT_OK;
}

ht_status ht_network_start_from(ht_network *network, const ht_schema *schema,
                                const ht_tokenizer *tokenizer, const ht_predictor *from,
                                ht_transfer *out_transfer, ht_error *error) {
    const ht_network *other = from->networks[0];
    transfer transfer = {.to = {schema, tokenizer, &network->core},
                         .from = {from->schema, from->tokenizer, &other->core},
                         .weights = network->owned,
                         .known = other->weights,
                         .told = out_transfer};
    *out_transfer = (ht_transfer){0};
    ht_status status = alike(&transfer, error);
    if (status != HT_OK)
        return status;
    input_copy(&transfer);
    output_copy(&transfer);
    size_t first, other_first, count = layers_of(&network->core, &first);
    if (layers_of(&other->core, &other_first) == count)
        memcpy(network->owned + first, other->weights + other_first,
               count * sizeof *network->owned);
    return HT_OK;
}
