/* Variants that a compiler makes a second: 1, 4, 16 and 64 configurations to a program, in 1 and 2
 * processes, next to one at a time in one process. Every round compiles the same configurations in
 * every way, in an order that rotates from round to round, so that a machine that is busy for a
 * while is busy for all of them. Ratios are paired within a round, with their 95 % intervals
 * (ht_stats_paired_ratio).
 *
 *   compile_rate [--device amd:gfx90a] [--template FILE] [--problem FIELDS] [--variants 64]
 *                [--rounds 5] [--seed 1] [--sizes 1,4,16,64] [--processes 2]
 *
 * The first size is what the others are compared with. Two sizes are enough to find the cost of a
 * program whatever is in it, and of each configuration in it: only the first can be shared.
 *
 * AMD_COMGR_CACHE is set to 0: from ROCm 7 on the code object manager keeps what it has compiled on
 * disk. Processes are forked and have compiled once before the clock starts. Rates are given by the
 * clock, and by CPU time, in which other programs on the machine show little. Ctrl-C reports the
 * rounds that are whole. */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "runtime/compile/compile.h"
#include "runtime/measure/stats.h"
#include "templates/space/space.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES_MAX = 2, SIZES_MAX = 8, ROUNDS_MAX = 64 };

/* Ways of compiling: configurations to a program, and processes. */
typedef struct ways {
    size_t sizes[SIZES_MAX];
    size_t count;
    size_t processes;
} ways;

typedef struct subject {
    ht_template *templates;
    size_t template_count;
    ht_problem problem;
    ht_device device;
    ht_binding binding;
    ht_config *configs; /* `count` to compile, and one more to warm up with */
    size_t count;
} subject;

/* The state that the processes of one measurement share. */
typedef struct shared {
    pthread_barrier_t start;
    atomic_size_t next; /* configuration that nobody compiles yet */
    atomic_size_t failed;
    double begin;
    double end[PROCESSES_MAX];
    double cpu[PROCESSES_MAX]; /* seconds, of the process and its children */
} shared;

typedef struct rate {
    double wall, cpu; /* variants a second of the clock; of the busiest process's CPU time */
} rate;

static void fail(const ht_error *error) {
    fprintf(stderr, "compile_rate: %s\n", error->message);
    exit(ht_status_exit_code(error->status));
}

static size_t compile(const subject *subject, size_t first, size_t count) {
    ht_program *programs = ht_alloc(count, sizeof *programs);
    ht_error error;
    ht_status status = ht_program_compile_batch(&subject->device, &subject->binding,
                                                subject->configs + first, count, programs, &error);
    if (status)
        fprintf(stderr, "compile_rate: %s\n", error.message);
    for (size_t i = 0; i < count; i++)
        ht_program_free(&programs[i]);
    free(programs);
    return status ? count : 0;
}

static double cpu_seconds(void) {
    double seconds = 0;
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (size_t i = 0; i < 2; i++) {
        struct rusage usage;
        getrusage(whose[i], &usage);
        seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return seconds;
}

/* Compiles, in a child. */
static void work(const subject *subject, shared *shared, size_t index, size_t size) {
    atomic_fetch_add(&shared->failed, compile(subject, subject->count, 1));
    pthread_barrier_wait(&shared->start);
    if (index == 0)
        shared->begin = ht_clock_seconds();
    double cpu = cpu_seconds();
    for (;;) {
        size_t first = atomic_fetch_add(&shared->next, size);
        if (first >= subject->count)
            break;
        size_t left = subject->count - first;
        atomic_fetch_add(&shared->failed, compile(subject, first, left < size ? left : size));
    }
    shared->end[index] = ht_clock_seconds();
    shared->cpu[index] = cpu_seconds() - cpu;
}

static rate measure(const subject *subject, size_t processes, size_t size) {
    shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("compile_rate: mmap");
        exit(3);
    }
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->start, &attributes, (unsigned)processes);
    for (size_t i = 0; i < processes; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            work(subject, shared, i, size);
            _exit(0);
        }
    }
    size_t failed = 0;
    for (size_t i = 0; i < processes; i++) {
        int status = 0;
        wait(&status);
        failed += status != 0;
    }
    double end = 0, cpu = 0;
    for (size_t i = 0; i < processes; i++) {
        end = shared->end[i] > end ? shared->end[i] : end;
        cpu = shared->cpu[i] > cpu ? shared->cpu[i] : cpu;
    }
    rate rate = {(double)subject->count / (end - shared->begin), (double)subject->count / cpu};
    failed += atomic_load(&shared->failed);
    munmap(shared, sizeof *shared);
    if (failed > 0) {
        fprintf(stderr, "compile_rate: %zu variants or processes failed\n", failed);
        exit(1);
    }
    return rate;
}

