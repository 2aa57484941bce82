/* Templates for one build, of kernels that code of other builds would keep as they are. */
#include "support.h"

#include "refactor/rewrite/apply.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* %s: in the kernel. The block is a macro that a build may set to something else. */
#define SOURCE                                                                                     \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "#ifdef SIDE_OF_BUILD\n#define SIDE SIDE_OF_BUILD\n#else\n#define SIDE 16\n#endif\n"           \
    "__global__ void k(const float *in, float *out, int *flags, int n) {\n"                        \
    "    __shared__ float tile[SIDE][SIDE + 1];\n"                                                 \
    "    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;\n"          \
    "%s"                                                                                           \
    "    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];\n"                    \
    "    __syncthreads();\n"                                                                       \
    "    x = blockIdx.y * SIDE + threadIdx.x, y = blockIdx.x * SIDE + threadIdx.y;\n"              \
    "    if (x < n && y < n) out[y * n + x] = tile[threadIdx.x][threadIdx.y];\n"                   \
    "}\n"                                                                                          \
    "void run(const float *in, float *out, int *flags, int n) {\n"                                 \
    "    dim3 block(SIDE, SIDE), grid((n + SIDE - 1) / SIDE, (n + SIDE - 1) / SIDE);\n"            \
    "    k<<<grid, block>>>(in, out, flags, n);\n"                                                 \
    "}\n"

static ht_refactor *read_text_for_build(const char *text, bool own_build) {
    const ht_refactor_options options = {.own_build = own_build};
    return refactor_text_with(text, &options);
}

static ht_refactor *read_for_build(const char *body, bool own_build) {
    char *text = ht_format(SOURCE, body);
    ht_refactor *refactor = read_text_for_build(text, own_build);
    free(text);
    return refactor;
}

/* The source is not rewritten with this configuration, for a reason with these words. */
static void expect_unwritten(const ht_refactor *refactor, size_t index, const char *config,
                             const char *words) {
    ht_refactor_choice choice = {.kernel = index};
    ht_error error = {0};
    char *text = NULL;
    const ht_kernel *kernel = ht_refactor_kernel(refactor, index);
    cr_assert_eq(ht_config_parse(kernel->template, config, &choice.config, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_ERROR_UNSUPPORTED);
    cr_expect(strstr(error.message, words), "%s", error.message);
}

static bool remarks_have(const ht_kernel *kernel, ht_remark_kind kind, const char *words) {
    bool found = false;
    for (size_t i = 0; i < kernel->remark_count; ++i)
        found = found || (kernel->remarks[i].kind == kind &&
                          strstr(kernel->remarks[i].message, words) != NULL);
    return found;
}

/* The template is that of the text that this build compiles; the source would have to serve the
 * others as well, so that it is not rewritten. */
Test(own_build, a_block_that_other_builds_set_is_a_parameter_of_a_template_without_tuned_source) {
    ht_refactor *refactor = read_for_build("", true);
    size_t index;
    const ht_kernel *kernel = kernel_named(refactor, "k", &index);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_expect(ht_template_param(kernel->template, "SIDE"));
    cr_expect(remarks_have(kernel, HT_REMARK_NOTE,
                           "for this build alone, without a tuned source: 'SIDE', which the launch "
                           "depends on, stands under '#ifdef SIDE_OF_BUILD' (line 2)"));
    expect_unwritten(refactor, index, "SIDE=8", "SIDE_OF_BUILD");
    ht_refactor_free(refactor);
}

Test(own_build, a_command_that_writes_sources_makes_no_such_template) {
    ht_refactor *refactor = read_for_build("", false);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_eq(kernel->status, HT_KERNEL_REFUSED);
    cr_expect(remarks_have(kernel, HT_REMARK_MISSED, "stands under '#ifdef SIDE_OF_BUILD'"));
    ht_refactor_free(refactor);
}

/* The template is for the launch that is there; another, by the kernel's address, is not known. */
Test(own_build, a_kernel_that_is_launched_by_its_address_too_gets_a_template_without_tuned_source) {
    for (int own_build = 0; own_build < 2; ++own_build) {
        ht_refactor *refactor =
            read_text_for_build("#include <hip/hip_runtime.h>\n"
                                "__global__ void k(const float *in, float *out, int n) {\n"
                                "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "    if (x < n) out[x] = in[x];\n"
                                "}\n"
                                "void by_address(const void *kernel, void **arguments);\n"
                                "void run(const float *in, float *out, int n, bool at_once) {\n"
                                "    void *arguments[] = {&in, &out, &n};\n"
                                "    if (at_once) by_address((void *)k, arguments);\n"
                                "    else k<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                                "}\n",
                                own_build);
        size_t index;
        const ht_kernel *kernel = kernel_named(refactor, "k", &index);
        cr_expect_eq(kernel->status, own_build ? HT_KERNEL_TEMPLATED : HT_KERNEL_REFUSED, "%s",
                     kernel->reason);
        if (own_build) {
            cr_expect(ht_template_param(kernel->template, "BLOCK_X"));
            expect_unwritten(refactor, index, "BLOCK_X=64", "used otherwise than in a launch");
        }
        ht_refactor_free(refactor);
    }
}

