/* A change of a text, taken over to the text with other comments. */
#include "base/code_rebase.h"
#include "base/code_tokens.h"
#include "base/memory.h"
#include "base/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char older[] = "#include <a.h>\n"
                            "\n"
                            "void g();\n"
                            "\n"
                            "__global__ void k(int *a) {\n"
                            "    a[0] = 1;\n"
                            "}\n";
static const char changed[] = "#include <a.h>\n"
                              "\n"
                              "void g();\n"
                              "\n"
                              "constexpr int n = 2;\n"
                              "\n"
                              "// Tuned.\n"
                              "__global__ void k(int *a) {\n"
                              "    for (int i = 0; i < n; ++i)\n"
                              "        a[i] = 1;\n"
                              "}\n";

/* Returns the change on the newer text; free(). */
static char *taken_over(const char *from, const char *to, const char *newer) {
    ht_code_rebase *rebase = ht_code_rebase_open(from, newer);
    cr_assert(rebase);
    char *made = ht_code_rebase_apply(rebase, to);
    ht_code_rebase_free(rebase);
    return made;
}

static void expect(const char *newer, const char *wanted) {
    char *made = taken_over(older, changed, newer);
    cr_assert(made, "%s", newer);
    cr_expect_str_eq(made, wanted, "%s", made);
    free(made);
}

Test(code_rebase, comments_and_layout_of_what_was_not_changed_are_the_newer_texts) {
    expect("// First.\n#include <a.h> // a\n\n\n/* g */\nvoid\ng();\n\n"
           "__global__ void k(int *a) {\n    a[0] = 1;\n} // end\n",
           "// First.\n#include <a.h> // a\n\n\n/* g */\nvoid\ng();\n\nconstexpr int n = 2;\n\n"
           "// Tuned.\n__global__ void k(int *a) {\n    for (int i = 0; i < n; ++i)\n"
           "        a[i] = 1;\n} // end\n");
    expect("#include <a.h>\n\nvoid g();\n\n// k sets one.\n"
           "__global__ void k(int *a) {\n    a[0] = 1;\n}\n",
           "#include <a.h>\n\nvoid g();\n\n// k sets one.\nconstexpr int n = 2;\n\n// Tuned.\n"
           "__global__ void k(int *a) {\n    for (int i = 0; i < n; ++i)\n        a[i] = 1;\n}\n");
}

/* Two kernels alike, and as they are tuned: more brackets close at their ends. */
#define HEAD(name) "__global__ void " name "(float *d, const float *s, int w, int h) {\n"
#define SUM                                                                                        \
    "        float v = 0;\n"                                                                       \
    "        for (int k = 0; k < 4; ++k) {\n"                                                      \
    "            int i = min(x + k, w - 1);\n"
#define PLAIN(name, index)                                                                         \
    HEAD(name)                                                                                     \
    "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n\n"                                       \
    "    if (x < w && y < h) {\n" SUM "            v += s[" index "];\n"                           \
    "        }\n        d[y * w + x] = v;\n    }\n}\n"
#define TUNED(name, index)                                                                         \
    "constexpr int n_" name " = 2;\n\n// Tuned.\n" HEAD(                                           \
        name) "    const int x_first = (blockIdx.x * blockDim.x + threadIdx.x) * n_" name ";\n"    \
              "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n\n"                             \
              "    if (x_first < w && y < h) {\n"                                                  \
              "        const bool all = w - x_first >= n_" name ";\n"                              \
              "        float v[n_" name "] = {};\n"                                                \
              "        for (int k = 0; k < 4; ++k) {\n"                                            \
              "            for (int t = 0; t < n_" name "; ++t) {\n"                               \
              "                const int x = all ? x_first + t : min(x_first + t, w - 1);\n"       \
              "                int i = min(x + k, w - 1);\n"                                       \
              "                v[t] += s[" index "];\n            }\n        }\n"                  \
              "        for (int t = 0; t < n_" name "; ++t)\n"                                     \
              "            if (all || x_first + t < w) {\n"                                        \
              "                d[y * w + x_first + t] = v[t];\n            }\n    }\n}\n"

Test(code_rebase, of_kernels_alike_each_keeps_its_comment) {
    char *made = taken_over(
        PLAIN("rows", "y * w + i") "\n" PLAIN("columns", "i * w + x"),
        TUNED("rows", "y * w + i") "\n" TUNED("columns", "i * w + x"),
        "// First.\n" PLAIN("rows", "y * w + i") "\n// Second.\n" PLAIN("columns", "i * w + x"));
    cr_assert(made);
    cr_expect(strstr(made, "// First.\nconstexpr int n_rows"), "%s", made);
    cr_expect(strstr(made, "// Second.\nconstexpr int n_columns"), "%s", made);
    free(made);
}

