/* verify_mutants [--part I/N] [--jobs N] [--configurations N] [--kinds bsc] [--kernel NAME]
 * [--only-reach yes] [SOURCE...]: takes the templates that the pass makes of sources
 * (tests/refactor/sources and examples/kernels without any), puts all faults (faults.h) into a
 * parameterized kernel, none of them live, and verifies it once; after each run that agrees, the
 * faults that the run came by are tried, one at a time, on the same program. Fails when one is not
 * caught that is not known to change nothing (equivalents.h), or when a template without a fault is
 * not clean. --only-reach: prints the faults that no run comes by, and tries none. */
#include "equivalents.h"
#include "faults.h"
#include "faults_board.h"

#include "base/file.h"
#include "base/memory.h"
#include "pipeline/input.h"
#include "runtime/job/job.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/verify/verify.h"
#include "runtime/worker/worker_main.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tries: a fault that should change nothing is tried in EQUIVALENT_RUNS runs, each other in
 * SIZE_RUNS of each size. */
enum { SEED = 11, EQUIVALENT_RUNS = 16, SIZE_RUNS = 16, LETTERS = 3 };

static const char letters[] = "bsc"; /* barriers, subscripts, comparisons */

static size_t configurations = 32;
static const char *kinds = letters;
static const char *wanted; /* the only kernel; NULL: all */
static bool only_reach;

typedef struct subject {
    const char *source;
    const ht_kernel *kernel;
    const ht_problem *instance;
    ht_device device;
    faults_board *board;
} subject;

/* By letter. Comparisons count once, whichever way they are off. */
typedef struct counts {
    size_t tried, caught, tighter, unchanged, unmet, survived, unreached, uncompiled;
} counts;

typedef struct tally {
    counts of[LETTERS];
    size_t unclean;
} tally;

/* The state that all processes share. */
typedef struct turns {
    atomic_size_t next; /* the next kernel that somebody takes */
    size_t part, parts; /* of the kernels */
} turns;

/* The fate of a fault. */
typedef struct fate {
    const char *why;      /* it changes nothing; NULL: it should be caught */
    size_t met, tried;    /* runs that came by it, and those that it was tried in */
    size_t size, of_size; /* the latter of this size */
    char *reason;         /* why a run with it failed; NULL: none did; owned */
} fate;

typedef struct trial {
    const subject *of;
    const char *plain; /* the unit without faults */
    faults list;
    fate *fates;
} trial;

static size_t letter_of(const fault *item) {
    return item->kind == FAULT_BARRIER ? 0 : item->kind == FAULT_SUBSCRIPT ? 1 : 2;
}

static bool is_wanted(const fault *item) {
    return strchr(kinds, letters[letter_of(item)]) != NULL;
}

/* ---- verification */

/* Returns true if it is still to be found out. One way of a comparison that is caught will do. */
static bool is_open(const trial *in, size_t number, size_t size) {
    const fault *item = &in->list.items[number];
    const fate *own = &in->fates[number];
    if (only_reach || own->reason || !is_wanted(item) ||
        (own->why && own->tried >= EQUIVALENT_RUNS) ||
        (own->size == size && own->of_size >= SIZE_RUNS))
        return false;
    size_t other = item->kind == FAULT_LOOSE ? number + 1 : number - 1;
    bool comparison = item->kind == FAULT_LOOSE || item->kind == FAULT_TIGHT;
    return !comparison || !in->fates[other].reason;
}

static void note_try(fate *of, size_t size) {
    of->of_size = of->size == size ? of->of_size + 1 : 1;
    of->size = size;
    ++of->tried;
}

static ht_status on_agreed(void *context, ht_verify_run *run, ht_error *error) {
    trial *in = context;
    faults_board *board = in->of->board;
    unsigned char *met = ht_alloc(in->list.count + 1, 1);
    memcpy(met, board->marks, in->list.count);
    ht_status status = HT_OK;
    size_t size = ht_verify_run_size(run);
    for (size_t i = 0; i < in->list.count && status == HT_OK; ++i) {
        in->fates[i].met += met[i];
        if (!met[i] || !is_open(in, i, size))
            continue;
        note_try(&in->fates[i], size);
        board->live = (int)i;
        status = ht_verify_run_again(run, &in->fates[i].reason, error);
    }
    board->live = -1;
    memset(board->marks, 0, sizeof board->marks);
    free(met);
    return status;
}

