/* A template that cannot begin where it says, or in which nothing is legal, is refused by every
 * command that reads it. */
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(defaults, .init = workplace_make, .fini = workplace_remove, .timeout = 250);

static const char sizes[] = "{\"format\": \"hiptemper-problem\", \"version\": 1,\n"
                            " \"problem\": \"line : n\",\n"
                            " \"instances\": [{\"name\": \"one\", \"fields\": {\"n\": 1000}}]}\n";

/* Line 5 is the constraint, line 6 the launch. */
static void template_write(const char *constraint, const char *launch) {
    char *text = ht_format("#include <hip/hip_runtime.h>\n"
                           "#pragma tune kernel(twice)\n"
                           "#pragma tune problem(line : n)\n"
                           "#pragma tune param(BLOCK : 32, 64 = 64)\n"
                           "#pragma tune require(%s)\n"
                           "#pragma tune %s grid(ceil_div(problem.n, BLOCK))\n"
                           "#pragma tune arg(in : in float[problem.n])\n"
                           "#pragma tune arg(out : out float[problem.n])\n"
                           "#pragma tune arg(n : int = problem.n)\n"
                           "template <int BLOCK>\n"
                           "__global__ void twice(const float *in, float *out, int n) {\n"
                           "  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                           "  if (i < n)\n"
                           "    out[i] = 2 * in[i];\n"
                           "}\n",
                           constraint, launch);
    workplace_write("k.hip", text);
    free(text);
}

static const char *const commands[] = {
    "check k.hip",
    "check k.hip --config BLOCK=32",
    "tune k.hip --max-evals 2",
    "space k.hip --count",
    "inspect k.hip --arch gfx90a",
    "inspect k.hip --arch gfx90a --config BLOCK=32",
    "optimize k.hip --max-evals 2",
    "refactor k.hip",
    "apply BLOCK=32 k.hip",
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void expect_refused(const char *command, const char *place, const char *said) {
    program_result result = program_run(command);
    cr_expect_eq(result.code, 2, "%s: exit code %d\n%s%s", command, result.code, result.out,
                 result.err);
    const char *text = strstr(result.err, place) ? result.err : result.out;
    cr_expect(strstr(text, place), "%s: '%s' is not in:\n%s%s", command, place, result.out,
              result.err);
    cr_expect(strstr(text, said), "%s: '%s' is not in:\n%s%s", command, said, result.out,
              result.err);
    program_free(&result);
}

static void expect_all_refused(const char *place, const char *said) {
    for (size_t i = 0; i < COMMANDS; ++i)
        expect_refused(commands[i], place, said);
}

Test(defaults, that_break_a_constraint_are_refused_by_every_command) {
    template_write("BLOCK < 64", "block(BLOCK)");
    workplace_write("k.problem.json", sizes);
    expect_all_refused("k.hip:5", "the defaults of twice (BLOCK=64) are not legal: require(BLOCK < "
                                  "64) does not hold; change a default, or what forbids it");
}

Test(defaults, that_break_a_constraint_without_sizes_need_none_to_be_refused) {
    template_write("BLOCK < 64", "block(BLOCK)");
    expect_refused("optimize k.hip", "k.hip:5:", "are not legal");
    expect_refused("refactor k.hip", "k.hip:5:", "are not legal");
    expect_refused("apply BLOCK=32 k.hip", "k.hip:5:", "are not legal");
}

Test(defaults, constraints_that_hang_on_sizes_are_not_judged_without_them) {
    template_write("problem.n >= BLOCK && device.max_threads >= BLOCK", "block(BLOCK)");
    program_result result = program_run("apply BLOCK=32 k.hip");
    cr_expect_eq(result.code, 0, "%s", result.err);
    program_free(&result);
}

Test(defaults, that_do_not_fit_the_device_are_refused_by_every_command) {
    template_write("BLOCK <= 64", "block(BLOCK * 32)");
    workplace_write("k.problem.json", sizes);
    expect_all_refused("k.hip:", "the limit is 1024; change a default, or what forbids it");
}

Test(defaults, an_empty_space_is_refused_by_every_command) {
    template_write("BLOCK > 64", "block(BLOCK)");
    workplace_write("k.problem.json", sizes);
    expect_all_refused("k.hip:5", "require(BLOCK > 64)");
}

/* Of sizes, not of the template: `optimize` goes on with other kernels. */
Test(defaults, a_space_that_is_empty_for_a_size_is_refused_by_every_command) {
    template_write("problem.n < 100", "block(BLOCK)");
    workplace_write("k.problem.json", sizes);
    expect_all_refused("k.hip:5", "; ");
}

/* ---- T1 files */

static void t1_write(const char *given, const char *condition) {
    char *text = ht_format("{\"ConfigurationSpace\": {\"TuningParameters\": [\n"
                           "{\"Name\": \"a\", \"Values\": [1, 2, 4], \"Default\": %s},\n"
                           "{\"Name\": \"b\", \"Values\": \"[1, 2]\"}],\n"
                           "\"Conditions\": [{\"Expression\": \"%s\"}]}}\n",
                           given, condition);
    workplace_write("t1.json", text);
    free(text);
    workplace_write("run.json", "{\"device_name\": \"x\", \"kernel_name\": \"k\",\n"
                                " \"tune_params_keys\": [\"a\", \"b\"],\n"
                                " \"tune_params\": {\"a\": [1, 2, 4], \"b\": [1, 2]},\n"
                                " \"cache\": {\"2,1\": {\"a\": 2, \"b\": 1, \"time\": 1.5}}}\n");
}

static const char *const t1_commands[] = {
    "space t1.json",
    "space t1.json --list",
    "replay --space t1.json --cache run.json --partial",
    "convert --space t1.json run.json out_T4.json",
};
enum { T1_COMMANDS = sizeof t1_commands / sizeof *t1_commands };

Test(defaults, of_a_t1_file_that_are_not_values_are_refused_by_every_command) {
    static const char *const given[] = {"3", "\"2\"", "2.5", "[2]"};
    for (size_t g = 0; g < sizeof given / sizeof *given; ++g) {
        t1_write(given[g], "a > b");
        for (size_t i = 0; i < T1_COMMANDS; ++i)
            expect_refused(t1_commands[i], "ConfigurationSpace.TuningParameters[0].Default: ",
                           g < 3 ? "is not one of the values" : "expected a number");
    }
}

Test(defaults, an_empty_space_of_a_t1_file_is_refused_by_every_command) {
    t1_write("2", "a < b and b < 2");
    for (size_t i = 0; i < T1_COMMANDS; ++i)
        expect_refused(t1_commands[i], "t1.json: no configuration of the space is legal",
                       "a < b and b < 2");
}

/* Nothing begins with them, and published files have such. */
Test(defaults, of_a_t1_file_that_break_a_condition_are_reported) {
    t1_write("1", "a > b");
    program_result result = program_run("space t1.json");
    cr_expect_eq(result.code, 0, "%s", result.err);
    cr_expect(strstr(result.out, "not legal: \"a > b\" does not hold"), "%s", result.out);
    program_free(&result);
    for (size_t i = 1; i < T1_COMMANDS; ++i) {
        result = program_run(t1_commands[i]);
        cr_expect_eq(result.code, 0, "%s: %s", t1_commands[i], result.err);
        program_free(&result);
    }
    t1_write("2.0", "a > b");
    result = program_run("space t1.json");
    cr_expect_eq(result.code, 0, "%s", result.err);
    cr_expect_null(strstr(result.out, "not legal"), "%s", result.out);
    program_free(&result);
}
