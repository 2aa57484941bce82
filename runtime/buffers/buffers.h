/* Device buffers of a variant: filled with random inputs, outputs poisoned, guard words on both
 * sides. */
#ifndef HT_RUNTIME_BUFFERS_BUFFERS_H
#define HT_RUNTIME_BUFFERS_BUFFERS_H

#include "runtime/buffers/layout.h"
#include "runtime/provider/hip.h"

enum { HT_GUARD_BYTES = 4096 }; /* on each side; keeps buffers as aligned as hipMalloc makes them */

typedef struct ht_buffer {
    char *base;        /* device; the guard in front begins here; NULL for scalars and constants */
    char *data;        /* device; base + HT_GUARD_BYTES */
    const void *given; /* host; the contents that a file gives, mapped; NULL: none */
    void *contents;    /* host; initial contents of in, inout and constant buffers; owned */
} ht_buffer;

typedef struct ht_buffers {
    const ht_hip *hip;
    ht_layout layout;   /* owned */
    ht_buffer *buffers; /* owned; one per argument */
    unsigned users;     /* variants that share these buffers */
    uint64_t seed;      /* what the contents were made from */
    bool filled;
    bool absolute;
    bool direct;  /* the device's memory can be read as it is: it is the process's own */
    bool passing; /* contents are let go as soon as the device has them, and made anew for each
                     reset that follows a fill: half the memory, and inputs are not compared */
    unsigned char flip; /* changes the poison, to tell it from what a kernel writes; usually 0 */
} ht_buffers;

/* Allocates on the device. Takes over `layout` (also on failure). Contents that come from files are
 * in `inputs` (input_files.h), a folder. */
ht_status ht_buffers_create(const ht_hip *hip, ht_layout *layout, const char *inputs,
                            ht_buffers **out_buffers, ht_error *error);
void ht_buffers_free(ht_buffers *buffers);

/* Initial contents for a seed; with `absolute`, their absolute values. Follow with
 * ht_buffers_reset. */
void ht_buffers_fill(ht_buffers *buffers, uint64_t seed, bool absolute);
/* Everything as before a first run: inputs copied to the device, outputs and scratch poisoned,
 * guards written. */
ht_status ht_buffers_reset(ht_buffers *buffers, ht_error *error);
/* Only the inout buffers, before a timed batch of launches. */
ht_status ht_buffers_restore(ht_buffers *buffers, ht_error *error);
bool ht_buffers_has_inout(const ht_buffers *buffers);

/* Checks that guards and inputs were left alone: HT_ERROR_MISMATCH with "guard: ..." when not. */
ht_status ht_buffers_check(ht_buffers *buffers, ht_error *error);
/* Copies buffer `index` to the host: ht_layout_bytes of it; free(). */
ht_status ht_buffers_read(const ht_buffers *buffers, size_t index, void **out_data,
                          ht_error *error);
/* Gives what buffer `index` holds, to be read until it changes: the device's own memory where that
 * can be read, else a copy. *out_copy: free() it when done; NULL: there is none. */
ht_status ht_buffers_look(const ht_buffers *buffers, size_t index, const void **out_data,
                          void **out_copy, ht_error *error);

/* The byte that outputs are poisoned with: NaN for floating types. */
unsigned char ht_poison_byte(ht_element element);
/* Returns true if a component, counted over all elements of `data`, consists of that byte. */
bool ht_poison_is(ht_element element, const void *data, size_t component);

/* HT_OK for hipSuccess; else HT_ERROR_LAUNCH with HIP's words. */
ht_status ht_hip_check(const ht_hip *hip, hipError_t code, const char *doing, ht_error *error);

#endif
