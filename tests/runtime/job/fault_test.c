/* Planted faults: each becomes the outcome of the one configuration that has it, and costs no other
 * one anything. */
#include "tests/runtime/job/support.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/sandbox/sandbox.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(fault, .init = use_test_worker, .timeout = 110);

static const char FAULTY[] =
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune kernel(faulty)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(FAULT : 0..10 = 0)\n"
    "#pragma tune block(64)\n"
    "#pragma tune grid(ceil_div(problem.n, 64))\n"
    "#pragma tune arg(in : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "#pragma tune reference(plain) block(64) grid(ceil_div(problem.n, 64))\n"
    "extern \"C\" void abort();\n"
    "__global__ void plain(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * 64 + threadIdx.x;\n"
    "    if (i < n) out[i] = 2.0f * in[i] + 1.0f;\n"
    "}\n"
    "template <int FAULT> __global__ void faulty(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * 64 + threadIdx.x;\n"
    "    if (FAULT == 1 && i == 5) *(volatile int *)8 = 1;\n"
    "    if (FAULT == 2 && i == 5) { volatile int go = 1; while (go) { } }\n"
    "    if (FAULT == 3 && i == 0) out[-3] = 1.0f;\n"
    "    if (FAULT == 4 && i == 0) out[n + 2] = 1.0f;\n"
    "    if (FAULT == 5 && i == 77) return;\n"
    "    if (FAULT == 8 && i == 5) abort();\n"
    "    if (FAULT == 9 && i == 3) const_cast<float *>(in)[9] = 0.0f;\n"
    "    static_assert(FAULT != 7, \"this one does not compile\");\n"
    "    float scale = FAULT == 6 && i == n - 1 ? 2.001f : 2.0f;\n"
    "    if (i < n) out[i] = FAULT == 10 && i == 4 ? 0.0f / (i - i) : scale * in[i] + 1.0f;\n"
    "}\n";

typedef struct expectation {
    const char *config;
    ht_status status;
    const char *reason; /* how it begins */
} expectation;

static void evaluate_all(const expectation *expected, size_t count, double limit,
                         ht_job_counts *out_counts) {
    bound b;
    bind_text(&b, FAULTY, "n=1000");
    ht_job_options options = quick_options();
    options.time_limit = limit;
    ht_job *job = start_job(&b, &options);
    ht_config *configs = calloc(count, sizeof *configs);
    ht_outcome *outcomes = calloc(count, sizeof *outcomes);
    for (size_t i = 0; i < count; ++i)
        configs[i] = config_of(&b, expected[i].config);
    ht_evaluator *evaluator = ht_job_evaluator(job);
    size_t done = 0;
    ht_error error = {0};
    cr_assert_eq(evaluator->evaluate(evaluator->self, configs, count, outcomes, &done, &error),
                 HT_OK, "%s", error.message);
    cr_assert_eq(done, count);
    for (size_t i = 0; i < count; ++i) {
        cr_expect_eq(outcomes[i].status, expected[i].status, "%s: %s, not %s (%s)",
                     expected[i].config, ht_status_name(outcomes[i].status),
                     ht_status_name(expected[i].status), outcomes[i].reason);
        cr_expect_eq(strncmp(outcomes[i].reason, expected[i].reason, strlen(expected[i].reason)), 0,
                     "%s: '%s' does not begin with '%s'", expected[i].config, outcomes[i].reason,
                     expected[i].reason);
        if (expected[i].status == HT_OK)
            cr_expect_gt(outcomes[i].cost, 0);
    }
    *out_counts = ht_job_get_counts(job);
    ht_job_free(job);
    free(configs);
    free(outcomes);
    unbind(&b);
}

