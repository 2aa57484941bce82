/* The runner of blocks, seen by its three parts: block.c (threads and switching), wave.c (meetings
 * of a wavefront) and stuck.c (saying why no thread can go on). */
#ifndef HT_RUNTIME_HOST_BLOCK_INTERNAL_H
#define HT_RUNTIME_HOST_BLOCK_INTERNAL_H

#include "runtime/host/block.h"
#include "runtime/host/fiber.h"
#include "runtime/host/prelude/ht_state.h"
#include "runtime/host/stacks.h"

#include <stddef.h>

/* A fiber and the thread that it holds while that thread waits or is ready to go on. The members
 * that a barrier touches come first and fit into one cache line. */
typedef struct ht_runner {
    struct ht_runner *next; /* in the list it waits in, or of free runners */
    ht_word thread[3];
    /* The thread's reason to wait. */
    int line;
    const char *file;
    const char *what;
    ht_fiber fiber;
    /* A wavefront operation. */
    unsigned wish;
    uint64_t mask, value, result;
} __attribute__((aligned(64))) ht_runner;
_Static_assert(offsetof(ht_runner, fiber.context) + sizeof(void *) <= 64, "one cache line");

typedef struct ht_queue {
    ht_runner *head, *tail;
} ht_queue;

/* One wavefront: bit per lane. */
typedef struct ht_wave {
    uint64_t lanes;   /* that exist */
    uint64_t ended;   /* valid once a thread of the block has waited */
    uint64_t waiting; /* in a wavefront operation */
} ht_wave;

struct ht_block {
    ht_fiber main;
    ht_runner *running;
    ht_runner *idle;
    ht_queue ready;
    ht_queue barrier;
    uint32_t threads; /* of the block */
    uint32_t live;    /* not ended; valid once a thread has waited */
    uint32_t arrived; /* at the barrier */
    uint32_t votes, result_votes;
    uint32_t wavefront, shift; /* lanes, and their logarithm */
    bool checked;              /* check.c gets each event */
    const ht_block_launch *launch;
    int code; /* 0 while all is well */
    char message[HT_BLOCK_MESSAGE];
    uint32_t runner_count;
    ht_runner *runners;                  /* HT_BLOCK_THREADS of them */
    ht_runner *waiter[HT_BLOCK_THREADS]; /* by linear thread: who waits in a wavefront operation */
    ht_wave waves[HT_BLOCK_THREADS / 32];
    ht_stacks stacks;
};

extern __thread ht_block *ht_block_current;

static inline uint32_t ht_linear_thread(const struct ht_device_state *state) {
    return (state->thread[2] * state->size[1] + state->thread[1]) * state->size[0] +
           state->thread[0];
}

static inline void ht_queue_push(ht_queue *queue, ht_runner *runner) {
    runner->next = NULL;
    if (queue->head)
        queue->tail->next = runner;
    else
        queue->head = runner;
    queue->tail = runner;
}

/* Moves all of `from` after `to`. */
static inline void ht_queue_move(ht_queue *to, ht_queue *from) {
    if (!from->head)
        return;
    if (to->head)
        to->tail->next = from->head;
    else
        to->head = from->head;
    to->tail = from->tail;
    from->head = NULL;
}

/* The work of ht_device_barrier and ht_device_wave; kernels come here through fiber_x86_64.S or
 * fiber.cpp. */
unsigned ht_block_barrier(unsigned predicate, const char *file, int line, const char *what);
unsigned long ht_block_wave(unsigned wish, unsigned long mask, unsigned long value,
                            const char *file, int line, const char *what);

/* Fills in what becomes known only when the first thread of a block waits. */
void ht_block_first_wait(ht_block *block);
/* Parks the running thread (already in a queue or a wave) until it is ready again. */
void ht_block_park(ht_block *block);
/* Leaves the block for good with an error. */
void ht_block_abandon(ht_block *block, int code) __attribute__((noreturn));
/* A lane of `wave` has ended: meetings that waited for it alone take place. */
void ht_wave_lane_ended(ht_block *block, ht_wave *wave);
/* Writes into block->message who waits where. */
void ht_block_explain(ht_block *block);

#endif
