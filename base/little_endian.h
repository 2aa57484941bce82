/* Numbers in files, the lowest byte first, at any address. */
#ifndef HT_BASE_LITTLE_ENDIAN_H
#define HT_BASE_LITTLE_ENDIAN_H

#include <stdint.h>

uint32_t ht_bytes_get32(const uint8_t *at);
uint64_t ht_bytes_get64(const uint8_t *at);
void ht_bytes_put32(uint8_t *at, uint32_t value);
void ht_bytes_put64(uint8_t *at, uint64_t value);
/* Floats of 32 bits (IEEE 754). */
float ht_bytes_get_real(const uint8_t *at);
void ht_bytes_put_real(uint8_t *at, float value);

#endif
