#include "base/machine_memory.h"

#include "base/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the number in a control group's file; UINT64_MAX: none, as for "max". */
static uint64_t number_in(const char *path) {
    char *text = NULL;
    uint64_t bytes = UINT64_MAX;
    if (ht_file_read(path, 64, &text, NULL, NULL) == HT_OK && isdigit((unsigned char)*text))
        bytes = strtoull(text, NULL, 10);
    free(text);
    return bytes;
}

/* Returns the control group's limit, of version 2 or 1. */
static uint64_t group_limit(void) {
    uint64_t limit = number_in("/sys/fs/cgroup/memory.max");
    return limit != UINT64_MAX ? limit : number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes");
}

static uint64_t group_used(void) {
    uint64_t used = number_in("/sys/fs/cgroup/memory.current");
    return used != UINT64_MAX ? used : number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes");
}

uint64_t ht_machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    uint64_t limit = group_limit();
    return limit < memory ? limit : memory;
}

uint64_t ht_machine_memory_free(void) {
    char line[128];
    unsigned long long kib = 0;
    uint64_t memory = UINT64_MAX;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && memory == UINT64_MAX && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
            memory = (uint64_t)kib * 1024;
    if (file)
        fclose(file);
    uint64_t limit = group_limit(), used = group_used();
    if (limit == UINT64_MAX || used == UINT64_MAX)
        return memory;
    uint64_t left = used < limit ? limit - used : 0;
    return left < memory ? left : memory;
}

uint64_t ht_machine_memory_usable(void) {
    const uint64_t least = (uint64_t)1 << 30;
    uint64_t memory = ht_machine_memory_free();
    if (memory == UINT64_MAX)
        return memory;
    return memory / 4 * 3 < least ? least : memory / 4 * 3;
}
