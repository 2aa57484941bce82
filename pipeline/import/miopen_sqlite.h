/* The SQLite form of MIOpen's performance databases: a table `config` of problems and a table
 * `perf_db` of solvers' parameters for them. Private to pipeline/import. */
#ifndef HT_PIPELINE_IMPORT_MIOPEN_SQLITE_H
#define HT_PIPELINE_IMPORT_MIOPEN_SQLITE_H

#include "pipeline/import/records.h"

ht_status ht_miopen_sqlite_import(const char *path, const char *source,
                                  const ht_import_device *device, ht_import *import,
                                  ht_error *error);

#endif
