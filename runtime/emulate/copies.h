/* The copies of a program from device to host memory: how large, and a hash of what was copied. Two
 * programs that compute the same give the same ones. Kept in memory that the program's process
 * shares with the command's, as the launches are (capture.h). */
#ifndef HT_RUNTIME_EMULATE_COPIES_H
#define HT_RUNTIME_EMULATE_COPIES_H

#include <stddef.h>
#include <stdint.h>

enum { HT_COPIES = 1 << 20 };

typedef struct ht_copy {
    uint64_t bytes, hash;
} ht_copy;

typedef struct ht_copies {
    uint64_t count; /* of all; those past HT_COPIES are not kept */
    ht_copy items[HT_COPIES];
} ht_copies;

/* Memory for them that a forked process shares; NULL when the machine has none. */
ht_copies *ht_copies_new(void);
void ht_copies_free(ht_copies *copies);

/* Those that this process fills; NULL, as at first: none. */
void ht_copies_set(ht_copies *copies);
void ht_copies_note(const void *data, size_t bytes);

#endif
