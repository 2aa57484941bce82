/* Jobs with a database: measurements are used again, whatever happened to the tuner. */
#include "tests/runtime/job/support.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;

static void prepare(void) {
    use_test_worker();
    cr_assert_eq(ht_dir_temporary("hiptemper-test", &folder, NULL), HT_OK);
    setenv("TMPDIR", folder, 1);
}

static void clean(void) {
    ht_dir_remove(folder);
    free(folder);
}

TestSuite(resume, .init = prepare, .fini = clean, .timeout = 250);

static const char SHIFT[] =
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune kernel(shift)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 16, 32, 64, 128, 256 = 64)\n"
    "#pragma tune param(WRONG : 0, 1 = 0)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
    "#pragma tune arg(in : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int BLOCK, int WRONG> __global__ void shift(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i < n) out[i] = in[(i + 1 + WRONG) % n];\n"
    "}\n";

static ht_database *open_database(void) {
    char *path = ht_path_join(folder, "tuning.db");
    ht_database *database = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_database_open(path, &database, &error), HT_OK, "%s", error.message);
    free(path);
    return database;
}

static const char *CONFIGS[] = {"BLOCK=16", "BLOCK=32", "BLOCK=64 WRONG=1", "BLOCK=128"};
enum { CONFIG_COUNT = 4 };

/* Evaluates a configuration of SHIFT with `by` in place of `mark`; returns true if the database
 * knew it. */
static bool is_known(const char *mark, const char *by, ht_database *database) {
    bound b;
    char *text = ht_text_replaced(SHIFT, mark, by);
    bind_text(&b, text, "n=1000");
    ht_job_options options = quick_options();
    options.database = database;
    ht_job *job = start_job(&b, &options);
    bool known = evaluate(job, &b, CONFIGS[0]).reused;
    ht_job_free(job);
    unbind(&b);
    free(text);
    return known;
}

Test(resume, places_comments_and_layout_change_nothing_but_code_does) {
    ht_database *database = open_database();
    cr_expect_not(is_known("template <int", "template <int", database));
    cr_expect(is_known("template <int",
                       "#line 70 \"/another/folder/name.hip\"\n"
                       "/* moved */ template <int  // and\n",
                       database));
    cr_expect_not(is_known("(i + 1 +", "(i + 2 - 1 +", database), "other code was taken for it");
    ht_database_close(database);
}

Test(resume, a_second_run_measures_nothing_again) {
    bound b;
    bind_text(&b, SHIFT, "n=1000");
    ht_job_options options = quick_options();
    options.database = open_database();
    ht_outcome first[CONFIG_COUNT];
    ht_job *job = start_job(&b, &options);
    for (int i = 0; i < CONFIG_COUNT; ++i) {
        first[i] = evaluate(job, &b, CONFIGS[i]);
        cr_expect_not(first[i].reused);
    }
    cr_expect_eq(first[2].status, HT_ERROR_MISMATCH);
    ht_job_free(job);

    job = start_job(&b, &options);
    for (int i = 0; i < CONFIG_COUNT; ++i) {
        ht_outcome again = evaluate(job, &b, CONFIGS[i]);
        cr_expect(again.reused);
        cr_expect_eq(again.status, first[i].status);
        cr_expect_eq(again.cost, first[i].cost);
        cr_expect_str_eq(again.reason, first[i].reason);
    }
    ht_job_counts counts = ht_job_get_counts(job);
    cr_expect_eq(counts.reused, CONFIG_COUNT);
    cr_expect_eq(counts.run, 0);
    ht_job_free(job);

    options.fresh = true;
    job = start_job(&b, &options);
    cr_expect_not(evaluate(job, &b, CONFIGS[0]).reused);
    ht_job_free(job);
    ht_database_close(options.database);
    unbind(&b);
}

Test(resume, another_problem_or_kernel_is_measured) {
    bound b;
    ht_job_options options = quick_options();
    options.database = open_database();
    bind_text(&b, SHIFT, "n=1000");
    ht_job *job = start_job(&b, &options);
    evaluate(job, &b, CONFIGS[0]);
    ht_job_free(job);
    unbind(&b);

    bind_text(&b, SHIFT, "n=2000");
    job = start_job(&b, &options);
    cr_expect_not(evaluate(job, &b, CONFIGS[0]).reused);
    ht_job_free(job);
    unbind(&b);

    char *edited = ht_format("%sint edited;\n", SHIFT);
    bind_text(&b, edited, "n=1000");
    job = start_job(&b, &options);
    cr_expect_not(evaluate(job, &b, CONFIGS[0]).reused);
    ht_job_free(job);
    unbind(&b);
    free(edited);
    ht_database_close(options.database);
}

/* Counts processes whose command line names our folder: workers of jobs started by this test. */
static int count_workers(void) {
    DIR *proc = opendir("/proc");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
        char path[300], text[1024];
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        FILE *file = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        if (file == NULL)
            continue;
        size_t got = fread(text, 1, sizeof text, file);
        fclose(file);
        count += memmem(text, got, "--worker", 8) != NULL &&
                 memmem(text, got, folder, strlen(folder)) != NULL;
    }
    closedir(proc);
    return count;
}

Test(resume, a_killed_tuner_leaves_its_results_and_no_process) {
    bound b;
    bind_text(&b, SHIFT, "n=1000");
    int pipes[2];
    cr_assert_eq(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        ht_job_options options = quick_options();
        options.database = open_database();
        ht_job *job = start_job(&b, &options);
        for (int i = 0; i < 2; ++i)
            evaluate(job, &b, CONFIGS[i]);
        if (write(pipes[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause(); /* with workers alive */
    }
    char byte;
    cr_assert_eq(read(pipes[0], &byte, 1), 1);
    cr_expect_gt(count_workers(), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    for (int wait = 0; wait < 1500 && count_workers() > 0; ++wait)
        usleep(20000);
    cr_expect_eq(count_workers(), 0);

    ht_job_options options = quick_options();
    options.database = open_database();
    ht_job *job = start_job(&b, &options);
    for (int i = 0; i < CONFIG_COUNT; ++i)
        cr_expect_eq(evaluate(job, &b, CONFIGS[i]).reused, i < 2, "%s", CONFIGS[i]);
    ht_job_free(job);
    ht_database_close(options.database);
    unbind(&b);
}

/* All workers are killed from outside: the next variant is measured all the same. */
Test(resume, killed_workers_are_replaced) {
    bound b;
    bind_text(&b, SHIFT, "n=1000");
    ht_job_options options = quick_options();
    ht_job *job = start_job(&b, &options);
    cr_expect_eq(evaluate(job, &b, CONFIGS[0]).status, HT_OK);
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
        char path[300], text[256] = {0};
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        if (file == NULL)
            continue;
        size_t got = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        int parent = 0;
        char *behind = got > 0 ? strrchr(text, ')') : NULL;
        if (behind != NULL && sscanf(behind, ") %*c %d", &parent) == 1 && parent == getpid())
            kill(atoi(entry->d_name), SIGKILL);
    }
    closedir(proc);
    ht_outcome outcome = evaluate(job, &b, CONFIGS[1]);
    cr_expect_eq(outcome.status, HT_OK, "%s", outcome.reason);
    cr_expect_gt(ht_job_get_counts(job).worker_restarts, 0);
    ht_job_free(job);
    unbind(&b);
}
