/* Checking through the job: the effect of findings on tuning. */
#include "runtime/job/check.h"
#include "tests/runtime/job/support.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(check_job, .init = use_test_worker, .timeout = 250);

/* Turns 64 numbers round through shared memory. With RACE the barrier is missing: right for threads
 * that run in order and take the number of one before. */
#define TURN_HEAD                                                                                  \
    "#pragma tune kernel(turn)\n"                                                                  \
    "#pragma tune param(RACE : false, true = false)\n"                                             \
    "#pragma tune arg(in : in float[256])\n"                                                       \
    "#pragma tune arg(out : out float[256])\n"
#define TURN_BODY(name, condition)                                                                 \
    "__global__ void " name "(const float *in, float *out) {\n"                                    \
    "    __shared__ float tile[64];\n"                                                             \
    "    int t = threadIdx.x, i = blockIdx.x * 64 + t;\n"                                          \
    "    tile[t] = in[i];\n"                                                                       \
    "    if (" condition ") __syncthreads();\n"                                                    \
    "    out[i] = t ? tile[t - 1] : in[i];\n"                                                      \
    "}\n"
static const char turn[] =
    "#include <hip/hip_runtime.h>\n" TURN_HEAD "#pragma tune block(64)\n#pragma tune grid(4)\n"
    "template <bool RACE> " TURN_BODY("turn", "!RACE");
/* The same with an original that has the race. */
static const char turn_after_a_race[] =
    "#include <hip/hip_runtime.h>\n" TURN_HEAD "#pragma tune block(64)\n#pragma tune grid(4)\n"
    "#pragma tune reference(before : in, out) block(64) grid(4)\n" TURN_BODY(
        "before", "false") "template <bool RACE> " TURN_BODY("turn", "!RACE");

static ht_job *start(bound *b, const char *text, ht_check_when when) {
    bind_text(b, text, NULL);
    ht_job_options options = quick_options();
    options.check = when;
    return start_job(b, &options);
}

