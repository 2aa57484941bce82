/* Kills and stops tuning at random moments, resumes it, and compares what it has measured with an
 * undisturbed run, under replayed timings (docs/faults.md).
 *
 *     kill_resume HIPTEMPER [MOMENTS] [SEED]
 *
 * One run records timings. Another replays them without being disturbed. Then a third is disturbed
 * again and again: SIGKILL for the tuner, for one of the processes that it started, or for all at
 * once, or SIGSTOP for one of those that it started. After each end no process may be left, and
 * every evaluation that was committed must stay as it was; at the end the database must hold what
 * the undisturbed one holds, and the temporary folder and /dev/shm nothing. A stopped process must
 * not keep a run from its end. A run that ends by itself is compared, and another begins. Exit code
 * 1: something differed, and is printed. SIGINT ends the disturbances and lets the run under way
 * end. */
#include "benchmarks/failures.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES_MAX = 64, LEFT_STEPS = 300, STEP_US = 10000, KINDS = 4 };

enum { TUNER, ONE, ALL, STOP };

/* Of a run in which processes were stopped. */
static const double run_limit = 600;

static const char TEMPLATE[] =
    "// Some configurations are good, and one each does not compile, is wrong, aborts.\n"
    "#pragma tune unit\n"
    "#pragma tune kernel(triple)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 16, 32, 64, 128 = 64)\n"
    "#pragma tune param(KIND : 0, 1, 2, 3 = 0)\n"
    "#pragma tune require(KIND == 0 || BLOCK <= 64)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
    "#pragma tune arg(in : in int[problem.n])\n"
    "#pragma tune arg(out : out int[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "extern \"C\" void abort();\n"
    "template <int BLOCK, int KIND> __global__ void triple(const int *in, int *out, int n) {\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    static_assert(KIND != 1 || BLOCK != 16, \"tiles of 16 do not fit\");\n"
    "    if (KIND == 2 && BLOCK == 32 && i == 5) abort();\n"
    "    if (i < n) out[i] = 3 * in[i] + (KIND == 3 && BLOCK == 64 && i == 7 ? 2 : 1);\n"
    "}\n";

typedef struct bench {
    const char *program;
    char *folder, *temporary, *recording;
    ht_random random;
    unsigned failures;
    unsigned kills[KINDS];
    char *shared; /* what /dev/shm held at the start */
} bench;

/* Starts hiptemper tune with a database; `replay`: timings come from the recording. */
static pid_t start(const bench *b, const char *database, bool replay) {
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    setenv("TMPDIR", b->temporary, 1);
    if (replay)
        setenv("HIPTEMPER_REPLAY_TIMINGS", b->recording, 1);
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
        _exit(127);
    execl(b->program, b->program, "tune", "triple.hip", "--problem", "n=20000", "--db", database,
          "--strategy", "genetic", "--seed", "5", "--max-evals", "0", "--out", "out", (char *)NULL);
    _exit(127);
}

/* Returns everything that a run's databases must agree in, or (`exact`) that must not change any
 * more, a text a line; free(). */
static char *contents(bench *b, const char *database, bool exact) {
    char *sql = ht_format(
        "SELECT template_name || ' ' || problem || ' ' || config || ' ' || status || ' ' ||"
        " ifnull(reason, '') || ' ' || ifnull(median_ms, '') || ' ' || samples || ' ' || reduced%s"
        " FROM evaluations JOIN jobs ON jobs.id = job_id ORDER BY config",
        exact ? " || evaluations.id || ' ' || evaluations.created || compile_seconds" : "");
    char *rows = bench_rows(database, sql, &b->failures);
    free(sql);
    return rows;
}

static size_t count_lines(const char *text) {
    size_t count = 0;
    for (; *text != '\0'; ++text)
        count += *text == '\n';
    return count;
}

/* Lists processes that have our temporary folder in their environment: the tuner, its workers,
 * their compilers. */
static size_t list_processes(const bench *b, pid_t pids[PROCESSES_MAX]) {
    char *wanted = ht_format("TMPDIR=%s", b->temporary);
    DIR *proc = opendir("/proc");
    size_t count = 0;
    for (struct dirent *entry; proc != NULL && (entry = readdir(proc)) != NULL;) {
        char *path = ht_format("/proc/%s/environ", entry->d_name), *text = NULL;
        size_t length = 0;
        int pid = atoi(entry->d_name);
        if (pid > 0 && pid != getpid() && count < PROCESSES_MAX &&
            ht_file_read(path, 0, &text, &length, NULL) == HT_OK &&
            memmem(text, length, wanted, strlen(wanted)) != NULL)
            pids[count++] = pid;
        free(text);
        free(path);
    }
    if (proc != NULL)
        closedir(proc);
    free(wanted);
    return count;
}

