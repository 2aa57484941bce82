/* Time and memory of `hiptemper report` on a large database (docs/report.md).
 *
 *     report_database HIPTEMPER [EVALUATIONS] [KERNELS] [NIGHTS]
 *
 * Makes a database with EVALUATIONS (1,000,000), divided among KERNELS (20) searches, and
 * NIGHTS (14) nights of a job with these kernels, in a folder of its own. Then runs HIPTEMPER
 * report with all forms, and prints seconds and the peak of the resident memory of one process.
 * Exit code 1: the report failed, or took more than 10 s or 500 MB. */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "runtime/store/database.h"
#include "runtime/store/database_rows.h"
#include "runtime/store/database_schema.h"
#include "runtime/store/nights.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PARAMETERS = 12, VALUES = 6, SAMPLES = 10, ROUNDS = 24 };

typedef struct bench {
    char *folder, *path;
    long evaluations, kernels, nights;
    ht_random random;
    sqlite3 *sqlite;
} bench;

static void must(bool ok, const char *what) {
    if (ok)
        return;
    fprintf(stderr, "report_database: %s\n", what);
    exit(1);
}

static ht_database_key key_of(const char *kernel, const char *code) {
    return (ht_database_key){.source_hash = "0123456789abcdef0123456789abcdef",
                             .template_name = kernel,
                             .template_hash = code,
                             .problem = "N=16 C=64 H=56 W=56",
                             .device = "host: host emulation, 2 cores",
                             .compiler = "clang 19.1.7 (0123456789abcdef)",
                             .method = "hiptemper 2; interval 0.02",
                             .settings = "options; prelude 1234",
                             .checking = "outputs and guards"};
}

/* Makes the searches, each with its original. */
static void jobs_make(bench *b) {
    ht_database *database;
    ht_error error = {0};
    must(ht_database_open(b->path, &database, &error) == HT_OK, error.message);
    for (long i = 0; i < b->kernels; ++i) {
        double samples[] = {2.01, 2.0, 1.99, 2.02, 2.0, 2.0, 1.98};
        char *kernel = ht_format("kernel_%ld", i), *code = ht_format("%032lx", i);
        const ht_database_key key = key_of(kernel, code);
        const ht_evaluation original = {.config = "original",
                                        .cost = 2,
                                        .samples = samples,
                                        .sample_count = sizeof samples / sizeof *samples};
        must(ht_database_put(database, &key, &original, &error) == HT_OK, error.message);
        free(kernel);
        free(code);
    }
    ht_database_close(database);
}

/* Writes a configuration that no other number has, and returns its time; 0: it is rejected. */
static double config_make(bench *b, long number, ht_text *out) {
    double ms = 2;
    out->length = 0;
    for (int i = 0; i < PARAMETERS; ++i) {
        long value = i < 8 ? number % VALUES : (long)ht_random_below(&b->random, VALUES);
        number /= i < 8 ? VALUES : 1;
        ht_text_printf(out, "%sPARAMETER_%d=%d", i ? " " : "", i, 1 << value);
        ms *= 1 + 0.05 * i * (double)((value - 3) * (value - 3)) / 9;
    }
    ms *= 0.4 + 0.05 * ht_random_unit(&b->random);
    return ht_random_below(&b->random, 5) == 0 ? 0 : ms;
}

static void samples_make(bench *b, double ms, ht_text *out) {
    out->length = 0;
    ht_text_append(out, "[");
    for (int i = 0; i < SAMPLES && ms > 0; ++i)
        ht_text_printf(out, "%s%.17g", i ? ", " : "", ms * (1 + 0.02 * ht_random_unit(&b->random)));
    ht_text_append(out, "]");
}

