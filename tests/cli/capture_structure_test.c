/* Structures in what `hiptemper emulate --capture` writes. */
#include "capture_support.h"
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(capture_structure, .init = workplace_make, .fini = workplace_remove);

#define HEAD "#include <hip/hip_runtime.h>\n"
/* Pieces with numbers of several types, of which two lead into other buffers. */
#define PIECES                                                                                     \
    HEAD "%s struct piece { unsigned first; short length; %s scale; };\n"                          \
         "%s __global__ void sums(const piece%s *pieces, const float *values, float *sums,\n"      \
         "                        int count) {\n"                                                  \
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                    \
         "    if (i >= count) return;\n"                                                           \
         "    float sum = 0;\n"                                                                    \
         "    for (int k = 0; k < pieces[i].length; ++k) sum += values[pieces[i].first + k];\n"    \
         "    sums[i] = sum * pieces[i].scale;\n"                                                  \
         "}\n"                                                                                     \
         "int main() {\n"                                                                          \
         "    enum { N = 300 };\n"                                                                 \
         "    static piece%s list[N];\n"                                                           \
         "    piece%s *pieces;\n"                                                                  \
         "    float *values, *out;\n"                                                              \
         "    int total = 0;\n"                                                                    \
         "    for (int i = 0; i < N; ++i) {\n"                                                     \
         "        list[i].first = total;\n"                                                        \
         "        list[i].scale = 0.5 * i;\n"                                                      \
         "        total += list[i].length = i == 7 ? 900 : 1 + i %% 3;\n"                          \
         "    }\n"                                                                                 \
         "    hipMalloc(&pieces, sizeof list);\n"                                                  \
         "    hipMalloc(&values, total * sizeof(float));\n"                                        \
         "    hipMalloc(&out, N * sizeof(float));\n"                                               \
         "    hipMemset(values, 0, total * sizeof(float));\n"                                      \
         "    hipMemcpy(pieces, list, sizeof list, hipMemcpyHostToDevice);\n"                      \
         "    sums<<<(N + 31) / 32, 32>>>(pieces, values, out, N);\n"                              \
         "    return hipDeviceSynchronize();\n"                                                    \
         "}\n"

static char *pieces(bool template) {
    return template ? ht_format(PIECES, "template <class T>", "T", "template <class T>", "<T>",
                                "<double>", "<double>")
                    : ht_format(PIECES, "", "double", "", "", "", "");
}

/* No random bytes would be such structures: their contents are those of the run, or the problem is
 * not known. */
Test(capture_structure, elements_that_are_structures_are_kept_as_their_bytes) {
    for (int template = 0; template <= 1; ++template) {
        char *text = pieces(template);
        json_t *problems;
        workplace_write("pieces.hip", text);
        const json_t *of =
            capture_run("emulate --capture seen --inputs 1 pieces.hip", "sums", &problems);
        const char *first = capture_argument(of, 0);
        cr_expect_eq(strncmp(first, "pieces : in unsigned char[", 26), 0, "%s", first);
        cr_expect(strstr(first, "] file(\"pieces."), "%s", first);
        json_decref(problems);
        capture_expect("pieces.hip", "templated");
        free(text);
    }
}

Test(capture_structure, without_their_contents_structures_are_no_problem) {
    char *text = pieces(false);
    workplace_write("pieces.hip", text);
    program_result result = program_run("emulate --capture seen pieces.hip");
    cr_assert_eq(result.code, 0, "%s", result.err);
    json_t *seen = capture_read("seen/capture.json");
    const json_t *row = capture_kernel(seen, "sums");
    const char *gap = json_string_value(json_object_get(row, "gap"));
    cr_assert_not_null(gap);
    cr_expect(strstr(gap, "'pieces'") && strstr(gap, "--inputs"), "%s", gap);
    json_decref(seen);
    program_free(&result);
    free(text);
}
