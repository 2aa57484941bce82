#include "base/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static void hash_hex(XXH128_hash_t hash, char out_hex[HT_HASH_SIZE]) {
    snprintf(out_hex, HT_HASH_SIZE, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

void ht_hash_bytes(const void *data, size_t length, char out_hex[HT_HASH_SIZE]) {
    hash_hex(XXH3_128bits(data, length), out_hex);
}

uint64_t ht_hash_short(const void *data, size_t length) {
    return XXH3_64bits(data, length) >> 1;
}

void ht_hash_strings(char out_hex[HT_HASH_SIZE], ...) {
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    va_list args;
    va_start(args, out_hex);
    for (const char *part; (part = va_arg(args, const char *)) != NULL;)
        XXH3_128bits_update(state, part, strlen(part) + 1); /* the NUL separates */
    va_end(args);
    hash_hex(XXH3_128bits_digest(state), out_hex);
    XXH3_freeState(state);
}
