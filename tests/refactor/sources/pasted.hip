// Kernels whose names are pasted together; the work is in a device function.
#include <hip/hip_runtime.h>

template <bool packed, typename in_t, typename acc_t, typename out_t>
__device__ inline void conv_body(const in_t *__restrict__ in, const in_t *__restrict__ wt, out_t *__restrict__ out,
                                 int h, int w, int oh, int ow, int c, int k, int r, int s)
{
    const int block = blockIdx.x;
    const int ik = block % k;
    const int n = block / k;
    for (int t = threadIdx.x; t < oh * ow; t += blockDim.x) {
        const int iy = t / ow, ix = t % ow;
        acc_t value = 0;
        for (int ic = 0; ic < c; ++ic)
            for (int y = 0; y < r; ++y)
                for (int x = 0; x < s; ++x)
                    value += acc_t(in[((n * c + ic) * h + iy + y) * w + ix + x]) *
                             acc_t(wt[((ik * c + ic) * r + y) * s + x]);
        if constexpr (packed)
            out[((n * k + ik) * oh + iy) * ow + ix] = out_t(value);
        else
            out[((n * k + ik) * oh + iy) * ow + ix] = out_t(value + 0);
    }
}

#define DEFINE_CONV(dir, layout, in_t, acc_t, out_t)                                                      \
    extern "C" __global__ void conv_##dir##_##layout##_##in_t##_##out_t(                                  \
        const in_t *__restrict__ in, const in_t *__restrict__ wt, out_t *__restrict__ out, int h, int w,  \
        int oh, int ow, int c, int k, int r, int s)                                                       \
    {                                                                                                     \
        conv_body<true, in_t, acc_t, out_t>(in, wt, out, h, w, oh, ow, c, k, r, s);                       \
    }

DEFINE_CONV(fwd, nchw, float, double, float)
DEFINE_CONV(fwd, nchw, int, int, int)
