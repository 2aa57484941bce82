/* stride-vector: neighbouring iterations of loops that stride by the block, their elements at once.
 */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"rows : R, n\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.R * problem.n * 2]\", "
    "\"out : inout float[problem.R * problem.n * 2]\", \"n : int = problem.n\"], "
    "\"host\": {\"rows\": \"problem.R\"}, "
    "\"instances\": [{\"fields\": {\"R\": 3, \"n\": 301}}, {\"fields\": {\"R\": 2, \"n\": 3}}]}]}";

/* A block for each row, whose threads share out the elements; `loop` is the loop. */
static char *rows_of(const char *loop) {
    return ht_format(HEAD "__global__ void k(const float *in, float *out, int n) {\n"
                          "    const int row = blockIdx.x;\n"
                          "    %s\n"
                          "}\n"
                          "void run(const float *in, float *out, int rows, int n) {\n"
                          "    k<<<rows, 64>>>(in, out, n);\n"
                          "}\n",
                     loop);
}

#define EACH "for (int i = threadIdx.x; i < n; i += blockDim.x) "

static const char *const widths[] = {"",
                                     "VECTOR_STRIDE=2",
                                     "VECTOR_STRIDE=4",
                                     "VECTOR_STRIDE=4 BLOCK_X=32 UNROLL_I=4",
                                     "VECTOR_STRIDE=2 BLOCK_X=1024",
                                     NULL};

static void expect_widths(const char *loop) {
    char *text = rows_of(loop);
    subject of = subject_open(text, problem, "k");
    cr_assert(ht_template_param(of.kernel->template, "VECTOR_STRIDE"), "%s", loop);
    expect_equal(&of, "k", widths);
    subject_close(&of);
    free(text);
}

/* Rows whose lengths no width divides; shorter than a vector, too. */
Test(stride_vector, halves_of_a_row_are_loaded_at_once) {
    expect_widths(EACH "{\n"
                       "        const float gate = in[row * 2 * n + i];\n"
                       "        const float up = in[row * 2 * n + n + i];\n"
                       "        out[row * n + i] = gate / (1.0f + gate * gate) * up;\n"
                       "    }");
}

Test(stride_vector, bodies_without_braces_and_indices_of_their_own) {
    expect_widths(EACH "out[row * n + i] += in[row * n + i];");
    expect_widths(EACH "{ const int at = row * n + i; const int half = at + n;\n"
                       "        out[at] = in[half] * in[at] + i; }");
}

/* An element that is written under a condition stays as it is; the load ahead of it does not. */
Test(stride_vector, stores_under_conditions_stay) {
    expect_widths(EACH "{\n"
                       "        float v = in[row * n + i];\n"
                       "        if (v < 0.5f) continue;\n"
                       "        out[row * n + i] = v;\n"
                       "    }");
    expect_widths(EACH "{\n"
                       "        float v = in[row * n + i];\n"
                       "        if (v < 0.5f) out[row * n + i] = v;\n"
                       "    }");
}

/* A load after a store of the same iteration, which it may read: it stays after it. */
Test(stride_vector, an_element_that_was_just_stored_is_read_again) {
    expect_widths(EACH "{\n"
                       "        out[row * n + i] = in[row * n + i] * 2;\n"
                       "        float again = out[row * n + i];\n"
                       "        out[row * n + i] = again + 1;\n"
                       "    }");
}

static bool widens(const char *loop) {
    char *text = rows_of(loop);
    bool has = has_parameter(text, problem, "VECTOR_STRIDE");
    free(text);
    return has;
}

Test(stride_vector, only_neighbours_are_loaded_at_once) {
    cr_expect_not(widens(EACH "out[row * n + n - 1 - i] = in[row * n + n - 1 - i];"));
    cr_expect_not(widens(EACH "out[2 * i + row * n] = in[2 * i + row * n];"));
    cr_expect_not(widens("for (int i = threadIdx.x; i <= n - 1; i += blockDim.x) "
                         "out[row * n + i] = in[row * n + i];"));
    cr_expect_not(widens(EACH "\n#if 1\n out[row * n + i] = in[row * n + i];\n#endif\n"));
    cr_expect_not(widens(EACH "out[row * n + i] = in[row * n + i + (int)in[0]] + out[row * n];"));
}

Test(stride_vector, a_tuned_source_reads_like_a_source) {
    char *text = rows_of(EACH "out[row * n + i] = in[row * n + i] * 2;");
    subject of = subject_open(text, problem, "k");
    expect_pieces(&of, "VECTOR_STRIDE=4",
                  (const char *const[]){
                      "// no vector type: rows are only aligned to an element\n",
                      "for (int i_first = threadIdx.x * kElementsPerAccess;", "i_first < packed_n;",

                      "float_pack in_pack = *(const float_pack *)&in[row * n + i_first];",
                      "out_pack.element[i_each] = in_pack.element[i_each] * 2;",
                      "*(float_pack *)&out[row * n + i_first] = out_pack;",
                      "for (int i = packed_n + threadIdx.x; i < n;",
                      "out[row * n + i] = in[row * n + i] * 2;", NULL});
    char *same = apply_config(&of, "");
    cr_expect_str_eq(same, text);
    free(same);
    subject_close(&of);
    free(text);
}

