/* <hip/hip_bfloat16.h>, which no runtime compiler can read: it includes <ostream>. */
#ifndef HT_BFLOAT16_H
#define HT_BFLOAT16_H

/* Units include this after their own macros: no identifier here may be one that people define. */
struct hip_bfloat16 {
    unsigned short data;
    __host__ __device__ hip_bfloat16() = default;
    explicit __host__ __device__ hip_bfloat16(float f) : data(ht_round(f)) {}
    __host__ __device__ operator float() const {
        union {
            unsigned ht_bits;
            float ht_real;
        } u = {(unsigned)data << 16};
        return u.ht_real;
    }
    static __host__ __device__ hip_bfloat16 round_to_bfloat16(float f) {
        return hip_bfloat16(f);
    }
    /* To nearest, ties to even; what is not a number stays that. */
    static __host__ __device__ unsigned short ht_round(float f) {
        union {
            float ht_real;
            unsigned ht_bits;
        } u = {f};
        const unsigned ht_near = u.ht_bits + 0x7fff + ((u.ht_bits >> 16) & 1);
        const unsigned ht_kept = u.ht_bits | ((u.ht_bits & 0xffff) != 0) << 16;
        /* no branch, so that the lanes that take part do not depend on data */
        u.ht_bits = (~u.ht_bits & 0x7f800000) != 0 ? ht_near : ht_kept;
        return (unsigned short)(u.ht_bits >> 16);
    }
};
inline __host__ __device__ hip_bfloat16 operator-(hip_bfloat16 a) {
    a.data ^= 0x8000;
    return a;
}
#define HT_BFLOAT_OPERATOR(op)                                                                     \
    inline __host__ __device__ hip_bfloat16 operator op(hip_bfloat16 a, hip_bfloat16 b) {          \
        return hip_bfloat16((float)a op(float) b);                                                 \
    }                                                                                              \
    inline __host__ __device__ hip_bfloat16 &operator op##=(hip_bfloat16 & a, hip_bfloat16 b) {    \
        return a = a op b;                                                                         \
    }
#define HT_BFLOAT_COMPARISON(op)                                                                   \
    inline __host__ __device__ bool operator op(hip_bfloat16 a, hip_bfloat16 b) {                  \
        return (float)a op(float) b;                                                               \
    }
HT_BFLOAT_OPERATOR(+)
HT_BFLOAT_OPERATOR(-)
HT_BFLOAT_OPERATOR(*)
HT_BFLOAT_OPERATOR(/)
HT_BFLOAT_COMPARISON(<)
HT_BFLOAT_COMPARISON(<=)
HT_BFLOAT_COMPARISON(>)
HT_BFLOAT_COMPARISON(>=)
HT_BFLOAT_COMPARISON(==)
HT_BFLOAT_COMPARISON(!=)
#undef HT_BFLOAT_OPERATOR
#undef HT_BFLOAT_COMPARISON

#endif
