/* The library's templates and the examples', refactored, for sm_80 and sm_90: every sampled
 * configuration compiles, with its numbers. Through the program, as a user asks. */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 4
}; /* in the deep suite, for either GPU; else one configuration, for one of them */

TestSuite(templates, .init = workplace_make, .fini = workplace_remove, .timeout = 400);
TestSuite(deep_templates, .init = workplace_make, .fini = workplace_remove, .timeout = 400);

static void need_nvrtc(void) {
    program_result result = program_run("devices");
    bool has = strstr(result.out, "nvidia:sm_80") && strstr(result.out, "nvidia:sm_90");
    program_free(&result);
    if (!has)
        cr_skip_test("no NVRTC that compiles for sm_80 and sm_90 (it is in the CUDA toolkit)");
}

static void configuration_check(const char *name, const json_t *configuration) {
    const char *status = json_string_value(json_object_get(configuration, "status"));
    json_t *launch, *launches = json_object_get(configuration, "launches");
    size_t index;
    char *text = json_dumps(configuration, JSON_COMPACT);
    cr_expect_str_eq(status ? status : "", "ok", "%s: %s", name, text);
    json_array_foreach(launches, index, launch) {
        cr_expect_gt(json_integer_value(json_object_get(launch, "vgprs")), 0, "%s: %s", name, text);
        cr_expect_eq(json_integer_value(json_object_get(launch, "max_waves_per_simd")), 16);
    }
    free(text);
}

static void inspect(const char *template, const char *problem, const char *arch, int wanted) {
    char sample[16];
    snprintf(sample, sizeof sample, "%d", wanted);
    const char *words[] = {"inspect", template,   "--problem", problem,  "--arch",
                           arch,      "--sample", sample,      "--json", NULL};
    program_result result = program_run_arguments(words);
    cr_assert_eq(result.code, 0, "%s: %s", template, result.err);
    json_t *document = json_loads(result.out, 0, NULL), *found, *configuration;
    size_t index, inner, count = 0;
    json_array_foreach(json_object_get(document, "templates"), index, found) {
        json_t *configurations = json_object_get(found, "configurations");
        json_array_foreach(configurations, inner, configuration) {
            configuration_check(template, configuration);
            count++;
        }
    }
    cr_expect_gt(count, 0, "%s", template);
    json_decref(document);
    program_free(&result);
}

/* The `index`-th template, for both GPUs or by turns for one of them. */
static void inspect_some(const char *template, const char *problem, int index, bool deep) {
    if (deep || index % 2 == 0)
        inspect(template, problem, "sm_80", deep ? SAMPLE : 1);
    if (deep || index % 2 == 1)
        inspect(template, problem, "sm_90", deep ? SAMPLE : 1);
}

static void inspect_library(bool deep) {
    need_nvrtc();
    inspect_some(HT_SOURCE_DIR "/templates/library/conv2d_direct.hip",
                 "N=2 C=8 H=20 W=21 K=12 R=3 S=3 pad=1", 0, deep);
    inspect_some(HT_SOURCE_DIR "/templates/library/conv2d_implicit_gemm.hip",
                 "N=2 C=8 H=20 W=21 K=12 R=3 S=3 pad=1", 1, deep);
}

static void inspect_examples(bool deep) {
    need_nvrtc();
    program_result result =
        program_run("refactor " HT_SOURCE_DIR "/examples/kernels --no-verify --out templates");
    cr_assert_eq(result.code, 0, "%s", result.err);
    program_free(&result);
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/templates", workplace());
    DIR *listing = opendir(folder);
    cr_assert_not_null(listing);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(listing));) {
        char template[8192], problem[4096];
        if (!strstr(entry->d_name, ".template.hip"))
            continue;
        snprintf(template, sizeof template, "%s/%s", folder, entry->d_name);
        snprintf(problem, sizeof problem, HT_SOURCE_DIR "/examples/kernels/%.*s.problem.json",
                 (int)strcspn(entry->d_name, "."), entry->d_name);
        inspect_some(template, problem, count, deep);
        count++;
    }
    closedir(listing);
    cr_expect_geq(count, 9);
}

Test(templates, of_the_library_compile) {
    inspect_library(false);
}

Test(templates, of_the_examples_compile) {
    inspect_examples(false);
}

Test(deep_templates, of_the_library_compile) {
    inspect_library(true);
}

Test(deep_templates, of_the_examples_compile) {
    inspect_examples(true);
}
