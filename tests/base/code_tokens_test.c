/* Code as its tokens: which changes of a text count, and which do not. */
#include "base/code_tokens.h"

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

/* No text has it read past its end: the sanitizers' builds look. */
Test(code_tokens, unfinished_texts_end) {
    static const char *const texts[] = {"/*",     "\"",   "'",    "R\"",  "R\"a",
                                        "R\"a(",  "\\",   "#",    "#a\\", "1e+",
                                        "u8R\"(", "//\\", "\\\r", "/",    "#define A /*"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char *copy = strdup(texts[i]); /* of its own size */
        ht_text out = {0};
        ht_code_tokens(copy, &out);
        cr_expect_leq(out.length, 2 * strlen(copy) + 2);
        ht_text_free(&out);
        free(copy);
    }
}
