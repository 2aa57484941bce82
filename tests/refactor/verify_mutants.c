/* verify_mutants [--part I/N] [--jobs N] [--configurations N] [--kinds bsc] [--kernel NAME]
 * [SOURCE...]: takes the templates that the pass makes of sources (tests/refactor/sources and
 * examples/kernels without any), puts faults into the parameterized kernels, one at a time
 * (faults.h), and verifies. Fails when one is not caught that is not known to change nothing, or
 * when a template without a fault is not clean. */
#include "faults.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/input.h"
#include "runtime/host/toolchain.h"
#include "runtime/job.h"
#include "runtime/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEED = 11 };

static size_t configurations = 32;
static const char *kinds = "bsc"; /* barriers, subscripts, comparisons */
static const char *wanted;        /* the only kernel; NULL: all */

/* Faults that change nothing: in which kernel (NULL: any, and not tried), a piece of the line where
 * they are, and why. */
static const struct equivalent {
    const char *kernel, *line, *why;
} equivalents[] = {
    {"batch_first", "if (h < Ho && w < Wo)", "it is known for one size, a multiple of its blocks"},
    {"conv", "sum[ty][tx] += x[", "a row's outputs pass its test together or not at all"},
    {"jacobi", "no output of the block", "no block ends with the first row or column"},
    {NULL, "if (VECTOR_", "one at once is one after the other"},
    {NULL, "gridDim.y < 65536", "no grid is so large that counting its blocks overflows"},
    {NULL, "gridDim.x < 2048", "no grid is so large that counting its blocks overflows"},
    {NULL, NULL, NULL},
};

typedef struct subject {
    const char *source;
    const ht_kernel *kernel;
    const ht_problem *instance;
    ht_device device;
} subject;

typedef struct tally {
    size_t part, parts, kernel; /* each part has every so-manyeth kernel */
    size_t tried, caught, tight, withheld, equivalent, uncompiled, survived, unclean;
} tally;

/* ---- verification
 * -------------------------------------------------------------------------------------------- */

static ht_status verify(const subject *of, const char *unit, ht_verify_result *out,
                        ht_error *error) {
    ht_template *templates = NULL;
    size_t count = 0;
    const ht_verify_options options = {.seed = SEED,
                                       .configurations = configurations,
                                       .reassociates = of->kernel->reassociates,
                                       .rounds = of->kernel->rounds,
                                       .compile_workers = 1,
                                       .unreduced = true};
    ht_status status = ht_template_parse(unit, of->source, &templates, &count, error);
    if (status == HT_OK)
        status = ht_verify(&templates[0], of->instance, &of->device, &options, out, error);
    ht_template_free(templates, count);
    return status;
}

static void line_print(const char *unit, size_t at) {
    size_t begin = at;
    while (begin > 0 && unit[begin - 1] != '\n')
        --begin;
    begin += strspn(unit + begin, " \t");
    printf("\"%.*s\" at %zu", (int)strcspn(unit + begin, "\n"), unit + begin, at - begin);
}

static bool is_joint(const char *unit, size_t at) {
    return strncmp(unit + at, "&&", 2) == 0 || strncmp(unit + at, "||", 2) == 0;
}

/* Does the kernel ask the same in an `if` before? */
static bool asked_before(const char *unit, size_t body, size_t at) {
    size_t begin = at, end = at;
    while (begin > body && !strchr("(;{", unit[begin - 1]) && !is_joint(unit, begin - 2))
        --begin;
    while (unit[end] && !strchr(");{", unit[end]) && !is_joint(unit, end))
        ++end;
    begin += strspn(unit + begin, " ");
    while (end > begin && unit[end - 1] == ' ')
        --end;
    char *asked = ht_strndup(unit + begin, end - begin);
    const char *found = strstr(unit + body, asked), *line = found;
    free(asked);
    if (!found || found >= unit + begin)
        return false;
    while (line > unit && line[-1] != '\n')
        --line;
    const char *question = strstr(line, "if (");
    return question && question < found;
}

