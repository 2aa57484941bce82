/* Problems inferred from subscripts, guards and host code: the problems found, that they hold for
 * all sizes, and the report when they do not. */
#include "infer_support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Constants that callers pass are numbers that may be made smaller, also where only the allocation
 * says how large a buffer is. */
Test(infer, sizes_that_callers_pass_as_constants_are_made_smaller) {
    inferred of = infer(HEAD "__global__ void k(float *a, const float *b, int rows, int cols) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < rows) a[cols ^ i] += b[i];\n}\n"
                             "void run(int rows, int wide) {\n"
                             "  float *a, *b;\n  const int cols = wide + 1;\n"
                             "  hipMalloc(&a, rows * cols * sizeof(float));\n"
                             "  k<<<(rows + 255) / 256, 256>>>(a, b, rows, cols);\n}\n"
                             "int main() {\n  const int rows = 20000, more = rows + 1;\n"
                             "  run(more, 19999);\n}\n");
    cr_assert_eq(of.kernel->problem, HT_PROBLEM_INFERRED, "%s", of.kernel->reason);
    cr_expect_lt(instance_value(&of, "rows"), 20001);
    done(&of);
}

/* A number that only initialises a variable is a size, of the program's value where it fits into
 * memory, and smaller where it does not. One that shapes the block, and a macro, keep theirs. */
Test(infer, a_number_that_initialises_a_variable_is_a_size) {
    static const char *const hosts[] = {"  size_t n = 200000000;\n", "  size_t n = 5000;\n",
                                        "#define n 200000000\n"};
    for (size_t i = 0; i < 3; ++i) {
        char *text = ht_format(HEAD "__global__ void k(float *a, const float *b, int count) {\n"
                                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "  if (i < count) a[i] = b[i];\n}\nvoid run() {\n%s"
                                    "  float *a, *b;\n  int threads = 128;\n"
                                    "  k<<<(n + threads - 1) / threads, threads>>>(a, b, n);\n}\n",
                               hosts[i]);
        inferred of = infer(text);
        if (i == 2) {
            cr_expect_eq(of.kernel->status, HT_KERNEL_NEEDS_PROBLEM);
            cr_expect(strstr(of.kernel->reason, "sizes that are no more than"), "%s",
                      of.kernel->reason);
        } else {
            cr_assert_eq(of.kernel->problem, HT_PROBLEM_INFERRED, "%s", of.kernel->reason);
            int64_t n = instance_value(&of, "n");
            if (i == 0)
                cr_expect(n > 128 && n < 20000000, "%lld", (long long)n);
            else
                cr_expect_eq(n, 5000);
            cr_expect_eq(instance_value(&of, "threads"), -1);
        }
        done(&of);
        free(text);
    }
}

/* Numbers that are computed from others are no sizes of their own, which would not fit together. */
Test(infer, a_number_that_is_computed_from_sizes_follows_them) {
    inferred of =
        infer(HEAD "__global__ void k(float *out, const float *in, int n, int w, int w_out) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "  if (i < n) out[i] = in[i / w_out * w + i % w_out];\n}\n"
                   "void run(float *out, const float *in) {\n"
                   "  int h = 30, w = 40;\n  int w_out = w - 2;\n  int n = h * w_out;\n"
                   "  k<<<(n + 127) / 128, 128>>>(out, in, n, w, w_out);\n}\n");
    cr_assert_eq(of.kernel->problem, HT_PROBLEM_INFERRED, "%s", of.kernel->reason);
    cr_expect_eq(instance_value(&of, "w"), 40);
    cr_expect_eq(instance_value(&of, "h"), 30);
    cr_expect_eq(instance_value(&of, "w_out"), -1);
    cr_expect_eq(instance_value(&of, "n"), -1);
    done(&of);
}

