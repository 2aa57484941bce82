/* Problems of kernels that nothing launches, and template arguments of launches. */
#include "infer_support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define DOUBLES(extra)                                                                             \
    HEAD "__global__ void k(const float *in, float *out, int n) {\n"                               \
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" extra                                \
         "  if (i < n) out[i] = in[i] * 2;\n}\n"

/* Any launch that covers the guards computes the same, so that one may be chosen. */
Test(infer_launch, a_kernel_that_nothing_launches_gets_a_launch_that_covers_its_guards) {
    ht_refactor *refactor = refactor_tried(
        HEAD "template <typename T> __global__ void k(T *out, const T *in, int w, int h) {\n"
             "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "  int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
             "  if (x >= w || y >= h) return;\n  out[y * w + x] = in[y * w + x] * 2;\n}\n",
        true);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_expect(strstr(kernel->template->unit, "baseline(k__original<float>)\n#pragma tune block(16, "
                                             "16)\n#pragma tune grid(ceil_div(w, 16), "
                                             "ceil_div(h, 16))"),
              "%s", kernel->template->unit);
    ht_refactor_free(refactor);
}

Test(infer_launch, no_launch_is_chosen_where_guards_do_not_suffice) {
    static const char *const sources[] = {
        /* no guard */
        "__global__ void k(float *a, int n) {\n  int i = blockIdx.x * blockDim.x + "
        "threadIdx.x;\n  a[i] = n;\n}\n",
        /* a thread's place in its block */
        "__global__ void k(float *a, int n) {\n  int i = blockIdx.x * blockDim.x + "
        "threadIdx.x;\n  if (i < n) a[i] = threadIdx.x;\n}\n",
        "__global__ void k(float *a, int n) {\n  int i = blockIdx.x * blockDim.x + "
        "threadIdx.x;\n  if (i < n) a[i] = gridDim.x;\n}\n",
        /* blocks along an axis without a guard */
        "__global__ void k(float *a, int n) {\n  int i = blockIdx.x * blockDim.x + "
        "threadIdx.x;\n  if (i < n) a[i + blockIdx.y * n] = 1;\n}\n",
        /* shared memory */
        "__global__ void k(float *a, int n) {\n  __shared__ float s[256];\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) a[i] = s[i & 255];\n}\n"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        char *text = ht_format(HEAD "%s", sources[i]);
        ht_refactor *refactor = refactor_tried(text, true);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_expect_neq(kernel->status, HT_KERNEL_TEMPLATED, "%s", sources[i]);
        ht_refactor_free(refactor);
        free(text);
    }
}

#define STRIDED(loop, work) "__global__ void k(float *a, const float *b, int n) {\n" loop work "}\n"
#define TOTAL "blockDim.x * gridDim.x"
#define EACH "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += " TOTAL ")"

/* Which thread runs an iteration does not matter, so that any launch will do. */
Test(infer_launch, a_kernel_whose_threads_share_out_iterations_gets_any_launch) {
    static const char *const sources[] = {
        STRIDED(EACH, " a[i] = b[i] * 2;\n"),
        STRIDED("  int stride = " TOTAL ";\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n",
                "  while (n > i) { a[i] = b[i] * 2; i += stride; }\n"),
        STRIDED(
            "  int i = threadIdx.x + blockIdx.x * blockDim.x;\n",
            "  for (; i < n; i = i + " TOTAL ") {\n    if (b[i] < 0) continue;\n"
            "    for (int j = 0; j < 9; ++j) if (b[i] < j) break;\n    a[i] = b[i] * 2;\n  }\n"),
        STRIDED("  for (long at = blockIdx.x * blockDim.x + threadIdx.x, i = at; at < n;\n"
                "       at += " TOTAL ", i = at)",
                " a[i] = b[i] * 2;\n")};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        char *text = ht_format(HEAD "%s", sources[i]);
        ht_refactor *refactor = refactor_tried(text, true);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s%s", sources[i], kernel->reason);
        cr_expect(strstr(kernel->template->unit, "#pragma tune block(256)\n"
                                                 "#pragma tune grid(ceil_div(n, 512))"),
                  "%s", kernel->template->unit);
        ht_refactor_free(refactor);
        free(text);
    }
}

