/* AMD's device library of everything else: indices, votes, integers, memory, assertions. */
#ifndef HT_OCKL_H
#define HT_OCKL_H

HT_EMULATED unsigned long __ockl_get_local_id(unsigned axis) {
    return ht_device_state.thread[axis];
}
HT_EMULATED unsigned long __ockl_get_group_id(unsigned axis) {
    return ht_device_state.block[axis];
}
HT_EMULATED unsigned long __ockl_get_local_size(unsigned axis) {
    return ht_device_state.size[axis];
}
HT_EMULATED unsigned long __ockl_get_num_groups(unsigned axis) {
    return ht_device_state.grid[axis];
}
HT_EMULATED unsigned long __ockl_get_global_id(unsigned axis) {
    return (unsigned long)ht_device_state.block[axis] * ht_device_state.size[axis] +
           ht_device_state.thread[axis];
}
HT_EMULATED unsigned long __ockl_get_global_size(unsigned axis) {
    return (unsigned long)ht_device_state.grid[axis] * ht_device_state.size[axis];
}

HT_EMULATED bool __ockl_wfany_i32(int predicate) {
    return ht_lanes_with(predicate != 0) != 0;
}
HT_EMULATED bool __ockl_wfall_i32(int predicate) {
    return ht_lanes_with(predicate == 0) == 0;
}
HT_EMULATED unsigned __ockl_lane_u32() {
    return ht_lane();
}
HT_EMULATED unsigned __ockl_activelane_u32() {
    return (unsigned)__builtin_popcountl(ht_lanes_with(true) & ((1ul << ht_lane()) - 1));
}
/* Votes of the block. */
HT_EMULATED int __ockl_wgred_add_i32(int predicate) {
    return (int)ht_device_barrier(predicate != 0, HT_NOWHERE, "__syncthreads_count");
}
HT_EMULATED int __ockl_wgred_or_i32(int predicate) {
    return ht_device_barrier(predicate != 0, HT_NOWHERE, "__syncthreads_or") != 0;
}
HT_EMULATED int __ockl_wgred_and_i32(int predicate) {
    return ht_device_barrier(predicate == 0, HT_NOWHERE, "__syncthreads_and") == 0;
}

HT_EMULATED unsigned __ockl_mul24_u32(unsigned x, unsigned y) {
    return (x & 0xFFFFFF) * (y & 0xFFFFFF);
}
HT_EMULATED int __ockl_mul24_i32(int x, int y) {
    return (int)((unsigned)((int)((unsigned)x << 8) >> 8) * (unsigned)((int)((unsigned)y << 8) >> 8));
}
HT_EMULATED unsigned __ockl_mul_hi_u32(unsigned x, unsigned y) {
    return (unsigned)((unsigned long)x * y >> 32);
}
HT_EMULATED int __ockl_mul_hi_i32(int x, int y) {
    return (int)((long)x * y >> 32);
}
HT_EMULATED unsigned __ockl_sadd_u32(unsigned x, unsigned y, unsigned sum) {
    return (x > y ? x - y : y - x) + sum;
}
HT_EMULATED unsigned char __ockl_clz_u8(unsigned char x) {
    return (unsigned char)(x ? __builtin_clz(x) - 24 : 8);
}
HT_EMULATED unsigned short __ockl_clz_u16(unsigned short x) {
    return (unsigned short)(x ? __builtin_clz(x) - 16 : 16);
}
HT_EMULATED unsigned __ockl_clz_u32(unsigned x) {
    return x ? (unsigned)__builtin_clz(x) : 32;
}
HT_EMULATED unsigned long __ockl_clz_u64(unsigned long x) {
    return x ? (unsigned long)__builtin_clzl(x) : 64;
}

HT_EMULATED void __ockl_atomic_add_noret_f32(float *at, float value) {
    ht_atomic_add_as<float, unsigned>(at, value);
}
extern "C" HT_DEVICE_SIDE inline unsigned long long __ockl_dm_alloc(unsigned long long size) {
    return (unsigned long long)__libc_malloc(size);
}
extern "C" HT_DEVICE_SIDE inline void __ockl_dm_dealloc(unsigned long long address) {
    __libc_free((void *)address);
}
/* HIP declares it with types of its own. */
HT_EMULATED void ht_work_item_fence(unsigned, int, int) __asm__("__atomic_work_item_fence")
    __attribute__((used));
HT_EMULATED void ht_work_item_fence(unsigned, int, int) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* What HIP's __assert_fail, which the program replaces by the one below, would print with. */
HT_EMULATED unsigned long __ockl_fprintf_stderr_begin() {
    return 0;
}
HT_EMULATED unsigned long __ockl_fprintf_append_string_n(unsigned long, const char *, unsigned long,
                                                         unsigned) {
    return 0;
}
HT_EMULATED unsigned long __ockl_fprintf_append_args(unsigned long, unsigned, unsigned long,
                                                     unsigned long, unsigned long, unsigned long,
                                                     unsigned long, unsigned long, unsigned long,
                                                     unsigned) {
    return 0;
}

#endif
