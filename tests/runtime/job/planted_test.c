/* The planted faults in tests/faults: each template has one configuration (or two) that goes wrong
 * in its own way. Its verdict must be the one that the file expects, every other configuration must
 * be measured, nothing may be left over, and a second job must not run what was condemned.
 *
 * A file begins with lines
 *     // what it shows
 *     // expect CONFIGURATION: REASON     how the reason of its failure begins, or "ok"
 *     // option NAME VALUE                of the job: time_limit, compile_limit, memory_limit;
 * sandbox 0 or 1 */
#include "base/sanitizer.h"
#include "tests/runtime/job/support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/sandbox/sandbox.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char FOLDER[] = HT_SOURCE_DIR "/tests/faults";

enum { FILES_MAX = 100, EXPECTED_MAX = 4, LINE = 300, CONFIGS = 4 };

typedef struct plan {
    char *text;
    struct {
        char config[LINE], reason[LINE];
    } expected[EXPECTED_MAX];
    size_t expected_count;
    ht_job_options options;
} plan;

static int is_template(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".hip") == 0;
}

static void read_option(plan *plan, const char *name, double value) {
    if (strcmp(name, "time_limit") == 0)
        plan->options.time_limit = value;
    else if (strcmp(name, "compile_limit") == 0)
        plan->options.compile_limit = value;
    else if (strcmp(name, "memory_limit") == 0)
        plan->options.memory_limit = (uint64_t)value;
    else if (strcmp(name, "sandbox") == 0)
        ht_sandbox_choose(value != 0 ? HT_SANDBOX_AUTO : HT_SANDBOX_OFF);
    else
        cr_assert_fail("no option '%s'", name);
}

