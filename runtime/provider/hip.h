/* The one HIP API the tuner is written against: a table of function pointers with HIP's and
 * hiprtc's own names and meanings (ROCm 5.2 to 7; CUDA's driver API and NVRTC map one to one).
 * Providers fill it: host (runtime/host), amd (runtime/amd). The types are our own restatement, so
 * that neither building nor running needs ROCm's headers. */
#ifndef HT_RUNTIME_PROVIDER_HIP_H
#define HT_RUNTIME_PROVIDER_HIP_H

#include <stddef.h>

typedef int hipError_t;   /* 0 is hipSuccess */
typedef int hiprtcResult; /* 0 is HIPRTC_SUCCESS */
typedef void *hipModule_t;
typedef void *hipFunction_t;
typedef void *hipStream_t;
typedef void *hipEvent_t;
typedef void *hiprtcProgram;
typedef void *hipDeviceptr_t;

enum {
    HT_HIP_SUCCESS = 0,
    HT_HIP_SYSTEM_CALL_FAILED = 304, /* hipErrorOperatingSystem: no fault of the program's */
    HT_HIPRTC_SUCCESS = 0,
    HT_HIPRTC_ERROR_PROGRAM_CREATION = 2, /* no fault of the program's */
    HT_HIPRTC_ERROR_COMPILATION = 6
};

enum {
    HT_HIP_COPY_HOST_TO_DEVICE = 1,
    HT_HIP_COPY_DEVICE_TO_HOST = 2,
    HT_HIP_COPY_DEVICE_TO_DEVICE = 3
};

/* X(result, name, parameters): every slot is required; a provider lacking one is not offered. */
#define HT_HIP_RUNTIME_FUNCTIONS(X)                                                                \
    X(hipError_t, hipInit, (unsigned flags))                                                       \
    X(hipError_t, hipGetDeviceCount, (int *count))                                                 \
    X(hipError_t, hipSetDevice, (int device))                                                      \
    X(hipError_t, hipDeviceGetName, (char *name, int length, int device))                          \
    X(hipError_t, hipDeviceGetAttribute, (int *value, int attribute, int device))                  \
    X(hipError_t, hipDriverGetVersion, (int *version))                                             \
    X(hipError_t, hipMalloc, (void **pointer, size_t size))                                        \
    X(hipError_t, hipFree, (void *pointer))                                                        \
    X(hipError_t, hipMemcpy, (void *to, const void *from, size_t size, int kind))                  \
    X(hipError_t, hipMemset, (void *pointer, int value, size_t size))                              \
    X(hipError_t, hipModuleLoadData, (hipModule_t * module, const void *image))                    \
    X(hipError_t, hipModuleUnload, (hipModule_t module))                                           \
    X(hipError_t, hipModuleGetFunction,                                                            \
      (hipFunction_t * function, hipModule_t module, const char *name))                            \
    X(hipError_t, hipModuleGetGlobal,                                                              \
      (hipDeviceptr_t * pointer, size_t *size, hipModule_t module, const char *name))              \
    X(hipError_t, hipModuleLaunchKernel,                                                           \
      (hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                  \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_lds,                 \
       hipStream_t stream, void **arguments, void **extra))                                        \
    X(hipError_t, hipEventCreate, (hipEvent_t * event))                                            \
    X(hipError_t, hipEventDestroy, (hipEvent_t event))                                             \
    X(hipError_t, hipEventRecord, (hipEvent_t event, hipStream_t stream))                          \
    X(hipError_t, hipEventSynchronize, (hipEvent_t event))                                         \
    X(hipError_t, hipEventElapsedTime, (float *milliseconds, hipEvent_t start, hipEvent_t stop))   \
    X(hipError_t, hipDeviceSynchronize, (void))                                                    \
    X(hipError_t, hipGetLastError, (void))                                                         \
    X(const char *, hipGetErrorString, (hipError_t error))

#define HT_HIPRTC_FUNCTIONS(X)                                                                     \
    X(hiprtcResult, hiprtcVersion, (int *major, int *minor))                                       \
    X(const char *, hiprtcGetErrorString, (hiprtcResult result))                                   \
    X(hiprtcResult, hiprtcCreateProgram,                                                           \
      (hiprtcProgram * program, const char *source, const char *name, int header_count,            \
       const char **headers, const char **include_names))                                          \
    X(hiprtcResult, hiprtcDestroyProgram, (hiprtcProgram * program))                               \
    X(hiprtcResult, hiprtcAddNameExpression, (hiprtcProgram program, const char *expression))      \
    X(hiprtcResult, hiprtcCompileProgram,                                                          \
      (hiprtcProgram program, int option_count, const char **options))                             \
    X(hiprtcResult, hiprtcGetProgramLogSize, (hiprtcProgram program, size_t *size))                \
    X(hiprtcResult, hiprtcGetProgramLog, (hiprtcProgram program, char *log))                       \
    X(hiprtcResult, hiprtcGetCodeSize, (hiprtcProgram program, size_t *size))                      \
    X(hiprtcResult, hiprtcGetCode, (hiprtcProgram program, char *code))                            \
    X(hiprtcResult, hiprtcGetLoweredName,                                                          \
      (hiprtcProgram program, const char *expression, const char **lowered))

typedef struct ht_hip {
#define HT_HIP_SLOT(result, name, parameters) result(*name) parameters;
    HT_HIP_RUNTIME_FUNCTIONS(HT_HIP_SLOT)
    HT_HIPRTC_FUNCTIONS(HT_HIP_SLOT)
#undef HT_HIP_SLOT
} ht_hip;

#endif
