/* A kernel that writes past its buffers, as an original does at a size that it does not serve, must
 * not reach the heap of the process that runs it: a changed heap hangs or fails far from the cause.
 */
#include "runtime/host/fence.h"

#include "base/memory.h"
#include "runtime/host/check.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct fenced {
    struct fenced *next;
    char *memory, *mapping;
    size_t mapped;
} fenced;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fenced *all;

static size_t rounded(size_t size, size_t to) {
    return (size + to - 1) / to * to;
}

static size_t fence_width(size_t room) {
    const size_t least = (size_t)1 << 20, most = (size_t)16 << 20;
    return room < least ? least : room > most ? most : room;
}

static void *map(size_t size) {
    size_t room = rounded(size, (size_t)sysconf(_SC_PAGESIZE)), fence = fence_width(room);
    size_t mapped = room + 2 * fence;
    char *mapping =
        mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return NULL;
    if (mprotect(mapping + fence, room, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapping, mapped);
        return NULL;
    }
    fenced *made = ht_alloc(1, sizeof *made);
    *made = (fenced){.memory = mapping + fence + room - rounded(size, HT_FENCE_ALIGNMENT),
                     .mapping = mapping,
                     .mapped = mapped};
    pthread_mutex_lock(&lock);
    made->next = all;
    all = made;
    pthread_mutex_unlock(&lock);
    return made->memory;
}

/* Allocates by AddressSanitizer's own allocator where there is one, as it knows more than a fence:
 * where memory was allocated and freed, and each byte past the end. */
void *ht_fence_alloc(size_t size) {
    const size_t most = (size_t)1 << 40; /* AddressSanitizer ends a process that asks for more */
    void *memory = NULL;
    if (size >= most)
        return NULL;
    if (!ht_check_sanitized())
        return map(size);
    return posix_memalign(&memory, HT_FENCE_ALIGNMENT, size) == 0 ? memory : NULL;
}

void ht_fence_free(void *memory) {
    pthread_mutex_lock(&lock);
    fenced **at = &all;
    while (*at && (*at)->memory != memory)
        at = &(*at)->next;
    fenced *found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    if (found)
        munmap(found->mapping, found->mapped);
    else
        free(memory);
    free(found);
}
