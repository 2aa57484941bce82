/* MIOpen's databases as records: performance databases (the best parameters of a solver for a
 * problem), text and SQLite, and find databases (how long each solver takes), text. */
#ifndef HT_PIPELINE_IMPORT_MIOPEN_H
#define HT_PIPELINE_IMPORT_MIOPEN_H

#include "pipeline/import/records.h"

typedef struct ht_miopen_settings {
    ht_import_device device; /* of every file; arch "" and cu 0: by each file's name */
    bool times;              /* of find databases also the time of every solver */
} ht_miopen_settings;

/* The kernels of the tables that find databases make: the fastest solver of each problem, and with
 * `times` each solver's milliseconds. */
#define HT_MIOPEN_FIND "MIOpenFind"
#define HT_MIOPEN_TIMES "MIOpenTimes"

/* Reads one file. An error says that the file as a whole cannot be read; what is wrong with single
 * entries is counted. */
ht_status ht_import_miopen(const char *path, const ht_miopen_settings *settings, ht_import *import,
                           ht_error *error);
/* The same of a text database's bytes in memory. */
void ht_import_miopen_text(ht_miopen_text text, const char *source,
                           const ht_miopen_settings *settings, ht_import *import);
/* The GPU by the name of a database: gfx90a6e (compute units in hexadecimal) or gfx906_60. False
 * when the name has none. */
bool ht_miopen_device_of(const char *path, ht_import_device *out_device);

#endif
