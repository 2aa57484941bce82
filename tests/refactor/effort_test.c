/* The limit on isl's work for a kernel. */
#include "base/file.h"
#include "refactor/kernel/effort.h"
#include "refactor/refactor.h"
#include "tests/refactor/blur.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *folder;

static void folder_make(void) {
    cr_assert_eq(ht_dir_temporary("effort-test", &folder, NULL), HT_OK);
}

static void folder_remove(void) {
    ht_dir_remove(folder);
    free(folder);
}

TestSuite(effort, .init = folder_make, .fini = folder_remove);

static const char blur[] =
    BLUR_KERNEL "void host(const float *in, float *out, int w, int h) {\n"
                "    blur<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(in, out, w, h);\n"
                "}\n";

static ht_refactor *analyse(uint64_t operations) {
    char *path = ht_path_join(folder, "blur.hip");
    cr_assert_eq(ht_file_write(path, blur, strlen(blur), NULL), HT_OK);
    const ht_refactor_options options = {.limits = {.operations = operations}};
    ht_refactor *refactor;
    ht_error error;
    cr_assert_eq(ht_refactor_file(path, NULL, &options, &refactor, &error), HT_OK, "%s",
                 error.message);
    free(path);
    return refactor;
}

/* Lists the transformations applied, in their order, and those left out. */
static void shape(const ht_refactor *refactor, char *out, size_t size) {
    const ht_kernel *kernel = ht_refactor_kernel(refactor, 0);
    size_t length = (size_t)snprintf(out, size, "%d:", (int)kernel->status);
    for (size_t i = 0; i < kernel->transformation_count && length < size; ++i)
        length += (size_t)snprintf(out + length, size - length, " %s", kernel->transformations[i]);
    for (size_t i = 0; i < kernel->remark_count && length < size; ++i)
        if (kernel->remarks[i].left_out)
            length += (size_t)snprintf(out + length, size - length, " -%s",
                                       kernel->remarks[i].transformation);
}

/* At every limit the kernel keeps what is proved without isl, each transformation is offered or
 * reported as left out, and a second run says the same. */
Test(effort, a_limit_costs_the_transformations_that_need_more_and_the_same_ones_each_time) {
    static const uint64_t limits[] = {1000, 30000, 200000, 0};
    char first[512], second[512];
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        ht_refactor *refactor = analyse(limits[i]);
        cr_assert_eq(
            ht_refactor_kernel(refactor, 0)->status, HT_KERNEL_TEMPLATED, "%llu: %s",
            (unsigned long long)limits[i],
            ht_refactor_kernel(refactor, 0)->reason ? ht_refactor_kernel(refactor, 0)->reason : "");
        shape(refactor, first, sizeof first);
        ht_refactor_free(refactor);
        refactor = analyse(limits[i]);
        shape(refactor, second, sizeof second);
        ht_refactor_free(refactor);
        cr_assert_str_eq(first, second);
        cr_assert(strstr(first, " register-tile"), "%s", first);
        cr_assert_eq(strstr(first, " lds-stage") != NULL, limits[i] == 0, "%s", first);
        cr_assert_eq(strstr(first, " -lds-stage") != NULL, limits[i] != 0, "%s", first);
    }
}

Test(effort, a_kernel_past_the_whole_limit_is_too_complex_and_says_how_to_raise_it) {
    ht_refactor *refactor = analyse(1);
    const ht_kernel *kernel = ht_refactor_kernel(refactor, 0);
    cr_assert_eq(kernel->status, HT_KERNEL_TOO_COMPLEX);
    cr_assert_null(kernel->template);
    cr_assert(strstr(kernel->reason, "--analysis-operations"), "%s", kernel->reason);
    ht_refactor_free(refactor);
}

Test(effort, what_a_part_takes_is_taken_off_the_whole) {
    ht_effort effort;
    ht_effort_init(&effort, 800);
    cr_assert(ht_effort_begin(&effort, 3));
    uint64_t share = ht_effort_left(&effort);
    cr_assert_eq(share, ht_effort_share(&effort));
    ht_effort_spend(&effort, share - 1, false);
    cr_assert_eq(ht_effort_left(&effort), 1);
    cr_assert_not(ht_effort_end(&effort, 3));
    cr_assert(ht_effort_begin(&effort, 3));
    ht_effort_spend(&effort, share, true);
    cr_assert(ht_effort_end(&effort, 3));
    cr_assert_not(ht_effort_begin(&effort, 3), "it is left out");
    cr_assert(ht_effort_any_left_out(&effort));
    cr_assert_not(ht_effort_spent(&effort));
    cr_assert(ht_effort_begin(&effort, 4));
    ht_effort_spend(&effort, 800, false);
    cr_assert(ht_effort_spent(&effort));
    cr_assert_eq(ht_effort_left(&effort), 0);
}
