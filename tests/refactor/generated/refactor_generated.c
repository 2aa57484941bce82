/* refactor_generated [COUNT [FIRST]] [--keep DIR] [--configurations N] [--jobs N] [--json FILE]:
 * runs the pass on COUNT random convolution and stencil kernels, the FIRST-th on, with
 * verification: the default and N (32) random configurations of each template in checking mode.
 * Prints of each kernel its status, transformations and whether it was verified, then a summary.
 * Fails when a source could not be read or a template differs from its original. --keep writes
 * sources, templates and bug reports into DIR; else they are removed. */
#include "tests/refactor/generated/generated.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "pipeline/refactor_files.h"
#include "runtime/job/job.h"
#include "runtime/worker/worker_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct asked {
    size_t count, first, configurations, jobs;
    const char *keep, *json;
} asked;

static void die(const ht_error *error) {
    fprintf(stderr, "refactor_generated: %s\n", error->message);
    exit(1);
}

static void write_text(const char *folder, size_t number, const char *ending, const char *text) {
    char *path = ht_format("%s/gen_%zu%s", folder, number, ending);
    ht_error error = {0};
    if (ht_file_write(path, text, strlen(text), &error) != HT_OK)
        die(&error);
    free(path);
}

static void sources_write(const asked *given, const char *folder) {
    for (size_t number = given->first; number < given->first + given->count; ++number) {
        generated made;
        generated_make(number, &made);
        write_text(folder, number, ".hip", made.source);
        if (made.problem)
            write_text(folder, number, ".problem.json", made.problem);
        generated_free(&made);
    }
}

/* ---- the results */

typedef struct tally {
    const char *names[64];
    size_t counts[64], count;
} tally;

static void tally_add(tally *in, const char *name) {
    size_t i = 0;
    while (i < in->count && strcmp(in->names[i], name) != 0)
        ++i;
    if (i == 64)
        return;
    in->count += i == in->count;
    in->names[i] = name;
    ++in->counts[i];
}

static void tally_print(const tally *in) {
    for (size_t i = 0; i < in->count; ++i)
        printf("    %-22s %zu\n", in->names[i], in->counts[i]);
}

static const char *member(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static size_t row_print(const json_t *row, tally *transformations) {
    const json_t *names = json_object_get(row, "transformations");
    size_t index;
    json_t *name;
    printf("%s: %s", member(row, "name"), member(row, "status"));
    json_array_foreach(names, index, name) {
        printf(index ? ", %s" : " [%s", json_string_value(name));
        if (strcmp(member(row, "status"), "templated") == 0)
            tally_add(transformations, json_string_value(name));
    }
    printf("%s", json_array_size(names) ? "]" : "");
    if (json_is_true(json_object_get(row, "verified")))
        printf(" verified");
    if (*member(row, "reason"))
        printf(": %s", member(row, "reason"));
    printf("\n");
    return json_array_size(names);
}

/* Reports the results; returns the number that are wrong. */
static size_t report(const ht_refactor_tree_result *result) {
    tally statuses = {0}, transformations = {0};
    size_t index, several = 0, verified = 0, templates = 0, wrong = 0, configurations = 0;
    json_t *row;
    json_array_foreach(result->kernels, index, row) {
        size_t count = row_print(row, &transformations);
        const json_t *proof = json_object_get(row, "verification");
        bool templated = strcmp(member(row, "status"), "templated") == 0;
        tally_add(&statuses, member(row, "status"));
        templates += templated;
        several += templated && count >= 3;
        verified += json_is_true(json_object_get(row, "verified"));
        wrong += strcmp(member(proof, "outcome"), "differs") == 0;
        configurations += (size_t)json_integer_value(json_object_get(proof, "configurations"));
    }
    printf("\n%zu kernels:\n", json_array_size(result->kernels));
    tally_print(&statuses);
    printf("%zu templates, %zu with three transformations or more, by transformation:\n", templates,
           several);
    tally_print(&transformations);
    printf("%zu verified with %zu configurations in all; %zu differ; %zu sources not read\n",
           verified, configurations, wrong, json_array_size(result->errors));
    return wrong + json_array_size(result->errors);
}

static void json_write(const char *path, const ht_refactor_tree_result *result) {
    json_t *document = ht_report_json_new("refactor-generated", 1);
    json_object_set(document, "kernels", result->kernels);
    json_object_set(document, "errors", result->errors);
    ht_report_json(path, document);
    json_decref(document);
}

/* ---- the command line */

static bool parse(int argc, char **argv, asked *out) {
    size_t numbers = 0;
    for (int i = 1; i < argc; ++i) {
        bool option = strncmp(argv[i], "--", 2) == 0;
        if (option && i + 1 >= argc)
            return false;
        if (!option && numbers < 2)
            *(numbers++ ? &out->first : &out->count) = strtoull(argv[i], NULL, 10);
        else if (strcmp(argv[i], "--keep") == 0)
            out->keep = argv[++i];
        else if (strcmp(argv[i], "--json") == 0)
            out->json = argv[++i];
        else if (strcmp(argv[i], "--configurations") == 0)
            out->configurations = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--jobs") == 0)
            out->jobs = strtoull(argv[++i], NULL, 10);
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return ht_worker_main(argc, argv);
    asked given = {.count = 100, .configurations = 32};
    setenv("HIPTEMPER_KEPT", "", 1); /* each run verifies its templates */
    if (!parse(argc, argv, &given)) {
        fputs("usage: refactor_generated [COUNT [FIRST]] [--keep DIR] [--configurations N] "
              "[--jobs N] [--json FILE]\n",
              stderr);
        return 2;
    }
    ht_error error = {0};
    ht_scratch scratch = {0};
    if (given.keep ? ht_dir_make(given.keep, &error) != HT_OK
                   : ht_scratch_make("generated", &scratch, &error) != HT_OK)
        die(&error);
    char *folder = ht_strdup(given.keep ? given.keep : scratch.path);
    char *out = ht_path_join(folder, "out");
    if (ht_dir_make(out, &error) != HT_OK)
        die(&error);
    sources_write(&given, folder);
    ht_refactor_request request = {
        .paths = &folder,
        .path_count = 1,
        .out = out,
        .jobs = given.jobs,
        .file_limit = 60,
        .verify = true,
        .verifying = {.configurations = given.configurations, .seed = 1, .jobs = given.jobs}};
    ht_refactor_tree_result result = {0};
    if (ht_refactor_tree(&request, &result, &error) != HT_OK)
        die(&error);
    size_t wrong = report(&result);
    if (given.json)
        json_write(given.json, &result);
    ht_refactor_tree_result_free(&result);
    ht_scratch_remove(&scratch);
    free(out);
    free(folder);
    return wrong ? 1 : 0;
}