#define FORMULA                                                                                    \
    EACH "{\n"                                                                                     \
         "        const float gate = in[row * 2 * n + i];\n"                                       \
         "        const float up = in[row * 2 * n + n + i]; // its half\n"                         \
         "        // a product\n"                                                                  \
         "        out[row * n + i] = gate / (1.0f + gate * gate) * up;\n"                          \
         "    }"

/* A formula is a function that both loops call, in the words of the file's own. */
Test(stride_vector, a_formula_is_written_once) {
    static const char own[] = "static __device__ __forceinline__ float twice(float v) {\n"
                              "    return 2 * v;\n}\n";
    char *plain = rows_of(FORMULA);
    char *text = ht_format("%s%s%s", HEAD, own, plain + strlen(HEAD));
    subject of = subject_open(text, problem, "k");
    static const char *const pieces[] = {
        "static __device__ __forceinline__ float k_one(float gate, float up) {\n    // a product\n",
        "    return gate / (1.0f + gate * gate) * up;\n}\n\n__global__ void k(",
        "out_pack.element[i_each] = k_one(gate_pack.element[i_each], up_pack.element[i_each]);",
        "const float gate = in[row * 2 * n + i];",
        "const float up = in[row * 2 * n + n + i]; // its half\n"
        "        out[row * n + i] = k_one(gate, up);",
        NULL};
    expect_pieces(&of, "VECTOR_STRIDE=4", pieces);
    char *made = apply_config(&of, "VECTOR_STRIDE=4");
    const char *once = strstr(made, "1.0f +");
    cr_expect(once && !strstr(once + 1, "1.0f +"), "%s", made);
    free(made);
    subject_close(&of);
    free(text);
    free(plain);
}

/* Elements without a name of their own, what the function computes between, and other values. */
Test(stride_vector, a_formula_has_parameters_for_what_it_needs) {
    char *text = rows_of("float scale = row * 0.5f;\n    " EACH "{\n"
                         "        float sum = in[row * n + i];\n"
                         "        sum += scale;\n"
                         "        out[row * n + i] = sum * sum\n"
                         "            + 1 / sum;\n"
                         "    }");
    subject of = subject_open(text, problem, "k");
    static const char *const pieces[] = {
        "__device__ inline float k_one(float sum, float scale) {\n"
        "    sum += scale;\n"
        "    return sum * sum\n        + 1 / sum;\n}\n",
        "out_pack.element[i_each] = k_one(sum_pack.element[i_each], scale);",
        "float sum = in[row * n + i];", "out[row * n + i] = k_one(sum, scale);", NULL};
    expect_pieces(&of, "VECTOR_STRIDE=4", pieces);
    subject_close(&of);
    free(text);
    text = rows_of("float scale = row * 0.5f;\n"
                   "    " EACH "out[row * n + i] = 1 / (1 + in[row * n + i] * scale * scale);");
    of = subject_open(text, problem, "k");
    expect_pieces(&of, "VECTOR_STRIDE=4",
                  (const char *const[]){
                      "__device__ inline float k_one(float in, float scale) {\n"
                      "    return 1 / (1 + in * scale * scale);\n}\n",
                      "out_pack.element[i_each] = k_one(in_pack.element[i_each], scale);",
                      "i += blockDim.x) out[row * n + i] = k_one(in[row * n + i], scale);", NULL});
    subject_close(&of);
    free(text);
}

/* Where values are rounded is written once, too; one product alone is not worth a function. */
Test(stride_vector, a_formula_that_converts_has_a_function) {
    char *text = rows_of("__shared__ float scale;\n    if (threadIdx.x == 0) scale = row;\n"
                         "    __syncthreads();\n    " EACH "\n"
                         "        out[row * n + i] =\n"
                         "            float(double(in[row * n + i]) * double(scale) * 3);");
    subject of = subject_open(text, problem, "k");
    expect_pieces(&of, "VECTOR_STRIDE=4",
                  (const char *const[]){"__device__ inline float k_one(float in, float scale) {\n"
                                        "    return float(double(in) * double(scale) * 3);\n}\n",
                                        "\n            out_pack.element[i_each] =\n"
                                        "                k_one(in_pack.element[i_each], scale);\n",
                                        "\n        out[row * n + i] =\n"
                                        "            k_one(in[row * n + i], scale);\n",
                                        NULL});
    subject_close(&of);
    free(text);
}

