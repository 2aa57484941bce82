/* Threads in other places: each place is still computed once, whatever the sizes, and a block's
 * threads have the shape that the parameter asks for. */
#include "subject.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char image_problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"image\", "
    "\"problem\": \"image : W, H\", \"args\": [\"out : inout int[problem.W * problem.H] "
    "integers(-9, 9)\", \"W : int = problem.W\", \"H : int = problem.H\"], \"tolerance\": "
    "\"exact\", \"instances\": [{\"fields\": {\"W\": 35, \"H\": 13}}]}]}";

/* ---- one index for all dimensions ---- */

#define FLAT(BODY)                                                                                 \
    HEAD "__global__ void flat(int *out, int width, int rows, int n) {\n" BODY "}\n"               \
         "void run(int width, int rows, int n) {\n"                                                \
         "    int *out;\n"                                                                         \
         "    hipMalloc(&out, sizeof(int) * n);\n"                                                 \
         "    flat<<<(n + 63) / 64, 64>>>(out, width, rows, n);\n"                                 \
         "}\n"

/* Sees the row above: the result depends on the place in the image. */
static const char in_rows[] = FLAT("    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    if (i >= n)\n"
                                   "        return;\n"
                                   "    int x = i % width, y = i / width;\n"
                                   "    for (int k = 0; k < 3; ++k)\n"
                                   "        out[i] += x * 3 + y * k + 1;\n");

static const char in_planes[] =
    FLAT("    const int total = gridDim.x * blockDim.x;\n"
         "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += total) {\n"
         "        const int line = i / width, x = i - line * width;\n"
         "        const int z = line / rows, y = line - z * rows;\n"
         "        out[i] += 1 + x + 3 * y + 5 * z;\n"
         "    }\n");

static char *flat_problem(int width, int rows, int n) {
    return ht_format(
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"flat\", "
        "\"problem\": \"image : W, R, N\", \"args\": [\"out : inout int[problem.N] integers(-9, "
        "9)\", \"width : int = problem.W\", \"rows : int = problem.R\", \"n : int = problem.N\"], "
        "\"tolerance\": \"exact\", \"instances\": [{\"fields\": {\"W\": %d, \"R\": %d, \"N\": "
        "%d}}]}]}",
        width, rows, n);
}

static void expect_flat_equal(const char *text, int width, int rows, int n,
                              const char *const *configs) {
    char *problem = flat_problem(width, rows, n);
    subject of = subject_open(text, problem, "flat");
    cr_expect(applied(&of, "thread-order"));
    expect_equal(&of, "flat", configs);
    subject_close(&of);
    free(problem);
}

Test(thread_order, tiles_of_rows_give_the_same_with_the_other_transformations) {
    expect_flat_equal(in_rows, 37, 11, 37 * 11,
                      (const char *const[]){"THREAD_ROWS=2", "THREAD_ROWS=16",
                                            "THREAD_ROWS=4 BLOCK_X=128 COARSEN_X=4",
                                            "THREAD_ROWS=8 COARSEN_X=2 COARSEN_X_STRIDED=true",
                                            NULL});
}

Test(thread_order, tiles_of_planes_give_the_same) {
    expect_flat_equal(in_planes, 19, 7, 19 * 7 * 6 + 5,
                      (const char *const[]){"THREAD_ROWS=2 THREAD_PLANES=2", "THREAD_PLANES=4",
                                            "THREAD_ROWS=8 THREAD_PLANES=4 BLOCK_X=128",
                                            "THREAD_ROWS=4", NULL});
}

Test(thread_order, the_tiled_form_keeps_its_threads_together) {
    char *problem = flat_problem(16, 4, 64);
    subject of = subject_open(in_rows, problem, "flat");
    cr_assert(applied(&of, "register-tile"));
    cr_expect(is_legal(&of, "flat", "TILED=true"));
    cr_expect(is_legal(&of, "flat", "THREAD_ROWS=4"));
    cr_expect_not(is_legal(&of, "flat", "TILED=true THREAD_ROWS=4"));
    subject_close(&of);
    free(problem);
}

Test(thread_order, a_width_may_be_a_field_of_an_argument) {
    subject of = subject_open_file("old_spelling.cpp", image_problem, "flat_convolution");
    cr_expect(applied(&of, "thread-order"));
    expect_pieces(&of, "THREAD_ROWS=4", (const char *const[]){"(unsigned)size.x", NULL});
    subject_close(&of);
}

/* ---- the places of threads ---- */

/* Runs one thread after the other and notes which element each one changed. */
static const char places_head[] =
    "#include <hip/hip_runtime.h>\n#include <cstdio>\n#include <cstdlib>\n#include <vector>\n"
    "dim3 threadIdx, blockIdx, blockDim, gridDim;\nunsigned shim_factor[3] = {1, 1, 1};\n";
