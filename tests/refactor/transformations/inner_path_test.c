/* inner-path: threads whose windows lie inside take a way without the tests of the padding; results
 * are the original's, whatever the padding, the stride and the order of the window are. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Returns a window of R x R with padding P, stride S and dilation D: how it goes over the window,
 * and what it does with iy and ix. */
static char *padded(const char *rows, const char *work) {
    return ht_format(
        HEAD
        "__global__ void padded(const float *in, const float *w, float *out, int W, int H,\n"
        "                       int OW, int OH, int R, int P, int S, int D) {\n"
        "    int ox = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    int oy = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (ox >= OW || oy >= OH) return;\n"
        "    float sum = 0;\n"
        "    %s\n"
        "        for (int s = 0; s < R; ++s) {\n"
        "            %s\n"
        "        }\n"
        "    out[oy * OW + ox] = sum;\n"
        "}\n"
        "void run(int W, int H, int OW, int OH, int R, int P, int S, int D) {\n"
        "    float *in, *w, *out;\n"
        "    hipMalloc(&in, 4 * W * H); hipMalloc(&w, 4 * R * R); hipMalloc(&out, 4 * OW * OH);\n"
        "    padded<<<dim3((OW + 7) / 8, (OH + 3) / 4), dim3(8, 4)>>>(in, w, out, W, H, OW, OH, "
        "R, P, S, D);\n"
        "}\n",
        rows, work);
}

static char *problem(int width, int height, int stride, int dilation) {
    return ht_format(
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": "
        "\"padded\", "
        "\"problem\": \"padded : W, H, S, D, OW := (W - 1) / S + 1, OH := (H - 1) / S + 1\", "
        "\"tolerance\": \"exact\", \"args\": [\"in : in float[problem.W * problem.H] integers(-8, "
        "8)\", "
        "\"w : in float[9] integers(-8, 8)\", \"out : out float[problem.OW * problem.OH]\", "
        "\"W : int = problem.W\", \"H : int = problem.H\", \"OW : int = problem.OW\", "
        "\"OH : int = problem.OH\", \"R : int = 3\", \"P : int = problem.D\", "
        "\"S : int = problem.S\", \"D : int = problem.D\"], "
        "\"instances\": [{\"fields\": {\"W\": %d, \"H\": %d, \"S\": %d, \"D\": %d}}]}]}",
        width, height, stride, dilation);
}

#define ROWS "for (int r = 0; r < R; ++r)"
#define INDEX(stride, dilation)                                                                    \
    "int iy = oy" stride " - P + r" dilation ", ix = ox" stride " - P + s" dilation ";\n"
#define ADD "sum += in[iy * W + ix] * w[r * R + s];\n"
#define TESTED "if (iy >= 0 && iy < H && ix >= 0 && ix < W)\n" ADD

static const char *const ways[] = {
    "TILED=true EDGE_APART=true INNER_PATH=true",
    "TILED=true EDGE_APART=true INNER_PATH=true COARSEN_X=4 COARSEN_Y=2",
    "TILED=true EDGE_APART=true INNER_PATH=true COARSEN_X=2 COARSEN_X_STRIDED=true BLOCK_X=4",
    "TILED=true COARSEN_X=4",
    NULL,
};

static void check(const char *rows, const char *work, int width, int height) {
    char *source = padded(rows, work), *problems = problem(width, height, 1, 1);
    subject of = subject_open(source, problems, "padded");
    cr_expect(applied(&of, "inner-path"), "%s", work);
    expect_equal(&of, "padded", ways);
    subject_close(&of);
    free(source);
    free(problems);
}

Test(inner_path, tests_in_any_form) {
    check(ROWS, INDEX("", "") TESTED, 45, 22);
    check(ROWS,
          INDEX("", "") "if (iy < 0 || iy >= H) continue;\n"
                        "if (0 > ix || W - 1 < ix) continue;\n" ADD,
          45, 22);
    check(
        ROWS,
        INDEX("", "") "sum += iy >= 0 && ix >= 0 && iy < H && ix < W ? in[iy * W + ix] * w[r * R + "
                      "s] : 0.0f;",
        45, 22);
    check(ROWS, INDEX("", "") "if ((unsigned)iy < (unsigned)H && ix >= 0 && ix <= W - 1)\n" ADD, 45,
          22);
}

Test(inner_path, windows_in_any_order) {
    check("for (int r = R - 1; r >= 0; --r)", INDEX("", "") TESTED, 33, 14);
    check("for (int r = 0; r < R; r += 2)", INDEX("", "") TESTED, 33, 14);
    check(ROWS, "int iy = oy + P - r, ix = ox + P - s;\n" TESTED, 33, 14);
}

/* Where the window is wider than the input, nobody is inside; nor in an input of one element. */
Test(inner_path, small_inputs) {
    check(ROWS, INDEX("", "") TESTED, 2, 2);
    check(ROWS, INDEX("", "") TESTED, 1, 9);
}

Test(inner_path, strides_and_dilations_that_are_arguments) {
    char *source = padded(ROWS, INDEX(" * S", " * D") TESTED), *problems = problem(41, 30, 2, 2);
    subject of = subject_open(source, problems, "padded");
    cr_expect(applied(&of, "inner-path"));
    cr_expect(is_legal(&of, "padded",
                       "TILED=true EDGE_APART=true INNER_PATH=true R_SIZE=3 S_SIZE=2 D_SIZE=2"));
    cr_expect_not(is_legal(&of, "padded", "TILED=true EDGE_APART=true INNER_PATH=true"),
                  "for the problem's steps only");
    expect_equal(&of, "padded",
                 (const char *const[]){
                     "TILED=true EDGE_APART=true INNER_PATH=true R_SIZE=3 S_SIZE=2 D_SIZE=2",
                     "TILED=true EDGE_APART=true INNER_PATH=true R_SIZE=3 S_SIZE=2 D_SIZE=2 "
                     "COARSEN_X=2 COARSEN_Y=4",
                     "TILED=true R_SIZE=3 S_SIZE=2 D_SIZE=2 COARSEN_X=2", NULL});
    subject_close(&of);
    free(source);
    free(problems);
}

/* A bound that depends on another counter is not known ahead; one on data is not a bound at all. */
Test(inner_path, tests_that_stay) {
    static const char *const works[] = {
        INDEX("", "") "if (in[iy * W + ix] >= 0 && w[s] < 2)\n" ADD,
        "int iy = oy - (int)w[s], ix = ox + s * (int)w[r];\n" TESTED,
    };
    for (size_t i = 0; i < 2; ++i) {
        char *source = padded(ROWS, works[i]), *problems = problem(45, 22, 1, 1);
        subject of = subject_open(source, problems, "padded");
        cr_expect_not(applied(&of, "inner-path"), "%s", works[i]);
        subject_close(&of);
        free(source);
        free(problems);
    }
}

Test(inner_path, a_tuned_source_asks_once) {
    char *source = padded(ROWS, INDEX("", "") TESTED), *problems = problem(45, 22, 1, 1);
    subject of = subject_open(source, problems, "padded");
    expect_pieces(&of, "TILED=true EDGE_APART=true INNER_PATH=true COARSEN_X=2",
                  (const char *const[]){"bool edge, bool inner", "(inner || iy >= 0)",
                                        "so are their windows", "(false, true)", NULL});
    char *text = apply_config(&of, "TILED=true COARSEN_X=2");
    cr_expect_null(strstr(text, "inner"));
    free(text);
    subject_close(&of);
    free(source);
    free(problems);
}
