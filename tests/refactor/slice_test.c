/* Slices: kernels cut out with what they reach, and nothing else; annotated files. */
#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *slice(const char *text, const char *kernel, const char *const *arguments,
                   size_t count) {
    char *folder, *unit = NULL;
    ht_error error;
    cr_assert_eq(ht_dir_temporary("slice", &folder, &error), HT_OK);
    char *path = ht_path_join(folder, "source.hip");
    ht_refactor_options options = {.arguments = arguments, .argument_count = count};
    cr_assert_eq(ht_file_write(path, text, strlen(text), &error), HT_OK);
    cr_assert_eq(ht_slice_file(path, &kernel, 1, NULL, &options, &unit, &error), HT_OK, "%s",
                 error.message);
    ht_dir_remove(folder);
    free(path);
    free(folder);
    return unit;
}

static void compiles(const char *unit) {
    char *output;
    cr_expect(clang_parses(unit, &output), "%s\n%s", output, unit);
    free(output);
}

static bool has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
}

static const char rich[] =
    "#include <hip/hip_runtime.h>\n"
    "#include <vector>\n"
    "#include <cstdint>\n"
    "#include <cfloat>\n"
    "#define SCALE 3\n"
    "#define TWICE(x) ((x) * FACTOR)\n"
    "#define FACTOR 2\n"
    "#define UNUSED_MACRO 7\n"
    "using namespace std;\n"
    "namespace math {\n"
    "namespace deep { struct Pair { float a, b; __device__ float sum() const { return a + b; } }; "
    "}\n"
    "template <typename T> __device__ T lift(T v) { return v; }\n"
    "template <> __device__ float lift<float>(float v) { return v + 1; }\n"
    "__device__ int helper(uint8_t v);\n"
    "std::vector<int> host_only() { return {}; }\n"
    "__device__ int helper(uint8_t v) { return TWICE(v); }\n"
    "}\n"
    "typedef struct { int w, h; } size_pair;\n"
    "enum Kind { PLAIN, FANCY = 5 }; struct Unused { vector<int> all; };\n"
    "static __constant__ float table[4] = {1, 2, 3, 4}, other[2];\n"
    "using Pair = math::deep::Pair;\n"
    "__global__ void first(float *out) { Pair p{FLT_MAX, table[1]}; size_pair s{1, 2};\n"
    "  out[0] = math::lift(p.sum()) + math::helper(3) + s.w + FANCY * SCALE; }\n"
    "#undef SCALE\n"
    "#define SCALE 4\n"
    "__global__ void second(float *out) { out[0] = SCALE; }\n"
    "int main() { Unused u; first<<<1, 1>>>(nullptr); second<<<1, 1>>>(nullptr); }\n";

Test(slice, holds_what_a_kernel_reaches_and_nothing_else) {
    char *unit = slice(rich, "first", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, "struct Pair"));
    cr_expect(has(unit, "lift<float>"));
    cr_expect(has(unit, "#include <cfloat>"));
    cr_expect(has(unit, "#include <cstdint>"));
    cr_expect(has(unit, "#define SCALE 3"));
    cr_expect(has(unit, "#line 22 "));
    cr_expect_not(has(unit, "host_only"));
    cr_expect_not(has(unit, "Unused"));
    cr_expect_not(has(unit, "<vector>"));
    cr_expect_not(has(unit, "UNUSED_MACRO"));
    cr_expect_not(has(unit, "second"));
    cr_expect_not(has(unit, "main"));
    free(unit);
}

Test(slice, types_of_the_library_bring_their_header) {
    char *unit = slice("#include <hip/hip_runtime.h>\n"
                       "#include <cstdint>\n"
                       "struct Pixel { std::uint8_t b, g; __device__ void set(std :: int16_t v) "
                       "{ b = v; } };\n"
                       "__global__ void k(Pixel *p) { p[threadIdx.x].set(3); }\n",
                       "k", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, "#include <cstdint>"));
    free(unit);
}

