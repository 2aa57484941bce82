/* Code of other builds, and blocks that wait for each other: the code that stays as the author has
 * it, and the words of the remark. */
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A guarded kernel; %s: in its body. */
#define KERNEL(top, body, host)                                                                    \
    "#include <hip/hip_runtime.h>\n" top                                                           \
    "\n__global__ void k(const float *in, float *out, int *count, int n) {\n"                      \
    "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "    if (x >= n) return;\n"                                                                    \
    "    float sum = 0;\n"                                                                         \
    "    for (int i = 0; i < 7; ++i)\n"                                                            \
    "        sum += in[x + i];\n" body "    out[x] = sum;\n"                                       \
    "}\n"                                                                                          \
    "void run(const float *in, float *out, int *count, int n) {\n"                                 \
    "    dim3 block(256), grid((n + 255) / 256);\n" host                                           \
    "    k<<<grid, block>>>(in, out, count, n);\n"                                                 \
    "}\n"

static const char problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : n\", \"args\": [\"in : in float[problem.n + 7]\", \"out : out "
    "float[problem.n]\", \"count : inout int[1]\", \"n : int = problem.n\"], \"instances\": "
    "[{\"fields\": {\"n\": 1000}}]}]}";

/* Returns remarks of the kernel, one a line; free(). */
static char *remarks_of(const char *text, bool *out_block) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    char *all = calloc(1, 65536);
    *out_block = false;
    for (size_t i = 0; i < kernel->remark_count; ++i)
        strncat(strcat(all, "\n"), kernel->remarks[i].message, 60000 - strlen(all));
    for (size_t i = 0; i < kernel->transformation_count; ++i)
        *out_block = *out_block || strcmp(kernel->transformations[i], "block-size") == 0;
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    return all;
}

static void expect_kept(const char *text, const char *words) {
    bool block;
    char *all = remarks_of(text, &block);
    cr_expect(!block, "its block became a parameter: %s", text);
    cr_expect(strstr(all, words), "'%s' is not in%s", words, all);
    free(all);
}

static void expect_free(const char *text) {
    bool block;
    char *all = remarks_of(text, &block);
    cr_expect(block, "its block is pinned: %s\n%s", text, all);
    free(all);
}

Test(branches, names_of_other_builds_pin_the_block_and_the_remark_names_the_macro) {
    expect_kept(KERNEL("", "#ifdef DEBUG\n    sum += threadIdx.x;\n#endif\n", ""),
                "'threadIdx' stands under '#ifdef DEBUG' (line 9), which this build does not take: "
                "compile with -DDEBUG to tune that branch");
    expect_kept(
        KERNEL("", "#ifndef __cplusplus\n    sum += hipBlockDim_x;\n#endif\n", ""),
        "'hipBlockDim_x' stands under '#ifndef __cplusplus' (line 9), which this build does "
        "not take: compile with -U__cplusplus");
    expect_kept(KERNEL("#define MODE 2",
                       "#if MODE == 1\n#if 1\n    sum *= blockIdx.x;\n#endif\n#endif\n", ""),
                "its macros set the other way");
}

Test(branches, macros_functions_and_launches_of_other_builds_count) {
    expect_kept(KERNEL("#ifdef FAST\n#define LANE threadIdx.x\n#else\n#define LANE 1\n#endif\n",
                       "    sum *= LANE;\n", ""),
                "'threadIdx' stands under '#ifdef FAST'");
    expect_kept(KERNEL("__device__ int lane() { return threadIdx.x; }\n",
                       "#ifdef FAST\n    sum += lane();\n#endif\n", ""),
                "'threadIdx' stands under '#ifdef FAST'");
    expect_kept(KERNEL("", "", "#ifdef WIDE\n    block = dim3(512);\n#endif\n"),
                "'block', which the launch depends on, stands under '#ifdef WIDE'");
    expect_kept(KERNEL("", "", "#ifdef TWICE\n    k<<<1, 32>>>(in, out, count, 32);\n#endif\n"),
                "'k' stands under '#ifdef TWICE'");
}

Test(branches, harmless_text_of_other_builds_pins_no_block) {
    expect_free(KERNEL("", "#ifdef SCALE\n    sum *= 2;\n#endif\n", ""));
    expect_free(KERNEL("#ifdef OTHER\nint unrelated(int threadIdx) { return threadIdx; }\n#endif\n",
                       "", ""));
    expect_free(KERNEL("", "", "#ifdef VERBOSE\n    printf(\"%d\\n\", n);\n#endif\n"));
    expect_free(KERNEL("", "", "#ifdef VERBOSE\n    printf(\"%d\\n\", 3 + n * n * 2);\n#endif\n"));
    expect_free(KERNEL("", "", "#ifdef VERBOSE\n    print(in, n * n * 2);\n#endif\n"));
    expect_kept(KERNEL("", "", "#ifdef WIDE\n    dim3 *n = other;\n#endif\n"), "'n', which");
}

