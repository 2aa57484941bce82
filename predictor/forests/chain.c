#include "predictor/forests/chain.h"

#include "base/little_endian.h"
#include "base/memory.h"
#include "predictor/forests/numbers.h"
#include "predictor/forests/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The share that a value gets which no tree has seen, so that the networks can still make it the
 * answer. */
static const double unseen = 1e-4;
enum { TREES_MAX = 4096 };

struct ht_chain {
    const ht_schema *schema;
    ht_output_shape output;
    ht_numbers *numbers;
    uint32_t trees;
    float share;
    ht_forest **forests; /* [steps] */
};

ht_chain_settings ht_chain_defaults(void) {
    return (ht_chain_settings){.trees = 32, .min_leaf = 3, .tried = 0.3F, .share = 0.5F, .seed = 1};
}

static ht_chain *chain_new(const ht_schema *schema, uint32_t trees, float share) {
    ht_chain *chain = ht_alloc(1, sizeof *chain);
    *chain = (ht_chain){.schema = schema,
                        .numbers = ht_numbers_new(schema),
                        .trees = trees,
                        .share = share,
                        .forests = ht_alloc(HT_PARAM_MAX, sizeof(ht_forest *))};
    ht_schema_output(schema, &chain->output);
    return chain;
}

void ht_chain_free(ht_chain *chain) {
    for (uint32_t t = 0; chain && t < chain->output.steps; ++t)
        ht_forest_free(chain->forests[t]);
    if (chain) {
        ht_numbers_free(chain->numbers);
        free(chain->forests);
    }
    free(chain);
}

double ht_chain_share(const ht_chain *chain) {
    return (double)chain->share;
}

uint32_t ht_chain_trees(const ht_chain *chain) {
    return chain->trees;
}

static float value_number(const ht_chain *chain, size_t step, uint16_t value) {
    return (float)chain->schema->params[step].values[value].number;
}

/* The numbers of all records by column, then the values of the parameters by step. */
typedef struct columns {
    float *all;
    const float **list; /* [count] */
    size_t count;
} columns;

static columns columns_make(const ht_chain *chain, const ht_dataset *dataset) {
    size_t numbers = ht_numbers_count(chain->numbers), steps = chain->output.steps;
    columns columns = {.count = numbers + steps};
    columns.all = ht_alloc(columns.count * dataset->count, sizeof *columns.all);
    columns.list = ht_alloc(columns.count, sizeof *columns.list);
    float *row = ht_alloc(columns.count, sizeof *row);
    for (size_t c = 0; c < columns.count; ++c)
        columns.list[c] = columns.all + c * dataset->count;
    for (size_t r = 0; r < dataset->count; ++r) {
        ht_numbers_fill(chain->numbers, dataset->fields + r * chain->schema->field_count, row);
        for (size_t t = 0; t < steps; ++t)
            row[numbers + t] = value_number(chain, t, dataset->targets[r * steps + t]);
        for (size_t c = 0; c < columns.count; ++c)
            columns.all[c * dataset->count + r] = row[c];
    }
    free(row);
    return columns;
}

ht_status ht_chain_grow(const ht_dataset *dataset, const ht_chain_settings *settings,
                        bool (*progress)(void *context, double done), void *context,
                        ht_chain **out_chain, ht_error *error) {
    ht_chain *chain = chain_new(dataset->schema, settings->trees, settings->share);
    columns columns = columns_make(chain, dataset);
    size_t steps = chain->output.steps, numbers = columns.count - steps;
    uint16_t *labels = ht_alloc(dataset->count + 1, sizeof *labels);
    uint32_t *rows = ht_alloc(dataset->count + 1, sizeof *rows);
    bool stopped = false;
    for (size_t t = 0; t < steps && !stopped; ++t) {
        for (size_t r = 0; r < dataset->count; ++r) {
            labels[r] = dataset->targets[r * steps + t];
            rows[r] = (uint32_t)r;
        }
        ht_tree_data data = {.columns = columns.list,
                             .features = numbers + t,
                             .labels = labels,
                             .outputs = 1,
                             .stored = 1,
                             .classes = chain->output.values[t]};
        ht_forest_settings forest = {.trees = settings->trees,
                                     .random_thresholds = true,
                                     .short_thresholds = true,
                                     .tried = (double)settings->tried,
                                     .min_leaf = settings->min_leaf,
                                     .seed = settings->seed + ((uint64_t)t << 32)};
        chain->forests[t] = ht_forest_grow(&data, rows, dataset->count, &forest);
        stopped = progress && !progress(context, (double)(t + 1) / (double)steps) && t + 1 < steps;
    }
    free(labels);
    free(rows);
    free(columns.all);
    free(columns.list);
    if (stopped) {
        ht_chain_free(chain);
        return ht_error_set(error, HT_ERROR_INTERRUPTED, "stopped while growing trees");
    }
    *out_chain = chain;
    return HT_OK;
}

