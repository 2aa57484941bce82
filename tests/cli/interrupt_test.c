/* Signals end the program within two seconds whatever its children do, and leave nothing. */
#include "program.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PIDS_MAX = 64,
    STEP_US = 5000,
    ALL = 7 /* the keeper, two compile workers and one that runs, with their guards */
};

/* Two seconds, and the time that a machine which does other things may need. */
static const double seconds_allowed = 20;
static char *temporary;

static void make(void) {
    workplace_make();
    temporary = ht_path_join(workplace(), "tmp");
    cr_assert_eq(ht_dir_make(temporary, NULL), HT_OK);
}

static void clear(void) {
    free(temporary);
    workplace_remove();
}

TestSuite(interrupt, .init = make, .fini = clear, .timeout = 120);

static const char TEMPLATE[] = "#pragma tune unit\n"
                               "#pragma tune kernel(twice)\n"
                               "#pragma tune param(BLOCK : 32, 64, 128, 256 = 64)\n"
                               "#pragma tune param(KIND : 0, 1, 2, 3, 4, 5, 6, 7 = 0)\n"
                               "#pragma tune block(BLOCK)\n"
                               "#pragma tune grid(ceil_div(100000, BLOCK))\n"
                               "#pragma tune arg(out : out int[100000])\n"
                               "template <int BLOCK, int KIND> __global__ void twice(int *out) {\n"
                               "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                               "    if (i < 100000) out[i] = 2 * i;\n"
                               "}\n";

/* Starts hiptemper with its words, its own TMPDIR, and $HIPTEMPER_CLANG unless `clang` is NULL. */
static pid_t start(const char *clang, const char *const *words) {
    const char *all[32] = {HT_BINARY_DIR "/hiptemper"};
    for (size_t i = 0; words[i]; ++i)
        all[i + 1] = words[i];
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child > 0)
        return child;
    setpgid(0, 0);
    setenv("TMPDIR", temporary, 1);
    if (clang)
        setenv("HIPTEMPER_CLANG", clang, 1);
    int log = chdir(workplace()) == 0 ? open("log", O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (log < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
        _exit(126);
    execv(all[0], (char *const *)all);
    _exit(127);
}

/* Lists processes of the job: those that have our TMPDIR, or one within it. */
static size_t list(pid_t except, pid_t out[PIDS_MAX]) {
    char *wanted = ht_format("TMPDIR=%s", temporary);
    size_t count = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        pid_t pid = (pid_t)atol(entry->d_name);
        char *path = ht_format("/proc/%s/environ", entry->d_name), *text = NULL;
        size_t length = 0;
        if (pid > 0 && pid != except && count < PIDS_MAX &&
            ht_file_read(path, 0, &text, &length, NULL) == HT_OK &&
            memmem(text, length, wanted, strlen(wanted)))
            out[count++] = pid;
        free(text);
        free(path);
    }
    if (proc)
        closedir(proc);
    free(wanted);
    return count;
}

static void wait_until(pid_t tuner, size_t processes) {
    pid_t pids[PIDS_MAX];
    double end = ht_clock_seconds() + 60;
    while (list(tuner, pids) < processes && ht_clock_seconds() < end)
        usleep(STEP_US);
    cr_assert_lt(ht_clock_seconds(), end, "%zu processes never ran", processes);
}

/* CPU time that a child has taken; infinite if it has ended. */
static double cpu_seconds(pid_t child) {
    clockid_t clock;
    struct timespec time;
    siginfo_t ended = {0};
    waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == child || clock_getcpuclockid(child, &clock) != 0 ||
        clock_gettime(clock, &time) != 0)
        return INFINITY;
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Sends a signal; the program must end in time, with code 130, and leave no process and no
 * folder. */
static void expect_end(pid_t tuner, int number) {
    double begin = ht_clock_seconds();
    int status = 0;
    pid_t ended = 0, left[PIDS_MAX];
    kill(tuner, number);
    while ((ended = waitpid(tuner, &status, WNOHANG)) == 0 &&
           ht_clock_seconds() - begin < seconds_allowed)
        usleep(STEP_US);
    if (ended == 0) {
        kill(tuner, SIGKILL);
        waitpid(tuner, &status, 0);
    }
    char *log = workplace_read("log");
    cr_expect_eq(ended, tuner, "it went on for %g s:\n%s", seconds_allowed, log);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 130, "status %x:\n%s", (unsigned)status,
              log);
    free(log);
    size_t count = list(0, left);
    for (int i = 0; i < 4000 && count > 0; ++i) {
        usleep(STEP_US);
        count = list(0, left);
    }
    cr_expect_eq(count, 0, "%zu processes are left", count);
    for (size_t i = 0; i < count; ++i)
        kill(left[i], SIGKILL);
    DIR *folder = opendir(temporary);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        cr_expect(entry->d_name[0] == '.', "left: %s", entry->d_name);
    if (folder)
        closedir(folder);
}

