// Guards and control flow.
#include <hip/hip_runtime.h>

#define RUN(kernel, ...)                                                                                               \
    void run_##kernel(const float *in, const float *w, float *out, int W, int H) {                                     \
        (void)w;                                                                                                       \
        hipLaunchKernelGGL(kernel, dim3((W + 15) / 16, H), dim3(16), 0, 0, __VA_ARGS__);                               \
    }

// both bounds of a stencil
__global__ void stencil(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x == 0 && y > H)
        return;
    if (x < 1 || x >= W - 1 || y == 0 || y >= H - 1)
        return;
    out[y * W + x] = in[y * W + x - 1] + in[y * W + x + 1] - 2.f * in[y * W + x] + in[(y - 1) * W + x] * in[(y + 1) * W + x];
}
void run_stencil(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(stencil, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// guards in two ifs, with declarations between
__global__ void two_guards(const float *in, float *out, int W, int H) {
    const int y = blockIdx.y;
    if (y >= H)
        return;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int left = x - 2; // may be negative
    if (x > W - 1)
        return;
    const int offset = y * W;
    if (left < 0)
        return;
    out[offset + x] = in[offset + left] + in[offset + x];
}
void run_two_guards(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(two_guards, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// the guard stands behind the reads
__global__ void late_guard(const float *in, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    float sum = 0.f;
    for (int s = 0; s < 4; ++s)
        sum += in[y * (W + 20) + x + s];
    if (x < W && y < H)
        out[y * W + x] = sum;
}
void run_late_guard(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(late_guard, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void negated_guard(const float *in, float *out, int W, int H) {
    const auto x = threadIdx.x + blockIdx.x * blockDim.x;
    if (!(x < (unsigned)W && blockIdx.y < (unsigned)H))
        return;
    out[blockIdx.y * W + x] = in[x] * 3.f;
}
void run_negated_guard(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(negated_guard, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// an early return that differs between neighbours
__global__ void masked(const float *in, const float *mask, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= W || y >= H) return;
    float v = in[y * W + x];
    if (mask[(y * W + x) % 50] < 0.f)
        return;
    for (int i = 0; i < 3; ++i) {
        v = v * 0.5f + mask[i];
        if (v > 0.9f)
            return;
    }
    out[y * W + x] = v;
}
void run_masked(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(masked, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, w, out, W, H);
}

// loops left early
__global__ void breaks(const float *in, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < W) {
        float sum = 0.f;
        int steps = 0;
        for (int i = 0; i < 8; ++i) {
            if (i == 6)
                break;
            if (in[y * W + x + i] > 0.7f)
                break;
            sum += in[y * W + x + i];
            ++steps;
        }
        int k = 0;
        while (k < 5) {
            ++k;
            if (k == 2) continue;
            if (in[x + k] < -0.5f) {
                steps += k;
                continue;
            }
            sum -= in[x + k];
        }
        out[y * W + x] = sum + steps;
    }
}
void run_breaks(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(breaks, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// trip counts that depend on x, do-while, switch, ternaries
__global__ void mixed_loops(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float a = 0.f, b = x % 2 ? 1.f : -1.f;
    for (int i = 0; i <= x % 5; ++i)
        a += in[i + x];
    int n = x % 4;
    do {
        b = b * 1.5f + (n > 1 ? in[n] : in[x + n]);
    } while (n-- > 0);
    switch (x % 3) {
    case 0:
        a = -a;
        break;
    case 1:
        b += a;
    default:
        a *= 2.f;
    }
    switch (y % 2) {
    case 0:
        a += in[x];
        break;
    default:
        break;
    }
    out[y * W + x] = a + b;
}
void run_mixed_loops(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(mixed_loops, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// a counter that all outputs share, and one that they do not
__global__ void counters(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    int wi = 0, taken = 0;
    float sum = 0.f;
    for (int r = 0; r < 3; ++r) {
        for (int s = 0; s < 3; ++s) {
            const int ix = x + s - 1;
            if (ix >= 0 && ix < W) {
                sum += in[(y + r) * W + ix] * w[wi];
                ++taken;
            }
            wi++;
        }
        sum *= w[wi++];
    }
    out[y * W + x] = sum / (taken + wi);
}
void run_counters(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(counters, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, w, out, W, H);
}

// nested conditions that are the same for all outputs, with returns inside
__global__ void uniform_branches(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W)
        return;
    if (y % 3 == 0) {
        out[y * W + x] = in[x];
        if (y > 2)
            return;
    } else if (y % 3 == 1) {
        out[y * W + x] = in[x + 1];
    } else {
        float v = in[x + 2];
        v += 1.f;
        if (v > 1.f) {
            v *= 2.f;
        } else
            v -= in[x];
        out[y * W + x] = v;
        return;
    }
    out[H * W + y * W + x] = 1.f;
}
void run_uniform_branches(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(uniform_branches, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void several_outputs(const float *in, float *sum, float *dif, float *prod, int W, int H)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y;
	if (W <= x || H <= y)
		return;
	float a = in[y * W + x], b = in[y * W + x + 1]; /* two of them */
	sum[y * W + x] = a + b;
	dif[y * W + x] = a - b;
	if (y % 2)
		prod[y * W + x] = a * b;
}
void run_several_outputs(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(several_outputs, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, out + W * H, out + 2 * W * H, W, H);
}

// read and written: only one after the other
__global__ void in_place(const float *in, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < W && y < H) {
        out[y * W + x] = out[y * W + x] * 0.5f + in[x];
        if (out[y * W + x] < 0.f)
            return;
        for (int i = 0; i < 2; ++i) {
            out[y * W + x] += in[i];
            if (out[y * W + x] > 1.f)
                return;
        }
        out[y * W + x] = -1.f;
    }
}
void run_in_place(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(in_place, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void histogram(const float *in, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= W)
        return;
    int bin = in[blockIdx.y * W + x] > 0.f;
    atomicAdd(&out[bin], 1.f);
}
void run_histogram(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(histogram, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// a condition with a name
__global__ void named_guard(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    const bool inside = x < W && y < H;
    if (!inside)
        return;
    float sum = 0.f;
    for (int s = -1; s < 2; ++s) {
        const int ix = x + s;
        const bool known = ix >= 0 && ix < W;
        if (known)
            sum += in[y * W + ix];
    }
    out[y * W + x] = sum;
}
void run_named_guard(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(named_guard, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// bounds that change between the guards
__global__ void changing_bounds(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y, bound = W;
    const bool fits = x < bound;
    if (x >= bound)
        return;
    bound = bound / 2 + 1;
    H -= 1;
    if (y > H)
        return;
    y += 1;
    bound += y;
    if (fits)
        out[blockIdx.y * W + x] = in[x] * bound + y;
    if (x < bound)
        out[2 * W * (H + 1) + blockIdx.y * W + x] = H;
}
void run_changing_bounds(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(changing_bounds, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void changing_named_bound(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    int bound = W;
    const bool fits = x < bound;
    bound = 0;
    if (x >= W) return;
    if (fits) {
        out[blockIdx.y * W + x] = in[x] + bound + H;
    }
}
void run_changing_named_bound(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(changing_named_bound, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// tests for padding without braces, with strides of either sign
__global__ void unbraced_tests(const float *in, const float *w, float *out, int W, int H, int stride) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x < W) {
        float sum = 0.f;
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s)
                if (x * stride + s - 2 >= 0 && x * stride + s - 2 < W && y + r < H)
                    sum += in[(y + r) * W + x * stride + s - 2] * w[r * 3 + s];
        for (int s = 0; s < 9; ++s) {
            const int ix = W - 1 - (x + s) * 2, back = ix + 1;
            if (ix < 0)
                continue;
            if (back > W - 2)
                continue;
            sum -= in[y * W + ix];
        }
        out[y * W + x] = sum;
    }
}
void run_unbraced_tests(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(unbraced_tests, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, w, out, W, H, W % 2 ? -1 : 2);
}

// what may fault is run only by the threads that the original lets run it
__global__ void guarded_reads(const float *in, const int *counts, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    const int count = counts[y];
    if (x >= count)
        return;
    const int step = W / count; // count is 0 for some rows
    if (y >= H)
        return;
    out[y * W + x] = in[x * step] + counts[y] % count;
}
void run_guarded_reads(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    int counts[16];
    for (int i = 0; i < 16; ++i)
        counts[i] = i % 2 ? 0 : std::min(W, i + 3);
    const int *c = counts;
    hipLaunchKernelGGL(guarded_reads, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, c, out, W, H);
}

__global__ void guarded_condition(const float *in, const int *counts, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x < counts[y] && W / counts[y] > 0 && y < H)
        out[y * W + x] = in[x];
}
void run_guarded_condition(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    int counts[16];
    for (int i = 0; i < 16; ++i)
        counts[i] = i % 2 ? 0 : std::min(W, i + 3);
    const int *c = counts;
    hipLaunchKernelGGL(guarded_condition, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, c, out, W, H);
}

// what is the same for all outputs of a thread leaves their loop, also from after a test of the output
__global__ void same_after_tests(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    const int third = W / (1 + y % 3);
    const int from = x + 3;
    if (from >= W)
        return;
    const float v = in[y * W + from];
    const float part = H / 8.0f, rest = 1.0f - part;
    const float weight = w[third];
    out[y * W + x] = v * part + rest * weight;
}
void run_same_after_tests(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(same_after_tests, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, w, out, W, H);
}
