/* The functions of HIP's runtime that a program gets from here, under HIP's names with ht_emulate_
 * in front. The types are our own restatement, as in runtime/provider/hip.h: pointers, integers and
 * the structures below have HIP's layout, of ROCm 5 (a program that was compiled for ROCm 6's
 * hipGetDeviceProperties asks for another name). */
#ifndef HT_RUNTIME_EMULATE_API_H
#define HT_RUNTIME_EMULATE_API_H

#include "runtime/provider/hip.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_dim3 {
    unsigned x, y, z;
} ht_dim3;

typedef struct ht_emulate_properties ht_emulate_properties; /* device.c */
typedef struct ht_emulate_pointer ht_emulate_pointer;       /* memory.c */
typedef struct ht_emulate_function ht_emulate_function;     /* kernels.c */
typedef struct ht_emulate_array ht_emulate_array;           /* textures.c, with the next three */
typedef struct ht_emulate_resource ht_emulate_resource;
typedef struct ht_emulate_texture_settings ht_emulate_texture_settings;
typedef struct ht_emulate_copy_3d ht_emulate_copy_3d;

/* hipChannelFormatDesc, hipExtent, hipPitchedPtr */
typedef struct ht_emulate_channels {
    int x, y, z, w, kind;
} ht_emulate_channels;
typedef struct ht_emulate_extent {
    size_t width, height, depth;
} ht_emulate_extent;
typedef struct ht_emulate_pitched {
    void *data;
    size_t pitch, width, rows;
} ht_emulate_pitched;
struct ht_image;

typedef void (*ht_stream_callback)(hipStream_t stream, hipError_t status, void *data);
typedef void (*ht_host_function)(void *data);

/* X(result, name, parameters) */
#define HT_EMULATE_MEMORY(X)                                                                       \
    X(hipError_t, hipMalloc, (void **pointer, size_t size))                                        \
    X(hipError_t, hipFree, (void *pointer))                                                        \
    X(hipError_t, hipMallocAsync, (void **pointer, size_t size, hipStream_t stream))               \
    X(hipError_t, hipFreeAsync, (void *pointer, hipStream_t stream))                               \
    X(hipError_t, hipHostMalloc, (void **pointer, size_t size, unsigned flags))                    \
    X(hipError_t, hipHostAlloc, (void **pointer, size_t size, unsigned flags))                     \
    X(hipError_t, hipMallocHost, (void **pointer, size_t size))                                    \
    X(hipError_t, hipMemAllocHost, (void **pointer, size_t size))                                  \
    X(hipError_t, hipHostFree, (void *pointer))                                                    \
    X(hipError_t, hipFreeHost, (void *pointer))                                                    \
    X(hipError_t, hipHostRegister, (void *pointer, size_t size, unsigned flags))                   \
    X(hipError_t, hipHostUnregister, (void *pointer))                                              \
    X(hipError_t, hipHostGetDevicePointer, (void **device, void *host, unsigned flags))            \
    X(hipError_t, hipHostGetFlags, (unsigned *flags, void *host))                                  \
    X(hipError_t, hipMallocManaged, (void **pointer, size_t size, unsigned flags))                 \
    X(hipError_t, hipMemAdvise, (const void *pointer, size_t size, int advice, int device))        \
    X(hipError_t, hipMemPrefetchAsync,                                                             \
      (const void *pointer, size_t size, int device, hipStream_t stream))                          \
    X(hipError_t, hipMallocPitch, (void **pointer, size_t *pitch, size_t width, size_t height))    \
    X(hipError_t, hipMemAllocPitch,                                                                \
      (void **pointer, size_t *pitch, size_t width, size_t height, unsigned element))              \
    X(hipError_t, hipPointerGetAttributes, (ht_emulate_pointer * attributes, const void *pointer)) \
    X(hipError_t, hipMemGetAddressRange, (void **base, size_t *size, void *pointer))               \
    X(hipError_t, hipMemPtrGetInfo, (void *pointer, size_t *size))                                 \
    X(hipError_t, hipMemGetInfo, (size_t *available, size_t *total))

