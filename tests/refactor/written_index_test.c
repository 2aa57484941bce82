/* Indices of outputs in a tuned source, next to the author's own clamps. */
#include "written_support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define BLUR(step, read)                                                                           \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void blur(const float *in, float *out, int n, int m) {\n"                          \
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                   \
    "    const int j = blockIdx.y;\n"                                                              \
    "    if (i >= n) return;\n    float sum = 0;\n"                                                \
    "    for (int k = " step " ++k) {\n        " read "    }\n    out[j * n + i] = sum;\n}\n"      \
    "void run(const float *in, float *out, int n, int m) {\n"                                      \
    "    blur<<<dim3((n + 255) / 256, m), 256>>>(in, out, n, m);\n}\n"

/* An index that the author clamps needs no clamp of ours, where the last output reads all that one
 * past it would. */
Test(written_index, an_index_that_the_author_clamps_is_not_clamped_again) {
    static const struct {
        const char *source;
        bool once;
    } cases[] = {
        {BLUR("-2; k <= 2;", "int x = min(max(i + k, 0), n - 1);\n sum += in[j * n + x];\n"), true},
        {BLUR("0; k < 5;", "sum += in[j * n + min(max(i - 2 + k, 0), n - 1)];\n"), true},
        {BLUR("0; k < 3;", "sum += in[j * n + min(i + k, n - 1)] * k;\n"), true},
        /* none reads the last element */
        {BLUR("-4; k <= -2;", "int x = min(max(i + k, 0), n - 1);\n sum += in[j * n + x];\n"),
         false},
        /* another bound */
        {BLUR("-2; k <= 2;", "int x = min(max(i + k, 0), n);\n sum += in[j * n + x];\n"), false},
        /* each iteration has places of its own */
        {BLUR("0; k <= 4;", "int x = min(max(i + k, 0), n - 1);\n sum += in[j * n + x + k];\n"),
         false},
        /* not in each iteration */
        {BLUR("-2; k <= 2;", "if (k > m) continue;\n"
                             "int x = min(max(i + k, 0), n - 1);\n sum += in[j * n + x];\n"),
         false},
        /* the index itself, too */
        {BLUR("-2; k <= 2;",
              "int x = min(max(i + k, 0), n - 1);\n sum += in[j * n + x] * in[i];\n"),
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = written(cases[i].source, "TILED=true COARSEN_X=4");
        bool once = !strstr(text, "min(i_first + ti");
        cr_expect_eq(once, cases[i].once, "%zu: %s", i, text);
        free(text);
    }
}
