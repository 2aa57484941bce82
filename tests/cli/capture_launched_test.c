/* Facts that a launch shows and its source does not: types, and bytes of dynamic LDS. */
#include "capture_support.h"
#include "program.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(capture_launched, .init = workplace_make, .fini = workplace_remove);

/* The launch names parameters of the host's own templates, of which one calls the other. */
Test(capture_launched, a_templates_types_are_those_that_were_launched) {
    workplace_write("scale.hip",
                    "#include <hip/hip_runtime.h>\n"
                    "template <class T, class S, class I>\n"
                    "__global__ void scale(const T *in, const I *by, T *out, int n) {\n"
                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "    S sum = 0;\n"
                    "    for (int k = 0; k < 3; ++k) sum += by[k];\n"
                    "    if (i < n) out[i] = in[i] * sum;\n"
                    "}\n"
                    "template <class U, class J> void run(const J *list, int n) {\n"
                    "    U *in, *out;\n"
                    "    J *by;\n"
                    "    hipMalloc(&in, n * sizeof(U));\n"
                    "    hipMalloc(&out, n * sizeof(U));\n"
                    "    hipMalloc(&by, 3 * sizeof(J));\n"
                    "    hipMemset(in, 0, n * sizeof(U));\n"
                    "    hipMemcpy(by, list, 3 * sizeof(J), hipMemcpyHostToDevice);\n"
                    "    scale<U, U, J><<<(n + 63) / 64, 64>>>(in, by, out, n);\n"
                    "}\n"
                    "template <class V, class K> void drive(int n) {\n"
                    "    const K list[3] = {5, 7, 9};\n"
                    "    run<V, K>(list, n);\n"
                    "}\n"
                    "int main() {\n"
                    "    drive<float, int>(700);\n"
                    "    return hipDeviceSynchronize();\n"
                    "}\n");
    json_t *problems;
    const json_t *scale = capture_run("emulate --capture seen scale.hip", "scale", &problems);
    static const char *const types[] = {"float", "float", "int"};
    for (size_t i = 0; i < 3; ++i)
        cr_expect_str_eq(json_string_value(json_array_get(json_object_get(scale, "template"), i)),
                         types[i]);
    cr_expect_str_eq(capture_argument(scale, 1), "by : in int[3] integers(5, 9)");
    json_decref(problems);
    capture_expect("scale.hip", "templated");
}

/* The bytes come from a number that neither an argument nor a constant is. */
Test(capture_launched, bytes_of_dynamic_lds_are_those_that_were_seen) {
    workplace_write("turn.hip", "#include <hip/hip_runtime.h>\n"
                                "__global__ void turn(const float *in, float *out) {\n"
                                "    extern __shared__ float tile[];\n"
                                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "    float sum = 0;\n"
                                "    tile[threadIdx.x] = in[i];\n"
                                "    __syncthreads();\n"
                                "    for (int k = 0; k < 16; ++k) sum += tile[k];\n"
                                "    out[i] = sum + tile[blockDim.x - 1 - threadIdx.x];\n"
                                "}\n"
                                "struct sizes { int threads, bytes; };\n"
                                "sizes ask(int n) { return {n, 4 * n}; }\n"
                                "int main(int argc, char **argv) {\n"
                                "    const sizes of = ask(31 + argc);\n"
                                "    float *in, *out;\n"
                                "    hipMalloc(&in, 320 * sizeof(float));\n"
                                "    hipMalloc(&out, 320 * sizeof(float));\n"
                                "    hipMemset(in, 0, 320 * sizeof(float));\n"
                                "    turn<<<320 / of.threads, of.threads, of.bytes>>>(in, out);\n"
                                "    return hipDeviceSynchronize();\n"
                                "}\n");
    json_t *problems;
    const json_t *turn = capture_run("emulate --capture seen turn.hip", "turn", &problems);
    cr_expect_eq(json_integer_value(json_object_get(turn, "lds")), 128);
    json_decref(problems);
    capture_expect("turn.hip", "templated");
    /* The launch of the tuned file is not followed either: it is the original's, letter by letter.
     */
    program_result result =
        program_run("apply UNROLL_K=4 turn.hip --problem seen/problem.json --out tuned");
    cr_expect_eq(result.code, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "1 launch of the file run next to the original's"), "%s",
              result.out);
    program_free(&result);
}
