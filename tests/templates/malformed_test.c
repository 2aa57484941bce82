/* Every kind of malformed annotation: one error, at the place marked with '@' in the text. */
#include "support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define T "#pragma tune "
/* A whole kernel, in 8 lines; a case adds its own. */
#define BASE                                                                                       \
    T "kernel(k)\n" T "problem(p : W, H = 2, n := W * H)\n" T "param(A : 1, 2 = 1)\n" T            \
      "param(E : ROWS, COLUMNS = ROWS)\n" T "arg(width : int = problem.W)\n" T                     \
      "arg(alpha : float = 0.5)\n" T "arg(buf : out float[problem.n])\n" T "block(A, 4) grid(1)\n"

typedef struct wrong {
    const char *text;
    const char *words;
} wrong;

static const wrong lines[] = {
    /* the line itself */
    {T "@", "expected a directive, found the end"},
    {T "@blok(1)", "unknown directive 'blok'"},
    {T "@+", "expected a directive, found '+'"},
    {T "param@", "expected '(' after param, found the end"},
    {T "param @A : 1 = 1", "expected '(' after param, found 'A'"},
    {T "param@(Z : 1 = 1", "nothing closes this '('"},
    {T "require@(A > (1)", "nothing closes this '('"},
    {T "require(A) @x", "unknown directive 'x'"},
    {T "unit @unit", "written twice"},
    {T "kernel(@k)", "annotated twice"},
    {T "kernel(@)", "expected a kernel's name, found the end"},
    {T "kernel(@1k)", "expected a kernel's name"},
    {T "kernel(a::@)", "expected a kernel's name"},
    {T "kernel(z @z)", "expected ':' and arguments after z"},
    {T "kernel(z@<A)", "nothing closes this '<'"},
    {T "kernel(z<@>)", "expected a template argument"},
    {T "kernel(@z : buf)", "takes no arguments"},
    /* params */
    {T "param(@)", "expected the parameter's name, found the end"},
    {T "param(@7 : 1 = 1)", "expected the parameter's name"},
    {T "param(Z @1 = 1)", "expected ':'"},
    {T "param(Z :@)", "expected a value of param Z, found nothing"},
    {T "param(Z : 1, @, 2 = 1)", "found nothing"},
    {T "param(Z : 1, 2@)", "has no default"},
    {T "param(Z : 1, 2 =@)", "expected the default"},
    {T "param(Z : 1, 2 = @3)", "not among the values"},
    {T "param(Z : 1, 2 = @x)", "expected an integer, found 'x'"},
    {T "param(Z : 1, 2, @1 = 1)", "the value 1 twice"},
    {T "param(Z : 3, @1..4 = 1)", "the value 3 twice"},
    {T "param(Z : true, @true = true)", "the value true twice"},
    {T "param(Z : type int, @int = int)", "the value int twice"},
    {T "param(Z : @4..1 = 1)", "empty range"},
    {T "param(Z : 1..4:@0 = 1)", "step"},
    {T "param(Z : 1..@ = 1)", "expected an integer, found nothing"},
    {T "param(Z : @..4 = 1)", "expected an integer, found nothing"},
    {T "param(Z : 1..@b = 1)", "expected an integer"},
    {T "param(Z : @1..5000 = 1)", "more than 4096 values"},
    {T "param(Z : @pow2(8, 4) = 8)", "empty range"},
    {T "param(Z : pow2(@3, 8) = 4)", "3 is no power of two"},
    {T "param(Z : pow2(1, @0) = 1)", "0 is no power of two"},
    {T "param(Z : @pow2(4) = 4)", "takes two numbers"},
    {T "param(Z : @pow2(1, 2, 4) = 4)", "takes two numbers"},
    {T "param(Z : pow2(1, 4) @8 = 4)", "expected ',' or '='"},
    {T "param(Z : 1, @true = 1)", "mixes integers and booleans"},
    {T "param(Z : X, @1 = X)", "mixes enumerators and integers"},
    {T "param(Z : @1.5 = 1)", "expected an integer, found '1.5'"},
    {T "param(Z : @9223372036854775808 = 1)", "too large"},
    {T "param(Z : 1, @12ab = 1)", "malformed number"},
    {T "param(Z : @float, double = float)", "write \"type\" in front"},
    {T "param(Z : X, @min = X)", "cannot be an enumerator"},
    {T "param(Z : type int, @3 = int)", "expected a type"},
    {T "param(Z : type int = @float)", "not among the values"},
    {T "param(@A : 1 = 1)", "the name of the param in line 3"},
    {T "param(@width : 1 = 1)\n", "arg width has the name of the param"},
    {T "param(@ROWS : 1 = 1)", "the name of the enumerator in line 4"},
    {T "param(@Z : COLUMNS, ROWS = ROWS)", "at another position"},
    {T "param(@max : 1 = 1)", "hides a word"},
    {T "param(@problem : 1 = 1)", "hides a word"},
    {T "param(@float4 : 1 = 1)", "hides a type"},
    /* problems */
    {T "@problem(conv2d)", "has a problem already"},
    /* requires */
    {T "require(@)", "expected an expression"},
    {T "require(A @= 1)", "compare with '=='"},
    {T "require(A + @Q > 1)", "unknown name 'Q'"},
    {T "require(@W > 1)", "write problem.W"},
    {T "require(@problem.Q > 1)", "problem p has W, H, n"},
    {T "require(@device.speed > 1)", "unknown name 'device.speed'"},
    {T "require(@alpha > 1)", "only integer scalars can"},
    {T "require(@buf > 1)", "only integer scalars can"},
    {T "require(A > 1 &&\\\n  @Z)", "unknown name 'Z'"},
    {T "require(/* why */ A > @Z)", "unknown name 'Z'"},
    {T "require(@sizeof(thing) > 1)", "unknown type 'thing'"},
    {T "param(U : type float, my::vec = float) require(@sizeof(U) > 1)", "my::vec is not known"},
    /* geometry */
    {T "@block(1)", "block of k is given twice"},
    {T "@grid(1)", "grid of k is given twice"},
    {T "lds(1) @lds(2)", "lds of k is given twice"},
    {T "@launch(k)", "must come before the block"},
    {T "kernel(@z) block(1)", "no grid(...)"},
    {T "kernel(@z) grid(1)", "no block(...)"},
    {T "kernel(z) block(1, 2, 3, @4)", "3 axes at most"},
    {T "kernel(z) block(1, @)", "expected an expression"},
    {T "kernel(z) launch(@k2) block(1)", "no grid(...)"},
    {T "kernel(z) arg(s : struct S) arg(s.n : int = 1) launch(z : s, s@.n) block(1) grid(1)",
     "expected ',' after s"},
    {T "kernel(@z<float>) launch(k2) block(1) grid(1)",
     "no launch of z uses its template arguments"},
    {T "kernel(z) launch(@z : )", "the launch of z has no block"},
    /* arguments */
    {T "arg(@)", "expected the argument's name"},
    {T "arg(a @in float[1])", "expected ':'"},
    {T "arg(@n::a : in float[1])", "only a constant's"},
    {T "arg(@a<float> : int = 1)", "only a constant's"},
    {T "arg(a@<float : constant float[1])", "expected ':'"},
    {T "arg(a :@)", "expected a role or a type"},
    {T "arg(a : @int)", "expected a role"},
    {T "arg(a : int =@)", "expected an expression"},
    {T "arg(a : int = @0.5)", "int takes an integer"},
    {T "arg(s : struct S @= 4)",
     "a structure has no value of its own: write arg(s.FIELD : ...) for each field"},
    {T "arg(s : in struct S) arg(s.n : int = 1) arg(x : in float[@s.n])", "unknown name 's.n'"},
    {T "arg(@s.n : int = 1)", "arg s.n is a field, but no arg(s : struct TYPE) stands before it"},
    {T "arg(@s.n : int = 1) arg(s : struct S)",
     "arg s.n is a field, but no arg(s : struct TYPE) stands before it"},
    {T "arg(s : struct S) arg(s.v : float2 = (1, 2)) arg(@s.v.x : float = 1.0)",
     "arg s.v.x is a part of arg s.v, which sets all of it"},
    {T "arg(s : struct S) arg(s.w[@x] : float = 1.0)",
     "expected the number of an element, as in [2]"},
    {T "arg(s : struct S) arg(s. @: float = 1.0)", "expected a field's name, found ':'"},
    {T "arg(s : struct S) arg(@s.w : constant float[4])",
     "'s.w' is a field, not a constant's name"},
    {T "arg(s : struct S) arg(@s.in : struct T)",
     "'s.in' is a field: name the fields inside of it, as in s.in.FIELD"},
    {T "arg(@problem : struct S)",
     "structure problem: its fields would have names of expressions (problem.FIELD); name it "
     "problem_arg"},
    {T "arg(a : @= 5)", "expected a role or a type, found '='"},
    {T "arg(a : in @float)", "needs its number of elements"},
    {T "arg(a : in float@[3)", "nothing closes this '['"},
    {T "arg(a : in float[@])", "expected an expression"},
    {T "arg(a : in @[4])", "expected a type"},
    {T "arg(@a : in thing[4])", "the size of type 'thing' is not known"},
    {T "arg(a : in float[4] @ones)", "unknown initial contents 'ones'"},
    {T "arg(a : in float[4] uniform@)", "expected '(' after the kind of contents"},
    {T "arg(a : in float[4] @uniform(1))", "takes 2 numbers, not 1"},
    {T "arg(a : in float[4] uniform(0, @x))", "expected a number"},
    {T "arg(a : in float[4] @uniform(2, 1))", "above the last"},
    {T "arg(a : in int[4] @integers(0, 0.5))", "whole numbers"},
    {T "arg(a : in float[4] fill(@1e999))", "too large"},
    {T "arg(a : in float[4] zero @zero)", "expected nothing after"},
    {T "arg(a : in int[4] file(@))", "takes names in quotes"},
    {T "arg(a : in int[4] file(@a))", "takes names in quotes"},
    {T "arg(a : in int[4] file(@\"../a\"))", "without a folder"},
    {T "arg(a : in int[4] file(\"a\", @\".a\"))", "without a folder"},
    {T "arg(a : in int[4] file(\"a\",\"b\",\"c\",\"d\",@\"e\"))", "at most 4"},
    {T "arg(a : in int[4] file@)", "expected '(' after the kind of contents"},
    {T "arg(a : out float[4] @zero)", "takes no initial contents"},
    {T "arg(a : temp float[4] @zero)", "takes no initial contents"},
    {T "arg(a : uint2 = @4)", "write (a, b)"},
    {T "arg(a : uint2 = @(1, 2, 3))", "2 components, not 3"},
    {T "arg(a : int = @(1, 2))", "1 component, not 2"},
    {T "arg(a : float2 = (1, @0.5))", "integer expressions"},
    {T "arg(a : uint2 = (1, @))", "expected an expression"},
    {T "arg(a : int = @A)", "depend on the problem and the device alone"},
    {T "arg(a : int = @b) arg(b : int = 1)", "only those declared before"},
    {T "arg(a : int = @a)", "only those declared before"},
    {T "arg(@buf : in float[1])", "the name of the arg in line 7"},
    {T "arg(@E : in float[1])", "the name of the param in line 4"},
    {T "arg(@min : in float[1])", "hides a word"},
    /* references and tolerances */
    {T "reference(@)", "expected a kernel's name"},
    {T "reference(@naive)", "neither a built-in (there is: conv2d) nor a kernel"},
    {T "reference(@naive)\n__global__ void naive() {}", "block(...) and grid(...) must follow"},
    {T "reference(@naive) block(1)", "no grid(...)"},
    {T "reference(@conv2d : nothing)", "unknown argument 'nothing'"},
    {T "reference(conv2d) reference(@conv2d)", "must be the only one"},
    {T "reference(@conv2d<int>)", "no template arguments"},
    {T "reference(conv2d : buf @buf)", "expected ','"},
    {T "reference(conv2d : buf,@)", "expected an argument's name"},
    {T "tolerance(@)", "expected a number, found nothing"},
    {T "tolerance(@0)", "must be positive"},
    {T "tolerance(@-1e-6)", "must be positive"},
    {T "tolerance(@nan)", "expected a number"},
    {T "tolerance(@1e-6 x)", "expected a number"},
    {T "tolerance(exact) @tolerance(exact)", "has a tolerance already"},
    /* origins */
    {T "@from(unroll)", "write from(TRANSFORMATION : PARAMETER"},
    {T "@from(Un roll : A)", "write from(TRANSFORMATION : PARAMETER"},
    {T "from(unroll : @Q)", "there is no 'Q' yet"},
    {T "from(unroll : A) from(tile : @A)", "A is from unroll already"},
};