static void read_plan(const char *name, plan *plan) {
    char *path = ht_path_join(FOLDER, name);
    *plan = (struct plan){.options = quick_options()};
    cr_assert_eq(ht_file_read(path, 0, &plan->text, NULL, NULL), HT_OK);
    free(path);
    char config[LINE], reason[LINE], word[LINE];
    double value = 0;
    for (const char *line = plan->text; line != NULL && strncmp(line, "//", 2) == 0;) {
        if (sscanf(line, "// expect %299[^:]: %299[^\n]", config, reason) == 2) {
            cr_assert_lt(plan->expected_count, EXPECTED_MAX);
            strcpy(plan->expected[plan->expected_count].config, config);
            strcpy(plan->expected[plan->expected_count++].reason, reason);
        } else if (sscanf(line, "// option %299s %lf", word, &value) == 2) {
            read_option(plan, word, value);
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    cr_assert_gt(plan->expected_count, 0, "%s expects nothing", name);
}

/* Returns the expected begin of the reason of this configuration; "ok" when it must be measured. */
static const char *expectation(const plan *plan, const bound *b, const char *config) {
    ht_config wanted = config_of(b, config);
    for (size_t i = 0; i < plan->expected_count; ++i) {
        ht_config planted = config_of(b, plan->expected[i].config);
        if (ht_config_equal(&planted, &wanted))
            return plan->expected[i].reason;
    }
    return "ok";
}

static const char *const ALL[CONFIGS] = {"BLOCK=32 FAULT=0", "BLOCK=32 FAULT=1", "BLOCK=64 FAULT=0",
                                         "BLOCK=64 FAULT=1"};

static void evaluate_all(ht_job *job, const bound *b, ht_outcome outcomes[CONFIGS]) {
    ht_config configs[CONFIGS];
    for (int i = 0; i < CONFIGS; ++i)
        configs[i] = config_of(b, ALL[i]);
    ht_evaluator *evaluator = ht_job_evaluator(job);
    size_t done = 0;
    ht_error error = {0};
    cr_assert_eq(evaluator->evaluate(evaluator->self, configs, CONFIGS, outcomes, &done, &error),
                 HT_OK, "%s", error.message);
    cr_assert_eq(done, CONFIGS);
}

/* Returns how much of the reason to compare: AddressSanitizer ends a process in its own way, and
 * needs more address space than a limit leaves. */
static size_t compared_length(const char *expected) {
    static const char crash[] = "crash: ";
    bool crashes = strncmp(expected, crash, strlen(crash)) == 0;
    return HT_ADDRESS_SANITIZED && crashes ? strlen(crash) : strlen(expected);
}

static void check_outcomes(const char *name, const plan *plan, const bound *b,
                           const ht_outcome outcomes[CONFIGS]) {
    for (int i = 0; i < CONFIGS; ++i) {
        const char *expected = expectation(plan, b, ALL[i]);
        cr_log_info("%s, %s: %s: %s", name, ALL[i], ht_status_name(outcomes[i].status),
                    outcomes[i].reason); /* seen with --verbose */
        if (strcmp(expected, "ok") == 0)
            cr_expect_eq(outcomes[i].status, HT_OK, "%s, %s: %s", name, ALL[i], outcomes[i].reason);
        else
            cr_expect_eq(strncmp(outcomes[i].reason, expected, compared_length(expected)), 0,
                         "%s, %s: '%s' does not begin with '%s'", name, ALL[i], outcomes[i].reason,
                         expected);
    }
}

/* Counts processes whose environment names our folder as TMPDIR: workers, and those that kernels
 * started. */
static int count_left(const char *folder) {
    char wanted[LINE];
    snprintf(wanted, sizeof wanted, "TMPDIR=%s", folder);
    DIR *proc = opendir("/proc");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
        int pid = atoi(entry->d_name);
        char *path = ht_format("/proc/%d/environ", pid), *text = NULL;
        size_t length = 0;
        if (pid > 0 && pid != getpid() && pid != getppid() &&
            ht_file_read(path, 0, &text, &length, NULL) == HT_OK)
            count += memmem(text, length, wanted, strlen(wanted)) != NULL;
        free(text);
        free(path);
    }
    closedir(proc);
    return count;
}

static size_t count_jobs(const char *folder) {
    DIR *dir = opendir(folder);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += strncmp(entry->d_name, "hiptemper-job", 13) == 0;
    closedir(dir);
    return count;
}

static void run_plan(const char *name, const char *folder) {
    plan plan;
    read_plan(name, &plan);
    if (HT_ADDRESS_SANITIZED && plan.options.memory_limit > 0) {
        free(plan.text);
        return;
    }
    char *path = ht_path_join(folder, "tuning.db");
    ht_error error = {0};
    cr_assert_eq(ht_database_open(path, &plan.options.database, &error), HT_OK, "%s",
                 error.message);
    bound b;
    bind_text(&b, plan.text, "n=1000");
    ht_outcome outcomes[CONFIGS];
    ht_job *job = start_job(&b, &plan.options);
    evaluate_all(job, &b, outcomes);
    check_outcomes(name, &plan, &b, outcomes);
    ht_job_free(job);
    cr_expect_eq(count_jobs(folder), 0, "%s: its folder was left", name);
    for (int wait = 0; wait < 2000 && count_left(folder) > 0; ++wait)
        usleep(10000);
    cr_expect_eq(count_left(folder), 0, "%s: a process was left", name);

    job = start_job(&b, &plan.options);
    evaluate_all(job, &b, outcomes);
    check_outcomes(name, &plan, &b, outcomes);
    cr_expect_eq(ht_job_get_counts(job).run, 0, "%s: ran again", name);
    ht_job_free(job);
    ht_database_close(plan.options.database);
    unbind(&b);
    free(plan.text);
    free(path);
}

ParameterizedTestParameters(planted, faults) {
    static int numbers[FILES_MAX];
    struct dirent **entries = NULL;
    int count = scandir(FOLDER, &entries, is_template, alphasort);
    for (int i = 0; i < count; ++i) {
        numbers[i] = i;
        free(entries[i]);
    }
    free(entries);
    return cr_make_param_array(int, numbers, (size_t)(count > 0 ? count : 0));
}

ParameterizedTest(int *number, planted, faults, .timeout = 60) {
    use_test_worker();
    char *folder = NULL;
    cr_assert_eq(ht_dir_temporary("test", &folder, NULL), HT_OK);
    setenv("TMPDIR", folder, 1);
    struct dirent **entries = NULL;
    int count = scandir(FOLDER, &entries, is_template, alphasort);
    cr_assert_geq(count, 20);
    run_plan(entries[*number]->d_name, folder);
    for (int i = 0; i < count; ++i)
        free(entries[i]);
    free(entries);
    ht_dir_remove(folder);
    free(folder);
}
