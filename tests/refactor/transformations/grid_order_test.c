/* Blocks in another order: the same results, from every place of the grid once. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(grid_order, alone_and_with_the_other_transformations) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    cr_expect(applied(&of, "grid-order"));
    expect_equal(&of, "blur",
                 (const char *const[]){
                     "GRID_ORDER=1", "GRID_ORDER=4", "GRID_ORDER=8 BLOCK_Y=1",
                     "GRID_ORDER=1 COARSEN_X=2", "GRID_ORDER=4 TILED=true COARSEN_X=2 COARSEN_Y=2",
                     "GRID_ORDER=8 BLOCK_X=32 BLOCK_Y=2 TILED=true COARSEN_Y=2", NULL});
    subject_close(&of);
}

Test(grid_order, three_axes) {
    subject of = subject_open(volume_source, volume_problem, "volume");
    cr_expect(applied(&of, "grid-order"));
    expect_equal(&of, "volume",
                 (const char *const[]){"GRID_ORDER=1", "GRID_ORDER=4 BLOCK_Y=1",
                                       "GRID_ORDER=8 BLOCK_Z=2", "GRID_DEPTH=true",
                                       "GRID_DEPTH=true GRID_ORDER=1 BLOCK_Z=2",
                                       "GRID_DEPTH=true GRID_ORDER=4 COARSEN_X=2", NULL});
    subject_close(&of);
}

/* Each block says where it believes to be and which it is: a permutation gives each place once. */
static const char places[] =
    HEAD "__global__ void places(int *out, int W, int H) {\n"
         "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
         "    if (x < W && y < H)\n"
         "        for (int k = 0; k < 4; ++k)\n"
         "            out[y * W + x] += 1 + blockIdx.y * gridDim.x + blockIdx.x;\n"
         "}\n"
         "void run(int W, int H) {\n"
         "    int *out;\n"
         "    hipMalloc(&out, sizeof(int) * W * H);\n"
         "    places<<<dim3((W + 7) / 8, (H + 3) / 4), dim3(8, 4)>>>(out, W, H);\n"
         "}\n";
static const char places_problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"places\", "
    "\"problem\": \"image : W, H\", \"args\": [\"out : inout int[problem.W * problem.H]\", \"W : "
    "int = problem.W\", \"H : int = problem.H\"], \"tolerance\": \"exact\", \"instances\": "
    "[{\"name\": \"odd\", \"fields\": {\"W\": 77, \"H\": 43}}]}]}";

Test(grid_order, every_block_has_a_place_of_its_own) {
    subject of = subject_open(places, places_problem, "places");
    cr_expect(applied(&of, "grid-order"));
    expect_equal(&of, "places",
                 (const char *const[]){"GRID_ORDER=1", "GRID_ORDER=4", "GRID_ORDER=8", NULL});
    subject_close(&of);
}

static const char levels[] =
    HEAD "__global__ void levels(int *out, int W, int H, int D) {\n"
         "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
         "    int z = blockIdx.z;\n"
         "    if (x < W && y < H)\n"
         "        out[(z * H + y) * W + x] +=\n"
         "            1 + (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;\n"
         "}\n"
         "void run(int W, int H, int D) {\n"
         "    int *out;\n"
         "    hipMalloc(&out, sizeof(int) * W * H * D);\n"
         "    levels<<<dim3((W + 7) / 8, (H + 3) / 4, D), dim3(8, 4)>>>(out, W, H, D);\n"
         "}\n";
static const char levels_problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"levels\", "
    "\"problem\": \"volume : W, H, D\", \"args\": [\"out : inout int[problem.W * problem.H * "
    "problem.D]\", \"W : int = problem.W\", \"H : int = problem.H\", \"D : int = problem.D\"], "
    "\"tolerance\": \"exact\", \"instances\": [{\"name\": \"odd\", \"fields\": {\"W\": 45, \"H\": "
    "22, "
    "\"D\": 7}}]}]}";

Test(grid_order, every_block_of_every_level_has_a_place_of_its_own) {
    subject of = subject_open(levels, levels_problem, "levels");
    cr_expect(applied(&of, "grid-order"));
    expect_equal(&of, "levels",
                 (const char *const[]){"GRID_DEPTH=true", "GRID_DEPTH=true GRID_ORDER=1",
                                       "GRID_DEPTH=true GRID_ORDER=4", "GRID_ORDER=8", NULL});
    expect_pieces(&of, "GRID_DEPTH=true",
                  (const char *const[]){"blocks along z follow each other first", "% gridDim.z;",
                                        "const dim3 blockIdx(", NULL});
    char *text = apply_config(&of, "GRID_DEPTH=true");
    cr_expect_null(strstr(text, "rows_together"), "the order in the plane is the original's");
    free(text);
    text = apply_config(&of, "GRID_ORDER=1");
    cr_expect_null(strstr(text, "gridDim.z"));
    free(text);
    subject_close(&of);
}

Test(grid_order, a_tuned_source_has_one_order) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    expect_pieces(&of, "GRID_ORDER=1",
                  (const char *const[]){"lie in one column of the grid",
                                        "rows_together = gridDim.y;", "const dim3 blockIdx(",
                                        "int x = blockIdx.x", NULL});
    expect_pieces(&of, "GRID_ORDER=4",
                  (const char *const[]){"band of 4 rows", "rows_together = 4;", NULL});
    char *text = apply_config(&of, "");
    cr_expect_str_eq(text, blur_source);
    free(text);
    subject_close(&of);
}

/* ---- reasons against it */

Test(grid_order, functions_that_ask_for_the_block_would_get_another_answer) {
    static const char *const head = "__device__ int row() { return blockIdx.y; }\n";
    const char *body = strstr(places, "__global__");
    const char *use = strstr(body, "1 + blockIdx.y");
    char *text = ht_format("%.*s%s%.*s1 + row()%s", (int)(body - places), places, head,
                           (int)(use - body), body, use + strlen("1 + blockIdx.y"));
    subject of = subject_open(text, places_problem, "places");
    cr_expect_not(applied(&of, "grid-order"), "%s", text);
    cr_expect(remarked(&of, "a function that it calls uses blockIdx"));
    subject_close(&of);
    free(text);
}