/* Chooses different ones, at random, that can share a program: macros belong to a whole program. As
 * many as there are when that is fewer. */
static void choose(subject *subject, uint64_t seed) {
    ht_error error;
    ht_space *space;
    ht_random random;
    if (ht_space_build(&subject->binding, 0, &space, &error))
        fail(&error);
    uint64_t count = ht_space_listed(space) ? ht_space_count(space) : 0;
    uint64_t *order = ht_alloc(count + 1, sizeof *order);
    for (uint64_t i = 0; i < count; i++)
        order[i] = i;
    ht_random_seed(&random, seed);
    ht_config defaults = ht_config_default(subject->templates);
    size_t found = 0;
    subject->configs = ht_alloc(subject->count + 1, sizeof *subject->configs);
    for (uint64_t left = count; left > 0 && found < subject->count; left--) {
        uint64_t at = ht_random_below(&random, left);
        ht_config config = ht_space_at(space, order[at]);
        order[at] = order[left - 1];
        if (ht_program_shares(subject->templates, &config, &defaults))
            subject->configs[found++] = config;
    }
    subject->count = found;
    subject->configs[found] = defaults;
    free(order);
    ht_space_free(space);
    if (found == 0) {
        fprintf(stderr, "compile_rate: no legal configurations, or too many to list\n");
        exit(2);
    }
}

static void open_subject(subject *subject, const char *device, const char *file,
                         const char *problem, uint64_t seed) {
    ht_error error;
    char *text = NULL;
    size_t size;
    if (ht_device_find(device, &subject->device, &error) ||
        ht_file_read(file, 1 << 20, &text, &size, &error) ||
        ht_template_parse(text, file, &subject->templates, &subject->template_count, &error) ||
        ht_problem_parse(&subject->templates->problem, problem, &subject->problem, &error))
        fail(&error);
    free(text);
    subject->binding = (ht_binding){subject->templates, &subject->problem, &subject->device.fields};
    choose(subject, seed);
}

typedef struct results {
    double wall[PROCESSES_MAX][SIZES_MAX][ROUNDS_MAX];
    double cpu[PROCESSES_MAX][SIZES_MAX][ROUNDS_MAX];
} results;

static void report(const ways *ways, double rates[PROCESSES_MAX][SIZES_MAX][ROUNDS_MAX],
                   size_t rounds, const char *what) {
    const double *alone = rates[0][0];
    printf("\nVariants a second of %s\n%-10s %-10s %-10s %-28s %s\n", what, "processes",
           "a program", "rate", "to 1 a program, 1 process", "to 1 a program, as many");
    for (size_t p = 0; p < ways->processes; p++)
        for (size_t s = 0; s < ways->count; s++) {
            const double *cell = rates[p][s];
            ht_interval all = ht_stats_paired_ratio(cell, alone, rounds, 0.95);
            ht_interval same = ht_stats_paired_ratio(cell, rates[p][0], rounds, 0.95);
            char first[40];
            snprintf(first, sizeof first, "%.2f [%.2f, %.2f]", all.median, all.lo, all.hi);
            printf("%-10zu %-10zu %-10.2f %-28s %.2f [%.2f, %.2f]\n", p + 1, ways->sizes[s],
                   ht_stats_median(cell, rounds), first, same.median, same.lo, same.hi);
        }
}

/* Reports the seconds of CPU time a variant as P / size + C: P by the smallest and the largest
 * program. */
static void report_parts(const ways *ways, const results *results, size_t rounds, size_t variants) {
    size_t last = ways->count - 1;
    size_t largest = ways->sizes[last] < variants ? ways->sizes[last] : variants;
    if (largest <= ways->sizes[0])
        return;
    double small = 1 / ht_stats_median(results->cpu[0][0], rounds);
    double large = 1 / ht_stats_median(results->cpu[0][last], rounds);
    double share = 1.0 / (double)ways->sizes[0] - 1.0 / (double)largest;
    double program = (small - large) / share;
    double each = large - program / (double)largest;
    printf("\nCPU time: %.3f s a program whatever is in it, %.3f s more a configuration; however "
           "many share a program, at most %.1f times as many as one at a time\n",
           program, each, each > 0 ? (program + each) / each : 1.0 / 0.0);
}