/* A launch decides which of a thread's iterations come first, and how many threads there are. */
Test(infer_launch, no_launch_is_chosen_where_iterations_depend_on_each_other) {
    static const char *const sources[] = {
        STRIDED(EACH, " { if (b[i] < 0) break; a[i] = 1; }\n"),
        STRIDED(EACH, " { if (b[i] < 0) return; a[i] = 1; }\n"),
        STRIDED("  float sum = 0;\n" EACH, " { sum += b[i]; a[i] = sum; }\n"),
        STRIDED(EACH, " a[i] = gridDim.x;\n"),
        STRIDED(EACH, " a[i] = threadIdx.x;\n"),
        STRIDED(EACH, " a[i] = blockDim.x;\n"),
        STRIDED(EACH, " a[i] = b[i];\n  a[0] = 1;\n"),
        STRIDED("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n",
                "  while (i < n) { i += " TOTAL "; a[i] = 1; }\n"),
        STRIDED("  int i = blockIdx.x * blockDim.x + threadIdx.x;\n",
                "  while (i < n) { a[i] = 1; i += " TOTAL "; }\n  b = a + i;\n")};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        char *text = ht_format(HEAD "%s", sources[i]);
        ht_refactor *refactor = refactor_tried(text, true);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_expect_neq(kernel->status, HT_KERNEL_TEMPLATED, "%s", sources[i]);
        ht_refactor_free(refactor);
        free(text);
    }
}

/* Where an iteration may end those that its thread has left, which ones are run depends on the
 * number of threads. That must stay then; else any grid will do. */
Test(infer_launch, iterations_that_end_others_keep_the_number_of_threads) {
    static const char *const ends[] = {"continue", "break", "return"};
    for (size_t i = 0; i < 3; ++i) {
        char *text = ht_format(
            HEAD STRIDED(EACH, " { if (b[i] < 0) %s; a[i] = 1; }\n") "void run("
                                                                     "float *a, float *b, int n) { "
                                                                     "k<<<5, 256>>>(a, b, n); }\n",
            ends[i]);
        ht_refactor *refactor = refactor_tried(text, true);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
        bool stays = strstr(kernel->template->unit, "BLOCK_X) * BLOCK_X == 5 * 256)") != NULL;
        cr_expect_eq(stays, i > 0, "%s", kernel->template->unit);
        ht_refactor_free(refactor);
        free(text);
    }
}

/* Sources that are to be written may have launches elsewhere. */
Test(infer_launch, no_launch_is_chosen_where_nothing_tries_it) {
    ht_refactor *refactor = refactor_tried(HEAD "__global__ void k(float *a, int n) {\n"
                                                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                                "  if (i < n) a[i] = 1;\n}\n",
                                           false);
    cr_expect_eq(kernel_named(refactor, "k", NULL)->status, HT_KERNEL_NEEDS_PROBLEM);
    ht_refactor_free(refactor);
}

/* ---- template arguments ---- */

/* A structure or functor of the file may be a template argument: named by the launch or deduced
 * from it, by value or as elements. The template has its definition. */
