/* The GPU's clock as its driver reports it, in the folder of its PCI device under /sys. ROCm's own
 * libraries for it read the same files, through structs that differ from version to version. */
#ifndef HT_RUNTIME_AMD_CLOCKS_H
#define HT_RUNTIME_AMD_CLOCKS_H

#include "runtime/amd/code_object/symbols.h"
#include "runtime/provider/provider.h"

/* ht_provider.clocks over these libraries. Files are looked for under $HIPTEMPER_SYSFS, or /sys. */
void ht_amd_clocks(const ht_amd_symbols *symbols, const ht_device *device, ht_clocks *out_clocks);

/* The same from a device's folder (/sys/bus/pci/devices/0000:c1:00.0). Megahertz from
 * hwmon/hwmonN/freq1_input, else from the marked line of pp_dpm_sclk. The count of throttling from
 * gpu_metrics, for heat and not for a limit of power: revision 1.6 has counts of its own; of
 * revision 1.3, which has only a status, `*io_seen` counts how often it was seen, one call after
 * the other. -1 for what there is not. */
void ht_amd_clocks_read(const char *folder, long long *io_seen, ht_clocks *out_clocks);

#endif
