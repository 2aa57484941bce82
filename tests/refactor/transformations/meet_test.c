/* register-tile in kernels whose threads meet: a block computes the outputs of several blocks along
 * an index that is blockIdx alone, and loads what they share once. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"rows : n, K\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[3 * problem.n]\", \"w : in float[3 * problem.K]\", "
    "\"out : out float[problem.K * problem.n]\", \"n : int = problem.n\", "
    "\"K : int = problem.K\"], \"instances\": [{\"fields\": {\"n\": 201, \"K\": 5}}]}]}";

#define FILL "row[j] = at >= 0 && at < n ? in[t * n + at] : 0.0f;"
#define WORK "sum += (row[threadIdx.x] - row[threadIdx.x + 2]) * w[c * 3 + t];"
#define STORE "if (i < n) out[c * n + i] = sum;"
#define SYNC "__syncthreads();"

/* Returns a kernel of rows; `front` stands before the sum; each step fills a row, meets and
 * works. */
static char *rows(const char *function, const char *front, const char *fill, const char *meet,
                  const char *work, const char *store) {
    return ht_format(HEAD "%s"
                          "__global__ void k(const float *in, const float *w, float *out, int n, "
                          "int K) {\n"
                          "    __shared__ float row[66]; // a block's, and its neighbours\n"
                          "    const int c = blockIdx.y;\n"
                          "    const int i = blockIdx.x * 64 + threadIdx.x;\n"
                          "    %s\n"
                          "    float sum = 0.0f;\n"
                          "    for (int t = 0; t < 3; ++t) {\n"
                          "        for (int j = threadIdx.x; j < 66; j += 64) {\n"
                          "            const int at = blockIdx.x * 64 + j - 1;\n"
                          "            %s\n"
                          "        }\n"
                          "        %s\n"
                          "        %s\n"
                          "        __syncthreads();\n"
                          "    }\n"
                          "    %s\n"
                          "}\n"
                          "void run(const float *in, const float *w, float *out, int n, int K) {\n"
                          "    k<<<dim3((n + 63) / 64, K), 64>>>(in, w, out, n, K);\n"
                          "}\n",
                     function, front, fill, meet, work, store);
}

static void check(char *text) {
    subject of = subject_open(text, problem, "k");
    cr_assert(applied(&of, "register-tile"), "%s", text);
    cr_expect(ht_template_param(of.kernel->template, "TILE_C"));
    expect_equal(&of, "k",
                 (const char *const[]){"TILED=true", "TILED=true TILE_C=2", "TILED=true TILE_C=4",
                                       "TILED=true TILE_C=8", NULL});
    expect_pieces(&of, "TILED=true TILE_C=4",
                  (const char *const[]){"__shared__ float row[66];", "__syncthreads();",
                                        "sum[tc] +=", "__syncthreads();", NULL});
    subject_close(&of);
    free(text);
}

Test(meet, what_is_loaded_serves_several_channels) {
    check(rows("", "", FILL, SYNC, WORK, STORE));
}

Test(meet, channels_are_cut_off_by_a_guard) {
    check(rows("", "if (c >= K) return;", FILL, SYNC, WORK, STORE));
}

/* Only some threads of a block work between the barriers: they do for each channel. */
Test(meet, threads_may_differ_between_barriers) {
    check(rows("", "", FILL, SYNC, "if (threadIdx.x % 3 != 0 || t < 2) " WORK, STORE));
}

static void check_kept(char *text, const char *words) {
    subject of = subject_open(text, problem, "k");
    cr_expect_not(applied(&of, "register-tile"), "%s", text);
    cr_expect(remarked(&of, words), "no \"%s\" for %s", words, text);
    subject_close(&of);
    free(text);
}

/* Then each channel needs the shared elements for itself. */
Test(meet, what_differs_between_channels_is_not_shared) {
    check_kept(rows("", "", "row[j] = at >= 0 && at < n ? in[t * n + at] * w[c] : 0.0f;", SYNC,
                    WORK, STORE),
               "meet at a barrier");
    check_kept(rows("", "float *to = row + c % 2;",
                    "to[j % 60] = at >= 0 && at < n ? in[t * n + at] : 0.0f;", SYNC, WORK, STORE),
               "meet at a barrier");
    check_kept(rows("", "", FILL, SYNC, "if (c < 2) row[threadIdx.x] = 0.0f; " WORK, STORE),
               "meet at a barrier");
}

Test(meet, threads_meet_alike_for_all_channels) {
    check_kept(rows("", "", FILL, "if (c < 3) __syncthreads();", WORK, STORE), "meet at a barrier");
    check_kept(rows("", "if (c == 1) return;", FILL, SYNC, WORK, STORE), "meet at a barrier");
    check_kept(
        rows("__device__ void meet() { __syncthreads(); }\n", "", FILL, "meet();", WORK, STORE),
        "threads meet in a function");
}

/* Nothing that is loaded serves another channel. */
Test(meet, nothing_is_joined_that_shares_nothing) {
    check_kept(rows("", "", "row[j] = 1.0f;", SYNC, "sum += w[c] * t;", STORE),
               "meet at a barrier");
}
