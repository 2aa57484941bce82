#include "tests/runtime/standin/support.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *folder;

void standin_use(const char *version) {
    ht_error error = {0};
    char *root = ht_format("%s/rocm%s", HT_STANDIN_ROOT, version);
    cr_assert_eq(ht_dir_temporary("standin", &folder, &error), HT_OK, "%s", error.message);
    setenv("HIPTEMPER_ROCM", root, 1);
    setenv("HT_STANDIN_FOLDER", folder, 1);
    setenv("HIPTEMPER_WORKER", HT_TEST_WORKER, 1);
    free(root);
}

void standin_use_in_workers(const char *version) {
    standin_use(version);
    unsetenv("HT_STANDIN_FOLDER"); /* they write to their job's alone */
}

void standin_end(void) {
    ht_dir_remove(folder);
    free(folder);
    folder = NULL;
}

ht_device standin_device(const char *name) {
    ht_device device;
    ht_error error = {0};
    ht_status status = ht_device_find(name, &device, &error);
    if (status == HT_ERROR_MISSING) {
        standin_end();
        cr_skip_test("no %s: %s", name, error.message);
    }
    cr_assert_eq(status, HT_OK, "%s", error.message);
    return device;
}

void standin_bind(standin_bound *bound, const char *text, const char *problem, const char *device) {
    ht_error error = {0};
    *bound = (standin_bound){.device = standin_device(device)};
    cr_assert_eq(ht_template_parse(text, "unit.hip", &bound->templates, &bound->count, &error),
                 HT_OK, "line %d: %s", error.line, error.message);
    cr_assert_eq(ht_problem_parse(&bound->templates->problem, problem, &bound->problem, &error),
                 HT_OK, "%s", error.message);
    bound->binding = (ht_binding){bound->templates, &bound->problem, &bound->device.fields};
}

void standin_unbind(standin_bound *bound) {
    ht_problem_free(&bound->problem);
    ht_template_free(bound->templates, bound->count);
}
