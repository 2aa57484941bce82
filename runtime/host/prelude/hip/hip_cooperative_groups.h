/* Cooperative groups: a block's threads as a group. Parts of a block (tiled_partition,
 * coalesced_threads) and groups of several blocks are not there. */
#ifndef HT_COOPERATIVE_GROUPS_H
#define HT_COOPERATIVE_GROUPS_H

#include "../ht_prelude.h"

namespace cooperative_groups {

class thread_block {
    friend thread_block this_thread_block();
    thread_block() = default;

public:
    static __forceinline__ void sync(HT_PLACE) {
        __syncthreads(file, line);
    }
    static __forceinline__ unsigned thread_rank() {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    static __forceinline__ unsigned size() {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static __forceinline__ unsigned num_threads() {
        return size();
    }
    static __forceinline__ dim3 group_index() {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static __forceinline__ dim3 thread_index() {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static __forceinline__ dim3 group_dim() {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static __forceinline__ bool is_valid() {
        return true;
    }
};

__forceinline__ thread_block this_thread_block() {
    return thread_block();
}
template <class ht_T> __forceinline__ void sync(const ht_T &group, HT_PLACE) {
    group.sync(file, line);
}

} // namespace cooperative_groups

#endif
