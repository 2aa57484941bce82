/* The compiler's messages and numbers: no NVRTC is needed. */
#include "runtime/nvidia/diagnostics.h"
#include "runtime/nvidia/ptxas.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char log_text[] =
    "unit.hip(3): warning #177-D: variable \"d\" was declared but never referenced\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'plain' for 'sm_90'\n"
    "ptxas info    : Function properties for plain\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 10 registers, used 0 barriers\n"
    "ptxas info    : Compile time = 7.087 ms\n"
    "ptxas info    : Compiling entry function '_Z1kILi3EEvPf' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z1kILi3EEvPf\n"
    "ptxas         .     400 bytes stack frame, 24 bytes spill stores, 48 bytes spill loads\n"
    "ptxas info    : Used 255 registers, used 1 barriers, 400 bytes cumulative stack size, 1200 "
    "bytes smem\n";

static ht_text image_of(const char *log) {
    ht_text image = {0};
    ht_text_append(&image, "\177ELF, and what a cubin holds");
    ht_ptxas_table_append(log, &image);
    return image;
}

Test(ptxas, numbers_travel_behind_the_image) {
    ht_text image = image_of(log_text);
    ht_ptxas_kernel kernel;
    cr_assert(ht_ptxas_find(image.data, image.length, "_Z1kILi3EEvPf", &kernel));
    cr_expect_eq(kernel.registers, 255);
    cr_expect_eq(kernel.stack, 400);
    cr_expect_eq(kernel.spill_stores, 24);
    cr_expect_eq(kernel.spill_loads, 48);
    cr_expect_eq(kernel.shared, 1200);
    cr_assert(ht_ptxas_find(image.data, image.length, "plain", &kernel));
    cr_expect_eq(kernel.registers, 10);
    cr_expect_eq(kernel.stack, 0);
    cr_expect_eq(kernel.shared, 0);
    cr_expect_not(ht_ptxas_find(image.data, image.length, "lain", &kernel));
    cr_expect_not(ht_ptxas_find(image.data, image.length, "plain2", &kernel));
    cr_expect_not(ht_ptxas_find(image.data, image.length, "", &kernel));
    ht_text_free(&image);
}

/* Parts are cut off or changed: there is an answer, or none, and no access outside. */
Test(ptxas, damaged_images_are_harmless) {
    ht_text image = image_of(log_text);
    ht_ptxas_kernel kernel;
    for (size_t size = 0; size < image.length; size++) {
        char *cut = malloc(size ? size : 1);
        memcpy(cut, image.data, size);
        cr_expect_not(ht_ptxas_find(cut, size, "plain", &kernel));
        free(cut);
    }
    for (size_t i = 0; i < image.length; i++) {
        char kept = image.data[i];
        image.data[i] = 'f';
        ht_ptxas_find(image.data, image.length, "plain", &kernel);
        image.data[i] = kept;
    }
    ht_text_free(&image);
    ht_text none = image_of("unit.hip(1): error: no\n");
    cr_expect_not(ht_ptxas_find(none.data, none.length, "plain", &kernel));
    ht_text_free(&none);
}

Test(ptxas, the_rest_of_the_log_stays) {
    ht_text rest = {0};
    ht_ptxas_log_strip(log_text, &rest);
    cr_expect_str_eq(rest.data,
                     "unit.hip(3): warning #177-D: variable \"d\" was declared but never "
                     "referenced\n");
    ht_text_free(&rest);
}

static void expect_message(const char *given, const char *wanted) {
    ht_text out = {0};
    ht_nvidia_diagnostics_append(given, &out);
    cr_expect_str_eq(out.data, wanted);
    ht_text_free(&out);
}

Test(diagnostics, have_the_usual_form) {
    expect_message("a (1).hip(12): error: identifier \"foo\" is undefined\n",
                   "a (1).hip:12: error: identifier \"foo\" is undefined\n");
    expect_message("u.hip(4): catastrophic error: could not open source file \"vector\" (no "
                   "directories in search list)\n",
                   "u.hip:4: catastrophic error: could not open source file \"vector\" (no "
                   "directories in search list) [hiptemper's device prelude for nvidia does not "
                   "supply it: docs/prelude.md]\n");
    expect_message("u.hip(4): error: identifier \"__builtin_amdgcn_rcpf\" is undefined",
                   "u.hip:4: error: identifier \"__builtin_amdgcn_rcpf\" is undefined [hiptemper's "
                   "device prelude for nvidia does not supply it: docs/prelude.md]\n");
    expect_message("ptxas error   : Entry function 'k' uses too much shared data (0x1 bytes)\n",
                   "ptxas error: Entry function 'k' uses too much shared data (0x1 bytes)\n");
    expect_message("  f(12): 3\n(3): x\nf(): x\n", "  f:12: 3\n(3): x\nf(): x\n");
}
