/* Arrays, and the elements that subscripts and dereferences name. Private to
 * refactor/kernel_model/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_PLACE_H
#define HT_REFACTOR_KERNEL_MODEL_PLACE_H

#include "refactor/kernel_model/scan.h"

typedef struct ht_km_target {
    size_t array; /* SIZE_MAX: unknown */
    const ht_poly *subscripts[8];
    size_t count;
    bool whole; /* names an array variable, which still takes as many subscripts */
} ht_km_target;

bool ht_scan_target(ht_scan *scan, const ht_syntax *expression, ht_km_target *out_target);
size_t ht_scan_array(ht_scan *scan, const ht_syntax_variable *declaration);
size_t ht_scan_array_named(ht_scan *scan, const char *name, ht_position at);
void ht_scan_record(ht_scan *scan, const ht_km_target *target, bool read, bool write, bool atomic,
                    const ht_syntax *at);
void ht_scan_escape(ht_scan *scan, const ht_km_value *value, const ht_syntax *at);

#endif
