/* Comes after HIP's runtime header: barriers, shuffles and votes with the line that calls them, for
 * the report when threads cannot go on, and the forms with a mask, which older headers lack. By
 * macros, so that those that are there do not collide. */
#ifndef HT_AFTER_H
#define HT_AFTER_H

#define HT_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define HT_PLACED __attribute__((device, always_inline)) inline

HT_PLACED void ht_syncthreads(HT_PLACE) {
    ht_device_barrier(0, file, line, "__syncthreads");
}
HT_PLACED int ht_syncthreads_count(int predicate, HT_PLACE) {
    return (int)ht_device_barrier(predicate != 0, file, line, "__syncthreads_count");
}
HT_PLACED int ht_syncthreads_or(int predicate, HT_PLACE) {
    return ht_device_barrier(predicate != 0, file, line, "__syncthreads_or") != 0;
}
HT_PLACED int ht_syncthreads_and(int predicate, HT_PLACE) {
    return ht_device_barrier(predicate == 0, file, line, "__syncthreads_and") == 0;
}
#define __syncthreads ht_syncthreads
#define __syncthreads_count ht_syncthreads_count
#define __syncthreads_or ht_syncthreads_or
#define __syncthreads_and ht_syncthreads_and

template <class T>
HT_PLACED T ht_shuffle(unsigned long mask, T value, int lane, const char *file, int line,
                       const char *what) {
    static_assert(sizeof(T) <= 8, "a shuffled value has at most 8 bytes");
    unsigned long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = ht_device_wave(lane >= 0 && lane < 64 ? (unsigned)lane : (unsigned)HT_WAVE_NONE, mask,
                          bits, file, line, what);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
#define HT_SHUFFLE(name, argument, where)                                                          \
    template <class T>                                                                             \
    HT_PLACED T ht_##name(T value, argument, int width = __AMDGCN_WAVEFRONT_SIZE, HT_PLACE) {      \
        int self = (int)ht_lane(), lane = where;                                                   \
        return ht_shuffle(ht_all_lanes, value, lane, file, line, "__" #name);                      \
    }                                                                                              \
    template <class T>                                                                             \
    HT_PLACED T ht_##name##_sync(unsigned long mask, T value, argument,                            \
                                 int width = __AMDGCN_WAVEFRONT_SIZE, HT_PLACE) {                  \
        int self = (int)ht_lane(), lane = where;                                                   \
        return ht_shuffle(mask, value, lane, file, line, "__" #name "_sync");                      \
    }
HT_SHUFFLE(shfl, int source, (source & (width - 1)) + (self & ~(width - 1)))
HT_SHUFFLE(shfl_up, unsigned delta,
           self - (int)delta < (self & ~(width - 1)) ? self : self - (int)delta)
HT_SHUFFLE(shfl_down, unsigned delta,
           (self & (width - 1)) + (int)delta >= width ? self : self + (int)delta)
HT_SHUFFLE(shfl_xor, int bits,
           (self ^ bits) >= ((self + width) & ~(width - 1)) ? self : self ^ bits)
#undef HT_SHUFFLE
#define __shfl ht_shfl
#define __shfl_up ht_shfl_up
#define __shfl_down ht_shfl_down
#define __shfl_xor ht_shfl_xor
#define __shfl_sync ht_shfl_sync
#define __shfl_up_sync ht_shfl_up_sync
#define __shfl_down_sync ht_shfl_down_sync
#define __shfl_xor_sync ht_shfl_xor_sync

HT_PLACED unsigned long ht_vote(unsigned long mask, bool holds, const char *file, int line,
                                const char *what) {
    return ht_device_wave(HT_WAVE_BALLOT, mask, holds, file, line, what);
}
#define HT_VOTE(T, name, holds, result)                                                            \
    HT_PLACED T ht_##name(int predicate, HT_PLACE) {                                               \
        unsigned long lanes = ht_vote(ht_all_lanes, holds, file, line, "__" #name);                \
        return result;                                                                             \
    }                                                                                              \
    HT_PLACED T ht_##name##_sync(unsigned long mask, int predicate, HT_PLACE) {                    \
        unsigned long lanes = ht_vote(mask, holds, file, line, "__" #name "_sync");                \
        return result;                                                                             \
    }
HT_VOTE(unsigned long long, ballot, predicate != 0, lanes)
HT_VOTE(int, any, predicate != 0, lanes != 0)
HT_VOTE(int, all, predicate == 0, lanes == 0)
#undef HT_VOTE
HT_PLACED unsigned long long ht_activemask(HT_PLACE) {
    return ht_vote(ht_all_lanes, true, file, line, "__activemask");
}
HT_PLACED void ht_syncwarp(unsigned long mask = ht_all_lanes, HT_PLACE) {
    ht_device_wave(HT_WAVE_SYNC, mask, 0, file, line, "__syncwarp");
}
#define __ballot ht_ballot
#define __ballot64 ht_ballot
#define __ballot_sync ht_ballot_sync
#define __any ht_any
#define __any_sync ht_any_sync
#define __all ht_all
#define __all_sync ht_all_sync
#define __activemask ht_activemask
#define __syncwarp ht_syncwarp

#undef HT_PLACE
#undef HT_PLACED

#endif
