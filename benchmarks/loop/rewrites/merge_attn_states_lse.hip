// Rewrites of merge_attn_states_lse with fixed constants: a thread for each element or a block for
// each token's head, elements of a thread, fast functions, block size. The first values are close
// to the first version.
#include <hip/hip_runtime.h>

#pragma tune kernel(merge_attn_states_lse)
#pragma tune problem(merge : TOKENS, HEADS, SIZE)
#pragma tune param(FORM : 0..2 = 0)
#pragma tune param(VECTOR : 1, 2, 4, 8 = 1)
#pragma tune param(BLOCK : 256, 32, 64, 128, 512, 1024 = 256)
#pragma tune require(problem.SIZE % VECTOR == 0)
#pragma tune block(BLOCK)
#pragma tune grid(FORM == 1 ? problem.HEADS                                                        \
                  : FORM == 0                                                                      \
                      ? ceil_div(problem.TOKENS * problem.HEADS * problem.SIZE, BLOCK * VECTOR)    \
                      : ceil_div(problem.HEADS * problem.SIZE, BLOCK * VECTOR),                    \
                  FORM == 0 ? 1 : problem.TOKENS)
#pragma tune arg(out : out float[problem.TOKENS * problem.HEADS * problem.SIZE])
#pragma tune arg(out_lse : out float[problem.HEADS * problem.TOKENS])
#pragma tune arg(prefix : in float[problem.TOKENS * problem.HEADS * problem.SIZE])
#pragma tune arg(prefix_lse : in float[problem.HEADS * problem.TOKENS])
#pragma tune arg(suffix : in float[problem.TOKENS * problem.HEADS * problem.SIZE])
#pragma tune arg(suffix_lse : in float[problem.HEADS * problem.TOKENS])
#pragma tune arg(tokens : int = problem.TOKENS)
#pragma tune arg(heads : int = problem.HEADS)
#pragma tune arg(size : int = problem.SIZE)
#pragma tune baseline(merge_attn_states_lse_first : out, out_lse, prefix, prefix_lse, suffix,      \
                      suffix_lse, tokens, heads, size) block(256)                                  \
    grid(ceil_div(problem.TOKENS * problem.HEADS * problem.SIZE, 256))

template <int VECTOR> struct alignas(4 * VECTOR) values {
    float of[VECTOR];
};

template <int VECTOR>
__device__ void some(float *out, float *out_lse, const float *prefix, const float *prefix_lse,
                     const float *suffix, const float *suffix_lse, int tokens, int heads, int size,
                     int token, int head, int at) {
    const int i = (token * heads + head) * size + at;
    const float p = prefix_lse[head * tokens + token];
    const float s = suffix_lse[head * tokens + token];
    const float most = fmaxf(p, s);
    const float p_exp = expf(p - most);
    const float s_exp = expf(s - most);
    const float sum = p_exp + s_exp;
    const float p_part = p_exp / sum, s_part = s_exp / sum;
    const values<VECTOR> a = *(const values<VECTOR> *)(prefix + i);
    const values<VECTOR> b = *(const values<VECTOR> *)(suffix + i);
    values<VECTOR> result;
    for (int k = 0; k < VECTOR; ++k)
        result.of[k] = a.of[k] * p_part + b.of[k] * s_part;
    *(values<VECTOR> *)(out + i) = result;
    if (at == 0)
        out_lse[head * tokens + token] = logf(sum) + most;
}

// The first version: the original of all ways.
__global__ void merge_attn_states_lse_first(float *out, float *out_lse, const float *prefix,
                                            const float *prefix_lse, const float *suffix,
                                            const float *suffix_lse, int tokens, int heads,
                                            int size) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tokens * heads * size)
        return;
    const int token = i / (heads * size);
    const int head = i / size % heads;
    const float p = prefix_lse[head * tokens + token];
    const float s = suffix_lse[head * tokens + token];
    const float most = fmaxf(p, s);
    const float p_exp = expf(p - most);
    const float s_exp = expf(s - most);
    const float sum = p_exp + s_exp;
    out[i] = prefix[i] * (p_exp / sum) + suffix[i] * (s_exp / sum);
    if (i % size == 0)
        out_lse[head * tokens + token] = logf(sum) + most;
}

template <int FORM, int VECTOR, int BLOCK>
__global__ void merge_attn_states_lse(float *out, float *out_lse, const float *prefix,
                                      const float *prefix_lse, const float *suffix,
                                      const float *suffix_lse, int tokens, int heads, int size) {
    const int i = (blockIdx.x * BLOCK + threadIdx.x) * VECTOR;
    if (FORM == 0) {
        if (i < tokens * heads * size)
            some<VECTOR>(out, out_lse, prefix, prefix_lse, suffix, suffix_lse, tokens, heads, size,
                         i / (heads * size), i / size % heads, i % size);
    } else if (FORM == 1) {
        for (int at = threadIdx.x * VECTOR; at < size; at += BLOCK * VECTOR)
            some<VECTOR>(out, out_lse, prefix, prefix_lse, suffix, suffix_lse, tokens, heads, size,
                         blockIdx.y, blockIdx.x, at);
    } else if (i < heads * size) {
        some<VECTOR>(out, out_lse, prefix, prefix_lse, suffix, suffix_lse, tokens, heads, size,
                     blockIdx.y, i / size, i % size);
    }
}
