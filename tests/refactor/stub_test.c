/* Headers that stand in for frameworks which are not installed. */
#include "refactor/source/stub.h"
#include "support.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char stub[] =
    "#pragma once\n"
    "namespace fw {\n"
    "template <typename T> struct view {\n"
    "  T *data; int length;\n"
    "  __device__ T &at(int i) const { return data[i]; }\n"
    "};\n"
    "template <typename T> struct array { view<T> device() const; int size() const; };\n"
    "}\n"
    "#define FW_CHECK(x) (void)(x)\n";
static const char source[] =
    "#include <fw/array.h>\n"
    "__global__ void k(fw::view<float> in, fw::view<float> out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out.at(i) = 2.0f * in.at(i);\n}\n"
    "void run(const fw::array<float> &a, const fw::array<float> &b) {\n"
    "  FW_CHECK(a.size());\n"
    "  k<<<(a.size() + 255) / 256, 256>>>(a.device(), b.device(), a.size());\n}\n";

/* Writes a file of this text, and returns its path; free(). */
static char *put(const char *folder, const char *name, const char *text) {
    char *path = ht_path_join(folder, name);
    cr_assert_eq(ht_file_write(path, text, strlen(text), NULL), HT_OK);
    return path;
}

/* The kernel may use the stub's types, and its template has their definitions. The elements of each
 * structure's buffer are a number of their own, although their fields have one name. */
Test(stub, a_kernel_that_uses_the_types_of_a_stub_has_a_template_with_them) {
    char *folder;
    cr_assert_eq(ht_dir_temporary("stub", &folder, NULL), HT_OK);
    char *header = put(folder, "fw.h", stub), *path = put(folder, "k.hip", source);
    const char *arguments[] = {"-include", header};
    ht_refactor_options options = {.arguments = arguments, .argument_count = 2, .tries = true};
    ht_refactor *refactor;
    ht_error error = {0};
    cr_assert_eq(ht_refactor_file(path, NULL, &options, &refactor, &error), HT_OK, "%s",
                 error.message);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    const char *unit = kernel->template->unit;
    const char *type = strstr(unit, "struct view {");
    cr_expect(type && type < strstr(unit, "void k__original("), "%s", unit);
    cr_expect(strstr(unit, "in_data_elements") && strstr(unit, "out_data_elements"), "%s", unit);
    cr_expect_not(strstr(unit, "struct array"), "%s", unit);
    ht_refactor_free(refactor);
    options.argument_count = 0;
    cr_expect_eq(ht_refactor_file(path, NULL, &options, &refactor, &error), HT_ERROR_INPUT);
    ht_dir_remove(folder);
    free(folder);
    free(header);
    free(path);
}

/* Otherwise each source would have the error, or none would have the stub. */
Test(stub, one_with_an_error_is_refused_with_its_place) {
    char *folder;
    ht_error error = {0};
    const ht_refactor_options options = {0};
    cr_assert_eq(ht_dir_temporary("stub", &folder, NULL), HT_OK);
    char *good = put(folder, "good.h", stub);
    char *bad = put(folder, "bad.h", "#pragma once\nstruct first { missing_t field; };\n");
    char *absent = ht_path_join(folder, "absent.h");
    cr_expect_eq(ht_stub_check(good, &options, &error), HT_OK, "%s", error.message);
    cr_expect_eq(ht_stub_check(bad, &options, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "bad.h:2:16: unknown type name 'missing_t'; --stub is read"),
              "%s", error.message);
    cr_expect_eq(ht_stub_check(absent, &options, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "name a header that is there"), "%s", error.message);
    ht_dir_remove(folder);
    free(folder);
    free(good);
    free(bad);
    free(absent);
}
