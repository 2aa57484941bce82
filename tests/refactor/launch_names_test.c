/* Launches with names whose declarations are not there. */
#include "tree_support.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/rewrite/apply.h"
#include "refactor/source/launch_names.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(launch_names, .init = tree_folder_make, .fini = tree_folder_remove);

#define KERNEL                                                                                     \
    "__global__ void k(float *in, float *out, int n) {\n"                                          \
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];\n}\n"

static ht_launch_names names_of(const char *name, bool is_field) {
    ht_launch_names names = {ht_alloc(1, sizeof *names.items), 1};
    names.items[0] = (ht_lost_name){ht_strdup(name), is_field};
    return names;
}

/* Only such a name in a launch is written as a call, and comes back as it was. */
Test(launch_names, names_are_written_and_restored) {
    static const struct {
        const char *before;
        bool is_field, changes;
    } cases[] = {{"k<<<b, 256>>>(b, b.data());", false, true},
                 {"k<<<1, 256>>>(a->b.data());", true, true},
                 {"k<<<1, 256>>>(a->b.data());", false, false},
                 {"k<<<1, 256>>>(b(1), b::c, d::b, \"b\");", true, false},
                 {"b = 1; k<<<1, 256>>>(c); f(b);", true, false},
                 {"f(b << 3, b);", true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_launch_names names = names_of("b", cases[i].is_field);
        char *text = ht_launch_names_write(ht_strdup(cases[i].before), &names);
        cr_expect_eq(strcmp(text, cases[i].before) != 0, cases[i].changes, "%s", text);
        char *again = ht_launch_names_write(ht_strdup(text), &names);
        cr_expect_str_eq(again, text);
        text = ht_launch_names_restore(text, &names);
        cr_expect_str_eq(text, cases[i].before);
        free(again);
        free(text);
        ht_launch_names_free(&names);
    }
}

/* A class of a library that is not there, a variable of one, and a constant: clang drops each
 * launch as a whole. The tuned source has its author's names. */
Test(launch_names, launches_with_names_that_are_not_there_are_read) {
    static const char *const hosts[] = {
        "struct L {\n  lib::array<float> a;\n  void run(float *out, int n) {\n"
        "    k<<<(n + 255) / 256, 256>>>(a.data(), out, n);\n  }\n};\n",
        "template <typename T> struct L {\n  Unknown a;\n  void run(float *out, int n);\n};\n"
        "template <typename T> void L<T>::run(float *out, int n) {\n"
        "  k<<<(n + 255) / 256, 256>>>(a.data(), out, n);\n}\n",
        "void run(float *out, int n) {\n  lib::array<float> a(n);\n"
        "  k<<<(n + 255) / 256, 256>>>(a.data(), out, n);\n}\n",
        "void run(float *in, float *out, int n) {\n"
        "  k<<<(n + 255) / 256, 256>>>(in + FIRST, out, n);\n}\n"};
    static const char *const argument[] = {"(a.data(), out, n)", "(a.data(), out, n)",
                                           "(a.data(), out, n)", "(in + FIRST, out, n)"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        char *text = ht_format("#include <lib.h>\n" KERNEL "%s", hosts[i]);
        char *path = tree_put("k.cu", text), *tuned = NULL;
        ht_refactor *refactor = tree_read(path, NULL, NULL);
        ht_refactor_choice choice = {0};
        const ht_kernel *kernel = kernel_named(refactor, "k", &choice.kernel);
        ht_error error = {0};
        cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", hosts[i], kernel->reason);
        cr_assert_eq(ht_config_parse(kernel->template, "BLOCK_X=64", &choice.config, &error),
                     HT_OK);
        cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &tuned, &error), HT_OK, "%s",
                     error.message);
        cr_expect(strstr(tuned, "k<<<(n + 63) / 64, 64>>>"), "%s", tuned);
        cr_expect(strstr(tuned, argument[i]), "%s", tuned);
        free(tuned);
        ht_refactor_free(refactor);
        free(path);
        free(text);
    }
}

/* A name that means something in another launch stays what it is there; the launch that does not
 * know it is not read. */
Test(launch_names, names_of_launches_that_are_read_stay) {
    char *path = tree_put("k.cu", "#include <lib.h>\n" KERNEL
                                  "__global__ void other(float *in, float *out) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "  out[i] = in[i];\n}\n"
                                  "struct L {\n  lib::array<float> n;\n  void run(float *a) {\n"
                                  "    other<<<4, 128>>>(n.data(), a);\n  }\n};\n"
                                  "void run(float *in, float *out, int n) {\n"
                                  "  k<<<(n + 255) / 256, 256>>>(in, out, n);\n}\n");
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_expect_not(strstr(kernel->template->unit, "hiptemper_not"), "%s", kernel->template->unit);
    kernel = kernel_named(refactor, "other", NULL);
    cr_expect_neq(kernel->status, HT_KERNEL_TEMPLATED);
    ht_refactor_free(refactor);
    free(path);
}

/* A block that is not known is not made up. */
Test(launch_names, a_block_that_is_not_there_is_not_made_up) {
    char *path =
        tree_put("k.cu", "#include <lib.h>\n" KERNEL "void run(float *in, float *out, int n) {\n"
                         "  k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);\n}\n");
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_eq(kernel->status, HT_KERNEL_NEEDS_PROBLEM, "%s", kernel->reason);
    ht_refactor_free(refactor);
    free(path);
}
