/* stride-vector's KEEP: elements that later loops over a row access again stay in registers or in
 * shared memory; unless something may have written them in between. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"rows : R, n\", \"tolerance\": \"1e-5\", \"args\": ["
    "\"in : in float[problem.R * problem.n]\", "
    "\"out : inout float[problem.R * problem.n]\", "
    "\"total : inout float[problem.R * problem.n]\", \"n : int = problem.n\"], "
    "\"host\": {\"rows\": \"problem.R\"}, "
    "\"instances\": [{\"fields\": {\"R\": 3, \"n\": 1002}}]}]}";

#define EACH "for (int i = threadIdx.x; i < n; i += blockDim.x)\n        "
#define SUM_OF(value)                                                                              \
    EACH "v += " value ";\n    s[threadIdx.x] = v;\n    __syncthreads();\n    "                    \
         "for (int h = 32; h > 0; h /= 2) {\n        if (threadIdx.x < h)\n            "           \
         "s[threadIdx.x] += s[threadIdx.x + h];\n        __syncthreads();\n    }\n    "

/* A kernel that adds up a row, does something, and then goes over the row again. */
typedef struct passes {
    const char *functions, *pointers; /* of `in`, ...; NULL: const float *in, float *out */
    const char *front, *first, *between, *second;
} passes;

static char *source_of(const passes *of) {
    return ht_format(HEAD "%s__global__ void k(%s, float *total, int n) {\n"
                          "    __shared__ float s[64];\n"
                          "    %s\n"
                          "    float v = 0.0f;\n"
                          "    %s\n"
                          "    %s\n"
                          "    %s\n"
                          "}\n"
                          "void run(const float *in, float *out, float *total, int rows, int n) {\n"
                          "    k<<<rows, 64>>>(in, out, total, n);\n"
                          "}\n",
                     of->functions ? of->functions : "",
                     of->pointers ? of->pointers : "const float *in, float *out",
                     of->front ? of->front : "const int row = blockIdx.x;",
                     of->first ? of->first : SUM_OF("in[row * n + i]"),
                     of->between ? of->between : "",
                     of->second ? of->second : EACH "out[row * n + i] = in[row * n + i] * s[0];");
}

/* Three loops: the second stores what the third reads, which stores it once more. Rows are longer
 * than a thread keeps, and no width divides them. */
Test(stride_keep, rows_are_kept_from_loop_to_loop) {
    static const char *const ways[] = {"", "KEEP=2 VECTOR_STRIDE=4", "KEEP=16 REDUCE=1 BLOCK_X=128",
                                       "KEEP=4 KEEP_LDS=true VECTOR_STRIDE=2 BLOCK_X=32 REDUCE=2",
                                       NULL};
    char *text = source_of(&(passes){
        .between = EACH "out[row * n + i] = out[row * n + i] + in[row * n + i] * s[0];\n"
                        "    __syncthreads();",
        .second =
            "for (int j = threadIdx.x; j < n; j += blockDim.x) {\n        "
            "const int at = row * n + j;\n        out[at] = out[at] * 2.0f + in[at];\n    }"});
    subject of = subject_open(text, problem, "k");
    cr_assert(ht_template_param(of.kernel->template, "KEEP"), "%s", text);
    expect_equal(&of, "k", ways);
    char *same = apply_config(&of, "");
    cr_expect_str_eq(same, text);
    free(same);
    expect_pieces(&of, "KEEP=2 VECTOR_STRIDE=4",
                  (const char *const[]){"out_part out_kept[",
                                        "const int i_first = (threadIdx.x + "
                                        "kept * blockDim.x) * ",
                                        "if (i_first < n) {", "out_part &out_now = out_kept[kept];",
                                        "out_now.element[j_each] = out_now.element[j_each] * 2.0f",
                                        NULL});
    subject_close(&of);
    free(text);
}

static bool keeps(const passes *of) {
    static const char *const names[] = {"VECTOR_STRIDE", "KEEP", NULL};
    char *text = source_of(of);
    unsigned has = has_parameters(text, problem, names);
    cr_expect(has & 1, "%s", text);
    free(text);
    return has & 2;
}

Test(stride_keep, only_the_same_elements_of_the_same_iterations_are_kept) {
    cr_expect(keeps(&(passes){.first = NULL}));
    /* neighbours, other rows, other iterations */
    cr_expect_not(keeps(&(passes){.first = SUM_OF("in[row * n + i + 1 - 1 * (n > 5)]"),
                                  .second = EACH "out[row * n + i] = in[row * n + i] * s[0];"}));
    cr_expect_not(keeps(&(passes){.second = EACH "out[row * n + i] = in[i] * s[0];"}));
    cr_expect_not(
        keeps(&(passes){.second = "for (int i = threadIdx.x; i < n - 1; i += blockDim.x)\n"
                                  "        out[row * n + i] = in[row * n + i] * s[0];"}));
    cr_expect_not(keeps(&(passes){.second = EACH "total[row * n + i] = out[row * n + i] * s[0];"}));
}

Test(stride_keep, what_changes_between_the_loops_is_read_again) {
    const char *const first = SUM_OF("in[base + i]");
    const char *const second = EACH "out[row * n + i] = in[base + i] * s[0];";
    const char *const front = "const int row = blockIdx.x;\n    int base = row * n;";
    cr_expect(keeps(&(passes){.front = front, .first = first, .second = second}));
    cr_expect_not(
        keeps(&(passes){.front = front, .first = first, .between = "base = 0;", .second = second}));
    cr_expect_not(
        keeps(&(passes){.front = "const int row = blockIdx.x;\n    const float *p = in + row * n;",
                        .first = SUM_OF("p[i]"),
                        .between = "p = p + n / 2;",
                        .second = EACH "out[row * n + i] = p[i] * s[0];"}));
}

Test(stride_keep, rows_that_may_be_written_between_are_read_again) {
    static const char apart[] = "const float *__restrict__ in, float *out";
    static const char first_writes[] = "if (threadIdx.x == 0) total[row] = s[0];";
    cr_expect_not(keeps(&(passes){.between = first_writes}));
    cr_expect(keeps(&(passes){.between = first_writes, .pointers = apart}));
    cr_expect_not(keeps(&(passes){.between = EACH "total[row * n + i] = i;"}));
    /* by an atomic operation, in a function, of the row itself under a condition */
    cr_expect_not(keeps(&(passes){.between = EACH "atomicAdd(&total[row * n + i], 1.0f);"}));
    cr_expect_not(
        keeps(&(passes){.functions = "__device__ float set(float *p) { *p = 1.0f; return 2.0f; }\n",
                        .between = EACH "total[row * n + i] = set(&out[row * n + i]);\n    "
                                        "__syncthreads();",
                        .second = EACH "total[row * n + i] = in[row * n + i] * s[0];"}));
    cr_expect_not(keeps(&(passes){
        .first = SUM_OF("out[row * n + i]"),
        .between = EACH "if (in[row * n + i] > 0.5f)\n            out[row * n + i] = 0;\n    "
                        "__syncthreads();",
        .second = EACH "total[row * n + i] = out[row * n + i] * s[0];"}));
    /* after a fence, other blocks' writes are seen */
    cr_expect_not(keeps(&(passes){.between = "__threadfence();"}));
}
