/* lds-stage: inputs in shared memory change no result, whatever the tile; and the text that it
 * writes. */
#include "subject.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/verify/verify.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char problems[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": ["
    "{\"kernel\": \"blur_padded\", \"problem\": \"blur_padded : W, H\", \"tolerance\": \"exact\", "
    "\"args\": [\"in : in float[problem.W * problem.H] integers(-8, 8)\", "
    "\"mask : in float[25] integers(-8, 8)\", \"out : out float[problem.W * problem.H]\", "
    "\"width : int = problem.W\", \"height : int = problem.H\"], "
    "\"instances\": [{\"fields\": {\"W\": 45, \"H\": 21}}]}, "
    "{\"kernel\": \"convolve_valid\", \"problem\": \"convolve_valid : C, W, H\", "
    "\"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[2 * problem.C * problem.H * problem.W] integers(-8, 8)\", "
    "\"weights : in float[27 * problem.C] integers(-8, 8)\", "
    "\"out : out float[6 * (problem.H - 2) * (problem.W - 2)]\", "
    "\"channels : int = problem.C\", \"height : int = problem.H\", "
    "\"width : int = problem.W\", \"filters : int = 3\"], "
    "\"instances\": [{\"fields\": {\"C\": 4, \"W\": 39, \"H\": 23}}]}, "
    "{\"kernel\": \"jacobi\", \"problem\": \"jacobi : N, M\", \"tolerance\": \"exact\", "
    "\"args\": [\"a : in double[problem.N * problem.M] integers(-8, 8)\", "
    "\"b : inout double[problem.N * problem.M]\", \"n : int = problem.N\", "
    "\"m : int = problem.M\"], \"instances\": [{\"fields\": {\"N\": 21, \"M\": 67}}]}, "
    "{\"kernel\": \"shrink\", \"problem\": \"shrink : W, H\", \"tolerance\": \"exact\", "
    "\"args\": [\"in : in float[(2 * problem.H + 1) * (2 * problem.W + 1)]\", "
    "\"out : out float[problem.W * problem.H]\", \"out_width : int = problem.W\", "
    "\"out_height : int = problem.H\", \"pitch : int = 2 * problem.W + 1\"], "
    "\"instances\": [{\"fields\": {\"W\": 35, \"H\": 19}}]}, "
    "{\"kernel\": \"repeated\", \"problem\": \"repeated : W, H\", \"tolerance\": \"exact\", "
    "\"args\": [\"in : in float[problem.H * problem.W] integers(-8, 8)\", "
    "\"out : out float[problem.W * problem.H]\", \"width : int = problem.W\", "
    "\"height : int = problem.H\"], \"instances\": [{\"fields\": {\"W\": 35, \"H\": 19}}]}, "
    "{\"kernel\": \"weighted\", \"problem\": \"weighted : N\", \"tolerance\": \"exact\", "
    "\"args\": [\"signal : in float[problem.N + 8] integers(-8, 8)\", "
    "\"taps : in float[17] integers(-8, 8)\", \"out : out float[problem.N]\", "
    "\"n : int = problem.N\"], \"instances\": [{\"fields\": {\"N\": 1001}}]}, "
    "{\"kernel\": \"strided\", \"problem\": \"strided : W, H\", \"tolerance\": \"exact\", "
    "\"args\": [\"in : in float[4 * problem.H * problem.W] integers(-8, 8)\", "
    "\"weights : in float[9] integers(-8, 8)\", \"out : out float[problem.W * problem.H]\", "
    "\"width : int = 2 * problem.W\", \"height : int = 2 * problem.H\", "
    "\"out_width : int = problem.W\", \"out_height : int = problem.H\", "
    "\"pad : int = 1\", \"stride : int = 2\", \"dilation : int = 1\"], "
    "\"instances\": [{\"fields\": {\"W\": 35, \"H\": 19}}]}, "
    "{\"kernel\": \"echo\", \"problem\": \"echo : N\", \"tolerance\": \"exact\", "
    "\"args\": [\"signal : in float[problem.N] integers(-8, 8)\", "
    "\"taps : in float[8] integers(-8, 8)\", \"out : out float[problem.N]\", "
    "\"n : int = problem.N\"], \"instances\": [{\"fields\": {\"N\": 1001}}]}]}";

