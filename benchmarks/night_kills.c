/* Kills `hiptemper run` at random moments, resumes it, and compares what it has found with an
 * undisturbed run, under replayed timings; then runs two jobs on one database at once
 * (docs/run.md).
 *
 *     night_kills HIPTEMPER [KILLS] [SEED]
 *
 * One run records timings. Another replays them without being disturbed. Then others are killed
 * (SIGKILL) again and again and resumed until they end: what was committed before a kill must stay
 * as it was, and at the end the database must hold the evaluations of the undisturbed run and the
 * same configurations that won. Two jobs at once must find the same, each with half of the
 * evaluations, within 10 %. Exit code 1: something differed, and is printed. */
#include "benchmarks/failures.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char kernels[][2][640] = {
    {"tree/scale.hip", "#include <hip/hip_runtime.h>\n"
                       "__global__ void scale(const float *in, float *out, int n) {\n"
                       "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "    if (i < n) out[i] = 2.0f * in[i];\n"
                       "}\n"
                       "void launch(const float *in, float *out, int n) {\n"
                       "    scale<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                       "}\n"},
    {"tree/sum.hip", "#include <hip/hip_runtime.h>\n"
                     "__global__ void sum(const float *a, const float *b, float *out, int n) {\n"
                     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "    if (i < n) out[i] = a[i] + b[i];\n"
                     "}\n"
                     "void launch(const float *a, const float *b, float *out, int n) {\n"
                     "    sum<<<(n + 255) / 256, 256>>>(a, b, out, n);\n"
                     "}\n"}};

/* Rows that must be those of the undisturbed run; and, of one under way, must not change. */
static const char found[] =
    "SELECT template_name || ' ' || problem || ' ' || config || ' ' || status || ' ' ||"
    " ifnull(median_ms, '') || ' ' || samples || ' ' || reduced"
    " FROM evaluations JOIN jobs ON jobs.id = job_id ORDER BY template_name, config";
static const char committed[] =
    "SELECT job_id || ' ' || config || ' ' || evaluations.id || ' ' || created || ' ' ||"
    " compile_seconds || ' ' || samples FROM evaluations ORDER BY evaluations.id";
static const char won[] =
    "SELECT kernel || ' ' || problem || ' ' || json_extract(document, '$.config') || ' ' ||"
    " json_extract(document, '$.entry.status') FROM results WHERE kernel <> '' AND id IN"
    " (SELECT max(id) FROM results GROUP BY job, kernel, problem) ORDER BY 1";
static const char made[] = "SELECT sum(json_extract(document, '$.entry.run')) FROM results"
                           " WHERE kernel <> '' GROUP BY job ORDER BY job";

typedef struct bench {
    const char *program;
    char *folder, *recording;
    ht_random random;
    unsigned failures;
} bench;

static void job_write(const char *name) {
    char *path = ht_format("%s.json", name);
    char *text = ht_format("{\"sources\": [\"tree\"], \"budget\": {\"seconds\": 600, "
                           "\"evaluations\": 12}, \"final_seconds\": 0.05, \"check\": \"none\","
                           " \"watch_hours\": 1000, \"seed\": 3, \"database\": \"%.*s.sqlite\","
                           " \"out\": \"out-%s\"}\n",
                           (int)strcspn(name, "-"), name, name);
    ht_file_write(path, text, strlen(text), NULL);
    free(text);
    free(path);
}

/* Starts a run of the job NAME.json; `replay`: timings come from the recording. */
static pid_t start(const bench *b, const char *name, bool replay) {
    job_write(name);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    setenv("HIPTEMPER_LOCKS", b->folder, 1);
    if (replay)
        setenv("HIPTEMPER_REPLAY_TIMINGS", b->recording, 1);
    char *path = ht_format("%s.json", name);
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
        _exit(127);
    execl(b->program, b->program, "run", path, (char *)NULL);
    _exit(127);
}

/* Returns a query's rows in a run's database, a line each; free(). */
static char *rows_of(bench *b, const char *name, const char *sql) {
    char *path = ht_format("%s.sqlite", name);
    char *rows = bench_rows(path, sql, &b->failures);
    free(path);
    return rows;
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

static void expect_same(bench *b, const char *name, int code) {
    static const char *const queries[] = {found, won};
    if (code != 0)
        bench_complain(&b->failures, "%s: exit code %d; see %s/log", name, code, b->folder);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; ++i) {
        char *wanted = rows_of(b, "undisturbed", queries[i]), *got = rows_of(b, name, queries[i]);
        expect_lines(b, "missing", wanted, got);
        expect_lines(b, "not in the undisturbed run", got, wanted);
        free(got);
        free(wanted);
    }
}

