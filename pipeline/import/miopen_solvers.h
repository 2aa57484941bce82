/* The parameters of MIOpen's solvers, by the built-in schemas of their kernels. Private to
 * pipeline/import. */
#ifndef HT_PIPELINE_IMPORT_MIOPEN_SOLVERS_H
#define HT_PIPELINE_IMPORT_MIOPEN_SOLVERS_H

#include "pipeline/import/records.h"

/* Takes one entry of a performance database: a record of the solver's kernel, or the reason why it
 * is left out is counted. */
void ht_miopen_entry_take(ht_import *import, const ht_miopen_problem *problem,
                          const ht_import_device *device, const char *source, ht_miopen_text solver,
                          ht_miopen_text values);

#endif