static subject staged(const char *kernel) {
    return subject_open_file("staged.hip", problems, kernel);
}

static void compare(const char *kernel, const char *const *configs) {
    subject of = staged(kernel);
    cr_assert(applied(&of, "lds-stage"), "%s", kernel);
    expect_equal(&of, kernel, configs);
    subject_close(&of);
}

Test(stage, a_padded_window) {
    compare("blur_padded",
            (const char *const[]){"TILED=true STAGE_IN=true",
                                  "TILED=true STAGE_IN=true PAD_IN=1 COARSEN_X=2 COARSEN_Y=4",
                                  "TILED=true STAGE_IN=true COARSEN_X=8 COARSEN_X_STRIDED=true "
                                  "BLOCK_X=4 BLOCK_Y=2",
                                  NULL});
}

Test(stage, channels_one_after_the_other) {
    compare("convolve_valid",
            (const char *const[]){"TILED=true STAGE_IN=true PAD_IN=1",
                                  "TILED=true STAGE_IN=true COARSEN_X=4 COARSEN_Y=2 "
                                  "COARSEN_Y_STRIDED=true BLOCK_X=8",
                                  "TILED=true STAGE_IN=true COARSEN_Y=8 BLOCK_X=32 BLOCK_Y=1",
                                  NULL});
}

Test(stage, channels_loaded_together_and_ahead) {
    compare("convolve_valid",
            (const char *const[]){"TILED=true STAGE_IN=true CHUNK_IN=2",
                                  "TILED=true STAGE_IN=true CHUNK_IN=4 COARSEN_X=2 PAD_IN=1",
                                  "TILED=true STAGE_IN=true BUFFERS_IN=2",
                                  "TILED=true STAGE_IN=true BUFFERS_IN=2 COARSEN_Y=4 BLOCK_Y=2",
                                  NULL});
    subject of = staged("convolve_valid");
    expect_pieces(&of, "TILED=true STAGE_IN=true BUFFERS_IN=2",
                  (const char *const[]){"__shared__ float tile_in[2][10][18];", "c + ahead",
                                        "tile_in[c % 2][oh - oh_tile + r]", NULL});
    expect_pieces(&of, "TILED=true STAGE_IN=true",
                  (const char *const[]){"__shared__ float tile_in[10][18];", "__syncthreads();",
                                        "__syncthreads();", "tile_in[oh - oh_tile + r]", NULL});
    subject_close(&of);
}

Test(stage, neighbours_loaded_at_once) {
    compare("blur_padded",
            (const char *const[]){
                "TILED=true STAGE_IN=true VECTOR_IN=4 BLOCK_X=16 BLOCK_Y=2",
                "TILED=true STAGE_IN=true VECTOR_IN=2 PAD_IN=1 COARSEN_X=2 COARSEN_X_STRIDED=true",
                NULL});
    compare("convolve_valid",
            (const char *const[]){"TILED=true STAGE_IN=true VECTOR_IN=4 PAD_IN=1",
                                  "TILED=true STAGE_IN=true VECTOR_IN=2 CHUNK_IN=4",
                                  "TILED=true STAGE_IN=true VECTOR_IN=4 BUFFERS_IN=2 COARSEN_X=2",
                                  NULL});
    compare("jacobi", (const char *const[]){"TILED=true STAGE_A=true VECTOR_A=4 COARSEN_X=2",
                                            "TILED=true STAGE_A=true VECTOR_A=2", NULL});
    compare("shrink", (const char *const[]){"TILED=true STAGE_IN=true VECTOR_IN=4", NULL});
    compare("weighted",
            (const char *const[]){"TILED=true STAGE_TAPS=true VECTOR_TAPS=4 STAGE_SIGNAL=true "
                                  "VECTOR_SIGNAL=2",
                                  NULL});
}

