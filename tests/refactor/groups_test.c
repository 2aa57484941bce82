/* A block's threads as a cooperative group: a barrier is one, whatever it is written as, and what
 * else a group is asked for keeps the block as it is. */
#include "tree_support.h"

#include "base/memory.h"
#include "refactor/source/tile_names.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(groups, .init = tree_folder_make, .fini = tree_folder_remove);

/* A kernel whose threads share a tile of their own block's size, before and after they meet. */
static char *source(const char *head, const char *group, const char *meet, const char *after) {
    return ht_format("%s"
                     "#define B 128\n"
                     "__global__ void k(const float *in, float *out, int n) {\n"
                     "  %s\n"
                     "  __shared__ float t[B];\n"
                     "  int i = blockIdx.x * B + threadIdx.x;\n"
                     "  t[threadIdx.x] = i < n ? in[i] : 0;\n"
                     "  %s;\n"
                     "  float sum = t[threadIdx.x];\n"
                     "  for (int j = 0; j < n; ++j) sum += in[j];\n"
                     "  %s\n"
                     "  if (i < n) out[i] = sum + t[B - 1 - threadIdx.x];\n"
                     "}\n"
                     "void f(const float *a, float *b, int n) {\n"
                     "  k<<<(n + B - 1) / B, B>>>(a, b, n);\n}\n",
                     head, group, meet, after);
}

/* The parameters of kernel `k`, "B,UNROLL_J,"; "" if it is no template. free(). */
static char *parameters_of(const char *name, const char *text, char **out_reason) {
    char *path = tree_put(name, text);
    ht_refactor *refactor;
    ht_error error = {0};
    cr_assert_eq(ht_refactor_file(path, NULL, NULL, &refactor, &error), HT_OK, "%s", error.message);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    ht_text names = {0};
    for (size_t i = 0; kernel->template && i < kernel->template->param_count; ++i)
        ht_text_printf(&names, "%s,", kernel->template->params[i].name);
    ht_text_append(&names, "");
    *out_reason = ht_strdup(kernel->reason ? kernel->reason : "");
    ht_refactor_free(refactor);
    free(path);
    return ht_text_take(&names);
}

#define HIP "#include <hip/hip_runtime.h>\n"
#define HIP_GROUPS                                                                                 \
    HIP "#include <hip/hip_cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
#define CUDA_GROUPS "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
#define BLOCK "cg::thread_block block = cg::this_thread_block();"

/* Whichever way the barrier is written, the kernel is the same one. */
Test(groups, a_barrier_of_the_blocks_group_is_a_barrier) {
    static const struct {
        const char *name, *head, *group, *meet;
    } cases[] = {
        {"k.hip", HIP_GROUPS, BLOCK, "cg::sync(block)"},
        {"k.hip", HIP_GROUPS, BLOCK, "block.sync()"},
        {"k.hip", HIP_GROUPS, "auto block = cg::this_thread_block();", "block.sync()"},
        {"k.hip", HIP_GROUPS, "", "cg::sync(cg::this_thread_block())"},
        {"k.hip", HIP "#include <hip/hip_cooperative_groups.h>\n", "",
         "cooperative_groups::this_thread_block().sync()"},
        {"k.cu", CUDA_GROUPS, BLOCK, "cg::sync(block)"},
        {"k.cu", CUDA_GROUPS "__device__ void meet(const cg::thread_block &of) { cg::sync(of); }\n",
         BLOCK, "meet(block)"},
    };
    char *plain = source(HIP, "", "__syncthreads()", ""), *reason;
    char *wanted = parameters_of("plain.hip", plain, &reason);
    cr_assert(strstr(wanted, "UNROLL_J"), "%s %s", wanted, reason);
    free(reason);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = source(cases[i].head, cases[i].group, cases[i].meet, "");
        char *names = parameters_of(cases[i].name, text, &reason);
        bool called = strstr(cases[i].meet, "meet(") != NULL;
        if (called) /* less is known of a barrier in a function */
            cr_expect(names[0], "%zu: %s", i, reason);
        else
            cr_expect_str_eq(names, wanted, "%zu: %s", i, reason);
        free(names);
        free(text);
        free(reason);
    }
    free(wanted);
    free(plain);
}

