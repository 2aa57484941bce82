/* Rows of a CSV file, as profilers write them: any bytes are read. */
#ifndef HT_PIPELINE_CSV_H
#define HT_PIPELINE_CSV_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { HT_CSV_CELLS = 256 };

/* A file under way: path, text from `at` to `end`, and line 1; all else zero. */
typedef struct ht_csv {
    const char *path, *at, *end;
    int line;
    char *cells[HT_CSV_CELLS]; /* of the row at hand; owned */
    size_t cell_count;
    int row_line;
} ht_csv;

/* Reads the next row that is not empty. *out_found false at the end of the file. */
ht_status ht_csv_row(ht_csv *csv, bool *out_found, ht_error *error);
/* Returns the column of the row at hand that has one of these names, which NULL ends; -1: none. */
int ht_csv_column(const ht_csv *csv, const char *const *names);
/* Returns a cell of the row at hand; "" where the row is shorter. */
const char *ht_csv_cell(const ht_csv *csv, int column);
void ht_csv_free(ht_csv *csv); /* the cells */

#endif
