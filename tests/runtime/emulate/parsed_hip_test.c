/* Where HIP's header, parsed once and read ahead of a file, comes to the same. */
#include "runtime/emulate/parsed_hip.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *folder;

static void make_folder(void) {
    cr_assert_eq(ht_dir_temporary("test", &folder, NULL), HT_OK);
}

static void remove_folder(void) {
    ht_dir_remove(folder);
    free(folder);
}

TestSuite(parsed_hip, .init = make_folder, .fini = remove_folder, .timeout = 60);

static char *written(const char *name, const char *text) {
    char *path = ht_path_join(folder, name);
    cr_assert_eq(ht_file_write(path, text, strlen(text), NULL), HT_OK);
    return path;
}

static bool begins(const char *text, bool nested) {
    char *path = written("main.hip", text);
    bool begins = ht_begins_with_hip(path, nested);
    free(path);
    return begins;
}

Test(parsed_hip, stands_where_nothing_of_the_file_comes_before) {
    cr_expect(begins("#include <hip/hip_runtime.h>\n", false));
    cr_expect(begins("/* a */ // b\n\n#  include <hip/hip_runtime.h>\nint x;\n", false));
    cr_expect(begins("#include <vector>\n#include <cstdio>\n#include <hip/hip_runtime.h>", false));
    cr_expect(begins("#pragma once\n#include <hip/hip_runtime.h>\n", false));
    cr_expect(begins("#ifndef A_H\n#define A_H\n#include <hip/hip_runtime.h>\n#endif", false));
}

Test(parsed_hip, does_not_stand_after_what_it_may_depend_on) {
    static const char *const texts[] = {"#define NDEBUG\n#include <hip/hip_runtime.h>\n",
                                        "int x;\n#include <hip/hip_runtime.h>\n",
                                        "#ifdef A\n#include <hip/hip_runtime.h>\n#endif\n",
                                        "#ifndef A\n#include <hip/hip_runtime.h>\n#endif\n",
                                        "#ifndef A\n#define AB\n#include <hip/hip_runtime.h>\n",
                                        "#ifndef A\n#define A 1\n#include <hip/hip_runtime.h>\n",
                                        "#pragma pack(1)\n#include <hip/hip_runtime.h>\n",
                                        "#include <math.h>\n#include <hip/hip_runtime.h>\n",
                                        "#include <hip/hip_fp16.h>\n#include <hip/hip_runtime.h>\n",
                                        "#include \"hip/hip_runtime.h\"\n",
                                        "#include HEADER\n#include <hip/hip_runtime.h>\n",
                                        "/* #include <hip/hip_runtime.h>\n",
                                        "int main() {}\n",
                                        ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        cr_expect_not(begins(texts[i], true), "%s", texts[i]);
}

Test(parsed_hip, may_be_included_by_a_header_next_to_the_file) {
    free(written("own.h", "#pragma once\n#include \"inner.h\"\n"));
    free(written("inner.h", "#include <hip/hip_runtime.h>\n"));
    free(written("round.h", "#include \"round.h\"\n"));
    cr_expect(begins("#include \"own.h\"\n", true));
    cr_expect_not(begins("#include \"own.h\"\n", false));
    cr_expect_not(begins("#include \"missing.h\"\n#include <hip/hip_runtime.h>\n", true));
    cr_expect_not(begins("#include \"round.h\"\n", true));
}

Test(parsed_hip, takes_options_that_search_and_include_nothing) {
    static const char *const plain[] = {"-DN=3", "-std=c++20", "-O2", "-Wall", "-g"};
    static const char *const others[] = {"-Iinclude", "-isystem",    "-include",       "-D",
                                         "-Wp,-DN=3", "-fopenmp",    "-gcc-toolchain", "-ObjC++",
                                         "@options",  "-ivfsoverlay"};
    cr_expect(ht_options_are_plain(plain, sizeof plain / sizeof *plain));
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        cr_expect_not(ht_options_are_plain(&others[i], 1), "%s", others[i]);
    setenv("CPATH", "/opt/include", 1);
    cr_expect_not(ht_options_are_plain(plain, 1));
}