static const char places_main[] =
    "static std::vector<int> out, seen, by; // by: the block's number for each place\n"
    "template <typename F> static void places(dim3 grid, dim3 block, int n, F kernel) {\n"
    "    out.assign(n, 0); seen.assign(n, 0); by.assign(n, -1);\n"
    "    shim_launch(grid, block, [&] {\n"
    "        kernel();\n"
    "        for (int i = 0; i < n; ++i)\n"
    "            if (out[i]) { out[i] = 0; ++seen[i]; by[i] = blockIdx.y * gridDim.x + blockIdx.x; "
    "}\n"
    "    });\n"
    "    for (int i = 0; i < n; ++i)\n"
    "        if (seen[i] != 1) { printf(\"place %d of %d is computed %d times\\n\", i, n, "
    "seen[i]); "
    "exit(1); }\n"
    "}\n";

/* Compiles the configuration's kernel with `check` after it, and runs that. */
static void run_places(const subject *of, const char *config, const char *check) {
    char *text = apply_config(of, config);
    char *kernel = strstr(text, "__global__"), *end = strstr(text, "void run(");
    cr_assert(kernel && end);
    char *folder = NULL;
    cr_assert_eq(ht_dir_temporary("places", &folder, NULL), HT_OK);
    char *source =
        ht_format("%s%.*s%s%s", places_head, (int)(end - kernel), kernel, places_main, check);
    char *path = ht_path_join(folder, "main.cpp"), *log = NULL;
    ht_error error;
    cr_assert_eq(ht_file_write(path, source, strlen(source), &error), HT_OK);
    char *command = ht_format("cd %s && %s -std=c++17 -O1 -w -I '%s/tests/refactor/coarsen/shim' "
                              "main.cpp -o main > log 2>&1 && ./main > log 2>&1",
                              folder, HT_CLANGXX, HT_SOURCE_DIR);
    int code = system(command);
    char *log_path = ht_path_join(folder, "log");
    ht_file_read(log_path, 0, &log, NULL, NULL);
    cr_expect_eq(code, 0, "%s: %s\n%s", config, log ? log : "", text);
    ht_dir_remove(folder);
    free(folder);
    free(log);
    free(log_path);
    free(command);
    free(path);
    free(source);
    free(text);
}

static const char row_tiles[] =
    "int main() {\n"
    "    for (int width = -1; width < 70; ++width)\n"
    "        for (int n = 1; n < 400; n += 1 + n / 3)\n"
    "            if (width > 0) places((n + 63) / 64, 64, n, [&] { flat(out.data(), width, 0, n); "
    "});\n"
    "    // blocks of 64 are tiles of ROWS rows where they fit\n"
    "    const int width = 64 / ROWS * 3, n = width * ROWS * 2;\n"
    "    places(n / 64, 64, n, [&] { flat(out.data(), width, 0, n); });\n"
    "    for (int i = 0; i < n; ++i) {\n"
    "        int tile = i / width / ROWS * 3 + i % width / (64 / ROWS);\n"
    "        if (by[i] != tile) { printf(\"place %d: block %d, not %d\\n\", i, by[i], tile); "
    "return 1; }\n"
    "    }\n"
    "}\n";

Test(thread_order, blocks_are_tiles_of_rows_and_every_place_is_taken_once) {
    char *problem = flat_problem(37, 11, 407);
    subject of = subject_open(in_rows, problem, "flat");
    for (int rows = 1; rows <= 16; rows *= 2) {
        char *config = ht_format("THREAD_ROWS=%d", rows);
        char *check = ht_format("enum { ROWS = %d };\n%s", rows, row_tiles);
        run_places(&of, config, check);
        free(check);
        free(config);
    }
    subject_close(&of);
    free(problem);
}

static const char plane_tiles[] =
    "int main() {\n"
    "    for (int width = 1; width < 20; ++width)\n"
    "        for (int rows = 1; rows < 12; rows += 2)\n"
    "            for (int n = 1; n < 900; n += 1 + n / 2)\n"
    "                places((n + 63) / 64, 64, n, [&] { flat(out.data(), width, rows, n); });\n"
    "    // boxes of 8 x 4 x 2 places\n"
    "    const int width = 24, rows = 8, n = width * rows * 4;\n"
    "    places(n / 64, 64, n, [&] { flat(out.data(), width, rows, n); });\n"
    "    for (int i = 0; i < n; ++i) {\n"
    "        int x = i % width / 8, y = i / width % rows / 4, z = i / width / rows / 2;\n"
    "        int box = (z * 2 + y) * 3 + x;\n"
    "        if (by[i] != box) { printf(\"place %d: block %d, not %d\\n\", i, by[i], box); return "
    "1; }\n"
    "    }\n"
    "}\n";

Test(thread_order, blocks_are_boxes_in_planes) {
    char *problem = flat_problem(19, 7, 800);
    subject of = subject_open(in_planes, problem, "flat");
    run_places(&of, "THREAD_ROWS=4 THREAD_PLANES=2", plane_tiles);
    subject_close(&of);
    free(problem);
}

