#include "tests/runtime/check/mutants.h"

/* Tails everywhere: no tile, chunk or group is a whole number of anything. */
#define TAILS "N=2 C=6 H=9 W=11 K=10 R=3 S=3 pad_h=1 pad_w=1 groups=2"
/* 72 terms: chunks of 8 divide them. */
#define WHOLE "N=1 C=8 H=9 W=11 K=6 R=3 S=3 pad_h=1 pad_w=1"

#define STAGED "BLOCK_X=8 BLOCK_Y=2 BLOCK_K=4 TILE_Y=2 CHUNK_C=2 STAGE_WEIGHTS=true"
#define UNSTAGED "BLOCK_X=8 BLOCK_Y=8 TILE_K=2 CHUNK_C=2"
#define SINGLE "DOUBLE_BUFFER=false"
#define DOUBLE "DOUBLE_BUFFER=true"

#define DIRECT(what, find, occurrence, replacement, config)                                        \
    {"conv2d_direct.hip", what, find, occurrence, replacement, TAILS, config, NULL}
#define GEMM(what, find, occurrence, replacement, problem, config)                                 \
    {"conv2d_implicit_gemm.hip", what, find, occurrence, replacement, problem, config, NULL}
#define SAME(what, find, occurrence, replacement, problem, config, why)                            \
    {"conv2d_implicit_gemm.hip", what, find, occurrence, replacement, problem, config, why}

#define BARRIER "__syncthreads();"