static void evaluation_put(bench *b, sqlite3_stmt *statement, long number) {
    static const char *const statuses[] = {"compile", "mismatch", "timeout", "launch"};
    ht_text config = {0}, samples = {0};
    double ms = config_make(b, number / b->kernels, &config);
    samples_make(b, ms, &samples);
    char *reason = ht_format("'out'[%ld] is %.6g, expected 1; variant %ld", number,
                             ht_random_unit(&b->random), number);
    sqlite3_bind_int64(statement, 1, 1 + number % b->kernels);
    sqlite3_bind_text(statement, 2, config.data, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, ms > 0 ? "ok" : statuses[number % 4], -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, ms > 0 ? NULL : reason, -1, SQLITE_STATIC);
    if (ms > 0)
        sqlite3_bind_double(statement, 5, ms);
    else
        sqlite3_bind_null(statement, 5);
    sqlite3_bind_text(statement, 6, samples.data, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 7, 1790000000 + number / 4);
    must(sqlite3_step(statement) == SQLITE_DONE, sqlite3_errmsg(b->sqlite));
    sqlite3_reset(statement);
    free(reason);
    ht_text_free(&config);
    ht_text_free(&samples);
}

/* Puts all evaluations in one transaction, and gives them their checksums. */
static void evaluations_make(bench *b) {
    ht_database_damage damage = {.path = b->path};
    sqlite3_stmt *statement;
    must(sqlite3_open(b->path, &b->sqlite) == SQLITE_OK, "the database does not open");
    must(ht_database_rows_install(b->sqlite, &damage) == SQLITE_OK, "no checksums");
    sqlite3_exec(b->sqlite, "BEGIN", NULL, NULL, NULL);
    must(sqlite3_prepare_v2(
             b->sqlite,
             "INSERT INTO evaluations (job_id, config, status, reason, median_ms, samples,"
             " compile_seconds, reduced, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0.5, 0,"
             " strftime('%Y-%m-%dT%H:%M:%SZ', ?7, 'unixepoch'))",
             -1, &statement, NULL) == SQLITE_OK,
         sqlite3_errmsg(b->sqlite));
    for (long i = 0; i < b->evaluations; ++i)
        evaluation_put(b, statement, i);
    sqlite3_finalize(statement);
    must(sqlite3_exec(b->sqlite,
                      "UPDATE evaluations SET checksum = " HT_DATABASE_EVALUATION_SUM_JOINED
                      " FROM jobs WHERE jobs.id = job_id; COMMIT",
                      NULL, NULL, NULL) == SQLITE_OK,
         sqlite3_errmsg(b->sqlite));
    sqlite3_close(b->sqlite);
    ht_database_damage_free(&damage);
}

/* ---- nights */

static json_t *times_make(bench *b, double ms) {
    json_t *times = json_array();
    for (int i = 0; i < ROUNDS; ++i)
        json_array_append_new(times, json_real(ms * (1 + 0.03 * ht_random_unit(&b->random))));
    return times;
}

static void result_put(bench *b, ht_nights *nights, int64_t night, long number) {
    char *kernel = ht_format("kernel_%ld", number), *code = ht_format("%032lx", number);
    char *file = ht_format("tree/kernel_%ld.hip", number);
    const ht_database_key key = key_of(kernel, code);
    json_t *document = json_pack(
        "{s:{s:s, s:f, s:[f,f], s:f, s:f, s:b}, s:{s:i, s:o, s:o, s:o}, s:I, s:i, s:s,"
        " s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}}",
        "entry", "status", "improved", "speedup", 2.5, "speedup_ci", 2.4, 2.6, "original_ms", 2.0,
        "tuned_ms", 0.8, "emulated", 1, "watch", "rounds", ROUNDS, "calibration",
        times_make(b, 0.1), "original", times_make(b, 2), "incumbent", times_make(b, 0.8), "night",
        (json_int_t)night, "timed", 1790000000, "config", "PARAMETER_0=8", "parts", "kernel",
        kernel, "code", code, "problem", key.problem, "device", key.device, "compiler",
        key.compiler, "method", key.method, "settings", key.settings, "checking", key.checking);
    char *text = json_dumps(document, JSON_COMPACT);
    const ht_night_result result = {.night = night,
                                    .job = "/jobs/nightly.json",
                                    .kernel = kernel,
                                    .problem = "large",
                                    .device = "host",
                                    .file = file,
                                    .source_key = code,
                                    .kernel_key = code,
                                    .document = text};
    ht_error error = {0};
    must(ht_nights_put(nights, &result, &error) == HT_OK, error.message);
    json_decref(document);
    free(text);
    free(file);
    free(kernel);
    free(code);
}

