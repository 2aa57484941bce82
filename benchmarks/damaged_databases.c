/* Damages tuning databases at random and shows that nothing changed is ever used
 * (docs/database.md).
 *
 *     damaged_databases [COUNT] [SEED] [HIPTEMPER] [RUNS]
 *
 * COUNT files with 20 flipped bits each, cut short, or with pages torn between two states are read
 * in every way that the library has: evaluations, deaths, races, neighbours, exports, the best of
 * each problem. All that comes back must be what was once written, samples to the bit, and a file
 * that is refused must stay as it is. Then HIPTEMPER tunes with RUNS files damaged in the same way,
 * under replayed timings: afterwards the database must give what an undisturbed run has. Exit code
 * 1: something differed, and is printed. */
#include "benchmarks/damaged_races.h"
#include "benchmarks/failures.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/warning.h"
#include "runtime/store/database.h"
#include "runtime/store/database_best.h"
#include "runtime/store/database_export.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 3, CONFIGS = 40, VERSIONS = 2, FLIPS = 20, SAMPLES_MAX = 200, PAGE = 4096 };

/* The versions written of one configuration; a torn page may bring an older one back. */
typedef struct truth {
    double samples[SAMPLES_MAX];
    size_t count;
    double cost;
    ht_status status;
    char reason[64];
    bool reduced;
    int vgprs;
} truth;

typedef struct image {
    char *data, *wal;
    size_t length, wal_length;
} image;

typedef struct bench {
    char *folder, *path;
    ht_random random;
    truth truths[JOBS][CONFIGS][VERSIONS];
    unsigned deaths[JOBS][CONFIGS];
    image before, after; /* the first versions; both */
    unsigned failures, refused, opened, good, missing, bad_rows;
} bench;

static const char *const problems[JOBS] = {"n=100 c=3", "n=200 c=3", "n=400 c=3"};
static unsigned warnings;

static void count_warning(const char *message) {
    if (strstr(message, "row ") != NULL && strstr(message, "DELETE FROM") != NULL)
        ++warnings;
}

static ht_database_key key_of(int job) {
    return (ht_database_key){.source_hash = "0123456789abcdef0123456789abcdef",
                             .template_name = "conv",
                             .template_hash = "fedcba9876543210fedcba9876543210",
                             .problem = problems[job],
                             .device = "host: host emulation",
                             .compiler = "clang 19.1.7 (0123456789abcdef)",
                             .method = "hiptemper 2; interval 0.02",
                             .settings = "options; prelude 1234",
                             .checking = "outputs and guards"};
}

static void truth_make(bench *b, truth *of) {
    *of = (truth){.vgprs = (int)ht_random_below(&b->random, 256)};
    if (ht_random_below(&b->random, 6) == 0) {
        of->status = ht_random_below(&b->random, 2) ? HT_ERROR_CRASH : HT_ERROR_MISMATCH;
        snprintf(of->reason, sizeof of->reason, "%s: %u", ht_status_name(of->status),
                 (unsigned)ht_random_below(&b->random, 1000));
        return;
    }
    of->count = 3 + ht_random_below(&b->random, SAMPLES_MAX - 3);
    for (size_t i = 0; i < of->count; ++i)
        of->samples[i] = 0.1 + ht_random_unit(&b->random);
    of->cost = of->samples[of->count / 2];
    of->reduced = false;
}

static void put(ht_database *database, bench *b, int job, int config, const truth *of) {
    ht_database_key key = key_of(job);
    char name[32];
    snprintf(name, sizeof name, "A=%d", config);
    ht_evaluation evaluation = {.config = name,
                                .status = of->status,
                                .reason = of->status ? (char *)of->reason : NULL,
                                .cost = of->cost,
                                .samples = (double *)of->samples,
                                .sample_count = of->count,
                                .compile_seconds = 0.25,
                                .resources = {.vgprs = of->vgprs},
                                .reduced = of->reduced,
                                .conditions = (char *)"{\"cache\":\"hot\"}"};
    ht_error error = {0};
    if (ht_database_put(database, &key, &evaluation, &error) != HT_OK)
        bench_complain(&b->failures, "cannot write: %s", error.message);
}

