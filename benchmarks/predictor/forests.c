/* Forests over all parameters at once. */
#include "benchmarks/predictor/methods.h"
#include "predictor/forests/trees.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Makes classes: all values of all steps, then the whole vectors. */
static uint16_t *labels_make(const ht_table *table) {
    size_t steps = table->output.steps, stored = steps + 1;
    uint16_t *labels = ht_alloc(table->rows * stored, sizeof *labels);
    for (size_t row = 0; row < table->rows; ++row) {
        for (size_t t = 0; t < steps; ++t)
            labels[row * stored + t] =
                (uint16_t)(table->output.first[t] + table->targets[row * steps + t]);
        labels[row * stored + steps] = (uint16_t)(table->output.total + table->vectors[row]);
    }
    return labels;
}

/* Answers as if parameters were independent: with the likeliest vectors under the product of the
 * shares. */
static void product_answer(const ht_table *table, const double *shares, ht_answers *answers) {
    const double *step[HT_ANSWERS];
    answers->count = 1;
    for (size_t t = 0; t < table->output.steps; ++t) {
        for (size_t i = 0; i < HT_ANSWERS; ++i)
            step[i] = shares + table->output.first[t];
        ht_answers_advance(answers, t, table->output.values[t], step);
    }
}

/* Answers with the vectors of the training rows that share leaves with this one. */
static void vector_answer(const ht_table *table, double *shares, ht_answers *answers) {
    double *votes = shares + table->output.total;
    while (answers->count < HT_ANSWERS) {
        size_t best = 0;
        for (size_t v = 1; v < table->vector_count; ++v)
            if (votes[v] > votes[best])
                best = v;
        if (votes[best] <= 0)
            break;
        const uint16_t *target =
            table->targets + (size_t)table->example[best] * table->output.steps;
        memcpy(answers->choice[answers->count++], target, table->output.steps * sizeof *target);
        votes[best] = 0;
    }
}

static void forest_run(const ht_table *table, const uint32_t *train, size_t train_count,
                       const uint32_t *test, size_t test_count, const ht_forest_settings *settings,
                       bool vectors, ht_answers *out_answers) {
    uint16_t *labels = labels_make(table);
    ht_tree_data data = {.columns = (const float *const *)table->columns,
                         .features = table->features,
                         .labels = labels,
                         .outputs = table->output.steps,
                         .stored = table->output.steps + 1,
                         .classes = table->output.total + table->vector_count};
    ht_forest *forest = ht_forest_grow(&data, train, train_count, settings);
#pragma omp parallel
    {
        float *features = ht_alloc(table->features, sizeof *features);
        double *shares = ht_alloc(data.classes, sizeof *shares);
#pragma omp for schedule(dynamic, 16)
        for (size_t i = 0; i < test_count; ++i) {
            ht_table_row(table, test[i], features);
            ht_forest_ask(forest, features, shares);
            if (vectors)
                vector_answer(table, shares, &out_answers[i]);
            else
                product_answer(table, shares, &out_answers[i]);
        }
        free(features);
        free(shares);
    }
    ht_forest_free(forest);
    free(labels);
}

void ht_random_forest_run(const ht_table *table, const uint32_t *train, size_t train_count,
                          const uint32_t *test, size_t test_count,
                          const ht_method_settings *settings, ht_answers *out_answers) {
    ht_forest_settings forest = {.trees = settings->trees,
                                 .bootstrap = true,
                                 .min_leaf = settings->min_leaf,
                                 .seed = settings->seed};
    forest_run(table, train, train_count, test, test_count, &forest, false, out_answers);
}

void ht_extra_trees_run(const ht_table *table, const uint32_t *train, size_t train_count,
                        const uint32_t *test, size_t test_count, const ht_method_settings *settings,
                        ht_answers *out_answers) {
    ht_forest_settings forest = {.trees = settings->trees,
                                 .random_thresholds = true,
                                 .tried = settings->tried,
                                 .min_leaf = settings->min_leaf,
                                 .seed = settings->seed};
    forest_run(table, train, train_count, test, test_count, &forest, false, out_answers);
}

void ht_vector_trees_run(const ht_table *table, const uint32_t *train, size_t train_count,
                         const uint32_t *test, size_t test_count,
                         const ht_method_settings *settings, ht_answers *out_answers) {
    ht_forest_settings forest = {.trees = settings->trees,
                                 .random_thresholds = true,
                                 .tried = settings->tried,
                                 .min_leaf = settings->min_leaf,
                                 .seed = settings->seed};
    forest_run(table, train, train_count, test, test_count, &forest, true, out_answers);
}
