/* What trees can ask about a problem. */
#include "benchmarks/predictor/table.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACTOR_MAX = 4 };

/* Sizes that kernels cut into tiles; one whose fields the schema does not have is left out. */
static const char *const PRODUCTS[][FACTOR_MAX] = {
    {"out_h", "out_w"},
    {"in_h", "in_w"},
    {"batch", "out_h", "out_w"},
    {"in_c", "out_c"},
    {"in_c", "out_h", "out_w"},
    {"out_c", "out_h", "out_w"},
    {"batch", "out_c", "out_h", "out_w"},
    {"batch", "in_c", "in_h", "in_w"},
    {"in_c", "fil_h", "fil_w"},
    {"batch", "in_c"},
    {"batch", "out_c"},
};

typedef double number_function(int64_t number);

static double number_plain(int64_t number) {
    return (double)number;
}

static double number_log(int64_t number) {
    return log2(1 + fabs((double)number));
}

/* The power of two in a number, up to 2^8. */
static double number_twos(int64_t number) {
    double power = 0;
    for (; power < 8 && number % 2 == 0; number /= 2)
        ++power;
    return power;
}

/* What is left in a wave of 64 threads. */
static double number_rest(int64_t number) {
    return (double)(number % 64);
}

static void column_add(ht_table *table, const int64_t *numbers, number_function *function) {
    float *column = ht_alloc(table->rows, sizeof *column);
    bool varies = false;
    for (size_t row = 0; row < table->rows; ++row) {
        column[row] = (float)function(numbers[row]);
        varies |= column[row] != column[0];
    }
    if (!varies) {
        free(column);
        return;
    }
    HT_GROW(table->columns, table->features);
    table->columns[table->features++] = column;
}

static void columns_add(ht_table *table, const int64_t *numbers) {
    column_add(table, numbers, number_plain);
    column_add(table, numbers, number_log);
    column_add(table, numbers, number_twos);
}

static bool product_make(const ht_table *table, const char *const *factors, int64_t *out_numbers) {
    for (size_t row = 0; row < table->rows; ++row)
        out_numbers[row] = 1;
    for (size_t i = 0; i < FACTOR_MAX && factors[i]; ++i) {
        int field = ht_schema_field_index(table->schema, factors[i]);
        if (field < 0)
            return false;
        for (size_t row = 0; row < table->rows; ++row)
            out_numbers[row] *= table->fields[row][field];
    }
    return true;
}

void ht_table_features(ht_table *table) {
    int64_t *numbers = ht_alloc(table->rows, sizeof *numbers);
    for (size_t f = 0; f < table->schema->field_count; ++f) {
        const ht_schema_field *field = &table->schema->fields[f];
        for (size_t row = 0; row < table->rows; ++row)
            numbers[row] = table->fields[row][f];
        if (field->names)
            column_add(table, numbers, number_plain);
        else
            columns_add(table, numbers);
    }
    for (size_t i = 0; i < sizeof PRODUCTS / sizeof *PRODUCTS; ++i)
        if (product_make(table, PRODUCTS[i], numbers)) {
            columns_add(table, numbers);
            column_add(table, numbers, number_rest);
        }
    free(numbers);
}
