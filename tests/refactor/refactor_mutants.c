/* refactor_mutants [COUNT [FIRST [VERIFY_EVERY [JOBS]]]]: runs the pass on COUNT sources with
 * tokens deleted, doubled or swapped, made of all sources in tests/refactor/sources and
 * examples/kernels, the FIRST-th on. Each is read in a process of its own. Of every VERIFY_EVERY-th
 * source that gives templates (0: none), those are verified. Prints how many crashed, took longer
 * than a minute of CPU time, gave templates, and how many of these were verified; fails when one
 * crashed, hung or differs. The same numbers give the same sources. */
#include "mutate.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/text.h"
#include "pipeline/input.h"
#include "pipeline/refactor_verify.h"
#include "pipeline/tasks.h"
#include "runtime/job/job.h"
#include "runtime/worker/worker_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 2025, TOLD_EVERY = 500 };
static const double limit_seconds = 60;
static const size_t memory_limit = (size_t)1 << 30;

typedef struct start {
    char *path, *text;
    ht_problem_file *problems; /* NULL: none */
} start;

typedef struct run {
    start *starts;
    size_t start_count;
    size_t first, count, verify_every;
    char *folder;
    json_t *rows; /* of templates to be verified */
    size_t ended, refused_files, kernels, templates, crashed, hung;
} run;

static void die(const ht_error *error) {
    fprintf(stderr, "refactor_mutants: %s\n", error->message);
    exit(1);
}

static void starts_add(run *in, const char *folder) {
    char *path = ht_path_join(HT_SOURCE_DIR, folder);
    ht_sources found;
    ht_error error = {0};
    if (ht_sources_find(&path, 1, NULL, &found, &error) != HT_OK)
        die(&error);
    for (size_t i = 0; i < found.count; ++i) {
        start added = {.path = ht_strdup(found.items[i].path)};
        ht_problems problems = {0};
        if (ht_file_read(added.path, 0, &added.text, NULL, &error) != HT_OK ||
            ht_problems_open(NULL, added.path, &problems, &error) != HT_OK)
            die(&error);
        added.problems = problems.file;
        HT_GROW(in->starts, in->start_count);
        in->starts[in->start_count++] = added;
    }
    ht_sources_free(&found);
    free(path);
}

/* ---- in the child */

static const ht_problem *instance_of(const start *from, const ht_kernel *kernel) {
    const ht_problem_file *file = kernel->inferred ? kernel->inferred : from->problems;
    const ht_problem_entry *entry = file ? ht_problem_file_entry(file, kernel->name) : NULL;
    return entry && entry->instance_count ? &entry->instances[0] : NULL;
}

static json_t *row_of(const run *in, const start *from, const ht_kernel *kernel, size_t number,
                      bool verify) {
    json_t *row = json_pack("{s:s, s:i}", "name", kernel->name, "number", (int)number);
    json_t *proof = verify ? ht_refactor_proof_make(kernel, instance_of(from, kernel)) : NULL;
    if (proof) { /* its file is of no interest, but must be there */
        char *path = ht_format("%s/%zu-%d.template.hip", in->folder, number, kernel->line);
        ht_error error = {0};
        json_object_set_new(row, "template", json_string(path));
        if (ht_file_write(path, "", 0, &error) == HT_OK &&
            ht_refactor_template_hold(path, &error) == HT_OK)
            json_object_set(row, "proof", proof);
        json_decref(proof);
        free(path);
    }
    return row;
}

static int mutant_run(void *context, size_t index, FILE *out) {
    const run *in = context;
    size_t number = in->first + index;
    const start *from = &in->starts[number % in->start_count];
    ht_random random;
    ht_random_stream(&random, SEED, number);
    char *text = mutate_text(from->text, &random);
    char *folder = ht_path_folder(from->path), *include = ht_format("-I%s", folder);
    const char *arguments[] = {include};
    const ht_refactor_options options = {
        .arguments = arguments, .argument_count = 1, .cache = in->folder};
    char *path = ht_format("%s/%zu-%s", in->folder, number, ht_path_name(from->path));
    ht_error error = {0};
    ht_refactor *refactor = NULL;
    ht_status status = ht_file_write(path, text, strlen(text), &error);
    if (status == HT_OK)
        status = ht_refactor_file(path, from->problems, &options, &refactor, &error);
    bool verify = in->verify_every && number % in->verify_every == 0;
    json_t *rows = json_array();
    for (size_t i = 0; refactor && i < ht_refactor_kernel_count(refactor); ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(refactor, i);
        if (kernel->template)
            json_array_append_new(rows, row_of(in, from, kernel, number, verify));
    }
    json_t *document = json_pack("{s:o, s:i, s:s}", "templates", rows, "kernels",
                                 refactor ? (int)ht_refactor_kernel_count(refactor) : 0, "status",
                                 ht_status_name(status));
    ht_refactor_free(refactor); /* wrong frees are to be seen */
    remove(path);
    free(path);
    free(text);
    free(include);
    free(folder);
    int code = json_dumpf(document, out, 0);
    json_decref(document);
    return code == 0 && (status == HT_OK || status == HT_ERROR_INPUT) ? 0 : 1;
}