/* Chooses one of the processes that the tuner started; 0 when there is none. */
static pid_t choose(bench *b, pid_t tuner) {
    pid_t pids[PROCESSES_MAX], chosen = 0;
    size_t count = list_processes(b, pids), others = 0;
    for (size_t i = 0; i < count; ++i)
        if (pids[i] != tuner && ht_random_below(&b->random, ++others) == 0)
            chosen = pids[i];
    return chosen;
}

/* Disturbs once. All processes go in the order of their numbers. */
static void disturb_once(bench *b, pid_t tuner, unsigned kind) {
    pid_t pids[PROCESSES_MAX];
    if (kind == TUNER) {
        kill(tuner, SIGKILL);
    } else if (kind == ALL) {
        size_t count = list_processes(b, pids);
        for (size_t i = 0; i < count; ++i)
            kill(pids[i], SIGKILL);
    } else {
        pid_t pid = choose(b, tuner);
        if (pid > 0)
            kill(pid, kind == STOP ? SIGSTOP : SIGKILL);
    }
    ++b->kills[kind];
}

static unsigned moments(const bench *b) {
    return b->kills[TUNER] + b->kills[ONE] + b->kills[ALL] + b->kills[STOP];
}

/*
 * Names in /dev/shm that are not the tuner's: Criterion's, of test programs that run next to this
 * one, and of LLVM's OpenMP library (a build by clang), which every process registers under its own
 * number and which only a process that ends by itself takes away.
 */
static bool is_foreign(const char *name) {
    return strncmp(name, "bxfi_", 5) == 0 || strncmp(name, "__KMP_REGISTERED_LIB_", 21) == 0;
}

/* Returns the tuner's names in /dev/shm, a line each; free(). */
static char *list_shared(void) {
    ht_text text = {0};
    ht_text_append(&text, "\n");
    DIR *folder = opendir("/dev/shm");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        if (!is_foreign(entry->d_name))
            ht_text_printf(&text, "%s\n", entry->d_name);
    if (folder != NULL)
        closedir(folder);
    return ht_text_take(&text);
}

static void expect_nobody_left(bench *b) {
    pid_t pids[PROCESSES_MAX];
    size_t count = list_processes(b, pids);
    for (int step = 0; step < LEFT_STEPS && count > 0; ++step) {
        usleep(STEP_US);
        count = list_processes(b, pids);
    }
    if (count > 0)
        bench_complain(&b->failures, "%zu processes are left, such as %d", count, (int)pids[0]);
}

/* Expects every line of `lines` in `text`. */
static void expect_lines(bench *b, const char *what, const char *lines, const char *text) {
    for (const char *line = lines; *line != '\0';) {
        size_t length = strcspn(line, "\n") + 1;
        if (memmem(text, strlen(text), line, length) == NULL)
            bench_complain(&b->failures, "%s: %.*s", what, (int)length - 1, line);
        line += length;
    }
}

static void expect_empty(bench *b) {
    DIR *directory = opendir(b->temporary);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] != '.')
            bench_complain(&b->failures, "left in the temporary folder: %s", entry->d_name);
    if (directory != NULL)
        closedir(directory);
    char *shared = list_shared();
    expect_lines(b, "left in /dev/shm", shared, b->shared);
    free(shared);
    DIR *out = opendir("out");
    for (struct dirent *entry; out != NULL && (entry = readdir(out)) != NULL;)
        if (strstr(entry->d_name, ".tmp.") != NULL)
            bench_complain(&b->failures, "left in the output folder: %s", entry->d_name);
    if (out != NULL)
        closedir(out);
}

/* Expects the same of a run that has ended by itself. */
static void expect_same(bench *b, int code, const char *database, const char *undisturbed) {
    if (code != 0)
        bench_complain(&b->failures, "exit code %d; see %s/log", code, b->folder);
    char *got = contents(b, database, false);
    expect_lines(b, "missing", undisturbed, got);
    expect_lines(b, "not in the undisturbed run", got, undisturbed);
    free(got);
    expect_nobody_left(b);
    expect_empty(b);
}

/* Waits for a run; false when it has not ended by then. */
static bool ended_by(pid_t pid, double end, int *out_code) {
    int status = 0;
    while (ht_clock_seconds() < end) {
        if (waitpid(pid, &status, WNOHANG) == pid) {
            *out_code = bench_exit_code(status);
            return true;
        }
        usleep(STEP_US / 10);
    }
    return false;
}

