/* A tuned source goes on to work for sizes that it was not tuned for: the general kernel next to
 * the one with constant sizes gives what the original gives, with every access checked. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/verify/verify.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A window with padding P: how wide it is, and how far apart outputs are. The one of both that is
 * an argument becomes a constant: `size`, `value`. */
typedef struct window {
    const char *wide, *apart;
    const char *size;
    int value;
} window;

static const window wide_as_given = {"R", "", "R_SIZE", 3},
                    apart_as_given = {"3", " * S", "S_SIZE", 2};

static char *kernel_text(const window *of, const char *name) {
    return ht_format(
        "__global__ void %s(const float *in, const float *w, float *out, int W, int H, int OW,\n"
        "                   int OH, int R, int P, int S) {\n"
        "    int ox = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    int oy = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (ox >= OW || oy >= OH) return;\n"
        "    float sum = 0;\n"
        "    for (int r = 0; r < %s; ++r)\n"
        "        for (int s = 0; s < %s; ++s) {\n"
        "            int iy = oy%s - P + r, ix = ox%s - P + s;\n"
        "            if (iy >= 0 && iy < H && ix >= 0 && ix < W)\n"
        "                sum += in[iy * W + ix] * w[r * %s + s];\n"
        "        }\n"
        "    out[oy * OW + ox] = sum;\n"
        "}\n",
        name, of->wide, of->wide, of->apart, of->apart, of->wide);
}

static char *source_text(const window *of) {
    char *kernel = kernel_text(of, "window");
    char *text = ht_format(
        HEAD "%svoid run(float *in, float *w, float *out, int W, int H, int OW, int OH, int R, int "
             "P, int S) {\n"
             "    window<<<dim3((OW + 7) / 8, (OH + 3) / 4), dim3(8, 4)>>>(in, w, out, W, H, OW, "
             "OH, R, P, S);\n"
             "}\n",
        kernel);
    free(kernel);
    return text;
}

static const char family[] = "window : W, H, R, S, OW := (W - 1) / S + 1, OH := (H - 1) / S + 1";

static const char *const arguments[] = {"in : in float[problem.W * problem.H] integers(-8, 8)",
                                        "w : in float[problem.R * problem.R] integers(-8, 8)",
                                        "out : out float[problem.OW * problem.OH]",
                                        "W : int = problem.W",
                                        "H : int = problem.H",
                                        "OW : int = problem.OW",
                                        "OH : int = problem.OH",
                                        "R : int = problem.R",
                                        "P : int = 1",
                                        "S : int = problem.S"};

enum { ARGUMENTS = sizeof arguments / sizeof *arguments };

static char *problem_file(void) {
    ht_text text = {0};
    ht_text_printf(&text,
                   "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": "
                   "\"window\", \"problem\": \"%s\", \"tolerance\": \"exact\", \"args\": [",
                   family);
    for (size_t i = 0; i < ARGUMENTS; ++i)
        ht_text_printf(&text, "%s\"%s\"", i ? ", " : "", arguments[i]);
    ht_text_append(&text, "], \"instances\": [{\"fields\": {\"W\": 41, \"H\": 30, \"R\": 3, "
                          "\"S\": 2}}]}]}");
    return ht_text_take(&text);
}

/* Returns the tuned kernel, with and without its constant, next to the original, each with its
 * launch. */
static char *unit_of(const window *of, const char *tuned, int columns, int rows) {
    ht_text text = {0};
    char *original = kernel_text(of, "original");
    const char *end = strstr(tuned, "void run(");
    cr_assert_not_null(end, "%s", tuned);
    ht_text_printf(&text, "#pragma tune unit\n%s%s%.*s", HEAD, original, (int)(end - tuned), tuned);
    ht_text_printf(&text, "#pragma tune kernel(window<%s>)\n#pragma tune problem(%s)\n", of->size,
                   family);
    for (size_t i = 0; i < ARGUMENTS; ++i)
        ht_text_printf(&text, "#pragma tune arg(%s)\n", arguments[i]);
    ht_text_printf(&text,
                   "#pragma tune param(%s : 0, %d = 0)\n"
                   "#pragma tune require(%s == 0 || problem.%c == %s)\n"
                   "#pragma tune block(8, 4)\n"
                   "#pragma tune grid(ceil_div(problem.OW, %d), ceil_div(problem.OH, %d))\n"
                   "#pragma tune reference(original) block(8, 4) grid(ceil_div(problem.OW, 8), "
                   "ceil_div(problem.OH, 4))\n"
                   "#pragma tune tolerance(exact)\n",
                   of->size, of->value, of->size, of->size[0], of->size, columns, rows);
    free(original);
    return ht_text_take(&text);
}