Test(code_rebase, a_line_that_is_printed_moves_with_its_text) {
    static const char was[] = "void f(int a) {\n    if (a) fprintf(stderr, \"%d\", __LINE__);\n}\n"
                              "int n = 1;\n";
    static const char tuned[] =
        "void f(int a) {\n    if (a) fprintf(stderr, \"%d\", __LINE__);\n}\n"
        "int n = 2;\n";
    char *now = ht_format("// First.\n%s", was), *wanted = ht_format("// First.\n%s", tuned);
    char *made = taken_over(was, tuned, now);
    cr_assert(made);
    cr_expect_str_eq(made, wanted);
    free(made);
    free(wanted);
    free(now);
}

Test(code_rebase, a_comment_within_what_was_changed_is_not_lost_but_refused) {
    char *made = taken_over(older, changed,
                            "#include <a.h>\n\nvoid g();\n\n__global__ void k(int *a) {\n"
                            "    a[/* first */ 0] = 1;\n}\n");
    cr_expect_null(made, "%s", made);
    free(made);
}

Test(code_rebase, texts_of_other_tokens_or_of_places_are_refused) {
    cr_expect_null(ht_code_rebase_open("int a;", "int b;"));
    cr_expect_null(ht_code_rebase_open("int a = __LINE__;", "\nint a = __LINE__;"));
    cr_expect_null(ht_code_rebase_open("", ""));
}

Test(code_rebase, lines_move_with_their_tokens) {
    ht_code_rebase *rebase = ht_code_rebase_open("int a;\n\nint b;\n", "// x\n\n\nint a;\nint\nb;");
    cr_assert(rebase);
    cr_expect_eq(ht_code_rebase_line(rebase, 1), 4);
    cr_expect_eq(ht_code_rebase_line(rebase, 2), 5);
    cr_expect_eq(ht_code_rebase_line(rebase, 3), 5);
    cr_expect_eq(ht_code_rebase_line(rebase, 99), 6);
    ht_code_rebase_free(rebase);
}

static void gap_append(ht_random *random, ht_text *out) {
    static const char *const gaps[] = {" ", "\n", "\n\n", " // c\n", "\n/* d */ ", "\t"};
    ht_text_append(out, gaps[ht_random_below(random, 6)]);
}

/* Puts the tokens down, with gaps at random, and returns the text. */
static char *laid_out(ht_random *random, char *const *tokens, size_t count) {
    ht_text text = {0};
    for (size_t i = 0; i < count; ++i) {
        ht_text_append(&text, tokens[i]);
        gap_append(random, &text);
    }
    return ht_text_take(&text);
}

/* The tokens are those of the change whatever the texts are, and comments of the newer text outside
 * of it are all there. */
Test(code_rebase, tokens_of_random_changes_are_kept) {
    enum { COUNT = 40, ROUNDS = 2000 };
    ht_random random;
    ht_random_seed(&random, 7);
    size_t done = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        static char *const words[] = {"a", "b", "(", ")", "+", ";", "12", "\"s\""};
        char *tokens[COUNT], *other[COUNT];
        for (size_t i = 0; i < COUNT; ++i)
            other[i] = tokens[i] = words[ht_random_below(&random, 8)];
        for (size_t i = 0; i < 3; ++i)
            other[ht_random_below(&random, COUNT)] = words[ht_random_below(&random, 8)];
        char *from = laid_out(&random, tokens, COUNT), *newer = laid_out(&random, tokens, COUNT);
        char *to = laid_out(&random, other, COUNT);
        char *made = taken_over(from, to, round % 2 ? newer : from);
        ht_text first = {0}, second = {0};
        if (made) {
            ht_code_tokens(made, &first);
            ht_code_tokens(to, &second);
            cr_assert_str_eq(first.data, second.data);
            ++done;
        }
        cr_assert(made || round % 2, "nothing but the change differs");
        if (round % 2 == 0)
            cr_assert_str_eq(made, to);
        ht_text_free(&first);
        ht_text_free(&second);
        free(made);
        free(to);
        free(newer);
        free(from);
    }
    cr_expect_geq(done, ROUNDS / 2);
}