/* Runs to the end, disturbed at random moments until `most` were made; *out_ended is false when it
 * was killed. */
static int run_once(bench *b, const char *database, double typical, unsigned most,
                    bool *out_ended) {
    pid_t pid = start(b, database, true);
    int code = 0;
    double begin = ht_clock_seconds();
    while (moments(b) < most) {
        double pause = ht_random_unit(&b->random) * 0.6 * typical;
        if (ended_by(pid, ht_clock_seconds() + pause, &code)) {
            *out_ended = true;
            return code;
        }
        unsigned kind = (unsigned)ht_random_below(&b->random, 6);
        disturb_once(b, pid, kind < KINDS ? kind : STOP);
        if (kind == TUNER || kind == ALL)
            break;
    }
    if (!ended_by(pid, begin + run_limit, &code)) {
        bench_complain(&b->failures, "a run did not end within %g s", run_limit);
        kill(pid, SIGKILL);
        code = bench_finish(pid);
    }
    *out_ended = code != 128 + SIGKILL;
    return code;
}

static volatile sig_atomic_t stopped;

static void stop(int signal) {
    (void)signal;
    stopped = 1;
}

/* Disturbs and resumes until there were `most` moments and the last run has ended. */
static void disturb(bench *b, unsigned most, double typical, const char *undisturbed) {
    unsigned runs = 0, ended_runs = 0, number = 0;
    char *database = ht_strdup("killed-0.db");
    for (bool ended = false; !ended || moments(b) < most; ++runs) {
        if (stopped)
            most = moments(b);
        char *before = contents(b, database, true);
        int code = run_once(b, database, typical, most, &ended);
        expect_nobody_left(b);
        char *after = contents(b, database, true);
        expect_lines(b, "lost or done again", before, after);
        if (ended) {
            expect_same(b, code, database, undisturbed);
            ++ended_runs;
            free(database);
            database = ht_format("killed-%u.db", ++number);
        }
        free(before);
        free(after);
    }
    free(database);
    printf("%u runs, %u kills (%u of the tuner, %u of one worker or compiler, %u of all), %u stops "
           "of one; %u runs came to their end and were compared\n",
           runs, moments(b) - b->kills[STOP], b->kills[TUNER], b->kills[ONE], b->kills[ALL],
           b->kills[STOP], ended_runs);
}

static int run_bench(bench *b, unsigned most) {
    double begun = ht_clock_seconds();
    int code = bench_finish(start(b, b->recording, false));
    if (code != 0) {
        bench_complain(&b->failures, "the first run ended with exit code %d; see %s/log", code,
                       b->folder);
        return 1;
    }
    double recorded = ht_clock_seconds();
    code = bench_finish(start(b, "undisturbed.db", true));
    double typical = ht_clock_seconds() - recorded;
    char *undisturbed = contents(b, "undisturbed.db", false);
    expect_same(b, code, b->recording, undisturbed);
    printf("%zu evaluations; an undisturbed run takes %.1f s\n", count_lines(undisturbed), typical);
    fflush(stdout);
    disturb(b, most, typical, undisturbed);
    free(undisturbed);
    printf("%u failures in %.0f s\n", b->failures, ht_clock_seconds() - begun);
    return b->failures > 0;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: kill_resume HIPTEMPER [MOMENTS] [SEED]\n");
        return 2;
    }
    signal(SIGINT, stop);
    ht_error error = {0};
    bench b = {.program = realpath(argv[1], NULL)};
    if (b.program == NULL || ht_dir_temporary("kill", &b.folder, &error) != HT_OK ||
        chdir(b.folder) != 0) {
        fprintf(stderr, "kill_resume: cannot begin: %s %s\n", argv[1], error.message);
        return 2;
    }
    ht_random_stream(&b.random, argc > 3 ? strtoull(argv[3], NULL, 10) : 1, 0);
    b.shared = list_shared();
    b.temporary = ht_path_join(b.folder, "tmp");
    b.recording = ht_path_join(b.folder, "recording.db");
    int code = 2;
    if (ht_dir_make(b.temporary, &error) == HT_OK &&
        ht_file_write("triple.hip", TEMPLATE, strlen(TEMPLATE), &error) == HT_OK)
        code = run_bench(&b, argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 50);
    if (code == 0)
        ht_dir_remove(b.folder);
    free(b.folder);
    free(b.temporary);
    free(b.shared);
    free(b.recording);
    free((char *)b.program);
    return code;
}
