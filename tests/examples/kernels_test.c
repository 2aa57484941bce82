/* The example kernels: plain HIP that knows nothing of tuning, with problem files that fit them. */
#include "base/file.h"
#include "base/memory.h"
#include "templates/problem_file/problem_file.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

static glob_t find(const char *pattern) {
    glob_t found = {0};
    char *full = ht_format("%s/%s", HT_SOURCE_DIR, pattern);
    cr_assert_eq(glob(full, 0, NULL, &found), 0, "nothing matches %s", full);
    free(full);
    return found;
}

static char *read_text(const char *path) {
    char *text = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_file_read(path, 0, &text, NULL, &error), HT_OK, "%s", error.message);
    return text;
}

static ht_problem_file *read_problems(const char *path) {
    ht_problem_file *file = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_problem_file_load(path, &file, &error), HT_OK, "%s:%d:%d: %s", path, error.line,
                 error.column, error.message);
    return file;
}

/* Returns "dir/NAME" + suffix for "dir/NAME.hip". */
static char *sibling(const char *source, const char *suffix) {
    return ht_format("%.*s%s", (int)(strlen(source) - strlen(".hip")), source, suffix);
}

static const char *unqualified(const char *name) {
    const char *colons = strrchr(name, ':');
    return colons ? colons + 1 : name;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the parameter list of the first "NAME(" in the source, as one string of names with a
 * space after each. */
static char *parameter_names(const char *source, const char *kernel) {
    const char *at = source;
    size_t length = strlen(kernel);
    while ((at = strstr(at, kernel)) && (at[length] != '(' || is_word(at[-1])))
        ++at;
    cr_assert_not_null(at, "no kernel %s", kernel);
    ht_text names = {0};
    const char *word = NULL;
    size_t word_length = 0;
    for (at += length + 1;; ++at) {
        if (at[0] == '/' && at[1] == '/')
            at += strcspn(at, "\n");
        if (is_word(*at)) {
            word = at;
            for (word_length = 0; is_word(at[word_length]); ++word_length)
                ;
            at += word_length - 1;
        } else if (*at == ',' || *at == ')') {
            ht_text_append_n(&names, word, word_length);
            ht_text_append(&names, " ");
            if (*at == ')')
                return ht_text_take(&names);
        }
        cr_assert(*at, "%s: the parameter list does not end", kernel);
    }
}

static size_t count_of(const char *text, const char *word) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        ++count;
    return count;
}

Test(examples, are_there) {
    glob_t sources = find("examples/kernels/*.hip");
    cr_expect_geq(sources.gl_pathc, 6);
    globfree(&sources);
}

/* With HIP's header as it was parsed before, which the sources include as well. */
Test(examples, compile_for_device_and_host, .timeout = 120) {
    static const char *const sides[] = {"device", "host"};
    glob_t sources = find("examples/kernels/*.hip");
    for (size_t i = 0; i < sources.gl_pathc; ++i) {
        char *text = read_text(sources.gl_pathv[i]);
        cr_expect(strstr(text, "#include <hip/hip_runtime.h>\n") ||
                      strstr(text, "#include \"hip/hip_runtime.h\"\n"),
                  "%s", sources.gl_pathv[i]);
        free(text);
        for (int side = 0; side < 2; ++side) {
            char *command =
                ht_format("'%s' -x hip --cuda-%s-only --offload-arch=gfx90a -nogpulib "
                          "-std=c++17 -include-pch '%s' -fsyntax-only -Wall -Werror "
                          "'%s'",
                          HT_TEST_CLANG, sides[side], HT_TEST_PARSED_HIP, sources.gl_pathv[i]);
            cr_expect_eq(system(command), 0, "%s", command);
            free(command);
        }
    }
    globfree(&sources);
}

Test(examples, know_nothing_of_tuning) {
    glob_t sources = find("examples/kernels/*.hip");
    for (size_t i = 0; i < sources.gl_pathc; ++i) {
        char *text = read_text(sources.gl_pathv[i]);
        cr_expect_null(strstr(text, "pragma tune"), "%s", sources.gl_pathv[i]);
        cr_expect_null(strstr(text, "hiptemper"), "%s", sources.gl_pathv[i]);
        free(text);
    }
    globfree(&sources);
}