const mutant mutants[] = {
    /* Barriers. */
    DIRECT("no barrier before staging", BARRIER, 1, "", STAGED),
    DIRECT("no barrier before staging, filters not staged", BARRIER, 1, "", UNSTAGED),
    DIRECT("no barrier behind staging", BARRIER, 2, "", STAGED),
    DIRECT("no barrier behind staging, filters not staged", BARRIER, 2, "", UNSTAGED),
    /* Staging of the input. */
    DIRECT("rows one too many", "row < channels * rows_in", 1, "row <= channels * rows_in",
           UNSTAGED),
    DIRECT("rows one too many, before filters", "row < channels * rows_in", 1,
           "row <= channels * rows_in", STAGED),
    DIRECT("rows one too few", "row < channels * rows_in", 1, "row < channels * rows_in - 1",
           UNSTAGED),
    DIRECT("columns one too many", "column < columns_in", 1, "column <= columns_in", UNSTAGED),
    DIRECT("columns one too few", "column < columns_in", 1, "column < columns_in - 1", UNSTAGED),
    DIRECT("no guard above the image", "h >= 0 && ", 1, "", UNSTAGED),
    DIRECT("weak guard above the image", "h >= 0", 1, "h >= -1", UNSTAGED),
    DIRECT("no guard below the image", "h < H && ", 1, "", UNSTAGED),
    DIRECT("weak guard below the image", "h < H", 1, "h <= H", UNSTAGED),
    DIRECT("no guard left of the image", "w >= 0 && ", 1, "", UNSTAGED),
    DIRECT("weak guard left of the image", "w >= 0", 1, "w >= -1", UNSTAGED),
    DIRECT("no guard right of the image", " && w < W", 1, "", UNSTAGED),
    DIRECT("weak guard right of the image", "w < W", 1, "w <= W", UNSTAGED),
    DIRECT("no guard of the image at all", "inside ? source[w] : 0.0f", 1, "source[w]", UNSTAGED),
    DIRECT("channels of a chunk past the group", "min(CHUNK_C, group_c - c0)", 1, "CHUNK_C",
           UNSTAGED),
    DIRECT("channels of a chunk past the group, filters staged", "min(CHUNK_C, group_c - c0)", 1,
           "CHUNK_C", STAGED),
    /* Staging of the filters. */
    DIRECT("filters one too many", "e < channels * taps * BLOCK_CHANNELS", 1,
           "e <= channels * taps * BLOCK_CHANNELS", STAGED),
    DIRECT("filters one too few", "e < channels * taps * BLOCK_CHANNELS", 1,
           "e < channels * taps * BLOCK_CHANNELS - 1", STAGED),
    DIRECT("staged filters past the group", "min(k0 + k, group_k - 1)", 1, "(k0 + k)", STAGED),
    DIRECT("staged filters, weak guard", "min(k0 + k, group_k - 1)", 1, "min(k0 + k, group_k)",
           STAGED),
    DIRECT("filters past the group", "min(k0 + tz * TILE_K + k, group_k - 1)", 1,
           "(k0 + tz * TILE_K + k)", UNSTAGED),
    DIRECT("filters, weak guard", "min(k0 + tz * TILE_K + k, group_k - 1)", 1,
           "min(k0 + tz * TILE_K + k, group_k)", UNSTAGED),
    /* Halos. */
    DIRECT("halo a column narrower", "(filter_w - 1) * dilation_w + 1;", 1,
           "(filter_w - 1) * dilation_w;", UNSTAGED),
    DIRECT("halo a row narrower", "(filter_h - 1) * dilation_h + 1;", 1,
           "(filter_h - 1) * dilation_h;", UNSTAGED),
    DIRECT("no halo of columns", "(BLOCK_X * TILE_X - 1) * stride_w + (filter_w - 1) * dilation_w",
           1, "(BLOCK_X * TILE_X - 1) * stride_w", UNSTAGED),
    DIRECT("no halo of rows", "(BLOCK_Y * TILE_Y - 1) * stride_h + (filter_h - 1) * dilation_h", 1,
           "(BLOCK_Y * TILE_Y - 1) * stride_h", UNSTAGED),
    DIRECT("halo narrower, filters staged", "(filter_w - 1) * dilation_w + 1;", 1,
           "(filter_w - 1) * dilation_w;", STAGED),
    DIRECT("halo begins a row late", "const int h0 = p0 * stride_h - pad_h;", 1,
           "const int h0 = p0 * stride_h - pad_h + 1;", UNSTAGED),
    /* The sum. */
    DIRECT("a channel too many", "c < channels;", 1, "c <= channels;", UNSTAGED),
    DIRECT("a filter row too many", "r < filter_h", 1, "r <= filter_h", UNSTAGED),
    DIRECT("a filter column too many", "s < filter_w", 1, "s <= filter_w", UNSTAGED),
    /* Storing. */
    DIRECT("no guard of the channel", "channel < group_k", 1, "true", UNSTAGED),
    DIRECT("weak guard of the channel", "channel < group_k", 1, "channel <= group_k", UNSTAGED),
    DIRECT("no guard of the row", "if (p < P)", 1, "if (true)", UNSTAGED),
    DIRECT("weak guard of the row", "if (p < P)", 1, "if (p <= P)", UNSTAGED),
    DIRECT("no guard of the column", "if (q < Q)", 1, "if (true)", UNSTAGED),
    DIRECT("weak guard of the column", "if (q < Q)", 1, "if (q <= Q)", UNSTAGED),
    /* The launch. */
    DIRECT("shared memory four bytes short", "BLOCK_K * TILE_K) * 4)\n\n#pragma tune arg(in", 1,
           "BLOCK_K * TILE_K) * 4 - 4)\n\n#pragma tune arg(in", STAGED),
    DIRECT("a column of blocks too few", "grid(ceil_div(problem.Q, BLOCK_X * TILE_X)", 1,
           "grid((problem.Q / (BLOCK_X * TILE_X))", STAGED),

    /* The matrix product: barriers. */
    GEMM("no barrier before gathering", BARRIER, 1, "", TAILS, SINGLE),
    GEMM("no barrier in the double-buffered loop", BARRIER, 1, "", TAILS, DOUBLE),
    GEMM("no barrier behind gathering", BARRIER, 2, "", TAILS, SINGLE),
    /* Gathering filters. */
    GEMM("filters past the group", "m0 + m < group_k && ", 1, "", TAILS, SINGLE),
    GEMM("filters, weak guard", "m0 + m < group_k", 1, "m0 + m <= group_k", TAILS, SINGLE),
    GEMM("filter terms past the end", " && k0 + a_term < terms", 1, "", TAILS, SINGLE),
    GEMM("filter terms, weak guard", "k0 + a_term < terms", 1, "k0 + a_term <= terms", TAILS,
         SINGLE),
    /* Gathering patches. */
    GEMM("pixels one too many", "pixel < pixels_all", 1, "pixel <= pixels_all", TAILS, SINGLE),
    GEMM("pixels without end", "pixel < pixels_all", 1, "true", TAILS, SINGLE),
    GEMM("patch terms past the end", "k0 + k < terms && ", 1, "", TAILS, SINGLE),
    GEMM("patch terms, weak guard", "k0 + k < terms", 1, "k0 + k <= terms", TAILS, SINGLE),
    GEMM("no guard above the image", "h >= 0 && ", 1, "", TAILS, SINGLE),
    GEMM("weak guard above the image", "h >= 0", 1, "h >= -1", TAILS, SINGLE),
    GEMM("no guard below the image", "h < H && ", 1, "", TAILS, SINGLE),
    GEMM("weak guard below the image", "h < H", 1, "h <= H", TAILS, SINGLE),
    GEMM("no guard left of the image", "w >= 0 && ", 1, "", TAILS, SINGLE),
    GEMM("weak guard left of the image", "w >= 0", 1, "w >= -1", TAILS, SINGLE),
    GEMM("no guard right of the image", " && w < W", 1, "", TAILS, SINGLE),
    GEMM("weak guard right of the image", "w < W", 1, "w <= W", TAILS, SINGLE),
    /* The loop. */
    GEMM("a chunk too few", "k0 < terms; k0 += CHUNK_K", 1, "k0 + CHUNK_K < terms; k0 += CHUNK_K",
         TAILS, SINGLE),
    GEMM("a chunk too many, double-buffered", "k0 < terms; k0 += CHUNK_K", 1,
         "k0 <= terms; k0 += CHUNK_K", WHOLE, DOUBLE),
    GEMM("the next chunk is not gathered", "k0 + CHUNK_K < terms)", 1, "k0 + 2 * CHUNK_K < terms)",
         TAILS, DOUBLE),
    GEMM("the buffers do not alternate", "buffer ^= 1;", 1, ";", TAILS, DOUBLE),
    /* Storing. */
    GEMM("no guard of the pixel", "target < pixels_all", 1, "true", TAILS, SINGLE),
    GEMM("weak guard of the pixel", "target < pixels_all", 1, "target <= pixels_all", TAILS,
         SINGLE),
    GEMM("no guard of the channel", "channel < group_k", 1, "true", TAILS, SINGLE),
    GEMM("weak guard of the channel", "channel < group_k", 1, "channel <= group_k", TAILS, SINGLE),
    /* The launch. */
    GEMM("blocks of threads too few", "block(BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N))", 1,
         "block(BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N) / 2)", TAILS, SINGLE),
    GEMM("more threads than the bound", "block(BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N))", 1,
         "block(2 * (BLOCK_M / MICRO_M * (BLOCK_N / MICRO_N)))", TAILS, SINGLE),

    /* Faults that change nothing. */
    SAME("patches of pixels past the end", "pixel_inside && k0", 1, "k0", TAILS, SINGLE,
         "such a thread gathers pixel 0 instead, inside the buffer; its column is never stored"),
    SAME("image of pixels past the end", "pixel_inside ? pixel / (P * Q) : 0", 1, "pixel / (P * Q)",
         TAILS, SINGLE,
         "only an address is computed from it, which `inside` keeps from being read"),
    SAME("one chunk more is gathered ahead", "k0 + CHUNK_K < terms)", 1, "k0 + CHUNK_K <= terms)",
         WHOLE, DOUBLE,
         "all its terms are past the end, so zeros go to a buffer that is never read again"),
    SAME("a chunk too many", "k0 < terms; k0 += CHUNK_K", 1, "k0 <= terms; k0 += CHUNK_K", WHOLE,
         SINGLE, "all its terms are past the end, so zeros are added"),
};
const size_t mutant_count = sizeof mutants / sizeof *mutants;