Test(fault, wrong_results_are_named_with_their_place) {
    const expectation expected[] = {
        {"FAULT=0", HT_OK, ""},
        {"FAULT=3", HT_ERROR_MISMATCH, "guard: write before 'out' (element -3)"},
        {"FAULT=4", HT_ERROR_MISMATCH, "guard: write behind 'out' (element 1002 of 1000)"},
        {"FAULT=5", HT_ERROR_MISMATCH, "mismatch: 'out'[77] left unwritten"},
        {"FAULT=6", HT_ERROR_MISMATCH, "mismatch: 'out'[999] is "},
        {"FAULT=9", HT_ERROR_MISMATCH, "guard: write to input 'in' (element 9)"},
        {"FAULT=10", HT_ERROR_MISMATCH, "mismatch: 'out'[4] is "},
        {"FAULT=7", HT_ERROR_COMPILE, "compile: "},
        {"FAULT=0", HT_OK, ""},
    };
    ht_job_counts counts;
    evaluate_all(expected, sizeof expected / sizeof *expected, 0, &counts);
    cr_expect_eq(counts.run, 8);
}

Test(fault, deaths_cost_nothing_else) {
    const expectation expected[] = {
        {"FAULT=0", HT_OK, ""},
        {"FAULT=1", HT_ERROR_CRASH, "crash: "},
        {"FAULT=0", HT_OK, ""},
        {"FAULT=8", HT_ERROR_CRASH, "crash: "},
        {"FAULT=2", HT_ERROR_TIMEOUT, "timeout: "},
        {"FAULT=0", HT_OK, ""},
    };
    ht_job_counts counts;
    evaluate_all(expected, sizeof expected / sizeof *expected, 3, &counts);
    cr_expect_geq(counts.worker_restarts, 3);
}

/* More memory than there is: that configuration fails, however the allocator takes it. */
Test(fault, exhausted_memory_is_an_outcome) {
    bound b;
    bind_text(&b,
              "#include <hip/hip_runtime.h>\n"
              "#pragma tune kernel(greedy)\n"
              "#pragma tune param(SIZE : 64, 60000000000 = 64)\n"
              "#pragma tune block(64)\n"
              "#pragma tune grid(1)\n"
              "#pragma tune arg(scratch : temp float[SIZE])\n"
              "#pragma tune arg(out : out float[64])\n"
              "template <long SIZE> __global__ void greedy(float *scratch, float *out) {\n"
              "    scratch[threadIdx.x] = 1.0f;\n"
              "    out[threadIdx.x] = scratch[threadIdx.x];\n"
              "}\n",
              NULL);
    ht_job_options options = quick_options();
    ht_job *job = start_job(&b, &options);
    ht_outcome outcome = evaluate(job, &b, "SIZE=60000000000");
    cr_expect(outcome.status == HT_ERROR_LAUNCH || outcome.status == HT_ERROR_CRASH, "%s: %s",
              ht_status_name(outcome.status), outcome.reason);
    outcome = evaluate(job, &b, "SIZE=64");
    cr_expect_eq(outcome.status, HT_OK, "%s", outcome.reason);
    ht_job_free(job);
    unbind(&b);
}

/* A finalist that turns bad on fresh inputs is refused, and the others are still timed. */
static const char UNLUCKY[] =
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune kernel(unlucky)\n"
    "#pragma tune param(LIMIT : 0, 1 = 0)\n"
    "#pragma tune param(BLOCK : 32, 64 = 32)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(4)\n"
    "#pragma tune arg(in : in int[128] integers(0, 1000000))\n"
    "#pragma tune arg(out : out int[128])\n"
    "template <int LIMIT, int BLOCK> __global__ void unlucky(const int *in, int *out) {\n"
    "    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < 128; i += 4 * BLOCK)\n"
    "        out[i] = LIMIT && in[0] != FIRST ? -1 : in[i];\n"
    "}\n";

