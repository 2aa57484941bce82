/* Put in front of a unit to make its tracked twin; see runtime/reference/twin.h. `size` follows the sum of absolute products. */
#define HT_TRACKED_INLINE __host__ __device__ inline
struct ht_tracked {
    double value, size;
    ht_tracked() = default;
    __host__ __device__ constexpr ht_tracked(double v) : value(v), size(v < 0 ? -v : v) {}
    __host__ __device__ constexpr ht_tracked(double v, double s) : value(v), size(s) {}
    template <typename T> __host__ __device__ constexpr explicit operator T() const {
        return (T)value;
    }
    __host__ __device__ constexpr ht_tracked operator-() const { return {-value, size}; }
    __host__ __device__ constexpr ht_tracked operator+() const { return *this; }
    friend __host__ __device__ constexpr ht_tracked operator+(ht_tracked a, ht_tracked b) {
        return {a.value + b.value, a.size + b.size};
    }
    friend __host__ __device__ constexpr ht_tracked operator-(ht_tracked a, ht_tracked b) {
        return {a.value - b.value, a.size + b.size};
    }
    friend __host__ __device__ constexpr ht_tracked operator*(ht_tracked a, ht_tracked b) {
        return {a.value * b.value, a.size * b.size};
    }
    friend __host__ __device__ constexpr ht_tracked operator/(ht_tracked a, ht_tracked b) {
        return {a.value / b.value, a.size * b.size / (b.value * b.value)};
    }
    friend __host__ __device__ constexpr bool operator==(ht_tracked a, ht_tracked b) {
        return a.value == b.value;
    }
    friend __host__ __device__ constexpr bool operator!=(ht_tracked a, ht_tracked b) {
        return a.value != b.value;
    }
    friend __host__ __device__ constexpr bool operator<(ht_tracked a, ht_tracked b) {
        return a.value < b.value;
    }
    friend __host__ __device__ constexpr bool operator>(ht_tracked a, ht_tracked b) {
        return a.value > b.value;
    }
    friend __host__ __device__ constexpr bool operator<=(ht_tracked a, ht_tracked b) {
        return a.value <= b.value;
    }
    friend __host__ __device__ constexpr bool operator>=(ht_tracked a, ht_tracked b) {
        return a.value >= b.value;
    }
    __host__ __device__ constexpr ht_tracked &operator+=(ht_tracked b) { return *this = *this + b; }
    __host__ __device__ constexpr ht_tracked &operator-=(ht_tracked b) { return *this = *this - b; }
    __host__ __device__ constexpr ht_tracked &operator*=(ht_tracked b) { return *this = *this * b; }
    __host__ __device__ constexpr ht_tracked &operator/=(ht_tracked b) { return *this = *this / b; }
};
HT_TRACKED_INLINE ht_tracked ht_tracked_fma(ht_tracked a, ht_tracked b, ht_tracked c) {
    return a * b + c;
}
HT_TRACKED_INLINE ht_tracked ht_tracked_abs(ht_tracked a) {
    return a.value < 0 ? -a : a;
}
/* Which of two is larger may turn on a rounding error of either, so the result carries the larger size. */
HT_TRACKED_INLINE ht_tracked ht_tracked_max(ht_tracked a, ht_tracked b) {
    return {a.value > b.value ? a.value : b.value, a.size > b.size ? a.size : b.size};
}
HT_TRACKED_INLINE ht_tracked ht_tracked_min(ht_tracked a, ht_tracked b) {
    return {a.value < b.value ? a.value : b.value, a.size > b.size ? a.size : b.size};
}
HT_TRACKED_INLINE ht_tracked fma(ht_tracked a, ht_tracked b, ht_tracked c) {
    return ht_tracked_fma(a, b, c);
}
HT_TRACKED_INLINE ht_tracked fabs(ht_tracked a) {
    return ht_tracked_abs(a);
}
HT_TRACKED_INLINE ht_tracked abs(ht_tracked a) {
    return ht_tracked_abs(a);
}
HT_TRACKED_INLINE ht_tracked fmax(ht_tracked a, ht_tracked b) {
    return ht_tracked_max(a, b);
}
HT_TRACKED_INLINE ht_tracked max(ht_tracked a, ht_tracked b) {
    return ht_tracked_max(a, b);
}
HT_TRACKED_INLINE ht_tracked fmin(ht_tracked a, ht_tracked b) {
    return ht_tracked_min(a, b);
}
HT_TRACKED_INLINE ht_tracked min(ht_tracked a, ht_tracked b) {
    return ht_tracked_min(a, b);
}
HT_TRACKED_INLINE ht_tracked __ldg(const ht_tracked *pointer) {
    return *pointer;
}
/* Two additions, each atomic: nobody reads a sum in progress. */
__device__ inline void atomicAdd(ht_tracked *to, ht_tracked what) {
    atomicAdd(&to->value, what.value);
    atomicAdd(&to->size, what.size);
}
struct ht_tracked2 {
    ht_tracked x, y;
};
struct ht_tracked3 {
    ht_tracked x, y, z;
};
struct ht_tracked4 {
    ht_tracked x, y, z, w;
};
HT_TRACKED_INLINE ht_tracked2 ht_make_tracked2(ht_tracked x, ht_tracked y) {
    return {x, y};
}
HT_TRACKED_INLINE ht_tracked3 ht_make_tracked3(ht_tracked x, ht_tracked y, ht_tracked z) {
    return {x, y, z};
}
HT_TRACKED_INLINE ht_tracked4 ht_make_tracked4(ht_tracked x, ht_tracked y, ht_tracked z,
                                               ht_tracked w) {
    return {x, y, z, w};
}
#define float ht_tracked
#define float2 ht_tracked2
#define float3 ht_tracked3
#define float4 ht_tracked4
#define make_float2 ht_make_tracked2
#define make_float3 ht_make_tracked3
#define make_float4 ht_make_tracked4
#define fmaf ht_tracked_fma
#define __fmaf_rn ht_tracked_fma
#define fabsf ht_tracked_abs
#define fmaxf ht_tracked_max
#define fminf ht_tracked_min