/* min is a function in expressions: the argument gets another name, the parameter keeps its own. */
Test(infer, an_argument_may_have_the_name_of_a_function_of_expressions) {
    inferred of = infer(HEAD "__global__ void k(float *out, const float *min, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n) out[i] = min[i] * 2;\n}\n"
                             "void run(float *out, const float *min, int n) {\n"
                             "  k<<<(n + 255) / 256, 256>>>(out, min, n);\n}\n");
    cr_assert_eq(of.kernel->status, HT_KERNEL_TEMPLATED, "%s", of.kernel->reason);
    cr_expect_str_eq(role(&of, "min_arg"), "in");
    done(&of);
}

/* Sizes that hang together in the program do so in the problem, however many calls lie between. */
Test(infer, parameters_of_host_functions_have_their_callers_values) {
    inferred of =
        infer(HEAD "__global__ void k(float *a, int n, int rows, int cols) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "  if (i < n - rows) a[i] = i % rows;\n}\n"
                   "void inner(float *a, int n, int rows, int cols) {\n"
                   "  k<<<(n + 255) / 256, 256>>>(a, n, rows, cols);\n}\n"
                   "void outer(float *a, int count, int rows) { inner(a, count, rows, 70); }\n"
                   "int main(int argc, char **argv) {\n"
                   "  int rows = atoi(argv[1]), total = rows * 70;\n"
                   "  outer(nullptr, total, rows);\n}\n");
    cr_assert_eq(of.kernel->problem, HT_PROBLEM_INFERRED, "%s", of.kernel->reason);
    cr_expect_eq(instance_value(&of, "cols"), 70);
    cr_expect_gt(instance_value(&of, "rows"), 0);
    cr_expect_eq(instance_value(&of, "n"), instance_value(&of, "rows") * 70);
    done(&of);
}

Test(infer, a_guard_says_how_many_elements_there_are) {
    inferred of = infer(HEAD "__global__ void k(const float *a, float *b, float *c, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i >= n) return;\n"
                             "  c[i] += a[i + 3];\n  b[2 * i + 1] = a[i];\n}\n"
                             "void run(float *a, float *b, float *c, int n) {\n"
                             "  k<<<(n + 255) / 256, 256>>>(a, b, c, n);\n}\n");
    for (int64_t n = 1; n < 600; n += 7) {
        sizes with = {.names = {"n"}, .values = {n}, .count = 1};
        cr_expect_eq(elements(&of, "a", &with), n + 3);
        cr_expect_eq(elements(&of, "b", &with), 2 * n);
        cr_expect_eq(elements(&of, "c", &with), n);
    }
    cr_expect_str_eq(role(&of, "a"), "in");
    cr_expect_str_eq(role(&of, "b"), "out");
    cr_expect_str_eq(role(&of, "c"), "inout", "it is read, too");
    cr_expect(strstr(of.kernel->skeleton, "launched at "), "%s", of.kernel->skeleton);
    done(&of);
}

Test(infer, padding_tests_and_loops_bound_a_convolution) {
    inferred of = infer(
        HEAD "__global__ void k(const float *in, const float *w, float *out, int C, int H, int W,\n"
             "                  int R, int pad, int OH, int OW) {\n"
             "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "  int y = blockIdx.y * blockDim.y + threadIdx.y, m = blockIdx.z;\n"
             "  if (x >= OW || y >= OH) return;\n"
             "  float sum = 0;\n"
             "  for (int c = 0; c < C; ++c)\n    for (int r = 0; r < R; ++r)\n"
             "      for (int s = 0; s < R; ++s) {\n"
             "        int iy = y + r - pad, ix = x + s - pad;\n"
             "        if (iy < 0 || iy >= H || ix < 0 || ix >= W) continue;\n"
             "        sum += in[(c * H + iy) * W + ix] * w[((m * C + c) * R + r) * R + s];\n"
             "      }\n"
             "  out[(m * OH + y) * OW + x] = sum;\n}\n"
             "void run(float *a, float *w, float *b, int C, int H, int W, int R, int M) {\n"
             "  int pad = R / 2, OH = H + 2 * pad - R + 1, OW = W + 2 * pad - R + 1;\n"
             "  dim3 block(16, 8), grid((OW + 15) / 16, (OH + 7) / 8, M);\n"
             "  k<<<grid, block>>>(a, w, b, C, H, W, R, pad, OH, OW);\n}\n");
    for (int64_t h = 3; h < 20; ++h) {
        sizes with = {
            .names = {"C", "H", "W", "R", "M"}, .values = {4, h, h + 5, 3, 7}, .count = 5};
        cr_expect_eq(elements(&of, "in", &with), 4 * h * (h + 5));
        cr_expect_eq(elements(&of, "w", &with), 7 * 4 * 3 * 3);
        cr_expect_eq(elements(&of, "out", &with), 7 * h * (h + 5));
    }
    done(&of);
}

