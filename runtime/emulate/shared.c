#include "runtime/emulate/shared.h"

#include <sys/mman.h>

void *ht_shared_new(size_t size) {
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void ht_shared_free(void *memory, size_t size) {
    if (memory != NULL)
        munmap(memory, size);
}
