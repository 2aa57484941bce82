#include "predictor/rules/completion_memo.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024, WORDS_MAX = 1 << 22 };

void ht_memo_clear(ht_memo *memo) {
    memo->used = memo->word_count = 0;
    if (++memo->round == 0 ||
        !memo->slots) { /* rounds that wrapped around would be taken for new */
        memo->round = 1;
        if (memo->slots)
            memset(memo->slots, 0, memo->slot_count * sizeof *memo->slots);
    }
}

void ht_memo_free(ht_memo *memo) {
    free(memo->slots);
    free(memo->words);
}

uint64_t ht_memo_hash(const int64_t *key, size_t length) {
    uint64_t hash = length * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < length; ++i) {
        hash = (hash ^ (uint64_t)key[i]) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Returns the slot with this key, or the free one where it belongs. */
static ht_memo_slot *seek(const ht_memo *memo, uint64_t hash, const int64_t *key, size_t length) {
    size_t mask = memo->slot_count - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        ht_memo_slot *slot = &memo->slots[at];
        if (slot->round != memo->round ||
            (slot->hash == hash && slot->length == length &&
             !memcmp(&memo->words[slot->first], key, length * sizeof *key)))
            return slot;
    }
}

const bool *ht_memo_find(const ht_memo *memo, uint64_t hash, const int64_t *key, size_t length) {
    if (!memo->used)
        return NULL;
    const ht_memo_slot *slot = seek(memo, hash, key, length);
    return slot->round == memo->round ? &slot->answer : NULL;
}

static void grow(ht_memo *memo) {
    ht_memo_slot *old = memo->slots;
    size_t old_count = memo->slot_count;
    memo->slot_count = old_count ? 2 * old_count : FIRST_SLOTS;
    memo->slots = ht_alloc(memo->slot_count, sizeof *memo->slots);
    for (size_t i = 0; i < old_count; ++i) {
        if (old[i].round != memo->round)
            continue;
        size_t at = old[i].hash & (memo->slot_count - 1);
        while (memo->slots[at].round == memo->round)
            at = (at + 1) & (memo->slot_count - 1);
        memo->slots[at] = old[i];
    }
    free(old);
}

void ht_memo_put(ht_memo *memo, uint64_t hash, const int64_t *key, size_t length, bool answer) {
    if (memo->word_count + length > WORDS_MAX)
        return;
    if (4 * memo->used >= 3 * memo->slot_count)
        grow(memo);
    if (memo->word_count + length > memo->word_capacity) {
        memo->word_capacity = 2 * (memo->word_count + length) + 1024;
        memo->words = ht_realloc(memo->words, memo->word_capacity, sizeof *memo->words);
    }
    ht_memo_slot *slot = seek(memo, hash, key, length);
    *slot = (ht_memo_slot){hash, memo->round, (uint32_t)memo->word_count, (uint32_t)length, answer};
    memcpy(&memo->words[memo->word_count], key, length * sizeof *key);
    memo->word_count += length;
    ++memo->used;
}