/* A macro in a macro writes the launch: there is no text of it to rewrite. */
Test(own_build, a_launch_that_a_macro_writes_gives_a_template_without_tuned_source) {
    for (int own_build = 0; own_build < 2; ++own_build) {
        ht_refactor *refactor =
            read_text_for_build("#include <hip/hip_runtime.h>\n"
                                "#define FILL(side) { const int blocks = (n + 255) / 256; \\\n"
                                "    fill_##side<<<blocks, 256>>>(out, n); }\n"
                                "#define FILL_ALL FILL(left)\n"
                                "__global__ void fill_left(float *out, int n) {\n"
                                "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "    if (x < n) out[x] = 3;\n"
                                "}\n"
                                "void run(float *out, int n) { if (n > 3) FILL_ALL }\n"
                                "void again(float *out, int n) { FILL_ALL }\n",
                                own_build);
        size_t index;
        const ht_kernel *kernel = kernel_named(refactor, "fill_left", &index);
        cr_expect_eq(kernel->status, own_build ? HT_KERNEL_TEMPLATED : HT_KERNEL_REFUSED, "%s",
                     kernel->reason);
        if (own_build) {
            cr_expect(ht_template_param(kernel->template, "BLOCK_X"));
            expect_unwritten(refactor, index, "BLOCK_X=64", "cannot be rewritten");
        }
        ht_refactor_free(refactor);
    }
}

/* One parameter cannot stand for two blocks: the template is for the first launch's. */
Test(own_build, launches_with_different_blocks_give_a_template_of_the_first_without_tuned_source) {
    for (int own_build = 0; own_build < 2; ++own_build) {
        ht_refactor *refactor =
            read_text_for_build("#include <hip/hip_runtime.h>\n"
                                "__global__ void k(const float *in, float *out, int n) {\n"
                                "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "    if (x < n) out[x] = in[x];\n"
                                "}\n"
                                "void run(const float *in, float *out, int n, bool small) {\n"
                                "    if (!small) k<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                                "    else k<<<(n + 63) / 64, 64>>>(in, out, n);\n"
                                "}\n",
                                own_build);
        size_t index;
        const ht_kernel *kernel = kernel_named(refactor, "k", &index);
        cr_expect_eq(kernel->status, own_build ? HT_KERNEL_TEMPLATED : HT_KERNEL_REFUSED, "%s",
                     kernel->reason);
        if (own_build) {
            const ht_param *block = ht_template_param(kernel->template, "BLOCK_X");
            cr_assert(block);
            cr_expect_str_eq(block->values[block->default_index].text, "256");
            expect_unwritten(refactor, index, "BLOCK_X=128", "have different blocks");
        }
        ht_refactor_free(refactor);
    }
}

/* A loop that waits is this build's own, whatever the others have. */
Test(own_build, blocks_that_wait_for_each_other_stay_in_any_build) {
    ht_refactor *refactor =
        read_for_build("    while (((volatile int *)flags)[blockIdx.x] == 0) {}\n", true);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_neq(kernel->status, HT_KERNEL_TEMPLATED);
    cr_expect(remarks_have(kernel, HT_REMARK_MISSED, "until another block has written"));
    ht_refactor_free(refactor);
}

/* A file that asks whether the build is one for a GPU is read as that build: without the macro its
 * kernel has no launch. Others are what they are without it. */
