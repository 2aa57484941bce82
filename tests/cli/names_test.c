/* Faults of a source are reported in the names of its author, by every command. */
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(names, .init = workplace_make, .fini = workplace_remove, .timeout = 250);
TestSuite(deep_names, .init = workplace_make, .fini = workplace_remove, .timeout = 250);

static const char text[] = "#include <hip/hip_runtime.h>\n"
                           "#pragma tune kernel(twice<float, BLOCK>)\n"
                           "#pragma tune problem(line : n = 1000)\n"
                           "#pragma tune param(BLOCK : 64, 128 = 64)\n"
                           "#pragma tune block(BLOCK) grid(ceil_div(problem.n, BLOCK))\n"
                           "#pragma tune arg(in : in float[problem.n])\n"
                           "#pragma tune arg(out : out float[problem.n])\n"
                           "#pragma tune arg(n : int = problem.n)\n"
                           "// more\n"
                           "__device__ float elsewhere(float);\n"
                           "template <class T, int BLOCK>\n"
                           "__global__ void twice(const T *in, T *out, int n) {\n"
                           "  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                           "  if (i < n)\n"
                           "    out[i] = 2 * in[i];\n"
                           "}\n";

/* Names that are the tool's own. */
static const char *const internal[] = {
    "HT_ENTRY",      "ht_",       "name expression", "__hiprtc",
    "__nv_name_map", "/prelude/", "/hiptemper-job",  "/hiptemper-host",
    "/proc/self/",   "check:",    "_Z9else",         "unit.cpp",
};

typedef struct mistake {
    const char *part, *with; /* in the text */
    const char *said;        /* by the commands that compile */
} mistake;

static const mistake mistakes[] = {
    {"2 * in[i]", "2 * in[i] + missing", "k.hip:15:26: error: use of undeclared identifier"},
    {"2 * in[i]", "nowhere(in[i])", "k.hip:15:14: error: use of undeclared identifier 'nowhere'"},
    {"2 * in[i]", "max(in[i], \"x\")", "k.hip:15:14: error: no matching function for call"},
    {"2 * in[i]", "threadIdx.w", "k.hip:15:24: error: no member named 'w' in '__hip_builtin_"},
    {"2 * in[i]", "elsewhere(in[i])", "'elsewhere(float)' is declared and used, but not defined"},
    {"  int i", "  static_assert(BLOCK != 64, \"no\");\n  int i",
     "k.hip:13:17: error: static assertion failed"},
    {"twice<float, BLOCK>)", "twice<NOPE, BLOCK>)",
     "k.hip:2:21: error: use of undeclared identifier 'NOPE'"},
    {"twice<float, BLOCK>)", "twice<BLOCK, float>)",
     "k.hip:2:21: error: no kernel of this name takes"},
    {"// more", "#pragma tune arg(taps : constant float[3])",
     "k.hip:9:18: error: use of undeclared identifier 'taps'"},
    {"// more", "#pragma tune reference(twice<float, 1, 2> : in, out, n) block(1) grid(1)",
     "k.hip:9:24: error: no kernel of this name takes"},
    {"// more", "#pragma tune baseline(twice<float, NOPE> : in, out, n) block(1) grid(1)",
     "k.hip:9:23: error: use of undeclared identifier 'NOPE'"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes, CHECKED = MISTAKES - 1 };

static void plant(const mistake *mistake) {
    const char *at = strstr(text, mistake->part);
    cr_assert_not_null(at, "%s", mistake->part);
    char *source =
        ht_format("%.*s%s%s", (int)(at - text), text, mistake->with, at + strlen(mistake->part));
    workplace_write("k.hip", source);
    free(source);
}

static void expect_names(const program_result *result, const char *command) {
    for (size_t i = 0; i < sizeof internal / sizeof *internal; ++i) {
        cr_expect_null(strstr(result->out, internal[i]), "%s: %s", command, result->out);
        cr_expect_null(strstr(result->err, internal[i]), "%s: %s", command, result->err);
    }
}

static void expect_said(const char *command, const char *said) {
    program_result result = program_run(command);
    cr_expect(strstr(result.out, said) || strstr(result.err, said), "%s: '%s' is not in:\n%s%s",
              command, said, result.out, result.err);
    expect_names(&result, command);
    program_free(&result);
}

/* It has no use for a baseline. */
Test(names, check_tells_the_authors) {
    for (size_t i = 0; i < CHECKED; ++i) {
        plant(&mistakes[i]);
        expect_said("check k.hip --problem n=1000", mistakes[i].said);
    }
}

Test(names, tune_tells_the_authors_in_json_too) {
    for (size_t i = 0; i < MISTAKES; ++i) {
        plant(&mistakes[i]);
        expect_said("tune k.hip --problem n=1000 --max-evals 2 --json -", mistakes[i].said);
    }
}

/* These read sources through libclang first, whose places have no columns. */
Test(names, optimize_refactor_and_apply_tell_the_authors) {
    static const char *const commands[] = {"optimize k.hip --max-evals 2 --out o", "refactor k.hip",
                                           "apply BLOCK=128 k.hip --kernel twice --out a"};
    for (size_t i = 0; i < MISTAKES; ++i) {
        plant(&mistakes[i]);
        for (size_t j = 0; j < sizeof commands / sizeof *commands; ++j) {
            program_result result = program_run(commands[j]);
            expect_names(&result, commands[j]);
            program_free(&result);
        }
    }
    plant(&mistakes[6]);
    expect_said(commands[0], "k.hip:2: use of undeclared identifier 'NOPE'");
    expect_said(commands[2],
                "k.hip:2: twice has no parameters: use of undeclared identifier 'NOPE'");
    plant(&mistakes[7]);
    expect_said(commands[0], "k.hip:2: no kernel of this name takes these template arguments");
}

/* The place distinguishes two of the same words. */
Test(names, a_rejected_configuration_is_told_with_its_place) {
    plant(&(mistake){"  int i", "  static_assert(BLOCK != 128, \"no\");\n  int i", ""});
    program_result result = program_run("tune k.hip --problem n=1000 --max-evals 2");
    cr_expect_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "compile: k.hip:13:17: error: static assertion failed"), "%s",
              result.out);
    program_free(&result);
}

static void inspect(const char *arch) {
    char *words = ht_format("inspect k.hip --problem n=1000 --arch %s", arch);
    program_result result = program_run(words);
    expect_names(&result, "inspect");
    program_free(&result);
    free(words);
}

/* Either compiler sees half of the mistakes here, all of them in the deep suite. */
Test(names, inspect_tells_the_authors) {
    for (size_t i = 0; i < MISTAKES; ++i) {
        plant(&mistakes[i]);
        inspect(i % 2 ? "sm_90" : "gfx90a");
    }
}

Test(deep_names, inspect_tells_the_authors) {
    for (size_t i = 0; i < MISTAKES; ++i) {
        plant(&mistakes[i]);
        inspect("gfx90a");
        inspect("sm_90");
    }
}
