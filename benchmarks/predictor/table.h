/* All data files of one kernel as one table of features and classes for trees and neighbours. */
#ifndef HT_BENCHMARKS_PREDICTOR_TABLE_H
#define HT_BENCHMARKS_PREDICTOR_TABLE_H

#include "predictor/data/dataset.h"

typedef struct ht_table_file {
    const char *path; /* borrowed */
    ht_dataset data;
    size_t start; /* its first row in the table */
    bool extra;   /* only for training */
} ht_table_file;

typedef struct ht_table {
    char *kernel; /* owned, like all below */
    ht_schema *schema;
    ht_rules *rules;
    ht_output_shape output;
    ht_table_file *files;
    size_t file_count;
    size_t rows;
    float **columns; /* [features][rows] */
    size_t features;
    uint16_t *targets; /* [rows][steps]: value indices */
    uint16_t *vectors; /* [rows]: equal where all targets are; numbered as they first occur */
    uint32_t *example; /* [vector_count]: a row that has it */
    size_t vector_count;
    uint64_t *groups;       /* [rows] */
    const int64_t **fields; /* [rows]: borrowed from the files */
} ht_table;

/* Reads files (of one kernel) with the schema that hiptemper has for the kernel, else with one from
 * their headers. The last `extra` files are for training only. `regroup`: fields that make no
 * group, or NULL. */
ht_status ht_table_read(const char *const *paths, size_t count, size_t extra, const char *regroup,
                        ht_table **out_table, ht_error *error);
void ht_table_free(ht_table *table);
/* Every record its own group. */
void ht_table_ungroup(ht_table *table);

/* Fills columns: the fields as they are and as logarithms, the powers of two in them, and the same
 * of products that kernels tile (features.c). Columns without variation are left out. */
void ht_table_features(ht_table *table);
/* The vector of one row: [features]. */
void ht_table_row(const ht_table *table, size_t row, float *out_features);
/* The number that a value of a step stands for. */
float ht_table_value(const ht_table *table, size_t step, uint16_t value);

#endif