Test(refactor, a_file_that_asks_for_a_build_for_a_gpu_is_read_as_one) {
    static const char text[] =
        "#ifdef %s\n__device__ inline float twice(float v) { return 2 * v; }\n#endif\n"
        "__global__ void k(const float *in, float *out, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) out[i] = twice(in[i]);\n}\n"
        "void run(const float *in, float *out, int n) {\n"
        "    k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n";
    static const struct {
        const char *macro;
        ht_kernel_status status;
    } cases[] = {{"USE_CUDA", HT_KERNEL_TEMPLATED},     {"GPU", HT_KERNEL_TEMPLATED},
                 {"CUDA_ENABLED", HT_KERNEL_TEMPLATED}, {"USE_CUDA_DEBUG", HT_KERNEL_UNPARSED},
                 {"__CUDACC__", HT_KERNEL_UNPARSED},    {"TWICE", HT_KERNEL_UNPARSED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *source = ht_format(text, cases[i].macro);
        ht_refactor *refactor = read_text_for_build(source, false);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_expect_eq(kernel->status, cases[i].status, "%s: %s", cases[i].macro, kernel->reason);
        ht_refactor_free(refactor);
        free(source);
    }
}

/* ---- launches that do not name their kernel ---- */

/* %s: a function that launches a kernel which it is passed, and the host's code. */
static ht_refactor *read_indirect(const char *host) {
    char *text = ht_format("#include <hip/hip_runtime.h>\n"
                           "__global__ void k(const float *in, float *out, int n) {\n"
                           "    int x = blockIdx.x * 64 + threadIdx.x;\n"
                           "    if (x < n) out[x] = in[x];\n"
                           "}\n"
                           "__global__ void other(const float *in, float *out, int n) {}\n"
                           "%s",
                           host);
    ht_refactor *refactor = read_text_for_build(text, true);
    free(text);
    return refactor;
}

/* The kernel's block is the launch's, 64, without which the constant in its index means nothing. */
static void expect_indirect(const char *host) {
    ht_refactor *refactor = read_indirect(host);
    size_t index;
    const ht_kernel *kernel = kernel_named(refactor, "k", &index);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", host, kernel->reason);
    const ht_param *block = ht_template_param(kernel->template, "BLOCK_X");
    cr_assert(block, "%s", host);
    cr_expect_str_eq(block->values[block->default_index].text, "64");
    expect_unwritten(refactor, index, "BLOCK_X=128", "cannot be rewritten");
    ht_refactor_free(refactor);
}

static void expect_unfollowed(const char *host) {
    ht_refactor *refactor = read_indirect(host);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_neq(kernel->status, HT_KERNEL_TEMPLATED, "%s", host);
    ht_refactor_free(refactor);
}

#define RUN(body) "void run(const float *in, float *out, int n, int which) {\n" body "}\n"
#define PASSED                                                                                     \
    RUN("    launch(\"k\", k, (n + 63) / 64, 64, in, out, n);\n"                                   \
        "    launch(\"other\", other, n, 32, in, out, n);\n")
#define PACK(body)                                                                                 \
    "template <typename... P, typename... A> void launch(const char *name, void (*kernel)(P...),"  \
    " dim3 grid, dim3 block, A... args) {\n" body "}\n"

Test(own_build, a_launch_by_a_function_that_is_passed_the_kernel_is_followed) {
    expect_indirect(PACK("    kernel<<<grid, block, 0, 0>>>(args...);\n") PASSED);
    expect_indirect(
        "typedef void (*map)(const float *, float *, int);\n"
        "void launch(const char *name, map kernel, int grid, int block, const float *in,"
        " float *out, int n) {\n"
        "    kernel<<<grid, block>>>(in, out, n);\n"
        "}\n" PASSED);
}

Test(own_build, a_function_that_changes_what_it_is_passed_is_not_followed) {
    expect_unfollowed(PACK("    grid.x *= 2;\n    kernel<<<grid, block>>>(args...);\n") PASSED);
    expect_unfollowed(PACK("    block.x = 32;\n    kernel<<<grid, block>>>(args...);\n") PASSED);
    expect_unfollowed(PACK("    kernel<<<dim3(grid.x + 1), block>>>(args...);\n") PASSED);
    expect_unfollowed(PACK("    kernel<<<grid, block, 4 * block.x>>>(args...);\n") PASSED);
    expect_unfollowed("typedef void (*map)(const float *, float *, int);\n"
                      "void launch(const char *name, map kernel, int grid, int block,"
                      " const float *in, float *out, int n) {\n"
                      "    kernel<<<grid, block>>>(in, out, n / 2);\n"
                      "}\n" PASSED);
    expect_unfollowed("typedef void (*map)(const float *, float *, int);\n"
                      "void round_up(int &n);\n"
                      "void launch(const char *name, map kernel, int grid, int block,"
                      " const float *in, float *out, int n) {\n"
                      "    round_up(grid);\n"
                      "    kernel<<<grid, block>>>(in, out, n);\n"
                      "}\n" PASSED);
}

#define HELD                                                                                       \
    "    if (which) kernel = &k; else kernel = other;\n"                                           \
    "    kernel<<<(n + 63) / 64, 64>>>(in, out, n);\n"

Test(own_build, a_launch_by_a_variable_that_holds_the_kernel_is_followed) {
    expect_indirect(RUN("    void (*kernel)(const float *, float *, int) = nullptr;\n" HELD));
}

#define STARTED "    hipLaunchKernel((const void *)k, (n + 63) / 64, 64, args, 0, 0);\n"

Test(own_build, a_launch_by_an_array_of_addresses_is_followed_where_all_of_them_are_known) {
    expect_indirect(RUN("    void *args[] = {&in, (void *)&out, &n};\n" STARTED));
    expect_unfollowed(RUN("    void *args[] = {&in, &out};\n" STARTED));
    expect_unfollowed(RUN("    void *args[] = {&in, &out, nullptr};\n" STARTED));
    expect_unfollowed(RUN("    void *args[3];\n    args[0] = &in, args[1] = &out;\n"
                          "    args[2] = &n;\n" STARTED));
}
