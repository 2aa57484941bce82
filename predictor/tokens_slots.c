#include "predictor/tokens_slots.h"

#include "base/memory.h"
#include "templates/expr/span.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bit;
} kinds[] = {
    {"onehot", HT_TOKENS_ONEHOT},
    {"digits", HT_TOKENS_DIGITS},
    {"factors", HT_TOKENS_FACTORS},
    {"divisibility", HT_TOKENS_DIVISIBILITY},
    {"buckets", HT_TOKENS_BUCKETS},
    {"log", HT_TOKENS_LOG},
    {"remainders", HT_TOKENS_REMAINDERS},
    {"default", HT_TOKENS_ONEHOT | HT_TOKENS_DIVISIBILITY | HT_TOKENS_FACTORS | HT_TOKENS_BUCKETS |
                    HT_TOKENS_LOG | HT_TOKENS_REMAINDERS},
};

ht_status ht_tokens_kinds_parse(const char *text, unsigned *out_kinds, ht_error *error) {
    ht_span rest = ht_span_of(text, (ht_place){0}), piece;
    *out_kinds = 0;
    while (ht_span_split(&rest, ',', false, &piece)) {
        size_t k = 0, count = sizeof kinds / sizeof *kinds;
        while (k < count && !ht_span_is(piece, kinds[k].name))
            ++k;
        if (k == count)
            return ht_error_set(error, HT_ERROR_INPUT,
                                "there are no tokens '%.*s'; there are default, onehot, digits, "
                                "factors, divisibility, buckets, log and remainders",
                                (int)(piece.length > 40 ? 40 : piece.length), piece.text);
        *out_kinds |= kinds[k].bit;
    }
    return HT_OK;
}

void ht_tokens_kinds_print(unsigned kinds_, ht_text *out) {
    const char *comma = "";
    for (size_t k = 0; k + 1 < sizeof kinds / sizeof *kinds; ++k) {
        if (!(kinds_ & kinds[k].bit))
            continue;
        ht_text_printf(out, "%s%s", comma, kinds[k].name);
        comma = ",";
    }
}

/* Slots, in this order. */
enum { DIGITS = 7, PRIMES = 6, DIVISORS = 17, BUCKETS = 2 };
enum {
    SLOT_DIGITS = 1, /* after the value itself */
    SLOT_PRIMES = SLOT_DIGITS + DIGITS,
    SLOT_COFACTOR = SLOT_PRIMES + PRIMES,
    SLOT_DIVISORS = SLOT_COFACTOR + 1,
    SLOT_BUCKETS = SLOT_DIVISORS + DIVISORS,
    SLOT_END = SLOT_BUCKETS + BUCKETS
};
_Static_assert((int)SLOT_END == (int)HT_TOKENS_SLOTS, "the header tells how many slots there are");

static const int64_t primes[PRIMES] = {2, 3, 5, 7, 11, 13};
static const int64_t powers_max[PRIMES] = {12, 5, 3, 2, 1, 1}; /* higher ones count as these */
static const int64_t divisors[DIVISORS] = {2, 4, 8, 16, 32, 64, 128, 256, 512,
                                           3, 5, 6, 7,  9,  10, 12,  24};

unsigned ht_tokens_slot_kind(size_t slot) {
    return slot < SLOT_DIGITS     ? HT_TOKENS_ONEHOT
           : slot < SLOT_PRIMES   ? HT_TOKENS_DIGITS
           : slot < SLOT_DIVISORS ? HT_TOKENS_FACTORS
           : slot < SLOT_BUCKETS  ? HT_TOKENS_DIVISIBILITY
                                  : HT_TOKENS_BUCKETS;
}

char *ht_tokens_slot_name(size_t slot) {
    if (slot < SLOT_DIGITS)
        return ht_strdup("value");
    if (slot < SLOT_PRIMES)
        return ht_format("digit %zu", slot - SLOT_DIGITS);
    if (slot < SLOT_COFACTOR)
        return ht_format("power of %d", (int)primes[slot - SLOT_PRIMES]);
    if (slot < SLOT_DIVISORS)
        return ht_strdup("cofactor");
    if (slot < SLOT_BUCKETS)
        return ht_format("divisible by %d", (int)divisors[slot - SLOT_DIVISORS]);
    return ht_strdup(slot == SLOT_BUCKETS ? "half octave" : "octave");
}

/* Returns the absolute value; for INT64_MIN, which has none, one as large. */
static int64_t absolute(int64_t value) {
    return value == INT64_MIN ? INT64_MAX : value < 0 ? -value : value;
}

/* Returns decimal digit `place` (0: ones) of a number that has that many. */
static int64_t digit(int64_t value, size_t place) {
    int64_t rest = absolute(value);
    for (size_t i = 0; i < place; ++i)
        rest /= 10;
    return rest || !place ? rest % 10 : HT_TOKENS_NO_CODE;
}

static int64_t power_of(int64_t value, size_t prime) {
    int64_t power = 0;
    for (int64_t rest = value; rest && rest % primes[prime] == 0 && power < powers_max[prime];)
        ++power, rest /= primes[prime];
    return power;
}

/* Returns 1 if anything is left when the small primes are taken out, else 0. */
static int64_t cofactor(int64_t value) {
    int64_t rest = absolute(value);
    for (size_t i = 0; rest && i < PRIMES; ++i)
        while (rest % primes[i] == 0)
            rest /= primes[i];
    return rest > 1;
}

double ht_tokens_log(int64_t value) {
    return log2((double)absolute(value) + 1);
}

int64_t ht_tokens_code(size_t slot, int64_t value) {
    if (slot < SLOT_DIGITS)
        return value;
    if (slot < SLOT_PRIMES)
        return digit(value, slot - SLOT_DIGITS);
    if (slot < SLOT_COFACTOR)
        return power_of(value, slot - SLOT_PRIMES);
    if (slot < SLOT_DIVISORS)
        return cofactor(value);
    if (slot < SLOT_BUCKETS)
        return value % divisors[slot - SLOT_DIVISORS] == 0 ? 1 : HT_TOKENS_NO_CODE;
    double steps = slot == SLOT_BUCKETS ? 2 : 1; /* of an octave */
    return value == 0 ? -1 : (int64_t)floor(steps * log2((double)absolute(value)) + 1e-9);
}

enum { LOG_FEATURES = 2, REMAINDER_FEATURES = 14 };

size_t ht_tokens_feature_count(unsigned kinds_) {
    return (kinds_ & HT_TOKENS_LOG ? LOG_FEATURES : 0) +
           (kinds_ & HT_TOKENS_REMAINDERS ? REMAINDER_FEATURES : 0);
}

void ht_tokens_features(unsigned kinds_, int64_t value, double mean, double deviation, float *out) {
    double size = ht_tokens_log(value);
    int64_t magnitude = absolute(value);
    if (kinds_ & HT_TOKENS_LOG) {
        *out++ = (float)(size / 8);
        *out++ = (float)((size - mean) / deviation);
    }
    if (!(kinds_ & HT_TOKENS_REMAINDERS))
        return;
    for (int bits = 1; bits <= 8; ++bits) /* how much of the last group of 2, 4, ... 256 is used */
        *out++ = (float)(magnitude & ((1 << bits) - 1)) / (float)(1 << bits);
    *out++ = (float)(magnitude % 3) / 3;
    *out++ = (float)(magnitude % 5) / 5;
    *out++ = (float)(magnitude % 7) / 7;
    *out++ = (float)(magnitude && !(magnitude & (magnitude - 1)));
    *out++ = (float)power_of(magnitude, 0) / 8;
    *out++ = (float)(magnitude < 2);
}
