/* HIP's wavefront operations, which name no mask: the lanes that are active at the call take part.
 * A wavefront has 32 lanes. The _sync forms are NVRTC's own. */
#ifndef HT_WAVE_H
#define HT_WAVE_H

__device__ __forceinline__ unsigned __lane_id() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
/* NVRTC declares these three itself, refuses them since sm_70, and returns 32 bits. */
#define __ballot ht_ballot
#define __any ht_any
#define __all ht_all
__device__ __forceinline__ unsigned long long ht_ballot(int predicate) {
    return __ballot_sync(__activemask(), predicate);
}
__device__ __forceinline__ unsigned long long __ballot64(int predicate) {
    return __ballot_sync(__activemask(), predicate);
}
__device__ __forceinline__ int ht_any(int predicate) {
    return __any_sync(__activemask(), predicate);
}
__device__ __forceinline__ int ht_all(int predicate) {
    return __all_sync(__activemask(), predicate);
}

/* Any trivially copyable value of up to 8 bytes, in words of 4. */
#define HT_SHUFFLE(name, argument, use)                                                            \
    template <class T>                                                                             \
    __device__ __forceinline__ T name(T value, argument, int width = warpSize) {                   \
        static_assert(sizeof(T) <= 8, "a shuffled value has at most 8 bytes");                     \
        union words {                                                                              \
            T value;                                                                               \
            unsigned word[2];                                                                      \
            __device__ words() : word{0, 0} {}                                                     \
        } both;                                                                                    \
        both.value = value;                                                                        \
        both.word[0] = name##_sync(__activemask(), both.word[0], use, width);                      \
        if constexpr (sizeof(T) > 4)                                                               \
            both.word[1] = name##_sync(__activemask(), both.word[1], use, width);                  \
        return both.value;                                                                         \
    }
HT_SHUFFLE(__shfl, int from, from)
HT_SHUFFLE(__shfl_up, unsigned delta, delta)
HT_SHUFFLE(__shfl_down, unsigned delta, delta)
HT_SHUFFLE(__shfl_xor, int lanes, lanes)
#undef HT_SHUFFLE

__device__ __forceinline__ long long wall_clock64() {
    long long nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    return nanoseconds;
}

#endif