static ht_status verify(trial *in, const char *unit, ht_verify_result *out, ht_error *error) {
    const subject *of = in->of;
    ht_template *templates = NULL;
    size_t count = 0;
    const ht_verify_options options = {.seed = SEED,
                                       .configurations = configurations,
                                       .reassociates = of->kernel->reassociates,
                                       .rounds = of->kernel->rounds,
                                       .compile_workers = 1,
                                       .unreduced = true,
                                       .agreed = on_agreed,
                                       .unit = in->plain,
                                       .context = in};
    ht_status status = ht_template_parse(unit, of->source, &templates, &count, error);
    if (status == HT_OK)
        status = ht_verify(&templates[0], of->instance, &of->device, &options, out, error);
    ht_template_free(templates, count);
    return status;
}

static void fates_free(trial *in) {
    for (size_t i = 0; i < in->list.count; ++i)
        free(in->fates[i].reason);
    free(in->fates);
    in->fates = NULL;
}

/* Runs all: verifies the template with all faults in its text. */
static bool run_all(trial *in, size_t body, ht_error *error) {
    ht_verify_result result = {0};
    char *unit = faults_compose(in->plain, &in->list);
    in->fates = ht_alloc(in->list.count + 1, sizeof *in->fates);
    for (size_t i = 0; i < in->list.count; ++i)
        in->fates[i].why =
            equivalent_reason(in->of->kernel->name, in->plain, body, &in->list.items[i]);
    memset(in->of->board->marks, 0, sizeof in->of->board->marks);
    ht_status status = verify(in, unit, &result, error);
    bool good = status == HT_OK && result.outcome == HT_VERIFY_AGREES;
    if (status == HT_OK && !good)
        ht_error_set(error, HT_ERROR_MISMATCH, "%s", result.reason);
    ht_verify_result_free(&result);
    free(unit);
    if (!good)
        fates_free(in);
    return good;
}

/* ---- reports */

static void place_print(const trial *in, size_t number) {
    static const char *const names[] = {"barrier deleted", "subscript off by one",
                                        "comparison off by one"};
    const fault *item = &in->list.items[number];
    size_t begin = item->at;
    while (begin > 0 && in->plain[begin - 1] != '\n')
        --begin;
    begin += strspn(in->plain + begin, " \t");
    printf("%s: %s: %s: \"%.*s\" at %zu: ", ht_path_name(in->of->source), in->of->kernel->name,
           names[letter_of(item)], (int)strcspn(in->plain + begin, "\n"), in->plain + begin,
           item->at - begin);
}

/* Counts a fault, or the two of a comparison, of which the first is meant. */
static void fate_count(const trial *in, size_t number, tally *out) {
    const fault *item = &in->list.items[number];
    const fate *own = &in->fates[number], *other = item->kind == FAULT_LOOSE ? own + 1 : own;
    counts *to = &out->of[letter_of(item)];
    size_t met = own->met + other->met;
    const char *reason = own->reason ? own->reason : other->reason;
    place_print(in, number);
    ++to->tried;
    if (only_reach) {
        to->unreached += met == 0;
        printf("%s\n", met ? "reached" : "NOT REACHED");
    } else if (reason) {
        ++to->caught;
        to->tighter += !own->reason;
        printf("caught%s: %s\n", own->reason ? "" : ", tighter", reason);
    } else if (own->why && other->why) {
        ++to->unchanged;
        printf("changes nothing: %s%s%s\n", own->why,
               other == own ? "" : "; tighter: ", other == own ? "" : other->why);
    } else if ((own->why || !own->met) && (other->why || !other->met) && met) {
        ++to->unchanged;
        ++to->unmet;
        printf("changes nothing: %s%s; the other way made no difference in any run\n",
               own->why ? "" : "tighter: ", own->why ? own->why : other->why);
    } else {
        ++to->survived;
        to->unreached += met == 0;
        printf("SURVIVED: %zu runs came by, tried in %zu", own->met, own->tried);
        if (other != own)
            printf("; tighter: %zu, %zu%s%s", other->met, other->tried, other->why ? ", " : "",
                   other->why ? other->why : "");
        printf("\n");
    }
}

