/* coarsen-x's COARSEN_X_ROWS: outputs of a thread that lie in one row of a flattened index share
 * what follows from the row's number. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char problem_format[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"flat : n, h, w\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.n * problem.h * problem.w]\", "
    "\"scale_sum : out float[problem.n * problem.h]\", "
    "\"scale : in float[problem.n + problem.h + problem.w]\", "
    "\"out : inout float[problem.n * problem.h * problem.w]\", \"n : int = problem.n\", "
    "\"h : int = problem.h\", \"w : int = problem.w\"], "
    "\"instances\": [{\"fields\": {\"n\": 3, \"h\": 7, \"w\": %d}}]}]}";

static char *flat_of(const char *body) {
    return ht_format(
        HEAD
        "__global__ void k(const float *in, float *scale_sum, const float *scale, float *out, "
        "int n, int h, int w) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i >= n * h * w)\n"
        "        return;\n"
        "    %s\n"
        "}\n"
        "void run(const float *in, float *scale_sum, const float *scale, float *out, int n, int h, "
        "int w) {\n"
        "    k<<<(n * h * w + 63) / 64, 64>>>(in, scale_sum, scale, out, n, h, w);\n"
        "}\n",
        body);
}

#define PLANES                                                                                     \
    "const int plane = i / (h * w), rest = i % (h * w);\n"                                         \
    "    const int y = rest / w, x = rest % w;\n"                                                  \
    "    const float k = scale[plane] * scale[n + y];\n"                                           \
    "    out[(plane * h + h - 1 - y) * w + x] = in[i] * k + (x > 2 ? 1.0f : 0.0f);"

/* A width that the outputs divide, and one that they do not. */
Test(coarsen_rows, rows_of_any_width_come_out_the_same) {
    static const char *const ways[] = {"COARSEN_X=8 COARSEN_X_ROWS=true VECTOR_OUTPUTS=2",
                                       "COARSEN_X=8 COARSEN_X_ROWS=true VECTOR_OUTPUTS=8", NULL};
    const int widths[] = {24, 13};
    char *text = flat_of("const int y = i / w % h, x = i % w;\n"
                         "    const float k = scale[y] * scale[i / (h * w)];\n"
                         "    out[i] = in[i] * k + (x > 2 ? 1.0f : 0.0f);\n"
                         "    if (i % w == 0)\n        scale_sum[i / w] = k;");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
        char *problem = ht_format(problem_format, widths[i]);
        subject of = subject_open(text, problem, "k");
        expect_equal(&of, "k", ways);
        subject_close(&of);
        free(problem);
    }
    free(text);
}

Test(coarsen_rows, rows_of_planes_are_found_through_remainders) {
    char *text = flat_of(PLANES), *problem = ht_format(problem_format, 24);
    subject of = subject_open(text, problem, "k");
    expect_pieces(&of, "COARSEN_X=4 COARSEN_X_ROWS=true",
                  (const char *const[]){"< n * h * w && (h * w) % kOutputsPerThread == 0 && w % "
                                        "kOutputsPerThread == 0) {",
                                        "const int plane = i0 / (h * w)",
                                        "const float k = scale[plane] * scale[n + y];", "} else {",
                                        NULL});
    char *same = apply_config(&of, "");
    cr_expect_str_eq(same, text);
    free(same);
    cr_expect(is_legal(&of, "k", "COARSEN_X=4 COARSEN_X_ROWS=true"));
    cr_expect_not(is_legal(&of, "k", "COARSEN_X_ROWS=true"));
    cr_expect_not(is_legal(
        &of, "k", "COARSEN_X=4 COARSEN_X_JAM=true COARSEN_X_STRIDED=true COARSEN_X_ROWS=true"));
    subject_close(&of);
    free(text);
    free(problem);
}

/* Divided by a product, and by one of its factors alone: one division serves both. Only where the
 * outputs lie in one row, and not where the product may wrap. */
Test(coarsen_rows, a_quotient_by_a_product_takes_that_by_its_factor) {
    static const char *const ways[] = {"COARSEN_X=4 COARSEN_X_ROWS=true", NULL};
    static const struct {
        const char *body;
        bool nested;
    } cases[] = {
        {"out[i] = in[i] * scale[i / w % h] * scale[i / (h * w)];", true},
        {"out[i] = in[i] * scale[i / w % h] * scale[i / (w * h)];", true},
        {"out[i] = in[i] * scale[i / (h * w)];", false}, /* there is no other quotient */
        {"out[i] = in[i] * scale[i % (h * w) / w] * scale[i / (h * w)];", false}, /* of the rest */
        {"out[i] = in[i] * scale[i / w % h] * scale[i / (h * w * 1)];", false},
        {"out[i] = in[i] * scale[i / w % h] * scale[i / ((unsigned)h * w)];", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char *text = flat_of(cases[k].body), *problem = ht_format(problem_format, 24);
        subject of = subject_open(text, problem, "k");
        char *applied = apply_config(&of, ways[0]);
        cr_expect_eq(strstr(applied, "/ w / h]") != NULL, cases[k].nested, "%s", applied);
        if (k == 0)
            expect_equal(&of, "k", ways);
        free(applied);
        subject_close(&of);
        free(problem);
        free(text);
    }
}

Test(coarsen_rows, quotients_that_neighbours_do_not_share_are_left_alone) {
    static const char *const bodies[] = {
        "out[i] = in[i] * scale[(i + 1) / w % h];", /* not the index itself */
        "int d = w; if (n > 2) d = h; out[i] = in[i] * scale[i / d % h];", /* a divisor that changes
                                                                            */
        "const int y = 2 * i / w % h; out[i] = in[i] * scale[y];",
        "out[i] = in[i] * scale[(short)(i * 3) / w & 3];",
    };
    char *problem = ht_format(problem_format, 24);
    static const char *const names[] = {"COARSEN_X", "COARSEN_X_ROWS", NULL};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
        char *text = flat_of(bodies[i]);
        cr_expect_eq(has_parameters(text, problem, names), 1, "%s", text);
        free(text);
    }
    free(problem);
}
