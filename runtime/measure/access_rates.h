/* Accesses to memory in numbers per output element. */
#ifndef HT_RUNTIME_MEASURE_ACCESS_RATES_H
#define HT_RUNTIME_MEASURE_ACCESS_RATES_H

#include "runtime/measure/inspect.h"

/* Launches of one configuration together, in numbers per output element. */
typedef struct ht_access_rates {
    double load_instructions, load_words; /* vector loads from memory, of a lane */
    double scalar_words;                  /* words that a wave loads for all its lanes */
    double lds_reads, lds_writes, stores, products;
    double instructions; /* of a wave, times its lanes */
} ht_access_rates;

/* False when a launch was not counted, or no output was written. */
bool ht_access_rates_make(const ht_inspection_launch *launches, size_t count,
                          ht_access_rates *out_rates);

#endif