static void nights_make(bench *b) {
    ht_nights *nights;
    ht_error error = {0};
    must(ht_nights_open(b->path, &nights, &error) == HT_OK, error.message);
    for (long i = 0; i < b->nights; ++i) {
        int64_t night;
        must(ht_nights_begin(nights, "/jobs/nightly.json", &(ht_night_name){0}, &night, &error) ==
                 HT_OK,
             error.message);
        for (long j = 0; j < b->kernels; ++j)
            result_put(b, nights, night, j);
        must(ht_nights_end(nights, night, "{\"host\": \"bench\", \"least_effect\": 0.02}",
                           &error) == HT_OK,
             error.message);
    }
    ht_nights_close(nights);
}

/* ---- measuring */

/* Runs the report; returns its exit code. */
static int report_run(const bench *b, const char *program, double *out_seconds,
                      struct rusage *out_use) {
    char *paths[] = {ht_path_join(b->folder, "r.html"), ht_path_join(b->folder, "r.xml"),
                     ht_path_join(b->folder, "r.md"), ht_path_join(b->folder, "r.json")};
    char *json = ht_format("--json=%s", paths[3]);
    double began = ht_clock_seconds();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int nowhere = dup(2);
        if (!freopen("/dev/null", "w", stdout))
            _exit(126);
        execl(program, program, "report", b->path, "--html", paths[0], "--junit", paths[1],
              "--markdown", paths[2], json, (char *)NULL);
        dprintf(nowhere, "report_database: %s cannot be run\n", program);
        _exit(127);
    }
    int status = 0;
    wait4(child, &status, 0, out_use);
    *out_seconds = ht_clock_seconds() - began;
    for (size_t i = 0; i < 4; ++i) {
        struct stat info;
        if (stat(paths[i], &info) == 0)
            printf("%s: %.1f kB\n", ht_path_name(paths[i]), (double)info.st_size / 1e3);
        free(paths[i]);
    }
    free(json);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static long number_at(int count, char **words, int index, long otherwise) {
    return index < count ? strtol(words[index], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
    static const double most_seconds = 10, most_megabytes = 500;
    bench b = {.evaluations = number_at(argc, argv, 2, 1000000),
               .kernels = number_at(argc, argv, 3, 20),
               .nights = number_at(argc, argv, 4, 14)};
    ht_error error = {0};
    must(argc > 1 && b.evaluations > 0 && b.kernels > 0 && b.nights >= 0,
         "usage: report_database HIPTEMPER [EVALUATIONS] [KERNELS] [NIGHTS]");
    must(ht_dir_temporary("report-bench", &b.folder, &error) == HT_OK, error.message);
    b.path = ht_path_join(b.folder, "large.sqlite");
    ht_random_seed(&b.random, 7);
    jobs_make(&b);
    evaluations_make(&b);
    nights_make(&b);
    struct stat info = {0};
    stat(b.path, &info);
    printf("database: %ld evaluations, %ld searches, %ld nights, %.0f MB\n", b.evaluations,
           b.kernels, b.nights, (double)info.st_size / 1e6);
    double seconds;
    struct rusage use = {0};
    int code = report_run(&b, argv[1], &seconds, &use);
    double megabytes = (double)use.ru_maxrss * 1024 / 1e6;
    printf("report: exit code %d, %.2f s, %.2f s of CPU, at most %.0f MB\n", code, seconds,
           (double)use.ru_utime.tv_sec + (double)use.ru_utime.tv_usec / 1e6 +
               (double)use.ru_stime.tv_sec + (double)use.ru_stime.tv_usec / 1e6,
           megabytes);
    ht_dir_remove(b.folder);
    free(b.folder);
    free(b.path);
    return code != 0 || seconds > most_seconds || megabytes > most_megabytes;
}