Test(infer, flattened_indices_and_wrapped_neighbours_stay_inside) {
    inferred of = infer(HEAD "__global__ void k(float *out, const float *in, int W, int H) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i >= W * H) return;\n"
                             "  int x = i % W, y = i / W;\n"
                             "  out[y * W + x] = in[((y + 1) % H) * W + (W + x - 1) % W];\n}\n"
                             "void run(float *a, float *b, int W, int H) {\n"
                             "  k<<<(W * H + 63) / 64, 64>>>(b, a, W, H);\n}\n");
    for (int64_t w = 2; w < 30; w += 3) {
        sizes with = {.names = {"W", "H"}, .values = {w, w + 1}, .count = 2};
        cr_expect_geq(elements(&of, "out", &with), w * (w + 1));
        cr_expect_eq(elements(&of, "in", &with), w * (w + 1));
    }
    done(&of);
}

/* The part of a matrix past its diagonal: no size that is small by itself leaves a block. */
Test(infer, sizes_that_follow_from_each_other_are_found_by_trying) {
    inferred of =
        infer(HEAD "__global__ void k(float *m, int dim, int offset) {\n"
                   "  int at = (offset + (blockIdx.x + 1) * 16) * dim + offset + threadIdx.x;\n"
                   "  m[at] = 2 * m[at];\n}\n"
                   "void run(int dim) {\n  float *m;\n  hipMalloc(&m, dim * dim * sizeof(float));\n"
                   "  for (int i = 0; i < dim - 16; i += 16)\n"
                   "    k<<<(dim - i) / 16 - 1, 16>>>(m, dim, i);\n}\n");
    cr_expect_eq(of.kernel->problem, HT_PROBLEM_INFERRED, "%s", of.kernel->reason);
    done(&of);
}

Test(infer, without_a_guard_the_grid_says_it) {
    inferred of = infer(HEAD "__global__ void k(float *a) {\n"
                             "  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;\n}\n"
                             "int main(int argc, char **argv) {\n"
                             "  int blocks = argc > 1 ? atoi(argv[1]) : 40;\n  float *a;\n"
                             "  hipMalloc(&a, blocks * 128 * sizeof(float));\n"
                             "  k<<<blocks, 128>>>(a);\n}\n");
    sizes with = {.names = {"blocks"}, .values = {9}, .count = 1};
    cr_expect_eq(elements(&of, "a", &with), 9 * 128);
    cr_expect_eq(of.kernel->inferred->entries[0].instances[0].values[0].value, 40,
                 "the default of the source");
    done(&of);
}

Test(infer, the_host_tells_where_the_kernel_does_not) {
    inferred of = infer(HEAD "__global__ void k(float *a, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  for (int s = 1; i < n; s *= 2) { a[i ^ s] = s; i += s; }\n}\n"
                             "void run(int n) {\n  float *a;\n"
                             "  hipMalloc((void **)&a, 4 * n * sizeof(float));\n"
                             "  k<<<(n + 127) / 128, 128>>>(a, n);\n}\n");
    sizes with = {.names = {"n"}, .values = {100}, .count = 1};
    cr_expect_eq(elements(&of, "a", &with), 400);
    done(&of);
}

