#include "refactor/source/tile_names.h"

#include <stddef.h>
#include <string.h>

/* One string in many parts, which clang-format would nest into each other. */
/* clang-format off */
#define SHUFFLE(name, by) \
    "    template <typename T> __device__ T " name "(T value, " by " lane) const {\n" \
    "        return __" name "(value, lane, N);\n    }\n"
#define INDEX(name, variable) \
    "    __device__ static dim3 " name "() {\n" \
    "        return dim3(" variable ".x, " variable ".y, " variable ".z);\n    }\n"
#define OPERATION(name, value) \
    "template <typename T> struct " name " {\n" \
    "    __device__ T operator()(T a, T b) const { return " value "; }\n};\n"

const char ht_tile_names[] =
    "#pragma once\n"
    "namespace cooperative_groups {\n"
    "struct thread_block {\n"
    "    __device__ static void sync() { __syncthreads(); }\n"
    "    __device__ static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }\n"
    "    __device__ static unsigned num_threads() { return size(); }\n"
    "    __device__ static unsigned thread_rank() {\n"
    "        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n    }\n"
    INDEX("thread_index", "threadIdx") INDEX("group_index", "blockIdx")
    INDEX("group_dim", "blockDim") INDEX("dim_threads", "blockDim")
    "};\n"
    "__device__ inline thread_block this_thread_block() { return thread_block(); }\n"
    /* neighbouring threads of a block, or of a tile; a tile of 32 is half of a wavefront of 64 */
    "template <unsigned N, typename P = void> struct thread_block_tile {\n"
    "    static_assert(N > 0 && N <= 32 && (N & (N - 1)) == 0, \"\");\n"
    "    unsigned rank_, tiles_;\n"
    "    __device__ thread_block_tile(unsigned rank, unsigned tiles) : rank_(rank), tiles_(tiles) "
    "{}\n"
    "    template <typename Q> __device__ thread_block_tile(const thread_block_tile<N, Q> &of)\n"
    "        : rank_(of.rank_), tiles_(of.tiles_) {}\n"
    "    __device__ static void sync() {\n"
    "        __threadfence_block();\n        (void)__any(1);\n        __threadfence_block();\n"
    "    }\n"
    "    __device__ static constexpr unsigned size() { return N; }\n"
    "    __device__ static constexpr unsigned num_threads() { return N; }\n"
    "    __device__ static unsigned thread_rank() { return thread_block::thread_rank() % N; }\n"
    "    __device__ unsigned meta_group_rank() const { return rank_; }\n"
    "    __device__ unsigned meta_group_size() const { return tiles_; }\n"
    SHUFFLE("shfl", "int") SHUFFLE("shfl_up", "unsigned") SHUFFLE("shfl_down", "unsigned")
    SHUFFLE("shfl_xor", "int")
    "    __device__ static unsigned ballot(int vote) {\n"
    "        const unsigned long long votes = __ballot(vote) >> (__lane_id() & ~(N - 1));\n"
    "        return (unsigned)(votes & ((1ull << N) - 1));\n    }\n"
    "    __device__ static int any(int vote) { return ballot(vote) != 0; }\n"
    "    __device__ static int all(int vote) { return ballot(!vote) == 0; }\n"
    "};\n"
    "template <unsigned N>\n"
    "__device__ inline thread_block_tile<N> tiled_partition(const thread_block &block) {\n"
    "    return thread_block_tile<N>(block.thread_rank() / N, (block.size() + N - 1) / N);\n}\n"
    "template <unsigned N, unsigned M, typename P>\n"
    "__device__ inline thread_block_tile<N> tiled_partition(const thread_block_tile<M, P> &tile) "
    "{\n"
    "    static_assert(N <= M, \"\");\n"
    "    return thread_block_tile<N>(tile.thread_rank() / N, M / N);\n}\n"
    "template <typename G> __device__ inline void sync(const G &group) { group.sync(); }\n"
    OPERATION("plus", "a + b") OPERATION("less", "b < a ? b : a")
    OPERATION("greater", "a < b ? b : a") OPERATION("bit_and", "a & b")
    OPERATION("bit_or", "a | b") OPERATION("bit_xor", "a ^ b")
    "template <unsigned N, typename P, typename T, typename F>\n"
    "__device__ inline T reduce(const thread_block_tile<N, P> &tile, T value, F &&combine) {\n"
    "    for (int lanes = N / 2; lanes > 0; lanes /= 2)\n"
    "        value = combine(value, tile.shfl_xor(value, lanes));\n"
    "    return value;\n}\n"
    "}\n";
/* clang-format on */

bool ht_tiles_suffice(const char *text) {
    static const char *const others[] = {
        "grid",         "coalesced", "memcpy_async", "binary_partition", "labeled_partition",
        "thread_group", "_memory",   "_scan"};
    const char *begin = strstr(text, "cooperative_groups");
    if (!begin || !(strstr(text, "tiled_partition") || strstr(text, "thread_block_tile")))
        return false;
    static const char *const spaces[] = {"cg::", "cooperative_groups::"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; ++i)
        for (const char *at = text; (at = strstr(at, spaces[i])) != NULL;) {
            at += strlen(spaces[i]);
            size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
            for (size_t j = 0; j < sizeof others / sizeof *others; ++j) {
                const char *other = strstr(at, others[j]);
                if (other && other < at + length)
                    return false;
            }
        }
    return true;
}
