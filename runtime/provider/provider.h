/* Providers fill the HIP table and describe its devices. Adding one: a folder under
 * runtime/ with a file that defines an ht_provider, and a line in runtime/providers.c.
 *
 * Device names, as in --device: "host" (wavefront 64), "host:wave32", "amd:0" (the first AMD GPU),
 * "amd:gfx90a" (compile only, no GPU needed), "nvidia:0", "nvidia:sm_90". A bare provider name
 * means its first device that can run, else its first. */
#ifndef HT_RUNTIME_PROVIDER_PROVIDER_H
#define HT_RUNTIME_PROVIDER_PROVIDER_H

#include "base/hash.h"
#include "runtime/provider/accesses.h"
#include "runtime/provider/hip.h"
#include "templates/bind.h"

#include <stdbool.h>

typedef struct ht_device {
    char name[64];         /* "host", "amd:gfx90a" */
    char provider[16];     /* "host", "amd" */
    char description[128]; /* "host emulation, 2 cores (AMD EPYC ...)", "gfx90a, compile only" */
    char arch[32];         /* what --offload-arch takes: "gfx90a"; "x86-64" for the host */
    char compiler[128];    /* compiler and version, part of every database key: "clang 19.1.7",
                              "hiprtc 5.2.21153 ..." */
    int ordinal;           /* for hipSetDevice; -1 when compile-only */
    bool can_run;
    bool checked;  /* programs are compiled for checking (host; docs/checking.md) */
    bool counted;  /* so that accesses can be counted: optimised as for running */
    bool emulated; /* times are host emulation and say nothing about a GPU */
    ht_device_fields fields;
} ht_device;

/* The resources that a compiled kernel needs; -1 where unknown. */
typedef struct ht_resources {
    int vgprs; /* as the code object counts them: where both kinds share one file (gfx90a, gfx942)
                  agprs are in it */
    int agprs, sgprs;
    int vgpr_spills, sgpr_spills;
    int lds;       /* static bytes */
    int scratch;   /* private segment bytes a thread */
    int max_block; /* threads */
    int wavefront;
    int waves_per_simd; /* occupancy: waves a SIMD can hold at the given block size, 0 when it
                           cannot run */
    int max_waves_per_simd;
} ht_resources;

/* X(field) for every field of ht_resources. */
#define HT_RESOURCE_FIELDS(X)                                                                      \
    X(vgprs)                                                                                       \
    X(agprs)                                                                                       \
    X(sgprs)                                                                                       \
    X(vgpr_spills)                                                                                 \
    X(sgpr_spills)                                                                                 \
    X(lds)                                                                                         \
    X(scratch)                                                                                     \
    X(max_block)                                                                                   \
    X(wavefront)                                                                                   \
    X(waves_per_simd)                                                                              \
    X(max_waves_per_simd)

/* The state of a device's clock now; -1 where it is not known. */
typedef struct ht_clocks {
    double mhz;          /* of the cores that run kernels */
    long long throttled; /* a count that rises while the device slows down for heat or power */
} ht_clocks;

typedef struct ht_provider {
    const char *name;
    const char *summary; /* one line for `hiptemper devices` */
    /* Its compiler takes the float64 twins of kernels (runtime/reference/twin.h), as references. */
    bool float64_twins;
    /* Opens the provider's libraries once a process and returns its table; HT_ERROR_MISSING with
     * what to install. Called in worker processes only, but for listing: GPU libraries must not be
     * initialised before workers start. */
    ht_status (*open)(const ht_hip **out_hip, ht_error *error);
    /* Lists devices (compile-only targets too) into *out_devices (free()). HT_ERROR_MISSING as
     * above. */
    ht_status (*devices)(ht_device **out_devices, size_t *out_count, ht_error *error);
    /* Options a compile for this device needs ("--offload-arch=gfx90a"), appended; strings are
     * static, in the device, or valid until this thread's next call. At most 8. */
    size_t (*compile_options)(const ht_device *device, const char *out_options[8]);
    /* Does in the tuner what compiles for this device share and workers in a sandbox may not do;
     * cheap from the second call on. The slot may be NULL. */
    void (*prepare)(const ht_device *device);
    /* Configurations that one program should hold, at most, for compiling to pay off; 0 is 1. */
    size_t program_size;
    /* Reads a compiled image's resources for one lowered kernel name and a block of `threads` plus
     * `dynamic_lds`. NULL when the provider knows none (host). */
    ht_status (*resources)(const ht_device *device, const void *code, size_t code_size,
                           const char *lowered_name, unsigned threads, unsigned dynamic_lds,
                           ht_resources *out_resources, ht_error *error);
    /* Follows a compiled kernel's instructions and counts how often it goes to memory; nothing
     * runs. HT_ERROR_UNSUPPORTED with the instruction where it cannot be followed. The slot may be
     * NULL. */
    ht_status (*accesses)(const ht_device *device, const void *code, size_t code_size,
                          const char *lowered_name, const ht_counted_launch *launch,
                          ht_accesses *out_accesses, ht_error *error);
    /* Resources of a kernel that is loaded (hipModuleGetFunction), as its driver reports them; -1
     * where it does not. The slot may be NULL. */
    ht_status (*loaded_resources)(hipFunction_t function, unsigned threads, unsigned dynamic_lds,
                                  ht_resources *out_resources, ht_error *error);
    /* Why a device of this name, which devices() does not list, is not offered; free(). NULL when
     * the name means nothing to the provider. The slot may be NULL. */
    char *(*why_not)(const char *device_name);
    /* Inputs of results that device, compiler and compile_options leave out: the prelude, the
     * provider's own flags, its environment. Part of every database key; free(). The slot may be
     * NULL. */
    char *(*settings)(const ht_device *device);
    /* Hash of what decides the compiler's output besides its version, which ht_device.compiler has.
     * Part of every database key. NULL when the version has it all. */
    ht_status (*compiler_hash)(char out_hash[HT_HASH_SIZE], ht_error *error);
    /* Reads the device's clocks; cheap enough for between samples. NULL when it has none. */
    void (*clocks)(const ht_device *device, ht_clocks *out_clocks);
} ht_provider;

extern const ht_provider ht_provider_host;
extern const ht_provider ht_provider_amd;
extern const ht_provider ht_provider_nvidia;

/* All providers, NULL-terminated. */
extern const ht_provider *const ht_providers[];
const ht_provider *ht_provider_find(const char *name);

/* Finds a device by its --device name; an unknown one is HT_ERROR_INPUT and lists what there is. */
ht_status ht_device_find(const char *name, ht_device *out_device, ht_error *error);

#endif