static void image_take(bench *b, image *out) {
    char *wal = ht_format("%s-wal", b->path);
    ht_error error = {0};
    *out = (image){0};
    if (ht_file_read(b->path, 0, &out->data, &out->length, &error) != HT_OK)
        bench_complain(&b->failures, "%s", error.message);
    if (ht_file_exists(wal))
        ht_file_read(wal, 0, &out->wal, &out->wal_length, NULL);
    free(wal);
}

static void image_free(image *of) {
    free(of->data);
    free(of->wal);
    *of = (image){0};
}

/* Writes two states: every configuration once, and then some once more. */
static void write_truths(bench *b) {
    ht_error error = {0};
    for (int version = 0; version < VERSIONS; ++version) {
        ht_database *database = NULL;
        if (ht_database_open(b->path, &database, &error) != HT_OK) {
            bench_complain(&b->failures, "%s", error.message);
            return;
        }
        for (int job = 0; job < JOBS; ++job)
            for (int config = 0; config < CONFIGS; ++config) {
                truth *of = b->truths[job][config];
                if (version > 0 && ht_random_below(&b->random, 2)) {
                    of[1] = of[0];
                    continue;
                }
                truth_make(b, &of[version]);
                put(database, b, job, config, &of[version]);
                ht_database_key key = key_of(job);
                char name[32];
                snprintf(name, sizeof name, "A=%d", config);
                if (of[version].status == HT_ERROR_CRASH)
                    ht_database_add_death(database, &key, name, HT_ERROR_CRASH, "crash: SIGSEGV",
                                          &b->deaths[job][config], NULL);
            }
        for (int job = 0; job < JOBS; ++job) {
            const ht_database_key key = key_of(job);
            damaged_races_put(database, &key, job, version, &b->failures);
        }
        if (version > 0) /* with what is still in the log of writes */
            image_take(b, &b->after);
        ht_database_close(database);
        if (version == 0)
            image_take(b, &b->before);
    }
    if (b->after.wal_length == 0)
        bench_complain(&b->failures, "there is no write-ahead log to damage");
}

static void flip(bench *b, char *data, size_t length) {
    for (int i = 0; i < FLIPS && length > 0; ++i) {
        size_t at = ht_random_below(&b->random, length);
        data[at] = (char)(data[at] ^ (1 << ht_random_below(&b->random, 8)));
    }
}

/* Tears a page: in its first or second half it holds what it held before, or nothing. */
static void tear(bench *b, char *data, size_t length, const image *old) {
    size_t page = ht_random_below(&b->random, length / PAGE) * PAGE;
    size_t from = page + (ht_random_below(&b->random, 2) ? PAGE / 2 : 0);
    size_t size = ht_random_below(&b->random, 3) ? PAGE / 2 : PAGE;
    size = from + size > length ? length - from : size;
    if (from + size <= old->length && ht_random_below(&b->random, 3))
        memcpy(data + from, old->data + from, size);
    else
        memset(data + from, 0, size);
}

static void damage(bench *b, image *of, const image *old) {
    unsigned kind = (unsigned)ht_random_below(&b->random, 10);
    bool log = of->wal_length > 0 && ht_random_below(&b->random, 2);
    char *data = log ? of->wal : of->data;
    size_t *length = log ? &of->wal_length : &of->length;
    if (kind == 0)
        *length = ht_random_below(&b->random, *length);
    else if (kind == 1)
        *length = ht_random_below(&b->random, *length / PAGE) * PAGE;
    else if (kind <= 3 && *length >= PAGE)
        tear(b, data, *length, old);
    else
        flip(b, data, *length);
}

static image image_copy(const image *of, bool with_log) {
    image copy = {.length = of->length, .wal_length = with_log ? of->wal_length : 0};
    copy.data = ht_alloc(of->length + 1, 1);
    memcpy(copy.data, of->data, of->length);
    copy.wal = ht_alloc(copy.wal_length + 1, 1);
    if (copy.wal_length)
        memcpy(copy.wal, of->wal, copy.wal_length);
    return copy;
}

static void image_write(bench *b, const image *of, const char *path) {
    static const char *const suffixes[] = {"-wal", "-shm"};
    ht_error error = {0};
    for (size_t i = 0; i < 2; ++i) {
        char *name = ht_format("%s%s", path, suffixes[i]);
        unlink(name);
        if (i == 0 && of->wal_length && ht_file_write(name, of->wal, of->wal_length, &error))
            bench_complain(&b->failures, "%s", error.message);
        free(name);
    }
    if (ht_file_write(path, of->data, of->length, &error) != HT_OK)
        bench_complain(&b->failures, "%s", error.message);
}

