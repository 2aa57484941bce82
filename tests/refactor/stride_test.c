/* Blocks of kernels whose threads stride over ranges: any, where they only deal out iterations. */
#include "support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(stride, any_block_deals_out_the_iterations) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_open("tests/refactor/sources/row_stride.hip", &problems);
    for (size_t i = 0; i < ht_refactor_kernel_count(refactor); ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(refactor, i);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", kernel->name, kernel->reason);
        cr_expect(frees_block(kernel), "%s", kernel->name);
    }
    const ht_kernel *pairs = kernel_named(refactor, "pairs", NULL);
    cr_expect(strstr(pairs->template->unit, "grid(height, 2)"), "%s", pairs->template->unit);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

typedef struct refused_case {
    const char *what;
    const char
        *body; /* of k(const float *in, float *out, int n, int m), launched by <<<m, 128>>> */
} refused_case;

static const refused_case cases[] = {
    {"a value goes from iteration to iteration",
     "float s = 0;\nfor (int i = threadIdx.x; i < n; i += blockDim.x) { s += in[i];\n"
     "out[blockIdx.x * n + i] = s; }"},
    {"each thread writes", "for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i];\n"
                           "atomicAdd(&out[n], 1.0f);"},
    {"iterations meet a block apart",
     "for (int i = threadIdx.x; i < n; i += blockDim.x) out[i + 128] = out[i] + in[i];"},
    {"loops meet with no barrier between",
     "for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * (n + 1) + i] = in[i];\n"
     "for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * (n + 1) + i] += "
     "out[blockIdx.x * (n + 1) + i + 1];"},
    {"one iteration ends the others",
     "for (int i = threadIdx.x; i < n; i += blockDim.x) { if (in[i] < 0) break;\n"
     "out[blockIdx.x * n + i] = in[i]; }"},
    {"the step is another than the start's",
     "for (int i = threadIdx.x; i < n; i += blockDim.x * 2) out[blockIdx.x * n + i] = in[i];"},
    {"the bound moves", "for (int i = threadIdx.x; i < n; i += blockDim.x) { --n;\n"
                        "out[blockIdx.x * n + i] = in[i]; }"},
    {"the thread's index serves something else",
     "for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
     "out[blockIdx.x * n + i] = in[i] + threadIdx.x;"},
    {"the block serves something else", "for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
                                        "out[blockIdx.x * n + i] = in[i] + blockDim.x;"},
    {"an array of the thread's own goes along",
     "float last[2] = {0, 0};\nfor (int i = threadIdx.x; i < n; i += blockDim.x) {\n"
     "out[blockIdx.x * n + i] = last[0]; last[0] = in[i]; }"},
    {"a value is set by some iterations only",
     "float s = 0;\nfor (int i = threadIdx.x; i < n; i += blockDim.x) { if (in[i] > 0) s = in[i];\n"
     "out[blockIdx.x * n + i] = s; }"},
    {"a pointer moves along",
     "const float *p = in;\nfor (int i = threadIdx.x; i < n; i += blockDim.x)\n"
     "out[blockIdx.x * n + i] = *p++;"},
};

/* Reads k(const float *in, float *out, int n, int m), launched by <<<dim3(m, 3), 128>>>. Returns
 * true if its block is free. */
static bool is_free(const char *parameters, const char *body) {
    char source[2048];
    snprintf(source, sizeof source,
             "#include <hip/hip_runtime.h>\n__global__ void k(%s, int n, int m) {\n%s\n}\n"
             "void f(float *a, float *b, int n, int m) {\n  k<<<dim3(m, 3), 128>>>(a, b, n, m);\n"
             "}\n",
             parameters, body);
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(source, NULL, &problems);
    bool is = frees_block(kernel_named(refactor, "k", NULL));
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    return is;
}

#define ROW "int row = blockIdx.y * n * m + blockIdx.x * n;\n"
#define LOOP "for (int i = threadIdx.x; i < n; i += blockDim.x) "

/* Another block deals out the same iterations among its own threads: where rows begin, and whether
 * those of two blocks overlap, is as it was. */
Test(stride, rows_of_other_blocks_may_begin_anywhere) {
    static const char plain[] = "const float *in, float *out";
    cr_expect(is_free(plain, ROW LOOP "out[row + i] = out[row + i] * 2 + in[i];"));
    cr_expect(!is_free(plain, ROW LOOP "out[row + i] = in[i];\n__syncthreads();\n" LOOP
                                       "out[row + i] += out[row + n - 1 - i];"),
              "two iterations of one loop meet");
    cr_expect(!is_free(plain, ROW LOOP "out[row + i] += out[row + i + 1];"), "a neighbour's");
    cr_expect(!is_free(plain, ROW LOOP "out[row + i % 7] = in[i];"), "a few elements");
    cr_expect(!is_free(plain, ROW LOOP "out[row * i] = in[i];"), "one element, where row is 0");
}

/* Blocks that wait for each other, or read what others leave, may hang on the order in which a
 * block's threads write. */
Test(stride, blocks_that_meet_are_left_alone) {
    static const char plain[] = "const float *in, float *out";
    cr_expect(!is_free(plain, ROW LOOP "{ out[row + i] *= 2; __threadfence(); }"));
    cr_expect(!is_free(plain, ROW LOOP "{ out[row + i] *= 2; atomicAdd(&out[0], 1.0f); }"));
    cr_expect(!is_free("const float *in, volatile float *out", ROW LOOP "out[row + i] *= 2;"));
}

Test(stride, iterations_that_depend_on_their_thread_are_left_alone) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char source[2048];
        snprintf(source, sizeof source,
                 "#include <hip/hip_runtime.h>\n__global__ void k(const float *in, float *out, "
                 "int n, int m) {\n%s\n}\nvoid f(const float *a, float *b, int n, int m) {\n"
                 "  k<<<m, 128>>>(a, b, n, m);\n}\n",
                 cases[i].body);
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(source, NULL, &problems);
        cr_expect(!frees_block(kernel_named(refactor, "k", NULL)), "%s", cases[i].what);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}
