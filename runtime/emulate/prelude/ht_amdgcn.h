/* The AMD compiler's builtins as functions: indices, wavefront operations, bits, clocks. */
#ifndef HT_AMDGCN_H
#define HT_AMDGCN_H

static constexpr unsigned long ht_all_lanes = ~0ul;

/* The C library's, under names that no device function hides. */
extern "C" HT_DEVICE_SIDE void *__libc_malloc(unsigned long);
extern "C" HT_DEVICE_SIDE void __libc_free(void *);

HT_EMULATED unsigned ht_lane() {
    const struct ht_device_state &state = ht_device_state;
    return ((state.thread[2] * state.size[1] + state.thread[1]) * state.size[0] + state.thread[0]) %
           (unsigned)__AMDGCN_WAVEFRONT_SIZE;
}

#define HT_INDEX(name, field)                                                                      \
    HT_EMULATED unsigned __builtin_amdgcn_##name##_x() {                                           \
        return ht_device_state.field[0];                                                           \
    }                                                                                              \
    HT_EMULATED unsigned __builtin_amdgcn_##name##_y() {                                           \
        return ht_device_state.field[1];                                                           \
    }                                                                                              \
    HT_EMULATED unsigned __builtin_amdgcn_##name##_z() {                                           \
        return ht_device_state.field[2];                                                           \
    }
HT_INDEX(workitem_id, thread)
HT_INDEX(workgroup_id, block)
HT_INDEX(workgroup_size, size)
#undef HT_INDEX

