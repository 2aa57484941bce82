/* Compilers' messages on a unit, in the names of its author. */
#include "runtime/compile/compile_log.h"

#include <criterion/criterion.h>
#include <string.h>

static const ht_asked_name asked[] = {{"k<64, 2>", {"k.hip", 7, 20}},
                                      {"k<64, 2>::inner", {"k.hip", 8, 21}},
                                      {"&taps", {"k.hip", 9, 22}}};
static const ht_asked_names names = {asked, sizeof asked / sizeof *asked};

static void expect_message(const char *log, const char *wanted) {
    ht_error error = {0};
    cr_expect_eq(ht_compile_log_error(log, "nothing", &names, &error), HT_ERROR_COMPILE);
    cr_expect_str_eq(error.message, wanted);
}

Test(compile_log, errors_in_a_name_are_at_the_annotation_that_asks_for_it) {
    expect_message("name expression k<64, 2>:1:7: error: use of undeclared identifier 'M'\n"
                   "    1 | (k<64, 2>)\n      |       ^\n1 error generated.\n",
                   "k.hip:7:20: error: use of undeclared identifier 'M'\n      | k<64, 2>");
    expect_message("name expression k<64, 2>::inner:1:7: error: no member\n",
                   "k.hip:8:21: error: no member\n      | k<64, 2>::inner");
    expect_message("name expressions:4:41: error: use of undeclared identifier 'taps'\n"
                   "extern \"C\" constexpr auto __hiprtc_2 = &taps;\n                 ^\n",
                   "k.hip:9:22: error: use of undeclared identifier 'taps'\n      | taps");
    expect_message("__nv_name_map:2: error: identifier \"taps\" is undefined\n",
                   "k.hip:9:22: error: identifier \"taps\" is undefined\n      | taps");
}

Test(compile_log, errors_in_a_name_that_nobody_asked_for_have_no_name_of_ours) {
    expect_message("name expression other<1>:1:7: error: odd\n",
                   "a kernel's template arguments: error: odd");
}

Test(compile_log, a_kernel_that_no_arguments_fit_is_not_an_initializer) {
    expect_message("name expression k<64, 2>:1:1: error: non-type template parameter 'Name' with "
                   "type 'auto' has incompatible initializer of type '<overloaded function type>'\n"
                   "/tmp/h/prelude/ht_core.h:292:16: note: template parameter is declared here\n"
                   "  292 | template <auto Name> struct ht_entry;\n      |                ^\n",
                   "k.hip:7:20: error: no kernel of this name takes these template arguments, or "
                   "more than one does\n      | k<64, 2>");
}

Test(compile_log, notes_in_the_headers_that_stand_for_hips_are_left_out) {
    expect_message("k.hip:3:5: error: no matching function for call to 'max'\n"
                   "    3 | max(a, \"x\");\n      | ^~~\n"
                   "/tmp/h/prelude/ht_math.h:113:32: note: candidate template ignored\n"
                   "  113 | auto max(A a, B b) {\n      |      ^\n"
                   "k.hip:1:9: note: candidate function\n    1 | int max(int);\n",
                   "k.hip:3:5: error: no matching function for call to 'max'\n"
                   "    3 | max(a, \"x\");\n      | ^~~\n"
                   "k.hip:1:9: note: candidate function\n    1 | int max(int);");
}

/* It has to be shown where nothing else says what is wrong. */
Test(compile_log, an_error_in_these_headers_alone_is_shown_without_their_place) {
    expect_message("/tmp/h/prelude/ht_math.h:9:3: error: odd\n    9 | ht_odd\n",
                   "hip/hip_runtime.h: error: odd");
    expect_message("/tmp/h/prelude/ht_math.h:9:3: error: odd\nk.hip:2:1: error: own\n",
                   "k.hip:2:1: error: own");
}

Test(compile_log, a_header_of_the_author_is_the_authors_whatever_its_name) {
    expect_message("ht_mine.h:3:5: error: own\n    3 | x\n",
                   "ht_mine.h:3:5: error: own\n    3 | x");
    expect_message("src/prelude.h:3:5: error: own\n", "src/prelude.h:3:5: error: own");
}

Test(compile_log, an_open_brace_is_told_where_it_opens) {
    expect_message("/tmp/h/prelude/ht_end.h:4:8: error: expected unqualified-id\n"
                   "name expression k<64, 2>:3:1: error: expected '}'\n"
                   "k.hip:12:55: note: to match this '{'\n   12 | void k() {\n      |          ^\n",
                   "k.hip:12:55: error: this '{' is never closed\n   12 | void k() {\n"
                   "      |          ^");
}

Test(compile_log, types_and_functions_have_the_names_that_the_source_has) {
    expect_message("k.hip:1:1: error: no conversion to 'float4' (aka 'ht_vector<float, 4>')\n",
                   "k.hip:1:1: error: no conversion to 'float4'");
    expect_message("k.hip:1:1: error: no member named 'w' in 'ht_thread_index'\n",
                   "k.hip:1:1: error: no member named 'w' in '__hip_builtin_threadIdx_t'");
    expect_message("ptxas error: Unresolved extern function '_Z9elsewheref'\n",
                   "ptxas error: Unresolved extern function 'elsewhere(float)'");
}