static volatile sig_atomic_t stopped;

static void stop(int signal) {
    (void)signal;
    stopped = 1;
}

/* Returns the number of whole rounds. */
static size_t measure_all(const subject *subject, const ways *ways, size_t rounds,
                          results *results) {
    size_t cells = ways->processes * ways->count;
    for (size_t round = 0; round < rounds; round++)
        for (size_t cell = 0; cell < cells; cell++) {
            size_t at = (cell + round) % cells, p = at / ways->count, s = at % ways->count;
            rate rate = measure(subject, p + 1, ways->sizes[s]);
            if (stopped)
                return round;
            results->wall[p][s][round] = rate.wall;
            results->cpu[p][s][round] = rate.cpu;
            fprintf(stderr, "\rround %zu: %zu process(es), %zu a program: %.2f/s        ",
                    round + 1, p + 1, ways->sizes[s], rate.wall);
        }
    return rounds;
}

/* Reads "1,4,16": rising. */
static bool read_sizes(const char *text, ways *ways) {
    char *end = NULL;
    for (ways->count = 0; ways->count < SIZES_MAX; text = end + 1) {
        size_t size = strtoul(text, &end, 10);
        if (end == text || size == 0 || (ways->count && size <= ways->sizes[ways->count - 1]))
            return false;
        ways->sizes[ways->count++] = size;
        if (*end != ',')
            return *end == '\0';
    }
    return false;
}

/* The options of the command line. */
typedef struct options {
    const char *device, *file, *problem;
    size_t variants, rounds;
    uint64_t seed;
    ways ways;
} options;

static bool read_options(int argc, char **argv, options *out) {
    bool good = true;
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1];
        if (strcmp(argv[i], "--device") == 0)
            out->device = value;
        else if (strcmp(argv[i], "--template") == 0)
            out->file = value;
        else if (strcmp(argv[i], "--problem") == 0)
            out->problem = value;
        else if (strcmp(argv[i], "--variants") == 0)
            out->variants = strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--rounds") == 0)
            out->rounds = strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            out->seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--processes") == 0)
            out->ways.processes = strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--sizes") == 0)
            good = read_sizes(value, &out->ways);
    }
    return good && out->rounds >= 1 && out->rounds <= ROUNDS_MAX && out->variants >= 1 &&
           out->ways.processes >= 1 && out->ways.processes <= PROCESSES_MAX;
}

static void measure_and_report(const subject *subject, const ways *ways, size_t rounds) {
    static results results;
    rounds = measure_all(subject, ways, rounds, &results);
    fprintf(stderr, "\n");
    if (rounds == 0)
        return;
    printf("%zu rounds\n", rounds);
    report(ways, results.wall, rounds, "the clock");
    report(ways, results.cpu, rounds, "CPU time, of the busier process");
    report_parts(ways, &results, rounds, subject->count);
}

int main(int argc, char **argv) {
    options options = {.device = "amd:gfx90a",
                       .file = "templates/library/conv2d_direct.hip",
                       .problem = "N=1,C=64,H=56,W=56,K=64,R=3,S=3,pad=1",
                       .variants = 64,
                       .rounds = 5,
                       .seed = 1,
                       .ways = {{1, 4, 16, 64}, 4, PROCESSES_MAX}};
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr,
                "compile_rate: 1 to %d rounds, 1 to %d processes, up to %d rising sizes and at "
                "least one variant\n",
                ROUNDS_MAX, PROCESSES_MAX, SIZES_MAX);
        return 2;
    }
    setenv("AMD_COMGR_CACHE", "0", 1);
    subject subject = {.count = options.variants};
    open_subject(&subject, options.device, options.file, options.problem, options.seed);
    printf("%s, %s, %s, %zu variants\n", subject.device.name, subject.device.compiler,
           subject.templates->name, subject.count);
    signal(SIGINT, stop);
    measure_and_report(&subject, &options.ways, options.rounds);
    free(subject.configs);
    ht_problem_free(&subject.problem);
    ht_template_free(subject.templates, subject.template_count);
    return 0;
}