static bool any_wanted(const faults *list) {
    for (size_t i = 0; i < list->count; ++i)
        if (is_wanted(&list->items[i]))
            return true;
    return false;
}

static void kernel_try(const subject *of, tally *out) {
    trial in = {.of = of, .plain = of->kernel->against->unit};
    ht_error error = {0};
    size_t body;
    bool found = faults_find(in.plain, of->kernel->name, &in.list, &body);
    if (!found || in.list.count > FAULTS_MAX) {
        printf("%s: no body found, or too many faults\n", of->kernel->name);
        ++out->unclean;
    } else if (any_wanted(&in.list)) {
        bool good = run_all(&in, body, &error);
        size_t left_out = good ? 0 : faults_keep_plain(&in.list);
        if (left_out) /* tests that must be known when it is compiled may be among them */
            good = run_all(&in, body, &error);
        if (!good) {
            printf("%s: without a fault: %s\n", of->kernel->name, error.message);
            ++out->unclean;
        }
        out->of[2].uncompiled += left_out / 2;
        for (size_t i = 0; i < in.list.count && good; ++i)
            if (is_wanted(&in.list.items[i]) && in.list.items[i].kind != FAULT_TIGHT)
                fate_count(&in, i, out);
    }
    fflush(stdout);
    fates_free(&in);
    free(in.list.items);
}

/* ---- kernels */

/* A process, which takes a kernel when it is done with another. */
typedef struct taker {
    turns *turns;
    size_t seen, mine;
    faults_board *board;
    tally tally;
} taker;

static bool is_mine(taker *in) {
    if (in->seen++ != in->mine)
        return false;
    in->mine = atomic_fetch_add(&in->turns->next, 1);
    return true;
}

static void source_try(const char *path, taker *in) {
    char *folder = ht_path_folder(path), *include = ht_format("-I%s", folder);
    const char *arguments[] = {include};
    const ht_refactor_options options = {.arguments = arguments, .argument_count = 1};
    ht_problems problems = {0};
    ht_refactor *refactor = NULL;
    ht_error error = {0};
    subject of = {.source = path, .board = in->board};
    if (ht_problems_open(NULL, path, &problems, &error) != HT_OK ||
        ht_device_find("host", &of.device, &error) != HT_OK ||
        ht_refactor_file(path, problems.file, &options, &refactor, &error) != HT_OK) {
        printf("%s: %s\n", path, error.message);
        ++in->tally.unclean;
    }
    for (size_t i = 0, k = 0; refactor && i < ht_refactor_kernel_count(refactor); ++i) {
        of.kernel = ht_refactor_kernel(refactor, i);
        const ht_problem_file *file = of.kernel->inferred ? of.kernel->inferred : problems.file;
        const ht_problem_entry *entry = file ? ht_problem_file_entry(file, of.kernel->name) : NULL;
        of.instance = entry ? &entry->instances[0] : NULL;
        bool meant = of.kernel->against && (!wanted || strcmp(wanted, of.kernel->name) == 0);
        if (meant && k++ % in->turns->parts == in->turns->part && is_mine(in))
            kernel_try(&of, &in->tally);
    }
    ht_refactor_free(refactor);
    ht_problems_close(&problems);
    free(include);
    free(folder);
}

static void folder_try(const char *name, taker *in) {
    char *path = ht_path_join(HT_SOURCE_DIR, name);
    ht_sources found;
    if (ht_sources_find(&path, 1, NULL, &found, NULL) == HT_OK) {
        for (size_t i = 0; i < found.count; ++i)
            source_try(found.items[i].path, in);
        ht_sources_free(&found);
    }
    free(path);
}

/* Tries all in a process of its own, with its own board. */
static tally all_try(char **sources, size_t count, turns *of) {
    taker in = {.turns = of, .mine = atomic_fetch_add(&of->next, 1)};
    char *folder = NULL;
    ht_error error = {0};
    if (ht_dir_temporary("hiptemper-mutants", &folder, &error) != HT_OK ||
        faults_board_open(folder, &in.board, &error) != HT_OK) {
        fprintf(stderr, "verify_mutants: %s\n", error.message);
        in.tally.unclean = 1;
        return in.tally;
    }
    for (size_t i = 0; i < count; ++i)
        source_try(sources[i], &in);
    if (!count) {
        folder_try("tests/refactor/sources", &in);
        folder_try("examples/kernels", &in);
    }
    faults_board_close(in.board);
    ht_dir_remove(folder);
    free(folder);
    return in.tally;
}