Test(check_job, a_race_that_outputs_do_not_show_is_found) {
    bound b;
    ht_job *job = start(&b, turn, HT_CHECK_NEVER);
    cr_expect_eq(evaluate(job, &b, "RACE=true").status, HT_OK, "outputs alone say nothing");
    ht_config configs[] = {config_of(&b, "RACE=true"), config_of(&b, "RACE=false")};
    ht_check_result results[2];
    ht_error error = {0};
    const ht_check_settings settings = {.all_blocks = true};
    cr_assert_eq(ht_job_check(job, configs, 2, &settings, results, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(results[0].status, HT_ERROR_MISMATCH);
    cr_expect(strstr(results[0].reason, "race: tile["), "%s", results[0].reason);
    const json_t *finding = json_object_get(results[0].details, "finding");
    cr_expect_str_eq(json_string_value(json_object_get(finding, "array")), "tile");
    cr_expect_eq(json_array_size(json_object_get(finding, "places")), 2);
    cr_expect_eq(results[1].status, HT_OK, "%s", results[1].reason);
    cr_expect_eq(json_integer_value(json_object_get(results[1].details, "passes")), 4);
    cr_expect_eq(json_integer_value(json_object_get(results[1].details, "blocks_checked")), 4);
    ht_check_result_free(&results[0]);
    ht_check_result_free(&results[1]);
    ht_job_free(job);
    unbind(&b);
}

Test(check_job, configurations_are_checked_before_they_are_timed_when_asked) {
    bound b;
    ht_job *job = start(&b, turn, HT_CHECK_ALL);
    ht_outcome outcome = evaluate(job, &b, "RACE=true");
    cr_expect_eq(outcome.status, HT_ERROR_MISMATCH);
    cr_expect(strstr(outcome.reason, "race"), "%s", outcome.reason);
    cr_expect_eq(evaluate(job, &b, "RACE=false").status, HT_OK);
    ht_job_free(job);
    unbind(&b);
}

Test(check_job, a_finding_puts_a_finalist_out) {
    bound b;
    ht_job *job = start(&b, turn, HT_CHECK_FINALS);
    ht_config configs[] = {config_of(&b, "RACE=true"), config_of(&b, "RACE=false")};
    ht_final finals[2];
    ht_timing original;
    ht_error error = {0};
    cr_assert_eq(ht_job_finals(job, configs, 2, 0.05, &original, finals, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(finals[0].status, HT_ERROR_MISMATCH);
    cr_expect_not(finals[0].verified);
    cr_expect(strstr(finals[0].reason, "race"), "%s", finals[0].reason);
    cr_expect_eq(finals[1].status, HT_OK, "%s", finals[1].reason);
    cr_expect(finals[1].verified);
    cr_expect_null(ht_job_original_finding(job));
    ht_job_free(job);
    unbind(&b);
}

/* Sums up `rounds` inputs to no effect on the output. */
#define SLOW_TURN(name, rounds, condition)                                                         \
    "__global__ void " name "(const float *in, float *out) {\n"                                    \
    "    __shared__ float tile[64];\n"                                                             \
    "    int t = threadIdx.x, i = blockIdx.x * 64 + t;\n"                                          \
    "    float sum = 0;\n"                                                                         \
    "    for (int r = 0; r < " rounds "; ++r) sum += in[(i + r) % 256];\n"                         \
    "    tile[t] = in[i];\n"                                                                       \
    "    if (" condition ") __syncthreads();\n"                                                    \
    "    out[i] = (t ? tile[t - 1] : in[i]) + (sum > 1e30f);\n"                                    \
    "}\n"
static const char slow_turn[] =
    "#include <hip/hip_runtime.h>\n" TURN_HEAD
    "#pragma tune param(ROUNDS : 10, 1000, 4000, 16000 = 16000)\n"
    "#pragma tune block(64)\n#pragma tune grid(4)\n"
    "#pragma tune reference(before : in, out) block(64) grid(4)\n" SLOW_TURN(
        "before", "16000", "true") "template <bool RACE, int ROUNDS> " SLOW_TURN("turn", "ROUNDS",
                                                                                 "!RACE");

/* With a confirmation only what may be reported is checked, after the times are known: the fastest,
 * whose race puts it out, then the next. One that nobody reports is not checked. */
Test(check_job, a_finding_lets_the_next_finalist_win) {
    bound b;
    ht_job *job = start(&b, slow_turn, HT_CHECK_FINALS);
    ht_config configs[] = {
        config_of(&b, "RACE=false ROUNDS=16000"), config_of(&b, "RACE=true ROUNDS=10"),
        config_of(&b, "RACE=false ROUNDS=1000"), config_of(&b, "RACE=true ROUNDS=4000")};
    const ht_finals_rule rule = {
        .max_seconds = 0.1, .confirm_seconds = 0.1, .min_speedup = 1.1, .first = 1};
    ht_final finals[4];
    ht_timing original;
    ht_confirmation made;
    ht_error error = {0};
    cr_assert_eq(ht_job_finals_confirmed(job, configs, 4, &rule, &original, finals, &made, &error),
                 HT_OK, "%s", error.message);
    cr_expect_eq(finals[1].status, HT_ERROR_MISMATCH);
    cr_expect_not(finals[1].verified);
    cr_expect(strstr(finals[1].reason, "race"), "%s", finals[1].reason);
    cr_assert(made.made);
    cr_expect_eq(made.finalist, 2);
    cr_expect_eq(finals[2].over_best, 1, "without the one that is out");
    cr_expect_eq(finals[3].status, HT_OK, "%s", finals[3].reason);
    ht_job_free(job);
    unbind(&b);
}

/* So is one that is in use, which may stay though another is faster. */
Test(check_job, the_finalist_in_use_is_checked_too) {
    bound b;
    ht_job *job = start(&b, slow_turn, HT_CHECK_FINALS);
    ht_config configs[] = {config_of(&b, "RACE=false ROUNDS=16000"),
                           config_of(&b, "RACE=false ROUNDS=10"),
                           config_of(&b, "RACE=true ROUNDS=4000")};
    const ht_finals_rule rule = {
        .max_seconds = 0.1, .confirm_seconds = 0.1, .min_speedup = 1.1, .first = 1, .stays = 2};
    ht_final finals[3];
    ht_timing original;
    ht_confirmation made;
    ht_error error = {0};
    cr_assert_eq(ht_job_finals_confirmed(job, configs, 3, &rule, &original, finals, &made, &error),
                 HT_OK, "%s", error.message);
    cr_expect_eq(made.finalist, 1);
    cr_expect_eq(finals[2].status, HT_ERROR_MISMATCH);
    ht_job_free(job);
    unbind(&b);
}

/* Where nobody wins, the default stays, and is checked. */
Test(check_job, the_default_is_checked_where_nobody_wins) {
    bound b;
    ht_job *job = start(&b, slow_turn, HT_CHECK_FINALS);
    ht_config configs[] = {config_of(&b, "RACE=true ROUNDS=16000"),
                           config_of(&b, "RACE=false ROUNDS=16000")};
    const ht_finals_rule rule = {
        .max_seconds = 0.1, .confirm_seconds = 0.1, .min_speedup = 1.5, .first = 1};
    ht_final finals[2];
    ht_timing original;
    ht_confirmation made;
    ht_error error = {0};
    cr_assert_eq(ht_job_finals_confirmed(job, configs, 2, &rule, &original, finals, &made, &error),
                 HT_OK, "%s", error.message);
    cr_expect_not(made.made);
    cr_expect_eq(finals[0].status, HT_ERROR_MISMATCH);
    cr_expect_eq(finals[1].status, HT_OK, "%s", finals[1].reason);
    ht_job_free(job);
    unbind(&b);
}

Test(check_job, what_the_original_does_too_is_told_and_not_held_against_a_variant) {
    bound b;
    ht_job *job = start(&b, turn_after_a_race, HT_CHECK_FINALS);
    ht_config config = config_of(&b, "RACE=true");
    ht_final final;
    ht_timing original;
    ht_error error = {0};
    cr_assert_eq(ht_job_finals(job, &config, 1, 0.05, &original, &final, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(final.status, HT_OK, "%s", final.reason);
    cr_assert(ht_job_original_finding(job));
    cr_expect(strstr(ht_job_original_finding(job), "race"), "%s", ht_job_original_finding(job));
    ht_job_free(job);
    unbind(&b);
}

static json_int_t counted(const ht_check_result *result, const char *what) {
    return json_integer_value(json_object_get(json_object_get(result->details, "memory"), what));
}

/* Accesses of a kernel are counted by memory and direction; a value that is used four times is
 * loaded once. */
Test(check_job, reads_and_writes_are_counted) {
    static const char text[] =
        "#include <hip/hip_runtime.h>\n"
        "#pragma tune kernel(k)\n"
        "#pragma tune param(TWICE : false, true = false)\n"
        "#pragma tune arg(in : in float[320])\n"
        "#pragma tune arg(out : out float[256])\n"
        "#pragma tune block(64)\n#pragma tune grid(4)\n"
        "template <bool TWICE> __global__ void k(const float *in, float *out) {\n"
        "    __shared__ float tile[64];\n"
        "    int t = threadIdx.x, i = blockIdx.x * 64 + t;\n"
        "    float a = in[i];\n"
        "    tile[t] = a * a + a * 3 + a;\n"
        "    __syncthreads();\n"
        "    out[i] = tile[63 - t] + (TWICE ? 0.0f * in[i + 64] : 0.0f);\n"
        "}\n";
    bound b;
    ht_job *job = start(&b, text, HT_CHECK_NEVER);
    ht_config configs[] = {config_of(&b, "TWICE=false"), config_of(&b, "TWICE=true")};
    ht_check_result results[2];
    ht_error error = {0};
    const ht_check_settings settings = {.all_blocks = true, .count = true};
    cr_assert_eq(ht_job_check(job, configs, 2, &settings, results, &error), HT_OK, "%s",
                 error.message);
    for (int i = 0; i < 2; ++i) {
        cr_expect_eq(results[i].status, HT_OK, "%s", results[i].reason);
        cr_expect_eq(counted(&results[i], "global_reads"), 256 * (i + 1));
        cr_expect_eq(counted(&results[i], "global_bytes_read"), 1024 * (i + 1));
        cr_expect_eq(counted(&results[i], "global_writes"), 256);
        cr_expect_eq(counted(&results[i], "shared_reads"), 256);
        cr_expect_eq(counted(&results[i], "shared_writes"), 256);
        ht_check_result_free(&results[i]);
    }
    ht_job_free(job);
    unbind(&b);
}

/* Of a large grid only some blocks are checked; several launches still see each other's results.
 * / */
Test(check_job, part_of_the_blocks_is_enough_for_a_verdict) {
    static const char text[] =
        "#include <hip/hip_runtime.h>\n"
        "#pragma tune kernel(twice)\n"
        "#pragma tune param(WRONG : false, true = false)\n"
        "#pragma tune arg(in : in float[65536])\n"
        "#pragma tune arg(middle : temp float[65536])\n"
        "#pragma tune arg(out : out float[65536])\n"
        "#pragma tune launch(first : in, middle) block(64) grid(1024)\n"
        "#pragma tune launch(second : middle, out) block(64) grid(1024)\n"
        "template <bool WRONG> __global__ void first(const float *in, float *middle) {\n"
        "    int i = blockIdx.x * 64 + threadIdx.x;\n"
        "    middle[i] = 2 * in[65535 - i];\n"
        "}\n"
        "template <bool WRONG> __global__ void second(const float *middle, float *out) {\n"
        "    int i = blockIdx.x * 64 + threadIdx.x;\n"
        "    out[i] = middle[65535 - i] + (WRONG && i == 65535 ? middle[i + 1] : 0);\n"
        "}\n";
    bound b;
    ht_job *job = start(&b, text, HT_CHECK_NEVER);
    ht_config configs[] = {config_of(&b, "WRONG=false"), config_of(&b, "WRONG=true")};
    ht_check_result results[2];
    ht_error error = {0};
    const ht_check_settings settings = {.accesses = 2000};
    cr_assert_eq(ht_job_check(job, configs, 2, &settings, results, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(results[0].status, HT_OK, "%s", results[0].reason);
    json_int_t checked = json_integer_value(json_object_get(results[0].details, "blocks_checked"));
    cr_expect(checked > 8 && checked < 200, "%d", (int)checked);
    cr_expect(strstr(results[1].reason, "outside: read behind 'middle'"), "%s", results[1].reason);
    ht_check_result_free(&results[0]);
    ht_check_result_free(&results[1]);
    ht_job_free(job);
    unbind(&b);
}

/* Faults that only AddressSanitizer sees: the tests' packages have its library. */
Test(check_job, overruns_between_arrays_are_found) {
    static const char text[] =
        "#include <hip/hip_runtime.h>\n"
        "#pragma tune kernel(k)\n"
        "#pragma tune param(WRONG : 0, 1, 2 = 0)\n"
        "#pragma tune arg(in : in float[64])\n"
        "#pragma tune arg(out : out float[64])\n"
        "#pragma tune block(64)\n#pragma tune grid(1)\n"
        "__device__ __noinline__ void put(float *at, int i, float v) { at[i] = v; }\n"
        "template <int WRONG> __global__ void k(const float *in, float *out) {\n"
        "    __shared__ float a[64];\n"
        "    __shared__ float b[64];\n"
        "    float own[8];\n"
        "    int t = threadIdx.x;\n"
        "    put(a, t, in[t]);\n"
        "    put(b, t, in[t]);\n"
        "    for (int j = 0; j < 8; ++j) put(own, j, in[j]);\n"
        "    if (WRONG == 1 && t == 63) put(a, 64, 1);\n"
        "    if (WRONG == 2 && t == 5) put(own, 8, 1);\n"
        "    __syncthreads();\n"
        "    out[t] = a[t] + b[63 - t] + own[t % 8];\n"
        "}\n";
    if (!ht_check_has_sanitizer())
        cr_skip_test("this program is built with a sanitizer, or the library is not installed");
    bound b;
    ht_job *job = start(&b, text, HT_CHECK_NEVER);
    ht_config configs[] = {config_of(&b, "WRONG=1"), config_of(&b, "WRONG=2"),
                           config_of(&b, "WRONG=0")};
    ht_check_result results[3];
    ht_error error = {0};
    const ht_check_settings settings = {.all_blocks = true};
    cr_assert_eq(ht_job_check(job, configs, 3, &settings, results, &error), HT_OK, "%s",
                 error.message);
    cr_expect(strstr(results[0].reason, "memory: write outside 'a' (element 64, global-buffer-"
                                        "overflow), at test.hip:8 by thread (63, 0, 0)"),
              "%s", results[0].reason);
    cr_expect(
        strstr(results[1].reason, "(stack-buffer-overflow), at test.hip:8 by thread (5, 0, 0)"),
        "%s", results[1].reason);
    cr_expect_eq(results[2].status, HT_OK, "what was reported before is forgotten: %s",
                 results[2].reason);
    for (int i = 0; i < 3; ++i)
        ht_check_result_free(&results[i]);
    ht_job_free(job);
    unbind(&b);
}
