/* Atomics, relaxed as HIP's are: on global memory and, though one OS thread runs a block, on shared
 * memory. */
#ifndef HT_ATOMIC_H
#define HT_ATOMIC_H

#include "ht_core.h"

/* The second argument is never deduced, so that atomicAdd(&float_total, 1) means what it says. */
template <class T> struct ht_plain {
    using type = T;
};
template <class T> using ht_plain_t = typename ht_plain<T>::type;

template <class T, class F> __forceinline__ T ht_atomic_update(T *at, F f) {
    T seen = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(at, &seen, f(seen), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return seen;
}
/* Floating point goes through integers of its size: comparison must be of bits. */
template <class T, class I, class F> __forceinline__ T ht_atomic_update_as(T *at, F f) {
    return ht_bits<T>(
        ht_atomic_update((I *)at, [&](I bits) { return ht_bits<I>((T)f(ht_bits<T>(bits))); }));
}
template <class T, class F> __forceinline__ T ht_atomic(T *at, F f) {
    if constexpr (ht_same<T, float>)
        return ht_atomic_update_as<T, unsigned>(at, f);
    else if constexpr (ht_same<T, double>)
        return ht_atomic_update_as<T, unsigned long>(at, f);
    else
        return ht_atomic_update(at, f);
}

#define HT_ATOMIC(name, integer, otherwise)                                                        \
    template <class T> __forceinline__ T name(T *at, ht_plain_t<T> value) {                        \
        if constexpr (ht_integer<T>)                                                               \
            return integer;                                                                        \
        else                                                                                       \
            return ht_atomic(at, [=](T seen) { return otherwise; });                               \
    }                                                                                              \
    template <class T> __forceinline__ T name##_system(T *at, ht_plain_t<T> value) {               \
        return name(at, value);                                                                    \
    }                                                                                              \
    template <class T> __forceinline__ T name##_block(T *at, ht_plain_t<T> value) {                \
        return name(at, value);                                                                    \
    }
HT_ATOMIC(atomicAdd, __atomic_fetch_add(at, value, __ATOMIC_RELAXED), seen + value)
HT_ATOMIC(atomicSub, __atomic_fetch_sub(at, value, __ATOMIC_RELAXED), seen - value)
HT_ATOMIC(atomicMin, __atomic_fetch_min(at, value, __ATOMIC_RELAXED), value < seen ? value : seen)
HT_ATOMIC(atomicMax, __atomic_fetch_max(at, value, __ATOMIC_RELAXED), value > seen ? value : seen)
HT_ATOMIC(atomicExch, __atomic_exchange_n(at, value, __ATOMIC_RELAXED), value)
#undef HT_ATOMIC
#define HT_ATOMIC_BITS(name, builtin)                                                              \
    template <class T> __forceinline__ T name(T *at, ht_plain_t<T> value) {                        \
        return builtin(at, value, __ATOMIC_RELAXED);                                               \
    }
HT_ATOMIC_BITS(atomicAnd, __atomic_fetch_and)
HT_ATOMIC_BITS(atomicOr, __atomic_fetch_or)
HT_ATOMIC_BITS(atomicXor, __atomic_fetch_xor)
#undef HT_ATOMIC_BITS

template <class T> __forceinline__ T atomicCAS(T *at, ht_plain_t<T> expected, ht_plain_t<T> value) {
    if constexpr (ht_same<T, float>) {
        return ht_bits<float>(
            atomicCAS((unsigned *)at, ht_bits<unsigned>(expected), ht_bits<unsigned>(value)));
    } else if constexpr (ht_same<T, double>) {
        return ht_bits<double>(atomicCAS((unsigned long *)at, ht_bits<unsigned long>(expected),
                                         ht_bits<unsigned long>(value)));
    } else {
        __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
        return expected;
    }
}
__forceinline__ unsigned atomicInc(unsigned *at, unsigned limit) {
    return ht_atomic_update(at, [=](unsigned seen) { return seen >= limit ? 0u : seen + 1; });
}
__forceinline__ unsigned atomicDec(unsigned *at, unsigned limit) {
    return ht_atomic_update(
        at, [=](unsigned seen) { return seen == 0 || seen > limit ? limit : seen - 1; });
}
template <class T> __forceinline__ T unsafeAtomicAdd(T *at, ht_plain_t<T> value) {
    return atomicAdd(at, value);
}
template <class T> __forceinline__ T safeAtomicAdd(T *at, ht_plain_t<T> value) {
    return atomicAdd(at, value);
}
template <class T> __forceinline__ void atomicAddNoRet(T *at, ht_plain_t<T> value) {
    atomicAdd(at, value);
}

#endif
