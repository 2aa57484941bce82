/* waves-per-eu: an attribute for AMD's compiler, which changes no result. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(waves, the_attribute_changes_no_result) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    cr_expect(applied(&of, "waves-per-eu"));
    expect_equal(&of, "blur",
                 (const char *const[]){"WAVES_PER_EU=1", "WAVES_PER_EU=4 LAUNCH_BOUNDS=true",
                                       "WAVES_PER_EU=8 RESTRICT=true COARSEN_X=2", NULL});
    subject_close(&of);
}

/* clang, not this test, decides whether the attribute stands where it may, and reaches the
 * kernel. */
Test(waves, the_compiler_takes_it) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    expect_pieces(&of, "WAVES_PER_EU=2",
                  (const char *const[]){"#ifdef __AMDGCN__\n"
                                        "__attribute__((amdgpu_waves_per_eu(2)))\n#endif",
                                        NULL});
    char *text = apply_config(&of, "WAVES_PER_EU=2"), *output;
    cr_expect_eq(clang_run(text, "--cuda-device-only -emit-llvm -S -O1", &output), 0, "%s", output);
    cr_expect(strstr(output, "\"amdgpu-waves-per-eu\"=\"2\""), "%s", output);
    free(output);
    free(text);
    subject_close(&of);
}

Test(waves, a_kernel_that_says_it_keeps_it) {
    char *text = ht_strdup(blur_source), *name = strstr(text, "blur(");
    char *other =
        ht_format("%.*s__attribute__((amdgpu_waves_per_eu(4))) %s", (int)(name - text), text, name);
    subject of = subject_open(other, blur_problem, "blur");
    cr_expect_not(applied(&of, "waves-per-eu"));
    cr_expect(remarked(&of, "wavefronts or registers"));
    subject_close(&of);
    free(other);
    free(text);
}
