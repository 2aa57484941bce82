/* Kernels that must be left alone, and the words of the refusal. */
#include "support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "#include <hip/hip_runtime.h>\n"

static const char problem_format[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"p : N\","
    "\"args\": [\"in : in float[problem.N]\", \"out : out float[problem.N]\", \"n : int = "
    "problem.N\"],"
    "\"instances\": [{\"name\": \"a\", \"fields\": {\"N\": 1000}}]}]}";

typedef struct refusal {
    const char *what;
    const char *source;
    ht_kernel_status status;
    const char *words; /* in the reason or in a MISSED remark */
    int line;
} refusal;

/* Every one of these has (const float *in, float *out, int n) and the name k. */
static const refusal cases[] = {
    {"a shuffle pins the block",
     HEAD "__global__ void k(const float *in, float *out, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < n)\n    out[i] = __shfl_down(in[i], 1);\n}\n"
          "void f(const float *a, float *b, int n) { k<<<(n + 31) / 32, 32>>>(a, b, n); }\n",
     HT_KERNEL_REFUSED, "wavefront", 5},
    {"one output a block",
     HEAD "__global__ void k(const float *in, float *out, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < n && threadIdx.x == 0) out[blockIdx.x] = in[i];\n}\n"
          "void f(const float *a, float *b, int n) { k<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     HT_KERNEL_TEMPLATED, "no axis", 2},
    {"a shared tile of literals",
     HEAD "__global__ void k(const float *in, float *out, int n) {\n"
          "  __shared__ float t[256];\n  int i = blockIdx.x * 256 + threadIdx.x;\n"
          "  t[threadIdx.x] = in[i];\n  __syncthreads();\n  out[i] = t[255 - threadIdx.x];\n}\n"
          "void f(const float *a, float *b, int n) { k<<<n / 256, 256>>>(a, b, n); }\n",
     HT_KERNEL_TEMPLATED, "no named constant", 9},
    {"a literal that may be the tile's in disguise",
     HEAD "#define B 16\n__global__ void k(const float *in, float *out, int n) {\n"
          "  __shared__ float t[18];\n  int i = blockIdx.x * B + threadIdx.x;\n"
          "  t[threadIdx.x + 1] = in[i];\n  __syncthreads();\n  out[i] = t[threadIdx.x];\n}\n"
          "void f(const float *a, float *b, int n) { k<<<n / B, B>>>(a, b, n); }\n",
     HT_KERNEL_TEMPLATED, "the literal 18 may depend on B", 4},
    {"an address taken",
     HEAD "__global__ void k(const float *in, float *out, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}\n"
          "void f(const float *a, float *b, int n) { k<<<(n + 255) / 256, 256>>>(a, b, n); }\n"
          "void *address() { return (void *)k; }\n",
     HT_KERNEL_REFUSED, "used otherwise", 7},
    {"launches that differ",
     HEAD "__global__ void k(const float *in, float *out, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}\n"
          "void f(const float *a, float *b, int n) {\n  k<<<(n + 255) / 256, 256>>>(a, b, n);\n"
          "  k<<<(n + 127) / 128, 128>>>(a, b, n);\n}\n",
     HT_KERNEL_REFUSED, "different blocks", 8},
    {"a block that is chosen at run time, of threads that share memory",
     HEAD "__global__ void k(const float *in, float *out, int n) {\n"
          "  __shared__ float t[1024];\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  t[threadIdx.x] = i < n ? in[i] : 0;\n  __syncthreads();\n"
          "  if (i < n) out[i] = t[0];\n}\n"
          "void f(const float *a, float *b, int n, int threads) {\n  if (n > 9) threads = 32;\n"
          "  k<<<(n + threads - 1) / threads, threads + 1>>>(a, b, n); }\n",
     HT_KERNEL_NEEDS_PROBLEM, "'threads'", 11},
    {"a block that is changed behind the grid that was computed from it",
     HEAD "__global__ void k(const float *in, float *out, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}\n"
          "void f(const float *a, float *b, int n) { dim3 t(256), g((n + t.x - 1) / t.x); "
          "if (n < 9) t.x = 32; k<<<g, t>>>(a, b, n); }\n",
     HT_KERNEL_NEEDS_PROBLEM, "the value of 't.x' (line 6)", 6},
    {"a launch that a macro writes",
     HEAD "#define GO(name) name<<<(n + 255) / 256, 256>>>(a, b, n)\n"
          "__global__ void k(const float *in, float *out, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}\n"
          "#define K k\nvoid f(const float *a, float *b, int n) { GO(K); }\n",
     HT_KERNEL_REFUSED, "used otherwise", 7},
    {"a kernel that a macro with any number of arguments writes",
     HEAD "template <typename T> __device__ void body(const T *in, T *out, int n) { "
          "out[threadIdx.x] = in[n]; }\n"
          "#define MAKE(name, ...) __global__ void name(const float *in, float *out, int n) { "
          "body(in, out, n); }\n"
          "MAKE(k, 1)\n",
     HT_KERNEL_REFUSED, "macro-generated, body in callee body", 4},
    {"errors inside the kernel",
     HEAD
     "__global__ void k(const float *in, float *out, int n) {\n  out[0] = missing(in[0]);\n}\n",
     HT_KERNEL_UNPARSED, "undeclared", 3},
    {"a reach into the standard library",
     HEAD "#include <complex>\n__global__ void k(const float *in, float *out, int n) {\n"
          "  std::complex<float> z(in[0], 1);\n"
          "  for (int i = 0; i < 4; ++i) out[i] = z.real();\n}\n"
          "void f(const float *a, float *b, int n) { k<<<1, 64>>>(a, b, n); }\n",
     HT_KERNEL_REFUSED, "<complex>", 4},
    {"a conditional that cuts the kernel",
     HEAD "#ifdef OTHER\n__global__ void k(const float *in, float *out, float n) {\n#else\n"
          "__global__ void k(const float *in, float *out, int n) {\n#endif\n"
          "  for (int i = 0; i < 4; ++i) out[i] = in[i];\n}\n",
     HT_KERNEL_REFUSED, "conditional begins outside", 5},
};

static bool mentions(const ht_kernel *kernel, const char *words, int line) {
    if (kernel->reason && strstr(kernel->reason, words) &&
        (!line || kernel->reason_line == line || strstr(kernel->reason, "line")))
        return true;
    for (size_t i = 0; i < kernel->remark_count; ++i)
        if (kernel->remarks[i].kind == HT_REMARK_MISSED &&
            strstr(kernel->remarks[i].message, words) && (!line || kernel->remarks[i].line == line))
            return true;
    return false;
}

Test(refusal, says_why_and_where) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(cases[i].source, problem_format, &problems);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_expect_eq(kernel->status, cases[i].status, "%s: status %d, reason %s", cases[i].what,
                     kernel->status, kernel->reason ? kernel->reason : "none");
        cr_expect(mentions(kernel, cases[i].words, cases[i].line), "%s: reason (line %d) %s",
                  cases[i].what, kernel->reason_line, kernel->reason ? kernel->reason : "none");
        cr_expect(kernel->status == HT_KERNEL_TEMPLATED || !kernel->template, "%s", cases[i].what);
        cr_expect(!frees_block(kernel), "%s", cases[i].what);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}

Test(refusal, a_stencil_with_a_shuffle_names_its_literals) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(
        HEAD "__global__ void k(const float *in, float *out, int n) {\n"
             "  __shared__ float s[34];\n"
             "  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;\n"
             "  s[t] = in[i];\n"
             "  if (t == 1) s[0] = in[n - 1];\n"
             "  __syncthreads();\n"
             "  out[i] = __shfl_down(s[t], 1) - s[t - 1];\n}\n"
             "void f(const float *a, float *b, int n) { k<<<n / 32, 32>>>(a, b, n); }\n",
        problem_format, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_REFUSED);
    cr_assert(strstr(kernel->reason, "wavefront") && strstr(kernel->reason, "34 (line 3)"), "%s",
              kernel->reason);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(refusal, without_a_problem_there_is_a_skeleton_with_every_argument) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(
        HEAD "struct shape { int w, h; private: int more; };\n"
             "__global__ void k(const float *in, float *out, shape of, int tiles_w) {\n"
             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "  if (i < of.w * of.h) out[i] = in[i * tiles_w];\n}\n"
             "void run(float *a, float *b, shape s, int t) {\n"
             "  k<<<(s.w * s.h + 255) / 256, 256>>>(a, b, s, t);\n}\n",
        NULL, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_NEEDS_PROBLEM);
    cr_assert_eq(kernel->problem, HT_PROBLEM_MISSING);
    cr_assert_not_null(kernel->skeleton);
    cr_expect(strstr(kernel->skeleton, "\"in : in float[?]\""), "%s", kernel->skeleton);
    cr_expect(strstr(kernel->skeleton, "\"out : out float[?]\""));
    cr_expect(strstr(kernel->skeleton, "\"of : struct ?\""));
    cr_expect(strstr(kernel->skeleton, "\"tiles_w : int = problem.t\""),
              "what is known is filled in");
    cr_expect(strstr(kernel->reason, "'of' (shape)"), "%s", kernel->reason);
    ht_problem_file *parsed;
    ht_error error;
    cr_expect_neq(ht_problem_file_parse(kernel->skeleton, "skeleton", &parsed, &error), HT_OK,
                  "a skeleton must not pass for a problem");
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(refusal, a_skeleton_guesses_roles_from_how_buffers_are_used) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(
        HEAD "__global__ void k(float *both, float *to, float *from, int *count, float *unused) {\n"
             "  int i = threadIdx.x;\n"
             "  both[i] *= 2;\n  to[i] = from[i];\n  atomicAdd(count, 1);\n}\n",
        NULL, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_not_null(kernel->skeleton);
    cr_expect(strstr(kernel->skeleton, "\"both : inout float[?]\""));
    cr_expect(strstr(kernel->skeleton, "\"to : out float[?]\""));
    cr_expect(strstr(kernel->skeleton, "\"count : inout int[?]\""));
    cr_expect(strstr(kernel->skeleton, "\"unused : in float[?]\""));
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(refusal, files_that_are_no_sources) {
    ht_refactor *refactor;
    ht_error error;
    cr_assert_eq(ht_refactor_file("/nowhere/x.hip", NULL, NULL, &refactor, &error), HT_ERROR_IO);
    cr_assert(strstr(error.message, "/nowhere/x.hip"));
    cr_assert_null(refactor);
}

Test(refusal, a_file_without_kernels_has_none) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(
        "#include \"not_there.h\"\nint main() { return unknown; }\n", NULL, &problems);
    cr_assert_eq(ht_refactor_kernel_count(refactor), 0);
    ht_refactor_free(refactor);
}

/* ---- the author's words
 * ------------------------------------------------------------------------------------------- */

static void expect_reason(const char *text, const char *kernel_name, const char *said) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, NULL, &problems);
    const ht_kernel *kernel = kernel_named(refactor, kernel_name, NULL);
    cr_expect(kernel->reason && strstr(kernel->reason, said), "%s: '%s' is not in: %s", kernel_name,
              said, kernel->reason);
    ht_refactor_free(refactor);
}

