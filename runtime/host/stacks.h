/* Stacks for the fibers of one OS thread, kept between blocks and launches. */
#ifndef HT_RUNTIME_HOST_STACKS_H
#define HT_RUNTIME_HOST_STACKS_H

#include <stddef.h>

enum { HT_STACK_SIZE = 512 * 1024, HT_STACK_CHUNK = 64 };

typedef struct ht_stacks {
    void *chunks[1024 / HT_STACK_CHUNK];
    size_t chunk_count;
} ht_stacks;

/* The usable memory of stack `index` (below 1024), mapped at first use. NULL when memory or
 * mappings have run out. The size differs a little from stack to stack: equal tops would all fall
 * into the same cache sets. */
void *ht_stacks_get(ht_stacks *stacks, size_t index, size_t *out_size);
/* The meaning of an address. */
typedef enum ht_stack_part { HT_STACK_NONE, HT_STACK_MEMORY, HT_STACK_GUARD } ht_stack_part;
ht_stack_part ht_stacks_find(const ht_stacks *stacks, const void *address);
/* Calls `each` for every mapping that stacks lie in. */
void ht_stacks_each(const ht_stacks *stacks, void (*each)(const void *memory, size_t size));
void ht_stacks_free(ht_stacks *stacks);

#endif