Test(slice, keeps_redefined_macros_in_order) {
    char *unit = slice(rich, "second", NULL, 0);
    compiles(unit);
    const char *three = strstr(unit, "#define SCALE 3"), *undefined = strstr(unit, "#undef SCALE");
    const char *four = strstr(unit, "#define SCALE 4"), *kernel = strstr(unit, "void second");
    cr_expect(three && undefined && four && kernel && three < undefined && undefined < four &&
                  four < kernel,
              "%s", unit);
    free(unit);
}

Test(slice, definitions_from_the_command_line_go_along) {
    static const char *const arguments[] = {"-DWIDTH=12", "-DDEBUG"};
    char *unit = slice(
        "#include <hip/hip_runtime.h>\n"
        "__global__ void k(int *p) {\n#ifdef DEBUG\n  p[1] = 0;\n#endif\n  p[0] = WIDTH;\n}\n",
        "k", arguments, 2);
    compiles(unit);
    cr_expect(has(unit, "#define WIDTH 12"));
    cr_expect(has(unit, "#define DEBUG 1"));
    free(unit);
}

/* <random> and others bring the overloads for complex numbers along. */
Test(slice, mathematics_of_a_template_is_no_reach_for_complex_numbers) {
    char *unit = slice("#include <random>\n#include <hip/hip_runtime.h>\n"
                       "template <typename T> __global__ void k(T *p) {\n"
                       "  p[0] = exp(p[1]) + sqrt(p[2]) + std::pow(p[3], T(2));\n}\n"
                       "void f(float *p) { k<<<1, 64>>>(p); }\n",
                       "k", NULL, 0);
    compiles(unit);
    cr_expect(!has(unit, "complex"));
    free(unit);
}

Test(slice, an_unknown_kernel_is_named) {
    char *path = ht_path_join(HT_SOURCE_DIR, "examples/kernels/conv1x1.hip"), *unit;
    const char *kernel = "not_there";
    ht_error error;
    cr_assert_eq(ht_slice_file(path, &kernel, 1, NULL, NULL, &unit, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "not_there"));
    free(path);
}

Test(slice, an_unreadable_include_harms_only_those_who_need_it) {
    char *unit = slice("#include \"missing_project_header.h\"\n#include <hip/hip_runtime.h>\n"
                       "missing_type host_function(missing_type a);\n"
                       "__global__ void k(float *p) { p[threadIdx.x] = 1; }\n",
                       "k", NULL, 0);
    compiles(unit);
    free(unit);
}

static const char annotated[] =
    "#include <hip/hip_runtime.h>\n#include <vector>\n"
    "struct Host { std::vector<int> v; };\nconstexpr int R = 2;\n"
    "__device__ float pick(const float *p, int i) { return p[i + R]; }\n"
    "#pragma tune kernel(blur)\n#pragma tune problem(line : N)\n"
    "#pragma tune param(BX : 64, 128 = 64)\n#pragma tune block(BX)\n"
    "#pragma tune grid(ceil_div(problem.N, BX))\n"
    "#pragma tune arg(in : in float[problem.N + 4])\n#pragma tune arg(out : out float[problem.N])\n"
    "#pragma tune arg(n : int = problem.N)\n#pragma tune reference(plain)\n#pragma tune block(64)\n"
    "#pragma tune grid(ceil_div(problem.N, 64))\n"
    "template <int BX> __global__ void blur(const float *in, float *out, int n) {\n"
    "  int i = blockIdx.x * BX + threadIdx.x;\n  if (i < n) out[i] = pick(in, i);\n}\n"
    "__global__ void plain(const float *in, float *out, int n) {\n"
    "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) out[i] = in[i + R];\n}\n"
    "void host() { Host h; h.v.push_back(1); }\n";

Test(slice, annotated_kernels_are_taken_as_their_author_wrote_them) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(annotated, NULL, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "blur", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_ANNOTATED, "%s", kernel->reason);
    cr_expect_eq(kernel->template->param_count, 1);
    cr_expect_eq(kernel->template->reference_kind, HT_REFERENCE_KERNEL);
    cr_expect_not(has(kernel->template->unit, "Host"));
    compiles(kernel->template->unit);
    cr_expect_eq(kernel_named(refactor, "plain", NULL)->status, HT_KERNEL_REFUSED);
    ht_refactor_free(refactor);
}

