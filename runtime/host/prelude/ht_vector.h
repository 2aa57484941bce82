/* char1 to double4 with component-wise operators, as HIP has them. */
#ifndef HT_VECTOR_H
#define HT_VECTOR_H

#include "ht_core.h"

/* HIP aligns vectors of 1, 2 and 4 to their size and vectors of 3 to their element. */
template <class T, int N> struct ht_vector;
template <class T> struct alignas(T) ht_vector<T, 1> {
    T x;
    ht_vector() = default;
    constexpr ht_vector(T x) : x(x) {}
};
template <class T> struct alignas(2 * sizeof(T)) ht_vector<T, 2> {
    T x, y;
    ht_vector() = default;
    explicit constexpr ht_vector(T all) : x(all), y(all) {}
    constexpr ht_vector(T x, T y) : x(x), y(y) {}
};
template <class T> struct alignas(T) ht_vector<T, 3> {
    T x, y, z;
    ht_vector() = default;
    explicit constexpr ht_vector(T all) : x(all), y(all), z(all) {}
    constexpr ht_vector(T x, T y, T z) : x(x), y(y), z(z) {}
};
template <class T> struct alignas(4 * sizeof(T)) ht_vector<T, 4> {
    T x, y, z, w;
    ht_vector() = default;
    explicit constexpr ht_vector(T all) : x(all), y(all), z(all), w(all) {}
    constexpr ht_vector(T x, T y, T z, T w) : x(x), y(y), z(z), w(w) {}
};
template <class T, unsigned N> using HIP_vector_type = ht_vector<T, (int)N>;

/* result[i] = f(a[i]) or f(a[i], b[i]). */
template <class T, int N, class F>
__forceinline__ constexpr ht_vector<T, N> ht_each(const ht_vector<T, N> &a, F f) {
    if constexpr (N == 1)
        return {f(a.x)};
    else if constexpr (N == 2)
        return {f(a.x), f(a.y)};
    else if constexpr (N == 3)
        return {f(a.x), f(a.y), f(a.z)};
    else
        return {f(a.x), f(a.y), f(a.z), f(a.w)};
}
template <class T, int N, class F>
__forceinline__ constexpr ht_vector<T, N> ht_each(const ht_vector<T, N> &a,
                                                  const ht_vector<T, N> &b, F f) {
    if constexpr (N == 1)
        return {f(a.x, b.x)};
    else if constexpr (N == 2)
        return {f(a.x, b.x), f(a.y, b.y)};
    else if constexpr (N == 3)
        return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)};
    else
        return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)};
}

#define HT_VECTOR_OPERATOR(op, condition)                                                          \
    template <class T, int N, class = typename ht_if<condition>::type>                             \
    __forceinline__ constexpr ht_vector<T, N> operator op(const ht_vector<T, N> &a,                \
                                                          const ht_vector<T, N> &b) {              \
        return ht_each(a, b, [](T p, T q) { return (T)(p op q); });                                \
    }                                                                                              \
    template <class T, int N, class S, class = typename ht_if<(condition) && ht_number<S>>::type>  \
    __forceinline__ constexpr ht_vector<T, N> operator op(const ht_vector<T, N> &a, S s) {         \
        return a op ht_vector<T, N>((T)s);                                                         \
    }                                                                                              \
    template <class T, int N, class S, class = typename ht_if<(condition) && ht_number<S>>::type>  \
    __forceinline__ constexpr ht_vector<T, N> operator op(S s, const ht_vector<T, N> &a) {         \
        return ht_vector<T, N>((T)s) op a;                                                         \
    }                                                                                              \
    template <class T, int N, class B, class = typename ht_if<condition>::type>                    \
    __forceinline__ constexpr ht_vector<T, N> &operator op##=(ht_vector<T, N> &a, const B & b) {   \
        return a = a op b;                                                                         \
    }
HT_VECTOR_OPERATOR(+, true)
HT_VECTOR_OPERATOR(-, true)
HT_VECTOR_OPERATOR(*, true)
HT_VECTOR_OPERATOR(/, true)
HT_VECTOR_OPERATOR(%, ht_integer<T>)
HT_VECTOR_OPERATOR(&, ht_integer<T>)
HT_VECTOR_OPERATOR(|, ht_integer<T>)
HT_VECTOR_OPERATOR(^, ht_integer<T>)
HT_VECTOR_OPERATOR(<<, ht_integer<T>)
HT_VECTOR_OPERATOR(>>, ht_integer<T>)
#undef HT_VECTOR_OPERATOR

