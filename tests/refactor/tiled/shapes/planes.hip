// Kernels with an output per thread in two or three dimensions, guarded and written in many ways.
#include <hip/hip_runtime.h>

#define RUN2(kernel)                                                                               \
    void run_##kernel(const float *in, const float *w, float *out, int W, int H) {                 \
        hipLaunchKernelGGL(kernel, dim3((W + 7) / 8, (H + 3) / 4), dim3(8, 4), 0, 0, in, w, out,   \
                           W, H);                                                                  \
    }

// inside of the plane only: bounds below, too
__global__ void five_points(const float *in, const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 1 && x < W - 1 && y > 0 && y < H - 1) {
        float c = in[y * W + x];
        float sides = in[y * W + x - 1] + in[y * W + x + 1];
        float ends = in[(y - 1) * W + x] + in[(y + 1) * W + x];
        out[y * W + x] = w[0] * c + w[1] * sides + w[2] * ends;
    }
}
RUN2(five_points)

// borders left out, the lower ones by equality
__global__ void inner_points(const float *in, const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || x >= W - 1 || 0 == y || y >= H - 1)
        return;
    out[y * W + x] = w[0] * in[y * W + x] + w[1] * (in[y * W + x - 1] + in[y * W + x + 1]) +
                     w[2] * (in[(y - 1) * W + x] + in[(y + 1) * W + x]);
}
RUN2(inner_points)

// bounds below that lie beyond the first blocks, and not at the front
__global__ void late_window(const float *in, const float *w, float *out, int W, int H) {
    const int y = threadIdx.y + blockIdx.y * blockDim.y;
    const int x = threadIdx.x + blockIdx.x * blockDim.x;
    const int from = H % 7 + 9;
    if (x <= from || 20 < x)
        return;
    const int last = H - 2;
    if (!(y <= last))
        return;
    if (x >= W) {
        return;
    }
    float sum = 0;
    for (int s = -1; s <= 1; ++s)
        sum += in[y * W + x + s] * w[s + 1];
    out[y * W + x] = sum;
}
RUN2(late_window)

// a window with padding: tests in the loops, a value recomputed in each
__global__ void padded(const float *in, const float *w, float *out, int W, int H) {
    int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y;
    const bool inside = ox < W && oy < H;
    if (!inside)
        return;
    float sum = 0.f, weights = 0.f;
    for (int r = 0; r < 3; ++r) {
        const int iy = oy + r - 1;
        for (int s = 0; s < 3; ++s) {
            const int ix = ox + s - 1;
            if (iy < 0 || iy >= H)
                continue;
            if (ix < 0 || ix >= W)
                continue;
            sum += in[iy * W + ix] * w[r * 3 + s];
            weights += w[r * 3 + s];
        }
    }
    out[oy * W + ox] = sum + weights;
}
RUN2(padded)

// loops whose bounds differ between outputs stay whole
__global__ void clipped(const float *in, const float *w, float *out, int W, int H) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    int first = (int)x - 2 < 0 ? 0 : (int)x - 2, last = min((int)x + 2, W - 1);
    float best = -1e30f;
    for (int r = 0; r < 2; ++r)
        for (int i = first; i <= last; ++i) {
            if (in[((y + r) % H) * W + i] < -0.9f)
                break;
            best = max(best, in[((y + r) % H) * W + i]);
        }
    out[y * W + x] = best * w[0];
}
RUN2(clipped)

// arrays, several values that live on, statements in between that are the same for all
__global__ void many_values(const float *in, const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float low, high = -1e30f, kept[2];
    low = 1e30f;
    kept[0] = kept[1] = 0;
    if (x >= W || y >= H)
        return;
    const float *row = in + y * W;
    float scale = 1.f;
    for (int s = 0; s < 4; ++s) {
        scale *= 0.5f;
        float taken = w[s] * scale;
        if (s == 3)
            taken += 1.f;
        const float v = row[x + s] * taken;
        low = min(low, v);
        high = max(high, v);
        if (s < 2) {
            kept[s] = v;
            kept[1] += scale;
        } else {
            kept[0] -= v;
        }
    }
    out[y * W + x] = low + high * kept[0] - kept[1];
}
RUN2(many_values)

// returns of outputs, late and data dependent
__global__ void masked(const float *in, const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 0;
    for (int s = 0; s < 3; ++s)
        sum += in[y * W + x + s] * w[s];
    if (in[y * W + x] < 0)
        return;
    out[y * W + x] = sum;
    if (sum < 0) {
        out[y * W + x] = -1;
        return;
    }
    out[y * W + x] += 0;
}

#define AT(p, dx) p[y * W + x + (dx)]

// a macro that takes the indices by name; a loop that ends early for all
__global__ void by_name(const float *in, const float *w, float *out, int W, int H) {
    const size_t x = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H) {
        float acc = 0;
        int s = 0;
        while (true) {
            acc += AT(in, s) * w[s];
            ++s;
            if (s > 4 || w[s] > 0.9f)
                break;
            acc *= 1.25f;
        }
        do {
            acc += w[s];
            --s;
        } while (s > 0);
        AT(out, 0) = acc;
    }
}
RUN2(by_name)

// no loop: one segment
__global__ void nine_points(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W - 2)
        return;
    if (y >= H - 2)
        return;
    out[y * W + x] = in[y * W + x] * w[0] + in[y * W + x + 2] * w[1] + in[(y + 1) * W + x] * w[2] +
                     in[(y + 2) * W + x + 1] * w[3];
}
RUN2(nine_points)