/* Returns true if the kernel's template has a parameter of this name, when the compiler gets this
 * argument. */
static bool offers(const char *argument, const char *name) {
    static const char text[] = "#include <hip/hip_runtime.h>\n"
                               "__global__ void k(float *out, const float *in, int n) {\n"
                               "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "    if (i < n) out[i] = 2 * in[i];\n}\n"
                               "void run(float *a, float *b, int n) {\n"
                               "    k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n";
    char *folder;
    ht_error error;
    ht_refactor *refactor = NULL;
    cr_assert_eq(ht_dir_temporary("slice", &folder, &error), HT_OK);
    char *path = ht_path_join(folder, "source.hip");
    ht_refactor_options options = {.arguments = &argument, .argument_count = 1};
    cr_assert_eq(ht_file_write(path, text, strlen(text), &error), HT_OK);
    cr_assert_eq(ht_refactor_file(path, NULL, &options, &refactor, &error), HT_OK, "%s",
                 error.message);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    const ht_template *template = kernel->template ? kernel->template : kernel->against;
    bool found = false;
    for (size_t i = 0; template && i < template->param_count; ++i)
        found = found || strcmp(template->params[i].name, name) == 0;
    ht_refactor_free(refactor);
    ht_dir_remove(folder);
    free(path);
    free(folder);
    return found;
}

Test(slice, names_avoid_macros_of_the_command_line_and_not_folders) {
    cr_expect(offers("-I/some/COARSEN_X/folder", "COARSEN_X"));
    cr_expect(offers("-DCOARSEN=4", "COARSEN_X"));
    cr_expect_not(offers("-DCOARSEN_X=4", "COARSEN_X"));
}

#define MACROS_INSIDE                                                                              \
    HEADER "__device__ float other(float x) {\n"                                                   \
           "#define THRICE(v) ((v) * 3)\n"                                                         \
           "    return THRICE(x);\n"                                                               \
           "}\n"                                                                                   \
           "__global__ void k(const float *in, float *out, int n) {\n"                             \
           "#define IN(j) in[(j)]\n"                                                               \
           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                  \
           "    if (i < n) out[i] = %s(IN(i));\n"                                                  \
           "}\n"                                                                                   \
           "#define IN nothing\n"                                                                  \
           "void run(float *in, float *out, int n) { k<<<(n + 63) / 64, 64>>>(in, out, n); }\n"
#define HEADER "#include <hip/hip_runtime.h>\n"

/* The unit has the kernel twice, so its macros are forgotten in between. */
Test(slice, macros_that_a_kernel_defines_are_its_own) {
    ht_problem_file *problems;
    char *text = ht_format(MACROS_INSIDE, "other");
    ht_refactor *refactor = refactor_text(
        text,
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
        "\"problem\": \"line : n\", \"args\": [\"in : in float[problem.n]\", "
        "\"out : out float[problem.n]\", \"n : int = problem.n\"], "
        "\"instances\": [{\"fields\": {\"n\": 100}}]}]}",
        &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    compiles(kernel->template->unit);
    const char *forgotten = strstr(kernel->template->unit, "#undef IN\n");
    cr_assert_not_null(forgotten, "%s", kernel->template->unit);
    cr_expect(has(forgotten, "#define IN(j)"), "%s", kernel->template->unit);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    free(text);
}

/* A macro that another function defines is in the slice with that function, and without it where it
 * means the same. */
Test(slice, macros_that_others_define_come_with_them) {
    ht_problem_file *problems;
    char *text = ht_format(MACROS_INSIDE, "THRICE"), *alone = slice(text, "k", NULL, 0);
    compiles(alone);
    cr_expect(has(alone, "#define THRICE") && !has(alone, "float other"), "%s", alone);
    free(alone);
    static const char *const ends[] = {"#undef THRICE\n#define THRICE(x) 4\n", "#undef THRICE\n"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        char *more = ht_format("%s%s", text, ends[i]);
        ht_refactor *refactor = refactor_text(more, NULL, &problems);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_expect_eq(kernel->status, HT_KERNEL_REFUSED);
        cr_expect(has(kernel->reason, "'THRICE' is defined inside of another declaration"), "%s",
                  kernel->reason);
        ht_refactor_free(refactor);
        free(more);
    }
    free(text);
    text = ht_format(MACROS_INSIDE, "THRICE(1) * other");
    char *unit = slice(text, "k", NULL, 0);
    compiles(unit);
    free(unit);
    free(text);
}

/* Each kernel with a definition of its own, which is the one that it means. */
Test(slice, a_macro_that_several_kernels_define_is_each_ones_own) {
    static const char text[] =
        "#include <hip/hip_runtime.h>\n"
        "__global__ void first(float *out, int n) {\n#ifdef WIDE\n#define LANES 64\n#else\n"
        "#define LANES 32\n#endif\n"
        "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) out[i] = i / LANES;\n}\n"
        "__global__ void k(float *out, int n) {\n#ifdef WIDE\n#define LANES 64\n#else\n"
        "#define LANES 32\n#endif\n"
        "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) out[i] = i %% LANES;\n}\n"
        "__global__ void last(float *out) { out[threadIdx.x] = LANES; }\n";
    char *whole = ht_format(text), *unit = slice(whole, "k", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, "#define LANES 32") && !has(unit, "first"), "%s", unit);
    free(unit);
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(whole, NULL, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "last", NULL);
    cr_expect(has(kernel->reason, "'LANES' is defined inside of another declaration"), "%s",
              kernel->reason);
    ht_refactor_free(refactor);
    free(whole);
}

