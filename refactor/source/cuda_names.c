/* CUDA's host names as HIP's, for sources that were never ported: without the type of a stream the
 * launch that takes one cannot be read. Device code is not helped: a kernel that uses what HIP does
 * not have stays unparsed. */
#include "refactor/source/arguments.h"

#define TYPE(name) "typedef hip" #name " cuda" #name ";\n"
#define CONSTANT(name) "static constexpr auto cuda" #name " = hip" #name ";\n"
#define CALL(name) "template <typename... T> hipError_t cuda" #name "(T &&...);\n"

const char ht_cuda_path[] = "/hiptemper/cuda_names.h";

const char ht_cuda_text[] =
    "#pragma once\n"
    "#pragma clang system_header\n" TYPE(Error_t) TYPE(Stream_t) TYPE(Event_t) TYPE(MemcpyKind)
        TYPE(Graph_t) TYPE(
            GraphExec_t) "typedef hipError_t cudaError;\n"
                         "typedef hipDeviceProp_t cudaDeviceProp;\n"
                         "typedef hipFuncAttributes cudaFuncAttributes;\n" CONSTANT(
                             Success) CONSTANT(MemcpyHostToDevice) CONSTANT(MemcpyDeviceToHost)
                             CONSTANT(MemcpyDeviceToDevice) CONSTANT(MemcpyHostToHost) CONSTANT(
                                 MemcpyDefault) "static constexpr unsigned cudaStreamNonBlocking = "
                                                "1, cudaHostAllocDefault = 0,\n"
                                                "    cudaEventDisableTiming = 2, "
                                                "cudaHostAllocMapped = 2, cudaHostAllocPortable = "
                                                "1,\n"
                                                "    cudaMemAttachGlobal = 1;\n" CALL(Malloc) CALL(
                                                    MallocHost) CALL(MallocManaged) CALL(MallocPitch)
                                                    CALL(HostAlloc) CALL(MallocAsync) CALL(Free) CALL(
                                                        FreeHost) CALL(FreeAsync) CALL(Memcpy)
                                                        CALL(MemcpyAsync) CALL(Memcpy2D) CALL(
                                                            MemcpyToSymbol) CALL(MemcpyFromSymbol)
                                                            CALL(Memset) CALL(MemsetAsync) CALL(
                                                                MemPrefetchAsync) CALL(DeviceSynchronize)
                                                                CALL(ThreadSynchronize) CALL(
                                                                    DeviceReset) CALL(GetLastError)
                                                                    CALL(PeekAtLastError) CALL(GetDevice) CALL(
                                                                        SetDevice) CALL(GetDeviceCount)
                                                                        CALL(GetDeviceProperties) CALL(
                                                                            DeviceGetAttribute) CALL(StreamCreate)
                                                                            CALL(StreamCreateWithFlags) CALL(
                                                                                StreamDestroy) CALL(StreamSynchronize)
                                                                                CALL(StreamWaitEvent) CALL(
                                                                                    EventCreate) CALL(EventCreateWithFlags)
                                                                                    CALL(EventDestroy) CALL(
                                                                                        EventRecord) CALL(EventSynchronize)
                                                                                        CALL(EventElapsedTime) CALL(
                                                                                            FuncSetCacheConfig)
                                                                                            CALL(FuncSetAttribute) CALL(
                                                                                                DeviceSetCacheConfig)
                                                                                                CALL(
                                                                                                    DeviceSetLimit)
                                                                                                    CALL(
                                                                                                        GetSymbolAddress) "template <typename... T> const char *cudaGetErrorString(T &&...);\n"
                                                                                                                          "template <typename... T> const char *cudaGetErrorName(T &&...);\n";