static const wrong wholes[] = {
    {T "@param(A : 1 = 1)\n", "before any kernel(...)"},
    {T "@block(4)\n", "before any kernel(...)"},
    {T "kernel(@k)\n", "no block(...)"},
    {T "kernel(k) block(1) grid(1)\n" T "require(@problem.W)", "no problem(...) directive"},
    {T "kernel(k) block(1) grid(1)\n" T "problem(@nothing)", "no built-in problem family"},
    {T "kernel(k) block(1) grid(1)\n" T "problem(@conv2d : W)", "conv2d is built in"},
    {T "kernel(k) block(1) grid(1)\n" T "problem(p @x)", "expected ':' and fields"},
    {T "kernel(k) block(1) grid(1)\n" T "problem(p : @)", "expected a field's name"},
    {T "kernel(k) block(1) grid(1)\n" T "problem(p : W, @W)", "declared twice"},
    {T "kernel(k) block(1) grid(1)\n" T "problem(p : @max)", "hides a word"},
    {T "kernel(k) block(1) grid(1)\n" T "problem(p : W @H)", "expected ','"},
    {T "kernel(k) block(1) grid(1)\n" T "problem(p : W : @H)", "expected ','"},
    {T "kernel(k) block(1) grid(1)\n" T "problem(p : W =@)", "expected an expression"},
    {T "kernel(k) block(1) grid(1)\n" T "problem(p : n := @W * 2, W)",
     "no field declared before it"},
    {T "kernel(k) block(1) grid(1)\n" T "problem(p : W, n := @problem.W)", "without \"problem.\""},
    {T "kernel(k) block(1) grid(1)\n" T "problem(conv2d) require(@problem.pad)",
     "problem.pad_h or problem.pad_w"},
    {T "kernel(@k) block(1) grid(1)\ntemplate <typename X> __global__ void k() {}",
     "template parameter 'X' of k is no tuning parameter and has no default"},
    {T "kernel(@k) block(1) grid(1) param(A : 1 = 1)\n"
       "template <typename X = float, int A> __global__ void k() {}",
     "'X' of k stands before A"},
    {T "kernel(@k<A * 2>) block(1) grid(1) param(A : 1 = 1)\n", "computes with parameter A"},
    {T "kernel(k) launch(@k : f) block(1) grid(1) arg(f : constant float[3])", "never passed"},
    {T "kernel(k) launch(@k : f) block(1) grid(1)", "unknown argument 'f'"},
};

