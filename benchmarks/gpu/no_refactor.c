/* This program takes templates only: analysing sources needs libclang, which the bundle leaves out.
 * The functions of refactor/refactor.h that commands call refuse with a remedy. */
#include "refactor/refactor.h"
#include "refactor/rewrite/apply.h"

static ht_status refuse(ht_error *error) {
    return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                        "this program takes templates only (files that say '#pragma tune unit'); "
                        "make one with 'hiptemper refactor' where hiptemper is built");
}

ht_status ht_refactor_file(const char *path, const ht_problem_file *problems,
                           const ht_refactor_options *options, ht_refactor **out_refactor,
                           ht_error *error) {
    (void)path;
    (void)problems;
    (void)options;
    *out_refactor = NULL;
    return refuse(error);
}

void ht_refactor_free(ht_refactor *refactor) {
    (void)refactor;
}

size_t ht_refactor_kernel_count(const ht_refactor *refactor) {
    (void)refactor;
    return 0;
}

const ht_kernel *ht_refactor_kernel(const ht_refactor *refactor, size_t index) {
    (void)refactor;
    (void)index;
    return NULL;
}

ht_status ht_refactor_apply(const ht_refactor *refactor, const ht_refactor_choice *choices,
                            size_t choice_count, char **out_source, ht_error *error) {
    (void)refactor;
    (void)choices;
    (void)choice_count;
    *out_source = NULL;
    return refuse(error);
}

ht_status ht_refactor_apply_all(const ht_refactor *refactor, const ht_refactor_choice *choices,
                                size_t choice_count, ht_applied *out_applied, ht_error *error) {
    (void)refactor;
    (void)choices;
    (void)choice_count;
    *out_applied = (ht_applied){0};
    return refuse(error);
}

void ht_applied_free(ht_applied *applied) {
    (void)applied;
}

ht_status ht_slice_file(const char *path, const char *const *kernels, size_t kernel_count,
                        const ht_template *template, const ht_refactor_options *options,
                        char **out_unit, ht_error *error) {
    (void)path;
    (void)kernels;
    (void)kernel_count;
    (void)template;
    (void)options;
    *out_unit = NULL;
    return refuse(error);
}