Test(stage, rows_loaded_at_once_end_one_by_one) {
    subject of = staged("blur_padded");
    expect_pieces(&of, "TILED=true STAGE_IN=true VECTOR_IN=4",
                  (const char *const[]){"struct in_vector { float element[4]; };", "e < 60;",
                                        "e % 5 * 4", "if (i1 + 4 <= 20 && (", "end < width",
                                        "*(in_vector *)&tile_in[i0][i1] = "
                                        "*(const in_vector *)&in[",
                                        "for (int v = 0; v < 4; ++v)", "i1 + v < 20", NULL});
    char *text = apply_config(&of, "TILED=true STAGE_IN=true");
    cr_expect_null(strstr(text, "in_vector"));
    free(text);
    cr_expect_not(is_legal(&of, "blur_padded", "TILED=true VECTOR_IN=4"));
    subject_close(&of);
}

/* Returns the text with the second of each pair in place of the first. */
static char *edited(const char *text, const char *const (*edits)[2]) {
    char *result = ht_strdup(text);
    for (; (*edits)[0]; ++edits) {
        const char *at = strstr(result, (*edits)[0]);
        cr_assert_not_null(at, "no '%s' in\n%s", (*edits)[0], result);
        char *next = ht_format("%.*s%s%s", (int)(at - result), result, (*edits)[1],
                               at + strlen((*edits)[0]));
        free(result);
        result = next;
    }
    return result;
}

