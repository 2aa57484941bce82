/* Where a kernel's arguments are. For each kernel, clang's host code has a stub that stores what it
 * was passed, in whatever registers the calling convention says, and hands an array of addresses to
 * hipLaunchKernel. Its text is read backwards here: which part of which argument each parameter of
 * the kernel is. So struct arguments arrive whole without the emulator knowing the convention. */
#ifndef HT_RUNTIME_EMULATE_STUB_H
#define HT_RUNTIME_EMULATE_STUB_H

#include "runtime/emulate/ir_text.h"

#include <stdbool.h>
#include <stddef.h>

/* A parameter: a part of an argument, or its address. */
typedef struct ht_stub_part {
    size_t argument;
    ht_ir_span element; /* of a getelementptr: "{ i64, double }" ... */
    ht_ir_span indices; /* ... and "i32 0, i32 1"; empty: the beginning */
    bool address;
} ht_stub_part;

typedef struct ht_stub {
    ht_ir_span kernel; /* the handle's name, which is the kernel's own */
    size_t argument_count;
    ht_ir_parameter *parameters; /* owned */
    ht_stub_part *parts;         /* one a parameter; owned */
    size_t parameter_count;
    bool understood; /* every parameter was found */
} ht_stub;

/* All stubs in the IR of a file's host code, which is borrowed. */
size_t ht_stubs_read(const char *host, ht_stub **out_stubs);
void ht_stubs_free(ht_stub *stubs, size_t count);

#endif
