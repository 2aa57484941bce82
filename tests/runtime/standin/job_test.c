/* Whole jobs on amd devices: workers compile programs of several configurations with hiprtc, run
 * them on the stand-in, and each configuration has its own verdict. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "templates/space/space.h"
#include "tests/runtime/standin/support.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* MODE 1 is rejected by the front end, 2 by the back end (LDS), 3 gives wrong results. */
static const char unit[] = "#pragma tune unit\n"
                           "#pragma tune kernel(twice)\n"
                           "#pragma tune problem(line : n)\n"
                           "#pragma tune param(BLOCK : 64, 128 = 64)\n"
                           "#pragma tune param(MODE : 0..3 = 0)\n"
                           "#pragma tune block(BLOCK)\n"
                           "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
                           "#pragma tune arg(in : in float[problem.n])\n"
                           "#pragma tune arg(out : out float[problem.n])\n"
                           "#pragma tune arg(n : int = problem.n)\n"
                           "template <int BLOCK, int MODE>\n"
                           "__global__ void twice(const float *in, float *out, int n) {\n"
                           "    static_assert(MODE != 1, \"mode one is not there\");\n"
                           "    __shared__ float tile[MODE == 2 ? 40000 : BLOCK];\n"
                           "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                           "    tile[threadIdx.x] = i < n ? in[i] : 0;\n"
                           "    __syncthreads();\n"
                           "    if (i < n) out[i] = tile[threadIdx.x] * (MODE == 3 ? 3 : 2);\n"
                           "}\n";

enum { COUNT = 8 };

static ht_job *start(const standin_bound *bound, const ht_job_options *options) {
    ht_job *job = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_job_start(&bound->binding, &bound->device, options, &job, &error), HT_OK, "%s",
                 error.message);
    return job;
}

