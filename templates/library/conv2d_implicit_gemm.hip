// 2-D convolution, NCHW, float, as a matrix product whose right side is never built in memory: per
// group,
//   out[K/groups][N*P*Q] = weights[K/groups][C/groups*R*S] * patches[C/groups*R*S][N*P*Q].
//
// A block computes a BLOCK_M x BLOCK_N tile of the output. It walks over the reduction CHUNK_K at a
// time, gathering both sides into LDS; each thread keeps a MICRO_M x MICRO_N tile of sums in
// registers. Everything that lies outside (the padding, and the rows, columns and terms past the
// end) is gathered as zero.
// clang-format off
#pragma tune unit
#pragma tune kernel(conv2d_implicit_gemm)
#pragma tune problem(conv2d)

// The block's tile: output channels by output pixels.
#pragma tune param(BLOCK_M : pow2(8, 128) = 32)
#pragma tune param(BLOCK_N : pow2(16, 256) = 32)
// Terms of the reduction in LDS at a time.
#pragma tune param(CHUNK_K : pow2(4, 32) = 8)
// The thread's tile.
#pragma tune param(MICRO_M : pow2(1, 8) = 4)
#pragma tune param(MICRO_N : pow2(1, 8) = 2)
// A thread's pixels are neighbours, or lie a row of threads apart: lanes store side by side.
#pragma tune param(SPREAD_PIXELS : false, true = false)
// Unused floats behind every LDS row of the filters, since gathering writes down a column.
#pragma tune param(PAD_A : 0, 1, 4 = 1)
// Two LDS buffers: the next chunk is gathered while this one is used, one barrier a chunk, not two.
#pragma tune param(DOUBLE_BUFFER : false, true = false)
#pragma tune param(UNROLL_K : 1, 2, 4, 8 = 4)
// Filter height and width as compile-time constants; 0 leaves them run-time.
#pragma tune param(FILTER : 0, 1, 3, 5, 7 = 0)

#pragma tune require(problem.C % problem.groups == 0 && problem.K % problem.groups == 0)
#pragma tune require(BLOCK_M % MICRO_M == 0 && BLOCK_N % MICRO_N == 0)
#pragma tune require(BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N) <= min(device.max_threads, 512))
#pragma tune require(BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N) % device.wavefront == 0)
// Gathering: every thread takes as many elements, always of its own pixel and own filter term.
#pragma tune require(BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N) % BLOCK_N == 0)
#pragma tune require(BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N) % CHUNK_K == 0)
#pragma tune require(BLOCK_M * CHUNK_K % (BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N)) == 0)
#pragma tune require(BLOCK_N * CHUNK_K % (BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N)) == 0)
#pragma tune require(CHUNK_K % UNROLL_K == 0)
#pragma tune require(FILTER == 0 || (FILTER == problem.R && FILTER == problem.S))
// A thread's sums, what it multiplies and the rest of its state must fit into registers; 168 let
// gfx90a hold three waves a SIMD.
#pragma tune require(MICRO_M * MICRO_N + MICRO_M + MICRO_N + 48 <= min(device.registers, 168))
#pragma tune require((DOUBLE_BUFFER ? 2 : 1) * CHUNK_K * (BLOCK_M + PAD_A + BLOCK_N) * 4 \
    <= device.max_static_lds)

#pragma tune block(BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N))
#pragma tune grid(ceil_div(problem.N * problem.P * problem.Q, BLOCK_N), \
    ceil_div(problem.K / problem.groups, BLOCK_M), problem.groups)

#pragma tune arg(in : in float[problem.N * problem.C * problem.H * problem.W] uniform(-1, 1))
#pragma tune arg(weights : in \
    float[problem.K * (problem.C / problem.groups) * problem.R * problem.S] uniform(-1, 1))
#pragma tune arg(out : out float[problem.N * problem.K * problem.P * problem.Q])
#pragma tune arg(N : int = problem.N)
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

template <int BLOCK_M, int BLOCK_N, int CHUNK_K, int MICRO_M, int MICRO_N, bool SPREAD_PIXELS,
          int PAD_A, bool DOUBLE_BUFFER, int UNROLL_K, int FILTER>