Test(infer_launch, template_arguments_may_be_structures) {
    static const char *const names[] = {"<V, ops::Scale>", "<V>", ""};
    for (size_t i = 0; i < 3; ++i) {
        char *text = ht_format(
            HEAD
            "struct V { float x, y, z; };\nnamespace ops {\nstruct Scale { float f; __device__ "
            "float operator()(float v) const { return v * f; } };\n}\n"
            "struct Other { int unused; };\n"
            "template <class T, class F, int A = 4> __global__ void k(T *a, const T *b, int n, "
            "F f) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (i < n) a[i].x = f(b[i].x) + A;\n}\n"
            "void run(V *a, const V *b, int n) {\n  ops::Scale s{2};\n"
            "  k%s<<<(n + 255) / 256, 256>>>(a, b, n, s);\n}\n",
            names[i]);
        ht_problem_file *given;
        ht_refactor *refactor = refactor_text(text, NULL, &given);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", names[i], kernel->reason);
        const char *unit = kernel->template->unit;
        cr_expect(strstr(unit, "arg(b : in float[problem.n * 3])"), "%s", unit);
        cr_expect(strstr(unit, "struct V {") && strstr(unit, "struct Scale {"), "%s", unit);
        cr_expect_not(strstr(unit, "struct Other"), "%s", unit);
        cr_expect(strstr(unit, "k__original<V, ops::Scale, 4>"), "%s", unit);
        ht_refactor_free(refactor);
        ht_problem_file_free(given);
        free(text);
    }
}

/* The launch stands in a template of the host's that another one calls: the argument is what that
 * writes, or what its own parameter is in its first call. One that is computed is not known. */
Test(infer_launch, template_arguments_may_come_through_two_templates_of_the_host) {
    static const char *const calls[] = {"wrapper<T, 2>(a, n)", "wrapper<T, M>(a, n)",
                                        "wrapper<T, M - 1>(a, n)"};
    for (size_t i = 0; i < 3; ++i) {
        char *text =
            ht_format(HEAD "template <typename T, int D> __global__ void k(T *a, int n) {\n" INDEX
                           "  if (i < n) a[i] = D;\n}\n"
                           "template <typename T, int D> void wrapper(T *a, int n) {\n"
                           "  k<T, D><<<(n + 255) / 256, 256>>>(a, n);\n}\n"
                           "template <typename T, int M> void outer(T *a, int n, int d) {\n"
                           "  switch (d) {\n  case 2: %s; break;\n  }\n}\n"
                           "void run(float *a, int n, int d) { outer<float, 3>(a, n, d); }\n",
                      calls[i]);
        ht_refactor *refactor = refactor_tried(text, true);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        if (i < 2) {
            cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
            cr_expect(strstr(kernel->template->unit,
                             i ? "k__original<float, 3>" : "k__original<float, 2>"),
                      "%s", kernel->template->unit);
        } else
            cr_expect_neq(kernel->status, HT_KERNEL_TEMPLATED);
        ht_refactor_free(refactor);
        free(text);
    }
}

/* A class that no other place can name stays the program's. */
Test(infer_launch, lambdas_are_not_named_as_template_arguments) {
    ht_refactor *refactor =
        refactor_tried(HEAD "template <class F> __global__ void k(float *a, int n, F f) {\n"
                            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "  if (i < n) a[i] = f(i);\n}\n"
                            "void run(float *a, int n) {\n"
                            "  auto f = [=] __device__(int i) { return i * 2.0f; };\n"
                            "  k<<<(n + 255) / 256, 256>>>(a, n, f);\n}\n",
                       true);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_eq(kernel->status, HT_KERNEL_NEEDS_PROBLEM, "%s", kernel->reason);
    ht_refactor_free(refactor);
}

/* ---- numbers that objects are asked for ---- */

/* x.numel() and x.size(0) are sizes with names of their own, the same in grid and argument. A
 * method that is not const, or takes a variable, does not give one number. */
