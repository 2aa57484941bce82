#include "runtime/host/stacks.h"

#include "base/sanitizer.h"
#include "runtime/host/check_internal.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096, SLOT = HT_STACK_SIZE + PAGE };

/* A guard page splits the mapping, and the kernel limits the mappings of a process
 * (vm.max_map_count): past a quarter of them, further stacks go without guards. */
static atomic_long guards_made;

static long guard_limit(void) {
    static _Atomic long limit;
    long known = limit;
    if (known)
        return known;
    known = 65530;
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    if (file) {
        if (fscanf(file, "%ld", &known) != 1 || known < 16)
            known = 65530;
        fclose(file);
    }
    return limit = known / 4;
}

static void *map_chunk(void) {
    void *chunk = mmap(NULL, (size_t)SLOT * HT_STACK_CHUNK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (chunk == MAP_FAILED)
        return NULL;
    /* A huge page would back 16 stacks that use one page each. */
    madvise(chunk, (size_t)SLOT * HT_STACK_CHUNK, MADV_NOHUGEPAGE);
    if (atomic_fetch_add(&guards_made, HT_STACK_CHUNK) + HT_STACK_CHUNK > guard_limit())
        return chunk;
    for (size_t i = 0; i < HT_STACK_CHUNK; ++i)
        mprotect((char *)chunk + i * SLOT, PAGE, PROT_NONE);
    return chunk;
}

void *ht_stacks_get(ht_stacks *stacks, size_t index, size_t *out_size) {
    size_t chunk = index / HT_STACK_CHUNK;
    while (stacks->chunk_count <= chunk) {
        void *fresh = map_chunk();
        if (!fresh)
            return NULL;
        stacks->chunks[stacks->chunk_count++] = fresh;
    }
    /* Steps of five cache lines walk all 64 sets of a first-level cache before they meet again. */
    *out_size = HT_STACK_SIZE - index * 5 % 64 * 64;
    return (char *)stacks->chunks[chunk] + index % HT_STACK_CHUNK * SLOT + PAGE;
}

ht_stack_part ht_stacks_find(const ht_stacks *stacks, const void *address) {
    for (size_t i = 0; i < stacks->chunk_count; ++i) {
        uintptr_t offset = (uintptr_t)address - (uintptr_t)stacks->chunks[i];
        if (offset < (size_t)SLOT * HT_STACK_CHUNK)
            return offset % SLOT < PAGE ? HT_STACK_GUARD : HT_STACK_MEMORY;
    }
    return HT_STACK_NONE;
}

void ht_stacks_each(const ht_stacks *stacks, void (*each)(const void *memory, size_t size)) {
    for (size_t i = 0; i < stacks->chunk_count; ++i)
        each(stacks->chunks[i], (size_t)SLOT * HT_STACK_CHUNK);
}

void ht_stacks_free(ht_stacks *stacks) {
    if (HT_ADDRESS_SANITIZED) /* the frames of the fibers themselves */
        ht_stacks_each(stacks, ht_check_clean);
    for (size_t i = 0; i < stacks->chunk_count; ++i)
        munmap(stacks->chunks[i], (size_t)SLOT * HT_STACK_CHUNK);
    atomic_fetch_sub(&guards_made, (long)(stacks->chunk_count * HT_STACK_CHUNK));
    stacks->chunk_count = 0;
}
