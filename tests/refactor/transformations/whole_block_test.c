/* Cooperative groups that are the whole block are read as the block; all others stay groups. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define GROUPS                                                                                     \
    HEAD "#include <hip/hip_cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"           \
         "#define TILE 16\n"
#define TRANSPOSE(name)                                                                            \
    "__global__ void " name "(const float *in, float *out, int n) {\n"                             \
    "    cg::thread_block block = cg::this_thread_block();\n"                                      \
    "    __shared__ float tile[TILE][TILE + 1];\n"                                                 \
    "    int x = block.group_index().x * TILE + block.thread_index().x;\n"                         \
    "    int y = block.group_index().y * TILE + block.thread_index().y;\n"                         \
    "    if (x < n && y < n)\n"                                                                    \
    "        tile[threadIdx.y][threadIdx.x] = in[y * n + x];\n"                                    \
    "    cg::sync(block);\n"                                                                       \
    "    x = blockIdx.y * TILE + threadIdx.x;\n"                                                   \
    "    y = blockIdx.x * TILE + threadIdx.y;\n"                                                   \
    "    if (x < n && y < n)\n"                                                                    \
    "        out[y * n + x] = tile[threadIdx.x][threadIdx.y];\n"                                   \
    "    block.sync();\n"                                                                          \
    "}\n"
#define RUN                                                                                        \
    "void run(const float *in, float *out, int n) {\n"                                             \
    "    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);\n"            \
    "    k<<<grid, block>>>(in, out, n);\n"                                                        \
    "}\n"

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : n\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.n * problem.n]\", \"out : out float[problem.n * problem.n]\", "
    "\"n : int = problem.n\"], \"instances\": [{\"fields\": {\"n\": 100}}]}]}";

Test(whole_block, a_group_that_is_the_block_is_read_as_the_block) {
    subject of = subject_open(GROUPS TRANSPOSE("k") RUN, problem, "k");
    cr_assert(applied(&of, "block-size"));
    cr_expect_not(strstr(of.kernel->template->unit, "cooperative_groups"), "%s",
                  of.kernel->template->unit);
    expect_equal(&of, "k", (const char *const[]){"", "TILE=8", "GRID_ORDER=1", NULL});
    subject_close(&of);
}

/* A kernel that nobody tuned keeps its author's text to the letter. */
Test(whole_block, other_kernels_of_a_tuned_file_keep_their_groups) {
    subject of = subject_open(GROUPS TRANSPOSE("k") TRANSPOSE("other") RUN, problem, "k");
    expect_pieces(&of, "GRID_ORDER=1",
                  (const char *const[]){"void k(", "__syncthreads();", TRANSPOSE("other"), NULL});
    subject_close(&of);
}

static void expect_groups(const char *text) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_neq(kernel->status, HT_KERNEL_UNPARSED, "%s\n%s", kernel->reason, text);
    bool groups = false;
    for (size_t i = 0; i < kernel->remark_count; ++i)
        groups = groups || strstr(kernel->remarks[i].message, "cooperative groups");
    cr_expect(groups, "%s", text);
    cr_expect_not(frees_block(kernel), "%s", text);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

/* A group's own part, or what hangs on the block's shape as a whole, is not known; a branch that
 * another build takes would lose its group, and a macro may do anything with it. INDEX: barriers of
 * such groups are known without it (groups_test.c). */
#define INDEX "    if (block.thread_index().x == 3) out[1] = 0;\n"
Test(whole_block, all_other_groups_stay) {
    static const char *const uses[] = {
        "    cg::thread_block block = cg::this_thread_block();\n"
        "    cg::thread_block_tile<32> part = cg::tiled_partition<32>(block);\n    part.sync();\n",
        "    cg::thread_block block = cg::this_thread_block();\n"
        "    if (block.thread_rank() == 1) out[0] = 1.0f;\n",
        "    cg::thread_block block = cg::this_thread_block();\n" INDEX "    meet(block);\n",
        "    cg::thread_block block = cg::this_thread_block();\n" INDEX
        "#ifdef OTHER\n    block.sync();\n#endif\n",
        "    cg::thread_block block = cg::this_thread_block();\n" INDEX "    MEET(block);\n",
        "    cg::thread_block block = cg::this_thread_block();\n" INDEX
        "    { int block = n; out[0] = block; }\n    block.sync();\n",
        "    cg::thread_block block = cg::this_thread_block(), second = block;\n" INDEX
        "    second.sync();\n",
        "    cg::grid_group grid = cg::this_grid();\n    grid.sync();\n",
        NULL};
    for (const char *const *use = uses; *use; ++use) {
        char *text =
            ht_format(GROUPS "#define MEET(group) cg::sync(group)\n"
                             "__device__ void meet(cg::thread_block group) { group.sync(); }\n"
                             "__global__ void k(const float *in, float *out, int n) {\n"
                             "    int x = blockIdx.x * TILE + threadIdx.x;\n"
                             "    int y = blockIdx.y * TILE + threadIdx.y;\n"
                             "%s    if (x < n && y < n) out[y * n + x] = in[y * n + x];\n}\n" RUN,
                      *use);
        expect_groups(text);
        free(text);
    }
}