Test(infer_launch, numbers_that_an_object_is_asked_for_are_sizes) {
    static const char *const grids[] = {"x.numel()", "x.size(1)", "x.next()", "x.size(n)"};
    static const char *const sizes[] = {"problem(k_sizes : x_numel)", "problem(k_sizes : x_size_1)",
                                        NULL, NULL};
    for (size_t i = 0; i < 4; ++i) {
        char *text = ht_format(
            HEAD "struct Tensor { long numel() const; long size(int) const; long next(); };\n"
                 "__global__ void k(float *a, int n) {\n"
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) a[i] = 1;\n}\n"
                 "void run(Tensor &x, float *a, int n) {\n"
                 "  k<<<(%s + 255) / 256, 256>>>(a, %s);\n}\n",
            grids[i], grids[i]);
        ht_refactor *refactor = refactor_tried(text, true);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        bool found =
            kernel->template && sizes[i] && strstr(kernel->template->unit, sizes[i]) != NULL;
        cr_expect_eq(found, i < 2, "%s: %s", grids[i],
                     kernel->template ? kernel->template->unit : kernel->reason);
        ht_refactor_free(refactor);
        free(text);
    }
}

/* In a grid of one row, blocks counted over two axes are counted over one. */
Test(infer_launch, blocks_counted_over_two_axes_get_a_grid_of_one_row) {
    static const char *const indices[] = {"i", "i + blockIdx.x"};
    for (int i = 0; i < 2; ++i) {
        char *text = ht_format(
            HEAD "__global__ void k(const float *in, float *out, int n) {\n"
                 "  int i = (blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x + threadIdx.x;\n"
                 "  if (i < n) out[i] = in[%s] * 2;\n}\n",
            indices[i]);
        ht_refactor *refactor = refactor_tried(text, true);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_expect_eq(kernel->status, i ? HT_KERNEL_NEEDS_PROBLEM : HT_KERNEL_TEMPLATED, "%s: %s",
                     text, kernel->reason);
        if (kernel->template)
            cr_expect(strstr(kernel->template->unit, "grid(ceil_div(n, 256))"), "%s",
                      kernel->template->unit);
        ht_refactor_free(refactor);
        free(text);
    }
}

/* The template is for a launch that covers the guards; the source's own launches would have to be
 * followed to be rewritten. */
Test(infer_launch, a_kernel_whose_launches_are_not_followed_gets_a_launch_that_covers_its_guards) {
    static const char *const hosts[] = {
        "void keep(void (*)(const float *, float *, int));\nvoid run() { keep(k); }\n",
        "int many(int n);\nvoid run(const float *in, float *out, int n) {\n"
        "  dim3 grid;\n  grid.x = many(n);\n  k<<<grid, 256>>>(in, out, n);\n}\n",
        NULL};
    for (const char *const *host = hosts; *host; ++host)
        for (int tries = 0; tries < 2; ++tries) {
            char *text = ht_format("%s%s", DOUBLES(""), *host);
            ht_refactor *refactor = refactor_tried(text, tries);
            const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
            cr_assert_eq(kernel->status, tries ? HT_KERNEL_TEMPLATED : HT_KERNEL_NEEDS_PROBLEM,
                         "%s: %s", text, kernel->reason);
            if (tries)
                cr_expect(strstr(kernel->template->unit,
                                 "block(256)\n#pragma tune grid(ceil_div(n, "
                                 "256))"),
                          "%s", kernel->template->unit);
            ht_refactor_free(refactor);
            free(text);
        }
}

/* Here the number of blocks is seen in what is computed: it stays a size of its own. */
Test(infer_launch, a_launch_that_is_not_followed_is_not_replaced_where_more_than_guards_count) {
    ht_refactor *refactor = refactor_tried(
        DOUBLES("  if (i < n) out[blockIdx.x] = 1;\n") "int many(int n);\nvoid run(const float "
                                                       "*in, float *out, int n) {\n"
                                                       "  dim3 grid;\n  grid.x = many(n);\n  "
                                                       "k<<<grid, 256>>>(in, out, n);\n}\n",
        true);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect(!kernel->template || strstr(kernel->template->unit, "grid(problem.blocks_x)"), "%s",
              kernel->reason);
    ht_refactor_free(refactor);
}

