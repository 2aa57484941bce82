/* Qualifiers, indices, barriers, wavefront operations and the entry points of kernels. */
#ifndef HT_CORE_H
#define HT_CORE_H

#include "ht_state.h"

/* Of the headers that HIP's own includes, as far as device code has them: compiler's built-ins,
 * declared as the C library does. */
#ifndef NULL
#define NULL __null
#endif
extern "C" {
void *memcpy(void *to, const void *from, decltype(sizeof 0) size) noexcept;
void *memmove(void *to, const void *from, decltype(sizeof 0) size) noexcept;
void *memset(void *to, int value, decltype(sizeof 0) size) noexcept;
}

#define __HIP__ 1
#define __HIPCC__ 1
#define __HIPCC_RTC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __HIP_ARCH_HAS_WARP_SHUFFLE__ 1
#define __HIP_HOST_EMULATION__ 1

/* Internal linkage lets the compiler drop kernels that no name expression asks for, and inline the
 * others. */
#define __global__ __attribute__((internal_linkage))
#define __device__
#define __host__
#define __constant__
#define __managed__
/* One copy an OS thread, which runs one block at a time. Of `extern __shared__` arrays the unit has
 * been rewritten to say the second; it lacks the test for a constructor at every access that C++
 * gives an extern thread_local. */
#ifndef HT_CHECKED
#define __shared__ thread_local
#define __shared_d __thread
#define HT_UNCHECKED
#else
/* Plain storage, in a section by which the program finds it, and not taken for constant where no
 * store is seen; undefined weak symbols are the dynamic arrays. */
#define __shared__ static __attribute__((section(".lds"), used))
#define __shared_d __attribute__((weak))
/* For functions of the prelude that touch the program's memory and not the kernel's. */
#define HT_UNCHECKED __attribute__((disable_sanitizer_instrumentation, noinline))
#endif
#define HIP_DYNAMIC_SHARED(type, name) extern __shared_d type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
/* Where it can be told which body it belongs to, the unit has been rewritten to call
 * ht_launch_bounds there. */
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

extern "C" int printf(const char *, ...) __attribute__((format(printf, 1, 2)));

#ifndef __AMDGCN_WAVEFRONT_SIZE
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#define __AMDGCN_WAVEFRONT_SIZE__ __AMDGCN_WAVEFRONT_SIZE
static constexpr int warpSize = __AMDGCN_WAVEFRONT_SIZE;

/* Small type tools, so that the prelude needs no standard header. */
template <bool, class T = void> struct ht_if {};
template <class T> struct ht_if<true, T> {
    using type = T;
};
template <class A, class B> inline constexpr bool ht_same = false;
template <class A> inline constexpr bool ht_same<A, A> = true;
template <class T> inline constexpr bool ht_integer = __is_integral(T);
template <class T> inline constexpr bool ht_number = __is_arithmetic(T) || ht_same<T, _Float16>;
template <class To, class From> __forceinline__ To ht_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    return __builtin_bit_cast(To, from);
}

struct uint3;
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(const uint3 &);
};

#ifndef HT_CHECKED
#define ht_word_of(field, axis) (field)[axis]
#else
/* A thread's indices stay, so a checked kernel asks once. */
HT_UNCHECKED __attribute__((const)) static unsigned ht_word_of(const ht_word *field, int axis) {
    return field[axis];
}
#endif
/* threadIdx and its kin: no storage, members read the running thread's state. */
#define HT_INDEX(type_name, field)                                                                 \
    struct type_name {                                                                             \
        static __forceinline__ unsigned get_x() {                                                  \
            return ht_word_of(ht_device_state.field, 0);                                           \
        }                                                                                          \
        static __forceinline__ unsigned get_y() {                                                  \
            return ht_word_of(ht_device_state.field, 1);                                           \
        }                                                                                          \
        static __forceinline__ unsigned get_z() {                                                  \
            return ht_word_of(ht_device_state.field, 2);                                           \
        }                                                                                          \
        __declspec(property(get = get_x)) unsigned x;                                              \
        __declspec(property(get = get_y)) unsigned y;                                              \
        __declspec(property(get = get_z)) unsigned z;                                              \
        __forceinline__ operator dim3() const {                                                    \
            return dim3(get_x(), get_y(), get_z());                                                \
        }                                                                                          \
        __forceinline__ operator uint3() const;                                                    \
    }
