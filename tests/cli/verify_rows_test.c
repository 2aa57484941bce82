/* The report of `refactor` on a template that differs from its original. */
#include "pipeline/infer_check.h"
#include "pipeline/refactor_verify.h"
#include "program.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/report.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void begin(void) {
    workplace_make();
    setenv("HIPTEMPER_WORKER", HT_BINARY_DIR "/hiptemper", 1);
}

TestSuite(verify_rows, .init = begin, .fini = workplace_remove);

/* OUTPUTS elements a thread, and no guard but the original's. */
static const char wrong[] =
    "#pragma tune unit\n"
    "#include <hip/hip_runtime.h>\n"
    "__global__ void k__original(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) out[i] = 2 * in[i];\n"
    "}\n"
    "#pragma tune kernel(k<BLOCK, OUTPUTS>)\n"
    "#pragma tune problem(line : N)\n"
    "#pragma tune arg(in : in float[problem.N])\n"
    "#pragma tune arg(out : out float[problem.N])\n"
    "#pragma tune arg(n : int = problem.N)\n"
    "#pragma tune param(BLOCK : 32, 64 = 64)\n"
    "#pragma tune param(OUTPUTS : 1, 2 = 1)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.N, BLOCK * OUTPUTS))\n"
    "#pragma tune reference(k__original)\n"
    "#pragma tune block(64)\n"
    "#pragma tune grid(ceil_div(problem.N, 64))\n"
    "#pragma tune tolerance(exact)\n"
    "template <int BLOCK, int OUTPUTS>\n"
    "__global__ void k(const float *in, float *out, int n) {\n"
    "    int i = (blockIdx.x * BLOCK + threadIdx.x) * OUTPUTS;\n"
    "    if (i < n)\n"
    "        for (int c = 0; c < OUTPUTS; ++c) out[i + c] = 2 * in[i + c];\n"
    "}\n";

static char *in_workplace(const char *name) {
    return ht_path_join(workplace(), name);
}

Test(verify_rows, a_template_that_differs_is_withheld_with_a_report) {
    ht_error error = {0};
    char *template = in_workplace("line.k.template.hip");
    char *launcher = in_workplace("line.k.launch.hpp"), *bug = in_workplace("line.k.bug.hip");
    workplace_write("line.k.template.hip", wrong);
    workplace_write("line.k.launch.hpp", "");
    cr_assert_eq(ht_refactor_template_hold(template, &error), HT_OK);
    json_t *proof =
        json_pack("{s:s, s:s, s:b, s:b, s:[s,s]}", "unit", wrong, "problem", "N=5000",
                  "reassociates", false, "inferred", false, "origins", "block-size", "coarsen-x");
    json_t *rows =
        json_pack("[{s:s, s:s, s:i, s:s, s:s, s:s, s:[s,s], s:o}]", "name", "k", "file", "line.hip",
                  "line", 3, "status", "templated", "template", template, "launcher", launcher,
                  "transformations", "block-size", "coarsen-x", "proof", proof);
    const ht_refactor_verifying how = {.configurations = 4, .seed = 3, .jobs = 1};
    int code = 0;
    cr_assert_eq(ht_refactor_verify(rows, &how, &code, &error), HT_OK, "%s", error.message);
    cr_assert_eq(code, HT_EXIT_FAILED);
    json_t *row = json_array_get(rows, 0);
    const char *reason = json_string_value(json_object_get(row, "reason"));
    cr_assert_str_eq(json_string_value(json_object_get(row, "status")), "withheld");
    cr_assert(strstr(reason, "(coarsen-x; BLOCK=64 OUTPUTS=2)"), "%s", reason);
    cr_assert(json_is_null(json_object_get(row, "template")));
    cr_assert_eq(json_array_size(json_object_get(row, "transformations")), 0);
    cr_assert_not(ht_file_exists(template));
    cr_assert_not(ht_file_exists(launcher));
    cr_assert_str_eq(json_string_value(json_object_get(row, "bug_report")), bug);

    /* and the report shows it again */
    char *text = workplace_read("line.k.bug.hip");
    cr_assert(strstr(text, "// transformations: coarsen-x\n"), "%s", text);
    char *words = strstr(text, "hiptemper check ") + strlen("hiptemper ");
    words[strcspn(words, "\n")] = 0;
    char *kept = ht_format("%s", words);
    bool quoted = false; /* runs are split at blanks */
    for (char *at = kept; *at; ++at) {
        quoted ^= *at == '\'';
        *at = *at == '\'' ? ' ' : quoted && *at == ' ' ? ',' : *at;
    }
    program_result result = program_run(kept);
    cr_assert_eq(result.code, HT_EXIT_FAILED, "%s: %s%s", kept, result.out, result.err);
    cr_assert(strstr(result.out, "FAILED"), "%s", result.out);
    program_free(&result);
    free(kept);
    free(text);
    json_decref(rows);
    free(bug);
    free(launcher);
    free(template);
}

/* It is not run: a line of 2^26 floats takes 512 MiB with its copy, and two of them are too much.
 */
Test(verify_rows, an_inferred_problem_that_takes_too_much_memory_does_not_hold) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_problem problem = {0};
    ht_error error = {0};
    char *reason = NULL;
    cr_assert_eq(ht_template_parse(wrong, "line.hip", &templates, &count, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_problem_parse(&templates[0].problem, "N=67108864", &problem, &error), HT_OK);
    cr_assert_eq(ht_inferred_check(&templates[0], &problem, &reason, &error), HT_OK, "%s",
                 error.message);
    cr_assert_str_eq(reason, "its buffers and their copies take more than 512 MiB; give smaller "
                             "sizes");
    free(reason);
    ht_problem_free(&problem);
    ht_template_free(templates, count);
}
