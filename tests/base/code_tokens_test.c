/* Code as its tokens: which changes of a text count, and which do not. */
#include "base/code_tokens.h"

#include "base/code_printed.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b) {
    ht_text first = {0}, second = {0};
    ht_code_tokens(a, &first);
    ht_code_tokens(b, &second);
    bool equal = strcmp(first.data, second.data) == 0;
    ht_text_free(&first);
    ht_text_free(&second);
    return equal;
}

Test(code_tokens, comments_layout_and_places_do_not_count) {
    cr_expect(same("int a=b+c;", "int a = b\n\t+ c ; // sum"));
    cr_expect(same("f(x)/* no\n#if 1\n */{}", "f ( x ) { }"));
    cr_expect(same("#line 3 \"/a/b.hip\"\nint a;", "# 17 \"c.hip\" 1\nint a;"));
    cr_expect(same("#define N  4  // four\nN", "#define N 4\n\nN"));
    cr_expect(same("  #  define N 4\nN", "#define N 4\nN"));
    cr_expect(same("#pragma unroll 4\nfor", "  #pragma unroll /* x */ 4\nfor"));
    cr_expect(same("a \\\n + b", "a + b"));
    cr_expect(same("", " // nothing"));
}

Test(code_tokens, tokens_count_to_the_letter) {
    cr_expect(!same("int a;", "int b;"));
    cr_expect(!same("ab", "a b"));
    cr_expect(!same("a\\\nb", "a b"));
    cr_expect(!same("a++ + b", "a + ++b"));
    cr_expect(!same("x<:1:>", "x< :1: >"));
    cr_expect(!same("\"a  b\"", "\"a b\""));
    cr_expect(!same("\"// a\"", "\"// b\""));
    cr_expect(!same("R\"(a // b\n)\"", "R\"(a // c\n)\""));
    cr_expect(!same("'\\''", "'\"'"));
    cr_expect(!same("\"a\"_s", "\"a\" _s"));
    cr_expect(!same("1'000", "1000"));
    cr_expect(!same("1e+3", "1e + 3"));
    cr_expect(!same("#define F(x) x\n", "#define F (x) x\n"));
    cr_expect(!same("#define A x\\\ny\n", "#define A x y\n"));
    cr_expect(!same("#if A\nb\n#endif", "#if B\nb\n#endif"));
    cr_expect(!same("a\n#define b\nc", "a #define b c"));
}

Test(code_tokens, code_that_uses_its_own_place_counts_with_it) {
    cr_expect(!same("#line 3\nint a = __LINE__;", "#line 4\nint a = __LINE__;"));
    cr_expect(!same("f(__FILE__); // a", "f(__FILE__);"));
}

static bool same_printed(const char *a, const char *b) {
    ht_text first = {0}, second = {0};
    ht_code_tokens_printed(a, &first);
    ht_code_tokens_printed(b, &second);
    bool same = strcmp(first.data, second.data) == 0;
    ht_text_free(&first);
    ht_text_free(&second);
    return same;
}

/* The first are texts that a comment above them does not change: a place goes into a message of the
 * host and nowhere else. The second use it, or may. */
Test(code_tokens, places_that_are_only_printed_by_the_host_are_tokens) {
    static const char macro[] =
        "#define CHECK(call) do { if (call) { std::fprintf(stderr, \"%s:%d\\n\", __FILE__, \\\n"
        "    __LINE__); exit(1); } } while (0)\n";
    static const char *const printed[] = {
        macro,
        "void f() { fprintf(stdout, \"%d\", __LINE__); }",
        "void f() { if (g(1)) ::fprintf(stderr, \"%d%d\", h(2), __LINE__); }",
        "void f() { ; std::cerr << __FILE__ << \":\" << __LINE__ << g(1, 2) << std::endl; }",
        "void f() { if (g()) std::cout << \"a\" << __LINE__; }",
        "// __LINE__\nint a; const char *b = \"__FILE__\";"};
    static const char *const used[] = {
        "int a = __LINE__;",
        "void f() { printf(\"%d\", __LINE__); }",                /* a kernel may have it */
        "int f() { return fprintf(stderr, \"%d\", __LINE__); }", /* how much was printed */
        "void f() { int n = (int)fprintf(stderr, \"%d\", __LINE__); }",
        "void f() { fprintf(file, \"%d\", __LINE__); }",
        "void f() { fprintf(stderr, \"%d\", __LINE__ + 1); }",
        "void f() { fprintf(stderr, \"%d\", n = __LINE__); }",
        "void f() { fprintf(stderr, \"%d\", g(1, __LINE__)); }",
        "#define LOG fprintf(stderr, \"%d\", __LINE__)\n",
        "#define PLACE __FILE__, __LINE__\n",
        "void f() { std::cerr << (1 << __LINE__); }",
        "void f() { std::cerr << a, b << __LINE__; }",
        "void f() { x = b << __LINE__; }",
        "void f() { ; my::cerr << __LINE__; }",
        "void f() { fprintf(stderr, \"%d\", __LINE__); g(__COUNTER__); }",
        "template <int N = __LINE__> void f() { fprintf(stderr, \"%d\", __LINE__); }"};
    for (size_t i = 0; i < sizeof printed / sizeof *printed; ++i) {
        char *moved = ht_format("// a comment\n\n%s", printed[i]);
        cr_expect(same_printed(printed[i], moved), "%s", printed[i]);
        cr_expect(!strstr(printed[i], "fprintf") || !same(printed[i], moved),
                  "a key of what was measured takes it all: %s", printed[i]);
        free(moved);
    }
    for (size_t i = 0; i < sizeof used / sizeof *used; ++i) {
        char *moved = ht_format("// a comment\n\n%s", used[i]);
        cr_expect(!same_printed(used[i], moved), "%s", used[i]);
        free(moved);
    }
}

Test(code_tokens, code_that_may_give_printing_another_meaning_is_found) {
    static const char *const plain[] = {
        "void f() { fprintf(stderr, \"a\"); }",
        "void f() { std::cerr << 1; if (a) fprintf(stdout, \"\"); }",
        "#define LOG(x) std::fprintf(stderr, x)\n", "int a;"};
    static const char *const other[] = {"#define fprintf(...) g(__VA_ARGS__)\n",
                                        "#define stderr file\n",
                                        "int fprintf(FILE *, const char *, ...);",
                                        "FILE *stdout;",
                                        "using my::fprintf;",
                                        "namespace my { std::ostream &cerr = file; }",
                                        "#define std my\n"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i)
        cr_expect(!ht_code_redefines_printing(plain[i]), "%s", plain[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; ++i)
        cr_expect(ht_code_redefines_printing(other[i]), "%s", other[i]);
}

/* No text has it read past its end: the sanitizers' builds look. */
Test(code_tokens, unfinished_texts_end) {
    static const char *const texts[] = {"/*",     "\"",   "'",    "R\"",  "R\"a",
                                        "R\"a(",  "\\",   "#",    "#a\\", "1e+",
                                        "u8R\"(", "//\\", "\\\r", "/",    "#define A /*"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char *copy = strdup(texts[i]); /* of its own size */
        ht_text out = {0};
        ht_code_tokens(copy, &out);
        (void)ht_code_prints_places(copy);
        (void)ht_code_redefines_printing(copy);
        cr_expect_leq(out.length, 2 * strlen(copy) + 2);
        ht_text_free(&out);
        free(copy);
    }
}
