/* The search's knowledge: whether anything completes a state. A state is all that the rest of a
 * search depends on, so two prefixes with one state have one answer. Private to completion. */
#ifndef HT_PREDICTOR_RULES_COMPLETION_MEMO_H
#define HT_PREDICTOR_RULES_COMPLETION_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_memo_slot {
    uint64_t hash;
    uint32_t round; /* the slot is free when this is not the memo's */
    uint32_t first; /* of the key, in `words` */
    uint32_t length;
    bool answer;
} ht_memo_slot;

typedef struct ht_memo {
    ht_memo_slot *slots; /* owned; open addressing */
    size_t slot_count, used;
    uint32_t round;
    int64_t *words; /* owned */
    size_t word_count, word_capacity;
} ht_memo;

/* Forgets all. */
void ht_memo_clear(ht_memo *memo);
void ht_memo_free(ht_memo *memo);
uint64_t ht_memo_hash(const int64_t *key, size_t length);
/* NULL when the state is not known. */
const bool *ht_memo_find(const ht_memo *memo, uint64_t hash, const int64_t *key, size_t length);
/* The state must not be known yet. When there are too many already, does nothing. */
void ht_memo_put(ht_memo *memo, uint64_t hash, const int64_t *key, size_t length, bool answer);

#endif