__global__ void __launch_bounds__(BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N))
    conv2d_implicit_gemm(const float *__restrict__ in, const float *__restrict__ weights,
                         float *__restrict__ out, int N, int C, int H, int W, int K, int R, int S,
                         int P, int Q, int stride_h, int stride_w, int pad_h, int pad_w,
                         int dilation_h, int dilation_w, int groups) {
    constexpr int THREADS_N = BLOCK_N / MICRO_N;
    constexpr int THREADS = BLOCK_M / MICRO_M * THREADS_N;
    constexpr int BUFFERS = DOUBLE_BUFFER ? 2 : 1;
    __shared__ float lds_a[BUFFERS][CHUNK_K][BLOCK_M + PAD_A]; // [term][output channel]
    __shared__ float lds_b[BUFFERS][CHUNK_K][BLOCK_N];         // [term][pixel]

    const int filter_h = FILTER ? FILTER : R;
    const int filter_w = FILTER ? FILTER : S;
    const int taps = filter_h * filter_w;
    const int group_c = C / groups;
    const int group_k = K / groups;
    const int terms = group_c * taps;
    const int pixels_all = N * P * Q;
    const int thread = threadIdx.x;
    const int m0 = blockIdx.y * BLOCK_M;
    const int n0 = blockIdx.x * BLOCK_N;
    const int group = blockIdx.z;

    // What this thread gathers of the filters: term a_term of channels a_row, a_row + A_ROWS, ...
    constexpr int A_ROWS = THREADS / CHUNK_K;
    constexpr int A_COUNT = BLOCK_M / A_ROWS;
    const int a_term = thread % CHUNK_K;
    const int a_row = thread / CHUNK_K;
    const float *const a_source = weights + (size_t)group * group_k * terms;

    // And of the patches: one pixel, terms b_term, b_term + B_TERMS, ...
    constexpr int B_TERMS = THREADS / BLOCK_N;
    constexpr int B_COUNT = CHUNK_K / B_TERMS;
    const int b_pixel = thread % BLOCK_N;
    const int b_term = thread / BLOCK_N;
    const int pixel = n0 + b_pixel;
    const bool pixel_inside = pixel < pixels_all;
    const int b_image = pixel_inside ? pixel / (P * Q) : 0;
    const int b_position = pixel_inside ? pixel - b_image * (P * Q) : 0;
    const int b_h = b_position / Q * stride_h - pad_h;
    const int b_w = b_position % Q * stride_w - pad_w;
    const float *const b_source = in + ((size_t)b_image * C + (size_t)group * group_c) * H * W;

    auto gather = [&](int k0, int buffer) {
#pragma unroll
        for (int i = 0; i < A_COUNT; ++i) {
            const int m = a_row + i * A_ROWS;
            const bool inside = m0 + m < group_k && k0 + a_term < terms;
            lds_a[buffer][a_term][m] =
                inside ? a_source[(size_t)(m0 + m) * terms + k0 + a_term] : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < B_COUNT; ++i) {
            const int k = b_term + i * B_TERMS;
            const int c = (k0 + k) / taps;
            const int tap = (k0 + k) - c * taps;
            const int h = b_h + tap / filter_w * dilation_h;
            const int w = b_w + tap % filter_w * dilation_w;
            const bool inside =
                pixel_inside && k0 + k < terms && h >= 0 && h < H && w >= 0 && w < W;
            lds_b[buffer][k][b_pixel] = inside ? b_source[((size_t)c * H + h) * W + w] : 0.0f;
        }
    };

    const int row = thread / THREADS_N * MICRO_M;
    const int column = SPREAD_PIXELS ? thread % THREADS_N : thread % THREADS_N * MICRO_N;
    constexpr int COLUMN_STEP = SPREAD_PIXELS ? THREADS_N : 1;

    float sum[MICRO_M][MICRO_N];
#pragma unroll
    for (int m = 0; m < MICRO_M; ++m)
#pragma unroll
        for (int n = 0; n < MICRO_N; ++n)
            sum[m][n] = 0.0f;

    if (DOUBLE_BUFFER)
        gather(0, 0);
    int buffer = 0;
    for (int k0 = 0; k0 < terms; k0 += CHUNK_K) {
        __syncthreads();
        if (DOUBLE_BUFFER) {
            if (k0 + CHUNK_K < terms)
                gather(k0 + CHUNK_K, buffer ^ 1);
        } else {
            gather(k0, 0);
            __syncthreads();
        }
#pragma unroll UNROLL_K
        for (int k = 0; k < CHUNK_K; ++k) {
            float a[MICRO_M], b[MICRO_N];
#pragma unroll
            for (int m = 0; m < MICRO_M; ++m)
                a[m] = lds_a[buffer][k][row + m];
#pragma unroll
            for (int n = 0; n < MICRO_N; ++n)
                b[n] = lds_b[buffer][k][column + n * COLUMN_STEP];
#pragma unroll
            for (int m = 0; m < MICRO_M; ++m)
#pragma unroll
                for (int n = 0; n < MICRO_N; ++n)
                    sum[m][n] += a[m] * b[n];
        }
        if (DOUBLE_BUFFER)
            buffer ^= 1;
    }

#pragma unroll
    for (int n = 0; n < MICRO_N; ++n) {
        const int target = n0 + column + n * COLUMN_STEP;
        if (target < pixels_all) {
            const int image = target / (P * Q);
            const int position = target - image * (P * Q);
            float *const out_group =
                out + ((size_t)image * K + (size_t)group * group_k) * P * Q + position;
#pragma unroll
            for (int m = 0; m < MICRO_M; ++m) {
                const int channel = m0 + row + m;
                if (channel < group_k)
                    out_group[(size_t)channel * P * Q] = sum[m][n];
            }
        }
    }
}