/* Of this kernel alone, or of any. */
static const char *known(const char *kernel, const char *unit, size_t at) {
    size_t begin = at;
    while (begin > 0 && unit[begin - 1] != '\n')
        --begin;
    char *line = ht_strndup(unit + begin, strcspn(unit + begin, "\n"));
    const char *why = NULL;
    for (const struct equivalent *item = equivalents; item->line && !why; ++item)
        if ((kernel ? item->kernel && strcmp(item->kernel, kernel) == 0 : !item->kernel) &&
            strstr(line, item->line))
            why = item->why;
    free(line);
    return why;
}

typedef enum fate { CAUGHT, SURVIVED, WITHHELD, UNCOMPILED, UNTRIED } fate;

/* A kernel's plain text and the places in it, and the same with all faults; NULL: each has its
 * own, because they do not compile together. */
typedef struct trial {
    const char *plain, *all;
    size_t body;
    faults list;
} trial;

/* Verifies with one of the faults. *out_reason: free(). */
static fate fault_run(const subject *of, const trial *in, size_t number, char **out_reason) {
    ht_verify_result result = {0};
    ht_error error = {0};
    char choice[32];
    snprintf(choice, sizeof choice, "%zu", number);
    setenv(HT_FAULT_CHOICE, choice, 1);
    char *own = in->all ? NULL : faults_compose(in->plain, &in->list, (long)number);
    ht_status status = verify(of, own ? own : in->all, &result, &error);
    unsetenv(HT_FAULT_CHOICE);
    free(own);
    *out_reason = ht_strdup(status != HT_OK ? error.message : result.reason ? result.reason : "");
    fate found = status == HT_ERROR_COMPILE             ? UNCOMPILED
                 : status != HT_OK                      ? UNTRIED
                 : result.outcome == HT_VERIFY_DIFFERS  ? CAUGHT
                 : result.outcome == HT_VERIFY_ORIGINAL ? WITHHELD
                                                        : SURVIVED;
    ht_verify_result_free(&result);
    return found;
}

static bool is_wanted(const fault *item) {
    static const char letters[] = {'b', 's', 'c', 'c'}; /* by kind */
    return strchr(kinds, letters[item->kind]) != NULL;
}

/* The fault and, if nothing sees that a comparison lets one more through, that it lets one less.
 * Returns how many of the list this was. */
static size_t fault_try(const subject *of, const trial *in, size_t number, tally *out) {
    static const char *const names[] = {"barrier deleted", "subscript off by one",
                                        "comparison off by one"};
    const fault *item = &in->list.items[number];
    if (!is_wanted(item))
        return item->kind == FAULT_LOOSE ? 2 : 1;
    const char *why = known(NULL, in->plain, item->at);
    char *reason = NULL;
    fate found = SURVIVED;
    bool tight = false;
    printf("%s: %s: %s: ", ht_path_name(of->source), of->kernel->name, names[item->kind]);
    line_print(in->plain, item->at);
    if (!why)
        found = fault_run(of, in, number, &reason);
    if (!why && item->kind == FAULT_LOOSE && found == SURVIVED) {
        free(reason);
        found = fault_run(of, in, number + 1, &reason);
        tight = true;
    }
    if (!why && found == SURVIVED)
        why = asked_before(in->plain, in->body, item->at)
                  ? "the same was asked before"
                  : known(of->kernel->name, in->plain, item->at);
    ++out->tried;
    out->tight += tight && found == CAUGHT;
    size_t *counts[] = {&out->caught, why ? &out->equivalent : &out->survived, &out->withheld,
                        &out->uncompiled, &out->unclean};
    ++*counts[found];
    static const char *const fates[] = {"caught", "SURVIVED", "withheld", "does not compile",
                                        "cannot be tried"};
    printf(": %s%s: %s\n", why ? "changes nothing" : fates[found], tight ? ", tighter" : "",
           why ? why : reason);
    fflush(stdout);
    free(reason);
    return item->kind == FAULT_LOOSE ? 2 : 1;
}