Test(infer, subscripts_that_are_loaded_are_kept_small) {
    inferred of = infer(HEAD "__global__ void k(const float *a, const int *at, float *b, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n) b[i] = a[at[i]];\n}\n"
                             "void run(float *a, int *at, float *b, int n) {\n"
                             "  k<<<(n + 127) / 128, 128>>>(a, at, b, n);\n}\n");
    const ht_arg *at = arg_named(&of, "at");
    sizes with = {.names = {"n"}, .values = {100}, .count = 1};
    cr_assert_eq(at->init.kind, HT_INIT_INTEGERS);
    cr_expect_eq(at->init.lo, 0);
    cr_expect_lt(at->init.hi, (double)elements(&of, "a", &with));
    cr_expect_eq(elements(&of, "at", &with), 100);
    done(&of);
}

/* A number that the enumeration does not name may lead anywhere, as to a trap. */
Test(infer, an_enumeration_has_a_value_that_it_names) {
    inferred of = infer(HEAD "enum class Kind { NONE, SLOPE = 40, LAST };\n"
                             "__global__ void k(float *a, Kind kind, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n) a[i] = kind == Kind::SLOPE ? 2 : 1;\n}\n"
                             "void run(float *a, Kind kind, int n) {\n"
                             "  k<<<(n + 127) / 128, 128>>>(a, kind, n);\n}\n");
    cr_assert_eq(of.kernel->status, HT_KERNEL_TEMPLATED, "%s", of.kernel->reason);
    cr_expect_eq(number(&of, "kind"), 40);
    cr_expect_eq(instance_value(&of, "kind"), -1);
    done(&of);
}

Test(infer, structures_of_several_types_have_contents_by_field) {
    inferred of = infer(HEAD "enum Kind { FIRST = 1, LAST = 3 };\n"
                             "struct Inner { short low, high; };\n"
                             "struct Point { float x, y; Kind kind; Inner in; double d[9]; };\n"
                             "__global__ void k(const Point *p, float *b, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n) b[i] = p[i].x * p[i].in.low + p[i].d[8];\n}\n"
                             "void run(float *b, int n) {\n  Point *p;\n"
                             "  hipMalloc((void **)&p, n * sizeof(Point));\n"
                             "  k<<<(n + 127) / 128, 128>>>(p, b, n);\n}\n");
    const ht_arg *p = arg_named(&of, "p");
    sizes with = {.names = {"n"}, .values = {100}, .count = 1};
    ht_text text = {0};
    cr_assert_eq(p->init.kind, HT_INIT_RECORDS);
    ht_arg_print(p, &text);
    cr_expect(strstr(text.data, "records(88, 0 float, 4 float, 8 unsigned int(1, 3), 12 short, "
                                "14 short, 16 double[9])"),
              "%s", text.data);
    cr_expect_eq(elements(&of, "p", &with), 8800);
    ht_text_free(&text);
    done(&of);
}

Test(infer, types_that_a_launch_deduces_and_real_arguments) {
    inferred of = infer(HEAD "template <typename T> __global__ void k(T *a, T by, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n) a[i] *= by;\n}\n"
                             "void run(double *a, int n) {\n  const double by = 0.25;\n"
                             "  k<<<(n + 127) / 128, 128>>>(a, by, n);\n}\n");
    cr_expect_str_eq(arg_named(&of, "a")->type, "double");
    cr_expect_eq(arg_named(&of, "by")->real, 0.25);
    done(&of);
}

/* ---- the report */