/* Not of one element: a second store, the number of the iteration, a variable that outlives it;
 * what only the kernel can name, or says of its arithmetic; and what is too short for a name. */
Test(stride_vector, other_bodies_stand_in_both_loops) {
    static const char *const loops[] = {
        EACH "{ const float v = in[row * n + i]; out[row * n + i] = v * v * v * v * v + 1;\n"
             "        out[row * n + n + i] = v; }",
        EACH "{ const float v = in[row * n + i]; out[row * n + i] = v * v * v * v * v + i; }",
        "float scale = 1;\n    " EACH "{ const float v = in[row * n + i]; scale = 2;\n"
        "        out[row * n + i] = v * v * v * v * scale; }",
        "typedef float real;\n    " EACH
        "{ const float v = in[row * n + i]; out[row * n + i] = v * v * v * v * v + real(1); }",
        "{\n#pragma clang fp contract(off)\n    " EACH
        "{ const float v = in[row * n + i]; out[row * n + i] = v * v * v * v * v + 1; }\n    }",
        "const float *p = in;\n    " EACH
        "{ const float v = in[row * n + i]; out[row * n + i] = v * v * v * v * v + p[row]; }",
        EACH "out[row * n + i] = in[row * n + i] * 2 + 1;"};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i) {
        char *text = rows_of(loops[i]);
        subject of = subject_open(text, problem, "k");
        cr_assert(ht_template_param(of.kernel->template, "VECTOR_STRIDE"), "%s", loops[i]);
        char *made = apply_config(&of, "VECTOR_STRIDE=4");
        cr_expect_null(strstr(made, "k_one"), "%s", made);
        free(made);
        subject_close(&of);
        free(text);
    }
}

/* The element's type is a template's argument: its size is that of the launch's. */
Test(stride_vector, elements_of_a_templates_type_are_as_wide_as_launched) {
    static const char source[] =
        HEAD "template <typename T> __global__ void k(const T *in, T *out, int n) {\n"
             "    const int row = blockIdx.x;\n"
             "    " EACH "{\n        const T v = in[row * n + i];\n"
             "        out[row * n + i] = v / (1 + v * v) + v;\n    }\n"
             "}\n"
             "void run(const float *in, float *out, int rows, int n) {\n"
             "    k<float><<<rows, 64>>>(in, out, n);\n"
             "}\n";
    subject of = subject_open(source, problem, "k");
    const ht_param *param = ht_template_param(of.kernel->template, "VECTOR_STRIDE");
    cr_assert(param);
    cr_expect_eq(param->values[param->value_count - 1].number, 4);
    expect_equal(&of, "k", widths);
    expect_pieces(&of, "VECTOR_STRIDE=4",
                  (const char *const[]){"struct T_pack { T element[kElementsPerAccess]; };",
                                        "out[row * n + i] = v / (1 + v * v) + v;", NULL});
    subject_close(&of);
}

/* An address that is no multiple of 16 in two rows of three: an aligned access to it would end the
 * program. */
Test(stride_vector, aligned_accesses_only_where_the_address_is) {
    static const char *const aligned[] = {"", "VECTOR_STRIDE=2 VECTOR_ALIGNED=true",
                                          "VECTOR_STRIDE=4 VECTOR_ALIGNED=true",
                                          "VECTOR_STRIDE=4 VECTOR_ALIGNED=true ROW_BLOCKS=4", NULL};
    char *text = rows_of(EACH "{\n"
                              "        const float gate = in[row * 2 * n + i];\n"
                              "        const float up = in[row * 2 * n + n + i];\n"
                              "        out[row * n + i] = gate / (1.0f + gate * gate) * up;\n"
                              "    }");
    subject of = subject_open(text, problem, "k");
    expect_equal_aligned(&of, "k", aligned);
    cr_expect_not(is_legal(&of, "k", "VECTOR_STRIDE=4 VECTOR_ALIGNED=true")); /* on the host */
    cr_expect(is_legal(&of, "k", "VECTOR_STRIDE=4"));
    expect_pieces(
        &of, "VECTOR_STRIDE=4 VECTOR_ALIGNED=true",
        (const char *const[]){"gate_pack = (size_t)&in[row * 2 * n + i_first]",
                              "% sizeof(float_pack) == 0", "__builtin_assume_aligned",
                              ": *(const float_pack *)&in[row * 2 * n + i_first];",
                              "if ((size_t)&out[row * n + i_first] % sizeof(float_pack) "
                              "== 0)",
                              "else", "*(float_pack *)&out[row * n + i_first] = out_pack;", NULL});
    char *plain = apply_config(&of, "VECTOR_STRIDE=4");
    cr_expect_null(strstr(plain, "assume_aligned"), "%s", plain);
    free(plain);
    subject_close(&of);
    free(text);
}
