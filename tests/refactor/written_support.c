#include "written_support.h"
#include "refactor/rewrite/apply.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

char *apply_to(const ht_refactor *refactor, const char *config) {
    ht_refactor_choice choice = {0};
    ht_error error;
    char *text = NULL, *output;
    const ht_kernel *kernel = ht_refactor_kernel(refactor, 0);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_eq(ht_config_parse(kernel->template, config, &choice.config, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    cr_expect(clang_parses(text, &output), "%s\n%s", output, text);
    free(output);
    return text;
}

char *example(const char *name, const char *config) {
    ht_problem_file *problems;
    char *path = ht_format("examples/kernels/%s.hip", name);
    ht_refactor *refactor = refactor_open(path, &problems);
    char *text = apply_to(refactor, config);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    free(path);
    return text;
}

char *written(const char *source, const char *config) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(source, NULL, &problems);
    char *text = apply_to(refactor, config);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    return text;
}

void expect_part(const char *text, const char *part) {
    cr_expect(strstr(text, part), "'%s' is not in\n%s", part, text);
}

void expect_none(const char *text, const char *part) {
    cr_expect(!strstr(text, part), "'%s' is in\n%s", part, text);
}
