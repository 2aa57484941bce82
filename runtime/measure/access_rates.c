#include "runtime/measure/access_rates.h"

enum { WORD = 4, LANES = 64 };

/* Makes the rates; every launch's counts stand for all its blocks. */
bool ht_access_rates_make(const ht_inspection_launch *launches, size_t count,
                          ht_access_rates *out_rates) {
    ht_access_rates sum = {0};
    double outputs = 0;
    for (size_t i = 0; i < count; ++i) {
        const ht_accesses *accesses = &launches[i].accesses;
        const ht_access_counts *counts = &accesses->counts;
        if (!launches[i].counted || counts->blocks == 0)
            return false;
        double share = ht_accesses_share(accesses);
        outputs += share * (double)counts->outputs;
        sum.load_instructions += share * (double)counts->global_loads;
        sum.load_words += share * (double)counts->global_load_bytes / WORD;
        sum.scalar_words += share * (double)counts->scalar_load_bytes / WORD;
        sum.lds_reads += share * (double)counts->lds_reads;
        sum.lds_writes += share * (double)counts->lds_writes;
        sum.stores += share * (double)counts->global_stores;
        sum.products += share * (double)counts->products;
        sum.instructions += share * (double)counts->instructions * LANES;
    }
    double *const rates[] = {&sum.load_instructions, &sum.load_words,  &sum.scalar_words,
                             &sum.lds_reads,         &sum.lds_writes,  &sum.stores,
                             &sum.products,          &sum.instructions};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i)
        *rates[i] /= outputs > 0 ? outputs : 1;
    *out_rates = sum;
    return outputs > 0;
}
