// The rest of the runtime: streams, events, callbacks, managed memory, launches by address, errors.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

static int failures;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s\n", __LINE__, #condition);                                         \
            ++failures;                                                                            \
        }                                                                                          \
    } while (0)

__managed__ int shared_count = 5;

__global__ void count(int *to, int by) {
    *to += by;
    atomicAdd(&shared_count, 1);
}

static void called(hipStream_t, hipError_t status, void *data) {
    *(int *)data = status == hipSuccess ? 1 : 2;
}

int main() {
    hipDeviceProp_t properties;
    int devices = 0, value = 0, blocks = 0, reached = 0;
    CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 1);
    CHECK(hipGetDeviceProperties(&properties, 0) == hipSuccess && properties.warpSize == 64);
    CHECK(properties.maxThreadsPerBlock == 1024 && properties.multiProcessorCount > 0);
    CHECK(hipSetDevice(1) == hipErrorInvalidDevice);
    CHECK(hipGetLastError() == hipErrorInvalidDevice && hipGetLastError() == hipSuccess);

    hipStream_t stream;
    hipEvent_t start, stop;
    float milliseconds = -1;
    int *device, *host, *managed;
    CHECK(hipStreamCreate(&stream) == hipSuccess);
    CHECK(hipEventCreate(&start) == hipSuccess && hipEventCreate(&stop) == hipSuccess);
    CHECK(hipMalloc((void **)&device, sizeof(int)) == hipSuccess);
    CHECK(hipHostMalloc((void **)&host, sizeof(int), hipHostMallocDefault) == hipSuccess);
    CHECK(hipMallocManaged((void **)&managed, sizeof(int)) == hipSuccess);
    CHECK(hipMemsetAsync(device, 0, sizeof(int), stream) == hipSuccess);
    *managed = 3;
    CHECK(hipEventRecord(start, stream) == hipSuccess);
    count<<<1, 1, 0, stream>>>(device, 7);
    count<<<1, 1, 0, stream>>>(managed, 4);
    int by = 100;
    void *arguments[] = {&device, &by};
    CHECK(hipLaunchKernel((const void *)count, dim3(1), dim3(1), arguments, 0, stream) ==
          hipSuccess);
    CHECK(hipEventRecord(stop, stream) == hipSuccess && hipEventSynchronize(stop) == hipSuccess);
    CHECK(hipEventElapsedTime(&milliseconds, start, stop) == hipSuccess && milliseconds >= 0);
    CHECK(hipStreamAddCallback(stream, called, &reached, 0) == hipSuccess && reached == 1);
    CHECK(hipMemcpyAsync(host, device, sizeof(int), hipMemcpyDeviceToHost, stream) == hipSuccess);
    CHECK(hipStreamSynchronize(stream) == hipSuccess && *host == 107 && *managed == 7);
    CHECK(shared_count == 8);

    CHECK(hipMemcpy(host, device, 4096, hipMemcpyDeviceToHost) == hipErrorInvalidValue);
    CHECK(strcmp(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue") == 0);
    CHECK(strcmp(hipGetErrorString(hipErrorInvalidValue), "invalid argument") == 0);
    CHECK(hipGetLastError() == hipErrorInvalidValue);
    count<<<1, 2000>>>(device, 1);
    CHECK(hipGetLastError() == hipErrorInvalidConfiguration);
    CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count, 256, 0) == hipSuccess);
    CHECK(blocks > 0);
    CHECK(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0) == hipSuccess);
    CHECK(value == 64);
    CHECK(hipFree(device) == hipSuccess && hipHostFree(host) == hipSuccess);
    CHECK(hipFree(managed) == hipSuccess && hipFree(nullptr) == hipSuccess);
    CHECK(hipEventDestroy(start) == hipSuccess && hipStreamDestroy(stream) == hipSuccess);
    printf("%s\n", failures ? "FAIL" : "PASS");
    return failures;
}