#define HT_EMULATE_COPIES(X)                                                                       \
    X(hipError_t, hipMemcpy, (void *to, const void *from, size_t size, int kind))                  \
    X(hipError_t, hipMemcpyAsync,                                                                  \
      (void *to, const void *from, size_t size, int kind, hipStream_t stream))                     \
    X(hipError_t, hipMemcpyWithStream,                                                             \
      (void *to, const void *from, size_t size, int kind, hipStream_t stream))                     \
    X(hipError_t, hipMemcpyHtoD, (void *to, void *from, size_t size))                              \
    X(hipError_t, hipMemcpyDtoH, (void *to, void *from, size_t size))                              \
    X(hipError_t, hipMemcpyDtoD, (void *to, void *from, size_t size))                              \
    X(hipError_t, hipMemcpyHtoDAsync, (void *to, void *from, size_t size, hipStream_t stream))     \
    X(hipError_t, hipMemcpyDtoHAsync, (void *to, void *from, size_t size, hipStream_t stream))     \
    X(hipError_t, hipMemcpyDtoDAsync, (void *to, void *from, size_t size, hipStream_t stream))     \
    X(hipError_t, hipMemcpyPeer,                                                                   \
      (void *to, int to_device, const void *from, int from_device, size_t size))                   \
    X(hipError_t, hipMemcpyPeerAsync,                                                              \
      (void *to, int to_device, const void *from, int from_device, size_t size,                    \
       hipStream_t stream))                                                                        \
    X(hipError_t, hipMemcpy2D,                                                                     \
      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,               \
       size_t height, int kind))                                                                   \
    X(hipError_t, hipMemcpy2DAsync,                                                                \
      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,               \
       size_t height, int kind, hipStream_t stream))                                               \
    X(hipError_t, hipMemset, (void *to, int value, size_t size))                                   \
    X(hipError_t, hipMemsetAsync, (void *to, int value, size_t size, hipStream_t stream))          \
    X(hipError_t, hipMemsetD8, (void *to, unsigned char value, size_t count))                      \
    X(hipError_t, hipMemsetD8Async,                                                                \
      (void *to, unsigned char value, size_t count, hipStream_t stream))                           \
    X(hipError_t, hipMemsetD16, (void *to, unsigned short value, size_t count))                    \
    X(hipError_t, hipMemsetD16Async,                                                               \
      (void *to, unsigned short value, size_t count, hipStream_t stream))                          \
    X(hipError_t, hipMemsetD32, (void *to, int value, size_t count))                               \
    X(hipError_t, hipMemsetD32Async, (void *to, int value, size_t count, hipStream_t stream))      \
    X(hipError_t, hipMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height))   \
    X(hipError_t, hipMemset2DAsync,                                                                \
      (void *to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream))        \
    X(hipError_t, hipMemcpyToSymbol,                                                               \
      (const void *symbol, const void *from, size_t size, size_t offset, int kind))                \
    X(hipError_t, hipMemcpyToSymbolAsync,                                                          \
      (const void *symbol, const void *from, size_t size, size_t offset, int kind,                 \
       hipStream_t stream))                                                                        \
    X(hipError_t, hipMemcpyFromSymbol,                                                             \
      (void *to, const void *symbol, size_t size, size_t offset, int kind))                        \
    X(hipError_t, hipMemcpyFromSymbolAsync,                                                        \
      (void *to, const void *symbol, size_t size, size_t offset, int kind, hipStream_t stream))    \
    X(hipError_t, hipGetSymbolAddress, (void **pointer, const void *symbol))                       \
    X(hipError_t, hipGetSymbolSize, (size_t *size, const void *symbol))

#define HT_EMULATE_TEXTURES(X)                                                                     \
    X(ht_emulate_channels, hipCreateChannelDesc, (int x, int y, int z, int w, int kind))           \
    X(hipError_t, hipMallocArray,                                                                  \
      (ht_emulate_array * *array, const ht_emulate_channels *channels, size_t width,               \
       size_t height, unsigned flags))                                                             \
    X(hipError_t, hipMalloc3DArray,                                                                \
      (ht_emulate_array * *array, const ht_emulate_channels *channels, ht_emulate_extent extent,   \
       unsigned flags))                                                                            \
    X(hipError_t, hipFreeArray, (ht_emulate_array * array))                                        \
    X(hipError_t, hipMemcpyToArray,                                                                \
      (ht_emulate_array * to, size_t x_bytes, size_t y, const void *from, size_t size, int kind))  \
    X(hipError_t, hipMemcpy2DToArray,                                                              \
      (ht_emulate_array * to, size_t x_bytes, size_t y, const void *from, size_t pitch,            \
       size_t width, size_t height, int kind))                                                     \
    X(hipError_t, hipMemcpy2DFromArray,                                                            \
      (void *to, size_t pitch, const ht_emulate_array *from, size_t x_bytes, size_t y,             \
       size_t width, size_t height, int kind))                                                     \
    X(hipError_t, hipMemcpy3D, (const ht_emulate_copy_3d *copy))                                   \
    X(hipError_t, hipCreateTextureObject,                                                          \
      (struct ht_image * *object, const ht_emulate_resource *resource,                             \
       const ht_emulate_texture_settings *settings, const void *view))                             \
    X(hipError_t, hipDestroyTextureObject, (struct ht_image * object))

