/* The copies of a program from device to host memory: how large, a hash of what was copied and,
 * where they are kept, the bytes. Two programs that compute the same give the same ones. Kept in
 * memory that the program's process shares with the command's, as the launches are (capture.h); the
 * program can write to it, so the reader calls ht_copies_check first. */
#ifndef HT_RUNTIME_EMULATE_COPIES_H
#define HT_RUNTIME_EMULATE_COPIES_H

#include "runtime/emulate/capture.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HT_COPIES = 1 << 20 };

typedef struct ht_copy {
    uint64_t bytes, hash;
    uint64_t kept; /* where its bytes begin in the store, from 1; 0: they are not there */
    ht_memory_use use;
} ht_copy;

typedef struct ht_copies {
    uint64_t count;    /* of all; those past HT_COPIES are not kept */
    uint64_t used;     /* of the store */
    uint64_t expected; /* the first items are those of another run, to be compared with: bytes are
                          kept of copies that differ from them where theirs are kept */
    ht_copy items[HT_COPIES];
} ht_copies;

/* Memory for them that a forked process shares; NULL when the machine has none. */
ht_copies *ht_copies_new(void);
void ht_copies_free(ht_copies *copies);

/* Makes copies that are to be compared with those of an earlier run. */
void ht_copies_expect(ht_copies *copies, const ht_copies *earlier);

/* Those that this process fills, and where their bytes go; NULL, as at first: none. */
void ht_copies_set(ht_copies *shared, const ht_byte_store *store);
void ht_copies_note(const void *data, size_t bytes, const ht_memory_use *use);

/* Makes what a foreign program could write to one that can be read. */
void ht_copies_check(ht_copies *copies, const ht_byte_store *store);

#endif
