/* A context that can be left and entered again on the OS thread that made it. */
#ifndef HT_RUNTIME_HOST_FIBER_H
#define HT_RUNTIME_HOST_FIBER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ht_fiber {
    void *context;
    const void *stack; /* lowest address; NULL until known for an OS thread's own stack */
    size_t size;
    void *fake_stack; /* AddressSanitizer's */
    void (*body)(void *argument);
    void *argument;
} ht_fiber;

/* Prepares a fiber on [stack, stack + size) that will call body(argument), which must never return.
 * Preparing one that was left in the middle abandons what it did. */
void ht_fiber_prepare(ht_fiber *fiber, void *stack, size_t size, void (*body)(void *),
                      void *argument);

/* Leaves `from` (the one that runs) and enters `to`. Returns when something switches back to
 * `from`. */
void ht_fiber_switch(ht_fiber *from, ht_fiber *to);

#ifdef __cplusplus
}
#endif

#endif