static ht_verify_outcome verified(const subject *of, const char *name,
                                  const char *const (*edits)[2]) {
    char *unit = edited(of->kernel->against->unit, edits);
    ht_template *templates = NULL;
    ht_verify_result result = {0};
    ht_error error = {0};
    ht_device device;
    size_t count = 0;
    const ht_problem_entry *entry = ht_problem_file_entry(of->problems, name);
    const ht_verify_options options = {
        .seed = 3, .configurations = 1, .sizes = 2, .compile_workers = 1, .unreduced = true};
    setenv("HIPTEMPER_WORKER", HT_TEST_WORKER, 1);
    cr_assert_eq(ht_device_find("host", &device, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_template_parse(unit, "staged.hip", &templates, &count, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_verify(&templates[0], &entry->instances[0], &device, &options, &result, &error),
                 HT_OK, "%s", error.message);
    ht_verify_outcome outcome = result.outcome;
    ht_verify_result_free(&result);
    ht_template_free(templates, count);
    free(unit);
    return outcome;
}

/* Rows of 18 elements. */
#define FOUR_AT_ONCE                                                                               \
    {"param(TILED : false, true = false)", "param(TILED : true = true)"},                          \
        {"param(STAGE_IN : false, true = false)", "param(STAGE_IN : true = true)"},                \
        {"param(VECTOR_IN : 1, 2, 4 = 1)", "param(VECTOR_IN : 4 = 4)"},                            \
        {"param(BLOCK_X : 4, 8, 16, 32, 64, 128 = 16)", "param(BLOCK_X : 16 = 16)"}

Test(stage, rows_loaded_beyond_their_ends_are_found) {
    subject of = staged("convolve_valid");
    cr_expect_eq(verified(&of, "convolve_valid", (const char *const[][2]){FOUR_AT_ONCE, {NULL}}),
                 HT_VERIFY_AGREES);
    cr_expect_eq(verified(&of, "convolve_valid",
                          (const char *const[][2]){
                              FOUR_AT_ONCE, {"if (i3 + VECTOR_IN <= (", "if (0 <= ("}, {NULL}}),
                 HT_VERIFY_DIFFERS);
    cr_expect_eq(
        verified(&of, "convolve_valid",
                 (const char *const[][2]){FOUR_AT_ONCE, {"end < width", "at3 < width"}, {NULL}}),
        HT_VERIFY_DIFFERS);
    subject_close(&of);
}

Test(stage, a_star_has_no_corners) {
    compare("jacobi", (const char *const[]){"TILED=true STAGE_A=true",
                                            "TILED=true STAGE_A=true COARSEN_X=2 COARSEN_Y=2 "
                                            "BLOCK_X=16",
                                            NULL});
}

Test(stage, every_second_row_and_column) {
    compare("shrink", (const char *const[]){
                          "TILED=true STAGE_IN=true",
                          "TILED=true STAGE_IN=true COARSEN_X=4 COARSEN_X_STRIDED=true", NULL});
}

Test(stage, strides_that_are_arguments_are_constants_where_it_is_staged) {
    subject of = staged("strided");
    cr_assert(applied(&of, "lds-stage"));
    cr_expect(remarked(&of, "'stride' multiplies indices"));
    cr_expect(remarked(&of, "'dilation' multiplies indices"));
    cr_expect_not(is_legal(&of, "strided", "TILED=true STAGE_IN=true"));
    expect_equal(&of, "strided",
                 (const char *const[]){
                     "STRIDE_SIZE=2 DILATION_SIZE=1",
                     "TILED=true STAGE_IN=true STRIDE_SIZE=2 DILATION_SIZE=1",
                     "TILED=true STAGE_IN=true PAD_IN=1 STRIDE_SIZE=2 DILATION_SIZE=1 COARSEN_X=2 "
                     "COARSEN_Y=4 COARSEN_Y_STRIDED=true",
                     NULL});
    subject_close(&of);
}

Test(stage, indices_that_are_held_inside) {
    compare("repeated",
            (const char *const[]){"TILED=true STAGE_IN=true",
                                  "TILED=true STAGE_IN=true COARSEN_X=2 COARSEN_Y=4", NULL});
}

Test(stage, a_filter_that_all_outputs_read) {
    compare("weighted", (const char *const[]){
                            "TILED=true STAGE_TAPS=true",
                            "TILED=true STAGE_TAPS=true STAGE_SIGNAL=true COARSEN_X=4", NULL});
    /* its tile begins where it begins, and is as long */
    subject of = staged("weighted");
    expect_pieces(&of, "TILED=true STAGE_TAPS=true",
                  (const char *const[]){"if (n >= 1)\n", "tile_taps[i0_2] = taps[at0];", NULL});
    expect_pieces(&of, "TILED=true STAGE_TAPS=true VECTOR_TAPS=4",
                  (const char *const[]){"if (n >= 1) {\n", "if (i0_2 + 4 <= 17)\n",
                                        "*(taps_vector *)", "for (int v = 0; i0_2 + v < 17; ++v)",
                                        NULL});
    subject_close(&of);
}

Test(stage, a_window_in_one_dimension) {
    compare("echo", (const char *const[]){"TILED=true STAGE_SIGNAL=true",
                                          "TILED=true STAGE_SIGNAL=true COARSEN_X=4", NULL});
}

Test(stage, what_cannot_be_staged_is_said) {
    subject of = staged("blur_padded");
    cr_expect(remarked(&of, "'mask' is not kept in shared memory: not every output reads it"));
    cr_expect_not(is_legal(&of, "blur_padded", "STAGE_IN=true")); /* only in the tiled form */
    cr_expect_not(is_legal(&of, "blur_padded",
                           "TILED=true STAGE_IN=true BLOCK_X=128 BLOCK_Y=8 COARSEN_X=8 "
                           "COARSEN_Y=4")); /* 64 KiB */
    subject_close(&of);
}

Test(stage, an_applied_source_has_only_what_was_chosen) {
    subject of = staged("blur_padded");
    expect_pieces(&of, "TILED=true STAGE_IN=true PAD_IN=1 COARSEN_X=2",
                  (const char *const[]){"__shared__ float tile_in[12][37];", "e += 128",
                                        "__syncthreads();", "* mask", NULL});
    char *text = apply_config(&of, "TILED=true");
    cr_expect_null(strstr(text, "tile_in"));
    cr_expect_null(strstr(text, "STAGE_IN"));
    free(text);
    subject_close(&of);
}

/* The case where the caller gives both the window's width and the distance of windows. */
static char *window_problems(int wide) {
    return ht_format(
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": "
        "\"window\", \"problem\": \"window : W, H, R, OW := (W - 1) / 2 + 1, OH := (H - 1) / 2 + "
        "1\", \"tolerance\": \"exact\", \"args\": [\"in : in float[problem.W * problem.H] "
        "integers(-8, 8)\", \"w : in float[problem.R * problem.R] integers(-8, 8)\", "
        "\"out : out float[problem.OW * problem.OH]\", \"W : int = problem.W\", "
        "\"H : int = problem.H\", \"OW : int = problem.OW\", \"OH : int = problem.OH\", "
        "\"R : int = problem.R\", \"P : int = 1\", \"S : int = 2\"], "
        "\"instances\": [{\"fields\": {\"W\": 41, \"H\": 30, \"R\": %d}}]}]}",
        wide);
}

static const char window_source[] =
    HEAD "__global__ void window(const float *in, const float *w, float *out, int W, int H,\n"
         "                       int OW, int OH, int R, int P, int S) {\n"
         "    int ox = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    int oy = blockIdx.y * blockDim.y + threadIdx.y;\n"
         "    if (ox >= OW || oy >= OH) return;\n"
         "    float sum = 0;\n"
         "    for (int r = 0; r < R; ++r)\n"
         "        for (int s = 0; s < R; ++s) {\n"
         "            int iy = oy * S - P + r, ix = ox * S - P + s;\n"
         "            if (iy >= 0 && iy < H && ix >= 0 && ix < W)\n"
         "                sum += in[iy * W + ix] * w[r * R + s];\n"
         "        }\n"
         "    out[oy * OW + ox] = sum;\n"
         "}\n"
         "void run(float *in, float *w, float *out, int W, int H, int OW, int OH, int R, int P, "
         "int S) {\n"
         "    window<<<dim3((OW + 7) / 8, (OH + 3) / 4), dim3(8, 4)>>>(in, w, out, W, H, OW, OH, "
         "R, P, S);\n"
         "}\n";

/* Windows that are narrower than they are apart leave elements between them that nobody reads. */
Test(stage, windows_that_leave_gaps_are_not_staged) {
    char *problems = window_problems(3);
    subject of = subject_open(window_source, problems, "window");
    cr_expect(applied(&of, "lds-stage"));
    expect_equal(&of, "window",
                 (const char *const[]){
                     "TILED=true STAGE_IN=true R_SIZE=3 S_SIZE=2",
                     "TILED=true STAGE_IN=true R_SIZE=3 S_SIZE=2 PAD_IN=1 VECTOR_IN=4 COARSEN_X=2",
                     "TILED=true STAGE_IN=true R_SIZE=3 S_SIZE=2 COARSEN_Y=4 BLOCK_X=16", NULL});
    subject_close(&of);
    free(problems);
    problems = window_problems(1);
    of = subject_open(window_source, problems, "window");
    cr_expect(is_legal(&of, "window", "TILED=true R_SIZE=1 S_SIZE=2"));
    cr_expect_not(is_legal(&of, "window", "TILED=true STAGE_IN=true R_SIZE=1 S_SIZE=2"));
    subject_close(&of);
    free(problems);
}

/* 0u - 1 is not an index below 0 in a longer type: the elements past it were not loaded. */
Test(stage, indices_without_a_sign_begin_below_0) {
    static const char text[] =
        HEAD "__global__ void star(const float *in, float *out, int w, int h) {\n"
             "    unsigned int i = threadIdx.x + blockIdx.x * blockDim.x;\n"
             "    unsigned int j = threadIdx.y + blockIdx.y * blockDim.y;\n"
             "    const int n = w + 2;\n"
             "    if (i > 0 && i < w + 1 && j > 0 && j < h + 1)\n"
             "        out[j * n + i] = in[(j - 1) * n + i] + in[j * n + i - 1] +\n"
             "                         in[j * n + i + 1] + in[(j + 1) * n + i];\n"
             "}\n"
             "void run(const float *in, float *out, int w, int h) {\n"
             "    star<<<dim3((w + 17) / 16, (h + 17) / 16), dim3(16, 16)>>>(in, out, w, h);\n"
             "}\n";
    static const char problem[] =
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"star\", "
        "\"problem\": \"star : W, H\", \"args\": ["
        "\"in : in float[(problem.W + 2) * (problem.H + 2)] integers(-8, 8)\", "
        "\"out : inout float[(problem.W + 2) * (problem.H + 2)]\", \"w : int = problem.W\", "
        "\"h : int = problem.H\"], \"instances\": [{\"fields\": {\"W\": 50, \"H\": 21}}]}]}";
    subject of = subject_open(text, problem, "star");
    const char *configs[] = {"TILED=true STAGE_IN=true", "TILED=true STAGE_IN=true VECTOR_IN=2",
                             "TILED=true STAGE_IN=true VECTOR_IN=4",
                             "TILED=true STAGE_IN=true VECTOR_IN=4 COARSEN_X=2 BLOCK_Y=8", NULL};
    expect_equal(&of, "star", configs);
    subject_close(&of);
}
