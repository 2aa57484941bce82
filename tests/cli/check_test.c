/* hiptemper check, and --check of tune, as a user runs them. */
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

TestSuite(check_command, .init = workplace_make, .fini = workplace_remove, .timeout = 250);

/* With BLOCK=32 the last thread reads one element too many, which changes no output. */
static const char template_text[] =
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune unit\n"
    "#pragma tune kernel(twice)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 32, 64 = 64)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
    "#pragma tune arg(in : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "#pragma tune reference(plain : in, out, n) block(64) grid(ceil_div(problem.n, 64))\n"
    "__global__ void plain(const float *in, float *out, int n) {\n"
    "  int i = blockIdx.x * 64 + threadIdx.x;\n"
    "  if (i < n) out[i] = 2 * in[i];\n"
    "}\n"
    "template <int BLOCK> __global__ void twice(const float *in, float *out, int n) {\n"
    "  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "  if (i < n)\n"
    "    out[i] = 2 * in[i] + (BLOCK == 32 && in[i + 1] == 12345);\n"
    "}\n";

static char *text_replace(const char *text, const char *part, const char *with) {
    const char *at = strstr(text, part);
    cr_assert_not_null(at, "%s", part);
    return ht_format("%.*s%s%s", (int)(at - text), text, with, at + strlen(part));
}

static json_t *report_of(const program_result *result) {
    json_error_t error;
    json_t *document = json_loads(result->out, 0, &error);
    cr_assert(document, "%s\n%s", error.text, result->err);
    return document;
}

Test(check_command, a_good_template_and_its_original_are_clean) {
    workplace_write("k.hip", template_text);
    program_result result = program_run("check k.hip --problem n=1000");
    cr_expect_eq(result.code, 0, "%s", result.err);
    cr_expect(strstr(result.out, "ok      the original"), "%s", result.out);
    cr_expect(strstr(result.out, "ok      BLOCK=64"), "%s", result.out);
    cr_expect(strstr(result.out, "2 checked, 0 failed"), "%s", result.out);
    program_free(&result);
}

Test(check_command, a_finding_is_told_with_its_place) {
    workplace_write("k.hip", template_text);
    program_result result = program_run("check k.hip --problem n=1000 --config BLOCK=32 --json -");
    cr_expect_eq(result.code, 1, "%s", result.err);
    json_t *document = report_of(&result);
    cr_expect_str_eq(json_string_value(json_object_get(document, "format")), "hiptemper-check");
    const json_t *one = json_array_get(json_object_get(document, "checks"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(one, "status")), "mismatch");
    const json_t *finding = json_object_get(json_object_get(one, "check"), "finding");
    cr_expect_str_eq(json_string_value(json_object_get(finding, "kind")), "outside");
    cr_expect_str_eq(json_string_value(json_object_get(finding, "array")), "in");
    cr_expect_eq(json_integer_value(json_object_get(finding, "element")), 1000);
    const json_t *place = json_array_get(json_object_get(finding, "places"), 0);
    cr_expect_eq(json_integer_value(json_object_get(place, "line")), 19);
    json_decref(document);
    program_free(&result);
}

Test(check_command, tune_puts_a_finalist_with_a_finding_out) {
    workplace_write("k.hip", template_text);
    program_result result = program_run("tune k.hip --problem n=1000 --json - --max-evals 0");
    json_t *document = report_of(&result);
    const json_t *kernel = json_array_get(json_object_get(document, "kernels"), 0);
    const json_t *finals = json_object_get(kernel, "finals");
    cr_assert_eq(json_array_size(finals), 2, "%s", result.err);
    const json_t *bad = json_array_get(finals, 1);
    cr_expect_eq(json_integer_value(json_object_get(json_object_get(bad, "config"), "BLOCK")), 32);
    cr_expect_str_eq(json_string_value(json_object_get(bad, "status")), "mismatch");
    cr_expect(strstr(json_string_value(json_object_get(bad, "reason")), "outside"), "%s",
              json_string_value(json_object_get(bad, "reason")));
    cr_expect(json_is_null(json_object_get(kernel, "original_finding")));
    json_decref(document);
    program_free(&result);
    result = program_run("tune k.hip --problem n=1000 --check never");
    cr_expect_eq(result.code, 2);
    cr_expect(strstr(result.err, "--check"), "%s", result.err);
    program_free(&result);
}

Test(check_command, wrong_input_is_refused) {
    workplace_write("k.hip", template_text);
    program_result result = program_run("check k.hip --problem n=1000 --config BLOCK=48");
    cr_expect_eq(result.code, 2);
    program_free(&result);
    result = program_run("check missing.hip");
    cr_expect_eq(result.code, 2);
    program_free(&result);
    result = program_run("check k.hip --problem n=1000 --device amd:gfx90a");
    cr_expect_neq(result.code, 0);
    program_free(&result);
}

/* The original compared with itself agrees, whatever it leaves out. */
Test(check_command, elements_that_the_original_never_writes_are_an_error_at_the_arg) {
    char *text = text_replace(template_text, "ceil_div(problem.n, 64)", "problem.n / 64");
    workplace_write("k.hip", text);
    program_result result = program_run("check k.hip --problem n=1000 --config BLOCK=64");
    cr_expect_eq(result.code, 2, "%s", result.out);
    cr_expect(strstr(result.err, "k.hip:9:"), "%s", result.err);
    cr_expect(strstr(result.err, "40 of 1000 elements are never written, the first out[960]"), "%s",
              result.err);
    cr_expect(strstr(result.err, "(plain)"), "%s", result.err);
    program_free(&result);
    char *said = text_replace(text, "out : out float", "out : out partial float");
    workplace_write("k.hip", said);
    result = program_run("check k.hip --problem n=960 --config BLOCK=64");
    cr_expect_eq(result.code, 0, "%s%s", result.out, result.err);
    program_free(&result);
    /* Now the configuration writes elements that the original leaves alone. */
    result = program_run("check k.hip --problem n=1000 --config BLOCK=64");
    cr_expect_eq(result.code, 1, "%s%s", result.out, result.err);
    program_free(&result);
    free(said);
    free(text);
}

/* It takes long: nobody should wonder why. */
Test(check_command, much_memory_is_said_while_one_waits) {
    char *text =
        text_replace(template_text, "in float[problem.n]", "in float[problem.n * 1000000]");
    workplace_write("k.hip", text);
    free(text);
    program_result result = program_interrupt_on_error("check k.hip --problem n=140", "of buffers");
    cr_expect(strstr(result.err, "(1.0 GiB of buffers and their copies)"), "%s", result.err);
    program_free(&result);
}

/* By an error that says so, not by the system's end of the process. */
Test(check_command, buffers_that_no_machine_holds_are_refused_before_anything_runs) {
    char *text =
        text_replace(template_text, "in float[problem.n]", "in float[problem.n * 100000000]");
    workplace_write("k.hip", text);
    free(text);
    static const char *const commands[] = {"check k.hip --problem n=2500",
                                           "tune k.hip --problem n=2500 --max-evals 1"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        program_result result = program_run(commands[i]);
        cr_expect_eq(result.code, 2, "%s%s", result.out, result.err);
        const char *all = strstr(result.err, "k.hip:8") ? result.err : result.out;
        cr_expect(strstr(all, "k.hip:8"), "%s%s", result.out, result.err);
        cr_expect(strstr(all, "the buffers of twice do not fit into memory: with n=2500"), "%s",
                  all);
        cr_expect(strstr(all, "('in' alone 931.3 GiB)"), "%s", all);
        cr_expect(strstr(all, "give smaller sizes"), "%s", all);
        program_free(&result);
    }
}
