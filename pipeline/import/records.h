/* Records of tuned problems on their way into the files that `train` reads: one for each kernel,
 * precision and GPU, and a count of what was left out by reason. */
#ifndef HT_PIPELINE_IMPORT_RECORDS_H
#define HT_PIPELINE_IMPORT_RECORDS_H

#include "base/error.h"
#include "pipeline/import/miopen_text.h"
#include "predictor/schema/schema.h"

/* The GPU that a database is about. */
typedef struct ht_import_device {
    char arch[16]; /* "gfx90a" */
    int64_t cu;
} ht_import_device;

/* Rows of one file. */
typedef struct ht_import_table {
    char *kernel, *precision, *arch; /* owned, like all below */
    char *columns;                   /* those after `src`, with tabs between */
    char **keys;                     /* of each record: what no other one has */
    char **rows;                     /* of each record: its line */
    size_t count;
    uint32_t *index; /* record + 1 by hash of its key, open addressing */
    size_t index_size;
} ht_import_table;

typedef struct ht_import_reason {
    char *text; /* owned */
    uint64_t count;
} ht_import_reason;

typedef struct ht_import {
    ht_import_table *tables;
    size_t table_count;
    ht_import_reason *reasons;
    size_t reason_count;
    uint64_t entries;  /* read, taken or skipped */
    uint64_t replaced; /* records that a later one of the same problem replaced */
} ht_import;

/* Counts an entry that is left out; `detail` (may be NULL) is named after the reason. */
void ht_import_skip(ht_import *import, const char *reason, const char *detail);
/* A record to add. */
typedef struct ht_import_record {
    const char *kernel;
    const ht_miopen_problem *problem;
    const ht_import_device *device;
    const char *source;  /* the cell of the column src */
    const char *variant; /* with problem and GPU what makes a record; NULL: nothing more */
    const char *columns; /* those after src, with tabs between */
    const char *values;  /* their cells */
} ht_import_record;

/* Adds a record. One of the same problem, GPU and variant in the table is replaced. */
void ht_import_add(ht_import *import, const ht_import_record *record);
/* Writes KERNEL.PRECISION.ARCH.tsv for each table into `folder`, which is made: all or none. */
ht_status ht_import_write(const ht_import *import, const char *folder, ht_error *error);
/* The name of a table's file; free(). */
char *ht_import_file_name(const ht_import_table *table);
void ht_import_free(ht_import *import);

#endif
