/* The layout of a model file; docs/model-format.md explains it. Numbers are little-endian.
 *
 *   0   magic                  8 bytes
 *   8   version                u32
 *   12  number of sections     u32
 *   16  length of the file     u64
 *   24  checksum               u64, XXH3 (64 bits, seed 0) of everything from byte 32 on
 *   32  sections               of each: name, 8 bytes, padded with NUL; offset, u64; length, u64
 *
 * Sections: "schema" (a schema file), "tokens" (JSON), "networks" (JSON), "note" (JSON, may be
 * empty), for each network "weights" (float32, offset a multiple of 64), and for a chain of forests
 * "trees" (the length of its bytes, u64, and the bytes, as zlib compresses them). Unknown sections
 * are skipped. A file has the first version whose readers know it: 1 without trees, 2 with trees, 3
 * when architectures have trees of their own, 4 when weights are float16. */
#ifndef HT_PREDICTOR_MODEL_MODEL_FILE_H
#define HT_PREDICTOR_MODEL_MODEL_FILE_H

#include "base/little_endian.h"

#include <stddef.h>
#include <stdint.h>

enum {
    HT_MODEL_VERSION = 4,
    HT_MODEL_VERSION_OWN = 3,
    HT_MODEL_VERSION_TREES = 2,
    HT_MODEL_VERSION_PLAIN = 1,
    HT_MODEL_HEADER = 32,
    HT_MODEL_SECTION = 24,
    HT_MODEL_NAME = 8,
    HT_MODEL_ALIGN = 64,
    HT_MODEL_SECTIONS_MAX = 256,
    HT_MODEL_NETWORKS_MAX = 64
};
/* As PNG's: a first byte that is no text, and line ends that a transfer as text would change. */
extern const uint8_t ht_model_magic[8];

/* Of a whole file in memory. */
uint64_t ht_model_checksum(const uint8_t *data, size_t length);

#endif
