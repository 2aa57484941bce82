/* The little of HIP that the recorded kernels use, for a compiler without ROCm. */
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define HT_INDEX(name, builtin)                                                                    \
    struct name {                                                                                  \
        struct X {                                                                                 \
            __device__ operator unsigned() const {                                                 \
                return builtin##_x();                                                              \
            }                                                                                      \
        } x;                                                                                       \
        struct Y {                                                                                 \
            __device__ operator unsigned() const {                                                 \
                return builtin##_y();                                                              \
            }                                                                                      \
        } y;                                                                                       \
        struct Z {                                                                                 \
            __device__ operator unsigned() const {                                                 \
                return builtin##_z();                                                              \
            }                                                                                      \
        } z;                                                                                       \
    }
HT_INDEX(ht_thread_index, __builtin_amdgcn_workitem_id);
HT_INDEX(ht_block_index, __builtin_amdgcn_workgroup_id);
HT_INDEX(ht_block_size, __builtin_amdgcn_workgroup_size);
static __device__ const ht_thread_index threadIdx{};
static __device__ const ht_block_index blockIdx{};
static __device__ const ht_block_size blockDim{};
static inline __device__ void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
template <typename T> static inline __device__ T __ldg(const T *p) {
    return *p;
}
static inline __device__ int min(int a, int b) {
    return a < b ? a : b;
}