static ht_verify_result verify(const char *unit, const char *sizes) {
    ht_error error = {0};
    ht_template *templates;
    size_t count;
    ht_device device;
    ht_problem given;
    ht_verify_result result;
    setenv("HIPTEMPER_WORKER", HT_TEST_WORKER, 1);
    cr_assert_eq(ht_device_find("host", &device, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_template_parse(unit, "window.hip", &templates, &count, &error), HT_OK, "%s\n%s",
                 error.message, unit);
    cr_assert_eq(count, 1);
    cr_assert_eq(ht_problem_parse(&templates->problem, sizes, &given, &error), HT_OK, "%s",
                 error.message);
    const ht_verify_options options = {.seed = 5, .configurations = 2, .compile_workers = 1};
    cr_assert_eq(ht_verify(templates, &given, &device, &options, &result, &error), HT_OK, "%s\n%s",
                 error.message, unit);
    ht_problem_free(&given);
    ht_template_free(templates, count);
    return result;
}

/* Applies `config`, whose blocks have this many columns and rows of outputs. */
static void expect_any_size(const window *like, const char *choices, int columns, int rows) {
    char *problems = problem_file(), *source = source_text(like);
    char *config = ht_format("%s %s=%d", choices, like->size, like->value);
    subject of = subject_open(source, problems, "window");
    cr_expect(is_legal(&of, "window", config), "%s", config);
    char *tuned = apply_config(&of, config), *unit = unit_of(like, tuned, columns, rows);
    const char *const sizes[] = {"W=45 H=33 R=5 S=3", "W=45 H=33 R=3 S=1", "W=45 H=33 R=3 S=2"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        ht_verify_result result = verify(unit, sizes[i]);
        cr_expect_eq(result.outcome, HT_VERIFY_AGREES, "%s, %s: %s\n%s", config, sizes[i],
                     result.reason, tuned);
        cr_expect(result.checked);
        ht_verify_result_free(&result);
    }
    free(unit);
    free(tuned);
    subject_close(&of);
    free(config);
    free(source);
    free(problems);
}

Test(any_size, a_tile_that_is_as_large_as_a_window_is_for_that_window) {
    expect_any_size(&wide_as_given, "TILED=true STAGE_IN=true", 8, 4);
    expect_any_size(&wide_as_given,
                    "TILED=true STAGE_IN=true PAD_IN=1 VECTOR_IN=4 COARSEN_X=4 COARSEN_Y=2", 32, 8);
}

Test(any_size, a_tile_that_is_as_large_as_steps_is_for_those_steps) {
    expect_any_size(&apart_as_given, "TILED=true STAGE_IN=true COARSEN_X=2 COARSEN_X_STRIDED=true",
                    16, 4);
}

Test(any_size, a_way_inside_is_for_the_steps_that_it_was_found_for) {
    expect_any_size(&apart_as_given, "TILED=true EDGE_APART=true INNER_PATH=true COARSEN_X=2", 16,
                    4);
    expect_any_size(&apart_as_given,
                    "TILED=true EDGE_APART=true INNER_PATH=true STAGE_IN=true COARSEN_Y=2", 8, 8);
}

Test(any_size, what_needs_no_constants_is_in_both_kernels) {
    expect_any_size(&wide_as_given, "TILED=true COARSEN_X=4 COARSEN_Y=2", 32, 8);
}
