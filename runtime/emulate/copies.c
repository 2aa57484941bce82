#include "runtime/emulate/copies.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "runtime/emulate/shared.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LEAST = 1 << 20, ALIGNED = 16 };

static ht_copies *copies;
static ht_copy_store own_store;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ht_copies *ht_copies_new(void) {
    return ht_shared_new(sizeof(ht_copies));
}

void ht_copies_free(ht_copies *given) {
    ht_shared_free(given, sizeof *given);
}

/* The file has its room before it is used: a program that writes to a page for which the disk has
 * none would be ended. */
void ht_copy_store_open(ht_copy_store *out_store, const char *folder, uint64_t size) {
    char *path = ht_path_join(folder, "copies");
    *out_store = (ht_copy_store){.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (out_store->file >= 0)
        unlink(path);
    free(path);
    for (; out_store->file >= 0 && size >= LEAST; size /= 2) {
        if (posix_fallocate(out_store->file, 0, (off_t)size) == 0) {
            void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, out_store->file, 0);
            if (memory != MAP_FAILED) {
                out_store->bytes = memory;
                out_store->size = size;
                return;
            }
        }
        if (ftruncate(out_store->file, 0) != 0)
            return;
    }
}

void ht_copy_store_trim(ht_copy_store *store, uint64_t used) {
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

void ht_copy_store_close(ht_copy_store *store) {
    if (store->bytes != NULL)
        munmap(store->bytes, store->size);
    if (store->file > 0)
        close(store->file);
    *store = (ht_copy_store){0};
}

void ht_copies_expect(ht_copies *given, const ht_copies *earlier) {
    given->expected = earlier->count < HT_COPIES ? earlier->count : HT_COPIES;
    for (uint64_t i = 0; i < given->expected; ++i)
        given->items[i] = earlier->items[i];
}

void ht_copies_set(ht_copies *shared, const ht_copy_store *store) {
    copies = shared;
    own_store = store != NULL ? *store : (ht_copy_store){0};
}

/* Keeps the bytes where there is room; returns their place. */
static uint64_t keep(ht_copies *to, const void *data, size_t bytes) {
    uint64_t at = to->used;
    if (own_store.bytes == NULL || at > own_store.size || bytes > own_store.size - at)
        return 0;
    memcpy(own_store.bytes + at, data, bytes);
    to->used = (at + bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    return at + 1;
}

/* Returns true if the bytes may be asked for: element by element they can be compared where the
 * kernels that use the memory say what is there. */
static bool is_worth(const ht_copies *to, const ht_copy *made) {
    const ht_copy *earlier = &to->items[to->count];
    if (to->count < to->expected)
        return earlier->kept != 0 && earlier->bytes == made->bytes && earlier->hash != made->hash;
    return made->use.count > 0 && !made->use.more && to->expected == 0;
}

void ht_copies_note(const void *data, size_t bytes, const ht_memory_use *use) {
    ht_copies *to = copies;
    if (to == NULL)
        return;
    ht_copy made = {.bytes = bytes, .hash = ht_hash_short(data, bytes), .use = *use};
    pthread_mutex_lock(&lock);
    if (to->count < HT_COPIES) {
        if (is_worth(to, &made))
            made.kept = keep(to, data, bytes);
        to->items[to->count] = made;
    }
    ++to->count;
    pthread_mutex_unlock(&lock);
}

void ht_copies_check(ht_copies *given, const ht_copy_store *store) {
    uint64_t size = store != NULL && store->bytes != NULL ? store->size : 0;
    uint64_t count = given->count < HT_COPIES ? given->count : HT_COPIES;
    given->used = given->used < size ? given->used : size;
    for (uint64_t i = 0; i < count; ++i) {
        ht_copy *copy = &given->items[i];
        if (copy->kept > size || (copy->kept > 0 && copy->bytes > size - (copy->kept - 1)))
            copy->kept = 0;
        if (copy->use.count > HT_MEMORY_USES)
            copy->use.count = HT_MEMORY_USES;
    }
}