Test(refusal, values_that_are_not_followed_are_named_as_their_author_wrote_them) {
    static const char head[] = "#include <hip/hip_runtime.h>\n"
                               "__global__ void k(float *out, const float *in, int n) {\n"
                               "    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;\n";
    static const char *const cases[][2] = {
        {"    for (int j = 0; j < 8; ++j) {\n        if (in[j] > 0)\n            break;\n"
         "        ++s;\n    }\n    out[i] = in[i + s];\n",
         "'s' (line 4: changed in a loop)"},
        {"    out[i] = in[(i\n        ^ 5) + n];\n", "'i ^ 5' (line 4: not affine)"},
        {"    out[i] = in[(i + n * 3 + n * 7 + n * 11 + n * 13) ^ (n * 12345 + 6789)];\n",
         "'(i + n * 3 + n * 7 + n * 11 + n * 13)...' (line 4: not affine)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = ht_format("%s%s}\nvoid run(float *a, float *b, int n) {\n"
                               "    k<<<n / 64, 64>>>(a, b, n);\n}\n",
                               head, cases[i][0]);
        expect_reason(text, "k", cases[i][1]);
        free(text);
    }
}

Test(refusal, sizes_of_a_launch_that_are_not_known_are_quoted) {
    expect_reason("#include <hip/hip_runtime.h>\n"
                  "template <typename T> __global__ void k(float *out, int n) {\n"
                  "    extern __shared__ float tile[];\n"
                  "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "    tile[threadIdx.x] = i;\n    __syncthreads();\n"
                  "    if (i < n) out[i] = tile[blockDim.x - 1 - threadIdx.x];\n}\n"
                  "template <typename T> void run(float *a, int n) {\n"
                  "    for (int block = 64; block <= 256; block *= 2)\n"
                  "        k<T><<<n / block, block, block * sizeof(T)>>>(a, n);\n}\n"
                  "void all(float *a, int n) { run<float>(a, n); }\n",
                  "k", "the value of 'sizeof(T)' (line 11) in the launch");
}

Test(refusal, a_line_is_named_once) {
    expect_reason("#include <hip/hip_runtime.h>\n"
                  "__global__ void k(float *out) { out[blockIdx.x] = threadIdx.x; }\n"
                  "void run(float *a, int n) {\n"
                  "    k<<<n / 64, 64>>>(a); k<<<n / 32, 32>>>(a);\n}\n",
                  "k", "the launches at line 4 have different blocks");
}

/* Clang stops there: the kernel's text has no end. */
Test(refusal, brackets_nested_too_deeply_are_not_a_macro_s) {
    enum { DEPTH = 900 };
    char open[DEPTH + 1], close[DEPTH + 1];
    memset(open, '(', DEPTH);
    memset(close, ')', DEPTH);
    open[DEPTH] = close[DEPTH] = 0;
    char *text = ht_format("#include <hip/hip_runtime.h>\n"
                           "__global__ void k(float *out) { out[threadIdx.x] = %s1%s; }\n"
                           "void run(float *a) { k<<<1, 64>>>(a); }\n",
                           open, close);
    expect_reason(text, "k", "nested deeper than clang reads");
    free(text);
}