/* No line: the one here would be that of HIP's header. */
#define HT_NOWHERE "", 0
HT_EMULATED void __builtin_amdgcn_s_barrier() {
    ht_device_barrier(0, HT_NOWHERE, "a barrier");
}
HT_EMULATED void __builtin_amdgcn_wave_barrier() {
    ht_device_wave(HT_WAVE_SYNC, ht_all_lanes, 0, HT_NOWHERE, "a wavefront's barrier");
}
HT_EMULATED int ht_lane_value(unsigned lane, int value) {
    return (int)ht_device_wave(lane < 64 ? lane : (unsigned)HT_WAVE_NONE, ht_all_lanes,
                               (unsigned)value, HT_NOWHERE, "a shuffle");
}
HT_EMULATED unsigned long ht_lanes_with(bool predicate) {
    return ht_device_wave(HT_WAVE_BALLOT, ht_all_lanes, predicate, HT_NOWHERE, "a ballot");
}
/* Addresses wrap around at the wavefront's end, as the hardware's do. */
HT_EMULATED int __builtin_amdgcn_ds_bpermute(int address, int value) {
    return ht_lane_value((unsigned)address / 4 % (unsigned)__AMDGCN_WAVEFRONT_SIZE, value);
}
/* Each lane sends: of those that send to the same one, the last wins. */
HT_EMULATED int __builtin_amdgcn_ds_permute(int address, int value) {
    unsigned target = (unsigned)address / 4 % (unsigned)__AMDGCN_WAVEFRONT_SIZE, self = ht_lane();
    unsigned long packed = (unsigned long)target << 32 | (unsigned)value;
    int result = 0;
    for (unsigned lane = 0; lane < (unsigned)__AMDGCN_WAVEFRONT_SIZE; ++lane) {
        unsigned long seen =
            ht_device_wave(lane, ht_all_lanes, packed, HT_NOWHERE, "a shuffle");
        if (seen >> 32 == self)
            result = (int)(unsigned)seen;
    }
    return result;
}
HT_EMULATED int __builtin_amdgcn_readlane(int value, int lane) {
    return ht_lane_value((unsigned)lane, value);
}
HT_EMULATED int __builtin_amdgcn_readfirstlane(int value) {
    unsigned long lanes = ht_lanes_with(true);
    return ht_lane_value((unsigned)__builtin_ctzl(lanes), value);
}
HT_EMULATED unsigned long __builtin_amdgcn_read_exec() {
    return ht_lanes_with(true);
}
HT_EMULATED unsigned long __builtin_amdgcn_ballot_w64(bool predicate) {
    return ht_lanes_with(predicate);
}
HT_EMULATED unsigned __builtin_amdgcn_ballot_w32(bool predicate) {
    return (unsigned)ht_lanes_with(predicate);
}
/* `condition` is LLVM's number of a comparison: 32 equal, 33 unequal, 34 to 37 unsigned. */
HT_EMULATED unsigned long __builtin_amdgcn_uicmp(unsigned a, unsigned b, int condition) {
    bool holds = condition == 32   ? a == b
                 : condition == 33 ? a != b
                 : condition == 34 ? a > b
                 : condition == 35 ? a >= b
                 : condition == 36 ? a < b
                                   : a <= b;
    return ht_lanes_with(holds);
}
/* Swizzles within 32 lanes by masks, or within four by positions. */
HT_EMULATED int __builtin_amdgcn_ds_swizzle(int value, int pattern) {
    unsigned self = ht_lane(), lane;
    if (pattern & 0x8000)
        lane = (self & ~3u) | ((unsigned)pattern >> 2 * (self & 3) & 3);
    else
        lane = (self & ~31u) | ((((self & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^
                                (pattern >> 10 & 31));
    return ht_lane_value(lane, value);
}
/* The lane that a DPP control reads from; -1 where there is none. */
HT_EMULATED int ht_dpp_lane(int control) {
    int self = (int)ht_lane(), row = self & ~15, place = self & 15;
    if (control < 0x100)
        return (self & ~3) | (control >> 2 * (self & 3) & 3);
    if (control > 0x100 && control < 0x110)
        return place + (control & 15) < 16 ? self + (control & 15) : -1;
    if (control > 0x110 && control < 0x120)
        return place - (control & 15) >= 0 ? self - (control & 15) : -1;
    if (control > 0x120 && control < 0x130)
        return row | ((place - (control & 15)) & 15);
    if (control == 0x130)
        return self + 1 < __AMDGCN_WAVEFRONT_SIZE ? self + 1 : -1;
    if (control == 0x138)
        return self - 1;
    if (control == 0x140)
        return row | (15 - place);
    if (control == 0x141)
        return (self & ~7) | (7 - (self & 7));
    if (control == 0x142)
        return row - 1;
    if (control == 0x143)
        return self >= 32 ? 31 : -1;
    return self;
}
HT_EMULATED int __builtin_amdgcn_update_dpp(int old, int value, int control, int rows, int banks,
                                            bool zero) {
    int lane = ht_dpp_lane(control), self = (int)ht_lane();
    int got = ht_lane_value(lane < 0 ? (unsigned)self : (unsigned)lane, value);
    if (!(rows >> self / 16 & 1) || !(banks >> self % 16 / 4 & 1))
        return old;
    return lane >= 0 ? got : zero ? 0 : old;
}
HT_EMULATED int __builtin_amdgcn_mov_dpp(int value, int control, int rows, int banks, bool zero) {
    return __builtin_amdgcn_update_dpp(0, value, control, rows, banks, zero);
}
HT_EMULATED unsigned __builtin_amdgcn_wavefrontsize() {
    return __AMDGCN_WAVEFRONT_SIZE;
}
HT_EMULATED unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned base) {
    unsigned lane = ht_lane();
    return base + (unsigned)__builtin_popcount(lane < 32 ? mask & ((1u << lane) - 1) : mask);
}
HT_EMULATED unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask, unsigned base) {
    unsigned lane = ht_lane();
    return base + (unsigned)(lane > 32 ? __builtin_popcount(mask & ((1u << (lane - 32)) - 1)) : 0);
}

HT_EMULATED unsigned __builtin_amdgcn_alignbit(unsigned high, unsigned low, unsigned shift) {
    return (unsigned)(((unsigned long)high << 32 | low) >> (shift & 31));
}
HT_EMULATED unsigned __builtin_amdgcn_alignbyte(unsigned high, unsigned low, unsigned shift) {
    return (unsigned)(((unsigned long)high << 32 | low) >> 8 * (shift & 3));
}
HT_EMULATED unsigned __builtin_amdgcn_perm(unsigned high, unsigned low, unsigned selector) {
    unsigned long bytes = (unsigned long)high << 32 | low;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned which = selector >> 8 * i & 255;
        unsigned byte = which < 8 ? (unsigned)(bytes >> 8 * which) & 255 : which == 12 ? 0 : 255;
        result |= byte << 8 * i;
    }
    return result;
}
HT_EMULATED unsigned __builtin_amdgcn_ubfe(unsigned value, unsigned offset, unsigned width) {
    return (value >> (offset & 31)) & ((1u << (width & 31)) - 1);
}
HT_EMULATED unsigned __builtin_amdgcn_sad_u8(unsigned a, unsigned b, unsigned sum) {
    for (int i = 0; i < 32; i += 8) {
        int difference = (int)(a >> i & 255) - (int)(b >> i & 255);
        sum += (unsigned)(difference < 0 ? -difference : difference);
    }
    return sum;
}

