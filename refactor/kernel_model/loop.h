/* Loops in normal form. The body is first walked without recording, with a placeholder as the value
 * of each variable that it changes. The amount that the body adds to the placeholder is the
 * variable's step. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_LOOP_H
#define HT_REFACTOR_KERNEL_MODEL_LOOP_H

#include "refactor/kernel_model/scan.h"

ht_leaves ht_scan_loop(ht_scan *scan, const ht_syntax *statement);

#endif