Test(infer, real_vectors_and_halves_have_values_that_are_chosen) {
    inferred of = infer(HEAD "#include <hip/hip_fp16.h>\n"
                             "__global__ void k(float *a, float4 color, __half h, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n) a[i] = color.w * (float)h;\n}\n"
                             "void run(float *a, float4 c, __half h, int n) {\n"
                             "  k<<<(n + 127) / 128, 128>>>(a, c, h, n);\n}\n");
    cr_expect_eq(arg_named(&of, "color")->value_count, 4);
    cr_expect(arg_named(&of, "h")->is_real);
    done(&of);
}

Test(infer, what_is_missing_is_said) {
    expect_missing(HEAD "__global__ void k(float *a, int n) {\n" INDEX
                        "  if (i < n) a[i] = 1;\n}\n",
                   "a launch of it");
    expect_missing(HEAD "__global__ void k(float *a, int n) {\n" INDEX
                        "  if (i < n) a[i - 1] = 1;\n}\n" RUN,
                   "'a': a subscript may be negative");
    expect_missing(HEAD "__global__ void k(float *a, int n) {\n" INDEX
                        "  if (i < n) a[(int)a[i]] = 1;\n}\n" RUN,
                   "the elements of 'a'");
}

#define COPY_LOOP(first, next)                                                                     \
    HEAD "__global__ void k(float *a, int n) {\n"                                                  \
         "  long at = blockIdx.x * blockDim.x + threadIdx.x;\n"                                    \
         "  for (int i = " first "; at < n; at += blockDim.x * gridDim.x, i = " next ")\n"         \
         "    a[i] = 1;\n}\n" RUN

/* A second counter that is the first one at each iteration's begin; where it is not so once, or
 * later, nothing is said of it. */
Test(infer, a_copy_of_a_loops_counter_moves_as_the_counter_does) {
    inferred of = infer(COPY_LOOP("at", "at"));
    sizes with = {.names = {"n"}, .values = {4711}, .count = 1};
    cr_expect_eq(elements(&of, "a", &with), 4711);
    done(&of);
    expect_missing(COPY_LOOP("at + 1", "at"), "the elements of 'a'");
    expect_missing(COPY_LOOP("at", "at + 1"), "the elements of 'a'");
    expect_missing(COPY_LOOP("at", "2 * at"), "the elements of 'a'");
}

/* Sizes that are macros stay: an emulation of several GiB takes longer than a moment. */
Test(infer, buffers_of_sizes_that_are_macros_are_no_larger_than_an_inferred_problem_may_be) {
    static const char *const sizes[] = {"268435456", "1099511627776ll", "2305843009213693952ll"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        char *text = ht_format(HEAD "#define N %s\n__global__ void k(const float *in, float *out, "
                                    "int n) {\n" INDEX "  if (i < n) out[i] = in[i + N];\n}"
                                    "\nvoid run(const float *in, float *out) {\n"
                                    "  k<<<1, 64>>>(in, out, 64);\n}\n",
                               sizes[i]);
        expect_reason(text, "no more than 256 MiB");
        free(text);
    }
    expect_reason(HEAD
                  "__device__ float table[1 << 28];\n__global__ void k(float *a, int n) {\n" INDEX
                  "  if (i < n) a[i] = table[i];\n}\n" RUN,
                  "no more than 256 MiB");
}

/* Matrices of 4096 x 4096, as suites have them, are run as they are; where the same number only
 * initialises a variable, it is made smaller. */
Test(infer, matrices_of_sizes_that_are_macros_are_run_as_they_are) {
    static const char body[] =
        "__global__ void k(const float *in, float *out, int n) {\n" INDEX
        "  if (i < n) for (int j = 0; j < n; ++j) out[i] += in[i * n + j];\n}\n"
        "void run(const float *in, float *out) {\n";
    char *macro = ht_format(HEAD "#define N 4096\n%s  k<<<N / 64, 64>>>(in, out, N);\n}\n", body);
    char *named = ht_format(HEAD "%s  int n = 4096;\n  k<<<n / 64, 64>>>(in, out, n);\n}\n", body);
    inferred of = infer(macro);
    cr_expect_eq(number(&of, "n"), 4096);
    done(&of);
    of = infer(named);
    cr_expect_lt(number(&of, "n"), 4096);
    done(&of);
    free(macro);
    free(named);
}