static bool is_clean(const subject *of, const char *unit, ht_error *error) {
    ht_verify_result result = {0};
    bool clean = verify(of, unit, &result, error) == HT_OK && result.outcome == HT_VERIFY_AGREES;
    if (!clean && result.reason)
        ht_error_set(error, HT_ERROR_MISMATCH, "%s", result.reason);
    ht_verify_result_free(&result);
    return clean;
}

static bool any_wanted(const faults *list) {
    for (size_t i = 0; i < list->count; ++i)
        if (is_wanted(&list->items[i]))
            return true;
    return false;
}

/* All in one text, unless that does not compile: then each in its own. */
static void kernel_try(const subject *of, tally *out) {
    trial in = {.plain = of->kernel->against->unit};
    ht_error error = {0};
    if (!faults_find(in.plain, of->kernel->name, &in.list, &in.body)) {
        printf("%s: no body found\n", of->kernel->name);
        ++out->unclean;
        return;
    }
    if (!any_wanted(&in.list)) {
        free(in.list.items);
        return;
    }
    char *all = faults_compose(in.plain, &in.list, -1);
    bool together = is_clean(of, all, &error);
    bool clean = together || is_clean(of, in.plain, &error);
    in.all = together ? all : NULL;
    if (!clean) {
        printf("%s: without a fault: %s\n", of->kernel->name, error.message);
        ++out->unclean;
    }
    for (size_t i = 0; i < in.list.count && clean;)
        i += fault_try(of, &in, i, out);
    free(all);
    free(in.list.items);
}

static void source_try(const char *path, tally *out) {
    char *folder = ht_path_folder(path), *include = ht_format("-I%s", folder);
    const char *arguments[] = {include};
    const ht_refactor_options options = {.arguments = arguments, .argument_count = 1};
    ht_problems problems = {0};
    ht_refactor *refactor = NULL;
    ht_error error = {0};
    subject of = {.source = path};
    if (ht_problems_open(NULL, path, &problems, &error) != HT_OK ||
        ht_device_find("host", &of.device, &error) != HT_OK ||
        ht_refactor_file(path, problems.file, &options, &refactor, &error) != HT_OK) {
        printf("%s: %s\n", path, error.message);
        ++out->unclean;
    }
    for (size_t i = 0; refactor && i < ht_refactor_kernel_count(refactor); ++i) {
        of.kernel = ht_refactor_kernel(refactor, i);
        const ht_problem_file *file = of.kernel->inferred ? of.kernel->inferred : problems.file;
        const ht_problem_entry *entry = file ? ht_problem_file_entry(file, of.kernel->name) : NULL;
        of.instance = entry ? &entry->instances[0] : NULL;
        if (of.kernel->against && (!wanted || strcmp(wanted, of.kernel->name) == 0) &&
            out->kernel++ % out->parts == out->part)
            kernel_try(&of, out);
    }
    ht_refactor_free(refactor);
    ht_problems_close(&problems);
    free(include);
    free(folder);
}

static void folder_try(const char *name, tally *out) {
    char *path = ht_path_join(HT_SOURCE_DIR, name);
    ht_sources found;
    if (ht_sources_find(&path, 1, NULL, &found, NULL) == HT_OK) {
        for (size_t i = 0; i < found.count; ++i)
            source_try(found.items[i].path, out);
        ht_sources_free(&found);
    }
    free(path);
}

static void all_try(char **sources, size_t count, tally *out) {
    for (size_t i = 0; i < count; ++i)
        source_try(sources[i], out);
    if (!count) {
        folder_try("tests/refactor/sources", out);
        folder_try("examples/kernels", out);
    }
}

