// Tests that differ between outputs, in front of loops that do not, or around them.
#include <hip/hip_runtime.h>

#define RUN2(kernel)                                                                               \
    void run_##kernel(const float *in, const float *w, float *out, int W, int H) {                 \
        hipLaunchKernelGGL(kernel, dim3((W + 7) / 8, (H + 3) / 4), dim3(8, 4), 0, 0, in, w, out,   \
                           W, H);                                                                  \
    }

// rows outside are skipped, then columns
__global__ void skipped(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 0.f;
    for (int r = 0; r < 3; ++r) {
        const int iy = y + r - 1;
        if (iy < 0 || iy >= H)
            continue;
        for (int s = 0; s < 3; ++s) {
            const int ix = x + s - 1;
            if (ix < 0 || ix >= W)
                continue;
            for (int c = 0; c < 2; ++c)
                sum += in[(iy * W + ix) * 2 + c] * w[(r * 3 + s) * 2 + c];
        }
    }
    out[y * W + x] = sum;
}
RUN2(skipped)

// loops around which it is asked
__global__ void entered(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 0.f;
    for (int r = 0; r < 3; ++r) {
        const int iy = y + r - 1;
        if (iy >= 0 && iy < H) {
            const float scale = 0.5f * r;
            for (int s = 0; s < 3; ++s) {
                int ix = x + s - 1;
                if (ix >= 0 && ix < W)
                    for (int c = 0; c < 2; ++c)
                        sum += in[(iy * W + ix) * 2 + c] * (w[s * 2 + c] + scale);
            }
        }
        sum *= 0.75f;
    }
    out[y * W + x] = sum;
}
RUN2(entered)

// what is counted behind a test is each output's own; reads behind it are, too
__global__ void counted(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 0.f;
    int seen = 0;
    for (int r = 0; r < 4; ++r) {
        if ((x + r) % 3 == 0)
            continue;
        const float weight = w[r];
        ++seen;
        for (int s = 0; s < 3; ++s)
            sum += in[y * W + x + s] * weight + seen;
        sum -= seen * 0.25f;
    }
    out[y * W + x] = sum + 16 * seen;
}
RUN2(counted)

// loops behind the test are left early: alike for all, or not
__global__ void left(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 0.f;
    for (int r = 0; r < 4; ++r) {
        if (y % 4 == r)
            continue;
        for (int s = 0; s < 5; ++s) {
            if (s == r + 1)
                break;
            if (s % 2 == r % 2)
                continue;
            sum += in[y * W + x + s] * w[s];
        }
        for (int s = 0; s < 3; ++s) {
            sum += in[y * W + x + s];
            if (sum > 2.f)
                break;
        }
        for (int s = 0; s < 3; ++s)
            sum += s * 0.5f;
    }
    out[y * W + x] = sum;
}
RUN2(left)

// the loop itself is left behind the test: only by outputs that pass it
__global__ void ended(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 0.f;
    for (int r = 0; r < 5; ++r) {
        if (x % 3 != r % 3)
            continue;
        for (int s = 0; s < 3; ++s)
            sum += in[y * W + x + s] * w[r];
        if (r > 1)
            break;
    }
    for (int r = 0; r < 3; ++r) {
        if (x % 2) {
            for (int s = 0; s < 2; ++s)
                sum += in[y * W + x + s];
            if (r == 1)
                continue;
        }
        sum *= 1.5f;
    }
    out[y * W + x] = sum;
}
RUN2(ended)

// what is asked changes on the way: the test stays where it is
__global__ void moving(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 0.f;
    int limit = 2;
    for (int r = 0; r < 4; ++r) {
        if (x % 8 > limit)
            continue;
        for (int s = 0; s < 3; ++s) {
            limit += s;
            sum += in[y * W + x + s] * w[r];
        }
    }
    out[y * W + x] = sum + limit;
}
RUN2(moving)

// with something else to do, with a test of memory, with one that a macro writes
#define OUTSIDE(i, n) ((i) < 0 || (i) >= (n))
__global__ void other(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 0.f;
    for (int r = 0; r < 3; ++r) {
        const int iy = y + r - 1;
        if (iy < 0) {
            for (int s = 0; s < 2; ++s)
                sum += w[s];
        } else {
            for (int s = 0; s < 2; ++s)
                sum -= in[iy * W + x + s];
        }
        if (in[y * W + x + r] > 0.f)
            continue;
        for (int s = 0; s < 2; ++s)
            sum += in[y * W + x + s] * w[s];
        if (OUTSIDE(iy, H))
            continue;
        for (int s = 0; s < 2; ++s)
            sum += in[iy * W + x + s] * w[s];
    }
    out[y * W + x] = sum;
}
RUN2(other)

// two parts of one loop's body that read ahead, with something for all outputs between them
__global__ void twice(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 0.f, most = 0.f;
    for (int r = 0; r < 3; ++r) {
        const int iy = y + r - 1;
        if (iy < 0 || iy >= H)
            continue;
        for (int s = 0; s < 3; ++s) {
            sum += in[iy * W + x + s] * w[s];
            for (int c = 0; c < 2; ++c)
                most += in[c * W + x] * w[c + r];
            sum += most * w[s + 1] + w[s + 2];
        }
    }
    out[y * W + x] = sum + most;
}
RUN2(twice)

// stores in the loop; a loop that counts down by two, of unsigned type
__global__ void stored(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    for (int r = 0; r < 3; ++r) {
        if ((x + y + r) % 2)
            continue;
        for (unsigned s = 4; s > 0; s -= 2)
            out[y * W + x] = in[y * W + x + s] * w[r] + s;
    }
}
RUN2(stored)

// channels on threads, pixels on blocks: weights serve several pixels, some at an edge
__global__ void channels_last(const float *in, const float *w, float *out, int W, int H, int K) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const int q = blockIdx.y;
    if (k >= K)
        return;
    float acc = 0.f;
    for (int r = 0; r < 2; ++r) {
        for (int s = 0; s < 3; ++s) {
            const int ix = q + s - 1;
            if (ix < 0 || ix >= W)
                continue;
            for (int c = 0; c < 3; ++c)
                acc += in[(r * W + ix) * 3 + c] * w[((r * 3 + s) * 3 + c) * K + k];
        }
    }
    out[q * K + k] = acc;
}
void run_channels_last(const float *in, const float *w, float *out, int W, int H) {
    const int K = 13;
    hipLaunchKernelGGL(channels_last, dim3((K + 7) / 8, W), dim3(8), 0, 0, in, w, out, W, H, K);
}
