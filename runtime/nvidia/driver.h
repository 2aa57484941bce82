/* The functions of the CUDA driver and of NVRTC that the provider uses, declared anew: neither
 * building nor starting needs CUDA's headers. Names with _v2 are the binary interface's own: the
 * headers map the plain names to them. All of them are in every driver since CUDA 11. */
#ifndef HT_RUNTIME_NVIDIA_DRIVER_H
#define HT_RUNTIME_NVIDIA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int ht_cu_result; /* CUresult; 0 is success, and the numbers are hipError_t's too */
typedef int ht_cu_device;
typedef void *ht_cu_context, *ht_cu_module, *ht_cu_function, *ht_cu_stream, *ht_cu_event;
typedef uint64_t ht_cu_pointer; /* CUdeviceptr */

typedef int ht_nvrtc_result; /* 0 is success, 6 a compile error, as in hiprtc */
typedef void *ht_nvrtc_program;

/* X(name, parameters); every one returns ht_cu_result. */
#define HT_CUDA_FUNCTIONS(X)                                                                       \
    X(cuInit, (unsigned flags))                                                                    \
    X(cuDriverGetVersion, (int *version))                                                          \
    X(cuDeviceGetCount, (int *count))                                                              \
    X(cuDeviceGet, (ht_cu_device * device, int ordinal))                                           \
    X(cuDeviceGetName, (char *name, int length, ht_cu_device device))                              \
    X(cuDeviceGetAttribute, (int *value, int attribute, ht_cu_device device))                      \
    X(cuDeviceGetPCIBusId, (char *bus, int length, ht_cu_device device))                           \
    X(cuDevicePrimaryCtxRetain, (ht_cu_context * context, ht_cu_device device))                    \
    X(cuCtxSetCurrent, (ht_cu_context context))                                                    \
    X(cuCtxSynchronize, (void))                                                                    \
    X(cuMemAlloc_v2, (ht_cu_pointer * pointer, size_t size))                                       \
    X(cuMemFree_v2, (ht_cu_pointer pointer))                                                       \
    X(cuMemcpyHtoD_v2, (ht_cu_pointer to, const void *from, size_t size))                          \
    X(cuMemcpyDtoH_v2, (void *to, ht_cu_pointer from, size_t size))                                \
    X(cuMemcpyDtoD_v2, (ht_cu_pointer to, ht_cu_pointer from, size_t size))                        \
    X(cuMemsetD8_v2, (ht_cu_pointer to, unsigned char value, size_t size))                         \
    X(cuModuleLoadDataEx, (ht_cu_module * module, const void *image, unsigned option_count,        \
                           int *options, void **values))                                           \
    X(cuModuleUnload, (ht_cu_module module))                                                       \
    X(cuModuleGetFunction, (ht_cu_function * function, ht_cu_module module, const char *name))     \
    X(cuModuleGetGlobal_v2,                                                                        \
      (ht_cu_pointer * pointer, size_t *size, ht_cu_module module, const char *name))              \
    X(cuFuncGetAttribute, (int *value, int attribute, ht_cu_function function))                    \
    X(cuFuncSetAttribute, (ht_cu_function function, int attribute, int value))                     \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                 \
      (int *blocks, ht_cu_function function, int threads, size_t dynamic_shared))                  \
    X(cuLaunchKernel,                                                                              \
      (ht_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                 \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_shared,              \
       ht_cu_stream stream, void **arguments, void **extra))                                       \
    X(cuEventCreate, (ht_cu_event * event, unsigned flags))                                        \
    X(cuEventDestroy_v2, (ht_cu_event event))                                                      \
    X(cuEventRecord, (ht_cu_event event, ht_cu_stream stream))                                     \
    X(cuEventSynchronize, (ht_cu_event event))                                                     \
    X(cuEventElapsedTime, (float *milliseconds, ht_cu_event start, ht_cu_event stop))              \
    X(cuGetErrorName, (ht_cu_result error, const char **name))                                     \
    X(cuGetErrorString, (ht_cu_result error, const char **words))

/* X(name, parameters); every one returns ht_nvrtc_result, but for nvrtcGetErrorString. */
#define HT_NVRTC_FUNCTIONS(X)                                                                      \
    X(nvrtcVersion, (int *major, int *minor))                                                      \
    X(nvrtcGetNumSupportedArchs, (int *count))                                                     \
    X(nvrtcGetSupportedArchs, (int *archs))                                                        \
    X(nvrtcCreateProgram,                                                                          \
      (ht_nvrtc_program * program, const char *source, const char *name, int header_count,         \
       const char *const *headers, const char *const *include_names))                              \
    X(nvrtcDestroyProgram, (ht_nvrtc_program * program))                                           \
    X(nvrtcAddNameExpression, (ht_nvrtc_program program, const char *expression))                  \
    X(nvrtcCompileProgram,                                                                         \
      (ht_nvrtc_program program, int option_count, const char *const *options))                    \
    X(nvrtcGetProgramLogSize, (ht_nvrtc_program program, size_t *size))                            \
    X(nvrtcGetProgramLog, (ht_nvrtc_program program, char *log))                                   \
    X(nvrtcGetCUBINSize, (ht_nvrtc_program program, size_t *size))                                 \
    X(nvrtcGetCUBIN, (ht_nvrtc_program program, char *code))                                       \
    X(nvrtcGetPTXSize, (ht_nvrtc_program program, size_t *size))                                   \
    X(nvrtcGetPTX, (ht_nvrtc_program program, char *code))                                         \
    X(nvrtcGetLoweredName, (ht_nvrtc_program program, const char *expression, const char **lowered))

/* CUdevice_attribute. */
enum {
    HT_CU_MAX_THREADS_PER_BLOCK = 1,
    HT_CU_MAX_BLOCK_DIM_X = 2, /* y and z follow */
    HT_CU_MAX_GRID_DIM_X = 5,  /* y and z follow */
    HT_CU_MAX_SHARED_PER_BLOCK = 8,
    HT_CU_WARP_SIZE = 10,
    HT_CU_CLOCK_RATE = 13,
    HT_CU_MULTIPROCESSOR_COUNT = 16,
    HT_CU_L2_CACHE_SIZE = 38,
    HT_CU_COMPUTE_MAJOR = 75,
    HT_CU_COMPUTE_MINOR = 76,
    HT_CU_MAX_SHARED_PER_MULTIPROCESSOR = 81,
    HT_CU_MAX_SHARED_PER_BLOCK_OPTIN = 97
};

/* CUfunction_attribute. */
enum {
    HT_CU_FUNC_MAX_THREADS = 0,
    HT_CU_FUNC_SHARED = 1, /* static bytes */
    HT_CU_FUNC_LOCAL = 3,  /* bytes a thread: arrays without registers, and spills */
    HT_CU_FUNC_REGISTERS = 4,
    HT_CU_FUNC_MAX_DYNAMIC_SHARED = 8
};

/* CUjit_option. */
enum { HT_CU_JIT_ERROR_LOG_BUFFER = 5, HT_CU_JIT_ERROR_LOG_SIZE = 6 };

#endif
