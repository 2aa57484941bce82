/* Compares a night on a Slurm cluster of this machine alone with that of one process (docs/run.md).
 *
 *     night_slurm HIPTEMPER
 *
 * Starts slurmctld and slurmd in a folder of its own, as this user, with ports of their own and
 * without munge. One run records timings, another replays them in one process. Then the night is
 * submitted, under replay, in two shards; one of them is killed (SIGKILL) while it searches, must
 * be reported as failed, and is submitted again. At the end the job's database must hold the
 * evaluations and results of the one process, and one night. Exit code 1: something differed, and
 * is printed; 77: Slurm is not installed. */
#include "benchmarks/failures.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tool.h"

#include <fcntl.h>
#include <jansson.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77, PATIENCE_S = 400, STEP_US = 50000 };

static const char kernel[] = "#include <hip/hip_runtime.h>\n"
                             "__global__ void %s(const float *in, float *out, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) out[i] = %s;\n"
                             "}\n"
                             "void launch(const float *in, float *out, int n) {\n"
                             "    %s<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                             "}\n";

/* Rows that must be those of one process. */
static const char found[] =
    "SELECT template_name || ' ' || problem || ' ' || config || ' ' || status || ' ' ||"
    " ifnull(median_ms, '') || ' ' || samples || ' ' || reduced"
    " FROM evaluations JOIN jobs ON jobs.id = job_id ORDER BY template_name, config";
static const char won[] =
    "SELECT kernel || ' ' || problem || ' ' || file || ' ' || json_extract(document, '$.config')"
    " || ' ' || json_extract(document, '$.entry.status') FROM results WHERE kernel <> '' AND id IN"
    " (SELECT max(id) FROM results GROUP BY kernel, problem, file) ORDER BY 1";
static const char nights[] = "SELECT count(*) FROM nights";

typedef struct bench {
    const char *program;
    char *folder;
    pid_t controller, node;
    unsigned failures;
} bench;

/* ---- the cluster */

/* Returns a port that nobody listens on now. */
static int port_find(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0)
        return 0;
    bool done = bind(file, (struct sockaddr *)&address, size) == 0 &&
                getsockname(file, (struct sockaddr *)&address, &size) == 0;
    close(file);
    return done ? ntohs(address.sin_port) : 0;
}

static void cluster_write(const bench *b) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = 0;
    const struct passwd *user = getpwuid(geteuid());
    const char *name = user ? user->pw_name : "root";
    char *text = ht_format(
        "ClusterName=test\nSlurmctldHost=%s(127.0.0.1)\nSlurmUser=%s\nSlurmdUser=%s\n"
        "SlurmctldPort=%d\nSlurmdPort=%d\nAuthType=auth/none\nCredType=cred/none\n"
        "AccountingStorageType=accounting_storage/none\nJobAcctGatherType=jobacct_gather/none\n"
        "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nSwitchType=switch/none\n"
        "MpiDefault=none\nReturnToService=2\nStateSaveLocation=%s/state\n"
        "SlurmdSpoolDir=%s/spool\nSlurmctldPidFile=%s/ctld.pid\nSlurmdPidFile=%s/d.pid\n"
        "SlurmctldLogFile=%s/ctld.log\nSlurmdLogFile=%s/d.log\n"
        "NodeName=%s NodeAddr=127.0.0.1 CPUs=%ld State=UNKNOWN\n"
        "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
        host, name, name, port_find(), port_find(), b->folder, b->folder, b->folder, b->folder,
        b->folder, b->folder, host, sysconf(_SC_NPROCESSORS_ONLN));
    ht_file_write("slurm.conf", text, strlen(text), NULL);
    ht_dir_make("state", NULL);
    ht_dir_make("spool", NULL);
    free(text);
}

static pid_t start(const char *const *words, const char *log) {
    pid_t process = fork();
    if (process != 0)
        return process;
    int file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0)
        _exit(127);
    execvp(words[0], (char **)words);
    _exit(127);
}

/* Runs a program; returns its output, free(). */
static char *output_of(const char *const *words, int *out_code) {
    const ht_tool_call call = {.arguments = words, .seconds = 60, .no_errors = true};
    ht_text out = {0};
    *out_code = 127;
    ht_tool_run(&call, &out, out_code, NULL);
    return out.data ? out.data : ht_strdup("");
}

