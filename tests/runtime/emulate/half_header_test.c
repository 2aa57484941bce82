/* The changed header of half precision (half_header.h), on texts of its shape. */
#include "runtime/emulate/half_header.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char older[] = "#include \"hip_fp16_math_fwd.h\"\n"
                            "#include \"hip/amd_detail/host_defines.h\"\n"
                            "struct __half2_raw { unsigned short x; unsigned short y; };\n"
                            "struct __half {\n"
                            "    __device__ __half &operator++();\n"
                            "};\n"
                            "struct __half2 {\n"
                            "    struct { unsigned short x; unsigned short y; };\n"
                            "    __device__ __half2 &operator++();\n"
                            "};\n"
                            "// END STRUCT __HALF2\n"
                            "__device__ __half hsin(__half x);\n";

Test(half_header, members_become_halves_and_operators_are_for_both_sides_and_nothing_else_changes) {
    char *changed = ht_half_header_change(older);
    cr_assert_str_eq(changed, "#include \"hip/amd_detail/hip_fp16_math_fwd.h\"\n"
                              "#include \"hip/amd_detail/host_defines.h\"\n"
                              "struct __half2_raw { unsigned short x; unsigned short y; };\n"
                              "struct __half {\n"
                              "    __HOST_DEVICE__ __half &operator++();\n"
                              "};\n"
                              "struct __half2 {\n"
                              "    struct { __half x; __half y; };\n"
                              "    __HOST_DEVICE__ __half2 &operator++();\n"
                              "};\n"
                              "// END STRUCT __HALF2\n"
                              "__device__ __half hsin(__half x);\n");
    /* A header that has halves needs no change. */
    cr_assert_null(ht_half_header_change(changed));
    free(changed);
}

Test(half_header, a_text_of_another_shape_is_left_alone) {
    cr_assert_null(ht_half_header_change(""));
    cr_assert_null(ht_half_header_change("struct __half2 { unsigned short x; };"));
    cr_assert_null(ht_half_header_change("struct __half {\n};\nstruct __half2 {\n"
                                         "// END STRUCT __HALF2\nunsigned short x;"));
}