/* Ranks, sizes and parts of a block depend on how many threads there are, and in which order. */
Test(groups, a_group_that_is_asked_for_more_keeps_the_block) {
    static const struct {
        const char *head, *meet, *after;
    } cases[] = {
        {HIP_GROUPS, "cg::sync(block)", "sum += block.thread_rank();"},
        {HIP_GROUPS, "cg::sync(block)", "sum += block.size();"},
        {HIP_GROUPS, "cg::sync(block)", "cg::sync(cg::tiled_partition<32>(block));"},
        {HIP_GROUPS, "cg::sync(block)",
         "cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);"},
        {HIP_GROUPS "template <class G> __device__ float ask(G g) { return g.thread_rank(); }\n",
         "cg::sync(block)", "sum += ask(block);"},
        {HIP_GROUPS "__device__ float ask(cg::thread_group g) { return g.thread_rank(); }\n",
         "cg::sync(block)", "sum += ask(block);"},
        {HIP_GROUPS "template <class G> struct keep { G g; __device__ keep(G of) : g(of) {}\n"
                    "  __device__ float ask() { return g.thread_rank(); } };\n",
         "cg::sync(block)", "keep<cg::thread_block> kept(block); sum += kept.ask();"},
        {HIP_GROUPS "__device__ cg::thread_block other(float *p) {\n"
                    "  *p += 1; return cg::this_thread_block(); }\n",
         "cg::sync(other(&out[0]))", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = source(cases[i].head, BLOCK, cases[i].meet, cases[i].after), *reason;
        char *names = parameters_of("k.hip", text, &reason);
        cr_expect_str_eq(names, "", "%zu", i);
        cr_expect(strstr(reason, "cooperative groups"), "%zu: %s", i, reason);
        free(names);
        free(text);
        free(reason);
    }
}

/* Tiles and their sums are cut out with the kernel, which keeps its block; the rest is found. */
Test(groups, a_cuda_kernel_with_tiles_keeps_its_block) {
    char *reason;
    char *names = parameters_of(
        "k.cu",
        CUDA_GROUPS
        "__global__ void k(const float *in, float *out, int n) {\n"
        "  " BLOCK "\n  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);\n"
        "  int row = blockIdx.x * 8 + threadIdx.x / 32;\n"
        "  float sum = warp.shfl_down(in[row], 1) * warp.meta_group_rank();\n"
        "  for (int j = 0; j < 4; ++j) sum += in[j];\n"
        "  sum = cg::reduce(warp, sum, cg::plus<float>{});\n"
        "  if (row < n && warp.thread_rank() == 0) out[row] = sum;\n}\n"
        "void f(const float *a, float *b, int n) { k<<<(n + 7) / 8, 256>>>(a, b, n); }\n",
        &reason);
    cr_expect_not_null(strstr(names, "UNROLL_J"), "%s: %s", names, reason);
    cr_expect(!strstr(names, "BLOCK") && !strstr(names, "COARSEN"), "%s", names);
    free(names);
    free(reason);
}

/* Worked out by hand, for one thread: thread 37 of 70, whose neighbours all have its value. */
Test(groups, tiles_compute_what_cuda_says) {
    static const char before[] =
        "#define __host__\n#define __device__\n"
        "struct dim3 { unsigned x, y, z; dim3(unsigned a, unsigned b, unsigned c) : x(a), y(b), "
        "z(c) {} };\n"
        "static dim3 threadIdx(2, 3, 0), blockIdx(0, 0, 0), blockDim(10, 7, 1);\n"
        "static int barriers, width;\n"
        "static void __syncthreads() { ++barriers; }\nstatic void __threadfence_block() {}\n"
        "static int __any(int) { return 1; }\nstatic unsigned __lane_id() { return 37; }\n"
        "static unsigned long long __ballot(int) { return 0x0000002000000001ull; }\n"
        "template <class T> T __shfl(T v, int, int w) { width = w; return v; }\n"
        "template <class T> T __shfl_up(T v, unsigned, int w) { width = w; return v; }\n"
        "template <class T> T __shfl_down(T v, unsigned, int w) { width = w; return v; }\n"
        "template <class T> T __shfl_xor(T v, int, int w) { width = w; return v; }\n";
    static const char after[] =
        "\nusing namespace cooperative_groups;\nint main() {\n"
        "  thread_block block = this_thread_block();\n"
        "  bool good = block.thread_rank() == 32 && block.size() == 70;\n"
        "  thread_block_tile<32> tile = tiled_partition<32>(block);\n"
        "  good = good && tile.meta_group_rank() == 1 && tile.meta_group_size() == 3;\n"
        "  good = good && tile.thread_rank() == 0 && tile.ballot(1) == 32;\n"
        "  thread_block_tile<8> part = tiled_partition<8>(tile);\n"
        "  good = good && part.meta_group_size() == 4 && part.meta_group_rank() == 0;\n"
        "  good = good && reduce(part, 3, plus<int>{}) == 24 && width == 8;\n"
        "  good = good && reduce(tile, 3, greater<int>{}) == 3 && less<int>{}(1, 2) == 1;\n"
        "  sync(block);\n  tile.sync();\n"
        "  return good && barriers == 1 ? 0 : 1;\n}\n";
    char *text = ht_format("%s%s%s", before, strchr(ht_tile_names, '\n') + 1, after);
    char *path = tree_put("check.cpp", text);
    char *command = ht_format("clang++-19 -std=c++17 -o %s.out %s && %s.out", path, path, path);
    cr_expect_eq(system(command), 0, "%s", text);
    free(command);
    free(path);
    free(text);
}

/* Groups of more than a block are HIP's. */
Test(groups, tiles_stand_in_where_nothing_else_is_asked_for) {
    cr_expect(ht_tiles_suffice("#include <cooperative_groups.h>\ncg::tiled_partition<32>(b);"));
    cr_expect_not(ht_tiles_suffice("#include <cooperative_groups.h>\ncg::this_thread_block();"));
    cr_expect_not(ht_tiles_suffice("namespace cg = cooperative_groups;\n"
                                   "cg::tiled_partition<32>(b); cg::this_grid().sync();"));
    cr_expect_not(ht_tiles_suffice("tiled_partition<32>(b);"));
}