/* Of a namespace that takes over another one, the kernel's unit has both, also where one is empty
 * in it. */
Test(slice, a_namespace_may_use_another_one) {
    static const char text[] =
        "#include <hip/hip_runtime.h>\n"
        "namespace maths { namespace real { __device__ float twice(float x) { return 2 * x; } } }\n"
        "namespace unused { void host(); }\n"
        "namespace ops { using namespace maths::real; using namespace unused; }\n"
        "__global__ void k(float *a) { a[threadIdx.x] = ops::twice(a[threadIdx.x]); }\n";
    char *unit = slice(text, "k", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, "using namespace maths::real") && !has(unit, "host"), "%s", unit);
    free(unit);
}

/* Under `using namespace std` the operators of a template's values may be the iterators', too. */
Test(slice, operators_of_a_template_are_the_languages_own) {
    char *unit = slice("#include <hip/hip_runtime.h>\n#include <iostream>\n#include <vector>\n"
                       "using namespace std;\n"
                       "struct Pair { float a; };\n"
                       "__device__ float operator*(float x, Pair p) { return x * p.a; }\n"
                       "template <typename T> __global__ void k(T *out, const T *in, T h) {\n"
                       "    T x = threadIdx.x * h;\n"
                       "    out[0] = (in[0] + in[1]) * h - x * Pair{2};\n"
                       "}\n"
                       "void run(float *a) { k<<<1, 1>>>(a, a, 2.0f); }\n",
                       "k", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, "operator*(float x, Pair p)"), "%s", unit);
    cr_expect_not(has(unit, "#include <iterator>") || has(unit, "#include <vector>"), "%s", unit);
    free(unit);
}

/* Where no header of the library is, as in the host's prelude, these two names are still known. */
Test(slice, the_types_of_sizes_may_be_named_in_std) {
    char *unit = slice("#include <hip/hip_runtime.h>\n#include <vector>\n"
                       "template <std::size_t N> __global__ void k(float *out, std::ptrdiff_t at) "
                       "{ out[at] = N; }\n"
                       "void run(float *a) { k<3><<<1, 1>>>(a, 2); }\n",
                       "k", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, "namespace std {\ntypedef decltype(sizeof(0)) size_t;"), "%s", unit);
    free(unit);
    unit = slice("#include <hip/hip_runtime.h>\n#include <vector>\n"
                 "__global__ void k(float *out, size_t at) { out[at] = 1; }\n",
                 "k", NULL, 0);
    cr_expect_not(has(unit, "namespace std"), "%s", unit);
    free(unit);
}

