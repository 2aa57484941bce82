#include "runtime/emulate/copies.h"

#include "base/hash.h"
#include "runtime/emulate/shared.h"

#include <pthread.h>

static ht_copies *copies;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ht_copies *ht_copies_new(void) {
    return ht_shared_new(sizeof(ht_copies));
}

void ht_copies_free(ht_copies *given) {
    ht_shared_free(given, sizeof *given);
}

void ht_copies_set(ht_copies *shared) {
    copies = shared;
}

void ht_copies_note(const void *data, size_t bytes) {
    ht_copies *to = copies;
    if (to == NULL)
        return;
    const ht_copy made = {bytes, ht_hash_short(data, bytes)};
    pthread_mutex_lock(&lock);
    if (to->count < HT_COPIES)
        to->items[to->count] = made;
    ++to->count;
    pthread_mutex_unlock(&lock);
}
