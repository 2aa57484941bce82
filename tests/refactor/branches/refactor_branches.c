/* Both builds of tuned sources agree with both builds of the originals.
 *
 *     refactor_branches [--every N] [--rounds N] [--seed N] [--keep FOLDER]
 *
 * makes a source of kernels with conditionals in every place (places.c), applies configurations
 * that are not the default to all of them at once, and compiles and runs original and tuned source,
 * with and without the macro that the conditionals ask for. */
#include "places.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "refactor/refactor.h"
#include "refactor/rewrite/apply.h"
#include "runtime/provider/provider.h"
#include "templates/bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    size_t every, rounds, seed;
    const char *keep;
} settings;

typedef struct trial {
    settings given;
    char *folder;
    ht_text source, calls, problems;
    ht_problem_file *entries;
    ht_refactor *refactor;
    ht_device device;
    size_t kernels, templated, changed, wrong;
} trial;

static const char head[] = "#include <hip/hip_runtime.h>\n"
                           "#include <stdio.h>\n"
                           "static void fill(float *p, int count) {\n"
                           "    for (int i = 0; i < count; ++i)\n"
                           "        p[i] = (float)((i * 37 + 11) % 17 - 8);\n"
                           "}\n"
                           "static void report(int kernel, int n, const float *p, int count) {\n"
                           "    unsigned hash = 2166136261u;\n"
                           "    for (int i = 0; i < count; ++i)\n"
                           "        hash = (hash ^ (unsigned)(int)(p[i] * 64)) * 16777619u;\n"
                           "    printf(\"k_%d n=%d %08x\\n\", kernel, n, hash);\n"
                           "}\n";

static void fail(const char *what, const ht_error *error) {
    fprintf(stderr, "refactor_branches: %s%s%s\n", what, error ? ": " : "",
            error ? error->message : "");
    exit(1);
}

static void source_make(trial *in) {
    ht_text_append(&in->source, head);
    ht_text_append(&in->problems,
                   "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [");
    for (size_t i = 0; i < kernels_count(); i += in->given.every) {
        char *text = kernel_text(i), *problem = kernel_problem(i);
        ht_text_append(&in->source, text);
        ht_text_printf(&in->problems, "%s%s", in->kernels++ ? ", " : "", problem);
        ht_text_printf(&in->calls, "        run_%zu(sizes[i], i + 3, 5);\n", i);
        free(text);
        free(problem);
    }
    ht_text_append(&in->problems, "]}");
    ht_text_printf(&in->source,
                   "int main() {\n"
                   "    const int sizes[] = {1, 37, 130, 300};\n"
                   "    for (int i = 0; i < 4; ++i) {\n"
                   "%s    }\n}\n",
                   in->calls.data);
}

/* Chooses some parameters unlike the default, as many as are legal together. */
static ht_config config_choose(const trial *in, const ht_kernel *kernel, ht_random *random) {
    const ht_problem_entry *entry = ht_problem_file_entry(in->entries, kernel->name);
    ht_binding binding = {kernel->template, &entry->instances[0], &in->device.fields};
    ht_config config = ht_config_default(kernel->template);
    for (int tries = 0; tries < 60; ++tries) {
        ht_config next = config;
        size_t param = ht_random_below(random, kernel->template->param_count);
        bool legal = false;
        next.choice[param] =
            (uint16_t)ht_random_below(random, kernel->template->params[param].value_count);
        if (ht_binding_legal(&binding, &next, &legal, NULL, NULL) == HT_OK && legal)
            config = next;
    }
    return config;
}

static char *tuned_make(trial *in, size_t round) {
    size_t count = ht_refactor_kernel_count(in->refactor), chosen = 0;
    ht_refactor_choice *choices = ht_alloc(count, sizeof *choices);
    ht_random random;
    ht_error error;
    char *text;
    ht_random_seed(&random, in->given.seed * 1000 + round);
    for (size_t i = 0; i < count; ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(in->refactor, i);
        if (!kernel->template)
            continue;
        ht_config plain = ht_config_default(kernel->template);
        choices[chosen] =
            (ht_refactor_choice){.kernel = i, .config = config_choose(in, kernel, &random)};
        in->changed += !ht_config_equal(&plain, &choices[chosen++].config);
    }
    if (ht_refactor_apply(in->refactor, choices, chosen, &text, &error) != HT_OK)
        fail("applying", &error);
    free(choices);
    return text;
}