/* u_char of <sys/types.h>: that header is not there for device code, the number is. */
Test(slice, names_of_plain_numbers_are_told_again) {
    char *unit = slice("#include <hip/hip_runtime.h>\n#include <sys/types.h>\n"
                       "__global__ void k(u_char *out, const u_char *in, u_int n) {\n"
                       "    for (u_int i = 0; i < n; ++i) out[i] = in[i];\n"
                       "}\n",
                       "k", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, "typedef unsigned char u_char;\n"), "%s", unit);
    cr_expect(has(unit, "typedef unsigned int u_int;\n"), "%s", unit);
    cr_expect_not(has(unit, "sys/types.h"), "%s", unit);
    free(unit);
}

/* No line of the kernel says that T is a half: its launch does. */
Test(slice, types_that_the_launch_names_have_their_header) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(
        "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n"
        "template <typename T> __global__ void k(T *out, const T *in, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) out[i] = in[i];\n"
        "}\n"
        "void run(half *a, half *b, int n) { k<half><<<(n + 255) / 256, 256>>>(a, b, n); }\n",
        NULL, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_expect(has(kernel->template->unit, "#include <hip/hip_fp16.h>\n"), "%s",
              kernel->template->unit);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

/* A header of the host packs its structures: that was a reason to refuse all that includes it. */
Test(slice, packed_structures_stay_packed_and_others_are_not_spoken_of) {
    char *unit = slice("#include <hip/hip_runtime.h>\n"
                       "#pragma pack(push, 1)\n"
                       "struct File { char kind; int size; };\n"
                       "#pragma pack(push, 2)\n"
                       "struct Inner { char kind; int size; };\n"
                       "#pragma pack(pop)\n"
                       "#pragma pack(pop)\n"
                       "#pragma pack(push)\n"
                       "#pragma pack(1)\n"
                       "struct Tight { char a; int b; };\n"
                       "#pragma pack(pop)\n"
                       "struct Wide { char a; int b; };\n"
                       "static_assert(sizeof(Tight) == 5 && sizeof(Wide) == 8);\n"
                       "__global__ void k(Tight *a, Wide *b) {\n"
                       "    static_assert(sizeof(Tight) == 5 && sizeof(Wide) == 8);\n"
                       "    a->b = b->b;\n"
                       "}\n",
                       "k", NULL, 0);
    compiles(unit);
    cr_expect_not(has(unit, "#pragma pack(push, 1)") || has(unit, "#pragma pack(push, 2)"), "%s",
                  unit);
    cr_expect(has(unit, "#pragma pack(push)\n") && has(unit, "#pragma pack(1)\n"), "%s", unit);
    free(unit);
}

/* clang's headers for devices declare them before any header of the library: for the host they were
 * unknown. */
Test(slice, mathematics_of_std_has_its_header) {
    char *unit = slice("#include <hip/hip_runtime.h>\n"
                       "__global__ void k(float *a) { a[0] = std::sqrt(a[0]) + std::exp(a[1]); }\n",
                       "k", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, "#include <cmath>\n"), "%s", unit);
    free(unit);
    unit = slice("#include <hip/hip_runtime.h>\n#include <math.h>\n"
                 "__global__ void k(float *a) { a[0] = sqrtf(a[0]); }\n",
                 "k", NULL, 0);
    compiles(unit);
    cr_expect_not(has(unit, "#include <cmath>\n"), "%s", unit);
    free(unit);
}

/* Kernels are taken out of unnamed namespaces, and with them what else lies there. */
Test(slice, namespaces_in_unnamed_ones_stay_one) {
    char *unit = slice("#include <hip/hip_runtime.h>\n"
                       "namespace {\nnamespace device {\n"
                       "struct pair { float a, b; };\n"
                       "__device__ float sum(pair p) { return p.a + p.b; }\n"
                       "__global__ void k(float *a) { a[0] = sum({a[1], a[2]}); }\n"
                       "}\n}\n",
                       "k", NULL, 0);
    compiles(unit);
    cr_expect_not(has(unit, "namespace {\nnamespace device"), "%s", unit);
    free(unit);
}

