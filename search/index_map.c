#include "search/index_map.h"

#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

static size_t slot_of(const ht_index_map *map, uint64_t stored) {
    uint64_t hash = stored * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(hash ^ (hash >> 32)) & (map->capacity - 1);
    while (map->keys[slot] != 0 && map->keys[slot] != stored)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

static void grow(ht_index_map *map) {
    ht_index_map old = *map;
    map->capacity = old.capacity ? old.capacity * 2 : FIRST_CAPACITY;
    map->keys = ht_alloc(map->capacity, sizeof *map->keys);
    map->values = ht_alloc(map->capacity, sizeof *map->values);
    for (size_t i = 0; i < old.capacity; ++i) {
        if (old.keys[i] == 0)
            continue;
        size_t slot = slot_of(map, old.keys[i]);
        map->keys[slot] = old.keys[i];
        map->values[slot] = old.values[i];
    }
    free(old.keys);
    free(old.values);
}

bool ht_index_map_put(ht_index_map *map, uint64_t key, uint64_t value) {
    if (map->count * 2 >= map->capacity)
        grow(map);
    size_t slot = slot_of(map, key + 1);
    bool fresh = map->keys[slot] == 0;
    map->keys[slot] = key + 1;
    map->values[slot] = value;
    map->count += fresh;
    return fresh;
}

bool ht_index_map_get(const ht_index_map *map, uint64_t key, uint64_t *out_value) {
    if (map->capacity == 0)
        return false;
    size_t slot = slot_of(map, key + 1);
    if (map->keys[slot] == 0)
        return false;
    if (out_value)
        *out_value = map->values[slot];
    return true;
}

void ht_index_map_free(ht_index_map *map) {
    free(map->keys);
    free(map->values);
    *map = (ht_index_map){0};
}
