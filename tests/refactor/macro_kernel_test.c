/* Kernels that macros write. */
#include "tree_support.h"

#include "base/memory.h"
#include "refactor/rewrite/apply.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(macro_kernel, .init = tree_folder_make, .fini = tree_folder_remove);

#define BODY                                                                                       \
    " { \\\n"                                                                                      \
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; \\\n"                                        \
    "  if (i < n) out[i] = FACTOR * in[i]; /* scaled */ }\n"
#define ARGUMENTS "(const float *in, float *out, int n)"
#define LAUNCH(name)                                                                               \
    "void run(const float *in, float *out, int n) {\n"                                             \
    "  " name "<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n"

static ht_refactor *read_text(const char *name, const char *text) {
    char *path = tree_put(name, text);
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    free(path);
    return refactor;
}

/* Names that are pasted, arguments with commas in brackets, calls over several lines, macros in the
 * body, and kernels that are templates. */
Test(macro_kernel, a_kernel_that_a_macro_writes_is_a_template) {
    static const char *const sources[] = {
        "#define FACTOR 2\n#define MAKE(name) __global__ void name" ARGUMENTS BODY
        "MAKE(k)\n" LAUNCH("k"),
        "#define FACTOR 2\n#define MAKE(part, more) __global__ void part##more##_of" ARGUMENTS BODY
        "MAKE(k_,\n     one)\n" LAUNCH("k_one_of"),
        "#define MAKE(name, FACTOR) __global__ void name" ARGUMENTS BODY
        "MAKE(k, (in[0], 2))\nMAKE(other, 3)\n" LAUNCH("k"),
        "#define FACTOR T(2)\n#define HEAD(name) template <typename T> __global__ void name\n"
        "HEAD(k)" ARGUMENTS " {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) out[i] = FACTOR * in[i];\n}\n" LAUNCH("k<float>")};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        ht_refactor *refactor = read_text("k.hip", sources[i]);
        const ht_kernel *kernel = kernel_named(refactor, i == 1 ? "k_one_of" : "k", NULL);
        cr_expect_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s%s", sources[i], kernel->reason);
        cr_expect(kernel->template && strstr(kernel->template->unit, "param(BLOCK_X"));
        ht_refactor_free(refactor);
    }
}

/* A launch that a macro writes is one, with its template arguments. */
Test(macro_kernel, a_launch_that_a_macro_writes_is_read) {
    ht_refactor *refactor = read_text(
        "k.hip", "#define LAUNCH(block, width) { dim3 threads(block); \\\n"
                 "  k<block, width><<<(n + block - 1) / block, threads>>>(in, out, n); }\n"
                 "template <int BLOCK, int WIDTH> __global__ void k" ARGUMENTS " {\n"
                 "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i >= n) return;\n"
                 "  float sum = 0;\n  for (int j = 0; j < WIDTH; ++j) sum += in[(i + j) % n];\n"
                 "  out[i] = sum;\n}\n"
                 "void run(const float *in, float *out, int n) {\n  LAUNCH(256, 27);\n}\n");
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_expect(strstr(kernel->template->unit, "k__original<256, 27>"), "%s", kernel->template->unit);
    ht_refactor_free(refactor);
}

/* Where the macro may be another elsewhere, or what it writes is not plain, nothing is written
 * out. */
Test(macro_kernel, a_macro_that_is_not_plain_keeps_its_kernel) {
    static const char *const sources[] = {
        /* the host's side, or another build, has another */
        "#define FACTOR 2\n#ifdef __HIP_DEVICE_COMPILE__\n"
        "#define MAKE(name) __global__ void name" ARGUMENTS BODY "#else\n"
        "#define MAKE(name) __global__ void name" ARGUMENTS " {}\n#endif\n"
        "MAKE(k)\n" LAUNCH("k"),
        /* any number of arguments */
        "#define FACTOR 2\n#define MAKE(name, ...) __global__ void name" ARGUMENTS BODY
        "MAKE(k, 1)\n" LAUNCH("k"),
        /* its own name, which is not expanded again */
        "#define FACTOR MAKE\n#define MAKE(name) __global__ void name(const float *in, float *out, "
        "int n) { const int MAKE = 2; out[threadIdx.x] = MAKE * in[n]; }\n"
        "MAKE(k)\n" LAUNCH("k"),
        /* nothing is pasted */
        "#define FACTOR 2\n#define MAKE(part, more) __global__ void k##part##more" ARGUMENTS BODY
        "MAKE(,)\n" LAUNCH("k")};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        ht_refactor *refactor = read_text("k.hip", sources[i]);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_expect_eq(kernel->status, HT_KERNEL_REFUSED, "%s", sources[i]);
        cr_expect(kernel->reason && strstr(kernel->reason, "macro-generated"), "%s",
                  kernel->reason);
        ht_refactor_free(refactor);
    }
}