/* Starts the daemons; returns true when the node is ready. */
static bool cluster_start(bench *b) {
    static const char *const controller[] = {"slurmctld", "-D", NULL};
    static const char *const node[] = {"slurmd", "-D", NULL};
    static const char *const ask[] = {"sinfo", "-h", "-o", "%t", NULL};
    char *conf = ht_path_join(b->folder, "slurm.conf");
    bool ready = false;
    setenv("SLURM_CONF", conf, 1);
    cluster_write(b);
    b->controller = start(controller, "ctld.out");
    b->node = start(node, "d.out");
    for (double end = ht_clock_seconds() + 60; !ready && ht_clock_seconds() < end;) {
        int code;
        char *state = output_of(ask, &code);
        ready = code == 0 && strcmp(state, "idle\n") == 0;
        free(state);
        usleep(STEP_US);
    }
    free(conf);
    return ready;
}

static void cluster_end(const bench *b) {
    const pid_t processes[] = {b->node, b->controller};
    for (size_t i = 0; i < 2; ++i) {
        if (processes[i] <= 0)
            continue;
        kill(processes[i], SIGTERM);
        waitpid(processes[i], NULL, 0);
    }
}

/* ---- nights */

static void job_write(const char *name) {
    char *path = ht_format("%s.json", name);
    char *text = ht_format("{\"sources\": [\"tree\"], \"budget\": {\"seconds\": 600, "
                           "\"evaluations\": 6}, \"final_seconds\": 0.05, \"check\": \"none\","
                           " \"watch_hours\": 1000, \"seed\": 3, \"database\": \"%s.sqlite\","
                           " \"out\": \"out of %s\", \"slurm\": {\"shards\": 2}}\n",
                           name, name);
    ht_file_write(path, text, strlen(text), NULL);
    free(text);
    free(path);
}

static int hiptemper(const bench *b, const char *job, const char *option) {
    const char *const words[] = {b->program, "run", job, option, NULL};
    return bench_finish(start(words, "log"));
}

/* Returns a number of a JSON file, such as 3 of {"counts": {"done": 3}}; -1: it is not there. */
static long number_in(const json_t *document, const char *object, const char *key) {
    const json_t *value = json_object_get(document, object);
    value = key ? json_object_get(value, key) : value;
    return json_is_integer(value) ? (long)json_integer_value(value) : -1;
}

/* Returns what --status says; new reference. */
static json_t *status_of(const bench *b) {
    const char *const words[] = {b->program,           "run", "night.json", "--status",
                                 "--json=status.json", NULL};
    bench_finish(start(words, "log"));
    return json_load_file("status.json", 0, NULL);
}

/* Waits until shards and merge have ended; returns how many shards failed, -1: it took too long. */
static long ended_wait(const bench *b) {
    for (double end = ht_clock_seconds() + PATIENCE_S; ht_clock_seconds() < end;) {
        json_t *status = status_of(b);
        const char *merge =
            json_string_value(json_object_get(json_object_get(status, "merge"), "state"));
        bool ended = number_in(status, "counts", "pending") == 0 &&
                     number_in(status, "counts", "running") == 0 && merge &&
                     strcmp(merge, "done") == 0;
        long failed = number_in(status, "counts", "failed");
        json_decref(status);
        if (ended)
            return failed;
        usleep(10 * STEP_US);
    }
    return -1;
}