HT_EMULATED float __builtin_amdgcn_exp2f(float x) {
    return __builtin_exp2f(x);
}
HT_EMULATED float __builtin_amdgcn_logf(float x) {
    return __builtin_log2f(x);
}
HT_EMULATED float __builtin_amdgcn_rcpf(float x) {
    return 1.0f / x;
}
HT_EMULATED double __builtin_amdgcn_rcp(double x) {
    return 1.0 / x;
}
HT_EMULATED float __builtin_amdgcn_rsqf(float x) {
    return 1.0f / __builtin_sqrtf(x);
}
HT_EMULATED double __builtin_amdgcn_rsq(double x) {
    return 1.0 / __builtin_sqrt(x);
}
HT_EMULATED float __builtin_amdgcn_sqrtf(float x) {
    return __builtin_sqrtf(x);
}
HT_EMULATED float __builtin_amdgcn_fractf(float x) {
    return x - __builtin_floorf(x);
}
HT_EMULATED float __builtin_amdgcn_fmed3f(float a, float b, float c) {
    return __builtin_fmaxf(__builtin_fminf(a, b), __builtin_fminf(__builtin_fmaxf(a, b), c));
}
HT_EMULATED float __builtin_amdgcn_ldexpf(float x, int exponent) {
    return __builtin_ldexpf(x, exponent);
}
HT_EMULATED double __builtin_amdgcn_ldexp(double x, int exponent) {
    return __builtin_ldexp(x, exponent);
}

HT_EMULATED unsigned long __builtin_amdgcn_s_memtime() {
    return __builtin_readcyclecounter();
}
HT_EMULATED unsigned long __builtin_amdgcn_s_memrealtime() {
    return __builtin_readcyclecounter();
}
HT_EMULATED void __builtin_amdgcn_s_sleep(int) {}
HT_EMULATED void __builtin_amdgcn_s_waitcnt(int) {}
HT_EMULATED void __builtin_amdgcn_s_setprio(int) {}
HT_EMULATED void __builtin_amdgcn_sched_barrier(int) {}
HT_EMULATED unsigned __builtin_amdgcn_s_getreg(int) {
    return 0;
}
HT_EMULATED void __builtin_amdgcn_fence(unsigned, const char *) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
HT_EMULATED void __builtin_amdgcn_endpgm() {
    ht_device_fail("__builtin_amdgcn_endpgm", "", 0);
}
HT_EMULATED bool __builtin_amdgcn_is_shared(const void *) {
    return false;
}
HT_EMULATED bool __builtin_amdgcn_is_private(const void *) {
    return false;
}

