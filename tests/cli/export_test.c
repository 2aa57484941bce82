/* hiptemper export, as a user runs it. */
#include "program.h"

#include "base/file.h"
#include "base/memory.h"
#include "search/recording.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(export_command, .init = workplace_make, .fini = workplace_remove);

static const char template_text[] =
    "#pragma tune unit\n#pragma tune kernel(ns::saxpy)\n#pragma tune problem(vector : n)\n"
    "#pragma tune param(BLOCK : 64, 128, 256 = 64)\n#pragma tune require(problem.n % 4 == 0)\n"
    "#pragma tune block(BLOCK) grid(ceil_div(n, BLOCK))\n#pragma tune arg(n : int = problem.n)\n"
    "#pragma tune arg(a : float = 2.0)\n"
    "#pragma tune arg(x : in float[problem.n]) arg(y : inout float[problem.n])\n"
    "namespace ns {\ntemplate <int BLOCK> __global__ void saxpy(int n, float a, const float *x, "
    "float *y) {\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n    if (i < n)\n        y[i] = a * x[i] + "
    "y[i];\n}\n}\n";

/* A program that launches by the exported header, and says what comes of it. */
static const char program_text[] =
    "#include \"out/ns__saxpy.dispatch.hpp\"\n#include <cstdio>\n#include <vector>\n"
    "static int run(int n, bool null) {\n"
    "    float *x, *y;\n    std::vector<float> h(4096);\n"
    "    hipMalloc(&x, 4096 * sizeof(float));\n    hipMalloc(&y, 4096 * sizeof(float));\n"
    "    for (int i = 0; i < 4096; ++i)\n        h[i] = i;\n"
    "    hipMemcpy(x, h.data(), 4096 * sizeof(float), hipMemcpyHostToDevice);\n"
    "    hipMemcpy(y, h.data(), 4096 * sizeof(float), hipMemcpyHostToDevice);\n"
    "    ns__saxpy_dispatch::problem_fields problem;\n    problem.n = n;\n"
    "    int error = ns__saxpy_dispatch::launch(null ? nullptr : x, y, problem, 3.0f);\n"
    "    hipMemcpy(h.data(), y, 4096 * sizeof(float), hipMemcpyDeviceToHost);\n"
    "    int changed = 0;\n    for (int i = 1; i < 4096; ++i)\n"
    "        changed += h[i] == 4 * i;\n"
    "    return printf(\"%d %s: %d changed\\n\", n, error == hipSuccess ? \"ok\" : error == "
    "hipErrorInvalidValue ? \"invalid\" : \"odd\", changed);\n}\n"
    "int main() { run(1000, false); run(4096, false); run(12, false); run(13, false); "
    "run(0, false); run(-4, false); run(1000, true); }\n";

static void runs(const char *words, int code, const char *fragment) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, code, "%s: exit code %d\n%s%s", words, result.code, result.out,
                 result.err);
    cr_assert(strstr(result.out, fragment) || strstr(result.err, fragment), "%s:\n%s%s", words,
              result.out, result.err);
    program_free(&result);
}

static void tune(const char *problem) {
    char *words =
        ht_format("tune saxpy.hip --problem %s --max-evals 3 --final-time 0.1 --check none "
                  "--db t.db",
                  problem);
    runs(words, 0, "saxpy");
    free(words);
}

static void recording_holds(const char *name, size_t records) {
    char *path = ht_path_join(workplace(), name);
    ht_recording *recording = NULL;
    ht_error error;
    cr_assert_eq(ht_recording_read(path, HT_RECORDING_GUESS, &recording, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(recording->record_count, records, "%s: %zu", name, recording->record_count);
    cr_assert_str_eq(recording->kernel, "ns::saxpy");
    ht_recording_free(recording);
    free(path);
}

Test(export_command, what_was_tuned_is_launched_by_a_program_and_read_by_others) {
    workplace_write("saxpy.hip", template_text);
    workplace_write("main.hip", program_text);
    tune("n=1000");
    tune("n=4096");
    runs("export t.db --template saxpy.hip --out out", 0, "out/ns__saxpy.dispatch.hpp");
    for (int i = 1; i <= 2; ++i) {
        recording_holds(i == 1 ? "out/ns__saxpy.1.json" : "out/ns__saxpy.2.json", 3);
        recording_holds(i == 1 ? "out/ns__saxpy.1_T4.json" : "out/ns__saxpy.2_T4.json", 3);
    }
    char *text = workplace_read("out/tuned.perfdb.txt");
    cr_assert_eq(strncmp(text, "n1000=ns::saxpy:", 16), 0, "%s", text);
    cr_assert_eq(count_lines(text), 2);
    free(text);
    program_result result = program_run("emulate main.hip");
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_assert_not_null(strstr(result.out,
                              "1000 ok: 999 changed\n4096 ok: 4095 changed\n12 ok: 11 changed\n"
                              "13 invalid: 0 changed\n0 invalid: 0 changed\n-4 invalid: 0 changed\n"
                              "1000 invalid: 0 changed\n"),
                       "%s", result.out);
    program_free(&result);
}

/* A header of another kernel's results would launch what nobody checked. */
Test(export_command, results_of_another_text_of_the_template_are_refused) {
    workplace_write("saxpy.hip", template_text);
    tune("n=1000");
    tune("n=2000 --device host:wave32"); /* of another device than 'host' */
    char *commented = ht_format("// A comment changes nothing.\n%s", template_text);
    workplace_write("commented.hip", commented);
    runs("export t.db --template commented.hip --out out", 0, "dispatch.hpp");
    char *text = workplace_read("out/tuned.perfdb.txt");
    cr_assert_eq(count_lines(text), 1, "%s", text);
    free(text);
    char *other = strstr(commented, "a * x[i] + ");
    memcpy(other, "a * x[i] - ", 11);
    workplace_write("other.hip", commented);
    runs("export t.db --template other.hip --out out2", 2, "are of another text of the template");
    free(commented);
    runs("export t.db --device amd:gfx90a --out out3", 2, "has no results of device amd:gfx90a");
    runs("export t.db --kernel other --out out3", 2, "and kernel other");
    runs("export nothing.db --out out3", 2, "nothing.db");
    runs("export saxpy.hip --out out3", 2, "saxpy.hip");
}