static void expect_arguments_fit(const ht_problem_entry *entry, const char *source) {
    const char *kernel = unqualified(entry->kernel);
    char *want = parameter_names(source, kernel);
    ht_text got = {0};
    for (size_t i = 0; i < entry->arg_count; ++i)
        if (entry->args[i].role != HT_ARG_CONSTANT)
            ht_text_printf(&got, "%s ", entry->args[i].name);
    cr_expect_str_eq(got.data, want, "%s: the problem file lists (%s), the source (%s)", kernel,
                     got.data, want);
    ht_text_free(&got);
    free(want);
}

Test(examples, problem_files_fit_the_kernels) {
    static const char *const suffixes[] = {".problem.json", ".full.problem.json"};
    glob_t sources = find("examples/kernels/*.hip");
    for (size_t i = 0; i < sources.gl_pathc; ++i) {
        char *source = read_text(sources.gl_pathv[i]);
        char *first = NULL; /* of the demo's instance */
        for (int f = 0; f < 2; ++f) {
            char *path = sibling(sources.gl_pathv[i], suffixes[f]);
            ht_problem_file *file = read_problems(path);
            cr_expect_eq(file->entry_count, count_of(source, "__global__"), "%s", path);
            for (size_t e = 0; e < file->entry_count; ++e)
                expect_arguments_fit(&file->entries[e], source);
            const ht_problem_entry *entry = &file->entries[0];
            char *instance = ht_problem_string(&entry->spec, &entry->instances[0]);
            if (f == 0)
                cr_expect_eq(entry->instance_count, 1, "%s: the demo tunes all of them", path);
            else
                cr_expect_str_eq(instance, first, "%s begins with the demo's instance", path);
            free(first);
            first = instance;
            ht_problem_file_free(file);
            free(path);
        }
        free(first);
        free(source);
    }
    globfree(&sources);
}

static int64_t field(const ht_problem *problem, const char *name) {
    int64_t value = 0;
    cr_assert(ht_problem_get(problem, name, &value), "%s has no field %s", problem->name, name);
    return value;
}

static const ht_problem *catalogue_layer(ht_problem_file *const catalogues[2], const char *name) {
    for (int c = 0; c < 2; ++c)
        for (size_t i = 0; i < catalogues[c]->entries[0].instance_count; ++i)
            if (!strcmp(catalogues[c]->entries[0].instances[i].name, name))
                return &catalogues[c]->entries[0].instances[i];
    return NULL;
}

/* Expects the same layer, whether the padding is the kernel's work or already in the input. */
static void expect_same_layer(const ht_problem *a, const ht_problem *b, const char *path) {
    static const char *const names[] = {"N", "C", "K", "R", "S", "P", "Q", "stride_h", "groups"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        cr_expect_eq(field(a, names[i]), field(b, names[i]), "%s: %s differs in %s", path, a->name,
                     names[i]);
    cr_expect_eq(field(a, "H") + 2 * field(a, "pad_h"), field(b, "H") + 2 * field(b, "pad_h"),
                 "%s: %s differs in height", path, a->name);
}

Test(examples, layers_are_those_of_the_catalogues) {
    ht_problem_file *catalogues[2] = {
        read_problems(HT_SOURCE_DIR "/problems/resnet50.json"),
        read_problems(HT_SOURCE_DIR "/problems/mobilenet_v2.json"),
    };
    glob_t files = find("examples/kernels/*.full.problem.json");
    int compared = 0;
    for (size_t i = 0; i < files.gl_pathc; ++i) {
        ht_problem_file *file = read_problems(files.gl_pathv[i]);
        const ht_problem_entry *entry = &file->entries[0];
        for (size_t k = 0; k < entry->instance_count; ++k) {
            const ht_problem *instance = &entry->instances[k];
            if (!strchr(instance->name, '.'))
                continue; /* no network's layer */
            const ht_problem *layer = catalogue_layer(catalogues, instance->name);
            cr_assert_not_null(layer, "%s: no layer %s", files.gl_pathv[i], instance->name);
            expect_same_layer(instance, layer, files.gl_pathv[i]);
            ++compared;
        }
        ht_problem_file_free(file);
    }
    cr_expect_gt(compared, 0);
    globfree(&files);
    for (int c = 0; c < 2; ++c)
        ht_problem_file_free(catalogues[c]);
}