static bool same_samples(const truth *of, const double *samples, size_t count) {
    return of->count == count &&
           (count == 0 || memcmp(of->samples, samples, count * sizeof *samples) == 0);
}

static bool is_version(const truth *of, const ht_evaluation *got, unsigned deaths) {
    if (got->condemned)
        return deaths > 1 && got->deaths == deaths;
    return of->status == got->status && of->cost == got->cost && of->reduced == got->reduced &&
           of->vgprs == got->resources.vgprs && got->compile_seconds == 0.25 &&
           (of->status ? got->reason != NULL && strcmp(of->reason, got->reason) == 0
                       : got->reason == NULL) &&
           same_samples(of, got->samples, got->sample_count) &&
           (got->deaths <= deaths && (got->conditions != NULL) &&
            strcmp(got->conditions, "{\"cache\":\"hot\"}") == 0);
}

/* Reads every configuration by its key, and some that were never written. Returns false when the
 * library gave an error: then there is nothing to compare. */
static bool read_evaluations(bench *b, ht_database *database, int number) {
    for (int job = 0; job < JOBS; ++job)
        for (int config = 0; config < CONFIGS + 8; ++config) {
            ht_database_key key = key_of(job);
            char name[32];
            bool found = false;
            ht_evaluation got;
            ht_error error = {0};
            snprintf(name, sizeof name, "A=%d", config);
            if (ht_database_get(database, &key, name, &found, &got, &error) != HT_OK) {
                if (error.file[0] == '\0' || error.message[0] == '\0')
                    bench_complain(&b->failures, "%d: an error without a file: %s", number,
                                   error.message);
                ht_evaluation_free(&got);
                return false;
            }
            bool right = !found;
            for (int v = 0; v < VERSIONS && !right && config < CONFIGS; ++v)
                right = is_version(&b->truths[job][config][v], &got, b->deaths[job][config]);
            if (!right)
                bench_complain(&b->failures, "%d: job %d: %s is not as it was written (%s, %.17g)",
                               number, job, name, ht_status_name(got.status), got.cost);
            ++*(found ? &b->good : &b->missing);
            if (!found && config < CONFIGS) /* measured again */
                put(database, b, job, config, &b->truths[job][config][1]);
            ht_evaluation_free(&got);
        }
    return true;
}

static bool was_ok(const bench *b, int job, int config) {
    return config >= 0 && config < CONFIGS &&
           (!b->truths[job][config][0].status || !b->truths[job][config][1].status);
}

static void read_neighbours(bench *b, ht_database *database, int number) {
    ht_database_key key = key_of(0);
    char **configs = NULL;
    size_t count = 0;
    if (ht_database_nearest(database, &key, JOBS, &configs, &count, NULL) != HT_OK)
        count = 0;
    for (size_t i = 0; i < count; ++i) {
        int config = -1;
        if (sscanf(configs[i], "A=%d", &config) != 1 ||
            !(was_ok(b, 1, config) || was_ok(b, 2, config)))
            bench_complain(&b->failures, "%d: '%s' as a seed", number, configs[i]);
        free(configs[i]);
    }
    free(configs);
}

static bool cost_is(const bench *b, int job, double cost) {
    for (int config = 0; config < CONFIGS; ++config)
        for (int v = 0; v < VERSIONS; ++v)
            if (b->truths[job][config][v].cost == cost)
                return true;
    return false;
}

static void read_best(bench *b, int number) {
    ht_database_best_choice choice = {
        .kernel = "conv", .device = "host", .least = 1, .within = 10, .most = 10};
    ht_database_best best;
    if (ht_database_read_best(b->path, &choice, &best, NULL) != HT_OK)
        return;
    for (size_t i = 0; i < best.count; ++i) {
        int config = -1, job = 0;
        while (job < JOBS && strcmp(problems[job], best.rows[i].problem) != 0)
            ++job;
        if (sscanf(best.rows[i].config, "A=%d", &config) != 1 || job == JOBS ||
            !was_ok(b, job, config))
            bench_complain(&b->failures, "%d: '%s' of '%s' among the best", number,
                           best.rows[i].config, best.rows[i].problem);
    }
    ht_database_best_free(&best);
}

