#include "runtime/emulate/copies.h"

#include "base/hash.h"
#include "runtime/emulate/shared.h"

#include <pthread.h>

static ht_copies *copies;
static ht_byte_store own_store;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ht_copies *ht_copies_new(void) {
    return ht_shared_new(sizeof(ht_copies));
}

void ht_copies_free(ht_copies *given) {
    ht_shared_free(given, sizeof *given);
}

void ht_copies_expect(ht_copies *given, const ht_copies *earlier) {
    given->expected = earlier->count < HT_COPIES ? earlier->count : HT_COPIES;
    for (uint64_t i = 0; i < given->expected; ++i)
        given->items[i] = earlier->items[i];
}

void ht_copies_set(ht_copies *shared, const ht_byte_store *store) {
    copies = shared;
    own_store = store != NULL ? *store : (ht_byte_store){0};
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
            made.kept = ht_byte_store_put(&own_store, &to->used, data, bytes);
        to->items[to->count] = made;
    }
    ++to->count;
    pthread_mutex_unlock(&lock);
}

void ht_copies_check(ht_copies *given, const ht_byte_store *store) {
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