/* A constructor without attributes is the host's. */
Test(slice, constructors_of_the_host_are_left_out_where_they_must) {
    char *unit = slice("#include <hip/hip_runtime.h>\n#include <vector>\n"
                       "struct view {\n"
                       "    view(std::vector<float> &of) : data(of.data()), n((int)of.size()) {}\n"
                       "    float *data; const int n;\n"
                       "};\n"
                       "__global__ void k(view v) { v.data[0] = v.n; }\n",
                       "k", NULL, 0);
    compiles(unit);
    cr_expect_not(has(unit, "vector"), "%s", unit);
    free(unit);
}

/* Accessors of tensors are made by the host, with what no device code has, and read on the GPU. */
Test(slice, bodies_of_the_hosts_members_are_left_out_where_they_must) {
    static const char accessor[] =
        "#include <hip/hip_runtime.h>\n#include <algorithm>\n#include <iterator>\n"
        "#define HOST __host__\n#define DEVICE __device__\n"
        "template <typename T, int N> struct Base {\n"
        "    HOST Base(T *data_, const int *sizes_)\n"
        "        : data(data_), first{sizes_ ? 1 : 2}\n"
        "    {\n"
        "        std::copy(sizes_, sizes_ + N, std::begin(this->sizes));\n"
        "    }\n"
        "    template <typename I> HOST Base(T *data_, I) : data(data_) { std::swap(data, data_); "
        "}\n"
        "    HOST DEVICE T &at(int i) const { return data[i * first]; }\n"
        "    T *data; int first, sizes[N];\n"
        "    static_assert(__LINE__ == 15);\n"
        "};\n"
        "__global__ void k(Base<float, 2> a) { a.at(threadIdx.x) = 1; }\n";
    char *unit = slice(accessor, "k", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, "HOST Base(T *data_, const int *sizes_)\n        ;\n"), "%s", unit);
    cr_expect(has(unit, "return data[i * first];"), "%s", unit);
    cr_expect_not(has(unit, "std::"), "%s", unit);
    free(unit);
    /* members that can stay do */
    unit = slice("#include <hip/hip_runtime.h>\n"
                 "struct Pair { __host__ Pair(int x) : a(x) { b = 2; }\n"
                 "    int a, b; };\n"
                 "__global__ void k(Pair p, int *out) { out[0] = p.a; }\n",
                 "k", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, ": a(x) { b = 2; }"), "%s", unit);
    free(unit);
}

/* A class that the kernel knows for an enumeration has methods that take the host's strings. */
Test(slice, methods_of_the_host_are_left_out_where_they_must) {
    char *unit = slice("#include <hip/hip_runtime.h>\n#include <string>\n"
                       "struct Config {\n    enum Mode { low, high };\n"
                       "    void set(const std::string &mode);\n"
                       "    static std::string name(Mode mode)\n    {\n"
                       "        return mode == low ? \"low\" : \"high\";\n    }\n"
                       "    static constexpr int of(int n) { return 2 * n; }\n"
                       "};\n"
                       "struct Table {\n    float taps[8];\n    Config::Mode mode;\n"
                       "    __host__\n    void fill(const Config &from);\n"
                       "private:\n    __host__ int span(const std::string &of) const;\n"
                       "public:\n    __device__ float tap(int i) const { return taps[i]; }\n"
                       "    static_assert(__LINE__ == 21);\n};\n"
                       "__constant__ Table table;\n"
                       "__global__ void k(float *out) { out[0] = table.tap(Config::of(1)); }\n",
                       "k", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, "enum Mode") && has(unit, "constexpr int of") && has(unit, "float tap"));
    cr_expect_not(has(unit, "std::") || has(unit, "fill") || has(unit, "span"), "%s", unit);
    free(unit);
}

/* A unit stands alone: a variable that another file defines is one of its own. */
Test(slice, variables_that_another_file_defines_are_defined) {
    char *unit = slice("#include <hip/hip_runtime.h>\n"
                       "extern __device__ __constant__ float taps[9];\n"
                       "extern __constant__ int known;\n__constant__ int known;\n"
                       "__global__ void k(float *out) { out[0] = taps[0] + known; }\n",
                       "k", NULL, 0);
    compiles(unit);
    cr_expect(has(unit, "; __device__ __constant__ float taps[9];"), "%s", unit);
    cr_expect(has(unit, "extern __constant__ int known;"), "%s", unit);
    free(unit);
}
