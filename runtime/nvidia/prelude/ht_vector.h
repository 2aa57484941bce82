/* Component-wise operators of char1 to double4, which HIP has and CUDA has not: + - * / of two
 * vectors or a vector and a number, their assignments, negation, == and !=. */
#ifndef HT_VECTOR_H
#define HT_VECTOR_H

/* Number and element of a vector type; other classes have none and keep their own operators. */
template <class V> struct ht_vector {};
#define HT_VECTOR(name, T, count)                                                                  \
    template <> struct ht_vector<name##count> {                                                    \
        typedef T element;                                                                         \
        static constexpr int size = count;                                                         \
    };
#define HT_VECTORS(name, T)                                                                        \
    HT_VECTOR(name, T, 1) HT_VECTOR(name, T, 2) HT_VECTOR(name, T, 3) HT_VECTOR(name, T, 4)
HT_VECTORS(char, signed char)
HT_VECTORS(uchar, unsigned char)
HT_VECTORS(short, short)
HT_VECTORS(ushort, unsigned short)
HT_VECTORS(int, int)
HT_VECTORS(uint, unsigned int)
HT_VECTORS(longlong, long long)
HT_VECTORS(ulonglong, unsigned long long)
HT_VECTORS(float, float)
HT_VECTORS(double, double)
#undef HT_VECTOR
#undef HT_VECTORS

template <class V, class E = typename ht_vector<V>::element>
__device__ __forceinline__ V ht_splat(E value) {
    V v;
    v.x = value;
    if constexpr (ht_vector<V>::size > 1)
        v.y = value;
    if constexpr (ht_vector<V>::size > 2)
        v.z = value;
    if constexpr (ht_vector<V>::size > 3)
        v.w = value;
    return v;
}

#define HT_OPERATOR(op)                                                                            \
    template <class V, class E = typename ht_vector<V>::element>                                   \
    __device__ __forceinline__ V &operator op##=(V & a, const V & b) {                             \
        a.x op## = b.x;                                                                            \
        if constexpr (ht_vector<V>::size > 1)                                                      \
            a.y op## = b.y;                                                                        \
        if constexpr (ht_vector<V>::size > 2)                                                      \
            a.z op## = b.z;                                                                        \
        if constexpr (ht_vector<V>::size > 3)                                                      \
            a.w op## = b.w;                                                                        \
        return a;                                                                                  \
    }                                                                                              \
    template <class V>                                                                             \
    __device__ __forceinline__ V &operator op##=(V & a, typename ht_vector<V>::element b) {        \
        return a op## = ht_splat<V>(b);                                                            \
    }                                                                                              \
    template <class V, class E = typename ht_vector<V>::element>                                   \
    __device__ __forceinline__ V operator op(V a, const V &b) {                                    \
        return a op## = b;                                                                         \
    }                                                                                              \
    template <class V>                                                                             \
    __device__ __forceinline__ V operator op(V a, typename ht_vector<V>::element b) {              \
        return a op## = ht_splat<V>(b);                                                            \
    }                                                                                              \
    template <class V>                                                                             \
    __device__ __forceinline__ V operator op(typename ht_vector<V>::element a, const V &b) {       \
        V whole = ht_splat<V>(a);                                                                  \
        return whole op## = b;                                                                     \
    }
HT_OPERATOR(+)
HT_OPERATOR(-)
HT_OPERATOR(*)
HT_OPERATOR(/)
#undef HT_OPERATOR

template <class V, class E = typename ht_vector<V>::element>
__device__ __forceinline__ V operator-(const V &a) {
    return ht_splat<V>(-1) * a; /* 0 - a would make 0 of -0 */
}
template <class V, class E = typename ht_vector<V>::element>
__device__ __forceinline__ bool operator==(const V &a, const V &b) {
    bool same = a.x == b.x;
    if constexpr (ht_vector<V>::size > 1)
        same = same && a.y == b.y;
    if constexpr (ht_vector<V>::size > 2)
        same = same && a.z == b.z;
    if constexpr (ht_vector<V>::size > 3)
        same = same && a.w == b.w;
    return same;
}
template <class V, class E = typename ht_vector<V>::element>
__device__ __forceinline__ bool operator!=(const V &a, const V &b) {
    return !(a == b);
}

#endif
