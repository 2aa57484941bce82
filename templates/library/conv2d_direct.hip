// Direct 2-D convolution, NCHW, float: out[n][k][p][q] = sum over c, r, s of in[n][c][...][...] *
// weights[k][c][r][s].
//
// A block computes BLOCK_X * TILE_X columns by BLOCK_Y * TILE_Y rows of the output, for BLOCK_K *
// TILE_K output channels of one group and one image. It walks over the group's input channels
// CHUNK_C at a time: the input tile with its halo goes to LDS (and the filters, when
// STAGE_WEIGHTS), then every thread adds to its TILE_K * TILE_Y * TILE_X sums, which stay in
// registers. Stride, padding, dilation and groups are run-time arguments; the filter size may be
// fixed.
// clang-format off
#pragma tune unit
#pragma tune kernel(conv2d_direct)
#pragma tune problem(conv2d)

// Threads of a block, over output columns, output rows and output channels.
#pragma tune param(BLOCK_X : 4, 8, 16, 32, 64 = 16)
#pragma tune param(BLOCK_Y : 1, 2, 4, 8, 16 = 4)
#pragma tune param(BLOCK_K : 1, 2, 4, 8 = 1)
// Outputs of a thread.
#pragma tune param(TILE_X : 1, 2, 4, 8 = 1)
#pragma tune param(TILE_Y : 1, 2, 4 = 1)
#pragma tune param(TILE_K : 1, 2, 4, 8 = 1)
// A thread's columns are neighbours, or lie BLOCK_X apart, so that lanes store side by side.
#pragma tune param(SPREAD_COLUMNS : false, true = false)
// Input channels in LDS at a time.
#pragma tune param(CHUNK_C : 1, 2, 4, 8 = 1)
// Unused floats behind every LDS row: 1 moves the rows to different banks.
#pragma tune param(ROW_PAD : 0, 1 = 0)
#pragma tune param(STAGE_WEIGHTS : false, true = false)
// Filter height and width as compile-time constants; 0 leaves them run-time.
#pragma tune param(FILTER : 0, 1, 3, 5, 7 = 0)
#pragma tune param(UNROLL_R : 1, 3 = 1)

#pragma tune require(problem.C % problem.groups == 0 && problem.K % problem.groups == 0)
#pragma tune require(BLOCK_X * BLOCK_Y * BLOCK_K <= device.max_threads)
#pragma tune require(BLOCK_X * BLOCK_Y * BLOCK_K % device.wavefront == 0)
#pragma tune require(FILTER == 0 || (FILTER == problem.R && FILTER == problem.S))
#pragma tune require(UNROLL_R == 1 || FILTER >= UNROLL_R)
// Not blocks that mostly hang over the edge: less than twice the output in each direction.
#pragma tune require(BLOCK_X * TILE_X < 2 * max(problem.Q, 16))
#pragma tune require(BLOCK_Y * TILE_Y < 2 * max(problem.P, 4))
#pragma tune require(BLOCK_K * TILE_K < 2 * max(problem.K / problem.groups, 2))
#pragma tune require(CHUNK_C == 1 || CHUNK_C < 2 * (problem.C / problem.groups))
// A thread's sums, what it multiplies and the rest of its state must fit into registers; 168 let
// gfx90a hold three waves a SIMD.
#pragma tune require(TILE_K * TILE_Y * TILE_X + TILE_Y * TILE_X + TILE_K + 40 \
    <= min(device.registers, 168))
#pragma tune require((CHUNK_C \
    * ((BLOCK_Y * TILE_Y - 1) * problem.stride_h + (problem.R - 1) * problem.dilation_h + 1) \
    * ((BLOCK_X * TILE_X - 1) * problem.stride_w + (problem.S - 1) * problem.dilation_w + 1 + ROW_PAD) \
    + STAGE_WEIGHTS * CHUNK_C * problem.R * problem.S * BLOCK_K * TILE_K) * 4 <= device.max_dynamic_lds)

#pragma tune block(BLOCK_X, BLOCK_Y, BLOCK_K)
#pragma tune grid(ceil_div(problem.Q, BLOCK_X * TILE_X) * ceil_div(problem.P, BLOCK_Y * TILE_Y), \
    problem.groups * ceil_div(problem.K / problem.groups, BLOCK_K * TILE_K), problem.N)
