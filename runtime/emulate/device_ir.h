/* From clang's IR of a file's device code, compiled for the machine's cores, to one that the host
 * provider runs. */
#ifndef HT_RUNTIME_EMULATE_DEVICE_IR_H
#define HT_RUNTIME_EMULATE_DEVICE_IR_H

#include "base/text.h"
#include "runtime/emulate/stub.h"
#include "runtime/host/build.h"

#include <stdbool.h>

/* Symbols of kernels' entries and of variables' are this with the name after it. */
#define HT_EMULATE_ENTRY "ht_entry_"

typedef struct ht_device_ir {
    const char *text; /* clang's */
    const ht_stub *stubs;
    size_t stub_count;
    unsigned wavefront;
    bool checked;
} ht_device_ir;

/* Shared arrays become one copy an OS thread (in checking mode: one, in a section of its own);
 * constants become writable, for hipMemcpyToSymbol; each kernel and variable gets an entry
 * (ht_state.h). Appends to `out` the IR, and to `log` what cannot be launched. Returns the number
 * of kernels, whose entries are given back. */
size_t ht_device_ir_rewrite(const ht_device_ir *in, ht_text *out, ht_build_entry **out_entries,
                            ht_text *log);
void ht_device_entries_free(ht_build_entry *entries, size_t count);

/* The IR of a file's host code, which lacks what the linker of a GPU's compiler would define: the
 * image, under a name of its own that is given back in *out_image (free()), and the handle that its
 * constructor keeps. */
void ht_host_ir_rewrite(const char *host, ht_text *out, char **out_image);

#endif
