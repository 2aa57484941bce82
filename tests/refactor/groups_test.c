/* A block's threads as a cooperative group: a barrier is one, whatever it is written as, and what
 * else a group is asked for keeps the block as it is. */
#include "tree_support.h"

#include "base/memory.h"

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
