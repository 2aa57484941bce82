/* Content hashes (XXH3, 128 bits) as hex text: source, template and configuration keys in the
 * database and file names. */
#ifndef HT_BASE_HASH_H
#define HT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HT_HASH_SIZE = 33 }; /* 32 hex digits and the NUL */

void ht_hash_bytes(const void *data, size_t length, char out_hex[HT_HASH_SIZE]);

/* 63 bits (XXH3), for tables in memory. */
uint64_t ht_hash_short(const void *data, size_t length);

/* Hash of several strings, each separated from the next, so that ("ab", "c") and ("a", "bc")
 * differ. NULL ends. */
void ht_hash_strings(char out_hex[HT_HASH_SIZE], ...) __attribute__((sentinel));

#endif