HT_INDEX(ht_thread_index, thread);
HT_INDEX(ht_block_index, block);
HT_INDEX(ht_block_size, size);
HT_INDEX(ht_grid_size, grid);
#undef HT_INDEX
static constexpr ht_thread_index threadIdx{};
static constexpr ht_block_index blockIdx{};
static constexpr ht_block_size blockDim{};
static constexpr ht_grid_size gridDim{};
#include "ht_names.h"

/* Where a barrier or shuffle is called, for the report when threads cannot go on. */
#define HT_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

__forceinline__ void __syncthreads(HT_PLACE) {
    ht_device_barrier(0, file, line, "__syncthreads");
}
__forceinline__ int __syncthreads_count(int predicate, HT_PLACE) {
    return (int)ht_device_barrier(predicate != 0, file, line, "__syncthreads_count");
}
__forceinline__ int __syncthreads_or(int predicate, HT_PLACE) {
    return ht_device_barrier(predicate != 0, file, line, "__syncthreads_or") != 0;
}
__forceinline__ int __syncthreads_and(int predicate, HT_PLACE) {
    return ht_device_barrier(predicate == 0, file, line, "__syncthreads_and") == 0;
}
__forceinline__ void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
__forceinline__ void __threadfence_system() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
/* A block stays on one OS thread. */
__forceinline__ void __threadfence_block() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

__forceinline__ unsigned ht_linear_thread() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__forceinline__ unsigned __lane_id() {
    return ht_linear_thread() % (unsigned)warpSize;
}

static constexpr unsigned long ht_all_lanes = ~0ul;

__forceinline__ void __syncwarp(unsigned long mask = ht_all_lanes, HT_PLACE) {
    ht_device_wave(HT_WAVE_SYNC, mask, 0, file, line, "__syncwarp");
}
__forceinline__ unsigned long ht_ballot(unsigned long mask, bool predicate, const char *file,
                                        int line, const char *what) {
    return ht_device_wave(HT_WAVE_BALLOT, mask, predicate, file, line, what);
}
__forceinline__ unsigned long long __ballot(int predicate, HT_PLACE) {
    return ht_ballot(ht_all_lanes, predicate != 0, file, line, "__ballot");
}
__forceinline__ unsigned long long __ballot64(int predicate, HT_PLACE) {
    return ht_ballot(ht_all_lanes, predicate != 0, file, line, "__ballot64");
}
__forceinline__ unsigned long long __activemask(HT_PLACE) {
    return ht_ballot(ht_all_lanes, true, file, line, "__activemask");
}
__forceinline__ int __any(int predicate, HT_PLACE) {
    return ht_ballot(ht_all_lanes, predicate != 0, file, line, "__any") != 0;
}
__forceinline__ int __all(int predicate, HT_PLACE) {
    return ht_ballot(ht_all_lanes, predicate == 0, file, line, "__all") == 0;
}
__forceinline__ unsigned long long __ballot_sync(unsigned long mask, int predicate, HT_PLACE) {
    return ht_ballot(mask, predicate != 0, file, line, "__ballot_sync");
}
__forceinline__ int __any_sync(unsigned long mask, int predicate, HT_PLACE) {
    return ht_ballot(mask, predicate != 0, file, line, "__any_sync") != 0;
}
__forceinline__ int __all_sync(unsigned long mask, int predicate, HT_PLACE) {
    return ht_ballot(mask, predicate == 0, file, line, "__all_sync") == 0;
}

