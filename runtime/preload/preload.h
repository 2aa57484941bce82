/* Shared by the files of the library that is loaded in front of a HIP program (README.md). */
#ifndef HT_RUNTIME_PRELOAD_PRELOAD_H
#define HT_RUNTIME_PRELOAD_PRELOAD_H

#include "runtime/emulate/capture.h"
#include "runtime/provider/hip.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* hipErrorNotSupported */
enum { HT_PRELOAD_NOT_SUPPORTED = 801 };

/* The environment variable that says what to capture, "COMPARED:KEPT:FOLDER": bytes of a buffer
 * that is read before and after a launch, bytes of one whose content is kept, and where to. */
#define HT_PRELOAD_VARIABLE "HIPTEMPER_CAPTURE"

/* Names of a process's files in FOLDER, with its number after them. */
#define HT_PRELOAD_LAUNCHES "launches."
#define HT_PRELOAD_BYTES "bytes."

/* Opens what this process captures into, the first time. Returns NULL when nothing is wanted. */
ht_capture *ht_preload_capture(void);
/* Returns the bytes of a buffer that may be read. */
uint64_t ht_preload_compared(void);

/* Returns a function of the real runtime; NULL: it has none of this name. *slot keeps it. */
void *ht_preload_real(const char *name, void **slot);

/* Device memory that the program has. */
void ht_preload_memory_add(const void *start, size_t size);
void ht_preload_memory_remove(const void *start);
bool ht_preload_memory_after(const void *pointer, size_t *out_bytes);

/* A kernel as its code object describes it. */
typedef struct ht_preload_kernel {
    const void *handle; /* that the program launches it by */
    const void *owner;  /* the module that it is from */
    char *name;         /* as in the code object; never freed: another thread may have it */
    bool described;     /* the next are known */
    uint32_t argument_count;
    uint16_t sizes[HT_CAPTURE_ARGUMENTS];   /* bytes; 0: more than is kept */
    uint32_t offsets[HT_CAPTURE_ARGUMENTS]; /* where they come in one block */
} ht_preload_kernel;

/* Notes a module's code. It is read `now`, or when a kernel of it is launched and it is still
 * there. */
void ht_preload_module_add(const void *module, const void *image, bool now);
/* The same of a module in a file. */
void ht_preload_module_file(const void *module, const char *path);
/* Forgets a module and its kernels. */
void ht_preload_module_remove(const void *module);
/* Notes a kernel. */
void ht_preload_kernel_add(const void *handle, const void *module, const char *name);
/* Notes another handle of a kernel. */
void ht_preload_kernel_alias(const void *handle, const void *known);
/* Finds a kernel and copies it. */
bool ht_preload_kernel_find(const void *handle, ht_preload_kernel *out_kernel);

/* A launch on its way to the real runtime. */
typedef struct ht_preload_launch {
    const void *handle;
    uint32_t grid[3], block[3];
    uint64_t lds;
    hipStream_t stream;
    void **arguments; /* NULL: they are in `extra` */
    void **extra;
} ht_preload_launch;

/* Calls the real function with what it was called with. */
typedef hipError_t (*ht_preload_call)(void *context);

/* Notes a launch, lets it through, and notes how long it took and which memory it changed. */
hipError_t ht_preload_launched(const ht_preload_launch *launch, ht_preload_call call,
                               void *context);

/* The program begins or ends to record a graph: until then nothing may wait for the device. */
void ht_preload_graph(bool begins);

#endif