#pragma tune lds((CHUNK_C \
    * ((BLOCK_Y * TILE_Y - 1) * problem.stride_h + (problem.R - 1) * problem.dilation_h + 1) \
    * ((BLOCK_X * TILE_X - 1) * problem.stride_w + (problem.S - 1) * problem.dilation_w + 1 + ROW_PAD) \
    + STAGE_WEIGHTS * CHUNK_C * problem.R * problem.S * BLOCK_K * TILE_K) * 4)

#pragma tune arg(in : in float[problem.N * problem.C * problem.H * problem.W] uniform(-1, 1))
#pragma tune arg(weights : in \
    float[problem.K * (problem.C / problem.groups) * problem.R * problem.S] uniform(-1, 1))
#pragma tune arg(out : out float[problem.N * problem.K * problem.P * problem.Q])
#pragma tune arg(C : int = problem.C)
#pragma tune arg(H : int = problem.H)
#pragma tune arg(W : int = problem.W)
#pragma tune arg(K : int = problem.K)
#pragma tune arg(R : int = problem.R)
#pragma tune arg(S : int = problem.S)
#pragma tune arg(P : int = problem.P)
#pragma tune arg(Q : int = problem.Q)
#pragma tune arg(stride_h : int = problem.stride_h)
#pragma tune arg(stride_w : int = problem.stride_w)
#pragma tune arg(pad_h : int = problem.pad_h)
#pragma tune arg(pad_w : int = problem.pad_w)
#pragma tune arg(dilation_h : int = problem.dilation_h)
#pragma tune arg(dilation_w : int = problem.dilation_w)
#pragma tune arg(groups : int = problem.groups)
#pragma tune reference(conv2d : in, weights, out)
#pragma tune tolerance(1e-6)
// clang-format on

