/* The time that `hiptemper refactor` takes for a tree, next to clang's syntax check of the same
 * files in as many processes. The tree is made of copies of a folder's sources, each with its
 * headers and problem files, and a host function of its own after it; standard headers that
 * programs include come in front of every other copy.
 *
 *   refactor_rate [--sources tests/refactor/sources] [--files 1000] [--jobs 2] [--rounds 1]
 *                 [--hiptemper build/release/hiptemper] [--keep DIR] [--problems no]
 *
 * With --problems no, problem files are left out, and problems are inferred. Templates are not
 * verified.
 *
 * Printed are seconds by the clock and of CPU time, their ratio (below 2 is the bar), and the most
 * memory that one process took. The two take turns, beginning with another one each round. */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS_MAX = 16 };

typedef struct settings {
    const char *sources, *hiptemper, *keep;
    size_t files, jobs, rounds;
    bool no_problems;
} settings;

typedef struct cost {
    double wall, cpu;
    double memory; /* MiB of the largest process */
    int status;
} cost;

static void check(ht_status status, const ht_error *error) {
    if (status == HT_OK)
        return;
    fprintf(stderr, "refactor_rate: %s\n", error->message);
    exit(ht_status_exit_code(status));
}

/* ---- the tree */

static bool is_unit(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".hip") == 0 || strcmp(dot, ".cu") == 0 || strcmp(dot, ".cpp") == 0);
}

static bool is_problem(const char *name) {
    static const char end[] = ".problem.json";
    size_t length = strlen(name);
    return length >= sizeof end && strcmp(name + length - (sizeof end - 1), end) == 0;
}

static int is_plain(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void copy_write(const char *from, const char *to, bool unit, size_t number) {
    static const char headers[] = "#include <chrono>\n#include <iostream>\n#include <random>\n"
                                  "#include <string>\n#include <vector>\n";
    char *text;
    ht_error error;
    check(ht_file_read(from, 0, &text, NULL, &error), &error);
    ht_text copy = {0};
    ht_text_append(&copy, unit && number % 2 ? headers : "");
    ht_text_append(&copy, text);
    if (unit)
        ht_text_printf(&copy, "\nstatic inline int ht_copy_%zu(int x) { return x * %zu + %zu; }\n",
                       number, number + 3, number % 17);
    check(ht_file_write(to, copy.data, copy.length, &error), &error);
    ht_text_free(&copy);
    free(text);
}

/* Makes the tree; returns the number of units, their paths one a line. */
static size_t tree_make(const settings *given, const char *folder, ht_text *list) {
    struct dirent **entries;
    int count = scandir(given->sources, &entries, is_plain, alphasort);
    size_t units = 0;
    for (size_t number = 0; count > 0 && units < given->files; ++number) {
        char *to = ht_format("%s/copy%05zu", folder, number);
        ht_error error;
        size_t before = units;
        check(ht_dir_make(to, &error), &error);
        for (int i = 0; i < count; ++i) {
            const char *name = entries[i]->d_name;
            bool unit = is_unit(name);
            if ((unit && units == given->files) || (given->no_problems && is_problem(name)))
                continue;
            char *from = ht_path_join(given->sources, name), *path = ht_path_join(to, name);
            if (!ht_dir_exists(from)) {
                copy_write(from, path, unit, number);
                if (unit)
                    ht_text_printf(list, "%s\n", path);
                units += unit;
            }
            free(from);
            free(path);
        }
        free(to);
        if (units == before)
            break; /* none in that folder */
    }
    for (int i = 0; i < count; ++i)
        free(entries[i]);
    free(entries);
    return units;
}

/* ---- measuring */

static double seconds(struct timeval time) {
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* Runs a command in a process of its own, so that the most memory is that of its own children. */
static cost run_command(const char *command) {
    double start = ht_clock_seconds();
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    struct rusage usage;
    int status = 0;
    wait4(pid, &status, 0, &usage);
    return (cost){.wall = ht_clock_seconds() - start,
                  .cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime),
                  .memory = (double)usage.ru_maxrss / 1024,
                  .status = WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

static void told(const char *name, const cost *costs, size_t rounds, size_t files) {
    double wall = 0, cpu = 0, memory = 0;
    for (size_t i = 0; i < rounds; ++i) {
        wall += costs[i].wall / (double)rounds;
        cpu += costs[i].cpu / (double)rounds;
        memory = costs[i].memory > memory ? costs[i].memory : memory;
    }
    printf("%-18s %8.1f s  %8.1f s CPU  %6.1f files/s  %5.0f MiB  exit code %d\n", name, wall, cpu,
           (double)files / wall, memory, costs[0].status);
}

static double ratio(const cost *ours, const cost *theirs, size_t rounds, bool cpu) {
    double a = 0, b = 0;
    for (size_t i = 0; i < rounds; ++i) {
        a += cpu ? ours[i].cpu : ours[i].wall;
        b += cpu ? theirs[i].cpu : theirs[i].wall;
    }
    return a / b;
}

static size_t number(const char *text) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end || value == 0) {
        fprintf(stderr, "refactor_rate: '%s' is no number above 0\n", text);
        exit(2);
    }
    return value;
}

static settings options_read(int argc, char **argv) {
    settings given = {.sources = "tests/refactor/sources",
                      .hiptemper = "build/release/hiptemper",
                      .files = 1000,
                      .jobs = 2,
                      .rounds = 1};
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (value && strcmp(name, "--sources") == 0)
            given.sources = value;
        else if (value && strcmp(name, "--hiptemper") == 0)
            given.hiptemper = value;
        else if (value && strcmp(name, "--keep") == 0)
            given.keep = value;
        else if (value && strcmp(name, "--problems") == 0)
            given.no_problems = strcmp(value, "no") == 0;
        else if (value && strcmp(name, "--files") == 0)
            given.files = number(value);
        else if (value && strcmp(name, "--jobs") == 0)
            given.jobs = number(value);
        else if (value && strcmp(name, "--rounds") == 0)
            given.rounds = number(value) < ROUNDS_MAX ? number(value) : ROUNDS_MAX;
        else {
            fprintf(stderr, "refactor_rate: %s is no option, or has no value\n", name);
            exit(2);
        }
    }
    return given;
}

