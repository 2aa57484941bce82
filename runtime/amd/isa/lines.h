/* The lines of memory that a block has loaded: a set of numbers. */
#ifndef HT_RUNTIME_AMD_ISA_LINES_H
#define HT_RUNTIME_AMD_ISA_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* {0} is the empty set. */
typedef struct ht_isa_lines {
    uint64_t *slots; /* 1 + a line's number; 0: free; owned */
    size_t size;     /* of slots: 0 or a power of two */
    size_t count;
} ht_isa_lines;

/* Returns true if the line is new. */
bool ht_isa_lines_add(ht_isa_lines *lines, uint64_t line);
void ht_isa_lines_free(ht_isa_lines *lines);

#endif