/* Compiles and runs a build; returns its output, free(). */
static char *build_run(const trial *in, const char *name, const char *text, const char *macro) {
    char *path = ht_format("%s/%s%s.cpp", in->folder, name, macro);
    char *program = ht_format("%s/%s%s", in->folder, name, macro);
    char *output = ht_format("%s.txt", program), *printed = NULL;
    ht_error error;
    if (ht_file_write(path, text, strlen(text), &error) != HT_OK)
        fail("writing", &error);
    char *command =
        ht_format("%s -std=c++17 -O1 -w %s%s -I%s/tests/refactor/branches -o %s %s > %s 2>&1 && "
                  "%s > %s",
                  HT_CLANGXX, *macro ? "-D" : "", macro, HT_SOURCE_DIR, program, path, output,
                  program, output);
    int status = system(command);
    if (ht_file_read_text(output, "output", &printed, &error) != HT_OK)
        fail("reading", &error);
    if (status != 0) {
        fprintf(stderr, "%s%s%s does not build or run:\n%.3000s\n", name, *macro ? " with -D" : "",
                macro, printed);
        exit(1);
    }
    free(command);
    free(output);
    free(program);
    free(path);
    return printed;
}

/* Counts the lines that differ, and prints each. */
static size_t compare(const char *before, const char *after, const char *build, size_t round) {
    size_t wrong = 0;
    while (*before && *after) {
        size_t length = strcspn(before, "\n"), other = strcspn(after, "\n");
        if (length != other || memcmp(before, after, length) != 0) {
            printf("round %zu, %s: %.*s became %.*s\n", round, *build ? build : "plain",
                   (int)length, before, (int)other, after);
            ++wrong;
        }
        before += length + 1;
        after += other + 1;
    }
    return wrong + (*before != *after);
}

static void trial_open(trial *in) {
    ht_error error;
    const char *no_arguments[] = {NULL};
    ht_refactor_options options = {.arguments = no_arguments};
    if (ht_dir_temporary("branches", &in->folder, &error) != HT_OK ||
        ht_device_find("host", &in->device, &error) != HT_OK)
        fail("starting", &error);
    source_make(in);
    char *path = ht_path_join(in->folder, "branches.hip");
    options.cache = in->folder;
    if (ht_file_write(path, in->source.data, in->source.length, &error) != HT_OK ||
        ht_problem_file_parse(in->problems.data, "problems", &in->entries, &error) != HT_OK ||
        ht_refactor_file(path, in->entries, &options, &in->refactor, &error) != HT_OK)
        fail("reading the kernels", &error);
    free(path);
    for (size_t i = 0; i < ht_refactor_kernel_count(in->refactor); ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(in->refactor, i);
        in->templated += kernel->template != NULL;
        for (size_t k = 0; k < kernel->omitted_count; ++k) {
            printf("%s: %s stands in the way of the template\n", kernel->name, kernel->omitted[k]);
            ++in->wrong;
        }
    }
}

static void trial_close(trial *in) {
    ht_refactor_free(in->refactor);
    ht_problem_file_free(in->entries);
    ht_text_free(&in->source);
    ht_text_free(&in->calls);
    ht_text_free(&in->problems);
    if (!in->given.keep)
        ht_dir_remove(in->folder);
    else
        printf("kept in %s\n", in->folder);
    free(in->folder);
}

int main(int count, char **arguments) {
    trial in = {.given = {.every = 1, .rounds = 2, .seed = 1}};
    static const char *const builds[] = {"", "ALT"};
    for (int i = 1; i + 1 < count; i += 2) {
        size_t number = strtoul(arguments[i + 1], NULL, 10);
        if (strcmp(arguments[i], "--every") == 0)
            in.given.every = number ? number : 1;
        else if (strcmp(arguments[i], "--rounds") == 0)
            in.given.rounds = number;
        else if (strcmp(arguments[i], "--seed") == 0)
            in.given.seed = number;
        else if (strcmp(arguments[i], "--keep") == 0)
            in.given.keep = arguments[i + 1];
    }
    trial_open(&in);
    char *before[] = {build_run(&in, "original", in.source.data, builds[0]),
                      build_run(&in, "original", in.source.data, builds[1])};
    for (size_t round = 0; round < in.given.rounds; ++round) {
        char *tuned = tuned_make(&in, round), *name = ht_format("tuned%zu", round);
        for (size_t build = 0; build < 2; ++build) {
            char *after = build_run(&in, name, tuned, builds[build]);
            in.wrong += compare(before[build], after, builds[build], round);
            free(after);
        }
        free(name);
        free(tuned);
    }
    printf("%zu kernels, %zu with a template, %zu changed in %zu rounds, %zu wrong\n", in.kernels,
           in.templated, in.changed, in.given.rounds, in.wrong);
    bool enough =
        in.templated * 2 >= in.kernels && in.changed * 2 >= in.templated * in.given.rounds;
    free(before[0]);
    free(before[1]);
    trial_close(&in);
    return in.wrong == 0 && enough ? 0 : 1;
}
