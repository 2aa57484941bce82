/* Kills loops at random moments, lets them go on, and compares their histories with that of an
 * undisturbed one, under replayed timings (docs/loop.md).
 *
 *     loop_kills HIPTEMPER [KILLS] [SEED]
 *
 * One loop records timings; another replays them without being disturbed, and must have the same
 * history: revisions, configurations, gains, verdicts and reasons, to the letter but for the
 * seconds that steps took. Further ones replay them and are killed again and again: after each kill
 * the steps that were committed must stay as they are, and a loop that has ended must have that
 * history too. Exit code 1: something differed, and is printed. */
#include "benchmarks/failures.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char SOURCE[] = "#include <hip/hip_runtime.h>\n"
                             "__global__ void blur(float *out, const float *in, int w, int h) {\n"
                             "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    int y = blockIdx.y;\n"
                             "    if (x >= w || y >= h) return;\n"
                             "    float sum = 0;\n"
                             "    for (int i = -2; i <= 2; ++i) {\n"
                             "        int at = x + i;\n"
                             "        if (at >= 0 && at < w) sum += in[y * w + at];\n"
                             "    }\n"
                             "    out[y * w + x] = sum;\n"
                             "}\n"
                             "void launch(float *out, const float *in, int w, int h) {\n"
                             "    blur<<<dim3((w + 63) / 64, h), 64>>>(out, in, w, h);\n"
                             "}\n";

static const char PROBLEM[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"blur\",\n"
    " \"problem\": \"image : W, H\", \"args\": [\"out : out float[problem.W * problem.H]\",\n"
    " \"in : in float[problem.W * problem.H]\", \"w : int = problem.W\", \"h : int = "
    "problem.H\"],\n"
    " \"host\": {\"w\": \"problem.W\", \"h\": \"problem.H\"},\n"
    " \"instances\": [{\"name\": \"small\", \"fields\": {\"W\": 1000, \"H\": 40}}]}]}\n";

static const char STEPS[] =
    "SELECT number || ' ' || json_remove(document, '$.seconds', '$.predicted_cost')"
    " FROM steps ORDER BY loop, number";

typedef struct bench {
    const char *program;
    ht_random random;
    unsigned failures, kills, loops;
} bench;

/* Starts a loop with a database; `replay`: timings come from the recording. */
static pid_t start(const bench *b, const char *database, const char *replay) {
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    if (replay)
        setenv("HIPTEMPER_REPLAY_TIMINGS", replay, 1);
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
        _exit(127);
    execl(b->program, b->program, "loop", "blur.hip", "--db", database, "--rounds", "3",
          "--max-evals", "5", "--final-time", "0.1", "--check", "none", "--min-speedup", "1",
          (char *)NULL);
    _exit(127);
}

/* Runs a loop to its end. Returns the seconds that it took. */
static double run(bench *b, const char *database, const char *replay) {
    double begun = ht_clock_seconds();
    int code = bench_finish(start(b, database, replay));
    if (code != 0)
        bench_complain(&b->failures, "a loop on %s ended with %d; see 'log'", database, code);
    return ht_clock_seconds() - begun;
}

/* Kills a loop after a random part of what one takes; returns true if it came first. */
static bool run_killed(bench *b, const char *database, double seconds) {
    pid_t pid = start(b, database, "recorded.sqlite");
    double end = ht_clock_seconds() + seconds * ht_random_unit(&b->random);
    int status = 0;
    while (ht_clock_seconds() < end) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return true;
        usleep(2000);
    }
    kill(pid, SIGKILL);
    bench_finish(pid);
    ++b->kills;
    return false;
}

/* Prints where two histories part, with what is around it. */
static void difference_tell(bench *b, const char *database, const char *one, const char *other) {
    enum { AROUND = 60 };
    size_t at = 0;
    while (one[at] != '\0' && one[at] == other[at])
        ++at;
    size_t from = at > AROUND ? at - AROUND : 0;
    bench_complain(&b->failures, "%s has another history from byte %zu on: '%.*s', not '%.*s'",
                   database, at, 2 * AROUND, one + from, 2 * AROUND, other + from);
}

/* One loop, killed until it ends by itself or all kills were made; then it is let go on. */
static void disturb(bench *b, unsigned kills, double seconds, const char *whole) {
    char *database = ht_format("killed-%u.sqlite", b->loops++);
    char *before = ht_strdup("");
    bool ended = false;
    while (!ended && b->kills < kills) {
        ended = run_killed(b, database, seconds);
        char *now = bench_rows(database, STEPS, &b->failures);
        if (strncmp(now, before, strlen(before)) != 0)
            bench_complain(&b->failures, "a committed step of %s has changed", database);
        free(before);
        before = now;
    }
    run(b, database, "recorded.sqlite");
    char *history = bench_rows(database, STEPS, &b->failures);
    if (strcmp(history, whole) != 0)
        difference_tell(b, database, history, whole);
    free(history);
    free(before);
    free(database);
}

static bool files_write(void) {
    return ht_file_write("blur.hip", SOURCE, strlen(SOURCE), NULL) == HT_OK &&
           ht_file_write("blur.problem.json", PROBLEM, strlen(PROBLEM), NULL) == HT_OK;
}

int main(int count, char **arguments) {
    bench b = {.program = count > 1 ? realpath(arguments[1], NULL) : NULL};
    unsigned kills = count > 2 ? (unsigned)atoi(arguments[2]) : 20;
    char *folder = NULL;
    if (!b.program) {
        fprintf(stderr, "usage: loop_kills HIPTEMPER [KILLS] [SEED]\n");
        return 2;
    }
    ht_random_seed(&b.random, count > 3 ? (uint64_t)atoll(arguments[3]) : 1);
    if (ht_dir_temporary("loop-kills", &folder, NULL) != HT_OK || chdir(folder) != 0 ||
        !files_write()) {
        fprintf(stderr, "no folder for it\n");
        return 2;
    }
    run(&b, "recorded.sqlite", NULL);
    double seconds = run(&b, "whole.sqlite", "recorded.sqlite");
    char *whole = bench_rows("whole.sqlite", STEPS, &b.failures);
    if (strlen(whole) < 100)
        bench_complain(&b.failures, "the undisturbed loop has no history");
    char *recorded = bench_rows("recorded.sqlite", STEPS, &b.failures);
    if (strcmp(recorded, whole) != 0)
        difference_tell(&b, "the replay", whole, recorded);
    free(recorded);
    while (b.kills < kills && b.failures == 0)
        disturb(&b, kills, seconds, whole);
    printf("%u kills of %u loops, %u failures\n", b.kills, b.loops, b.failures);
    if (b.failures == 0 && chdir("/") == 0)
        ht_dir_remove(folder);
    free(whole);
    free(folder);
    free((char *)(size_t)b.program);
    return b.failures ? 1 : 0;
}
