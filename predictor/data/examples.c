/* From records to what a network is trained on. */
#include "predictor/data/dataset.h"

#include "base/memory.h"

#include <string.h>

void ht_schema_output(const ht_schema *schema, ht_output_shape *out_shape) {
    *out_shape = (ht_output_shape){.steps = (uint32_t)schema->param_count};
    for (size_t i = 0; i < schema->param_count; ++i)
        out_shape->values[i] = (uint32_t)schema->params[i].value_count;
    ht_output_shape_finish(out_shape);
}

/* Fills in what is allowed at each step of one record. */
static void fill_allowed(ht_completion *completion, const ht_output_shape *shape,
                         const int64_t *fields, const uint16_t *targets, uint8_t *out_allowed) {
    ht_completion_start(completion, fields);
    for (uint32_t t = 0; t < shape->steps; ++t) {
        uint8_t *allowed = out_allowed + shape->first[t];
        ht_completion_allowed(completion, targets, t, allowed);
        if (allowed[targets[t]])
            continue;
        memset(allowed, 1, shape->total - shape->first[t]); /* not legal: so is all that follows */
        return;
    }
}

/* Has threads take records in turn; each has its own look-ahead. */
static void make_allowed(const ht_dataset *dataset, const ht_rules *rules, ht_examples *examples) {
    const ht_output_shape *shape = &examples->output;
    size_t width = dataset->schema->field_count;
    examples->allowed = ht_alloc(dataset->count + 1, shape->total);
#pragma omp parallel
    {
        ht_completion *completion = ht_completion_new(rules);
#pragma omp for schedule(dynamic, 16)
        for (size_t i = 0; i < dataset->count; ++i)
            fill_allowed(completion, shape, dataset->fields + i * width,
                         dataset->targets + i * shape->steps, examples->allowed + i * shape->total);
        ht_completion_free(completion);
    }
}

void ht_examples_make(const ht_dataset *dataset, const ht_tokenizer *tokenizer,
                      const ht_rules *rules, ht_examples *out_examples) {
    size_t count = dataset->count, width = dataset->schema->field_count;
    *out_examples = (ht_examples){.input = *ht_tokenizer_shape(tokenizer), .count = count};
    ht_schema_output(dataset->schema, &out_examples->output);
    const ht_input_shape *input = &out_examples->input;
    size_t id_count = (size_t)input->positions * input->ids;
    size_t feature_count = (size_t)input->positions * input->features;
    size_t steps = out_examples->output.steps;
    out_examples->ids = ht_alloc(count * id_count + 1, sizeof(uint32_t));
    if (feature_count)
        out_examples->features = ht_alloc(count * feature_count + 1, sizeof(float));
    out_examples->targets = ht_alloc(count * steps + 1, sizeof(uint16_t));
    out_examples->groups = ht_alloc(count + 1, sizeof(uint64_t));
    if (count) {
        memcpy(out_examples->targets, dataset->targets, count * steps * sizeof(uint16_t));
        memcpy(out_examples->groups, dataset->groups, count * sizeof(uint64_t));
    }
    if (dataset->weights) {
        out_examples->weights = ht_alloc(count + 1, sizeof(float));
        memcpy(out_examples->weights, dataset->weights, count * sizeof(float));
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; ++i)
        ht_tokenizer_encode(tokenizer, dataset->fields + i * width,
                            out_examples->ids + i * id_count,
                            feature_count ? out_examples->features + i * feature_count : NULL);
    if (rules)
        make_allowed(dataset, rules, out_examples);
}
