/* A map from space indices to space indices that grows with what is put in, not with the space. */
#ifndef HT_SEARCH_INDEX_MAP_H
#define HT_SEARCH_INDEX_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_index_map {
    uint64_t *keys; /* stored + 1, so that 0 is a free slot; owned */
    uint64_t *values;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
} ht_index_map; /* {0} is a valid empty map */

/* Sets key -> value; true when the key was not there before. Keys are below UINT64_MAX. */
bool ht_index_map_put(ht_index_map *map, uint64_t key, uint64_t value);
bool ht_index_map_get(const ht_index_map *map, uint64_t key, uint64_t *out_value);
void ht_index_map_free(ht_index_map *map);

#endif