/* The part in `jobs` processes, each with a share of it. */
static void share_try(char **sources, size_t count, unsigned jobs, tally *out) {
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        abort();
    tally own = *out;
    own.parts *= jobs;
    for (unsigned i = 0; i < jobs; ++i, own.part += out->parts)
        if (fork() == 0) {
            all_try(sources, count, &own);
            fflush(stdout);
            _exit(write(ends[1], &own, sizeof own) == sizeof own ? 0 : 1);
        }
    close(ends[1]);
    for (tally of; read(ends[0], &of, sizeof of) == sizeof of;) {
        out->tried += of.tried;
        out->caught += of.caught;
        out->tight += of.tight;
        out->withheld += of.withheld;
        out->equivalent += of.equivalent;
        out->uncompiled += of.uncompiled;
        out->survived += of.survived;
        out->unclean += of.unclean;
    }
    for (int status; wait(&status) > 0;)
        out->unclean += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    close(ends[0]);
}

static bool option_read(const char *name, const char *value, tally *out, unsigned *out_jobs) {
    if (strcmp(name, "--jobs") == 0)
        return sscanf(value, "%u", out_jobs) == 1 && *out_jobs >= 1;
    if (strcmp(name, "--kinds") == 0)
        return strspn(kinds = value, "bsc") == strlen(value);
    if (strcmp(name, "--kernel") == 0)
        return (wanted = value) != NULL;
    if (strcmp(name, "--configurations") == 0)
        return sscanf(value, "%zu", &configurations) == 1;
    return strcmp(name, "--part") == 0 && sscanf(value, "%zu/%zu", &out->part, &out->parts) == 2 &&
           out->part >= 1 && out->part-- <= out->parts;
}

/* From now on this process and its children compile through cached_clang, which lies beside it. */
static ht_status cache_begin(char **out_folder, ht_error *error) {
    const ht_toolchain *toolchain;
    char self[4096] = {0};
    ht_status status = ht_toolchain_find(&toolchain, error);
    if (status == HT_OK)
        status = ht_dir_temporary("hiptemper-mutants", out_folder, error);
    if (status != HT_OK)
        return status;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return ht_error_set(error, HT_ERROR_IO, "/proc/self/exe cannot be read");
    char *beside = ht_path_folder(self), *program = ht_path_join(beside, "cached_clang");
    setenv("HT_CACHED_CLANG", toolchain->clang, 1);
    setenv("HT_CACHED_CLANG_FOLDER", *out_folder, 1);
    setenv("HIPTEMPER_CLANG", program, 1);
    free(program);
    free(beside);
    return HT_OK;
}

int main(int argc, char **argv) {
    unsigned jobs = 1;
    tally out = {.parts = 1};
    char *folder = NULL;
    ht_error error = {0};
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return ht_worker_main(argc, argv);
    bool good = true;
    for (--argc, ++argv; argc > 0 && argv[0][0] == '-' && good; argc -= 2, argv += 2)
        good = argc > 1 && option_read(argv[0], argv[1], &out, &jobs);
    if (!good) {
        fputs("usage: verify_mutants [--part I/N] [--jobs N] [--configurations N] [--kinds bsc] "
              "[--kernel NAME] [SOURCE...]\n",
              stderr);
        return 2;
    }
    if (cache_begin(&folder, &error) != HT_OK) {
        fprintf(stderr, "verify_mutants: %s\n", error.message);
        return 3;
    }
    share_try(argv, (size_t)argc, jobs, &out);
    ht_dir_remove(folder);
    free(folder);
    printf(
        "%zu faults tried: %zu caught (%zu comparisons when they let less through), %zu withheld "
        "because the original races, %zu change nothing, %zu do not compile, %zu survived; %zu "
        "templates could not be tried\n",
        out.tried, out.caught, out.tight, out.withheld, out.equivalent, out.uncompiled,
        out.survived, out.unclean);
    return out.survived || out.unclean ? 1 : 0;
}