static void evaluate_all(ht_job *job, const standin_bound *bound, ht_config configs[COUNT],
                         ht_outcome outcomes[COUNT]) {
    ht_error error = {0};
    ht_space *space;
    size_t done = 0;
    cr_assert_eq(ht_space_build(&bound->binding, 0, &space, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_space_count(space), COUNT);
    for (size_t i = 0; i < COUNT; i++)
        configs[i] = ht_space_at(space, i);
    ht_space_free(space);
    ht_evaluator *evaluator = ht_job_evaluator(job);
    cr_assert_eq(evaluator->evaluate(evaluator->self, configs, COUNT, outcomes, &done, &error),
                 HT_OK, "%s", error.message);
    cr_assert_eq(done, COUNT);
}

/* Judges configurations; `killer`: block whose mode 0 kills the compiler, 0 for none. */
static void judge(const standin_bound *bound, const ht_config configs[COUNT],
                  const ht_outcome outcomes[COUNT], int64_t killer, ht_status death) {
    for (size_t i = 0; i < COUNT; i++) {
        int64_t block = bound->templates->params[0].values[configs[i].choice[0]].number;
        int64_t mode = bound->templates->params[1].values[configs[i].choice[1]].number;
        ht_status wanted = mode == 3         ? HT_ERROR_MISMATCH
                           : mode != 0       ? HT_ERROR_COMPILE
                           : block == killer ? death
                                             : HT_OK;
        cr_expect_eq(outcomes[i].status, wanted, "block %d mode %d: %s: %s", (int)block, (int)mode,
                     ht_status_name(outcomes[i].status), outcomes[i].reason);
        if (mode == 1)
            cr_expect(strstr(outcomes[i].reason, "mode one is not there"), "%s",
                      outcomes[i].reason);
        if (mode == 2)
            cr_expect(strstr(outcomes[i].reason, "160000") || strstr(outcomes[i].reason, "local"),
                      "%s", outcomes[i].reason);
    }
}

/* Judges programs of several, of which some do not compile. `device` may be the host's: it takes
 * the same path. */
static void only_the_guilty_fail(const char *version, const char *device, size_t size) {
    standin_bound bound;
    ht_config configs[COUNT];
    ht_outcome outcomes[COUNT];
    standin_use_in_workers(version);
    standin_bind(&bound, unit, "n=1000", device);
    ht_job_options options = {
        .seed = 7, .compile_workers = 2, .sample_budget = 0.02, .program_size = size};
    ht_job *job = start(&bound, &options);
    evaluate_all(job, &bound, configs, outcomes);
    judge(&bound, configs, outcomes, 0, HT_OK);
    cr_expect_eq(ht_job_get_counts(job).worker_restarts, 0);
    ht_job_free(job);
    standin_unbind(&bound);
    standin_end();
}

Test(standin_job, only_the_guilty_fail_on_rocm_5) {
    only_the_guilty_fail("5", "amd:0", 0);
}
Test(standin_job, only_the_guilty_fail_on_rocm_7) {
    only_the_guilty_fail("7", "amd:0", 4);
}
Test(standin_job, only_the_guilty_fail_on_the_host) {
    only_the_guilty_fail("5", "host", 6);
}

/* Judges a compiler that dies or hangs on one configuration, in a program with others. */
static void one_kills_the_compiler(const char *action, ht_status death, double limit) {
    standin_bound bound;
    ht_config configs[COUNT];
    ht_outcome outcomes[COUNT];
    standin_use_in_workers("6");
    standin_bind(&bound, unit, "n=1000", "amd:0");
    ht_job_options options = {.seed = 7,
                              .compile_workers = 2,
                              .sample_budget = 0.02,
                              .compile_limit = limit,
                              .memory_limit = (uint64_t)3 << 30,
                              .program_size = 4};
    char *faults = ht_format("hiprtcCompileProgram:twice<128, 0>=%s", action);
    setenv("HT_STANDIN_FAULTS", faults, 1);
    free(faults);
    ht_job *job = start(&bound, &options);
    evaluate_all(job, &bound, configs, outcomes);
    judge(&bound, configs, outcomes, 128, death);
    cr_expect_gt(ht_job_get_counts(job).worker_restarts, 0);
    ht_job_free(job);
    standin_unbind(&bound);
    standin_end();
}

Test(standin_job, an_abort_of_the_compiler_is_one_configurations_failure) {
    one_kills_the_compiler("abort", HT_ERROR_CRASH, 0);
}
Test(standin_job, a_hang_of_the_compiler_is_one_configurations_failure) {
    one_kills_the_compiler("hang", HT_ERROR_TIMEOUT, 4);
}

/* The worker may have as much as is allowed, and no more. */
Test(standin_job, a_compiler_out_of_memory_is_one_configurations_failure) {
#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("AddressSanitizer reserves the memory that the limit would be on");
#endif
    one_kills_the_compiler("oom", HT_ERROR_CRASH, 0);
}

/* Errors of the device become statuses of the job or the variant. */
Test(standin_job, a_device_out_of_memory_is_told) {
    standin_bound bound;
    ht_job *job = NULL;
    ht_error error = {0};
    standin_use_in_workers("6");
    standin_bind(&bound, unit, "n=1000", "amd:0");
    setenv("HT_STANDIN_FAULTS", "hipMalloc=2", 1);
    ht_job_options options = {.seed = 7, .compile_workers = 1, .sample_budget = 0.02};
    ht_status status = ht_job_start(&bound.binding, &bound.device, &options, &job, &error);
    cr_expect_neq(status, HT_OK);
    cr_expect(strstr(error.message, "memory"), "%s: %s", ht_status_name(status), error.message);
    standin_unbind(&bound);
    standin_end();
}

/* A GPU that is hot all the time: samples are thrown away, then kept and marked. */
Test(standin_job, samples_of_a_throttled_gpu_are_discarded) {
    static const char sclk[] = "0: 500Mhz\n1: 1700Mhz *\n";
    char metrics[120] = {120, 0, 1, 3}, *root = NULL;
    metrics[112 + 4] = 1; /* TEMP_GPU, bit 32 */
    cr_assert_eq(ht_dir_temporary("test", &root, NULL), HT_OK);
    char *gpu = ht_format("%s/bus/pci/devices/0000:c0:00.0", root);
    cr_assert_eq(ht_dir_make(gpu, NULL), HT_OK);
    char *clock = ht_path_join(gpu, "pp_dpm_sclk"), *table = ht_path_join(gpu, "gpu_metrics");
    cr_assert_eq(ht_file_write(clock, sclk, strlen(sclk), NULL), HT_OK);
    cr_assert_eq(ht_file_write(table, metrics, sizeof metrics, NULL), HT_OK);
    setenv("HIPTEMPER_SYSFS", root, 1);
    standin_bound bound;
    standin_use_in_workers("6");
    standin_bind(&bound, unit, "n=1000", "amd:0");
    ht_job_options options = {.seed = 7, .compile_workers = 1, .sample_budget = 0.02};
    ht_job *job = start(&bound, &options);
    json_t *conditions = json_loads(ht_job_conditions(job), 0, NULL);
    cr_assert(conditions);
    cr_expect_gt(json_integer_value(json_object_get(conditions, "discarded")), 0);
    cr_expect_gt(json_integer_value(json_object_get(conditions, "throttled")), 0);
    cr_expect_eq(json_number_value(json_array_get(json_object_get(conditions, "mhz"), 0)), 1700);
    json_decref(conditions);
    ht_job_free(job);
    standin_unbind(&bound);
    standin_end();
    ht_dir_remove(root);
    free(root);
    free(gpu);
    free(clock);
    free(table);
}