/* 100 elements are no block: with another number the launch has one. The table takes 80 MB, more
 * than an emulation should have; a problem that lacks a size is not better for taking less. */
Test(infer, a_large_problem_that_is_complete_is_kept_for_one_that_is_not) {
    inferred of = infer(
        HEAD "#define N 20000000\n__global__ void k(const float *in, float *out, int n) {\n" INDEX
             "  if (i < n) out[i] = in[i + N];\n}\n"
             "void run(const float *in, float *out) {\n  int n = 100;\n"
             "  k<<<n / 256, 256>>>(in, out, n);\n}\n");
    cr_assert_eq(of.kernel->problem, HT_PROBLEM_INFERRED, "%s", of.kernel->reason);
    cr_expect_geq(instance_value(&of, "n"), 256);
    done(&of);
}

/* An extent that is too small would be found by every run that is checked; here against all
 * accesses of a kernel, counted by hand. */
Test(infer, bounds_hold_for_every_thread) {
    inferred of = infer(
        HEAD "__global__ void k(const float *a, float *b, int w, int h, int s) {\n"
             "  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
             "  if (x < w / s && y < h / s)\n"
             "    for (int r = 0; r < s; ++r)\n"
             "      b[y * (w / s) + x] = a[(y * s + r) * w + x * s + min(r, s - 1)];\n}\n"
             "void run(float *a, float *b, int w, int h, int s) {\n"
             "  k<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, b, w, h, s);\n}\n");
    for (int64_t w = 1; w < 40; w += 5)
        for (int64_t s = 1; s < 4; ++s) {
            sizes with = {.names = {"w", "h", "s"}, .values = {w, w + 2, s}, .count = 3};
            int64_t most_a = 0, most_b = 0;
            for (int64_t y = 0; y < (w + 2) / s; ++y)
                for (int64_t x = 0; x < w / s; ++x)
                    for (int64_t r = 0; r < s; ++r) {
                        int64_t at = (y * s + r) * w + x * s + r;
                        most_a = at >= most_a ? at + 1 : most_a;
                        at = y * (w / s) + x;
                        most_b = at >= most_b ? at + 1 : most_b;
                    }
            cr_expect_geq(elements(&of, "a", &with), most_a);
            cr_expect_geq(elements(&of, "b", &with), most_b);
        }
    done(&of);
}

/* Rows that lie on each other are not an image. */
Test(infer, rows_are_as_far_apart_as_they_are_long) {
    inferred of =
        infer(HEAD "__global__ void k(const float *in, float *out, int width, int pitch) {\n"
                   "    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;\n"
                   "    if (x < width) out[y * pitch + x] = in[y * pitch + x];\n"
                   "}\n"
                   "void run(const float *in, float *out, int width, int height, int pitch) {\n"
                   "    k<<<dim3((width + 15) / 16, height / 4), dim3(16, 4)>>>(in, out, width, "
                   "pitch);\n"
                   "}\n");
    arg_named(&of, "pitch");
    const ht_problem *instance = &of.kernel->inferred->entries[0].instances[0];
    int64_t width = 0, pitch = 0;
    cr_expect(ht_problem_get(instance, "width", &width) &&
              ht_problem_get(instance, "pitch", &pitch));
    cr_expect(width > 0 && pitch >= width, "%lld of %lld", (long long)width, (long long)pitch);
    done(&of);
}

/* A pitch may count bytes, and rows of outputs may lie a stride apart, as those of a window do not.
 */
