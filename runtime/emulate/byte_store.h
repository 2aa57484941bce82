/* Bytes that a program's process keeps for the command's, in a file that both have mapped: it
 * outlives whatever ends the program. */
#ifndef HT_RUNTIME_EMULATE_BYTE_STORE_H
#define HT_RUNTIME_EMULATE_BYTE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_byte_store {
    unsigned char *bytes; /* NULL: none */
    uint64_t size;
    int file;
} ht_byte_store;

/* Makes one of `size` bytes, or some more, in a folder, or of less where the disk has no room. */
void ht_byte_store_open(ht_byte_store *out_store, const char *folder, uint64_t size);
/* Makes one of `size` bytes in a file of this name, which stays. Returns true if there is one. */
bool ht_byte_store_make(ht_byte_store *out_store, const char *path, uint64_t size);
/* Opens one that ht_byte_store_make made, to be read. Returns true if there is one. */
bool ht_byte_store_load(ht_byte_store *out_store, const char *path);
/* Gives back what was not used. */
void ht_byte_store_trim(ht_byte_store *store, uint64_t used);
void ht_byte_store_close(ht_byte_store *store);

/* Keeps bytes after those that are there, of which *used is the end. Returns their place, from 1;
 * 0: there is no room. */
uint64_t ht_byte_store_put(const ht_byte_store *store, uint64_t *used, const void *data,
                           size_t bytes);
/* Returns `bytes` bytes at a place; NULL where they are not in it. */
const unsigned char *ht_byte_store_at(const ht_byte_store *store, uint64_t place, uint64_t bytes);

#endif
