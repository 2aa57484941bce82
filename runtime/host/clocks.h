/* The clocks of the machine's cores. */
#ifndef HT_RUNTIME_HOST_CLOCKS_H
#define HT_RUNTIME_HOST_CLOCKS_H

#include "runtime/provider/provider.h"

/* Linux's cpufreq (the clock of the first core this process may use) and thermal_throttle (events
 * of all cores); virtual machines mostly have neither. */
void ht_host_clocks(const ht_device *device, ht_clocks *out_clocks);

/* The same from a folder laid out like /sys/devices/system/cpu. */
void ht_host_clocks_read(const char *folder, ht_clocks *out_clocks);

#endif