Test(infer, rows_of_outputs_are_as_far_apart_as_they_are_long) {
    inferred of =
        infer(HEAD "__global__ void k(const float *in, float *out, int width, int p, int s) {\n"
                   "    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;\n"
                   "    if (x < width) out[y * p + x] = in[y * width + x * s];\n"
                   "}\n"
                   "void run(const float *in, float *out, int width, int height, size_t rowStep, "
                   "int stride) {\n"
                   "    k<<<dim3((width + 15) / 16, height / 4), dim3(16, 4)>>>(in, out, width, "
                   "rowStep / sizeof(float), stride);\n"
                   "}\n");
    const ht_problem *instance = &of.kernel->inferred->entries[0].instances[0];
    int64_t width = 0, step = 0, stride = 0;
    cr_expect(ht_problem_get(instance, "width", &width) &&
              ht_problem_get(instance, "rowStep", &step) &&
              ht_problem_get(instance, "stride", &stride));
    cr_expect(width > 0 && step >= 4 * width, "%lld of %lld", (long long)width, (long long)step);
    cr_expect_eq(stride, 1);
    done(&of);
}

/* The guards leave two elements at each side, so that a star reaches two elements at most. */
Test(infer, a_window_fits_into_what_guards_leave) {
    inferred of =
        infer(HEAD "__global__ void k(const float *in, float *out, int width, int reach) {\n"
                   "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "    if (x < 2 || x >= width - 2) return;\n"
                   "    float sum = in[x];\n"
                   "    for (int d = 1; d <= reach / 2; ++d) sum += in[x - d] + in[x + d];\n"
                   "    out[x] = sum;\n"
                   "}\n"
                   "void run(int width, int reach) {\n"
                   "    float *in, *out;\n"
                   "    hipMalloc(&in, width * sizeof(float));\n"
                   "    hipMalloc(&out, width * sizeof(float));\n"
                   "    k<<<(width + 63) / 64, 64>>>(in, out, width, reach);\n"
                   "}\n");
    arg_named(&of, "reach");
    const ht_problem *instance = &of.kernel->inferred->entries[0].instances[0];
    int64_t reach = 0;
    cr_expect(ht_problem_get(instance, "reach", &reach));
    cr_expect_eq(reach / 2, 2, "%lld", (long long)reach);
    done(&of);
}

Test(infer, an_emulation_takes_a_moment_and_every_loop_goes_round_more_than_once) {
    /* As many threads as K, H and W have, no more: smaller grids would have no block. */
    inferred of =
        infer(HEAD "__global__ void k(const float *in, float *out, int K, int H, int W, int N, int "
                   "C, int D) {\n"
                   "    int c = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "    int x = blockIdx.y * blockDim.y + threadIdx.y;\n"
                   "    int y = blockIdx.z * blockDim.z + threadIdx.z;\n"
                   "    for (int n = 0; n < N; ++n)\n"
                   "        for (int z = 0; z < D; ++z) {\n"
                   "            float sum = 0;\n"
                   "            for (int i = 0; i < C; ++i)\n"
                   "                for (int r = 0; r < 125; ++r)\n"
                   "                    sum += in[((n * D + z) * H + y) * W * C + x * C + i] * r;\n"
                   "            out[((n * D + z) * H + y) * W * K + x * K + c] = sum;\n"
                   "        }\n"
                   "}\n"
                   "void run(const float *in, float *out, int K, int H, int W, int N, int C, int "
                   "D) {\n"
                   "    dim3 block(16, 4, 4), grid(K / 16, W / 4, H / 4);\n"
                   "    k<<<grid, block>>>(in, out, K, H, W, N, C, D);\n"
                   "}\n");
    cr_assert_eq(of.kernel->problem, HT_PROBLEM_INFERRED, "%s", of.kernel->reason);
    const ht_problem *problem = &of.kernel->inferred->entries[0].instances[0];
    static const char *const names[] = {"K", "H", "W", "N", "C", "D"};
    int64_t value[6];
    for (size_t i = 0; i < 6; ++i) {
        cr_assert(ht_problem_get(problem, names[i], &value[i]), "%s", names[i]);
        cr_expect_geq(value[i], 2, "%s = %lld", names[i], (long long)value[i]);
    }
    int64_t threads = value[0] / 16 * (value[1] / 4) * (value[2] / 4) * 256;
    cr_expect_gt(threads, 256, "several blocks");
    cr_expect_leq(threads * value[3] * value[4] * value[5] * 125, 20000000);
    done(&of);
}

