/* The numbers of a problem that trees can ask for: the predictor's own, but for those that do not
 * vary. */
#include "benchmarks/predictor/table.h"

#include "base/memory.h"
#include "predictor/forests/numbers.h"

#include <stdlib.h>

void ht_table_features(ht_table *table) {
    ht_numbers *numbers = ht_numbers_new(table->schema);
    size_t count = ht_numbers_count(numbers);
    float *all = ht_alloc(table->rows * count, sizeof *all);
    for (size_t row = 0; row < table->rows; ++row)
        ht_numbers_fill(numbers, table->fields[row], all + row * count);
    for (size_t i = 0; i < count; ++i) {
        float *column = ht_alloc(table->rows, sizeof *column);
        bool varies = false;
        for (size_t row = 0; row < table->rows; ++row) {
            column[row] = all[row * count + i];
            varies |= column[row] != column[0];
        }
        if (!varies) {
            free(column);
            continue;
        }
        HT_GROW(table->columns, table->features);
        table->columns[table->features++] = column;
    }
    free(all);
    ht_numbers_free(numbers);
}
