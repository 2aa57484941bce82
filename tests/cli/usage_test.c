/* Whole-command tests of usage: help, versions, and every class of bad option and file. */
#include "program.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

TestSuite(usage, .init = workplace_make, .fini = workplace_remove);

static const char *const commands[] = {"optimize", "refactor", "tune"};

Test(usage, help_of_every_command_teaches) {
    static const char *const parts[] = {"Usage: hiptemper ",
                                        "Options:", "Examples:", "Exit codes:", "(default:"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        char *words = ht_format("%s --help", commands[i]);
        program_result result = program_run(words);
        cr_assert_eq(result.code, 0);
        cr_assert_str_empty(result.err);
        for (size_t j = 0; j < sizeof parts / sizeof *parts; ++j)
            cr_assert(strstr(result.out, parts[j]), "%s lacks '%s'", words, parts[j]);
        for (const char *at = result.out; *at; at += strcspn(at, "\n") + 1)
            cr_assert_leq(strcspn(at, "\n"), 100, "a long line: %.120s", at);
        program_free(&result);
        free(words);
    }
}

Test(usage, general_help_names_every_command) {
    program_result result = program_run("--help");
    cr_assert_eq(result.code, 0);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i)
        cr_assert(strstr(result.out, commands[i]));
    program_free(&result);
    result = program_run("--version");
    cr_assert_eq(result.code, 0);
    cr_assert_eq(strncmp(result.out, "hiptemper ", 10), 0);
    program_free(&result);
}

/* Expects one message, on standard error, nothing on standard output, exit code 2. */
static void expect_refusal(const char *words, const char *expected) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, 2, "'%s' gives %d: %s", words, result.code, result.err);
    cr_assert_eq(count_lines(result.err), 1, "'%s': %s", words, result.err);
    cr_assert_eq(strncmp(result.err, "hiptemper: ", 11), 0, "'%s': %s", words, result.err);
    cr_assert(strstr(result.err, expected), "'%s' lacks '%s': %s", words, expected, result.err);
    cr_assert_str_empty(result.out, "'%s' prints: %s", words, result.out);
    program_free(&result);
}

Test(usage, wrong_words_are_refused_with_one_message) {
    workplace_write("k.hip", "__global__ void k(float *p) { p[threadIdx.x] = 1; }\n");
    expect_refusal("", "a command is missing");
    expect_refusal("optimise k.hip", "did you mean 'hiptemper optimize'?");
    expect_refusal("--frobnicate", "unknown option");
    expect_refusal("optimize", "PATH is missing");
    expect_refusal("tune", "TEMPLATE is missing");
    expect_refusal("tune k.hip k.hip", "unexpected 'k.hip'");
    expect_refusal("refactor", "PATH is missing");
    expect_refusal("optimize k.hip --max-eval 3", "did you mean '--max-evals'?");
    expect_refusal("optimize k.hip --max-evals three", "not a whole number");
    expect_refusal("optimize k.hip --max-time -1", "too small");
    expect_refusal("optimize k.hip --seed", "value is missing");
    expect_refusal("optimize k.hip --out=", "value is empty");
    expect_refusal("optimize k.hip --fresh=1", "takes no value");
    expect_refusal("optimize k.hip --strategy magic", "random, exhaustive");
    expect_refusal("optimize k.hip --cache warm", "neither hot nor cold");
    expect_refusal("optimize k.hip --device moon", "moon");
    expect_refusal("tune k.hip --top 0", "the least is 1");
}

Test(usage, wrong_files_are_refused_with_one_message) {
    workplace_write("k.hip", "__global__ void k(float *p) { p[threadIdx.x] = 1; }\n");
    workplace_write("notes.txt", "no kernel here\n");
    workplace_write("broken.json", "{ \"format\": \"hiptemper-problem\", ");
    workplace_write("other.json", "{ \"format\": \"something-else\", \"version\": 1 }");
    workplace_write("empty/readme", "");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        char *words = ht_format("%s missing.hip", commands[i]);
        expect_refusal(words, "missing.hip");
        free(words);
    }
    expect_refusal("optimize empty", "no source file in this folder");
    expect_refusal("optimize k.hip --problem broken.json", "broken.json:");
    expect_refusal("optimize k.hip --problem other.json", "other.json");
    expect_refusal("optimize k.hip --problem missing.json", "missing.json");
    expect_refusal("optimize k.hip --kernel nobody", "no kernel is named 'nobody'");
    expect_refusal("tune k.hip", "no '#pragma tune kernel(...)'");
    expect_refusal("tune empty", "empty");
    expect_refusal("optimize k.hip --out k.hip", "k.hip");
    expect_refusal("optimize k.hip --json no/such/folder/x.json", "no/such/folder");
    expect_refusal("optimize k.hip --db notes.txt", "notes.txt");
}

