#include "places.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define ALT(text) "\n#ifdef ALT\n" text "\n#endif\n"
#define EITHER(alt, plain) "\n#ifdef ALT\n" alt "\n#else\n" plain "\n#endif\n"
#define LAUNCH "hipLaunchKernelGGL(k_@, grid, block, 0, 0, in, w, out, n, h, R);\n"

/* '@' is the kernel's number. */
const place places[] = {
    /* the body */
    {"index", .end = ALT("    sum += threadIdx.x + 1;")},
    {"block", .end = ALT("    sum += blockIdx.x * 3 + blockDim.x;")},
    {"grid", .start = ALT("    if (gridDim.x > 3 && x == 1) w = w + 1;")},
    {"old_spelling", .end = ALT("    sum += hipThreadIdx_x + hipBlockDim_x;")},
    {"macro_index", .top = "#define LANE_@ (threadIdx.x % 7)\n", .end = ALT("    sum += LANE_@;")},
    {"function_index", .top = "__device__ inline float lane_@() { return threadIdx.x * 0.5f; }\n",
     .end = ALT("    sum += lane_@();")},
    {"alias", .start = "    int tx = threadIdx.x;\n    (void)tx;\n", .end = ALT("    sum += tx;")},
    {"global_index", .end = ALT("    sum += x * 2;")},
    {"argument_changes", .start = ALT("    n = n > 9 ? n - 3 : n;")},
    {"pointer_changes", .start = ALT("    in += 1;")},
    {"writes_through", .end = ALT("    out[x] = 7; sum += out[x];")},
    {"stride", .loop = EITHER("    for (int r = threadIdx.x % 2; r < R; ++r) {",
                              "    for (int r = 0; r < R; ++r) {")},
    {"no_guard", .top = "#define BIG_@(n) (n)\n",
     .guard = "#ifndef ALT\n    if (x >= n) return;\n#endif\n"
              "#ifdef ALT\n    if (x >= n - 2) return;\n#endif\n"},
    {"other_guard", .guard = EITHER("    if (x >= n / 2) return;", "    if (x >= n) return;")},
    {"late_guard", .start = ALT("    if (x == 3) return;")},
    {"nested", .end =
                   "#if defined(ALT)\n#if !defined(NEVER)\n    sum += blockDim.x;\n#else\n"
                   "    sum = 0;\n#endif\n#elif defined(NEVER)\n    sum = threadIdx.x;\n#endif\n"},
    {"in_loop", .inside = ALT("        sum += r * (threadIdx.x & 1);")},
    {"in_loop_plain", .inside = ALT("        sum += r;")},
    {"shares", .start = ALT("    __shared__ int seen; seen = 3; __syncthreads();"),
     .end = ALT("    sum += seen;")},
    {"defines", .start = EITHER("#define F_@ (1 + threadIdx.x)", "#define F_@ 1"),
     .end = "    sum *= F_@;\n"},
    {"dead", .end = "#if 0\n    sum = threadIdx.x;\n#endif\n" ALT("    sum += 1;")},
    /* pragmas */
    {"pragma", .ahead = ALT("#pragma unroll")},
    {"pragma_factor", .ahead = EITHER("#pragma unroll 2", "#pragma unroll 4")},
    {"pragma_none", .ahead = EITHER("#pragma nounroll", "#pragma unroll")},
    {"pragma_macro", .top = EITHER("#define UNROLL_@ _Pragma(\"unroll\")", "#define UNROLL_@"),
     .ahead = "    UNROLL_@\n"},
    {"pragma_above", .ahead = "#pragma unroll\n",
     .loop = EITHER("    for (int r = 0; r < 3; ++r) {", "    for (int r = 0; r < 4; ++r) {")},
    /* attributes and the header */
    {"bounds", .attr = "", .params = NULL,
     .top = EITHER("#define BOUNDS_@ __launch_bounds__(64)", "#define BOUNDS_@"), .end = ""},
    {"extern_c", .attr = ALT("extern \"C\"")},
    {"static", .attr = ALT("static")},
    {"const",
     .params = EITHER("const float *in, const float *w, float *out, const int n, int h, int R",
                      "const float *in, const float *w, float *out, int n, int h, int R")},
    {"types", .params = EITHER("const float *in, const float *w, float *out, long n, int h, long R",
                               "const float *in, const float *w, float *out, int n, int h, int R")},
    {"restricted",
     .params =
         EITHER("const float *__restrict__ in, const float *w, float *out, int n, int h, int R",
                "const float *in, const float *w, float *out, int n, int h, int R")},
    /* functions, types and macros */
    {"function",
     .top = EITHER("__device__ inline float f_@(float v) { return v + threadIdx.x; }",
                   "__device__ inline float f_@(float v) { return v; }"),
     .end = "    sum = f_@(sum);\n"},
    {"type", .top = EITHER("typedef double real_@;", "typedef float real_@;"),
     .end = "    real_@ more = sum;\n    sum = more * 1.1 + more;\n"},
    {"radius", .top = EITHER("#define RADIUS_@ 3", "#define RADIUS_@ 5"),
     .loop = "    for (int r = 0; r < RADIUS_@; ++r) {\n"},
    {"constant", .top = EITHER("constexpr int RADIUS_@ = 2;", "constexpr int RADIUS_@ = 4;"),
     .loop = "    for (int r = 0; r < RADIUS_@; ++r) {\n"},
    {"macro", .top = EITHER("#define TERM_@(v) ((v) + threadIdx.x)", "#define TERM_@(v) (v)"),
     .end = "    sum = TERM_@(sum);\n"},
    /* launches, and the values that they are computed from */
    {"other_block", .host = EITHER("    block = dim3(16, block.y > 1 ? 2 : 1); grid = dim3((n + "
                                   "15) / 16, block.y > 1 ? (h + 1) / 2 : 1);",
                                   "")},
    {"block_macro", .top = EITHER("#define B_@ 32", "#define B_@ 64"),
     .launch = "hipLaunchKernelGGL(k_@, dim3((n + B_@ - 1) / B_@, h), dim3(B_@), 0, 0, in, w, out, "
               "n, h, R);\n"},
    {"block_constant", .top = EITHER("constexpr int B_@ = 32;", "constexpr int B_@ = 128;"),
     .launch = "hipLaunchKernelGGL(k_@, dim3((n + B_@ - 1) / B_@, h), dim3(B_@), 0, 0, in, w, out, "
               "n, h, R);\n"},
    {"overridable",
     .top = "#ifdef ALT\n#define B_@ 32\n#endif\n#ifndef B_@\n#define B_@ 64\n#endif\n",
     .launch = "hipLaunchKernelGGL(k_@, dim3((n + B_@ - 1) / B_@, h), dim3(B_@), 0, 0, in, w, out, "
               "n, h, R);\n"},
    {"other_launch",
     .launch = EITHER(
         "    hipLaunchKernelGGL(k_@, dim3((n + 7) / 8, h), dim3(8), 0, 0, in, w, out, n, h, R);",
         "    hipLaunchKernelGGL(k_@, dim3((n + 63) / 64, h), dim3(64), 0, 0, in, w, out, n, h, "
         "R);")},
    {"launch_arguments",
     .launch = "hipLaunchKernelGGL(k_@, grid, block, 0, 0, in, w, out, n, h,\n" EITHER("R - 1",
                                                                                       "R") ");\n"},
    {"size", .host = ALT("    n = n > 5 ? n - 4 : n;")},
    {"same_buffer", .host = ALT("    float *was = out; out = (float *)in; (void)was;"),
     .end = ALT("    sum = in[x];")},
    {"helper",
     .top = EITHER("static int div_@(int a, int b) { return (a + b - 1) / b + 1; }",
                   "static int div_@(int a, int b) { return (a + b - 1) / b; }"),
     .launch =
         "hipLaunchKernelGGL(k_@, dim3(div_@(n, 64), h), dim3(64), 0, 0, in, w, out, n, h, R);\n"},
};