// planes of a volume: three axes
__global__ void seven_points(const float *in, const float *w, float *out, int W, int H, int D) {
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= W || y >= H || z >= D)
        return;
    float sum = 0;
    for (int d = -1; d <= 1; ++d) {
        int zz = z + d;
        if (zz >= 0 && zz < D)
            sum += in[(zz * H + y) * W + x] * w[d + 1];
    }
    sum += in[(z * H + (y + 1) % H) * W + x];
    out[(z * H + y) * W + x] = sum;
}
void run_seven_points(const float *in, const float *w, float *out, int W, int H) {
    const int D = 5;
    hipLaunchKernelGGL(seven_points, dim3((W + 7) / 8, (H + 1) / 2, (D + 1) / 2), dim3(8, 2, 2), 0,
                       0, in, w, out, W, H, D);
}

// channels from the grid, guarded as well
__global__ void channels(const float *in, const float *w, float *out, int C, int W, int H, int K) {
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int bx = blockIdx.x, by = blockIdx.y;
    const int x = bx * 8 + tx, y = by * 4 + ty, k = blockIdx.z;
    if (k >= K || x >= W || y >= H)
        return;
    float acc[1] = {0};
    float total = 0.5f;
    for (int c = 0; c < C; ++c) {
        const float *plane = in + c * 64;
        const float *filter = &w[(k * C + c) * 4];
        for (int r = 0; r < 2; ++r)
            for (int s = 0; s < 2; ++s)
                total += plane[(y + r) * W + x + s] * filter[r * 2 + s];
    }
    out[(k * H + y) * W + x] = total;
}
void run_channels(const float *in, const float *w, float *out, int W, int H) {
    const int K = 3;
    hipLaunchKernelGGL(channels, dim3((W + 7) / 8, (H + 3) / 4, K + 1), dim3(8, 4), 0, 0, in, w,
                       out, 3, W, H, K);
}

// output channels and images from one axis of the grid: blocks of one image are joined
__global__ void batched(const float *in, const float *w, float *out, int C, int W, int H, int K) {
    int ow = blockIdx.x * blockDim.x + threadIdx.x;
    int oh = blockIdx.y * blockDim.y + threadIdx.y;
    const int image = blockIdx.z;
    const int oc = image % K, n = image / K;
    if (ow >= W - 1 || oh >= H - 1)
        return;
    float sum = 0.f;
    for (int c = 0; c < C; c++)
        for (int s = 0; s < 2; s++)
            sum += in[((n * C + c) * H + oh + s) * W + ow + s] * w[(oc * C + c) * 2 + s];
    out[((n * K + oc) * H + oh) * W + ow] = sum + oc;
}
void run_batched(const float *in, const float *w, float *out, int W, int H) {
    const int K = 5;
    hipLaunchKernelGGL(batched, dim3((W + 7) / 8, (H + 3) / 4, 2 * K), dim3(8, 4), 0, 0, in, w, out,
                       2, W, H, K);
}

// a grid that ends within an image: the blocks behind its end compute nothing
__global__ void cut_short(const float *in, const float *w, float *out, int W, int K) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int k = blockIdx.y % K;
    int n = blockIdx.y / K;
    if (x >= W)
        return;
    float sum = 0.f;
    for (int s = 0; s < 3; s++)
        sum += in[n * W + x + s] * w[k * 3 + s];
    out[(n * K + k) * W + x] = sum;
}
void run_cut_short(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(cut_short, dim3((W + 7) / 8, 7), dim3(8), 0, 0, in, w, out, W, 5);
}

// groups: the loop over channels begins elsewhere for each output channel
__global__ void grouped(const float *in, const float *w, float *out, int W, int C) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int k = blockIdx.y;
    if (x >= W)
        return;
    float sum = 0.f;
    for (int c = k / 2 * C; c < k / 2 * C + C; c++)
        sum += in[c * W + x] * w[k * C + c];
    out[k * W + x] = sum;
}
void run_grouped(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(grouped, dim3((W + 7) / 8, 6), dim3(8), 0, 0, in, w, out, W, 2);
}

// a row for each block: outputs of several rows share what lies between them
__global__ void rows(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W)
        return;
    float best[2] = {0}, sum = 0.f;
    for (int r = 0; r < 3; ++r) {
        const int row = y + r - 1;
        if (row < 0 || row >= H)
            continue;
        for (int s = 0; s < 3; ++s)
            sum += in[row * W + x + s] * w[r * 3 + s];
        best[r % 2] = max(best[r % 2], sum);
    }
    out[y * W + x] = sum + best[0] - best[1];
}
void run_rows(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(rows, dim3((W + 7) / 8, H), dim3(8), 0, 0, in, w, out, W, H);
}

// rows of the grid with the borders left out: a bound below along blockIdx itself
__global__ void inner_rows(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y;
    if (x < 1 || x >= W - 1 || row < 1 || row >= H - 1)
        return;
    float most = -1000.f;
    for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s) {
            const float v = in[(row - 1 + r) * W + x - 1 + s] * w[s];
            most = v > most ? v : most;
        }
    out[row * W + x] = most;
}
void run_inner_rows(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(inner_rows, dim3((W + 7) / 8, H), dim3(8), 0, 0, in, w, out, W, H);
}

// the interior alone: indices with an offset, which are read in two parts
__global__ void shifted_points(const float *in, const float *w, float *out, int W, int H) {
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int x = 2 - 1 + threadIdx.x + (blockIdx.x * blockDim.x);
    if (x < W - 1 && y < H - 1) {
        out[y * W + x] = w[0] * in[y * W + x] + w[1] * (in[y * W + x - 1] + in[y * W + x + 1]) +
                         w[2] * (in[(y - 1) * W + x] + in[(y + 1) * W + x]);
    }
}
RUN2(shifted_points)