template <int BLOCK_X, int BLOCK_Y, int BLOCK_K, int TILE_X, int TILE_Y, int TILE_K,
          bool SPREAD_COLUMNS, int CHUNK_C, int ROW_PAD, bool STAGE_WEIGHTS, int FILTER,
          int UNROLL_R>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y *BLOCK_K)
    conv2d_direct(const float *__restrict__ in, const float *__restrict__ weights,
                  float *__restrict__ out, int C, int H, int W, int K, int R, int S, int P, int Q,
                  int stride_h, int stride_w, int pad_h, int pad_w, int dilation_h, int dilation_w,
                  int groups) {
    constexpr int THREADS = BLOCK_X * BLOCK_Y * BLOCK_K;
    constexpr int BLOCK_CHANNELS = BLOCK_K * TILE_K;
    extern __shared__ float lds[];

    const int filter_h = FILTER ? FILTER : R;
    const int filter_w = FILTER ? FILTER : S;
    const int group_c = C / groups;
    const int group_k = K / groups;
    const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
    const int thread = (tz * BLOCK_Y + ty) * BLOCK_X + tx;

    const int tiles_x = (Q + BLOCK_X * TILE_X - 1) / (BLOCK_X * TILE_X);
    const int q0 = (int)(blockIdx.x % tiles_x) * (BLOCK_X * TILE_X);
    const int p0 = (int)(blockIdx.x / tiles_x) * (BLOCK_Y * TILE_Y);
    const int tiles_k = (group_k + BLOCK_CHANNELS - 1) / BLOCK_CHANNELS;
    const int group = blockIdx.y / tiles_k;
    const int k0 = (int)(blockIdx.y % tiles_k) * BLOCK_CHANNELS; // within the group
    const int n = blockIdx.z;

    const int columns_in = (BLOCK_X * TILE_X - 1) * stride_w + (filter_w - 1) * dilation_w + 1;
    const int rows_in = (BLOCK_Y * TILE_Y - 1) * stride_h + (filter_h - 1) * dilation_h + 1;
    const int pitch = columns_in + ROW_PAD;
    const int plane = rows_in * pitch;
    const int h0 = p0 * stride_h - pad_h;
    const int w0 = q0 * stride_w - pad_w;
    float *const lds_weights = lds + CHUNK_C * plane;

    const float *const in_group = in + ((size_t)n * C + (size_t)group * group_c) * H * W;
    const int taps = filter_h * filter_w;
    const float *const weights_group = weights + (size_t)group * group_k * group_c * taps;

    // A column's first and following steps in LDS; the output's own column uses the same pair with
    // a stride of one.
    const int first_x = SPREAD_COLUMNS ? tx : tx * TILE_X;
    const int step_x = SPREAD_COLUMNS ? BLOCK_X : 1;

    // Channels past the group's end read its last filter; their sums are never stored.
    int filter_offset[TILE_K];
#pragma unroll
    for (int k = 0; k < TILE_K; ++k)
        filter_offset[k] = min(k0 + tz * TILE_K + k, group_k - 1) * group_c * taps;

    float sum[TILE_K][TILE_Y][TILE_X];
#pragma unroll
    for (int k = 0; k < TILE_K; ++k)
#pragma unroll
        for (int y = 0; y < TILE_Y; ++y)
#pragma unroll
            for (int x = 0; x < TILE_X; ++x)
                sum[k][y][x] = 0.0f;

    for (int c0 = 0; c0 < group_c; c0 += CHUNK_C) {
        const int channels = min(CHUNK_C, group_c - c0);

        __syncthreads(); // the previous chunk has been read by all
        for (int row = thread / BLOCK_X; row < channels * rows_in; row += BLOCK_Y * BLOCK_K) {
            const int c = row / rows_in;
            const int h = h0 + (row - c * rows_in);
            const float *const source = in_group + ((size_t)(c0 + c) * H + h) * W;
            for (int column = tx; column < columns_in; column += BLOCK_X) {
                const int w = w0 + column;
                const bool inside = h >= 0 && h < H && w >= 0 && w < W;
                lds[row * pitch + column] = inside ? source[w] : 0.0f;
            }
        }
        if (STAGE_WEIGHTS) {
            // Stored with the output channel innermost: a thread's TILE_K filters lie side by side.
            for (int e = thread; e < channels * taps * BLOCK_CHANNELS; e += THREADS) {
                const int k = e / (channels * taps);
                const int tap = e - k * (channels * taps);
                const int source = min(k0 + k, group_k - 1) * group_c * taps + c0 * taps + tap;
                lds_weights[tap * BLOCK_CHANNELS + k] = weights_group[source];
            }
        }
        __syncthreads();

        for (int c = 0; c < channels; ++c) {
#pragma unroll UNROLL_R
            for (int r = 0; r < filter_h; ++r) {
#pragma unroll
                for (int s = 0; s < filter_w; ++s) {
                    const int tap = (c * filter_h + r) * filter_w + s;
                    float w[TILE_K];
#pragma unroll
                    for (int k = 0; k < TILE_K; ++k)
                        w[k] = STAGE_WEIGHTS ? lds_weights[tap * BLOCK_CHANNELS + tz * TILE_K + k]
                                             : weights_group[filter_offset[k] + c0 * taps + tap];
#pragma unroll
                    for (int y = 0; y < TILE_Y; ++y) {
                        const int row = (ty * TILE_Y + y) * stride_h + r * dilation_h;
                        const float *const line =
                            lds + c * plane + row * pitch + first_x * stride_w + s * dilation_w;
#pragma unroll
                        for (int x = 0; x < TILE_X; ++x) {
                            const float v = line[x * step_x * stride_w];
#pragma unroll
                            for (int k = 0; k < TILE_K; ++k)
                                sum[k][y][x] += v * w[k];
                        }
                    }
                }
            }
        }
    }

#pragma unroll
    for (int k = 0; k < TILE_K; ++k) {
        const int channel = k0 + tz * TILE_K + k;
        if (channel < group_k) {
            float *const plane_out =
                out + ((size_t)n * K + (size_t)group * group_k + channel) * P * Q;
#pragma unroll
            for (int y = 0; y < TILE_Y; ++y) {
                const int p = p0 + ty * TILE_Y + y;
                if (p < P) {
#pragma unroll
                    for (int x = 0; x < TILE_X; ++x) {
                        const int q = q0 + first_x + x * step_x;
                        if (q < Q)
                            plane_out[(size_t)p * Q + q] = sum[k][y][x];
                    }
                }
            }
        }
    }
}
