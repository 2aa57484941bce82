/* Slices of annotated files: macros that are parameters of a template. */
#include "support.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The unit that a template's own command line values are given to; NULL: refused, with the reason
 * in *out_reason. */
static char *parameterized(const char *head, const char *body, char **out_reason) {
    char *folder, *unit = NULL;
    ht_error error;
    ht_template *templates;
    size_t count;
    const char *kernel = "k";
    cr_assert_eq(ht_dir_temporary("slice", &folder, &error), HT_OK);
    char *path = ht_path_join(folder, "source.hip");
    char *text = ht_format("#include <hip/hip_runtime.h>\n%s"
                           "#pragma tune kernel(k) problem(v : N) param(B : 32, 64, 128 = 64)\n"
                           "#pragma tune param(WIDE : 0, 1 = 0) block(B) grid(1)\n"
                           "#pragma tune arg(p : out float[problem.N])\n"
                           "__global__ void k(float *p) {\n%s}\n"
                           "int main() { return 0; }\n",
                           head, body);
    cr_assert_eq(ht_file_write(path, text, strlen(text), &error), HT_OK);
    cr_assert_eq(ht_template_parse(text, path, &templates, &count, &error), HT_OK, "%s",
                 error.message);
    ht_status status = ht_slice_file(path, &kernel, 1, &templates[0], NULL, &unit, &error);
    cr_assert((status == HT_OK) == (unit != NULL));
    *out_reason = status == HT_OK ? NULL : ht_strdup(error.message);
    ht_template_free(templates, count);
    ht_dir_remove(folder);
    free(text);
    free(path);
    free(folder);
    return unit;
}

/* The body holds for every value: it has static_asserts on what B and WIDE have become. */
static void takes_values(const char *head, const char *body) {
    char *reason, *output, *unit = parameterized(head, body, &reason);
    cr_assert_not_null(unit, "%s", reason);
    static const char *const macros[] = {
        "#define B 32\n#define WIDE 0\n#define GIVEN_B 32\n#define GIVEN_WIDE 0\n",
        "#define B 128\n#define WIDE 1\n#define GIVEN_B 128\n#define GIVEN_WIDE 1\n"};
    for (size_t i = 0; i < sizeof macros / sizeof *macros; ++i) {
        char *all = ht_format("%s%s", macros[i], unit);
        cr_expect(clang_parses(all, &output), "%s\n%s", output, all);
        free(output);
        free(all);
    }
    cr_expect_not(strstr(unit, "main"), "%s", unit);
    free(unit);
}

#define GUARDS "#ifndef B\n#define B 64\n#endif\n#ifndef WIDE\n#define WIDE 0\n#endif\n"

Test(slice_params, a_parameter_s_default_gives_way_to_the_command_line) {
    takes_values(GUARDS, "static_assert(B == GIVEN_B && WIDE == GIVEN_WIDE, \"\");\n");
    takes_values("#define B 64\n#define WIDE 0\n",
                 "static_assert(B == GIVEN_B && WIDE == GIVEN_WIDE, \"\");\n");
    takes_values("#define WIDE 0\n#undef B\n#define B 32\n#undef B\n#define B 64\n",
                 "static_assert(B == GIVEN_B, \"\");\n");
}

Test(slice_params, macros_that_a_parameter_decides_are_decided_where_the_unit_is_compiled) {
    takes_values(GUARDS "#define SUM (B + 1)\n#if WIDE\n#define LANES 4\n#else\n"
                        "#define LANES 1\n#endif\n#if LANES > 2\n#define MANY 1\n#endif\n",
                 "static_assert(LANES == (GIVEN_WIDE ? 4 : 1) && SUM == GIVEN_B + 1, \"\");\n"
                 "#ifdef MANY\nstatic_assert(GIVEN_WIDE, \"\");\n#else\n"
                 "static_assert(!GIVEN_WIDE, \"\");\n#endif\n");
}

/* Clang reads the file with one value: what the other takes is known by its name only. */
Test(slice_params, functions_that_another_value_takes_are_in_the_unit) {
    takes_values(GUARDS "__device__ float wide(float x) { return x; }\n"
                        "constexpr int lanes() { return 4; }\n"
                        "__device__ float narrow(float x) { return x; }\n"
                        "#if WIDE\n#define LOAD(x) wide(x)\n#else\n#define LOAD(x) narrow(x)\n"
                        "#endif\n",
                 "#if WIDE\np[lanes()] = 1;\n#endif\np[0] = LOAD(1);\n");
}

Test(slice_params, declarations_that_a_parameter_decides_are_refused_with_their_line) {
    char *reason,
        *unit = parameterized(GUARDS "#if WIDE\n__device__ int wide() { return 1; }\n#endif\n",
                              "p[0] = 1;\n", &reason);
    cr_assert_null(unit);
    cr_expect(strstr(reason, "source.hip:8: ") && strstr(reason, "depends on 'WIDE'") &&
                  strstr(reason, "#pragma tune unit"),
              "%s", reason);
    free(reason);
    unit = parameterized(GUARDS "#if WIDE\n#include \"wide.h\"\n#endif\n", "p[0] = 1;\n", &reason);
    cr_assert_null(unit);
    free(reason);
    /* The host's work with a parameter is not the unit's. */
    unit = parameterized(GUARDS "#if !WIDE\nint host() { return B; }\n#endif\n", "p[0] = B;\n",
                         &reason);
    cr_assert_not_null(unit, "%s", reason);
    cr_expect_not(strstr(unit, "host"));
    free(unit);
}
