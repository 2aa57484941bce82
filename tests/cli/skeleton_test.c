/* Skeletons of problem files, which are read once what they leave open is filled in. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/input.h"
#include "pipeline/skeleton.h"
#include "refactor/refactor.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Returns a person's answer for a '?' after `before`: a type, a name or a number. */
static const char *answer(const char *before, size_t length) {
    while (length && before[length - 1] == ' ')
        --length;
    bool named = length && before[length - 1] == ':';
    return !named ? "4" : strstr(before, "_sizes :") ? "size" : "int";
}

static json_t *filled_text(const char *text) {
    ht_text out = {0};
    char before = '['; /* the ?: operator has an operand in front */
    const char *record = strstr(text, "struct ?");
    ht_text_append(&out, "");
    for (size_t i = 0; text[i]; before = text[i] == ' ' ? before : text[i], ++i) {
        if (record && text + i == record + strlen("struct "))
            ht_text_append(&out, "Record");
        else if (text[i] == '?' && strchr("[=(,:", before))
            ht_text_append(&out, answer(text, i));
        else
            ht_text_append_n(&out, text + i, 1);
    }
    json_t *value = json_string(out.data);
    ht_text_free(&out);
    return value;
}

/* The same document, filled in. Fields are numbers; a name that is open is `size`. */
static json_t *filled(const json_t *value, bool numbers) {
    const char *key;
    json_t *item, *copy;
    size_t index;
    if (json_is_object(value)) {
        copy = json_object();
        json_object_foreach((json_t *)value, key, item) {
            const char *name = strcmp(key, "?") == 0 ? "size" : key;
            json_object_set_new(copy, name, filled(item, numbers || strcmp(key, "fields") == 0));
        }
        return copy;
    }
    if (json_is_array(value)) {
        copy = json_array();
        json_array_foreach(value, index, item) {
            json_array_append_new(copy, filled(item, numbers));
        }
        return copy;
    }
    if (!json_is_string(value))
        return json_deep_copy(value);
    return numbers ? json_integer(4) : filled_text(json_string_value(value));
}

/* The skeleton as it is read once it is filled in. */
static ht_problem_file *file_of(const char *skeleton, const char *path) {
    json_t *document = json_loads(skeleton, 0, NULL);
    cr_assert_not_null(document, "%s: %s", path, skeleton);
    json_t *whole = filled(document, false);
    char *text = json_dumps(whole, 0);
    ht_problem_file *file = NULL;
    ht_error error;
    cr_assert_eq(ht_problem_file_parse(text, path, &file, &error), HT_OK, "%s: %s\n%s", path,
                 error.message, text);
    free(text);
    json_decref(whole);
    json_decref(document);
    return file;
}

static size_t seen;

static int annotated_check(const char *path, const struct stat *status, int kind, struct FTW *at) {
    (void)status, (void)at;
    const char *end = strrchr(path, '.');
    ht_template *templates = NULL;
    size_t count = 0;
    ht_error error;
    if (kind != FTW_F || !end || strcmp(end, ".hip") != 0 ||
        ht_template_load(path, &templates, &count, &error) != HT_OK)
        return 0; /* some sources are there for their mistakes */
    for (size_t i = 0; i < count; ++i) {
        if (!templates[i].problem.name)
            continue;
        char *skeleton = ht_skeleton_sizes(&templates[i]);
        ht_problems problems = {.file = file_of(skeleton, path)};
        ht_problem *instances = NULL;
        size_t instance_count = 0;
        cr_expect_eq(
            ht_instances_find(&problems, &templates[i], &instances, &instance_count, &error), HT_OK,
            "%s: %s\n%s", path, error.message, skeleton);
        cr_expect_eq(instance_count, 1);
        ht_instances_free(instances, instance_count);
        ht_problem_file *file = NULL;
        bool open = strstr(skeleton, "\"?\"") != NULL;
        cr_expect_eq(ht_problem_file_parse(skeleton, path, &file, &error) != HT_OK, open,
                     "%s: sizes that were not filled in are used\n%s", path, skeleton);
        cr_expect(!open || strstr(error.message, "fill in"), "%s", error.message);
        ht_problem_file_free(file);
        ht_problems_close(&problems);
        free(skeleton);
        ++seen;
    }
    ht_template_free(templates, count);
    return 0;
}

Test(skeleton, those_of_annotated_kernels_are_read_back_and_used) {
    static const char *const folders[] = {"tests", "examples", "templates/library"};
    seen = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
        char *folder = ht_path_join(HT_SOURCE_DIR, folders[i]);
        cr_assert_eq(nftw(folder, annotated_check, 16, FTW_PHYS), 0, "%s", folder);
        free(folder);
    }
    cr_expect_geq(seen, 20);
}

/* Sources with kernels of which something is not known. */
Test(skeleton, those_of_kernels_without_a_problem_are_read_back) {
    static const char *const sources[] = {"tests/refactor/sources/flat_depthwise.hip",
                                          "tests/refactor/sources/line_family.hip",
                                          "tests/refactor/tiled/shapes/planes.hip"};
    seen = 0;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        char *path = ht_path_join(HT_SOURCE_DIR, sources[i]);
        ht_refactor *refactor = NULL;
        ht_error error;
        cr_assert_eq(ht_refactor_file(path, NULL, NULL, &refactor, &error), HT_OK, "%s",
                     error.message);
        for (size_t k = 0; k < ht_refactor_kernel_count(refactor); ++k) {
            const ht_kernel *kernel = ht_refactor_kernel(refactor, k);
            if (kernel->skeleton && ++seen)
                ht_problem_file_free(file_of(kernel->skeleton, path));
        }
        ht_refactor_free(refactor);
        free(path);
    }
    cr_expect_geq(seen, sizeof sources / sizeof *sources);
}

/* Nothing is known of it: neither sizes nor their names. */
Test(skeleton, sizes_that_nothing_is_known_of_are_filled_in_by_name) {
    char *folder;
    ht_error error;
    cr_assert_eq(ht_dir_temporary("skeleton", &folder, &error), HT_OK);
    char *path = ht_path_join(folder, "k.hip");
    static const char text[] = "#include <hip/hip_runtime.h>\n"
                               "__global__ void k(float *p) { p[threadIdx.x] *= 2; }\n";
    cr_assert_eq(ht_file_write(path, text, strlen(text), &error), HT_OK);
    ht_refactor *refactor = NULL;
    cr_assert_eq(ht_refactor_file(path, NULL, NULL, &refactor, &error), HT_OK);
    const ht_kernel *kernel = ht_refactor_kernel(refactor, 0);
    cr_assert_not_null(kernel->skeleton);
    ht_problem_file *file = file_of(kernel->skeleton, path);
    cr_expect_eq(file->entries[0].spec.field_count, 1);
    cr_expect_str_eq(file->entries[0].instances[0].values[0].name, "size");
    ht_problem_file_free(file);
    ht_refactor_free(refactor);
    ht_dir_remove(folder);
    free(path);
    free(folder);
}

Test(skeleton, kernels_of_one_name_have_one_entry) {
    const char *texts[] = {
        "{\"format\":\"hiptemper-problem\",\"version\":1,\"kernels\":[{\"kernel\":\"a\"}]}",
        "{\"format\":\"hiptemper-problem\",\"version\":1,\"kernels\":[{\"kernel\":\"a\"}]}"};
    char *merged = ht_skeleton_merge(texts, 2);
    json_t *document = json_loads(merged, 0, NULL);
    cr_assert_eq(json_array_size(json_object_get(document, "kernels")), 1);
    json_decref(document);
    free(merged);
}