/* A size that members, pointers and subscripts lead to is a field, the same in launch and call. */
Test(infer_launch, sizes_that_members_of_members_and_elements_hold_are_fields) {
    static const struct {
        const char *passed, *field;
    } sizes[] = {{"g.mg->rc->n", "g_mg_rc_n"},
                 {"g.sizes[2]", "g_sizes_2"},
                 {"g.sizes[i]", "g_sizes_i"},
                 {"list[i]", "list_i"},
                 {"held->n", "held_n"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        const char *passed = sizes[i].passed;
        char *text = ht_format(
            HEAD "struct Coarse { int n; };\nstruct Level { Coarse *rc; };\n"
                 "struct Grid { Level *mg; int *sizes; };\n"
                 "struct Held { Coarse *at; Coarse *operator->() const { return at; } };\n"
                 "__global__ void k(float *a, int n) {\n"
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "  if (i < n) a[i] *= 2;\n}\n"
                 "void run(const Grid &g, float *a, Held held, const int *list, int i) {\n"
                 "  dim3 blocks((%s - 1) / 128 + 1);\n  k<<<blocks, 128>>>(a, %s);\n}\n",
            passed, passed);
        ht_refactor *refactor = refactor_tried(text, true);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", passed, kernel->reason);
        char *wanted = ht_format("arg(n : int = problem.%s)", sizes[i].field);
        cr_expect(strstr(kernel->template->unit, wanted), "%s: %s", passed, kernel->template->unit);
        free(wanted);
        ht_refactor_free(refactor);
        free(text);
    }
}

/* A template of the device's that passes a pointer on to another. One that moves its own first
 * leads elsewhere. */
Test(infer_launch, pointers_are_followed_through_two_templates_of_the_device) {
    static const struct {
        const char *passes;
        bool followed;
    } cases[] = {{"  turn(to, from, m);", true},
                 {"  from = m;\n  turn(to, from, m);", false},
                 {"  moved(from);\n  turn(to, from, m);", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = ht_format(
            HEAD "template <typename T> __device__ void moved(const T *&p) { p += 5; }\n"
                 "template <typename T> __device__ void turn(T *to, const T *from, const T *m) {\n"
                 "  for (int d = 0; d < 3; ++d)\n"
                 "    to[d] = from[0] * m[d * 3] + from[1] * m[d * 3 + 1] + from[2] * m[d * 3 + 2];"
                 "\n}\ntemplate <typename T>\n"
                 "__device__ void inside(T *to, const T *from, const T *m) {\n%s\n}\n"
                 "template <typename T> __global__ void k(const T *in, const T *m, T *out, int n) "
                 "{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
                 "  T a[3];\n  inside(a, in + 3 * i, m);\n  out[i] = a[0] + a[1] + a[2];\n}\n"
                 "void run(float *in, float *m, float *out, int n) {\n"
                 "  k<<<(n + 127) / 128, 128>>>(in, m, out, n);\n}\n",
            cases[i].passes);
        ht_refactor *refactor = refactor_tried(text, false);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        bool known = kernel->status == HT_KERNEL_TEMPLATED &&
                     strstr(kernel->template->unit, "arg(in : in float[3 * problem.n])") &&
                     strstr(kernel->template->unit, "arg(m : in float[9])");
        cr_expect_eq(known, cases[i].followed, "%s: %s", cases[i].passes,
                     kernel->template ? kernel->template->unit : kernel->reason);
        ht_refactor_free(refactor);
        free(text);
    }
}

/* Such a call loads the element that its pointer leads to. */
Test(infer_launch, subscripts_that_a_function_loads_are_kept_small) {
    static const char *const loads[] = {"__builtin_nontemporal_load(at + i)", "__ldg(&at[i])"};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; ++i) {
        char *text =
            ht_format(HEAD "__global__ void k(const float *a, const int *at, float *b, int n) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (i < n) b[i] = a[%s];\n}\n"
                           "void run(float *a, int *at, float *b, int n) {\n"
                           "  k<<<(n + 127) / 128, 128>>>(a, at, b, n);\n}\n",
                      loads[i]);
        inferred of = infer(text);
        const ht_arg *at = arg_named(&of, "at");
        cr_expect_eq(at->init.kind, HT_INIT_INTEGERS, "%s", loads[i]);
        cr_expect_eq(at->init.lo, 0);
        done(&of);
        free(text);
    }
}

/* The block is chosen at run time, and shared memory with it: both have the value that stands for
 * it. As it is another one in a run, nothing may be laid out by the bytes. */
Test(infer_launch, shared_memory_is_that_of_a_block_that_is_chosen_at_run_time) {
    inferred of =
        infer(HEAD "__global__ void k(const float *in, float *out, int n, int mask) {\n"
                   "  extern __shared__ float line[];\n" INDEX
                   "  line[threadIdx.x] = i < n ? in[i] : 0.f;\n  __syncthreads();\n"
                   "  float s = 0;\n  for (int j = 0; j < mask; ++j)\n"
                   "    s += threadIdx.x + j < blockDim.x ? line[threadIdx.x + j] : j;\n"
                   "  if (i < n) out[i] = s;\n}\n"
                   "void run(const float *in, float *out, int n, int threads) {\n"
                   "  k<<<(n + threads - 1) / threads, threads, threads * 4>>>(in, out, n, 5);\n"
                   "}\n");
    cr_assert_eq(of.kernel->status, HT_KERNEL_TEMPLATED, "%s", of.kernel->reason);
    const ht_template *made = of.kernel->template;
    cr_expect(strstr(made->unit, "lds(256 * 4)") && !strstr(made->unit, "param(BLOCK_"), "%s",
              made->unit);
    cr_expect_eq(instance_value(&of, "threads"), -1);
    done(&of);
}

/* In a template of the host, what stands among a kernel's template arguments is not resolved. */
Test(infer_launch, a_template_argument_may_be_a_constant_of_a_host_template) {
    inferred of = infer(
        HEAD "template <typename T, int TILE> __global__ void k(const T *in, T *out, int n) {\n"
             "  int i = blockIdx.x * TILE + threadIdx.x;\n"
             "  if (i < n) out[i] = in[i] * 2;\n}\n"
             "template <typename T> void run(const T *in, T *out, int n) {\n"
             "  constexpr int tile = 128;\n"
             "  k<T, tile><<<(n + tile - 1) / tile, tile>>>(in, out, n);\n}\n"
             "int main() { float *a = 0; run<float>(a, a + 1000, 1000); }\n");
    cr_assert_eq(of.kernel->status, HT_KERNEL_TEMPLATED, "%s", of.kernel->reason);
    cr_expect(strstr(of.kernel->template->unit, "baseline(k__original<float, 128>)"), "%s",
              of.kernel->template->unit);
    done(&of);
}

#define SCALES(arguments, host)                                                                    \
    HEAD "#define WIDE 128\nenum Mode { ONCE, TWICE };\n"                                          \
         "template <typename T, int TILE, Mode mode, bool more>\n"                                 \
         "__global__ void k(const T *in, T *out, int n) {\n"                                       \
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                      \
         "  if (i < n) out[i] = in[i] * (mode == TWICE ? 2 : 1) + TILE + more;\n}\n"               \
         "template <typename T, int N> void run(const T *in, T *out, int n) {\n" host              \
         "  k<" arguments "><<<(n + 127) / 128, 128>>>(in, out, n);\n}\n"                          \
         "int main() { double *a = 0; run<double, 64>(a, a + 1000, 1000); }\n"

/* So is a macro, a constant of the file, a sum of both, an enumerator. */
Test(infer_launch, template_arguments_in_a_host_template_may_be_constant_expressions) {
    static const struct {
        const char *source, *instance;
    } cases[] = {{SCALES("T, WIDE, TWICE, true", ""), "k__original<double, 128, TWICE, true>"},
                 {SCALES("T, WIDE / 2, ONCE, false", ""), "k__original<double, 64, ONCE, false>"},
                 {SCALES("T, wide + WIDE, TWICE, (WIDE > 64)", "  constexpr int wide = 8;\n"),
                  "k__original<double, 136, TWICE, true>"},
                 {SCALES("T, N, TWICE, true", ""), "k__original<double, 64, TWICE, true>"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        inferred of = infer(cases[i].source);
        cr_assert_eq(of.kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", cases[i].instance,
                     of.kernel->reason);
        cr_expect(strstr(of.kernel->template->unit, cases[i].instance), "%s: %s", cases[i].instance,
                  of.kernel->template->unit);
        done(&of);
    }
}

/* But not what hangs on the host template's own arguments: each of its instances has another. */
Test(infer_launch, template_arguments_that_hang_on_the_host_templates_are_not_made_up) {
    static const char *const sources[] = {
        SCALES("T, tile, TWICE, true", "  constexpr int tile = 32 * sizeof(T);\n"),
        SCALES("T, sizeof(T), TWICE, true", ""), SCALES("T, N * 2, TWICE, true", "")};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i)
        expect_reason(sources[i], "template argument 'TILE' of the launch");
}

/* The launch is reached with these sizes alone, and the kernel is the one made for them. */
Test(infer_launch, sizes_are_those_for_which_the_host_launches_the_instance) {
    static const char *const hosts[] = {
        /* a dispatch macro, whose text is not edited: the constant of the launch's own branch */
        "#define DISPATCH(VALUE, NAME, ...) [&] { \\\n"
        "  if (VALUE == 24) { constexpr int NAME = 24; return __VA_ARGS__(); } \\\n"
        "  if (VALUE == 48) { constexpr int NAME = 48; return __VA_ARGS__(); } \\\n"
        "  }()\n"
        "template <typename T> void run(const T *a, T *b, int w, int n) {\n"
        "  DISPATCH(w, W, [&] { k<T, W><<<(n * w + 127) / 128, 128>>>(a, b, n * w); });\n}\n"
        "void all(float *a, float *b, int w, int n) { run<float>(a, b, w, n); }\n",
        "void run(const float *a, float *b, int w, int n) {\n"
        "  switch (w) {\n"
        "  case 24:\n    k<float, 24><<<(n * w + 127) / 128, 128>>>(a, b, n * w);\n    break;\n"
        "  case 48:\n    k<float, 48><<<(n * w + 127) / 128, 128>>>(a, b, n * w);\n    break;\n"
        "  }\n}\n",
        "void run(const float *a, float *b, int w, int n) {\n"
        "  if (n < 1 || w != 24) {\n    return;\n  }\n"
        "  k<float, 24><<<(n * w + 127) / 128, 128>>>(a, b, n * w);\n}\n",
        "void run(const float *a, float *b, int w, int n) {\n"
        "  const int width = w;\n"
        "  if (!(24 == width && n > 0)) return;\n"
        "  else k<float, 24><<<(n * w + 127) / 128, 128>>>(a, b, n * w);\n}\n"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        char *text =
            ht_format(HEAD "template <typename T, int W> __global__ void k(const T *a, T *b, int n)"
                           " {\n" INDEX "  if (i < n) b[i] = a[i] * (i %% W);\n}\n%s",
                      hosts[i]);
        inferred of = infer(text);
        cr_assert_eq(of.kernel->problem, HT_PROBLEM_INFERRED, "%zu: %s", i, of.kernel->reason);
        const ht_problem_entry *entry = &of.kernel->inferred->entries[0];
        cr_expect_eq(instance_value(&of, "w"), 24, "%zu", i);
        cr_expect_eq(entry->template_argument_count, i == 0 ? 2 : 0); /* literals are read later */
        if (i == 0)
            cr_expect_str_eq(entry->template_arguments[1], "24");
        done(&of);
        free(text);
    }
}

/* Other tests name no size, or not one value. */
Test(infer_launch, tests_that_leave_more_than_one_size_choose_none) {
    static const char *const tests[] = {"if (w > 24)", "if (w == 24 || n == 3)", "if (w != 24)",
                                        "if (w == n)", "if (w == 24) ; else"};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) {
        char *text = ht_format(HEAD "__global__ void k(const float *a, float *b, int n) {\n" INDEX
                                    "  if (i < n) b[i] = a[i];\n}\n"
                                    "void run(const float *a, float *b, int w, int n) {\n"
                                    "  %s k<<<(n * w + 127) / 128, 128>>>(a, b, n * w);\n}\n",
                               tests[i]);
        inferred of = infer(text);
        cr_assert_eq(of.kernel->status, HT_KERNEL_TEMPLATED, "%zu: %s", i, of.kernel->reason);
        cr_expect_neq(instance_value(&of, "w"), 24, "%zu", i);
        done(&of);
        free(text);
    }
}