int main(int argc, char **argv) {
    settings given = options_read(argc, argv);
    setenv("HIPTEMPER_KEPT", "", 1); /* each run reads its files */
    cost ours[ROUNDS_MAX] = {0}, theirs[ROUNDS_MAX] = {0};
    ht_error error;
    char *folder = NULL;
    if (given.keep)
        folder = ht_strdup(given.keep);
    else
        check(ht_dir_temporary("refactor-rate", &folder, &error), &error);
    ht_text list = {0};
    char *tree = ht_path_join(folder, "tree"), *names = ht_path_join(folder, "files");
    size_t files = tree_make(&given, tree, &list);
    check(ht_file_write(names, list.data ? list.data : "", list.length, &error), &error);
    char *refactor = ht_format(
        "'%s' refactor '%s' --no-verify --out '%s/out' --jobs %zu --json='%s/report.json' "
        ">'%s/log' 2>&1",
        given.hiptemper, tree, folder, given.jobs, folder, folder);
    char *clang = ht_format("xargs -P %zu -n 1 clang-19 -x hip --cuda-device-only "
                            "--offload-arch=gfx90a -nogpulib -std=c++17 -include "
                            "hip/hip_runtime.h -w -fsyntax-only <'%s' >/dev/null 2>&1",
                            given.jobs, names);
    printf("%zu files, %zu processes\n", files, given.jobs);
    for (size_t round = 0; round < given.rounds; ++round)
        for (int turn = 0; turn < 2; ++turn)
            if ((round + (size_t)turn) % 2)
                ours[round] = run_command(refactor);
            else
                theirs[round] = run_command(clang);
    told("clang", theirs, given.rounds, files);
    told("hiptemper refactor", ours, given.rounds, files);
    printf("ratio: %.2f by the clock, %.2f in CPU time\n", ratio(ours, theirs, given.rounds, false),
           ratio(ours, theirs, given.rounds, true));
    if (!given.keep)
        ht_dir_remove(folder);
    ht_text_free(&list);
    free(refactor);
    free(clang);
    free(tree);
    free(names);
    free(folder);
    return 0;
}