size_t places_count(void) {
    return sizeof places / sizeof *places;
}

/* Kernels whose threads share a tile; %s: where text of another build stands. */
static const char *const shared[] = {
    "#define T_@ 64\n",
    EITHER("#define T_@ 32", "#define T_@ 64"),
};
static const char *const shared_inside[] = {
    ALT("    sum += s[threadIdx.x + 2];"),
    ALT("    s[3] = 5; __syncthreads();"),
    ALT("    sum += 64;"),
    ALT("    sum += T_@;"),
    ALT("    if (threadIdx.x == 7) sum = 0;"),
    ALT("    sum += 0.5f;"),
    "",
};
enum { SHARED = sizeof shared_inside / sizeof *shared_inside };

size_t kernels_count(void) {
    return 2 * places_count() + 2 * SHARED;
}

static char *numbered(char *text, size_t index) {
    char *number = ht_format("%zu", index);
    char *done = ht_text_replaced(text, "@", number);
    free(number);
    free(text);
    return done;
}

char *kernel_name(size_t index) {
    return ht_format("k_%zu", index);
}

static const char * or (const char *text, const char *otherwise) {
    return text ? text : otherwise;
}

static const char params[] = "const float *in, const float *w, float *out, int n, int h, int R";
static const char host_begin[] = "void run_@(int n, int h, int R) {\n"
                                 "    float *in, *w, *out;\n"
                                 "    hipMalloc(&in, sizeof(float) * (n + R) * h);\n"
                                 "    hipMalloc(&w, sizeof(float) * (R + 1));\n"
                                 "    hipMalloc(&out, sizeof(float) * n * h);\n"
                                 "    int whole = n;\n"
                                 "    fill(in, (n + R) * h);\n"
                                 "    fill(w, R + 1);\n"
                                 "    fill(out, n * h);\n";