/* Another case's value, or one that the host changes before it launches, is not the launch's. */
Test(infer_launch, a_size_of_another_case_or_of_before_is_not_the_launchs) {
#define LAUNCH "k<<<(n * w + 127) / 128, 128>>>(a, b, n * w);"
    static const char *const hosts[] = {
        "switch (w) {\n  case 24:\n    s<<<1, 1>>>(b);\n    break;\n  default:\n    " LAUNCH
        "\n  }",
        "switch (n) {\n  case 3:\n    if (w != 24) return;\n    break;\n"
        "  case 5:\n    " LAUNCH "\n  }",
        "if (w != 24) return;\n  w = w / 4;\n  " LAUNCH, "if (w == 24) { w = 192; " LAUNCH " }"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        char *text = ht_format(HEAD "__global__ void s(float *b) { b[0] = 1; }\n"
                                    "__global__ void k(const float *a, float *b, int n) {\n" INDEX
                                    "  if (i < n) b[i] = a[i];\n}\n"
                                    "void run(const float *a, float *b, int w, int n) {\n  %s\n}\n",
                               hosts[i]);
        inferred of = infer(text);
        cr_assert_eq(of.kernel->problem, HT_PROBLEM_INFERRED, "%zu: %s", i, of.kernel->reason);
        cr_expect_neq(instance_value(&of, "w"), 24, "%zu", i);
        done(&of);
        free(text);
    }
#undef LAUNCH
}