/* Runs until the end or a kill at a random moment. Returns true when it was killed. */
static bool run_killed(bench *b, const char *name, double typical, int *out_code) {
    enum { STEP_US = 1000 };
    pid_t pid = start(b, name, true);
    double end = ht_clock_seconds() + ht_random_unit(&b->random) * typical;
    int status = 0;
    while (ht_clock_seconds() < end) {
        if (waitpid(pid, &status, WNOHANG) == pid) {
            *out_code = bench_exit_code(status);
            return false;
        }
        usleep(STEP_US);
    }
    kill(pid, SIGKILL);
    *out_code = bench_finish(pid);
    return *out_code == 128 + SIGKILL;
}

static void disturb(bench *b, unsigned most, double typical) {
    unsigned kills = 0, runs = 0, ended = 0;
    char *name = ht_strdup("killed0");
    for (bool open = true; open || kills < most; ++runs) {
        char *before = rows_of(b, name, committed);
        int code;
        bool killed;
        if (kills < most) {
            killed = run_killed(b, name, typical, &code);
        } else {
            code = bench_finish(start(b, name, true));
            killed = false;
        }
        char *after = rows_of(b, name, committed);
        expect_lines(b, "lost or done again", before, after);
        kills += killed;
        open = killed;
        if (!killed) {
            expect_same(b, name, code);
            free(name);
            name = ht_format("killed%u", ++ended);
        }
        free(before);
        free(after);
    }
    free(name);
    printf("%u runs, %u kills; %u runs came to their end and were compared\n", runs, kills, ended);
    fflush(stdout);
}

static void two_at_once(bench *b) {
    static const double part = 0.1;
    pid_t first = start(b, "shared-1", true), second = start(b, "shared-2", true);
    int code = bench_finish(first), other = bench_finish(second);
    expect_same(b, "shared", code ? code : other);
    char *counts = rows_of(b, "shared", made), *alone = rows_of(b, "undisturbed", made), *end;
    double one = strtod(counts, &end), two = strtod(end, NULL), all = strtod(alone, NULL);
    printf("two jobs at once made %g and %g evaluations, one alone %g\n", one, two, all);
    if (one + two > (1 + part) * all || one > (0.5 + part) * all || two > (0.5 + part) * all)
        bench_complain(&b->failures, "each was to make half of them");
    free(alone);
    free(counts);
}

static int run_bench(bench *b, unsigned most) {
    double begun = ht_clock_seconds();
    int code = bench_finish(start(b, "recording", false));
    if (code != 0) {
        bench_complain(&b->failures, "the first run ended with exit code %d; see %s/log", code,
                       b->folder);
        return 1;
    }
    double recorded = ht_clock_seconds();
    code = bench_finish(start(b, "undisturbed", true));
    double typical = ht_clock_seconds() - recorded;
    char *rows = rows_of(b, "undisturbed", won);
    printf("an undisturbed run takes %.1f s and finds\n%s", typical, rows);
    fflush(stdout);
    free(rows);
    expect_same(b, "undisturbed", code);
    disturb(b, most, typical);
    two_at_once(b);
    printf("%u failures in %.0f s\n", b->failures, ht_clock_seconds() - begun);
    return b->failures > 0;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: night_kills HIPTEMPER [KILLS] [SEED]\n");
        return 2;
    }
    ht_error error = {0};
    bench b = {.program = realpath(argv[1], NULL)};
    if (b.program == NULL || ht_dir_temporary("nights", &b.folder, &error) != HT_OK ||
        chdir(b.folder) != 0 || ht_dir_make("tree", &error) != HT_OK) {
        fprintf(stderr, "night_kills: cannot begin: %s %s\n", argv[1], error.message);
        return 2;
    }
    ht_random_stream(&b.random, argc > 3 ? strtoull(argv[3], NULL, 10) : 1, 0);
    b.recording = ht_path_join(b.folder, "recording.sqlite");
    int code = 2;
    bool written = true;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i)
        written = written && ht_file_write(kernels[i][0], kernels[i][1], strlen(kernels[i][1]),
                                           &error) == HT_OK;
    if (written)
        code = run_bench(&b, argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 50);
    if (code == 0)
        ht_dir_remove(b.folder);
    free(b.folder);
    free(b.recording);
    free((char *)b.program);
    return code;
}