Test(fault, finals_verify_on_other_inputs) {
    /* Finds the first input value of the job's own seed, by a job whose kernel shows it as a
     * mismatch. */
    bound b;
    char text[2048];
    snprintf(text, sizeof text, "#define FIRST -7\n%s", UNLUCKY);
    bind_text(&b, text, NULL);
    ht_job_options options = quick_options();
    ht_job *job = start_job(&b, &options);
    ht_outcome outcome = evaluate(job, &b, "LIMIT=1");
    cr_assert_eq(outcome.status, HT_ERROR_MISMATCH, "%s", outcome.reason);
    const char *expected = strstr(outcome.reason, "expected exactly ");
    cr_assert_not_null(expected, "%s", outcome.reason);
    long first = atol(expected + strlen("expected exactly "));
    ht_job_free(job);
    unbind(&b);

    snprintf(text, sizeof text, "#define FIRST %ld\n%s", first, UNLUCKY);
    bind_text(&b, text, NULL);
    job = start_job(&b, &options);
    cr_assert_eq(evaluate(job, &b, "LIMIT=1").status, HT_OK, "the kernel knows this input");
    ht_config finalists[2] = {config_of(&b, "LIMIT=1"), config_of(&b, "BLOCK=64")};
    ht_final finals[2];
    ht_timing original;
    ht_error error = {0};
    cr_assert_eq(ht_job_finals(job, finalists, 2, 0.1, &original, finals, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(finals[0].status, HT_ERROR_MISMATCH);
    cr_expect_not(finals[0].verified);
    cr_expect_eq(finals[1].status, HT_OK, "%s", finals[1].reason);
    cr_expect(finals[1].verified);
    cr_expect_gt(finals[1].speedup, 0);
    ht_job_free(job);
    unbind(&b);
}

Test(fault, finals_go_on_without_those_that_fail) {
    bound b;
    bind_text(&b, FAULTY, "n=1000");
    ht_job_options options = quick_options();
    options.time_limit = 3;
    ht_job *job = start_job(&b, &options);
    const char *names[] = {"FAULT=1", "FAULT=0", "FAULT=7", "FAULT=4"};
    const ht_status expected[] = {HT_ERROR_CRASH, HT_OK, HT_ERROR_COMPILE, HT_ERROR_MISMATCH};
    ht_config finalists[4];
    ht_final finals[4];
    for (int i = 0; i < 4; ++i)
        finalists[i] = config_of(&b, names[i]);
    ht_timing original;
    ht_error error = {0};
    cr_assert_eq(ht_job_finals(job, finalists, 4, 0.1, &original, finals, &error), HT_OK, "%s",
                 error.message);
    for (int i = 0; i < 4; ++i) {
        cr_expect_eq(finals[i].status, expected[i], "%s: %s", names[i], finals[i].reason);
        cr_expect_eq(finals[i].verified, expected[i] == HT_OK);
    }
    cr_expect_gt(finals[1].timing.median_ms, 0);
    cr_expect_gt(original.median_ms, 0);
    ht_job_free(job);
    unbind(&b);
}

/* A kernel that ends its process by SIGKILL looks like somebody outside, at first. */
Test(fault, finals_end_though_a_finalist_is_killed_each_time) {
    bound b;
    bind_text(&b,
              "#pragma tune unit\n"
              "#pragma tune kernel(k)\n"
              "#pragma tune param(BLOCK : 32, 64 = 32)\n"
              "#pragma tune param(LATE : 0, 1 = 0)\n"
              "#pragma tune block(BLOCK)\n"
              "#pragma tune grid(1)\n"
              "#pragma tune arg(out : out int[32])\n"
              "extern \"C\" int raise(int);\n"
              "static int runs;\n"
              "template <int BLOCK, int LATE> __global__ void k(int *out) {\n"
              "    if (LATE && threadIdx.x == 0 && ++runs > 3) raise(9);\n"
              "    if (threadIdx.x < 32) out[threadIdx.x] = 5;\n"
              "}\n",
              NULL);
    ht_job_options options = quick_options();
    ht_job *job = start_job(&b, &options);
    ht_config finalists[2] = {config_of(&b, "LATE=1"), config_of(&b, "BLOCK=64")};
    ht_final finals[2];
    ht_timing original;
    ht_error error = {0};
    cr_assert_eq(ht_job_finals(job, finalists, 2, 0.1, &original, finals, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(finals[0].status, HT_ERROR_CRASH, "%s", finals[0].reason);
    cr_expect_not(finals[0].verified);
    cr_expect_eq(finals[1].status, HT_OK, "%s", finals[1].reason);
    cr_expect(finals[1].verified);
    ht_job_free(job);
    unbind(&b);
}

/* Expects no job: an original that cannot be trusted ends it with words that say so. */
static void expect_no_job(const char *text, ht_status status, const char *words) {
    bound b;
    bind_text(&b, text, NULL);
    ht_job_options options = quick_options();
    options.time_limit = 1;
    ht_error error = {0};
    ht_job *job = NULL;
    ht_status got = ht_job_start(&b.binding, &b.device, &options, &job, &error);
    cr_expect_eq(got, status, "%s: %s", ht_status_name(got), error.message);
    cr_expect_not_null(strstr(error.message, words), "'%s' lacks '%s'", error.message, words);
    cr_expect_null(job);
    ht_job_free(job);
    unbind(&b);
}

#define HEAD                                                                                       \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "#pragma tune kernel(k)\n"                                                                     \
    "#pragma tune param(BLOCK : 32, 64 = 32)\n"                                                    \
    "#pragma tune block(BLOCK)\n"                                                                  \
    "#pragma tune grid(2)\n"

Test(fault, a_bad_original_is_no_baseline) {
    expect_no_job(HEAD "#pragma tune arg(out : out int[64])\n"
                       "template <int BLOCK> __global__ void k(int *out) { out[missing] = 1; }\n",
                  HT_ERROR_COMPILE, "the original does not compile");
    expect_no_job(HEAD "#pragma tune arg(out : out int[64])\n"
                       "template <int BLOCK> __global__ void k(int *out) { out[-1] = 1; }\n",
                  HT_ERROR_MISMATCH, "write before 'out'");
    expect_no_job(HEAD "#pragma tune arg(out : out int[64])\n"
                       "extern \"C\" void abort();\n"
                       "template <int BLOCK> __global__ void k(int *out) { abort(); }\n",
                  HT_ERROR_CRASH, "running the original");
    expect_no_job(HEAD "#pragma tune arg(out : out int[64])\n"
                       "#pragma tune reference(wanted : out) block(1) grid(1)\n"
                       "extern \"C\" void abort();\n"
                       "__global__ void wanted(int *out) { abort(); }\n"
                       "template <int BLOCK> __global__ void k(int *out) { *out = 1; }\n",
                  HT_ERROR_CRASH, "running the reference wanted: crash");
    expect_no_job(HEAD "#pragma tune arg(in : in int[64])\n"
                       "template <int BLOCK> __global__ void k(const int *in) { }\n",
                  HT_ERROR_INPUT, "nothing to check");
}

/* Once the file is there, nothing runs any more: a device that has gone. */
static const char MORTAL[] =
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune kernel(mortal)\n"
    "#pragma tune param(BLOCK : 32, 64, 128 = 32)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(1)\n"
    "#pragma tune arg(out : out int[32])\n"
    "extern \"C\" { void abort(); int access(const char *, int); int creat(const char *, int); }\n"
    "template <int BLOCK> __global__ void mortal(int *out) {\n"
    "    if (BLOCK == 64) creat(DEVICE, 0600);\n"
    "    if (threadIdx.x == 0 && access(DEVICE, 0) == 0) abort();\n"
    "    if (threadIdx.x < 32) out[threadIdx.x] = 5;\n"
    "}\n";

Test(fault, a_failing_device_ends_the_job_and_blames_nobody_at_first) {
    ht_sandbox_choose(HT_SANDBOX_OFF); /* the kernel leaves a file */
    char *folder = NULL;
    cr_assert_eq(ht_dir_temporary("test", &folder, NULL), HT_OK);
    char *device = ht_path_join(folder, "gone"), *path = ht_path_join(folder, "tuning.db");
    char *text = ht_format("#define DEVICE \"%s\"\n%s", device, MORTAL);
    ht_job_options options = quick_options();
    cr_assert_eq(ht_database_open(path, &options.database, NULL), HT_OK);
    bound b;
    bind_text(&b, text, NULL);
    for (int run = 0; run < 2; ++run) {
        ht_job *job = start_job(&b, &options);
        ht_config configs[3] = {config_of(&b, "BLOCK=128"), config_of(&b, "BLOCK=64"),
                                config_of(&b, "BLOCK=32")};
        ht_outcome outcomes[3];
        size_t done = 0;
        ht_error error = {0};
        ht_evaluator *evaluator = ht_job_evaluator(job);
        ht_status status =
            evaluator->evaluate(evaluator->self, configs, 3, outcomes, &done, &error);
        cr_expect_eq(status, HT_ERROR_DEVICE, "%s: %s", ht_status_name(status), error.message);
        cr_expect_not_null(strstr(error.message, "keeps failing"), "%s", error.message);
        cr_expect_eq(done, 1);
        cr_expect_eq(outcomes[0].status, HT_OK);

        bool found = true;
        ht_evaluation known;
        cr_assert_eq(
            ht_database_get(options.database, ht_job_key(job), "BLOCK=64", &found, &known, NULL),
            HT_OK);
        cr_expect_eq((int)known.deaths, run + 1);
        cr_expect_eq(found, run > 0, "bringing it down again condemns");
        ht_evaluation_free(&known);
        ht_job_free(job);
        unlink(device); /* the device is reset */
    }
    ht_job *job = start_job(&b, &options);
    ht_outcome outcome = evaluate(job, &b, "BLOCK=64");
    cr_expect_eq(outcome.status, HT_ERROR_CRASH);
    cr_expect(outcome.reused);
    cr_expect_eq(evaluate(job, &b, "BLOCK=32").status, HT_OK);
    ht_job_free(job);
    ht_database_close(options.database);
    unbind(&b);
    ht_dir_remove(folder);
    free(text);
    free(device);
    free(path);
    free(folder);
}

static size_t count_entries(const char *folder) {
    DIR *dir = opendir(folder);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

Test(fault, nothing_is_left_behind) {
    char folder[] = "/tmp/hiptemper-test-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    bound b;
    bind_text(&b, FAULTY, "n=100");
    size_t before = count_entries(folder); /* looking for devices may keep files for this process */
    ht_job_options options = quick_options();
    ht_job *job = start_job(&b, &options);
    cr_expect_eq(evaluate(job, &b, "FAULT=8").status, HT_ERROR_CRASH);
    ht_job_free(job);
    cr_expect_eq(count_entries(folder), before);
    unbind(&b);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

Test(fault, interruption_ends_with_what_is_done) {
    bound b;
    bind_text(&b, FAULTY, "n=100");
    volatile int interrupted = 0;
    ht_job_options options = quick_options();
    options.interrupted = &interrupted;
    ht_job *job = start_job(&b, &options);
    ht_config configs[2] = {config_of(&b, "FAULT=0"), config_of(&b, "FAULT=6")};
    ht_outcome outcomes[2];
    size_t done = 9;
    ht_error error = {0};
    interrupted = 1;
    ht_evaluator *evaluator = ht_job_evaluator(job);
    cr_expect_eq(evaluator->evaluate(evaluator->self, configs, 2, outcomes, &done, &error),
                 HT_ERROR_INTERRUPTED);
    cr_expect_eq(done, 0);
    interrupted = 0; /* and the job still works, with new workers */
    cr_expect_eq(evaluator->evaluate(evaluator->self, configs, 2, outcomes, &done, &error), HT_OK,
                 "%s", error.message);
    cr_expect_eq(done, 2);
    cr_expect_eq(outcomes[0].status, HT_OK);
    cr_expect_eq(outcomes[1].status, HT_ERROR_MISMATCH);
    ht_job_free(job);
    unbind(&b);
}