/* ---- two dimensions ---- */

static const char counted[] =
    "int main() {\n"
    "    for (int W = 1; W < 60; W += 5)\n"
    "        for (int H = 1; H < 40; H += 7)\n"
    "            places(dim3((W + 15) / 16, (H + 3) / 4), dim3(16, 4), W * H,\n"
    "                   [&] { image(out.data(), W, H); });\n"
    "    // 7 x 7 places with 16 x 4 threads each: one block has them all\n"
    "    places(dim3(1, 2), dim3(16, 4), 49, [&] { image(out.data(), 7, 7); });\n"
    "    for (int i = 0; i < 49; ++i)\n"
    "        if (by[i] != 0) { printf(\"place %d: block %d\\n\", i, by[i]); return 1; }\n"
    "    // rows behind each other, 64 a block\n"
    "    places(dim3(2, 8), dim3(16, 4), 17 * 32, [&] { image(out.data(), 17, 32); });\n"
    "    for (int i = 0; i < 17 * 32; ++i)\n"
    "        if (by[i] != i / 64) { printf(\"place %d: block %d\\n\", i, by[i]); return 1; }\n"
    "}\n";

static const char image[] =
    HEAD "__global__ void image(int *out, int W, int H) {\n"
         "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
         "    if (x < W && y < H)\n"
         "        for (int k = 0; k < 2; ++k)\n"
         "            out[y * W + x] += x + y + k + 1;\n"
         "}\n"
         "void run(int W, int H) {\n"
         "    int *out;\n"
         "    hipMalloc(&out, sizeof(int) * W * H);\n"
         "    image<<<dim3((W + 15) / 16, (H + 3) / 4), dim3(16, 4)>>>(out, "
         "W, H);\n"
         "}\n";

Test(thread_order, two_dimensions_are_counted_through) {
    subject of = subject_open(image, image_problem, "image");
    cr_expect(applied(&of, "thread-order"));
    run_places(&of, "FLATTEN=true", counted);
    expect_equal(&of, "image",
                 (const char *const[]){"FLATTEN=true", "FLATTEN=true BLOCK_X=32 BLOCK_Y=1",
                                       "FLATTEN=true COARSEN_X=2",
                                       "FLATTEN=true GRID_ORDER=4 BLOCK_X=8", NULL});
    subject_close(&of);
}

Test(thread_order, a_tuned_source_names_no_parameter_and_the_default_is_the_original) {
    subject of = subject_open(image, image_problem, "image");
    expect_pieces(&of, "FLATTEN=true",
                  (const char *const[]){"threads are counted through", "width = (unsigned)W;",
                                        "const dim3 blockIdx(", "int x = blockIdx.x", NULL});
    char *text = apply_config(&of, "FLATTEN=true");
    cr_expect_null(strstr(text, "FLATTEN"));
    free(text);
    text = apply_config(&of, "");
    cr_expect_str_eq(text, image);
    free(text);
    subject_close(&of);
}

/* ---- reasons against it ---- */

static void expect_kept(const char *body, const char *words) {
    char *text = ht_format("%s%s", body, strstr(in_rows, "void run("));
    char *problem = flat_problem(16, 4, 64);
    subject of = subject_open(text, problem, "flat");
    cr_expect_not(applied(&of, "thread-order"), "%s", text);
    cr_expect(remarked(&of, words), "%s", words);
    subject_close(&of);
    free(problem);
    free(text);
}

Test(thread_order, threads_that_meet_stay_together) {
    expect_kept(HEAD "__global__ void flat(int *out, int width, int rows, int n) {\n"
                     "    __shared__ int held[64];\n"
                     "    int i = blockIdx.x * 64 + threadIdx.x;\n"
                     "    held[threadIdx.x] = i < n ? out[i] : 0;\n"
                     "    __syncthreads();\n"
                     "    if (i < n) out[i] = held[63 - threadIdx.x] + i % width;\n"
                     "}\n",
                "the threads of each block stay as they are: threads depend on each other");
    expect_kept(HEAD "__global__ void flat(int *out, int width, int rows, int n) {\n"
                     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "    if (i < n) atomicAdd(&out[i % width], 1);\n"
                     "}\n",
                "threads depend on each other");
}

Test(thread_order, who_asks_elsewhere_would_get_another_answer) {
    expect_kept(HEAD "__device__ int lane() { return threadIdx.x; }\n"
                     "__global__ void flat(int *out, int width, int rows, int n) {\n"
                     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "    if (i < n) for (int k = 0; k < 3; ++k) out[i] += i % width + lane();\n"
                     "}\n",
                "a function that it calls uses thread or block indices");
    expect_kept(HEAD "__global__ void flat(int *out, int width, int rows, int n) {\n"
                     "    int i = blockIdx.x * blockDim.x + ::threadIdx.x;\n"
                     "    if (i < n) for (int k = 0; k < 3; ++k) out[i] += i % width;\n"
                     "}\n",
                "in a way that is not followed");
}
