/* Calls: barriers, wavefront operations, atomics, the user's functions, which are walked in place
 * of the call, and functions of which nothing is known. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_CALL_H
#define HT_REFACTOR_KERNEL_MODEL_CALL_H

#include "refactor/kernel_model/scan.h"

ht_km_value ht_scan_call(ht_scan *scan, const ht_syntax *call);

#endif
