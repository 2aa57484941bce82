/* A forest for each parameter, which knows the parameters before it, and a beam over their shares:
 * the predictor's method, with trees in place of the network. */
#include "benchmarks/predictor/methods.h"
#include "predictor/forests/trees.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct chain {
    const ht_table *table;
    const ht_method_settings *settings;
    const float **columns; /* the table's, then those of the parameters */
    float **values;        /* [steps][rows]: owned */
    uint16_t *labels;      /* [rows] of the present step */
} chain;

static void chain_open(chain *chain) {
    const ht_table *table = chain->table;
    size_t steps = table->output.steps;
    chain->columns = ht_alloc(table->features + steps, sizeof *chain->columns);
    chain->values = ht_alloc(steps, sizeof *chain->values);
    chain->labels = ht_alloc(table->rows, sizeof *chain->labels);
    for (size_t i = 0; i < table->features; ++i)
        chain->columns[i] = table->columns[i];
    for (size_t t = 0; t < steps; ++t) {
        chain->values[t] = ht_alloc(table->rows, sizeof **chain->values);
        for (size_t row = 0; row < table->rows; ++row)
            chain->values[t][row] = ht_table_value(table, t, table->targets[row * steps + t]);
        chain->columns[table->features + t] = chain->values[t];
    }
}

static void chain_close(chain *chain) {
    for (size_t t = 0; t < chain->table->output.steps; ++t)
        free(chain->values[t]);
    free(chain->values);
    free(chain->columns);
    free(chain->labels);
}

static ht_forest *chain_grow(chain *chain, size_t step, const uint32_t *train, size_t train_count,
                             const ht_forest_settings *settings) {
    const ht_table *table = chain->table;
    for (size_t row = 0; row < table->rows; ++row)
        chain->labels[row] = table->targets[row * table->output.steps + step];
    ht_tree_data data = {.columns = chain->columns,
                         .features = table->features + step,
                         .labels = chain->labels,
                         .outputs = 1,
                         .stored = 1,
                         .classes = table->output.values[step]};
    ht_forest_settings own = *settings;
    own.seed += step << 32;
    return ht_forest_grow(&data, train, train_count, &own);
}

/* One thread's place to work. */
typedef struct asking {
    float *features;  /* [features + steps] */
    double *shares;   /* [HT_ANSWERS][values] */
    uint8_t *allowed; /* [values] */
    ht_completion *completion;
} asking;

static void asking_open(const chain *chain, size_t step, asking *asking) {
    const ht_table *table = chain->table;
    asking->features = ht_alloc(table->features + table->output.steps, sizeof *asking->features);
    asking->shares = ht_alloc(HT_ANSWERS * table->output.values[step], sizeof *asking->shares);
    asking->allowed = ht_alloc(table->output.values[step], 1);
    asking->completion =
        chain->settings->constrained ? ht_completion_new(chain->table->rules) : NULL;
}

static void asking_close(asking *asking) {
    free(asking->features);
    free(asking->shares);
    free(asking->allowed);
    ht_completion_free(asking->completion);
}

/* Takes out values that cannot become legal; those that no tree voted for get little, so that there
 * is always an answer. */
static void shares_constrain(asking *asking, const uint16_t *prefix, size_t step, size_t values,
                             double *shares) {
    ht_completion_allowed(asking->completion, prefix, step, asking->allowed);
    for (size_t v = 0; v < values; ++v)
        shares[v] = asking->allowed[v] ? shares[v] + 1e-6 : 0;
}

static void row_advance(const chain *chain, const ht_forest *forest, asking *asking, size_t step,
                        size_t row, ht_answers *answers) {
    const ht_table *table = chain->table;
    size_t values = table->output.values[step];
    const double *shares[HT_ANSWERS];
    ht_table_row(table, row, asking->features);
    if (asking->completion)
        ht_completion_start(asking->completion, table->fields[row]);
    if (step == 0)
        answers->count = 1;
    for (size_t i = 0; i < answers->count; ++i) {
        double *mine = asking->shares + i * values;
        for (size_t t = 0; t < step; ++t)
            asking->features[table->features + t] = ht_table_value(table, t, answers->choice[i][t]);
        ht_forest_ask(forest, asking->features, mine);
        if (asking->completion)
            shares_constrain(asking, answers->choice[i], step, values, mine);
        shares[i] = mine;
    }
    ht_answers_advance(answers, step, values, shares);
}

static void chain_run(const ht_table *table, const uint32_t *train, size_t train_count,
                      const uint32_t *test, size_t test_count, const ht_method_settings *settings,
                      const ht_forest_settings *forest_settings, ht_answers *out_answers) {
    chain chain = {.table = table, .settings = settings};
    chain_open(&chain);
    for (size_t step = 0; step < table->output.steps; ++step) {
        ht_forest *forest = chain_grow(&chain, step, train, train_count, forest_settings);
#pragma omp parallel
        {
            asking asking;
            asking_open(&chain, step, &asking);
#pragma omp for schedule(dynamic, 16)
            for (size_t i = 0; i < test_count; ++i)
                row_advance(&chain, forest, &asking, step, test[i], &out_answers[i]);
            asking_close(&asking);
        }
        ht_forest_free(forest);
    }
    chain_close(&chain);
}

void ht_random_chain_run(const ht_table *table, const uint32_t *train, size_t train_count,
                         const uint32_t *test, size_t test_count,
                         const ht_method_settings *settings, ht_answers *out_answers) {
    ht_forest_settings forest = {.trees = settings->trees,
                                 .bootstrap = true,
                                 .min_leaf = settings->min_leaf,
                                 .seed = settings->seed};
    chain_run(table, train, train_count, test, test_count, settings, &forest, out_answers);
}

void ht_extra_chain_run(const ht_table *table, const uint32_t *train, size_t train_count,
                        const uint32_t *test, size_t test_count, const ht_method_settings *settings,
                        ht_answers *out_answers) {
    ht_forest_settings forest = {.trees = settings->trees,
                                 .random_thresholds = true,
                                 .tried = settings->tried,
                                 .min_leaf = settings->min_leaf,
                                 .seed = settings->seed};
    chain_run(table, train, train_count, test, test_count, settings, &forest, out_answers);
}