static void read_export(bench *b, int number) {
    for (int job = 0; job < JOBS; ++job) {
        ht_recording *recording = NULL;
        ht_database_choice choice = {.problem = problems[job]};
        if (ht_database_export(b->path, &choice, &recording, NULL) != HT_OK)
            continue;
        for (size_t i = 0; i < recording->record_count; ++i) {
            const ht_record *record = &recording->records[i];
            long long config = recording->parameters[0].values[recording->choices[i]].integer;
            bool right = false;
            for (int v = 0; v < VERSIONS && config >= 0 && config < CONFIGS; ++v) {
                const truth *of = &b->truths[job][config][v];
                right =
                    right || (same_samples(of, recording->samples + record->sample_first,
                                           record->sample_count) &&
                              (of->status ? record->status != HT_OK : record->cost == of->cost));
            }
            if (!right || (record->status == HT_OK && !cost_is(b, job, record->cost)))
                bench_complain(&b->failures, "%d: exported A=%lld is not as it was written", number,
                               config);
        }
        ht_recording_free(recording);
    }
}

static void expect_untouched(bench *b, const image *was, int number) {
    image now;
    image_take(b, &now);
    if (now.length != was->length || memcmp(now.data, was->data, now.length) != 0)
        bench_complain(&b->failures, "%d: was refused, and has changed all the same", number);
    image_free(&now);
}

static void try_one(bench *b, int number) {
    image of = image_copy(&b->after, ht_random_below(&b->random, 2));
    damage(b, &of, &b->before);
    image_write(b, &of, b->path);
    warnings = 0;
    ht_database *database = NULL;
    ht_error error = {0};
    read_export(b, number);
    read_best(b, number);
    ht_status status = ht_database_open(b->path, &database, &error);
    if (status != HT_OK) {
        ++b->refused;
        if (strcmp(error.file, b->path) != 0 || strchr(error.message, ';') == NULL)
            bench_complain(&b->failures, "%d: refused without file and remedy: %s", number,
                           error.message);
        /* A log that is whole is written back by whoever opens the file first. */
        if (of.wal_length == 0)
            expect_untouched(b, &of, number);
    } else {
        ++b->opened;
        read_neighbours(b, database, number);
        for (int job = 0; job < JOBS; ++job) {
            const ht_database_key key = key_of(job);
            damaged_races found = damaged_races_read(database, &key, job, VERSIONS, number);
            b->good += found.good;
            b->missing += found.missing;
            b->failures += found.wrong;
        }
        if (read_evaluations(b, database, number))
            read_evaluations(b, database, number);
        ht_database_close(database);
    }
    b->bad_rows += warnings;
    image_free(&of);
}

/* The part with the program. */

