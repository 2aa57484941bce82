#include "tests/runtime/job/support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/job/job_internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

TestSuite(job, .init = use_test_worker, .timeout = 250);

static const char SCALE[] = "#include <hip/hip_runtime.h>\n"
                            "#pragma tune kernel(scale)\n"
                            "#pragma tune problem(line : n)\n"
                            "#pragma tune param(BLOCK : 32, 64, 128 = 64)\n"
                            "#pragma tune block(BLOCK)\n"
                            "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
                            "#pragma tune arg(in : in float[problem.n])\n"
                            "#pragma tune arg(out : out float[problem.n])\n"
                            "#pragma tune arg(n : int = problem.n)\n"
                            "#pragma tune arg(alpha : float = 1.5)\n"
                            "template <int BLOCK> __global__ void scale(const float *in, float "
                            "*out, int n, float alpha) {\n"
                            "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                            "    if (i < n) out[i] = alpha * in[i];\n"
                            "}\n";

/* A program that the compiler rejects is compiled again in halves, a half that is rejected too. */
Test(job, a_program_of_several_has_time_to_be_compiled_again_in_halves) {
    const double originals[] = {0.05, 0.5, 2, 6}, times[] = {0, 4, 20};
    for (size_t o = 0; o < 4; ++o)
        for (size_t asked = 0; asked < 3; ++asked) {
            ht_job_limits limits = {0};
            ht_job_limits_set(&limits, times[asked] * originals[o], originals[o]);
            for (size_t count = 1; count <= 64; ++count)
                cr_expect_geq(ht_job_limits_compile(&limits, count),
                              2 * (2 * (double)count - 1) * originals[o],
                              "%zu variants, %g s for the original", count, originals[o]);
        }
}

Test(job, measures_every_configuration_and_finals) {
    bound b;
    bind_text(&b, SCALE, "n=1000");
    ht_job_options options = quick_options();
    ht_job *job = start_job(&b, &options);
    cr_assert_gt(ht_job_baseline(job).median_ms, 0);
    const char *configs[] = {"BLOCK=32", "BLOCK=64", "BLOCK=128"};
    for (int i = 0; i < 3; ++i) {
        ht_outcome outcome = evaluate(job, &b, configs[i]);
        cr_assert_eq(outcome.status, HT_OK, "%s", outcome.reason);
        cr_assert_gt(outcome.cost, 0);
    }
    ht_config finalists[2] = {config_of(&b, "BLOCK=128"), config_of(&b, "BLOCK=32")};
    ht_final finals[2];
    ht_timing original;
    ht_error error = {0};
    cr_assert_eq(ht_job_finals(job, finalists, 2, 0.3, &original, finals, &error), HT_OK, "%s",
                 error.message);
    for (int i = 0; i < 2; ++i) {
        cr_assert_eq(finals[i].status, HT_OK, "%s", finals[i].reason);
        cr_assert(finals[i].verified);
        cr_assert_leq(finals[i].speedup_lo, finals[i].speedup);
        cr_assert_leq(finals[i].speedup, finals[i].speedup_hi);
    }
    ht_job_counts counts = ht_job_get_counts(job);
    cr_assert_eq(counts.run, 3);
    cr_assert_eq(counts.worker_restarts, 0);
    ht_job_free(job);
    unbind(&b);
}

/* Returns the limits of each worker that this process has now: lines of /proc/PID/limits; free().
 */
static char *worker_limits(void) {
    char *path = ht_format("/proc/self/task/%d/children", (int)getpid()), *list = NULL;
    ht_text all = {0};
    ht_error error;
    cr_assert_eq(ht_file_read_text(path, "children", &list, &error), HT_OK, "%s", error.message);
    for (char *rest = list, *pid; (pid = strsep(&rest, " \n")) != NULL;) {
        char *limits = ht_format("/proc/%s/limits", pid), *text = NULL;
        if (*pid && ht_file_read_text(limits, "limits", &text, NULL) == HT_OK)
            ht_text_append(&all, text);
        free(text);
        free(limits);
    }
    free(list);
    free(path);
    return ht_text_take(&all);
}

Test(job, a_worker_may_take_longer_than_the_process_that_asks) {
    struct rlimit limit;
    getrlimit(RLIMIT_CPU, &limit);
    rlim_t most = limit.rlim_max;
    limit.rlim_cur = 12345;
    cr_assert_eq(setrlimit(RLIMIT_CPU, &limit), 0);
    if (most != RLIM_INFINITY)
        return; /* the machine's own limit */
    bound bound;
    bind_text(&bound, SCALE, "n=1000");
    ht_job_options options = quick_options();
    ht_job *job = start_job(&bound, &options);
    char *limits = worker_limits();
    cr_expect_not_null(strstr(limits, "Max cpu time"));
    cr_expect_null(strstr(limits, "12345"), "%s", limits);
    free(limits);
    ht_job_free(job);
    unbind(&bound);
}
