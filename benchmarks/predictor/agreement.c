/* How much labels agree with themselves: the same problem tuned twice.
 *
 *   predictor_agreement FIRST.tsv[.gz] [SECOND.tsv[.gz]]
 * With two files, the record of FIRST stands as the answer for the record of SECOND with the same
 * problem (of several, the one whose number of compute units is nearest). With one file, the
 * machines of the file that has the same problems on two. Prints one line of JSON: the measures of
 * an answer, and those of the pairs that are not perfect. */
#include "benchmarks/predictor/scores.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pair {
    size_t answer, row;
} pair;

static int64_t units_of(const ht_table *table, size_t row) {
    int field = ht_schema_field_index(table->schema, "cu");
    return field < 0 ? 0 : table->fields[row][field];
}

typedef struct place {
    uint64_t group;
    size_t row;
} place;

static int place_compare(const void *a, const void *b) {
    const place *one = a, *other = b;
    if (one->group != other->group)
        return one->group < other->group ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* Adds the pairs of one problem's records, those that answer and those that are asked: of two
 * files, the first answers; of one, the machine with the fewest compute units. */
static void pairs_add(const ht_table *table, const place *places, size_t count, pair *pairs,
                      size_t *pair_count) {
    size_t second = table->file_count > 1 ? table->files[1].start : table->rows;
    for (size_t i = 0; i < count; ++i) {
        size_t row = places[i].row, best = table->rows;
        int64_t units = units_of(table, row), nearest = INT64_MAX;
        for (size_t j = 0; j < count && (table->file_count == 1 || row >= second); ++j) {
            size_t other = places[j].row;
            int64_t away = llabs(units_of(table, other) - units);
            bool fits = table->file_count > 1 ? other < second : units_of(table, other) < units;
            if (fits && away < nearest) {
                nearest = away;
                best = other;
            }
        }
        if (best < table->rows)
            pairs[(*pair_count)++] = (pair){best, row};
    }
}

static size_t pairs_make(const ht_table *table, pair *pairs) {
    place *places = ht_alloc(table->rows, sizeof *places);
    size_t count = 0;
    for (size_t row = 0; row < table->rows; ++row)
        places[row] = (place){table->groups[row], row};
    qsort(places, table->rows, sizeof *places, place_compare);
    for (size_t start = 0, end; start < table->rows; start = end) {
        for (end = start; end < table->rows && places[end].group == places[start].group;)
            ++end;
        pairs_add(table, places + start, end - start, pairs, &count);
    }
    free(places);
    return count;
}

static void measures_print(const char *name, const ht_match_counts *counts, size_t records) {
    double n = records ? (double)records : 1;
    printf(", \"%s\": {\"average\": %.4f, \"perfect\": %.4f}", name, counts->parameters / n,
           counts->top[0] / n);
}

static void agreement_print(const ht_table *table) {
    pair *pairs = ht_alloc(table->rows, sizeof *pairs);
    size_t count = pairs_make(table, pairs), steps = table->output.steps;
    ht_completion *completion = ht_completion_new(table->rules);
    ht_scores all = {0}, different = {0};
    for (size_t i = 0; i < count; ++i) {
        ht_answers answers = {.count = 1};
        const uint16_t *target = table->targets + pairs[i].answer * steps;
        memcpy(answers.choice[0], target, steps * sizeof *target);
        ht_scores_add(table, completion, pairs[i].row, &answers, &all);
        if (table->vectors[pairs[i].answer] != table->vectors[pairs[i].row])
            ht_scores_add(table, completion, pairs[i].row, &answers, &different);
    }
    printf("{\"first\": \"%s\", \"second\": \"%s\", \"pairs\": %zu",
           ht_path_name(table->files[0].path),
           ht_path_name(table->files[table->file_count - 1].path), count);
    measures_print("exact", &all.exact, count);
    measures_print("canonical", &all.canonical, count);
    printf(", \"different\": %zu", different.records);
    measures_print("different_exact", &different.exact, different.records);
    measures_print("different_canonical", &different.canonical, different.records);
    printf("}\n");
    ht_completion_free(completion);
    free(pairs);
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3 || argv[1][0] == '-') {
        fputs("Usage: predictor_agreement FIRST.tsv[.gz] [SECOND.tsv[.gz]]\n", stderr);
        return 2;
    }
    ht_table *table = NULL;
    ht_error error = {0};
    ht_status status =
        ht_table_read((const char *const *)argv + 1, argc - 1, 0, NULL, &table, &error);
    if (status != HT_OK) {
        fprintf(stderr, "predictor_agreement: %s:%d: %s\n", error.file, error.line, error.message);
        return ht_status_exit_code(status);
    }
    agreement_print(table);
    ht_table_free(table);
    return 0;
}