#define HT_EMULATE_STREAMS(X)                                                                      \
    X(hipError_t, hipStreamCreate, (hipStream_t * stream))                                         \
    X(hipError_t, hipStreamCreateWithFlags, (hipStream_t * stream, unsigned flags))                \
    X(hipError_t, hipStreamCreateWithPriority,                                                     \
      (hipStream_t * stream, unsigned flags, int priority))                                        \
    X(hipError_t, hipStreamDestroy, (hipStream_t stream))                                          \
    X(hipError_t, hipStreamSynchronize, (hipStream_t stream))                                      \
    X(hipError_t, hipStreamQuery, (hipStream_t stream))                                            \
    X(hipError_t, hipStreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned flags))      \
    X(hipError_t, hipStreamGetFlags, (hipStream_t stream, unsigned *flags))                        \
    X(hipError_t, hipStreamGetPriority, (hipStream_t stream, int *priority))                       \
    X(hipError_t, hipStreamAddCallback,                                                            \
      (hipStream_t stream, ht_stream_callback callback, void *data, unsigned flags))               \
    X(hipError_t, hipLaunchHostFunc, (hipStream_t stream, ht_host_function function, void *data))  \
    X(hipError_t, hipEventCreate, (hipEvent_t * event))                                            \
    X(hipError_t, hipEventCreateWithFlags, (hipEvent_t * event, unsigned flags))                   \
    X(hipError_t, hipEventDestroy, (hipEvent_t event))                                             \
    X(hipError_t, hipEventRecord, (hipEvent_t event, hipStream_t stream))                          \
    X(hipError_t, hipEventSynchronize, (hipEvent_t event))                                         \
    X(hipError_t, hipEventQuery, (hipEvent_t event))                                               \
    X(hipError_t, hipEventElapsedTime, (float *milliseconds, hipEvent_t start, hipEvent_t stop))

#define HT_EMULATE_DEVICE(X)                                                                       \
    X(hipError_t, hipInit, (unsigned flags))                                                       \
    X(hipError_t, hipGetDeviceCount, (int *count))                                                 \
    X(hipError_t, hipSetDevice, (int device))                                                      \
    X(hipError_t, hipGetDevice, (int *device))                                                     \
    X(hipError_t, hipDeviceGet, (int *device, int ordinal))                                        \
    X(hipError_t, hipChooseDevice, (int *device, const ht_emulate_properties *properties))         \
    X(hipError_t, hipGetDeviceProperties, (ht_emulate_properties * properties, int device))        \
    X(hipError_t, hipDeviceGetAttribute, (int *value, int attribute, int device))                  \
    X(hipError_t, hipDeviceGetName, (char *name, int length, int device))                          \
    X(hipError_t, hipDeviceTotalMem, (size_t *size, int device))                                   \
    X(hipError_t, hipDeviceComputeCapability, (int *major, int *minor, int device))                \
    X(hipError_t, hipDeviceGetPCIBusId, (char *id, int length, int device))                        \
    X(hipError_t, hipDriverGetVersion, (int *version))                                             \
    X(hipError_t, hipRuntimeGetVersion, (int *version))                                            \
    X(hipError_t, hipDeviceSynchronize, (void))                                                    \
    X(hipError_t, hipDeviceReset, (void))                                                          \
    X(hipError_t, hipSetDeviceFlags, (unsigned flags))                                             \
    X(hipError_t, hipGetDeviceFlags, (unsigned *flags))                                            \
    X(hipError_t, hipDeviceGetLimit, (size_t *value, int limit))                                   \
    X(hipError_t, hipDeviceSetLimit, (int limit, size_t value))                                    \
    X(hipError_t, hipDeviceSetCacheConfig, (int config))                                           \
    X(hipError_t, hipDeviceGetCacheConfig, (int *config))                                          \
    X(hipError_t, hipDeviceSetSharedMemConfig, (int config))                                       \
    X(hipError_t, hipDeviceGetSharedMemConfig, (int *config))                                      \
    X(hipError_t, hipDeviceGetStreamPriorityRange, (int *least, int *greatest))                    \
    X(hipError_t, hipDeviceCanAccessPeer, (int *can, int device, int peer))                        \
    X(hipError_t, hipProfilerStart, (void))                                                        \
    X(hipError_t, hipProfilerStop, (void))                                                         \
    X(hipError_t, hipGetLastError, (void))                                                         \
    X(hipError_t, hipPeekAtLastError, (void))                                                      \
    X(const char *, hipGetErrorString, (hipError_t error))                                         \
    X(const char *, hipGetErrorName, (hipError_t error))                                           \
    X(hipError_t, hipDrvGetErrorString, (hipError_t error, const char **words))                    \
    X(hipError_t, hipDrvGetErrorName, (hipError_t error, const char **words))

