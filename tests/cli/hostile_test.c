/* Sources that attack whoever tunes them, through the commands: nothing happens, the report says
 * what was tried, in which kernel of which file, and the kernels next to it are served. */
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(hostile, .init = workplace_make, .fini = workplace_remove, .timeout = 300);

static const char TWO[] = "#include <hip/hip_runtime.h>\n"
                          "extern \"C\" __device__ int system(const char *);\n"
                          "__global__ void attacks(const float *in, float *out, int n) {\n"
                          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i == 0) system(\"touch %s/taken\");\n"
                          "    if (i < n) out[i] = in[i] * 2.0f;\n"
                          "}\n"
                          "__global__ void honest(const float *in, float *out, int n) {\n"
                          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i < n) out[i] = in[i] * 3.0f;\n"
                          "}\n"
                          "void run(const float *in, float *out, int n) {\n"
                          "    attacks<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                          "    honest<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                          "}\n";

/* It acts when its image is loaded, before any kernel runs. */
static const char EARLY[] = "#include <hip/hip_runtime.h>\n"
                            "#pragma tune kernel(early)\n"
                            "#pragma tune problem(line : n)\n"
                            "#pragma tune param(BLOCK : 32, 64 = 32)\n"
                            "#pragma tune block(BLOCK)\n"
                            "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
                            "#pragma tune arg(out : out int[problem.n])\n"
                            "#pragma tune arg(n : int = problem.n)\n"
                            "extern \"C\" int creat(const char *, unsigned);\n"
                            "%s\n"
                            "template <int BLOCK> __global__ void early(int *out, int n) {\n"
                            "    const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                            "    if (i < n) out[i] = 3 * i;\n"
                            "    if (n < 0) out[0] = FIRST;\n"
                            "}\n";

static void write_two(void) {
    char *text = ht_format(TWO, workplace());
    workplace_write("two.hip", text);
    free(text);
}

static void expect_words(const program_result *result, int code, const char *words) {
    cr_expect_eq(result->code, code, "exit code %d:\n%s%s", result->code, result->out, result->err);
    cr_expect(strstr(result->out, words) || strstr(result->err, words), "no '%s' in:\n%s%s", words,
              result->out, result->err);
}

static void expect_nothing_taken(void) {
    char *path = ht_format("%s/taken", workplace());
    cr_expect_lt(access(path, F_OK), 0, "a kernel has written %s", path);
    free(path);
}

Test(hostile, refactor_runs_no_commands_and_says_who_tried) {
    write_two();
    program_result result = program_run("refactor two.hip --kernel attacks");
    expect_words(&result, 1,
                 "two.hip:3:17: remark: attacks: its template cannot be verified (--no-verify "
                 "hands it out all the same): running the original: crash: sandbox: tried to start "
                 "a process (clone)");
    expect_nothing_taken();
    program_free(&result);
}

Test(hostile, optimize_tunes_the_kernel_next_to_one_that_attacks) {
    write_two();
    program_result result = program_run("optimize two.hip --max-evals 1 --ablation 0 --check none");
    expect_words(&result, 1, "running the original: crash: sandbox: tried to start a process");
    cr_expect(strstr(result.out, "1 improved, 1 failed") || strstr(result.out, "1 kept, 1 failed"),
              "%s", result.out);
    expect_nothing_taken();
    program_free(&result);
}

/* A path that is longer than messages have room for is reported with its end, too. */
static void expect_early(const char *words, const char *initialiser) {
    enum { DEPTH = 800 };
    char folder[2 * DEPTH + 1];
    for (size_t i = 0; i < DEPTH; ++i)
        memcpy(folder + 2 * i, "/.", 3);
    char *place = ht_format("%s%s", workplace(), folder);
    char *line = ht_format(initialiser, place), *text = ht_format(EARLY, line);
    workplace_write("early.hip", text);
    program_result result = program_run(words);
    expect_words(&result, 1, "crash: sandbox: tried to open a file for writing (");
    expect_words(&result, 1, "early.hip:2");
    expect_words(&result, 1, "/taken')");
    expect_nothing_taken();
    program_free(&result);
    free(text);
    free(line);
    free(place);
}

Test(hostile, code_that_runs_when_it_is_loaded_is_confined_too) {
    expect_early("check early.hip --problem n=100",
                 "static int first = creat(\"%s/taken\", 0600);\n#define FIRST first");
    expect_early("tune early.hip --problem n=100 --max-evals 2",
                 "__attribute__((constructor)) static int first() "
                 "{ return creat(\"%s/taken\", 0600); }\n#define FIRST first()");
}

/* The control of the above: it is the sandbox that stops them. */
Test(hostile, the_choice_off_confines_nothing) {
    char *line = ht_format("static int first = creat(\"%s/taken\", 0600);\n#define FIRST first",
                           workplace());
    char *text = ht_format(EARLY, line), *path = ht_format("%s/taken", workplace());
    workplace_write("early.hip", text);
    program_result result = program_run("check early.hip --problem n=100 --sandbox off");
    cr_expect_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_expect_eq(access(path, F_OK), 0);
    program_free(&result);
    result = program_run("check early.hip --problem n=100 --sandbox maybe");
    expect_words(&result, 2, "option --sandbox: 'maybe' is not on, off or auto");
    program_free(&result);
    free(path);
    free(text);
    free(line);
}