static const char good_template[] =
    "#pragma tune unit\n#pragma tune kernel(k)\n#pragma tune problem(line : n)\n"
    "#pragma tune param(B : 32, 64 = 64)\n#pragma tune block(B)\n"
    "#pragma tune grid(ceil_div(problem.n, B))\n#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int B> __global__ void k(float *out, int n) {\n"
    "    int i = blockIdx.x * B + threadIdx.x;\n    if (i < n) out[i] = i;\n}\n";

Test(usage, sizes_that_all_have_defaults_need_not_be_given) {
    char *text = ht_text_replaced(good_template, "line : n)", "line : n = 300)");
    workplace_write("t.hip", text);
    program_result result = program_run("check t.hip");
    cr_assert_eq(result.code, 0, "%s", result.err);
    cr_assert(strstr(result.out, "k (defaults)"), "%s", result.out);
    program_free(&result);
    free(text);
}

Test(usage, wrong_problems_of_a_template_are_refused_with_one_message) {
    workplace_write("t.hip", good_template);
    expect_refusal("tune t.hip", "the sizes to tune k for are not known");
    expect_refusal("tune t.hip --problem m=4", "m");
    expect_refusal("tune t.hip --problem n=", "n");
    expect_refusal("tune t.hip --problem n=4,n=5", "n");
    expect_refusal("tune t.hip --problem n=4 --kernel nobody", "there are: k");
    workplace_write("t.problem.json",
                    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"problem\": \"conv2d\", "
                    "\"instances\": [{\"name\": \"a\", \"fields\": {\"N\": 1, \"C\": 1, \"H\": 1, "
                    "\"W\": 1, \"K\": 1, \"R\": 1, \"S\": 1}}]}");
    expect_refusal("tune t.hip", "t.problem.json");
}

Test(usage, malformed_annotations_are_told_with_their_place) {
    static const char *const lines[] = {
        "#pragma tune param(B 32)",
        "#pragma tune param(B :  = 1)",
        "#pragma tune param(B : 1, 1 = 1)",
        "#pragma tune param(B : 1..0 = 1)",
        "#pragma tune require(B +)",
        "#pragma tune require(nobody > 1)",
        "#pragma tune block(B",
        "#pragma tune frobnicate(1)",
        "#pragma tune arg(out : sideways float[4])",
        "#pragma tune tolerance(often)",
        "#pragma tune grid(1, 2, 3, 4)",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        char *text = ht_format("#pragma tune unit\n#pragma tune kernel(k)\n%s\n"
                               "#pragma tune param(C : 1, 2 = 1)\n#pragma tune block(C)\n"
                               "#pragma tune grid(1)\n"
                               "#pragma tune arg(other : out float[4])\n"
                               "template <int C> __global__ void k(float *other) {}\n",
                               lines[i]);
        workplace_write("t.hip", text);
        expect_refusal("tune t.hip --problem n=4", "t.hip:3:");
        free(text);
    }
}

Test(usage, malformed_annotations_are_bad_input_of_every_command) {
    workplace_write("t.hip", "#pragma tune kernel(k\n__global__ void k(float *p) { p[0] = 1; }\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        char *words = ht_format("%s t.hip", commands[i]);
        program_result result = program_run(words);
        cr_assert_eq(result.code, 2, "%s gives %d", words, result.code);
        cr_assert_eq(count_lines(result.err), 1, "%s", result.err);
        cr_assert(strstr(result.err, "hiptemper: t.hip:1:"), "%s", result.err);
        program_free(&result);
        free(words);
    }
}
