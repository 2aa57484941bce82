/* Running one block on one OS thread. A fiber runs thread after thread as plain calls; only when a
 * thread must wait is another fiber started or resumed, so a kernel without barriers costs no
 * switch. */
#ifndef HT_RUNTIME_HOST_BLOCK_H
#define HT_RUNTIME_HOST_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Shared by all blocks of a launch; borrowed during a run. */
typedef struct ht_block_launch {
    void (*run)(void *const *arguments);
    void *const *arguments;
    const char *name; /* of the kernel, for messages */
    uint32_t grid[3];
    uint32_t size[3];
    uint32_t wavefront;
    bool checked; /* the image was compiled for checking */
} ht_block_launch;

enum { HT_BLOCK_THREADS = 1024, HT_BLOCK_MESSAGE = 1024 };

/* This OS thread's runner of blocks; made at first use, freed when the thread ends. */
typedef struct ht_block ht_block;
ht_block *ht_block_here(void);

/* Runs the block at (x, y, z). False when it could not be finished; *out_code is a HIP error code
 * and `message` says why and where. */
bool ht_block_run(ht_block *block, const ht_block_launch *launch, const uint32_t at[3],
                  int *out_code, char message[HT_BLOCK_MESSAGE]);

#endif
