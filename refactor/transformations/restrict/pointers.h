/* What is known of a kernel's pointers: what it does through them, and whether the memory that they
 * are passed can be the same. Private to refactor/. */
#ifndef HT_REFACTOR_POINTERS_H
#define HT_REFACTOR_POINTERS_H

#include "refactor/kernel/facts.h"

typedef struct ht_pointer_use {
    bool reads, writes; /* may it read, write through it? Both when a use is not understood */
    bool escapes;       /* it is copied, or passed on, to where writing through it is possible */
} ht_pointer_use;

/* What the kernel's body does through a pointer parameter. */
ht_pointer_use ht_pointer_use_find(const ht_model *model, CXCursor parameter);

/* Returns true if two arguments of a launch always lie in different allocations. Each must be made
 * of a local variable of the function around it, whose values all come from hipMalloc and its kind
 * (or std::swap with another such), or of a copy of one. */
bool ht_arguments_distinct(const ht_launch_site *site, size_t first, size_t second);

#endif
