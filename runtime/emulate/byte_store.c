#include "runtime/emulate/byte_store.h"

#include "base/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST = 1 << 20, ALIGNED = 16 };

/* Gives the file its room before it is used: a program that writes to a page for which the disk has
 * none would be ended. */
static bool map(ht_byte_store *store, uint64_t size) {
    size = size > LEAST ? size : LEAST;
    for (; store->file >= 0 && size >= LEAST; size /= 2) {
        if (posix_fallocate(store->file, 0, (off_t)size) == 0) {
            void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, store->file, 0);
            if (memory != MAP_FAILED) {
                store->bytes = memory;
                store->size = size;
                return true;
            }
        }
        if (ftruncate(store->file, 0) != 0)
            return false;
    }
    return false;
}

bool ht_byte_store_make(ht_byte_store *out_store, const char *path, uint64_t size) {
    *out_store = (ht_byte_store){.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    return map(out_store, size);
}

void ht_byte_store_open(ht_byte_store *out_store, const char *folder, uint64_t size) {
    char *path = ht_path_join(folder, "bytes");
    *out_store = (ht_byte_store){.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (out_store->file >= 0)
        unlink(path);
    free(path);
    (void)map(out_store, size);
}

bool ht_byte_store_load(ht_byte_store *out_store, const char *path) {
    struct stat is;
    *out_store = (ht_byte_store){.file = open(path, O_RDONLY | O_CLOEXEC)};
    if (out_store->file < 0 || fstat(out_store->file, &is) != 0 || is.st_size == 0)
        return false;
    void *memory = mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_SHARED, out_store->file, 0);
    if (memory == MAP_FAILED)
        return false;
    out_store->bytes = memory;
    out_store->size = (uint64_t)is.st_size;
    return true;
}

void ht_byte_store_trim(ht_byte_store *store, uint64_t used) {
    const uint64_t page = 4096;
    uint64_t left = (used + page - 1) / page * page;
    if (store->bytes == NULL || left >= store->size)
        return;
    munmap(store->bytes + left, store->size - left);
    if (ftruncate(store->file, (off_t)left) != 0) {
        /* it stays as long as it was */
    }
    store->size = left;
    if (left == 0)
        store->bytes = NULL;
}

void ht_byte_store_close(ht_byte_store *store) {
    if (store->bytes != NULL)
        munmap(store->bytes, store->size);
    if (store->file > 0)
        close(store->file);
    *store = (ht_byte_store){0};
}

uint64_t ht_byte_store_put(const ht_byte_store *store, uint64_t *used, const void *data,
                           size_t bytes) {
    uint64_t at = *used;
    if (store->bytes == NULL || at > store->size || bytes > store->size - at)
        return 0;
    memcpy(store->bytes + at, data, bytes);
    *used = (at + bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    return at + 1;
}

const unsigned char *ht_byte_store_at(const ht_byte_store *store, uint64_t place, uint64_t bytes) {
    bool there = store != NULL && store->bytes != NULL && place > 0 && place - 1 <= store->size &&
                 bytes <= store->size - (place - 1);
    return there ? store->bytes + (place - 1) : NULL;
}