/* Any trivially copyable value of up to 8 bytes travels in a register. */
template <class T>
__forceinline__ T ht_shuffle(unsigned long mask, T value, unsigned source, const char *file,
                             int line, const char *what) {
    static_assert(sizeof(T) <= 8, "a shuffled value has at most 8 bytes");
    unsigned long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits =
        ht_device_wave(source < 64 ? source : (unsigned)HT_WAVE_NONE, mask, bits, file, line, what);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
__forceinline__ unsigned ht_lane_at(int lane, int width) {
    int self = (int)__lane_id();
    return (unsigned)((lane & (width - 1)) + (self & ~(width - 1)));
}
__forceinline__ unsigned ht_lane_up(unsigned delta, int width) {
    int self = (int)__lane_id(), lane = self - (int)delta;
    return (unsigned)(lane < (self & ~(width - 1)) ? self : lane);
}
__forceinline__ unsigned ht_lane_down(unsigned delta, int width) {
    int self = (int)__lane_id();
    return (unsigned)((self & (width - 1)) + (int)delta >= width ? self : self + (int)delta);
}
__forceinline__ unsigned ht_lane_xor(int mask, int width) {
    int self = (int)__lane_id(), lane = self ^ mask;
    return (unsigned)(lane >= ((self + width) & ~(width - 1)) ? self : lane);
}
#define HT_SHUFFLE(name, argument, lane)                                                           \
    template <class T> __forceinline__ T name(T value, argument, int width = warpSize, HT_PLACE) { \
        return ht_shuffle(ht_all_lanes, value, lane, file, line, #name);                           \
    }                                                                                              \
    template <class T>                                                                             \
    __forceinline__ T name##_sync(unsigned long mask, T value, argument, int width = warpSize,     \
                                  HT_PLACE) {                                                      \
        return ht_shuffle(mask, value, lane, file, line, #name "_sync");                           \
    }
HT_SHUFFLE(__shfl, int from, ht_lane_at(from, width))
HT_SHUFFLE(__shfl_up, unsigned delta, ht_lane_up(delta, width))
HT_SHUFFLE(__shfl_down, unsigned delta, ht_lane_down(delta, width))
HT_SHUFFLE(__shfl_xor, int lanes, ht_lane_xor(lanes, width))
#undef HT_SHUFFLE

__forceinline__ long long clock64() {
    return (long long)__builtin_readcyclecounter();
}
__forceinline__ long long wall_clock64() {
    return (long long)__builtin_readcyclecounter();
}
__forceinline__ void __trap() {
    ht_device_fail("__trap()", "kernel", 0);
}

template <class... Rest> __forceinline__ void ht_launch_bounds(long long threads, Rest...) {
    if (__builtin_expect(ht_word_of(&ht_device_state.threads, 0) > (unsigned)threads, 0))
        ht_device_exceeded((unsigned)threads);
}

#ifdef HT_CHECKED
__forceinline__ bool ht_thread_start() {
    return ht_device_next_thread() != 0;
}
#else
/* Takes the next thread of the block; false when all have been started. */
__forceinline__ bool ht_thread_start() {
    struct ht_device_state &state = ht_device_state;
    unsigned x = state.next[0], y = state.next[1], z = state.next[2];
    if (z == state.size[2])
        return false;
    state.thread[0] = ht_word(x);
    state.thread[1] = ht_word(y);
    state.thread[2] = ht_word(z);
    if (__builtin_expect(++x == state.size[0], 0)) {
        x = 0;
        if (++y == state.size[1]) {
            y = 0;
            state.next[2] = ht_word(z + 1);
        }
        state.next[1] = ht_word(y);
    }
    state.next[0] = ht_word(x);
    return true;
}
#endif

#ifdef HT_CHECKED
static constexpr unsigned ht_checked = 1;
#else
static constexpr unsigned ht_checked = 0;
#endif
template <size_t... I> struct ht_indices {};
template <class T, T... I> using ht_indices_of = ht_indices<I...>;

/* The entry of a name expression: a kernel, or the address of a variable. */
template <auto Name, class T = decltype(Name)> struct ht_entry;
template <auto Kernel, class... A> struct ht_entry<Kernel, void (*)(A...)> {
    HT_UNCHECKED static void loop(A... a) {
        while (ht_thread_start()) {
            Kernel(a...);
            if (__builtin_expect(ht_device_state.waited, 0))
                ht_device_thread_end();
        }
    }
    template <size_t... I>
    HT_UNCHECKED static void unpack(void *const *arguments, ht_indices<I...>) {
        (void)arguments;
        loop(*(A *)arguments[I]...);
    }
    HT_UNCHECKED static void run(void *const *arguments) {
        unpack(arguments, __make_integer_seq<ht_indices_of, size_t, sizeof...(A)>());
    }
    static constexpr struct ht_device_entry make(const char *name) {
        return {HT_DEVICE_ABI, warpSize, 0, sizeof...(A), ht_checked, name, run, nullptr, 0};
    }
};
template <auto Kernel, class... A>
struct ht_entry<Kernel, void (*)(A...) noexcept> : ht_entry<(void (*)(A...))Kernel> {};
template <auto Address, class T> struct ht_entry<Address, T *> {
    static constexpr struct ht_device_entry make(const char *name) {
        return {HT_DEVICE_ABI, warpSize, 0, 0, ht_checked, name, nullptr, (void *)Address, sizeof(T)};
    }
};
#define HT_ENTRY(symbol)                                                                           \
    extern "C" __attribute__((visibility("default"))) const struct ht_device_entry symbol;         \
    const struct ht_device_entry symbol
#endif
