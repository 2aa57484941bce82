#include "predictor/network/network_core.h"

#include "base/memory.h"

#include <string.h>

const ht_architecture *const ht_architecture_all[] = {
    &ht_architecture_basic, &ht_architecture_attention, &ht_architecture_hybrid,
    &ht_architecture_transformer, NULL};

enum { ALIGNMENT = 16 }; /* reals: a cache line of floats */

ht_real *ht_arena_take(ht_arena *arena, size_t count) {
    ht_real *piece = arena->base ? arena->base + arena->used : NULL;
    arena->used += (count + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return piece;
}

size_t ht_core_take(ht_core *core, size_t count) {
    size_t at = core->weight_count;
    core->weight_count += count;
    return at;
}

static bool within(uint32_t value, uint32_t low, uint32_t high) {
    return value >= low && value <= high;
}

static const char *settings_check(const ht_network_settings *settings) {
    if (!within(settings->embedding, 16, 1024) || settings->embedding % 16 != 0)
        return "the embedding's width must be a multiple of 16 from 16 to 1024";
    if (!within(settings->hidden, 32, 1024) || settings->hidden % 32 != 0)
        return "the hidden width must be a multiple of 32 from 32 to 1024";
    if (!within(settings->layers, 1, HT_LAYERS_MAX))
        return "a network has 1 to 4 layers";
    if (!within(settings->kernel, 1, 9) || settings->kernel % 2 == 0)
        return "the convolution's kernel must be odd, 1 to 9";
    if (!within(settings->heads, 1, 16) || settings->hidden % settings->heads != 0)
        return "the heads must divide the hidden width, 1 to 16";
    if (!(settings->dropout >= 0 && settings->dropout <= 0.9F))
        return "the dropout must be between 0 and 0.9";
    return NULL;
}

static const char *shapes_check(const ht_input_shape *input, const ht_output_shape *output) {
    if (!within(input->positions, 1, 256) || input->ids > 64 || input->features > 256 ||
        !within(input->vocabulary, 1, 1U << 20) || input->ids + input->features == 0)
        return "the input's shape is out of range";
    if (!within(output->steps, 1, HT_PARAM_MAX))
        return "the output's shape is out of range";
    uint32_t total = 0;
    for (uint32_t t = 0; t < output->steps; t++) {
        if (!within(output->values[t], 1, HT_PARAM_VALUES_MAX) || output->first[t] != total)
            return "the output's shape is out of range";
        total += output->values[t];
    }
    return output->total == total ? NULL : "the output's shape is out of range";
}

static const ht_architecture *architecture_find(const char *name) {
    for (size_t i = 0; ht_architecture_all[i]; i++)
        if (strncmp(name, ht_architecture_all[i]->defaults.architecture,
                    sizeof ht_architecture_all[i]->defaults.architecture) == 0)
            return ht_architecture_all[i];
    return NULL;
}

const char *ht_core_plan(const ht_network_settings *settings, const ht_input_shape *input,
                         const ht_output_shape *output, ht_core *out_core) {
    *out_core = (ht_core){.architecture = architecture_find(settings->architecture),
                          .settings = *settings,
                          .input = *input,
                          .output = *output};
    if (!out_core->architecture)
        return "there is no architecture of this name";
    const char *wrong = settings_check(settings);
    if (!wrong)
        wrong = shapes_check(input, output);
    if (!wrong && out_core->architecture->check)
        wrong = out_core->architecture->check(settings);
    if (wrong)
        return wrong;
    out_core->width = settings->embedding;
    out_core->tokens = (ht_embedding){input->vocabulary, out_core->width, input->ids};
    out_core->features = (ht_dense){input->features, out_core->width};
    out_core->values = (ht_embedding){1 + output->steps + output->total, out_core->width, 2};
    out_core->at_tokens = ht_core_take(out_core, ht_embedding_weights(&out_core->tokens));
    if (input->features)
        out_core->at_features =
            ht_core_take(out_core, input->positions * ht_dense_weights(&out_core->features));
    out_core->at_values = ht_core_take(out_core, ht_embedding_weights(&out_core->values));
    out_core->architecture->plan(out_core);
    for (uint32_t t = 0; t < output->steps; t++) {
        ht_dense read = {out_core->read_width, output->values[t]};
        out_core->at_output[t] = ht_core_take(out_core, ht_dense_weights(&read));
    }
    return NULL;
}

void ht_core_init(const ht_core *core, ht_real *weights, ht_random *random) {
    ht_embedding_init(&core->tokens, weights + core->at_tokens, random);
    size_t map = ht_dense_weights(&core->features);
    for (uint32_t p = 0; core->input.features && p < core->input.positions; p++)
        ht_dense_init(&core->features, weights + core->at_features + p * map, random);
    ht_embedding_init(&core->values, weights + core->at_values, random);
    core->architecture->init(core, weights, random);
    for (uint32_t t = 0; t < core->output.steps; t++) {
        ht_dense read = {core->read_width, core->output.values[t]};
        ht_dense_init(&read, weights + core->at_output[t], random);
    }
}
