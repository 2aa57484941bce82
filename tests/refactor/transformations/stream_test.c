/* stream-window: values that a thread keeps in registers while it walks change no result, wherever
 * the walk begins and ends; a missing proof is reported. */
#include "subject.h"

#include "base/file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define VOLUME(type) "in " type "[problem.X * problem.Y * problem.Z] integers(-8, 8)\", "
#define RESULT(name, type)                                                                         \
    "\"" name " : inout " type "[problem.X * problem.Y * problem.Z] integers(-8, 8)\", "
#define SIZES "\"nx : int = problem.X\", \"ny : int = problem.Y\", \"nz : int = problem.Z\"], "
#define KERNEL(name)                                                                               \
    "{\"kernel\": \"" name "\", \"problem\": \"" name                                              \
    " : X, Y, Z\", \"tolerance\": \"exact\", \"args\": ["
#define INSTANCES(x, y, z)                                                                         \
    "\"instances\": [{\"fields\": {\"X\": " x ", \"Y\": " y ", \"Z\": " z "}}]}"

static const char problems[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [" KERNEL(
        "laplace") "\"in : " VOLUME("float")
        RESULT("out", "float") "\"c0 : float = 0.5\", \"c1 : float = 0.25\", " SIZES INSTANCES(
            "21", "7", "45") ", " KERNEL("jacobi3") "\"a : " VOLUME("double") RESULT("b", "double")
            SIZES INSTANCES("19", "6", "11") ", " KERNEL("padded") "\"in : " VOLUME("float") RESULT(
                "out", "float") "\"nx : int = problem.X\", \"ny : int = "
                                "problem.Y\"], " INSTANCES("21", "37", "1") ", " KERNEL(
                                    "column") "\"in : " VOLUME("float") RESULT("out", "float")
                                    SIZES INSTANCES("21", "7", "13") ", " KERNEL(
                                        "wide_star") "\"in : in float[problem.X * "
                                                     "problem.Y * problem.Z] integers(-8, "
                                                     "8)\", "
                                                     "\"out : inout float[problem.X * "
                                                     "problem.Y * problem.Z] integers(-8, "
                                                     "8)\", "
                                                     "\"nx : unsigned = problem.X\", \"ny : "
                                                     "unsigned = problem.Y\"], " INSTANCES(
                                                         "21", "37", "1") "]}";

static subject streamed(const char *kernel) {
    return subject_open_file("streamed.hip", problems, kernel);
}

static void compare(const char *kernel, const char *const *configs) {
    subject of = streamed(kernel);
    cr_assert(applied(&of, "stream-window"), "%s", kernel);
    expect_equal(&of, kernel, configs);
    subject_close(&of);
}

Test(stream, a_star_in_three_dimensions) {
    compare("laplace",
            (const char *const[]){
                "TILED=true EDGE_APART=true STREAM_Z=4",
                "TILED=true EDGE_APART=true STREAM_Z=32 BLOCK_Z=1",
                "TILED=true EDGE_APART=true STREAM_Z=8 COARSEN_X=2 COARSEN_Y=4",
                "TILED=true EDGE_APART=true STREAM_Z=16 COARSEN_X=4 COARSEN_X_STRIDED=true",
                "TILED=true STREAM_Z=1 COARSEN_Z=4", NULL});
}

Test(stream, an_element_that_nobody_reads_lies_between) {
    compare("jacobi3",
            (const char *const[]){"TILED=true EDGE_APART=true STREAM_Z=4",
                                  "TILED=true EDGE_APART=true STREAM_Z=32 COARSEN_Y=2", NULL});
    subject of = streamed("jacobi3");
    expect_pieces(&of, "TILED=true EDGE_APART=true STREAM_Z=8 BLOCK_Z=1",
                  (const char *const[]){"double a_window[1][1][1][3];", "if (fresh) {",
                                        "(&a[AT(z - 1, y, x)])[(nx * ny)]", "= a[AT(z + 1, y, x)];",
                                        "fresh = false;", NULL});
    char *text = apply_config(&of, "TILED=true COARSEN_X=2");
    cr_expect_null(strstr(text, "window"));
    cr_expect_null(strstr(text, "fresh"));
    free(text);
    subject_close(&of);
}

Test(stream, what_is_read_only_inside_of_the_image_is_loaded_only_there) {
    compare("padded",
            (const char *const[]){"TILED=true EDGE_APART=true STREAM_Y=4",
                                  "TILED=true EDGE_APART=true STREAM_Y=32 COARSEN_X=2",
                                  "TILED=true EDGE_APART=true STREAM_Y=16 BLOCK_Y=1", NULL});
    subject of = streamed("padded");
    expect_pieces(&of, "TILED=true EDGE_APART=true STREAM_Y=4",
                  (const char *const[]){"const int index0 = y - 1;", "index0 >= 0",
                                        "in_window[ty][tx][0] =", NULL});
    cr_expect_not(is_legal(&of, "padded", "STREAM_Y=4")); /* only in the tiled form */
    cr_expect_not(is_legal(&of, "padded", "TILED=true EDGE_APART=true STREAM_Y=4 COARSEN_Y=2"));
    cr_expect_not(is_legal(&of, "padded", "TILED=true EDGE_APART=true STREAM_Y=4 STAGE_IN=true"));
    subject_close(&of);
}

Test(stream, a_loop_that_is_there) {
    compare("column",
            (const char *const[]){"TILED=true STREAM_Z=true", "TILED=true STREAM_Z=true NZ_SIZE=13",
                                  "TILED=true STREAM_Z=true COARSEN_X=4 COARSEN_Y=2 BLOCK_X=8",
                                  "TILED=true STREAM_Z=false STAGE_IN=true",
                                  "TILED=true STREAM_Z=true STAGE_IN=true CHUNK_IN=2", NULL});
}

Test(stream, a_wide_window_whose_index_is_unsigned) {
    compare("wide_star",
            (const char *const[]){"TILED=true EDGE_APART=true STREAM_Y=4",
                                  "TILED=true EDGE_APART=true STREAM_Y=16 COARSEN_X=2", NULL});
}

static void refused(const char *kernel, const char *why) {
    subject of = streamed(kernel);
    cr_expect_not(applied(&of, "stream-window"), "%s", kernel);
    cr_expect(remarked(&of, why), "%s", kernel);
    subject_close(&of);
}

Test(stream, what_is_not_proved_is_said) {
    refused("smooth", "'out' may be the same memory and is written in between");
    refused("wander", "its index is made of what is only known later");
}
