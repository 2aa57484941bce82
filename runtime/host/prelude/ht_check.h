/* What the compiler's instrumentation of a checked unit calls: accesses as -fsanitize=thread
 * announces them, checks as -fsanitize=array-bounds,integer-divide-by-zero fail. All of it is passed
 * on to the program; nothing of a sanitizer's own runtime is used. */
#ifndef HT_CHECK_H
#define HT_CHECK_H
#ifdef HT_CHECKED

#include "ht_core.h"

#define HT_CALLBACK                                                                                \
    __attribute__((visibility("hidden"), used, noinline, disable_sanitizer_instrumentation))
#define HT_HERE __builtin_return_address(0)

extern "C" {
HT_CALLBACK void __tsan_init() {}
HT_CALLBACK void __tsan_func_entry(void *) {}
HT_CALLBACK void __tsan_func_exit() {}

#define HT_ACCESSES(bytes)                                                                         \
    HT_CALLBACK void __tsan_read##bytes(void *at) {                                                \
        ht_device_access(at, bytes, HT_ACCESS_READ, HT_HERE);                                      \
    }                                                                                              \
    HT_CALLBACK void __tsan_write##bytes(void *at) {                                               \
        ht_device_access(at, bytes, HT_ACCESS_WRITE, HT_HERE);                                     \
    }
HT_ACCESSES(1)
HT_ACCESSES(2)
HT_ACCESSES(4)
HT_ACCESSES(8)
HT_ACCESSES(16)
#undef HT_ACCESSES
#define HT_ACCESSES(bytes)                                                                         \
    HT_CALLBACK void __tsan_unaligned_read##bytes(void *at) {                                      \
        ht_device_access(at, bytes, HT_ACCESS_READ, HT_HERE);                                      \
    }                                                                                              \
    HT_CALLBACK void __tsan_unaligned_write##bytes(void *at) {                                     \
        ht_device_access(at, bytes, HT_ACCESS_WRITE, HT_HERE);                                     \
    }
HT_ACCESSES(2)
HT_ACCESSES(4)
HT_ACCESSES(8)
HT_ACCESSES(16)
#undef HT_ACCESSES

HT_CALLBACK void *__tsan_memcpy(void *to, const void *from, size_t size) {
    if (size) {
        ht_device_access(from, size, HT_ACCESS_READ, HT_HERE);
        ht_device_access(to, size, HT_ACCESS_WRITE, HT_HERE);
    }
    return __builtin_memcpy(to, from, size);
}
HT_CALLBACK void *__tsan_memmove(void *to, const void *from, size_t size) {
    if (size) {
        ht_device_access(from, size, HT_ACCESS_READ, HT_HERE);
        ht_device_access(to, size, HT_ACCESS_WRITE, HT_HERE);
    }
    return __builtin_memmove(to, from, size);
}
HT_CALLBACK void *__tsan_memset(void *to, int value, size_t size) {
    if (size)
        ht_device_access(to, size, HT_ACCESS_WRITE, HT_HERE);
    return __builtin_memset(to, value, size);
}

/* Threads of a block take turns on one OS thread, so relaxed is enough. */
#define HT_CHECK_ATOMIC(bits, T, name, call, update)                                               \
    HT_CALLBACK T __tsan_atomic##bits##_##name(volatile T *at, T value, int) {                     \
        ht_device_access(at, sizeof(T), HT_ACCESS_WRITE | HT_ACCESS_ATOMIC | (update), HT_HERE);   \
        return call(at, value, __ATOMIC_RELAXED);                                                  \
    }
#define HT_CHECK_ATOMICS(bits, T)                                                                  \
    HT_CALLBACK T __tsan_atomic##bits##_load(const volatile T *at, int) {                          \
        ht_device_access(at, sizeof(T), HT_ACCESS_READ | HT_ACCESS_ATOMIC, HT_HERE);               \
        return __atomic_load_n(at, __ATOMIC_RELAXED);                                              \
    }                                                                                              \
    HT_CALLBACK void __tsan_atomic##bits##_store(volatile T *at, T value, int) {                   \
        ht_device_access(at, sizeof(T), HT_ACCESS_WRITE | HT_ACCESS_ATOMIC, HT_HERE);              \
        __atomic_store_n(at, value, __ATOMIC_RELAXED);                                             \
    }                                                                                              \
    HT_CALLBACK T __tsan_atomic##bits##_compare_exchange_val(volatile T *at, T expected, T value,  \
                                                             int, int) {                           \
        ht_device_access(at, sizeof(T), HT_ACCESS_WRITE | HT_ACCESS_ATOMIC | HT_ACCESS_UPDATE,     \
                         HT_HERE);                                                                 \
        __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED,                 \
                                    __ATOMIC_RELAXED);                                             \
        return expected;                                                                           \
    }                                                                                              \
    HT_CHECK_ATOMIC(bits, T, exchange, __atomic_exchange_n, 0)                                        \
    HT_CHECK_ATOMIC(bits, T, fetch_add, __atomic_fetch_add, HT_ACCESS_UPDATE)                                        \
    HT_CHECK_ATOMIC(bits, T, fetch_sub, __atomic_fetch_sub, HT_ACCESS_UPDATE)                                        \
    HT_CHECK_ATOMIC(bits, T, fetch_and, __atomic_fetch_and, HT_ACCESS_UPDATE)                                        \
    HT_CHECK_ATOMIC(bits, T, fetch_or, __atomic_fetch_or, HT_ACCESS_UPDATE)                                          \
    HT_CHECK_ATOMIC(bits, T, fetch_xor, __atomic_fetch_xor, HT_ACCESS_UPDATE)                                        \
    HT_CHECK_ATOMIC(bits, T, fetch_nand, __atomic_fetch_nand, HT_ACCESS_UPDATE)
HT_CHECK_ATOMICS(8, unsigned char)
HT_CHECK_ATOMICS(16, unsigned short)
HT_CHECK_ATOMICS(32, unsigned)
HT_CHECK_ATOMICS(64, unsigned long)
#undef HT_CHECK_ATOMICS
#undef HT_CHECK_ATOMIC
HT_CALLBACK void __tsan_atomic_thread_fence(int) {}
HT_CALLBACK void __tsan_atomic_signal_fence(int) {}

/* The beginning of what -fsanitize=undefined passes: where it is. */
struct ht_ubsan_place {
    const char *file;
    unsigned line, column;
};
HT_CALLBACK void __ubsan_handle_out_of_bounds_abort(const ht_ubsan_place *place,
                                                    unsigned long index) {
    ht_device_undefined("index", index, place->file, (int)place->line);
}
HT_CALLBACK void __ubsan_handle_divrem_overflow_abort(const ht_ubsan_place *place, unsigned long,
                                                      unsigned long) {
    ht_device_undefined("division by zero", 0, place->file, (int)place->line);
}
}
#undef HT_HERE
#undef HT_CALLBACK

#endif
#endif