#define HT_EMULATE_KERNELS(X)                                                                      \
    X(void **, __hipRegisterFatBinary, (const void *wrapper))                                      \
    X(void, __hipUnregisterFatBinary, (void **module))                                             \
    X(void, __hipRegisterFunction,                                                                 \
      (void **module, const void *handle, char *host_name, const char *name, unsigned threads,     \
       void *thread, void *block, void *block_size, void *grid_size, int *wavefront))              \
    X(void, __hipRegisterVar,                                                                      \
      (void **module, void *variable, char *host_name, char *name, int external, size_t size,      \
       int constant, int global))                                                                  \
    X(void, __hipRegisterManagedVar,                                                               \
      (void **module, void **pointer, void *initial, const char *name, size_t size,                \
       unsigned alignment))                                                                        \
    X(hipError_t, __hipPushCallConfiguration,                                                      \
      (ht_dim3 grid, ht_dim3 block, size_t shared, hipStream_t stream))                            \
    X(hipError_t, __hipPopCallConfiguration,                                                       \
      (ht_dim3 * grid, ht_dim3 * block, size_t *shared, hipStream_t *stream))                      \
    X(hipError_t, hipLaunchKernel,                                                                 \
      (const void *handle, ht_dim3 grid, ht_dim3 block, void **arguments, size_t shared,           \
       hipStream_t stream))                                                                        \
    X(hipError_t, hipExtLaunchKernel,                                                              \
      (const void *handle, ht_dim3 grid, ht_dim3 block, void **arguments, size_t shared,           \
       hipStream_t stream, hipEvent_t start, hipEvent_t stop, int flags))                          \
    X(hipError_t, hipFuncGetAttributes, (ht_emulate_function * attributes, const void *handle))    \
    X(hipError_t, hipFuncSetAttribute, (const void *handle, int attribute, int value))             \
    X(hipError_t, hipFuncSetCacheConfig, (const void *handle, int config))                         \
    X(hipError_t, hipFuncSetSharedMemConfig, (const void *handle, int config))                     \
    X(hipError_t, hipOccupancyMaxActiveBlocksPerMultiprocessor,                                    \
      (int *blocks, const void *handle, int threads, size_t shared))                               \
    X(hipError_t, hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,                           \
      (int *blocks, const void *handle, int threads, size_t shared, unsigned flags))               \
    X(hipError_t, hipOccupancyMaxPotentialBlockSize,                                               \
      (int *grid, int *threads, const void *handle, size_t shared, int limit))

#define HT_EMULATE_FUNCTIONS(X)                                                                    \
    HT_EMULATE_MEMORY(X)                                                                           \
    HT_EMULATE_COPIES(X)                                                                           \
    HT_EMULATE_TEXTURES(X)                                                                         \
    HT_EMULATE_STREAMS(X)                                                                          \
    HT_EMULATE_DEVICE(X)                                                                           \
    HT_EMULATE_KERNELS(X)

#define HT_EMULATE_DECLARE(result, name, parameters) result ht_emulate_##name parameters;
HT_EMULATE_FUNCTIONS(HT_EMULATE_DECLARE)
#undef HT_EMULATE_DECLARE

/* Returns true for a function of the list above. */
bool ht_emulate_has(const char *name);

/* Where a program calls what is not in the list: notes the call, and returns hipErrorNotSupported.
 * `place` is the address after the call. */
hipError_t ht_emulate_missing(const char *name, const void *place);

#endif
