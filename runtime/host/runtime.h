/* The table's run-time half: memory, events, modules, launches. */
#ifndef HT_RUNTIME_HOST_RUNTIME_H
#define HT_RUNTIME_HOST_RUNTIME_H

#include "runtime/provider/hip.h"

#define HT_HOST_DECLARE(result, name, parameters) result ht_host_##name parameters;
HT_HIP_RUNTIME_FUNCTIONS(HT_HOST_DECLARE)
#undef HT_HOST_DECLARE

#endif