/* Nothing is compiled from '#if 0', nor from the other branch of '#if 1', whatever is set. */
Test(branches, text_that_no_build_takes_pins_nothing) {
    expect_free(KERNEL("#if 0\n#define LANE threadIdx.x\n#else\n#define LANE 1\n#endif\n",
                       "    sum *= LANE;\n", ""));
    expect_free(KERNEL("", "#if 0\n    sum += threadIdx.x;\n#endif\n", ""));
    expect_free(KERNEL("", "#if 0\n#ifdef A\n    sum += threadIdx.x;\n#endif\n#endif\n", ""));
    expect_free(KERNEL("", "#if 1\n    sum += 2;\n#else\n    sum += threadIdx.x;\n#endif\n", ""));
    expect_free(KERNEL("", "", "#if 0\n    k<<<1, 32>>>(in, out, count, 32);\n#endif\n"));
    expect_free(KERNEL("", "", "#if 0\n    block = dim3(512);\n#endif\n"));
    expect_kept(KERNEL("", "#ifdef A\n#if 1\n    sum += threadIdx.x;\n#endif\n#endif\n", ""),
                "'threadIdx' stands");
    expect_kept(KERNEL("", "#if 0\n#elif defined(A)\n    sum += threadIdx.x;\n#endif\n", ""),
                "'threadIdx' stands");
    expect_kept(KERNEL("", "#if B\n#else\n#endif\n#if B\n    sum += threadIdx.x;\n#endif\n", ""),
                "'threadIdx' stands");
}

Test(branches, a_pragma_that_a_conditional_chooses_stays) {
    static const char text[] =
        "#include <hip/hip_runtime.h>\n"
        "__global__ void k(const float *in, float *out, int *count, int n) {\n"
        "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (x >= n) return;\n"
        "    float sum = 0;\n"
        "#ifdef LOOP_UNROLL\n"
        "#pragma unroll\n"
        "#endif\n"
        "    for (int i = 0; i < 7; ++i)\n"
        "        sum += in[x + i];\n"
        "    out[x] = sum;\n"
        "}\n"
        "void run(const float *in, float *out, int *count, int n) {\n"
        "    k<<<(n + 255) / 256, 256>>>(in, out, count, n);\n"
        "}\n";
    bool block;
    char *all = remarks_of(text, &block);
    cr_expect(block);
    cr_expect(strstr(all, "a conditional right before it has a pragma for it"), "%s", all);
    free(all);
}

Test(waits, spinning_blocks_keep_their_order_and_number) {
    static const char why[] = "a loop goes on until another block has written what it reads";
    expect_kept(KERNEL("", "    while (((volatile int *)count)[blockIdx.x] == 0) {}\n", ""), why);
    expect_kept(KERNEL("", "    while (count[blockIdx.y] == 0) __threadfence();\n", ""), why);
    expect_kept(KERNEL("struct flags { int set; };\n",
                       "    while (((const flags *)count)->set == 0) {}\n", ""),
                why);
    expect_kept(KERNEL("#define LOAD(p) (*(volatile int *)(p))\n",
                       "    for (int s = 0; !s;) s = LOAD(count);\n", ""),
                why);
    expect_kept(KERNEL("__device__ void wait_for(volatile int *p) { while (*p == 0) {} }\n",
                       "    wait_for(count);\n", ""),
                why);
    expect_kept(KERNEL("",
                       "    int s; do { s = __builtin_nontemporal_load(count); } while (s == 0);\n",
                       ""),
                why);
}

Test(waits, blocks_that_count_themselves_keep_their_order_and_number) {
    static const char why[] =
        "what an atomic operation returns depends on which blocks came before";
    expect_kept(KERNEL("", "    int ticket = atomicAdd(count, 1); sum += ticket;\n", ""), why);
    expect_kept(
        KERNEL("", "    if (atomicInc((unsigned *)count, gridDim.x) == gridDim.x - 1) sum = 0;\n",
               ""),
        why);
    expect_kept(KERNEL("", "    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) == 0) {}\n", ""),
                "before");
    expect_kept(KERNEL("#define TICKET(p) atomicAdd(p, 1)\n", "    sum += TICKET(count);\n", ""),
                why);
}

Test(waits, counts_that_nobody_asks_for_pin_nothing) {
    expect_free(KERNEL("", "    atomicAdd(count, 1);\n", ""));
    expect_free(KERNEL("", "    if (x == 3) (void)atomicAdd(count, 1);\n", ""));
    expect_free(KERNEL("", "    for (int i = 0; i < 3; ++i) atomicAdd(count, i);\n", ""));
}

Test(specialised, each_specialisation_has_a_name_of_its_own) {
    static const char text[] =
        "#include <hip/hip_runtime.h>\n"
        "namespace ns {\n"
        "template <typename T, int N> __global__ void k(const T *in, T *out, int n) {\n"
        "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (x < n) out[x] = in[x] * N;\n"
        "}\n"
        "template <> __global__ void k<float, 2>(const float *in, float *out, int n) {\n"
        "    if (threadIdx.x == 0) out[blockIdx.x] = in[n];\n"
        "}\n"
        "template <> __global__ void k<double, 2>(const double *in, double *out, int n) {\n"
        "    if (threadIdx.x == 1) out[blockIdx.x] = in[n];\n"
        "}\n"
        "}\n"
        "void run(const float *in, float *out, int n) {\n"
        "    ns::k<float, 3><<<(n + 255) / 256, 256>>>(in, out, n);\n"
        "}\n";
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, NULL, &problems);
    cr_expect_eq(kernel_named(refactor, "ns::k<float, 2>", NULL)->status, HT_KERNEL_REFUSED);
    cr_expect_eq(kernel_named(refactor, "ns::k<double, 2>", NULL)->status, HT_KERNEL_REFUSED);
    /* launches of the template may mean a specialisation */
    const ht_kernel *primary = kernel_named(refactor, "ns::k", NULL);
    bool told = false;
    for (size_t i = 0; i < primary->remark_count; ++i)
        told = told || strstr(primary->remarks[i].message, "'ns::k<float, 2>' (line 7)");
    cr_expect(told);
    for (size_t i = 0; i < primary->transformation_count; ++i)
        cr_expect_str_neq(primary->transformations[i], "block-size");
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}
