/* Columns and checks of the tables of nights, for all that reads them. Private to runtime/store. */
#ifndef HT_RUNTIME_STORE_NIGHTS_SCHEMA_H
#define HT_RUNTIME_STORE_NIGHTS_SCHEMA_H

#define HT_NIGHTS_RESULT_COLUMNS                                                                   \
    "night, job, kernel, problem, device, file, number, source_key, kernel_key, document, created"
/* True of a row that has its checksum; any other is reported (database_rows.h). */
#define HT_NIGHTS_RESULT_GOOD "ht_row_good('results', id, checksum, " HT_NIGHTS_RESULT_COLUMNS ")"
#define HT_NIGHTS_WRITTEN_GOOD "ht_row_good('written', rowid, checksum, source_key, name, content)"

#endif