/* Takes the '@' out of the text and gives its place. */
static char *unmark(const char *text, int *out_line, int *out_column) {
    char *copy = ht_strdup(text);
    char *mark = strchr(copy, '@');
    cr_assert(mark != NULL, "no mark in %s", text);
    memmove(mark, mark + 1, strlen(mark));
    *out_line = 1;
    const char *start = copy;
    for (const char *c = copy; c < mark; ++c)
        if (*c == '\n') {
            ++*out_line;
            start = c + 1;
        }
    *out_column = (int)(mark - start) + 1;
    return copy;
}

static void check(const char *marked, const char *words, bool place) {
    int line, column;
    char *text = unmark(marked, &line, &column);
    ht_template *templates;
    size_t count;
    ht_error error = {0};
    ht_status status = ht_template_parse(text, "k.hip", &templates, &count, &error);
    cr_assert_eq(status, HT_ERROR_INPUT, "taken: %s", text);
    cr_expect(strstr(error.message, words) != NULL, "%s\n'%s' lacks '%s'", text, error.message,
              words);
    if (place)
        cr_expect(error.line == line && error.column == column, "%s\n%s\nat %d:%d, not %d:%d", text,
                  error.message, error.line, error.column, line, column);
    cr_expect_str_eq(error.file, "k.hip");
    free(text);
}

