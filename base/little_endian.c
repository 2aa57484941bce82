#include "base/little_endian.h"

#include <endian.h>
#include <string.h>

uint32_t ht_bytes_get32(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return le32toh(value);
}

uint64_t ht_bytes_get64(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return le64toh(value);
}

void ht_bytes_put32(uint8_t *at, uint32_t value) {
    value = htole32(value);
    memcpy(at, &value, sizeof value);
}

void ht_bytes_put64(uint8_t *at, uint64_t value) {
    value = htole64(value);
    memcpy(at, &value, sizeof value);
}

float ht_bytes_get_real(const uint8_t *at) {
    uint32_t bits = ht_bytes_get32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void ht_bytes_put_real(uint8_t *at, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    ht_bytes_put32(at, bits);
}
