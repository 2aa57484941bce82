/* The processes of a verification: those of one size serve the next, until a kernel was wrong. */
#include "tests/runtime/job/support.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/verify/verify.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *folder, *starts;

/* Puts a program in front of the worker that notes its starts. */
static void make_folder(void) {
    cr_assert_eq(ht_dir_temporary("test", &folder, NULL), HT_OK);
    starts = ht_path_join(folder, "starts");
    char *script = ht_format("#!/bin/sh\necho >>'%s'\nexec '%s' \"$@\"\n", starts, HT_TEST_WORKER);
    char *program = ht_path_join(folder, "worker");
    cr_assert_eq(ht_file_write(program, script, strlen(script), NULL), HT_OK);
    cr_assert_eq(chmod(program, 0700), 0);
    setenv("HIPTEMPER_WORKER", program, 1);
    free(program);
    free(script);
}

static void remove_folder(void) {
    ht_dir_remove(folder);
    free(starts);
    free(folder);
}

TestSuite(verify_processes, .init = make_folder, .fini = remove_folder);

/* Each thread of the original doubles an element, after `guard`. */
#define DOUBLED(guard)                                                                             \
    "#pragma tune unit\n"                                                                          \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void k__original(const float *in, float *out, int n) {\n"                          \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "    " guard "out[i] = 2 * in[i];\n"                                                           \
    "}\n"                                                                                          \
    "#pragma tune kernel(k<BLOCK>)\n"                                                              \
    "#pragma tune problem(line : N)\n"                                                             \
    "#pragma tune arg(in : in float[problem.N])\n"                                                 \
    "#pragma tune arg(out : out float[problem.N])\n"                                               \
    "#pragma tune arg(n : int = problem.N)\n"                                                      \
    "#pragma tune param(BLOCK : 32, 64 = 64)\n"                                                    \
    "#pragma tune block(BLOCK)\n"                                                                  \
    "#pragma tune grid(ceil_div(problem.N, BLOCK))\n"                                              \
    "#pragma tune reference(k__original)\n"                                                        \
    "#pragma tune block(64)\n"                                                                     \
    "#pragma tune grid(ceil_div(problem.N, 64))\n"                                                 \
    "template <int BLOCK> __global__ void k(const float *in, float *out, int n) {\n"               \
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"                                              \
    "    if (i < n) out[i] = 2 * in[i];\n"                                                         \
    "}\n"

/* Verifies it; returns how many processes were started. */
static size_t count_starts(const char *text, ht_verify_result *out_result) {
    bound bound;
    ht_error error = {0};
    bind_text(&bound, text, "N=4096");
    const ht_verify_options options = {.seed = 5, .configurations = 2, .compile_workers = 1};
    cr_assert_eq(
        ht_verify(&bound.templates[0], &bound.problem, &bound.device, &options, out_result, &error),
        HT_OK, "%s", error.message);
    unbind(&bound);
    char *noted;
    size_t count;
    cr_assert_eq(ht_file_read(starts, 0, &noted, &count, NULL), HT_OK);
    free(noted);
    return count;
}

enum { COMPILER = 1, RUNNER = 1, CHECKER = 1 };

Test(verify_processes, serve_all_sizes_where_nothing_is_wrong) {
    ht_verify_result result;
    size_t count = count_starts(DOUBLED("if (i < n) "), &result);
    cr_expect_eq(result.outcome, HT_VERIFY_AGREES, "%s", result.reason);
    cr_expect_eq(result.size_count, 5);
    cr_expect_eq(count, COMPILER + RUNNER + CHECKER);
    ht_verify_result_free(&result);
}

/* The original writes past the end at all sizes but multiples of its block. */
Test(verify_processes, are_others_after_a_kernel_that_was_wrong) {
    ht_verify_result result;
    size_t count = count_starts(DOUBLED(""), &result);
    cr_expect_geq(count, COMPILER + 2 * (RUNNER + CHECKER));
    ht_verify_result_free(&result);
}