/* Written out, the line would be another number: the compiler would see other code. */
Test(macro_kernel, code_that_would_change_is_not_written_out) {
    ht_refactor *refactor = read_text(
        "k.hip", "#define MAKE(name, at) \\\n  __global__ void name(float *out, int n) { \\\n"
                 "    int i = blockIdx.x * blockDim.x + threadIdx.x; \\\n"
                 "    if (i < n) out[i] = at + __LINE__; }\n"
                 "MAKE(k,\n     1 +\n     2)\n"
                 "void run(float *out, int n) { k<<<(n + 255) / 256, 256>>>(out, n); }\n");
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_eq(kernel->status, HT_KERNEL_REFUSED);
    ht_refactor_free(refactor);
}

/* Brackets that an editor has put apart: launches all the same, and lines that nothing changes stay
 * as they were. A template's arguments and shifts are no launches. */
Test(macro_kernel, launches_with_brackets_that_stand_apart_are_read_and_restored) {
    ht_refactor *refactor =
        read_text("k.cu", "#include <vector>\n#define FACTOR 2\n"
                          "__global__ void k" ARGUMENTS " {\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "  if (i < n) out[i] = FACTOR * in[i];\n}\n"
                          "__global__ void other" ARGUMENTS " {\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "  if (i < n) out[i] = in[i] + 1;\n}\n"
                          "void run(const float *in, float *out, int n) {\n"
                          "  std::vector<std::vector<std::vector<int>> > all(n >> 1 << 2);\n"
                          "  k << <(n + 255) / 256, 256 >> > (in, out, n);\n"
                          "  other < < < (n + 127) / 128, 128 > >>(in, out, n); // << < >> >\n}\n");
    ht_refactor_choice choice = {0};
    const ht_kernel *kernel = kernel_named(refactor, "k", &choice.kernel);
    ht_error error = {0};
    char *text = NULL;
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_expect_eq(kernel_named(refactor, "other", NULL)->status, HT_KERNEL_TEMPLATED);
    cr_assert_eq(ht_config_parse(kernel->template, "BLOCK_X=64", &choice.config, &error), HT_OK);
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    cr_expect(strstr(text, "k <<< (n + 63) / 64, 64 >>>"), "%s", text);
    cr_expect(strstr(text, "<std::vector<int>> > all(n >> 1 << 2);"), "%s", text);
    cr_expect(strstr(text, "  other < < < (n + 127) / 128, 128 > >>(in, out, n); // << < >> >\n"),
              "%s", text);
    free(text);
    ht_refactor_free(refactor);
}

/* CUDA's compiler takes a grid and a block as lists in braces, clang does not. Braces elsewhere are
 * left alone, and lines that nothing changes stay as they were. */
Test(macro_kernel, launches_with_lists_in_braces_are_read_and_restored) {
    ht_refactor *refactor =
        read_text("k.cu", "struct pair { int a, b; };\nint first(pair p) { return p.a; }\n"
                          "__global__ void k" ARGUMENTS " {\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "  if (i < n) out[i] = 2 * in[i];\n}\n"
                          "__global__ void other" ARGUMENTS " {\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "  if (i < n) out[i] = in[i] + 1;\n}\n"
                          "void run(const float *in, float *out, int n) {\n"
                          "  k<<<(n + 255) / 256, {256, 1, 1}>>>(in, out, n);\n"
                          "  other<<<{(n + 127u) / 128u}, {128, 1,\n"
                          "          1}, 0, 0>>>(in, out, first({n, 1}));\n}\n");
    ht_refactor_choice choice = {0};
    const ht_kernel *kernel = kernel_named(refactor, "k", &choice.kernel);
    ht_error error = {0};
    char *text = NULL;
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_eq(ht_config_parse(kernel->template, "BLOCK_X=64", &choice.config, &error), HT_OK);
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    cr_expect(strstr(text, "k<<<(n + 63) / 64, dim3(64, 1, 1)>>>(in, out, n)"), "%s", text);
    cr_expect(strstr(text, "  other<<<{(n + 127u) / 128u}, {128, 1,\n"
                           "          1}, 0, 0>>>(in, out, first({n, 1}));\n"),
              "%s", text);
    free(text);
    ht_refactor_free(refactor);
}
