/* Tab-separated files with a header line, plain or gzipped, read line by line. */
#ifndef HT_PREDICTOR_DATA_TSV_H
#define HT_PREDICTOR_DATA_TSV_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { HT_TSV_COLUMNS_MAX = 1024, HT_TSV_LINE_MAX = 1 << 20 };
/* A file may hold this much once unpacked: enough for a hundred million cells, and a bound on what
 * a damaged or hostile one can cost. */
#define HT_TSV_BYTES_MAX ((size_t)1 << 30)

typedef struct ht_tsv ht_tsv;

/* Opens and reads the header. Column names are all different and not empty. */
ht_status ht_tsv_open(const char *path, ht_tsv **out_tsv, ht_error *error);
/* The same over a file's bytes in memory, borrowed until closed; `name` is what errors call it. */
ht_status ht_tsv_memory(const void *data, size_t length, const char *name, ht_tsv **out_tsv,
                        ht_error *error);
void ht_tsv_close(ht_tsv *tsv);

size_t ht_tsv_column_count(const ht_tsv *tsv);
const char *ht_tsv_column(const ht_tsv *tsv, size_t column);
/* Reads the next record; *out_cells (valid until the next call) has as many texts as there are
 * columns, or is NULL at the end. Empty lines are passed over; a line with another number of cells
 * is an error. */
ht_status ht_tsv_next(ht_tsv *tsv, const char *const **out_cells, ht_error *error);
/* Fails at a cell of the record read last. */
ht_status ht_tsv_fail(const ht_tsv *tsv, size_t column, ht_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
