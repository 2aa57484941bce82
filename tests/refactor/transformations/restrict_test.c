/* restrict: offered only where nothing else leads to the memory, and its promise holds. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(restrict, a_promise_changes_no_result) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    cr_expect(applied(&of, "restrict"));
    expect_equal(&of, "blur",
                 (const char *const[]){"", "RESTRICT=true LAUNCH_BOUNDS=true",
                                       "RESTRICT=true COARSEN_X=4 BLOCK_X=32", NULL});
    subject_close(&of);
}

Test(restrict, a_tuned_source_says_it) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    expect_pieces(&of, "RESTRICT=true",
                  (const char *const[]){"blur(const float *__restrict__ in, ",
                                        "const float *__restrict__ w, float *__restrict__ out",
                                        NULL});
    char *text = apply_config(&of, "");
    cr_expect_str_eq(text, blur_source);
    free(text);
    subject_close(&of);
}

static void expect_restrict(const char *host, bool offered, const char *words) {
    char *text = ht_format("%s%s", BLUR, host);
    subject of = subject_open(text, blur_problem, "blur");
    cr_expect_eq(applied(&of, "restrict"), offered, "%s", host);
    cr_expect(!words || remarked(&of, words), "%s", host);
    subject_close(&of);
    free(text);
}

#define LAUNCH(in, w, out)                                                                         \
    "    blur<<<dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16)>>>(" in ", " w ", " out           \
    ", W, H, R);\n"
#define BUFFERS                                                                                    \
    "    float *a, *b, *c;\n"                                                                      \
    "    (void)hipMalloc(&a, 64);\n    (void)hipMalloc(&b, 64);\n    (void)hipMalloc(&c, 64);\n"

Test(restrict, what_callers_pass_may_be_the_same) {
    expect_restrict("void run(float *a, float *b, float *c, int W, int H, int R) {\n" LAUNCH(
                        "a", "b", "c") "}\n",
                    false, "may alias it");
}

Test(restrict, allocations_are_distinct_and_stay_so_when_swapped) {
    expect_restrict("namespace std { template <class T> void swap(T &, T &); }\n"
                    "void run(int W, int H, int R) {\n" BUFFERS
                    "    for (int i = 0; i < 2; ++i) {\n" LAUNCH(
                        "a", "b", "c + 4") "        std::swap(a, c);\n    }\n}\n",
                    true, NULL);
}

Test(restrict, a_changed_pointer_proves_nothing) {
    expect_restrict("void run(int W, int H, int R) {\n" BUFFERS
                    "    c = a;\n" LAUNCH("a", "b", "c") "}\n",
                    false, "may alias it");
    expect_restrict("void take(float *&);\nvoid run(int W, int H, int R) {\n" BUFFERS
                    "    take(c);\n" LAUNCH("a", "b", "c") "}\n",
                    false, "may alias it");
}

Test(restrict, other_units_may_launch_what_is_declared_ahead) {
    char *text =
        ht_format(HEAD "__global__ void blur(float *in, const float *w, float *out, int W, "
                       "int H, int R);\n%s",
                  blur_source);
    subject of = subject_open(text, blur_problem, "blur");
    cr_expect_not(applied(&of, "restrict"));
    cr_expect(remarked(&of, "other units may launch it"));
    subject_close(&of);
    free(text);
}

/* The weights are other memory than both, the image and the result are not. */
Test(restrict, one_buffer_twice_leaves_the_promise_to_the_others) {
    static const char *const hosts[] = {
        BLUR "void run(int W, int H, int R) {\n" BUFFERS LAUNCH("a", "b", "a + 4") "}\n",
        BLUR "void run(int W, int H, int R) {\n" BUFFERS LAUNCH("a", "b", "c")
            LAUNCH("c", "b", "c") "}\n"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        subject of = subject_open(hosts[i], blur_problem, "blur");
        char *text = apply_config(&of, "RESTRICT=true");
        cr_expect(strstr(text, "const float *__restrict__ w"), "%s", text);
        cr_expect_not(strstr(text, "__restrict__ in") || strstr(text, "__restrict__ out"), "%s",
                      text);
        cr_expect(remarked(&of, "may alias it"));
        free(text);
        subject_close(&of);
    }
}

/* The assignment of a structure is a call of its operator, and a write all the same. */
Test(restrict, a_structure_that_is_assigned_is_written) {
    static const char source[] = HEAD
        "struct cell { float v; };\n"
        "__global__ void blur(const cell *in, const float *w, cell *out, int W, int H, int R) {\n"
        "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (x >= W) return;\n"
        "    cell c = in[x];\n"
        "    c.v *= w[x];\n"
        "    out[x] = c;\n"
        "}\n"
        "void run(const cell *a, const float *b, cell *c, int W, int H, int R) {\n"
        "    blur<<<(W + 15) / 16, 16>>>(a, b, c, W, H, R);\n"
        "}\n";
    subject of = subject_open(source, blur_problem, "blur");
    cr_expect_not(applied(&of, "restrict"));
    cr_expect(remarked(
        &of, "no __restrict__ on 'in': 'out' may alias it; write __restrict__ if it does not"));
    subject_close(&of);
}