/* ---- in the parent */

static void mutant_done(void *context, size_t index, const ht_task_result *result) {
    run *in = context;
    size_t number = in->first + index;
    const char *source = ht_path_name(in->starts[number % in->start_count].path);
    bool hung = result->status == HT_ERROR_TIMEOUT;
    bool crashed = !hung && (result->status != HT_OK || result->code);
    json_t *document = result->text ? json_loadb(result->text, result->length, 0, NULL) : NULL;
    const char *status = json_string_value(json_object_get(document, "status"));
    if (hung || crashed)
        printf("%zu (%s): %s%s\n", number, source,
               hung             ? "no end"
               : result->signal ? strsignal(result->signal)
                                : "ended with an error",
               !hung && !result->signal && status ? status : "");
    in->hung += hung;
    in->crashed += crashed;
    in->kernels += (size_t)json_integer_value(json_object_get(document, "kernels"));
    in->refused_files += status && strcmp(status, "ok") != 0;
    size_t row;
    json_t *template;
    json_array_foreach(json_object_get(document, "templates"), row, template) {
        ++in->templates;
        if (json_object_get(template, "proof"))
            json_array_append(in->rows, template);
    }
    json_decref(document);
    if (++in->ended % TOLD_EVERY == 0)
        fprintf(stderr, "%zu of %zu, %zu templates\n", in->ended, in->count, in->templates);
}

/* Verifies, and counts those that agree and those that do not. */
static size_t verify(run *in, size_t jobs) {
    const ht_refactor_verifying how = {.configurations = 8, .seed = 1, .jobs = jobs};
    size_t agreed = 0, differ = 0, index;
    json_t *row;
    int code;
    ht_error error = {0};
    if (ht_refactor_verify(in->rows, &how, &code, &error) != HT_OK)
        die(&error);
    json_array_foreach(in->rows, index, row) {
        const char *outcome =
            json_string_value(json_object_get(json_object_get(row, "verification"), "outcome"));
        const char *reason = json_string_value(json_object_get(row, "reason"));
        agreed += outcome && strcmp(outcome, "agrees") == 0;
        bool bad = outcome && strcmp(outcome, "differs") == 0;
        differ += bad;
        if (!outcome || bad)
            printf("%lld: %s: %s\n", (long long)json_integer_value(json_object_get(row, "number")),
                   json_string_value(json_object_get(row, "name")), reason ? reason : "?");
    }
    printf("%zu templates verified: %zu agree, %zu differ, of %zu the original cannot be run\n",
           json_array_size(in->rows), agreed, differ, json_array_size(in->rows) - agreed - differ);
    return differ;
}

static size_t number_of(int argc, char **argv, int index, size_t fallback) {
    return argc > index ? (size_t)strtoull(argv[index], NULL, 10) : fallback;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return ht_worker_main(argc, argv);
    run in = {.count = number_of(argc, argv, 1, 100),
              .first = number_of(argc, argv, 2, 0),
              .verify_every = number_of(argc, argv, 3, 10),
              .rows = json_array()};
    size_t jobs = number_of(argc, argv, 4, 0);
    ht_error error = {0};
    ht_scratch scratch;
    starts_add(&in, "tests/refactor/sources");
    starts_add(&in, "examples/kernels");
    if (ht_scratch_make("mutants", &scratch, &error) != HT_OK)
        die(&error);
    in.folder = scratch.path;
    const ht_tasks tasks = {.count = in.count,
                            .workers = jobs,
                            .limit_seconds = limit_seconds,
                            .memory_bytes = memory_limit,
                            .run = mutant_run,
                            .done = mutant_done,
                            .context = &in};
    if (ht_tasks_run(&tasks, &error) != HT_OK)
        die(&error);
    printf("%zu sources from the %zu-th on: %zu crashed, %zu hung; %zu not read by clang, %zu "
           "kernels, %zu templates\n",
           in.count, in.first, in.crashed, in.hung, in.refused_files, in.kernels, in.templates);
    size_t differ = verify(&in, jobs);
    ht_scratch_remove(&scratch);
    for (size_t i = 0; i < in.start_count; ++i) {
        free(in.starts[i].path);
        free(in.starts[i].text);
        ht_problem_file_free(in.starts[i].problems);
    }
    free(in.starts);
    json_decref(in.rows);
    return in.crashed || in.hung || differ ? 1 : 0;
}
