// merge_attn_states of an LLM server: two partial results of attention, over a prefix and a suffix
// of the keys, become one, by the logarithms of their sums of exponentials (lse). A thread for each
// element of a token's head.
#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#ifndef SCALAR
#define SCALAR float // or __half, hip_bfloat16
#endif
typedef SCALAR scalar;

__global__ void merge_attn_states_lse(scalar *out, float *out_lse, const scalar *prefix,
                                      const float *prefix_lse, const scalar *suffix,
                                      const float *suffix_lse, int tokens, int heads, int size) {
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
    out[i] = scalar(float(prefix[i]) * (p_exp / sum) + float(suffix[i]) * (s_exp / sum));
    if (i % size == 0)
        out_lse[head * tokens + token] = logf(sum) + most;
}

void launch_merge_attn_states_lse(scalar *out, float *out_lse, const scalar *prefix,
                                  const float *prefix_lse, const scalar *suffix,
                                  const float *suffix_lse, int tokens, int heads, int size) {
    merge_attn_states_lse<<<(tokens * heads * size + 255) / 256, 256>>>(
        out, out_lse, prefix, prefix_lse, suffix, suffix_lse, tokens, heads, size);
}