/* A function that the launch calls may have a variable of the name of a size: it is not that size,
 * with which the grid would always be one block. */
Test(infer_launch, a_called_functions_variable_is_no_size_of_the_same_name) {
    static const char *const declared[] = {"int n = 256;", "const int n = 256;"};
    for (size_t i = 0; i < 2; ++i) {
        char *text = ht_format(HEAD "static int rounded(int m) {\n  %s\n"
                                    "  return (m + n - 1) / n;\n}\n"
                                    "__global__ void k(float *a, int n) {\n" INDEX
                                    "  if (i < n) a[i] += 1;\n}\n"
                                    "void run(float *a, int n) { k<<<rounded(n), 256>>>(a, n); }\n",
                               declared[i]);
        inferred of = infer(text);
        cr_assert_eq(of.kernel->problem, HT_PROBLEM_INFERRED, "%s", of.kernel->reason);
        cr_expect(strstr(of.kernel->template->unit, "grid((n + 256 - 1) / 256)"), "%s",
                  of.kernel->template->unit);
        done(&of);
        free(text);
    }
    expect_missing(HEAD "int asked();\nstatic int rounded(int m) {\n  int n = asked();\n"
                        "  return (m + n - 1) / n;\n}\n"
                        "__global__ void k(float *a, int n) {\n" INDEX
                        "  if (i < n) a[i] += 1;\n}\n"
                        "void run(float *a, int n) { k<<<rounded(n), 256>>>(a, n); }\n",
                   "which 'n' is meant in the launch: lines 11 and 4 declare");
}
