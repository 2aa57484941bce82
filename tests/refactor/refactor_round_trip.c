/* Shows whether tuned sources launch what their templates say.
 *
 *   refactor_round_trip [--configurations N] [-I DIR]... FILE...
 *
 * writes random legal configurations of every template into copies of its source and reads the
 * copies again: the launches that are found there must have the blocks and grids that the template
 * has for that configuration, or cover more, for problems of several sizes. Verification runs
 * templates; the host's code that `apply` makes is compared here. Printed is a line for each
 * kernel; the exit code is 1 when a launch differs. Copies whose launches are not understood any
 * more (they choose between blocks when they run) are counted. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/refactor.h"
#include "refactor/rewrite/apply.h"
#include "runtime/verify/verify.h"
#include "templates/bind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES_MAX = 200, SIZES_MAX = 12 };

typedef struct tally {
    size_t same, unread, different, unapplied;
} tally;

typedef struct trip {
    const char *path;
    const ht_problem_file *problems;
    const ht_refactor_options *compiler;
    const ht_refactor *refactor;
    size_t index; /* of the kernel */
    const ht_kernel *kernel;
    ht_device_fields device;
    uint64_t random;
    size_t wanted; /* configurations */
    tally all;
} trip;

static uint64_t draw(trip *in, uint64_t below) {
    in->random = in->random * 6364136223846793005u + 1442695040888963407u;
    return (in->random >> 33) % below;
}

/* ---- geometry */

/* Returns true for blocks as large, and as many; where a count was rounded up for the original's
 * block first, the last of them may have nothing to do. */
static bool is_enough(const ht_geometry *before, const ht_geometry *now) {
    for (int axis = 0; axis < 3; ++axis)
        if (now->block[axis] != before->block[axis] || now->grid[axis] < before->grid[axis] ||
            now->grid[axis] > 2 * before->grid[axis] + 64)
            return false;
    return now->lds == before->lds;
}

/* Returns "W=5: (64, 1, 1) x (3, 2, 1) before, ... now" where they differ; NULL: nowhere.
 * free(). */
static char *compare(const trip *in, const ht_config *config, const ht_kernel *copy) {
    const ht_template *before = in->kernel->template, *now = copy->template;
    const ht_problem_file *own = in->kernel->inferred ? in->kernel->inferred : in->problems;
    const ht_problem_entry *entry = ht_problem_file_entry(own, in->kernel->name);
    ht_problem *sizes = NULL;
    size_t count = 0;
    char *found = NULL;
    ht_config plain = ht_config_default(now);
    ht_verify_problems(before, entry && entry->instance_count ? &entry->instances[0] : NULL, &sizes,
                       &count);
    for (size_t i = 0; i < count; ++i) {
        char *text = ht_problem_string(&before->problem, &sizes[i]);
        ht_problem other;
        bool legal = false;
        const ht_binding first = {before, &sizes[i], &in->device};
        if (!found && i < SIZES_MAX &&
            ht_problem_parse(&now->problem, text, &other, NULL) == HT_OK) {
            const ht_binding second = {now, &other, &in->device};
            ht_geometry a, b = {0};
            if (ht_binding_legal(&first, config, &legal, NULL, NULL) == HT_OK && legal &&
                ht_binding_geometry(&first, config, &before->launches[0], &a, NULL) == HT_OK &&
                (ht_binding_geometry(&second, &plain, &now->launches[0], &b, NULL) != HT_OK ||
                 !is_enough(&a, &b)))
                found = ht_format("%s: blocks of (%u, %u, %u), grid (%u, %u, %u), %u bytes became "
                                  "(%u, %u, %u), (%u, %u, %u), %u",
                                  text, a.block[0], a.block[1], a.block[2], a.grid[0], a.grid[1],
                                  a.grid[2], a.lds, b.block[0], b.block[1], b.block[2], b.grid[0],
                                  b.grid[1], b.grid[2], b.lds);
            ht_problem_free(&other);
        }
        free(text);
        ht_problem_free(&sizes[i]);
    }
    free(sizes);
    return found;
}

/* ---- one configuration */

static const ht_kernel *kernel_of(const ht_refactor *refactor, const char *name) {
    for (size_t i = 0; i < ht_refactor_kernel_count(refactor); ++i)
        if (strcmp(ht_refactor_kernel(refactor, i)->name, name) == 0)
            return ht_refactor_kernel(refactor, i);
    return NULL;
}

/* Reads the copy, which stands next to the source, for the headers that it includes. */
static ht_refactor *read_copy(const trip *in, const char *text) {
    const char *dot = strrchr(in->path, '.');
    char *path = ht_format("%.*s.trip-%d%s", (int)(dot - in->path), in->path,
                           (int)draw((trip *)(size_t)in, 1000000), dot);
    ht_refactor *refactor = NULL;
    if (ht_file_write(path, text, strlen(text), NULL) == HT_OK)
        ht_refactor_file(path, in->problems, in->compiler, &refactor, NULL);
    remove(path);
    free(path);
    return refactor;
}