static const char host_end[] = "    report(@, whole, out, whole * h);\n"
                               "    hipFree(w);\n"
                               "}\n";

static char *placed_text(const place *of, bool flat) {
    const char *host = flat ? "    dim3 block(64), grid((n + 63) / 64, h);\n"
                            : "    dim3 block(16, 4), grid((n + 15) / 16, (h + 3) / 4);\n";
    const char *index =
        flat ? "    int y = blockIdx.y;\n" : "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n";
    const char *guard = flat ? "" : "    if (y >= h) return;\n";
    const char *launch = or (of->launch, LAUNCH);
    const char *bounds = strcmp(of->name, "bounds") == 0 ? "BOUNDS_@ " : "";
    if (of->launch && !flat && strstr(of->launch, "grid") == NULL) {
        index = "    int y = blockIdx.y;\n"; /* its launch has rows of blocks */
        guard = "";
    }
    return ht_format("%s%s__global__ void %sk_@(%s) {\n"
                     "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "%s%s%s%s"
                     "    float sum = 0.0f;\n"
                     "%s%s        sum += w[r] * in[y * (n + R) + x + r];\n%s"
                     "    }\n"
                     "%s"
                     "    out[y * n + x] = sum;\n"
                     "}\n"
                     "%s%s%s%s%s",
                     or (of->top, ""), or (of->attr, ""), bounds, or (of->params, params), index,
                     or (of->start, ""), or (of->guard, "    if (x >= n) return;\n"), guard,
                     or (of->ahead, ""), or (of->loop, "    for (int r = 0; r < R; ++r) {\n"),
                     or (of->inside, ""), or (of->end, ""), host_begin, host, or (of->host, ""),
                     launch, host_end);
}

static char *shared_text(size_t index) {
    return ht_format(
        "%s__global__ void k_@(%s) {\n"
        "    __shared__ float s[T_@ + 4];\n"
        "    int x = blockIdx.x * T_@ + threadIdx.x, y = blockIdx.y;\n"
        "    for (int i = threadIdx.x; i < T_@ + 4; i += T_@)\n"
        "        s[i] = blockIdx.x * T_@ + i < n + R ? in[y * (n + R) + blockIdx.x * T_@ + i] : "
        "0;\n"
        "    __syncthreads();\n"
        "    float sum = 0.0f;\n"
        "    for (int r = 0; r < 4; ++r)\n"
        "        sum += s[threadIdx.x + r];\n"
        "%s"
        "    if (x < n)\n"
        "        out[y * n + x] = sum + w[0];\n"
        "}\n"
        "%s    hipLaunchKernelGGL(k_@, dim3((n + T_@ - 1) / T_@, h), dim3(T_@), 0, 0, in, w, out, "
        "n, h, R);\n%s",
        shared[index % 2], params, shared_inside[index / 2], host_begin, host_end);
}

char *kernel_text(size_t index) {
    size_t placed = 2 * places_count();
    char *text = index < placed ? placed_text(&places[index / 2], index % 2 == 0)
                                : shared_text(index - placed);
    return numbered(text, index);
}

char *kernel_problem(size_t index) {
    return ht_format(
        "{\"kernel\": \"k_%zu\", \"problem\": \"image : n, h, R\", \"args\": [\"in : in "
        "float[(problem.n + problem.R) * problem.h] integers(-8, 8)\", \"w : in float[problem.R + "
        "1] "
        "integers(-8, 8)\", \"out : inout float[problem.n * problem.h] integers(-8, 8)\", \"n : "
        "int "
        "= "
        "problem.n\", \"h : int = problem.h\", \"R : int = problem.R\"], \"tolerance\": \"exact\", "
        "\"instances\": [{\"fields\": {\"n\": 300, \"h\": 9, \"R\": 5}}]}",
        index);
}