Test(malformed, a_line_added_to_a_good_kernel) {
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        char *text = ht_format("%s%s\n", BASE, lines[i].text);
        /* Two cases clash with the base; the error is at the second one. */
        bool place = !strstr(lines[i].text, "param(@width");
        check(text, lines[i].words, place);
        free(text);
    }
}

Test(malformed, whole_texts) {
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; ++i)
        check(wholes[i].text, wholes[i].words, true);
}

Test(malformed, the_base_itself_is_right) {
    ht_template *template = test_template(BASE);
    ht_template_free(template, 1);
}

Test(malformed, too_many_of_anything) {
    static const char *const pieces[] = {T "param(P%d : 1 = 1)\n", T "arg(P%d : int = 1)\n",
                                         T "launch(k%d) block(1) grid(1)\n"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
        ht_text text = {0};
        ht_template *templates;
        size_t count;
        ht_error error = {0};
        ht_text_append(&text, T "kernel(k)\n");
        for (int n = 0; n < 2000; ++n) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            ht_text_printf(&text, pieces[i], n);
#pragma GCC diagnostic pop
        }
        cr_assert_eq(ht_template_parse(text.data, NULL, &templates, &count, &error),
                     HT_ERROR_INPUT);
        cr_assert(strstr(error.message, "at most") != NULL, "%s", error.message);
        ht_text_free(&text);
    }
}
