/* Calls that change the object they are called on: assignments of class types, methods, arguments
 * bound to references. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_MODEL_OBJECT_H
#define HT_REFACTOR_KERNEL_MODEL_OBJECT_H

#include "refactor/kernel_model/scan.h"

bool ht_scan_is_local_object(const ht_scan *scan, const ht_syntax *expression);
bool ht_scan_assigns_object(ht_scan *scan, const ht_syntax *call, const char *name);
bool ht_scan_calls_method(ht_scan *scan, const ht_syntax *call);
/* Records the arguments that a call of a function which is not walked may write through
 * references. */
void ht_scan_bound_arguments(ht_scan *scan, const ht_syntax *call);

#endif