static void try(trip *in, const ht_config *config) {
    ht_refactor_choice choice = {.kernel = in->index, .config = *config};
    char *text = NULL, *words = ht_config_string(in->kernel->template, config);
    ht_error error = {0};
    if (ht_refactor_apply(in->refactor, &choice, 1, &text, &error) != HT_OK) {
        ++in->all.unapplied;
        free(words);
        return;
    }
    ht_refactor *again = read_copy(in, text);
    const ht_kernel *copy = again ? kernel_of(again, in->kernel->name) : NULL;
    char *difference = copy && copy->template ? compare(in, config, copy) : NULL;
    if (!copy || !copy->template)
        ++in->all.unread;
    else if (!difference)
        ++in->all.same;
    else {
        ++in->all.different;
        printf("DIFFERENT  %s:%d: %s: %s: %s\n", in->kernel->file, in->kernel->line,
               in->kernel->name, words, difference);
    }
    free(difference);
    if (again)
        ht_refactor_free(again);
    free(words);
    free(text);
}

/* Draws a configuration in which half of the parameters have another value than their default. */
static bool draw_legal(trip *in, ht_config *out) {
    const ht_template *template = in->kernel->template;
    const ht_problem_file *own = in->kernel->inferred ? in->kernel->inferred : in->problems;
    const ht_problem_entry *entry = ht_problem_file_entry(own, in->kernel->name);
    if (!entry || !entry->instance_count)
        return false;
    const ht_binding binding = {template, &entry->instances[0], &in->device};
    for (size_t tries = 0; tries < TRIES_MAX; ++tries) {
        bool legal = false;
        *out = ht_config_default(template);
        for (size_t i = 0; i < template->param_count; ++i)
            if (draw(in, 2))
                out->choice[i] = (uint16_t)draw(in, template->params[i].value_count);
        if (ht_binding_legal(&binding, out, &legal, NULL, NULL) == HT_OK && legal)
            return true;
    }
    return false;
}

static void kernel_try(trip *in) {
    const tally before = in->all;
    ht_config config;
    for (size_t i = 0; i < in->wanted && draw_legal(in, &config); ++i)
        try(in, &config);
    printf("%-10s %s:%d: %s: %zu the same, %zu not understood, %zu not applied\n",
           in->all.different > before.different ? "different" : "same", in->kernel->file,
           in->kernel->line, in->kernel->name, in->all.same - before.same,
           in->all.unread - before.unread, in->all.unapplied - before.unapplied);
    fflush(stdout);
}

static int file_try(trip *in, const char *path) {
    ht_refactor *refactor;
    ht_problem_file *problems = NULL;
    ht_error error = {0};
    const char *dot = strrchr(path, '.');
    char *beside =
        ht_format("%.*s.problem.json", (int)(dot ? dot - path : (long)strlen(path)), path);
    ht_status status =
        ht_file_exists(beside) ? ht_problem_file_load(beside, &problems, &error) : HT_OK;
    if (status == HT_OK)
        status = ht_refactor_file(path, problems, in->compiler, &refactor, &error);
    if (status != HT_OK)
        fprintf(stderr, "refactor_round_trip: %s: %s\n", path, error.message);
    else {
        in->path = path;
        in->problems = problems;
        in->refactor = refactor;
        for (in->index = 0; in->index < ht_refactor_kernel_count(refactor); ++in->index) {
            in->kernel = ht_refactor_kernel(refactor, in->index);
            if (in->kernel->status == HT_KERNEL_TEMPLATED && in->kernel->launch_file)
                kernel_try(in);
        }
        ht_refactor_free(refactor);
    }
    ht_problem_file_free(problems);
    free(beside);
    return status == HT_OK ? 0 : 2;
}

int main(int argc, char **argv) {
    const char **arguments = ht_alloc((size_t)argc + 1, sizeof *arguments);
    ht_refactor_options compiler = {.arguments = arguments};
    trip in = {.compiler = &compiler, .random = 1, .wanted = 8};
    ht_device device;
    ht_error error = {0};
    int code = 0;
    if (ht_device_find("host", &device, &error) != HT_OK) {
        fprintf(stderr, "refactor_round_trip: %s\n", error.message);
        return 2;
    }
    in.device = device.fields;
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--configurations") == 0 && i + 1 < argc)
            in.wanted = strtoul(argv[++i], NULL, 10);
        else if (strncmp(argv[i], "-I", 2) == 0)
            arguments[compiler.argument_count++] = argv[i];
        else {
            int own = file_try(&in, argv[i]);
            code = own > code ? own : code;
        }
    printf("%zu launches the same, %zu not understood, %zu not applied, %zu different\n",
           in.all.same, in.all.unread, in.all.unapplied, in.all.different);
    free(arguments);
    return in.all.different ? 1 : code;
}
