/* Methods without a model: the most frequent vectors, and the vectors of the nearest problems. */
#include "benchmarks/predictor/methods.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void answer_add(const ht_table *table, ht_answers *answers, uint16_t vector) {
    const uint16_t *target = table->targets + (size_t)table->example[vector] * table->output.steps;
    memcpy(answers->choice[answers->count++], target, table->output.steps * sizeof *target);
}

void ht_majority_run(const ht_table *table, const uint32_t *train, size_t train_count,
                     const uint32_t *test, size_t test_count, const ht_method_settings *settings,
                     ht_answers *out_answers) {
    (void)test;
    (void)settings;
    size_t *counts = ht_alloc(table->vector_count, sizeof *counts);
    for (size_t i = 0; i < train_count; ++i)
        ++counts[table->vectors[train[i]]];
    ht_answers answers = {0};
    while (answers.count < HT_ANSWERS) {
        size_t best = 0;
        for (size_t v = 1; v < table->vector_count; ++v)
            if (counts[v] > counts[best])
                best = v;
        if (counts[best] == 0)
            break;
        answer_add(table, &answers, (uint16_t)best);
        counts[best] = 0;
    }
    for (size_t i = 0; i < test_count; ++i)
        out_answers[i] = answers;
    free(counts);
}

/* The place of a row: the logarithms of its fields, each divided by its standard deviation over the
 * training rows; the values of enumerations in different places of an axis of their own. */
typedef struct points {
    float *at; /* [rows][axes] */
    size_t axes;
} points;

/* An enumeration's other value is as far as four standard deviations of a size. */
static const double OTHER = 4;

static double field_place(const ht_schema_field *field, int64_t value) {
    return field->names ? (double)value : log2(1 + fabs((double)value));
}

static void axis_make(const ht_table *table, size_t field, const uint32_t *train,
                      size_t train_count, points *points) {
    const ht_schema_field *info = &table->schema->fields[field];
    double sum = 0, squares = 0, count = (double)train_count;
    for (size_t i = 0; i < train_count; ++i)
        sum += field_place(info, table->fields[train[i]][field]);
    for (size_t i = 0; i < train_count; ++i) {
        double from = field_place(info, table->fields[train[i]][field]) - sum / count;
        squares += from * from;
    }
    double scale = info->names ? OTHER : squares > 0 ? 1 / sqrt(squares / count) : 0;
    for (size_t row = 0; row < table->rows; ++row)
        points->at[row * points->axes + field] =
            (float)(field_place(info, table->fields[row][field]) * scale);
}

static void nearest_answer(const ht_table *table, const points *points, const uint32_t *train,
                           size_t train_count, size_t row, float *distances, ht_answers *answers) {
    const float *at = points->at + row * points->axes;
    for (size_t i = 0; i < train_count; ++i) {
        const float *other = points->at + train[i] * points->axes;
        float sum = 0;
        for (size_t a = 0; a < points->axes; ++a)
            sum += (at[a] - other[a]) * (at[a] - other[a]);
        distances[i] = sum;
    }
    while (answers->count < HT_ANSWERS) {
        size_t best = 0;
        for (size_t i = 1; i < train_count; ++i)
            if (distances[i] < distances[best])
                best = i;
        if (distances[best] == INFINITY)
            break;
        uint16_t vector = table->vectors[train[best]];
        answer_add(table, answers, vector);
        for (size_t i = 0; i < train_count; ++i)
            if (table->vectors[train[i]] == vector)
                distances[i] = INFINITY;
    }
}

void ht_nearest_run(const ht_table *table, const uint32_t *train, size_t train_count,
                    const uint32_t *test, size_t test_count, const ht_method_settings *settings,
                    ht_answers *out_answers) {
    (void)settings;
    points points = {.axes = table->schema->field_count};
    points.at = ht_alloc(table->rows * points.axes, sizeof *points.at);
    for (size_t f = 0; f < points.axes; ++f)
        axis_make(table, f, train, train_count, &points);
#pragma omp parallel
    {
        float *distances = ht_alloc(train_count, sizeof *distances);
#pragma omp for schedule(dynamic, 16)
        for (size_t i = 0; i < test_count; ++i)
            nearest_answer(table, &points, train, train_count, test[i], distances, &out_answers[i]);
        free(distances);
    }
    free(points.at);
}