/* Returns how many evaluations a database has; 0 as long as it cannot be read. */
static int evaluations_in(const char *path) {
    sqlite3 *sqlite = NULL;
    sqlite3_stmt *rows = NULL;
    int count = 0;
    if (ht_file_exists(path) &&
        sqlite3_open_v2(path, &sqlite, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(sqlite, "SELECT count(*) FROM evaluations", -1, &rows, NULL) ==
            SQLITE_OK &&
        sqlite3_step(rows) == SQLITE_ROW)
        count = sqlite3_column_int(rows, 0);
    sqlite3_finalize(rows);
    sqlite3_close(sqlite);
    return count;
}

/* Kills the first shard as soon as it has made two evaluations. */
static bool shard_kill(void) {
    for (double end = ht_clock_seconds() + PATIENCE_S; ht_clock_seconds() < end;) {
        int made = evaluations_in("out of night/slurm/1/db.sqlite");
        json_t *state = json_load_file("out of night/slurm/1/state.json", 0, NULL);
        long process = number_in(state, "process", NULL);
        const char *word = json_string_value(json_object_get(state, "state"));
        bool ended = word && strcmp(word, "running") != 0;
        json_decref(state);
        if (ended)
            return false;
        if (made >= 2 && process > 0)
            return kill((pid_t)process, SIGKILL) == 0;
        usleep(STEP_US / 10);
    }
    return false;
}

static void expect_same(bench *b, const char *what, const char *sql) {
    char *wanted = bench_rows("alone.sqlite", sql, &b->failures),
         *got = bench_rows("night.sqlite", sql, &b->failures);
    if (strcmp(wanted, got) != 0)
        bench_complain(&b->failures, "%s of one process:\n%sof the shards:\n%s", what, wanted, got);
    free(got);
    free(wanted);
}

static void night_run(bench *b) {
    if (hiptemper(b, "night.json", "--slurm") != 0)
        bench_complain(&b->failures, "--slurm failed");
    else if (!shard_kill())
        bench_complain(&b->failures, "the shard ended before it could be killed");
    long failed = b->failures ? -1 : ended_wait(b);
    if (failed != 1)
        bench_complain(&b->failures, "%ld shards failed after one was killed", failed);
    if (failed == 1 && hiptemper(b, "night.json", "--resume") != 0)
        bench_complain(&b->failures, "--resume failed");
    failed = failed == 1 ? ended_wait(b) : -1;
    if (failed != 0)
        bench_complain(&b->failures, "%ld shards failed after all were submitted again", failed);
    if (hiptemper(b, "night.json", "--resume") != 0)
        bench_complain(&b->failures, "--resume of nothing failed");
    expect_same(b, "evaluations", found);
    expect_same(b, "results", won);
    expect_same(b, "nights", nights);
    if (!ht_file_exists("out of night/slurm/report.json"))
        bench_complain(&b->failures, "there is no report of the night");
}

static int bench_run(bench *b) {
    double begun = ht_clock_seconds();
    char *recording = ht_path_join(b->folder, "recording.sqlite");
    const char *const jobs[] = {"recording", "alone", "night"};
    for (size_t i = 0; i < 3; ++i)
        job_write(jobs[i]);
    setenv("HIPTEMPER_LOCKS", b->folder, 1);
    if (!cluster_start(b))
        bench_complain(&b->failures, "the node is not ready; see %s/*.log", b->folder);
    if (!b->failures && hiptemper(b, "recording.json", NULL) != 0)
        bench_complain(&b->failures, "the first night failed");
    setenv("HIPTEMPER_REPLAY_TIMINGS", recording, 1);
    if (!b->failures && hiptemper(b, "alone.json", NULL) != 0)
        bench_complain(&b->failures, "the night of one process failed");
    if (!b->failures)
        night_run(b);
    cluster_end(b);
    free(recording);
    printf("one process and two shards on Slurm, one of them killed: %u failures in %.0f s\n",
           b->failures, ht_clock_seconds() - begun);
    if (b->failures)
        printf("its files are in %s\n", b->folder);
    return b->failures > 0;
}

static bool is_installed(void) {
    static const char *const programs[] = {"slurmctld", "slurmd", "sbatch", "squeue"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i) {
        char *path = ht_tool_find(programs[i]);
        free(path);
        if (!path)
            return false;
    }
    return true;
}

int main(int argc, char **argv) {
    ht_error error = {0};
    bench b = {.program = argc > 1 ? realpath(argv[1], NULL) : NULL};
    const char *const names[][2] = {{"scale", "2.0f * in[i]"}, {"shift", "in[i] + 1.0f"}};
    char *path = ht_format("%s:/usr/sbin:/sbin", getenv("PATH") ? getenv("PATH") : "/bin");
    setenv("PATH", path, 1);
    free(path);
    if (!is_installed()) {
        printf("skipped: Slurm is not installed (Debian: slurm-wlm)\n");
        return SKIPPED;
    }
    if (!b.program || ht_dir_temporary("slurm", &b.folder, &error) != HT_OK ||
        chdir(b.folder) != 0 || ht_dir_make("tree", &error) != HT_OK) {
        fprintf(stderr, "usage: night_slurm HIPTEMPER %s\n", error.message);
        return 2;
    }
    for (size_t i = 0; i < 2; ++i) {
        char *file = ht_format("tree/%s.hip", names[i][0]);
        char *text = ht_format(kernel, names[i][0], names[i][1], names[i][0]);
        ht_file_write(file, text, strlen(text), NULL);
        free(text);
        free(file);
    }
    int code = bench_run(&b);
    if (code == 0)
        ht_dir_remove(b.folder);
    free(b.folder);
    free((char *)b.program);
    return code;
}
