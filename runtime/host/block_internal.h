/* The runner of blocks, seen by its three parts: block.c (threads and switching), wave.c (meetings
 * of a wavefront) and stuck.c (saying why no thread can go on). */
#ifndef HT_RUNTIME_HOST_BLOCK_INTERNAL_H
#define HT_RUNTIME_HOST_BLOCK_INTERNAL_H

#include "runtime/host/block.h"
#include "runtime/host/fiber.h"
#include "runtime/host/prelude/ht_state.h"
#include "runtime/host/stacks.h"

/* A fiber and the thread that it holds while that thread waits or is ready to go on. */
typedef struct ht_runner {
    ht_fiber fiber;
    struct ht_runner *next; /* in the list it waits in, or of free runners */
    ht_word thread[3];
    uint32_t linear;
    bool prepared;
    /* What the thread waits for. */
    const char *what;
    const char *file;
    int line;
    /* A wavefront operation. */
    unsigned kind;
    unsigned source;
    uint64_t mask, value, result;
} ht_runner;

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
    uint32_t wavefront, wavefront_shift;
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

static inline void ht_queue_push(ht_queue *queue, ht_runner *runner) {
    runner->next = NULL;
    if (queue->head)
        queue->tail->next = runner;
    else
        queue->head = runner;
    queue->tail = runner;
}

/* Moves all of `from` behind `to`. */
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
