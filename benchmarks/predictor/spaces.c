/* The number of legal configurations that problems have: the measurements of an exhaustive tuner,
 * against which a prediction's time and a handful of proposals stand.
 *
 *   predictor_spaces PROBLEMS DATA.tsv[.gz]
 * Counts for PROBLEMS problems, spread over the file. Prints one line of JSON. */
#include "benchmarks/predictor/table.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* Counts all completions of a prefix. Values that can follow are worked out by the look-ahead, so
 * no branch is followed in vain. */
static double legal_count(const ht_table *table, ht_completion *completion, uint16_t *prefix,
                          size_t depth) {
    uint8_t allowed[HT_PARAM_VALUES_MAX];
    size_t count = ht_completion_allowed(completion, prefix, depth, allowed);
    double sum = 0;
    if (depth + 1 == table->output.steps)
        return (double)count;
    for (size_t v = 0; v < table->output.values[depth]; ++v)
        if (allowed[v]) {
            prefix[depth] = (uint16_t)v;
            sum += legal_count(table, completion, prefix, depth + 1);
        }
    return sum;
}

static int number_compare(const void *a, const void *b) {
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static void legal_print(const ht_table *table, size_t wanted) {
    size_t problems = wanted < table->rows ? wanted : table->rows;
    double *counts = ht_alloc(problems, sizeof *counts), sum = 0, all = 1;
    double start = ht_clock_seconds();
#pragma omp parallel
    {
        ht_completion *completion = ht_completion_new(table->rules);
        uint16_t prefix[HT_PARAM_MAX];
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < problems; ++i) {
            ht_completion_start(completion, table->fields[i * table->rows / problems]);
            counts[i] = legal_count(table, completion, prefix, 0);
        }
        ht_completion_free(completion);
    }
    for (size_t i = 0; i < problems; ++i)
        sum += counts[i];
    for (size_t t = 0; t < table->output.steps; ++t)
        all *= table->output.values[t];
    qsort(counts, problems, sizeof *counts, number_compare);
    printf("{\"data\": \"%s\", \"problems\": %zu, \"configurations\": %.0f, \"legal_mean\": %.1f, "
           "\"legal_median\": %.0f, \"legal_least\": %.0f, \"legal_most\": %.0f, \"seconds\": "
           "%.2f}\n",
           ht_path_name(table->files[0].path), problems, all, sum / (double)problems,
           counts[problems / 2], counts[0], counts[problems - 1], ht_clock_seconds() - start);
    free(counts);
}

int main(int argc, char **argv) {
    size_t wanted = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    if (wanted == 0) {
        fputs("Usage: predictor_spaces PROBLEMS DATA.tsv[.gz]\n", stderr);
        return 2;
    }
    ht_table *table = NULL;
    ht_error error = {0};
    const char *path = argv[2];
    if (ht_table_read(&path, 1, 0, NULL, &table, &error) != HT_OK) {
        fprintf(stderr, "predictor_spaces: %s:%d: %s\n", error.file, error.line, error.message);
        return ht_status_exit_code(error.status);
    }
    legal_print(table, wanted);
    ht_table_free(table);
    return 0;
}