/* The contents of constant memory must be given: with zeros in it nothing would be seen of its
 * reads. */
Test(infer, constant_memory_of_a_template_waits_for_its_contents) {
    inferred of =
        infer(HEAD "template <typename T> __constant__ T taps[3];\n"
                   "template <typename T> __global__ void k(const T *in, T *out, int n) {\n"
                   "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "    if (i < n - 2)\n"
                   "        out[i] = in[i] * taps<T>[0] + in[i + 2] * taps<T>[2];\n"
                   "}\n"
                   "void run(const float *in, float *out, int n) {\n"
                   "    k<float><<<(n + 63) / 64, 64>>>(in, out, n);\n"
                   "}\n");
    cr_expect_eq(of.kernel->status, HT_KERNEL_NEEDS_PROBLEM);
    cr_expect(of.kernel->reason && strstr(of.kernel->reason, "constant memory 'taps' (line"), "%s",
              of.kernel->reason ? of.kernel->reason : "no reason");
    done(&of);
}

Test(infer, constant_memory_has_the_name_of_its_namespace) {
    inferred of = infer(HEAD "namespace blur {\n"
                             "__constant__ float taps[3];\n}\n"
                             "__global__ void k(const float *in, float *out, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n - 2)\n"
                             "        out[i] = in[i] * blur::taps[0] + in[i + 2] * blur::taps[2];\n"
                             "}\n"
                             "void run(const float *in, float *out, int n) {\n"
                             "    k<<<(n + 63) / 64, 64>>>(in, out, n);\n"
                             "}\n");
    const ht_arg *taps = arg_named(&of, "blur::taps");
    cr_expect(taps && taps->role == HT_ARG_CONSTANT);
    done(&of);
}

Test(infer, tables_in_device_memory_have_contents) {
    inferred of = infer(HEAD "__device__ float table[4][2];\n"
                             "__device__ int seen[4];\n"
                             "__global__ void k(const float *in, float *out, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n)\n"
                             "        out[i] = in[i] * table[i % 4][1] + seen[i % 4];\n"
                             "}\n"
                             "void run(const float *in, float *out, int n) {\n"
                             "    k<<<(n + 63) / 64, 64>>>(in, out, n);\n"
                             "}\n");
    const ht_arg *table = arg_named(&of, "table");
    cr_expect(table && table->role == HT_ARG_CONSTANT);
    cr_expect_eq(of.kernel->inferred->entries[0].arg_count, 4);
    cr_expect_eq(of.kernel->status, HT_KERNEL_TEMPLATED, "%s", of.kernel->reason);
    done(&of);
}

/* The argument that a template of the host passes has a type only where it is called: libclang
 * crashed when it was asked for that type's element. */
Test(infer, arguments_of_no_type_are_passed_over) {
    inferred of = infer(HEAD "template <typename C> __global__ void k(C *out, C *in, size_t n) {\n"
                             "    size_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n)\n"
                             "        out[i].x = in[i].y;\n"
                             "}\n"
                             "template <typename C> void run(C *in, C *out, size_t n) {\n"
                             "    k<<<(n + 63) / 64, 64>>>(out, in + 2 * n, n);\n"
                             "}\n"
                             "void all(float2 *in, float2 *out) { run(in, out, 100); }\n");
    cr_expect_neq(of.kernel->status, HT_KERNEL_UNPARSED, "%s", of.kernel->reason);
    done(&of);
}