template <class T, int N>
__forceinline__ constexpr ht_vector<T, N> operator-(const ht_vector<T, N> &a) {
    return ht_each(a, [](T p) { return (T)-p; });
}
template <class T, int N>
__forceinline__ constexpr ht_vector<T, N> operator~(const ht_vector<T, N> &a) {
    return ht_each(a, [](T p) { return (T)~p; });
}
template <class T, int N>
__forceinline__ constexpr ht_vector<T, N> &operator++(ht_vector<T, N> &a) {
    return a += (T)1;
}
template <class T, int N>
__forceinline__ constexpr ht_vector<T, N> &operator--(ht_vector<T, N> &a) {
    return a -= (T)1;
}
template <class T, int N>
__forceinline__ constexpr bool operator==(const ht_vector<T, N> &a, const ht_vector<T, N> &b) {
    bool same = a.x == b.x;
    if constexpr (N > 1)
        same = same && a.y == b.y;
    if constexpr (N > 2)
        same = same && a.z == b.z;
    if constexpr (N > 3)
        same = same && a.w == b.w;
    return same;
}
template <class T, int N>
__forceinline__ constexpr bool operator!=(const ht_vector<T, N> &a, const ht_vector<T, N> &b) {
    return !(a == b);
}

#define HT_VECTOR_NAMES(name, T)                                                                   \
    using name##1 = ht_vector<T, 1>;                                                               \
    using name##2 = ht_vector<T, 2>;                                                               \
    using name##4 = ht_vector<T, 4>;                                                               \
    __forceinline__ constexpr name##1 make_##name##1(T x) {                                        \
        return {x};                                                                                \
    }                                                                                              \
    __forceinline__ constexpr name##2 make_##name##2(T x, T y) {                                   \
        return {x, y};                                                                             \
    }                                                                                              \
    __forceinline__ constexpr name##4 make_##name##4(T x, T y, T z, T w) {                         \
        return {x, y, z, w};                                                                       \
    }
#define HT_VECTOR_NAMES_3(name, T)                                                                 \
    using name##3 = ht_vector<T, 3>;                                                               \
    __forceinline__ constexpr name##3 make_##name##3(T x, T y, T z) {                              \
        return {x, y, z};                                                                          \
    }
#define HT_VECTOR_ALL(name, T) HT_VECTOR_NAMES(name, T) HT_VECTOR_NAMES_3(name, T)
HT_VECTOR_ALL(char, char)
HT_VECTOR_ALL(uchar, unsigned char)
HT_VECTOR_ALL(short, short)
HT_VECTOR_ALL(ushort, unsigned short)
HT_VECTOR_ALL(int, int)
HT_VECTOR_ALL(long, long)
HT_VECTOR_ALL(ulong, unsigned long)
HT_VECTOR_ALL(longlong, long long)
HT_VECTOR_ALL(ulonglong, unsigned long long)
HT_VECTOR_ALL(float, float)
HT_VECTOR_ALL(double, double)
HT_VECTOR_NAMES(uint, unsigned)
/* uint3 is a class of its own: dim3 and the indices convert to it before vectors are known. */
struct uint3 : ht_vector<unsigned, 3> {
    uint3() = default;
    using ht_vector<unsigned, 3>::ht_vector;
    constexpr uint3(const ht_vector<unsigned, 3> &v) : ht_vector<unsigned, 3>(v) {}
    constexpr uint3(const dim3 &d) : ht_vector<unsigned, 3>(d.x, d.y, d.z) {}
};
__forceinline__ constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
    return {x, y, z};
}
constexpr dim3::dim3(const uint3 &v) : x(v.x), y(v.y), z(v.z) {}
__forceinline__ ht_thread_index::operator uint3() const {
    return {get_x(), get_y(), get_z()};
}
__forceinline__ ht_block_index::operator uint3() const {
    return {get_x(), get_y(), get_z()};
}
__forceinline__ ht_block_size::operator uint3() const {
    return {get_x(), get_y(), get_z()};
}
__forceinline__ ht_grid_size::operator uint3() const {
    return {get_x(), get_y(), get_z()};
}
#undef HT_VECTOR_NAMES
#undef HT_VECTOR_NAMES_3
#undef HT_VECTOR_ALL

#endif
