#include "runtime/host/clocks.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { CORES_MAX = 1024 };

/* Reads the whole number in a file of one line; false when there is none. */
static bool read_number(const char *folder, int core, const char *name, long long *out_number) {
    char path[512];
    snprintf(path, sizeof path, "%s/cpu%d/%s", folder, core, name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool read = fscanf(file, "%lld", out_number) == 1;
    fclose(file);
    return read;
}

static int first_core(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &set))
            return core;
    return 0;
}

void ht_host_clocks_read(const char *folder, ht_clocks *out_clocks) {
    *out_clocks = (ht_clocks){.mhz = -1, .throttled = -1};
    long long number = 0;
    if (read_number(folder, first_core(), "cpufreq/scaling_cur_freq", &number) && number > 0)
        out_clocks->mhz = (double)number / 1000;
    long cores = sysconf(_SC_NPROCESSORS_CONF);
    for (int core = 0; core < cores && core < CORES_MAX; ++core) {
        if (!read_number(folder, core, "thermal_throttle/core_throttle_count", &number))
            break; /* the kernel counts for all cores or for none */
        if (out_clocks->throttled < 0)
            out_clocks->throttled = 0;
        out_clocks->throttled += number;
        if (read_number(folder, core, "thermal_throttle/package_throttle_count", &number))
            out_clocks->throttled += number;
    }
}

void ht_host_clocks(const ht_device *device, ht_clocks *out_clocks) {
    (void)device;
    ht_host_clocks_read("/sys/devices/system/cpu", out_clocks);
}
