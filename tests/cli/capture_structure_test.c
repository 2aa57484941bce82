/* Structures in what `hiptemper emulate --capture` writes. */
#include "capture_support.h"
#include "program.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdbool.h>
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

/* A structure with numbers, a nested one, arrays and a pointer; one that is a pointer alone; an
 * empty one. Launches differ in a field. */
static const char clip[] =
    HEAD "struct range { float lo, hi; };\n"
         "struct params { char odd; int n; range of; float few[2], taps[12]; const int *in;\n"
         "                double scale; };\n"
         "struct plus { __device__ float operator()(float a, float b) const { return a + b; } };\n"
         "struct target { float *out; };\n"
         "__global__ void clip(target to, params p, plus op, float4 by, float gain) {\n"
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    if (i >= p.n) return;\n"
         "    float sum = p.taps[p.in[i]] + p.few[1] + p.odd;\n"
         "    to.out[i] = op(fminf(fmaxf(sum, p.of.lo), p.of.hi), by.w) * p.scale * gain;\n"
         "}\n"
         "int main(int argc, char **argv) {\n"
         "    int list[1000], *in;\n"
         "    params p = {};\n"
         "    target to;\n"
         "    for (int i = 0; i < 1000; ++i) list[i] = i % 12;\n"
         "    hipMalloc(&in, sizeof list);\n"
         "    hipMalloc(&to.out, 1000 * sizeof(float));\n"
         "    hipMemcpy(in, list, sizeof list, hipMemcpyHostToDevice);\n"
         "    p.odd = -7; p.of.lo = -0.25f * argc; p.of.hi = 40; p.few[1] = 3.5f; p.in = in;\n"
         "    for (int i = 0; i < 12; ++i) p.taps[i] = 0.5f * i;\n"
         "    p.scale = 2.5;\n"
         "    for (int pass = 0; pass < 4; ++pass) {\n"
         "        p.n = 700 + 100 * (pass % 2);\n"
         "        clip<<<(p.n + 63) / 64, 64>>>(to, p, plus(), make_float4(1, 2, 3, 0.125f),\n"
         "                                      1.5f);\n"
         "    }\n"
         "    return hipDeviceSynchronize();\n"
         "}\n";

static void expect_lines(const json_t *entry, const char *const *lines) {
    const json_t *args = json_object_get(entry, "args");
    char *all = json_dumps(args, 0);
    for (; *lines; ++lines) {
        size_t index;
        json_t *item;
        bool found = false;
        json_array_foreach(args, index, item) found =
            found || strncmp(json_string_value(item), *lines, strlen(*lines)) == 0;
        cr_expect(found, "%s is not in %s", *lines, all);
    }
    free(all);
}

Test(capture_structure, structures_by_value_are_captured_field_by_field) {
    static const char *const lines[] = {"to : struct target",
                                        "to.out : inout float[1000]",
                                        "p : struct params",
                                        "p.odd : char = ",
                                        "p.of.lo : float = -0.25",
                                        "p.of.hi : float = 40.0",
                                        "p.few[0] : float = 0",
                                        "p.few[1] : float = 3.5",
                                        "p.taps : in float[12] file(\"p.taps.",
                                        "p.in : in int[",
                                        "p.scale : double = 2.5",
                                        "op : struct plus",
                                        "by : struct float4",
                                        "by.w : float = 0.125",
                                        "gain : float = 1.5",
                                        NULL};
    workplace_write("clip.hip", clip);
    json_t *problems, *seen;
    const json_t *of = capture_run("emulate --capture seen --inputs 1 clip.hip", "clip", &problems);
    expect_lines(of, lines);
    cr_expect_eq(json_array_size(json_object_get(of, "instances")), 2); /* of 700 and 800 */
    json_decref(problems);
    capture_expect("clip.hip", "templated");
    seen = capture_read("seen/capture.json");
    of = capture_kernel(seen, "clip");
    const json_t *launches = json_object_get(of, "seen");
    cr_expect_eq(json_array_size(launches), 2); /* each of them twice */
    const json_t *params =
        json_array_get(json_object_get(json_array_get(launches, 0), "arguments"), 1);
    const json_t *pointer = json_array_get(json_object_get(params, "pointers"), 0);
    cr_expect_eq(json_integer_value(json_object_get(pointer, "place")), 72);
    cr_expect_eq(json_integer_value(json_object_get(pointer, "bytes")), 4000);
    json_decref(seen);
}
