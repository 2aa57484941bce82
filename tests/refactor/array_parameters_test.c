/* Parameters of kernels that are written as arrays. */
#include "tree_support.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/rewrite/apply.h"
#include "refactor/source/array_parameters.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(array_parameters, .init = tree_folder_make, .fini = tree_folder_remove);

static void expect_text(const char *before, const char *after) {
    char *text = ht_strdup(before);
    cr_expect_eq(ht_array_parameters_write(text), strcmp(before, after) != 0, "%s", before);
    cr_expect_str_eq(text, after);
    cr_expect_eq(strlen(text), strlen(before));
    free(text);
}

Test(array_parameters, those_of_kernels_are_written_as_pointers_of_the_same_length) {
    expect_text("__global__ void k(float in[], const int *n, float out [ 16 ]) {}",
                "__global__ void k(float *in , const int *n, float *out      ) {}");
    expect_text("template <int N> __launch_bounds__(N) __global__ void k(T<int, 2> a[N], int n);",
                "template <int N> __launch_bounds__(N) __global__ void k(T<int, 2> *a  , int n);");
    expect_text("__global__ void __launch_bounds__(f(1)) k(float a[][4], float b[8][4]) {}",
                "__global__ void __launch_bounds__(f(1)) k(float(*a)[4], float(*b) [4]) {}");
    expect_text("__global__ void k(float a[], float b[]) { float c[4]; } void f(float d[]) {}",
                "__global__ void k(float *a , float *b ) { float c[4]; } void f(float d[]) {}");
}

/* References to arrays, functions of the host, text, and what stands in brackets of its own. */
Test(array_parameters, others_stay_as_they_are) {
    static const char *const texts[] = {
        "__global__ void k(float (&a)[8], float *b) { b[0] = a[1]; }",
        "__device__ void f(float a[]) {} __global__ void k(float *b) { f(b); }",
        "/* __global__ void k(float a[]) */ __global__ void k(float *b) {}",
        "__global__ void k(float *b, int n = sizeof(c[0]), int m = c[1]) {}",
        "#define K __global__ void k(float a[])\n",
        "__global__ void k(float a[/* none */]) {}",
        "__global__ void k(float a[\n]) {}",
        "__global__ void k(float a[",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        expect_text(texts[i], texts[i]);
}

/* A kernel with them has a template, and a tuned source keeps the lines of others. */
Test(array_parameters, a_kernel_with_them_is_tuned) {
    char *path = tree_put("k.cu", "__global__ void k(float in[], float out[], int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  if (i < n) out[i] = 2 * in[i];\n}\n"
                                  "__global__ void other(float in[], float out[], int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  if (i < n) out[i] = in[i] + 1;\n}\n"
                                  "void run(float *in, float *out, int n) {\n"
                                  "  k<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                                  "  other<<<(n + 127) / 128, 128>>>(in, out, n);\n}\n");
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    ht_refactor_choice choice = {0};
    const ht_kernel *kernel = kernel_named(refactor, "k", &choice.kernel);
    ht_error error = {0};
    char *text = NULL;
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_expect_eq(kernel_named(refactor, "other", NULL)->status, HT_KERNEL_TEMPLATED);
    cr_assert_eq(ht_config_parse(kernel->template, "BLOCK_X=64", &choice.config, &error), HT_OK);
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    cr_expect(strstr(text, "k<<<(n + 63) / 64, 64>>>"), "%s", text);
    cr_expect(strstr(text, "void other(float in[], float out[], int n) {\n"), "%s", text);
    free(text);
    free(path);
    ht_refactor_free(refactor);
}