static char *script(const char *text) {
    workplace_write("clang.sh", text);
    char *path = ht_path_join(workplace(), "clang.sh");
    cr_assert_eq(chmod(path, 0700), 0);
    return path;
}

Test(interrupt, a_probe_that_is_stopped_or_ignores_signals_does_not_hold_the_program) {
    static const char *const probes[] = {"#!/bin/sh\nkill -STOP $$\n",
                                         "#!/bin/sh\ntrap '' TERM INT HUP\nsleep 60\nsleep 60\n"};
    static const int numbers[] = {SIGTERM, SIGINT};
    workplace_write("twice.hip", TEMPLATE);
    for (size_t i = 0; i < 2; ++i) {
        char *clang = script(probes[i]);
        pid_t tuner = start(clang, (const char *[]){"tune", "twice.hip", "--db", "t.db", NULL});
        wait_until(tuner, 2); /* the keeper and the probe */
        expect_end(tuner, numbers[i]);
        free(clang);
    }
}

Test(interrupt, stopped_workers_do_not_hold_the_program_and_what_was_measured_is_kept) {
    workplace_write("twice.hip", TEMPLATE);
    pid_t pids[PIDS_MAX];
    pid_t tuner = start(NULL, (const char *[]){"tune", "twice.hip", "--db", "t.db", "--max-evals",
                                               "0", "--strategy", "exhaustive", NULL});
    wait_until(tuner, ALL);
    usleep(300000);
    size_t count = list(tuner, pids);
    for (size_t i = 0; i < count; ++i)
        kill(pids[i], SIGSTOP);
    expect_end(tuner, SIGHUP);
    program_result result = program_run("convert t.db t.json");
    cr_expect(result.code == 0 || strstr(result.err, "no job") || strstr(result.err, "no config"),
              "%s", result.err);
    program_free(&result);
}

/* A stopped process takes no SIGTERM, however long ago it was sent. */
Test(interrupt, a_killed_program_leaves_no_stopped_process) {
    workplace_write("twice.hip", TEMPLATE);
    pid_t pids[PIDS_MAX];
    pid_t tuner = start(NULL, (const char *[]){"tune", "twice.hip", "--db", "t.db", NULL});
    wait_until(tuner, ALL);
    size_t count = list(tuner, pids);
    for (size_t i = 0; i < count; ++i)
        kill(pids[i], SIGSTOP);
    kill(tuner, SIGKILL);
    waitpid(tuner, NULL, 0);
    count = list(0, pids);
    for (int i = 0; i < 4000 && count > 0; ++i) {
        usleep(STEP_US);
        count = list(0, pids);
    }
    cr_expect_eq(count, 0, "%zu processes are left", count);
    for (size_t i = 0; i < count; ++i)
        kill(pids[i], SIGKILL);
}

/* libclang parses in the program itself and asks nobody whether to go on. */
Test(interrupt, a_long_parse_does_not_hold_the_program) {
    ht_text text = {0};
    ht_text_append(&text, "constexpr long f(long n) {\n"
                          "    long s = 0;\n"
                          "    for (long i = 0; i < n; ++i) s += i;\n"
                          "    return s;\n"
                          "}\n");
    for (int i = 0; i < 4000; ++i)
        ht_text_printf(&text, "static_assert(f(100000 + %d) > 0);\n", i);
    ht_text_append(&text, "__global__ void k(float *p) { p[threadIdx.x] = 9; }\n");
    workplace_write("long.hip", text.data);
    ht_text_free(&text);
    pid_t tuner = start(NULL, (const char *[]){"optimize", "long.hip", NULL});
    while (cpu_seconds(tuner) < 0.5) /* it reads its arguments no more, it parses */
        usleep(STEP_US);
    int status = 0;
    cr_assert_eq(waitpid(tuner, &status, WNOHANG), 0, "it has ended already");
    expect_end(tuner, SIGINT);
}
