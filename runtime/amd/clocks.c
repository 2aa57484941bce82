#include "runtime/amd/clocks.h"

#include "base/file.h"
#include "base/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads once: files of /sys have no length, and one read gives all. */
static size_t read_some(const char *folder, const char *name, char *out, size_t size) {
    char *path = ht_path_join(folder, name);
    FILE *file = fopen(path, "re");
    free(path);
    size_t length = file ? fread(out, 1, size - 1, file) : 0;
    if (file)
        fclose(file);
    out[length] = '\0';
    return length;
}

/* Reads a sensor of the unit hertz. The number in hwmonN is any. */
static double sensor_mhz(const char *folder) {
    char *sensors = ht_path_join(folder, "hwmon"), text[64];
    DIR *directory = opendir(sensors);
    double mhz = -1;
    for (struct dirent *entry; directory && mhz < 0 && (entry = readdir(directory)) != NULL;) {
        if (strncmp(entry->d_name, "hwmon", strlen("hwmon")) != 0)
            continue;
        char *name = ht_format("%s/freq1_input", entry->d_name);
        if (read_some(sensors, name, text, sizeof text) && strtod(text, NULL) > 0)
            mhz = strtod(text, NULL) / 1e6;
        free(name);
    }
    if (directory)
        closedir(directory);
    free(sensors);
    return mhz;
}

/* Reads the step that is in use from lines "1: 1700Mhz *". */
static double step_mhz(const char *folder) {
    char text[4096], *rest = NULL;
    double mhz = -1;
    read_some(folder, "pp_dpm_sclk", text, sizeof text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        double step = 0;
        if (strchr(line, '*') && sscanf(line, "%*[^:]: %lf", &step) == 1 && step > 0)
            mhz = step;
    }
    return mhz;
}

/* Offsets in struct gpu_metrics_v1_3 and v1_6 of the kernel (kgd_pp_interface.h), which are part of
 * its interface; bits 32 to 47 of the status are those of temperatures (amdgpu_smu.h). */
enum {
    V1_3_STATUS = 112,
    V1_3_SIZE = 120,
    V1_6_PROCHOT = 108,
    V1_6_SOCKET = 116,
    V1_6_REGULATORS = 120,
    V1_6_MEMORY = 124,
    V1_6_SIZE = 128
};
static const uint64_t heat_bits = 0x0000FFFF00000000u;

static uint32_t number_at(const char *data, size_t offset) {
    uint32_t number;
    memcpy(&number, data + offset, sizeof number);
    return number;
}

static long long throttled(const char *folder, long long *io_seen) {
    char data[8192];
    size_t length = read_some(folder, "gpu_metrics", data, sizeof data);
    if (length < 4 || data[2] != 1)
        return -1;
    if (data[3] == 6 && length >= V1_6_SIZE)
        return (long long)number_at(data, V1_6_PROCHOT) + number_at(data, V1_6_SOCKET) +
               number_at(data, V1_6_REGULATORS) + number_at(data, V1_6_MEMORY);
    if (data[3] != 3 || length < V1_3_SIZE)
        return -1;
    uint64_t status;
    memcpy(&status, data + V1_3_STATUS, sizeof status);
    if (status == UINT64_MAX) /* the driver's mark for what the GPU does not report */
        return -1;
    *io_seen += (status & heat_bits) != 0;
    return *io_seen;
}

void ht_amd_clocks_read(const char *folder, long long *io_seen, ht_clocks *out_clocks) {
    double mhz = sensor_mhz(folder);
    out_clocks->mhz = mhz > 0 ? mhz : step_mhz(folder);
    out_clocks->throttled = throttled(folder, io_seen);
}

/* Returns NULL when the runtime does not give the address; free(). */
static char *device_folder(const ht_amd_symbols *symbols, int ordinal) {
    char bus[64] = "";
    if (!symbols->bus_id || symbols->bus_id(bus, (int)sizeof bus - 1, ordinal) != HT_HIP_SUCCESS)
        return NULL;
    for (char *at = bus; *at; ++at)
        *at = (char)tolower((unsigned char)*at);
    const char *root = getenv("HIPTEMPER_SYSFS");
    return ht_format("%s/bus/pci/devices/%s", root && *root ? root : "/sys", bus);
}

void ht_amd_clocks(const ht_amd_symbols *symbols, const ht_device *device, ht_clocks *out_clocks) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *folder;
    static long long seen;
    static int ordinal = -1; /* a worker serves one device */
    *out_clocks = (ht_clocks){.mhz = -1, .throttled = -1};
    pthread_mutex_lock(&lock);
    if (device->ordinal != ordinal) {
        free(folder);
        folder = device_folder(symbols, device->ordinal);
    }
    ordinal = device->ordinal;
    if (folder)
        ht_amd_clocks_read(folder, &seen, out_clocks);
    pthread_mutex_unlock(&lock);
}