void ht_chain_pack(const ht_chain *chain, ht_text *out) {
    uint8_t share[4];
    uint32_t bits;
    memcpy(&bits, &chain->share, sizeof bits);
    ht_bytes_put32(share, bits);
    ht_text_append_n(out, (const char *)share, sizeof share);
    ht_number_pack(out, chain->trees);
    for (uint32_t t = 0; t < chain->output.steps; ++t)
        ht_forest_pack(chain->forests[t], out);
}

bool ht_chain_unpack(const ht_schema *schema, const uint8_t *data, size_t length,
                     ht_chain **out_chain) {
    const uint8_t *at = data + 4, *end = data + length;
    uint64_t trees;
    float share;
    if (length < 4)
        return false;
    uint32_t bits = ht_bytes_get32(data);
    memcpy(&share, &bits, sizeof share);
    if (!(share >= 0 && share <= 1) || !ht_number_unpack(&at, end, TREES_MAX, &trees) || !trees)
        return false;
    ht_chain *chain = chain_new(schema, (uint32_t)trees, share);
    bool good = true;
    for (uint32_t t = 0; good && t < chain->output.steps; ++t)
        good = ht_forest_unpack(&at, end, trees, ht_numbers_count(chain->numbers) + t,
                                chain->output.values[t], &chain->forests[t]);
    if (good && at == end)
        *out_chain = chain;
    else
        ht_chain_free(chain);
    return good && at == end;
}

struct ht_chain_asking {
    const ht_chain *chain;
    float *features;          /* [numbers + steps] */
    double *shares;           /* [most values] */
    uint16_t *prefix, *spare; /* [max_rows][steps] */
    uint32_t step;
};

ht_chain_asking *ht_chain_asking_new(const ht_chain *chain, size_t max_rows) {
    ht_chain_asking *asking = ht_alloc(1, sizeof *asking);
    size_t steps = chain->output.steps;
    asking->chain = chain;
    asking->features = ht_alloc(ht_numbers_count(chain->numbers) + steps, sizeof(float));
    asking->shares = ht_alloc(HT_PARAM_VALUES_MAX, sizeof *asking->shares);
    asking->prefix = ht_alloc(max_rows * steps + 1, sizeof *asking->prefix);
    asking->spare = ht_alloc(max_rows * steps + 1, sizeof *asking->spare);
    return asking;
}

void ht_chain_asking_free(ht_chain_asking *asking) {
    if (!asking)
        return;
    free(asking->features);
    free(asking->shares);
    free(asking->prefix);
    free(asking->spare);
    free(asking);
}

void ht_chain_asking_start(ht_chain_asking *asking, const int64_t *fields) {
    ht_numbers_fill(asking->chain->numbers, fields, asking->features);
    asking->step = 0;
}

/* Makes the rows continuations of their parents. */
static void follow(ht_chain_asking *asking, size_t rows, const uint32_t *parents,
                   const uint16_t *tokens) {
    size_t steps = asking->chain->output.steps, done = asking->step;
    for (size_t r = 0; done && r < rows; ++r) {
        uint16_t *to = asking->spare + r * steps;
        memcpy(to, asking->prefix + parents[r] * steps, (done - 1) * sizeof *to);
        to[done - 1] = tokens[r];
    }
    uint16_t *swap = asking->prefix;
    asking->prefix = asking->spare;
    asking->spare = swap;
}

void ht_chain_asking_step(ht_chain_asking *asking, size_t rows, const uint32_t *parents,
                          const uint16_t *tokens, float *out_logits) {
    const ht_chain *chain = asking->chain;
    size_t numbers = ht_numbers_count(chain->numbers), steps = chain->output.steps;
    size_t values = chain->output.values[asking->step];
    follow(asking, rows, parents, tokens);
    for (size_t r = 0; r < rows; ++r) {
        for (size_t t = 0; t < asking->step; ++t)
            asking->features[numbers + t] = value_number(chain, t, asking->prefix[r * steps + t]);
        ht_forest_ask(chain->forests[asking->step], asking->features, asking->shares);
        for (size_t v = 0; v < values; ++v)
            out_logits[r * values + v] = (float)log(asking->shares[v] + unseen);
    }
    ++asking->step;
}