static const char TEMPLATE[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(twice)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(BLOCK : 32, 64, 128 = 64)\n"
    "#pragma tune param(KIND : 0, 1 = 0)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK))\n"
    "#pragma tune arg(in : in int[problem.n])\n"
    "#pragma tune arg(out : out int[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "template <int BLOCK, int KIND> __global__ void twice(const int *in, int *out, int n) {\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i < n) out[i] = KIND ? in[i] << 1 : 2 * in[i];\n"
    "}\n";

static int tune(const bench *b, const char *program, const char *database, const char *replay) {
    pid_t pid = fork();
    if (pid == 0) {
        if (chdir(b->folder) != 0)
            _exit(127);
        if (replay != NULL)
            setenv("HIPTEMPER_REPLAY_TIMINGS", replay, 1);
        int log = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (log < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
            _exit(127);
        execl(program, program, "tune", "twice.hip", "--problem", "n=20000", "--db", database,
              "--strategy", "random", "--seed", "5", "--max-evals", "0", "--out", "out",
              (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Returns what a later run would get, a line a configuration; free(). */
static char *told(bench *b, const char *path) {
    ht_text text = {0};
    ht_recording *recording = NULL;
    ht_error error = {0};
    ht_text_append(&text, "");
    if (ht_database_export(path, &(ht_database_choice){0}, &recording, &error) != HT_OK) {
        bench_complain(&b->failures, "%s", error.message);
        return ht_text_take(&text);
    }
    for (long block = 32; block <= 128; block *= 2)
        for (long kind = 0; kind < 2; ++kind)
            for (size_t i = 0; i < recording->record_count; ++i) {
                const uint16_t *choice = recording->choices + 2 * i;
                if (recording->parameters[0].values[choice[0]].integer != block ||
                    recording->parameters[1].values[choice[1]].integer != kind)
                    continue;
                const ht_record *record = &recording->records[i];
                ht_text_printf(&text, "%ld %ld %s %.17g:", block, kind,
                               ht_status_name(record->status), record->cost);
                for (size_t s = 0; s < record->sample_count; ++s)
                    ht_text_printf(&text, " %.17g", recording->samples[record->sample_first + s]);
                ht_text_append(&text, "\n");
            }
    ht_recording_free(recording);
    return ht_text_take(&text);
}

/* Changes digits of samples and times alone (no other number is so long): nothing but a checksum
 * shows it. */
static void flip_digits(bench *b, char *data, size_t length) {
    for (int flipped = 0, tries = 0; flipped < FLIPS && tries < 1 << 20; ++tries) {
        size_t at = ht_random_below(&b->random, length - 10) + 5;
        bool inside = true;
        for (int i = -5; i <= 5; ++i)
            inside = inside && data[(ptrdiff_t)at + i] >= '0' && data[(ptrdiff_t)at + i] <= '9';
        if (inside) {
            data[at] = (char)(data[at] ^ 1);
            ++flipped;
        }
    }
}

static void try_run(bench *b, const char *program, const image *whole, const char *recording,
                    const char *wanted, int number) {
    image of = image_copy(whole, false);
    (number % 2 ? flip : flip_digits)(b, of.data, of.length);
    image_write(b, &of, b->path);
    int code = tune(b, program, b->path, recording);
    if (code == 0) {
        char *got = told(b, b->path);
        if (strcmp(got, wanted) != 0)
            bench_complain(&b->failures, "run %d: tells\n%sand not\n%s", number, got, wanted);
        free(got);
        ++b->opened;
    } else {
        expect_untouched(b, &of, number);
        if (code != 1 && code != 2)
            bench_complain(&b->failures, "run %d: exit code %d", number, code);
        ++b->refused;
    }
    image_free(&of);
}

static void try_runs(bench *b, const char *program, int runs) {
    char *recording = ht_path_join(b->folder, "recording.db");
    char *source = ht_path_join(b->folder, "twice.hip");
    char *undisturbed = ht_path_join(b->folder, "undisturbed.db");
    ht_error error = {0};
    image whole;
    if (ht_file_write(source, TEMPLATE, strlen(TEMPLATE), &error) != HT_OK ||
        tune(b, program, recording, NULL) != 0 || tune(b, program, undisturbed, recording) != 0)
        bench_complain(&b->failures, "the undisturbed runs failed; see %s/log", b->folder);
    char *path = b->path;
    b->path = undisturbed;
    image_take(b, &whole);
    b->path = path;
    char *wanted = told(b, undisturbed);
    b->opened = b->refused = 0;
    for (int i = 0; i < runs && !b->failures; ++i)
        try_run(b, program, &whole, recording, wanted, i);
    printf("%d runs of tune: %u used what was whole, %u refused the file\n", runs, b->opened,
           b->refused);
    free(wanted);
    image_free(&whole);
    free(undisturbed);
    free(source);
    free(recording);
}

int main(int argc, char **argv) {
    static bench b;
    ht_error error = {0};
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    char *program = argc > 3 ? realpath(argv[3], NULL) : NULL;
    if (ht_dir_temporary("damaged", &b.folder, &error) != HT_OK) {
        fprintf(stderr, "damaged_databases: %s\n", error.message);
        return 2;
    }
    ht_random_stream(&b.random, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, 0);
    b.path = ht_path_join(b.folder, "tuning.db");
    ht_warning_sink = count_warning;
    write_truths(&b);
    for (int i = 0; i < count && !b.failures; ++i)
        try_one(&b, i);
    printf("%d databases: %u refused, %u opened; %u reads as written, %u not there; %u damaged "
           "rows reported\n",
           count, b.refused, b.opened, b.good, b.missing, b.bad_rows);
    fflush(stdout);
    if (program != NULL)
        try_runs(&b, program, argc > 4 ? atoi(argv[4]) : 4);
    printf("%u failures\n", b.failures);
    if (b.failures == 0)
        ht_dir_remove(b.folder);
    image_free(&b.before);
    image_free(&b.after);
    free(b.folder);
    free(b.path);
    free(program);
    return b.failures > 0;
}
