/* Values of names, fields and elements. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_NAME_H
#define HT_REFACTOR_KERNEL_MODEL_NAME_H

#include "refactor/kernel_model/scan.h"

ht_km_value ht_scan_index(ht_scan *scan, ht_index_kind kind, int axis);
ht_km_value ht_scan_name(ht_scan *scan, const ht_syntax *node);
ht_km_value ht_scan_field(ht_scan *scan, const ht_syntax *node);
ht_km_value ht_scan_load(ht_scan *scan, const ht_syntax *node); /* an element, by [] or * */
bool ht_scan_is_pointer(const ht_syntax *expression);           /* or an array */
bool ht_scan_holds_pointer(const ht_syntax_variable *variable);

#endif