static void tally_add(tally *to, const tally *of) {
    to->unclean += of->unclean;
    for (size_t i = 0; i < LETTERS; ++i) {
        to->of[i].tried += of->of[i].tried;
        to->of[i].caught += of->of[i].caught;
        to->of[i].tighter += of->of[i].tighter;
        to->of[i].unchanged += of->of[i].unchanged;
        to->of[i].unmet += of->of[i].unmet;
        to->of[i].survived += of->of[i].survived;
        to->of[i].unreached += of->of[i].unreached;
        to->of[i].uncompiled += of->of[i].uncompiled;
    }
}

static tally share_try(char **sources, size_t count, unsigned jobs, turns *of) {
    tally out = {0};
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        abort();
    for (unsigned i = 0; i < jobs; ++i)
        if (fork() == 0) {
            tally own = all_try(sources, count, of);
            fflush(stdout);
            _exit(write(ends[1], &own, sizeof own) == sizeof own ? 0 : 1);
        }
    close(ends[1]);
    for (tally own; read(ends[0], &own, sizeof own) == sizeof own;)
        tally_add(&out, &own);
    for (int status; wait(&status) > 0;)
        out.unclean += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    close(ends[0]);
    return out;
}

static size_t tally_print(const tally *of) {
    static const char *const names[LETTERS] = {"barriers", "subscripts", "comparisons"};
    size_t survived = 0;
    for (size_t i = 0; i < LETTERS; ++i) {
        const counts *own = &of->of[i];
        if (!own->tried)
            continue;
        survived += own->survived;
        printf("%s: %zu tried, %zu caught", names[i], own->tried, own->caught);
        if (own->tighter)
            printf(" (%zu when they let less through)", own->tighter);
        printf(", %zu change nothing", own->unchanged);
        if (own->unmet)
            printf(" (%zu one way, while no run came by the other)", own->unmet);
        printf(", %zu survived", own->survived);
        printf(", %zu of these not reached", own->unreached);
        if (own->uncompiled)
            printf("; %zu more are decided when it is compiled", own->uncompiled);
        printf("\n");
    }
    printf("%zu templates could not be tried\n", of->unclean);
    return survived;
}

static bool option_read(const char *name, const char *value, turns *of, unsigned *out_jobs) {
    if (strcmp(name, "--jobs") == 0)
        return sscanf(value, "%u", out_jobs) == 1 && *out_jobs >= 1;
    if (strcmp(name, "--kinds") == 0)
        return strspn(kinds = value, letters) == strlen(value);
    if (strcmp(name, "--kernel") == 0)
        return (wanted = value) != NULL;
    if (strcmp(name, "--only-reach") == 0)
        return only_reach = strcmp(value, "yes") == 0;
    if (strcmp(name, "--configurations") == 0)
        return sscanf(value, "%zu", &configurations) == 1;
    return strcmp(name, "--part") == 0 && sscanf(value, "%zu/%zu", &of->part, &of->parts) == 2 &&
           of->part >= 1 && of->part-- <= of->parts;
}

int main(int argc, char **argv) {
    unsigned jobs = 1;
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return ht_worker_main(argc, argv);
    turns *of = mmap(NULL, sizeof *of, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (of == MAP_FAILED)
        return 3;
    of->parts = 1;
    ht_sandbox_choose(HT_SANDBOX_OFF); /* the kernels with faults read and write a board of ours */
    bool good = true;
    for (--argc, ++argv; argc > 0 && argv[0][0] == '-' && good; argc -= 2, argv += 2)
        good = argc > 1 && option_read(argv[0], argv[1], of, &jobs);
    if (!good) {
        fputs("usage: verify_mutants [--part I/N] [--jobs N] [--configurations N] [--kinds bsc] "
              "[--kernel NAME] [--only-reach yes] [SOURCE...]\n",
              stderr);
        return 2;
    }
    tally out = share_try(argv, (size_t)argc, jobs, of);
    return tally_print(&out) || out.unclean ? 1 : 0;
}