template <class T, class F>
__attribute__((device, always_inline)) inline T ht_atomic_update(T *at, F f) {
    T seen = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(at, &seen, f(seen), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return seen;
}
HT_EMULATED unsigned __builtin_amdgcn_atomic_inc32(unsigned *at, unsigned limit, unsigned,
                                                   const char *, bool = false) {
    return ht_atomic_update(at, [=](unsigned seen) { return seen >= limit ? 0u : seen + 1; });
}
HT_EMULATED unsigned __builtin_amdgcn_atomic_dec32(unsigned *at, unsigned limit, unsigned,
                                                   const char *, bool = false) {
    return ht_atomic_update(
        at, [=](unsigned seen) { return seen == 0 || seen > limit ? limit : seen - 1; });
}
/* Those that HIP's headers call by LLVM's own names, whose "llvm." has become "ht." */
#define HT_BY_NAME(name) __asm__("ht.amdgcn." name) __attribute__((used))
HT_EMULATED unsigned ht_atomic_inc(unsigned *at, unsigned limit, unsigned, unsigned, bool)
    HT_BY_NAME("atomic.inc.i32.p0i32");
HT_EMULATED unsigned ht_atomic_inc(unsigned *at, unsigned limit, unsigned, unsigned, bool) {
    return __builtin_amdgcn_atomic_inc32(at, limit, 0, "");
}
HT_EMULATED unsigned ht_atomic_dec(unsigned *at, unsigned limit, unsigned, unsigned, bool)
    HT_BY_NAME("atomic.dec.i32.p0i32");
HT_EMULATED unsigned ht_atomic_dec(unsigned *at, unsigned limit, unsigned, unsigned, bool) {
    return __builtin_amdgcn_atomic_dec32(at, limit, 0, "");
}
HT_EMULATED int ht_swizzle(int value, int pattern) HT_BY_NAME("ds.swizzle");
HT_EMULATED int ht_swizzle(int value, int pattern) {
    return __builtin_amdgcn_ds_swizzle(value, pattern);
}
#define HT_MATH(T, name, type, result)                                                             \
    HT_EMULATED T ht_##name##_##type(T x) HT_BY_NAME(#name "." #type);                             \
    HT_EMULATED T ht_##name##_##type(T x) {                                                        \
        return result;                                                                             \
    }
HT_MATH(float, sin, f32, __builtin_sinf(x * 6.28318530717958647693f))
HT_MATH(float, cos, f32, __builtin_cosf(x * 6.28318530717958647693f))
HT_MATH(float, rcp, f32, 1.0f / x)
HT_MATH(double, rcp, f64, 1.0 / x)
HT_MATH(float, rsq, f32, 1.0f / __builtin_sqrtf(x))
HT_MATH(double, rsq, f64, 1.0 / __builtin_sqrt(x))
#undef HT_MATH
#undef HT_BY_NAME

template <class T, class I>
__attribute__((device, always_inline)) inline T ht_atomic_add_as(T *at, T value) {
    I seen = ht_atomic_update((I *)at, [=](I bits) {
        return __builtin_bit_cast(I, __builtin_bit_cast(T, bits) + value);
    });
    return __builtin_bit_cast(T, seen);
}
HT_EMULATED float __builtin_amdgcn_global_atomic_fadd_f32(float *at, float value) {
    return ht_atomic_add_as<float, unsigned>(at, value);
}
HT_EMULATED float __builtin_amdgcn_ds_atomic_fadd_f32(float *at, float value) {
    return ht_atomic_add_as<float, unsigned>(at, value);
}
HT_EMULATED double __builtin_amdgcn_flat_atomic_fadd_f64(double *at, double value) {
    return ht_atomic_add_as<double, unsigned long>(at, value);
}
HT_EMULATED double __builtin_amdgcn_global_atomic_fadd_f64(double *at, double value) {
    return ht_atomic_add_as<double, unsigned long>(at, value);
}

#endif
