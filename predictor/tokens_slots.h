/* The properties of one value of a field, as small codes and as reals. Private to
 * predictor/tokens*.c. */
#ifndef HT_PREDICTOR_TOKENS_SLOTS_H
#define HT_PREDICTOR_TOKENS_SLOTS_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of tokens, as bits. */
enum {
    HT_TOKENS_ONEHOT = 1,
    HT_TOKENS_DIGITS = 2,
    HT_TOKENS_FACTORS = 4,
    HT_TOKENS_DIVISIBILITY = 8,
    HT_TOKENS_BUCKETS = 16,
    HT_TOKENS_LOG = 32,
    HT_TOKENS_REMAINDERS = 64
};

/* "onehot,log" as bits; "default" too. An unknown word is an error that lists the known ones. */
ht_status ht_tokens_kinds_parse(const char *text, unsigned *out_kinds, ht_error *error);
/* The same back, without "default". */
void ht_tokens_kinds_print(unsigned kinds, ht_text *out);

/* A slot asks one question about a value; its code is the answer. */
enum { HT_TOKENS_SLOTS = 34, HT_TOKENS_FEATURES = 16 };
#define HT_TOKENS_NO_CODE INT64_MIN
/* Which kind a slot belongs to. */
unsigned ht_tokens_slot_kind(size_t slot);
/* "value", "digit 2", "power of 3"; free(). */
char *ht_tokens_slot_name(size_t slot);
/* HT_TOKENS_NO_CODE when the slot has nothing to say about the value. */
int64_t ht_tokens_code(size_t slot, int64_t value);

/* How many reals the kinds give. */
size_t ht_tokens_feature_count(unsigned kinds);
/* The reals of a value; `mean` and `deviation` are those of log2(|value| + 1) at this place. */
void ht_tokens_features(unsigned kinds, int64_t value, double mean, double deviation, float *out);
/* log2(|value| + 1). */
double ht_tokens_log(int64_t value);

#endif
