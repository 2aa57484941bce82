/* Typical mistakes of those who annotate a kernel by hand: each is answered at its line, in the
 * author's own words, with a remedy; right ones are taken. */
#include "support.h"

#include "base/memory.h"
#include "templates/bind.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The manual's example, one line each, so that a case can change one. */
static const char *const right[] = {
    "#pragma tune kernel(blur)",                                                       /* 1 */
    "#pragma tune problem(image : W, H, radius = 4)",                                  /* 2 */
    "#pragma tune param(BX : 32, 64, 128, 2048 = 64)",                                 /* 3 */
    "#pragma tune param(TX : 1..4 = 1)",                                               /* 4 */
    "#pragma tune require(BX * TX <= 4096)",                                           /* 5 */
    "#pragma tune block(BX)",                                                          /* 6 */
    "#pragma tune grid(ceil_div(problem.W, BX * TX), problem.H)",                      /* 7 */
    "#pragma tune arg(out : out float[problem.W * problem.H])",                        /* 8 */
    "#pragma tune arg(in : in float[problem.W * problem.H] uniform(-1, 1))",           /* 9 */
    "#pragma tune arg(taps : in float[2 * problem.radius + 1])",                       /* 10 */
    "#pragma tune arg(width : int = problem.W)",                                       /* 11 */
    "#pragma tune arg(radius : int = problem.radius)",                                 /* 12 */
    "#pragma tune tolerance(1e-5)",                                                    /* 13 */
    "__global__ void naive(float *out, const float *in, int n);",                      /* 14 */
    "template <int BX, int TX>",                                                       /* 15 */
    "__global__ void blur(float *out, const float *in, const float *taps, int width,", /* 16 */
    "                     int radius) { out[0] = 0; }",                                /* 17 */
};
enum { LINES = sizeof right / sizeof *right };

typedef struct mistake {
    int changed;          /* this line, */
    const char *text;     /* to this */
    int line;             /* the message's line */
    const char *words[3]; /* its words: the author's, and a remedy */
} mistake;

#define T "#pragma tune "
static const mistake mistakes[] = {
    /* directives */
    {6, T "blok(BX)", 6, {"'blok'", "did you mean 'block'"}},
    {7, T "gird(problem.W)", 7, {"'gird'", "did you mean 'grid'"}},
    {8, T "args(out : out float[problem.W])", 8, {"'args'", "did you mean 'arg'"}},
    {5, T "requires(BX < 512)", 5, {"'requires'", "did you mean 'require'"}},
    {13, T "tolerence(1e-5)", 13, {"'tolerence'", "did you mean 'tolerance'"}},
    {6, T "block(BX", 6, {"nothing closes this '('"}},
    {6, T "block BX", 6, {"expected '('", "block"}},
    {1, T "kernel()", 1, {"expected a kernel's name"}},
    {1, "", 2, {"problem before any kernel(...)"}},
    {6, "", 1, {"the launch of blur has no block(...)"}},
    {7, "", 1, {"the launch of blur has no grid(...)"}},
    {7, T "grid(1) grid(2)", 7, {"grid of blur is given twice"}},
    {7, T "grid(1, 2, 3, 4)", 7, {"there are 3 axes at most"}},
    /* parameters */
    {4, T "param(TX : 1..4 = 8)", 4, {"default '8'", "values of param TX"}},
    {4, T "param(TX : 4..1 = 1)", 4, {"empty range"}},
    {4, T "param(TX : 1, 2, 2 = 1)", 4, {"param TX has the value 2 twice"}},
    {4, T "param(TX : 1..4)", 4, {"param TX", "has no default"}},
    {4, T "param(TX 1..4 = 1)", 4, {"expected ':'"}},
    {4, T "param(BX : 1..4 = 1)", 4, {"param BX has the name of the param in line 3"}},
    {4, T "param(TX : 1, 2.5 = 1)", 4, {"'2.5'", "integer"}},
    {4, T "param(TX : float, double = float)", 4, {"write \"type\" in front"}},
    {4,
     T "param(TX : 1..4 = 1) param(UNROLL : 1, 2 = 1)",
     4,
     {"param UNROLL changes nothing", "use it, or remove it"}},
    {4, T "param(TILE : 1..4 = 1)", 5, {"unknown name 'TX'"}},
    {4, T "param(max : 1..4 = 1)", 4, {"param max hides a word"}},
    {4, T "param(width : 1..4 = 1)", 11, {"arg width has the name of the param in line 4"}},
    {15, "template <int BX, int TX, int PAD>", 1, {"'PAD'", "add param(PAD : ...)"}},
    /* expressions and problems */
    {5, T "require(BX * TXX <= 512)", 5, {"'TXX'", "did you mean 'TX'"}},
    {5, T "require(BX = 64)", 5, {"compare with '=='"}},
    {5, T "require(problem.w > 0)", 5, {"problem.w'", "did you mean problem.W?"}},
    {5, T "require(problem.raduis > 0)", 5, {"problem.raduis", "did you mean problem.radius?"}},
    {5, T "require(W > 0)", 5, {"unknown name 'W'", "write problem.W"}},
    {5, T "require(device.threads > 0)", 5, {"device.threads", "max_threads"}},
    {5, T "require(out > 0)", 5, {"argument out", "only integer scalars can"}},
    {5, T "require(1.5 * BX > 0)", 5, {"a real number cannot stand here"}},
    {2, T "problem(image : W, W, H, radius = 4)", 2, {"declared twice"}},
    {2, T "problem(image)", 2, {"no built-in problem family"}},
    {2, "", 8, {"problem.W", "no problem(...) directive"}},
    /* arguments by themselves */
    {8, T "arg(out : out float)", 8, {"out buffer out needs its number of elements"}},
    {8, T "arg(out : output float[problem.W])", 8, {"expected a role (in, out, inout"}},
    {8, T "arg(out : out flaot[problem.W])", 8, {"type 'flaot' is not known"}},
    {8, T "arg(out : out float[problem.W] zero)", 8, {"takes no initial contents", "use inout"}},
    {8, T "arg(out float[problem.W])", 8, {"expected ':'"}},
    {9, T "arg(in : in partial float[problem.W])", 9, {"cannot be partial"}},
    {9, T "arg(in : in float[problem.W] random)", 9, {"'random'", "there are uniform"}},
    {11, T "arg(width : int = 0.5)", 11, {"int takes an integer"}},
    {11, T "arg(width : int = BX)", 11, {"parameter BX cannot be used here"}},
    {11, T "arg(width : int = radius)", 11, {"argument radius", "declared before"}},
    {12,
     T "arg(width : int = problem.radius)",
     12,
     {"arg width has the name of the arg in line 11"}},
    /* arguments against the kernel */
    {10, "", 1, {"'const float *taps'", "blur (line 16)", "add arg(taps : in float[ELEMENTS])"}},
    {12, "", 1, {"'int radius'", "add arg(radius : int = VALUE)"}},
    {12,
     T "arg(radius : int = 4) arg(extra : int = 1)",
     12,
     {"arg extra has no parameter", "takes 5"}},
    {10,
     T "arg(taps : in float[9]) arg(bias : in float[9])",
     10,
     {"arg bias has no parameter", "remove it"}},
    {8, T "arg(in : in float[9]) arg(out : out float[9])", 9, {"arg in has the name of the arg"}},
    {9,
     T "arg(in : in double[problem.W])",
     9,
     {"'const float *in'", "write arg(in : in float[...])"}},
    {8,
     T "arg(out : out double[problem.W])",
     8,
     {"'float *out'", "write arg(out : out float[...])"}},
    {8, T "arg(out : out int[problem.W])", 8, {"'float *out'", "arg(out : out float[...])"}},
    {8, T "arg(out : out __half[problem.W])", 8, {"'float *out'", "arg(out : out float[...])"}},
    {9,
     T "arg(in : out float[problem.W])",
     9,
     {"'const float *in'", "cannot be written", "declare it in"}},
    {9, T "arg(in : inout float[problem.W])", 9, {"'const float *in'", "cannot be written"}},
    {9, T "arg(in : float = 0.5)", 9, {"'const float *in'", "is a pointer", "in float[ELEMENTS]"}},
    {11,
     T "arg(width : in int[1])",
     11,
     {"'int width'", "passed by value", "arg(width : int = VALUE)"}},
    {11, T "arg(width : float = 0.5)", 11, {"'int width'", "write arg(width : int = ...)"}},
    {11, T "arg(width : size_t = problem.W)", 11, {"'int width'", "write arg(width : int = ...)"}},
    {11, T "arg(width : int2 = (1, 2))", 11, {"'int width'", "write arg(width : int = ...)"}},
    {11, T "arg(radius : int = 4)", 12, {"arg radius has the name of the arg"}},
    /* launches, references, baselines, tolerances */
    {6,
     T "launch(blur : out, inn, taps, width, radius) block(BX)",
     6,
     {"'inn'", "did you mean 'in'"}},
    {6,
     T "launch(blur : out, in, width, radius) block(BX)",
     6,
     {"'const float *taps'", "passes 4 of 5"}},
    {6, T "launch(blur : in, out, taps, radius, radius, width) block(BX)", 6, {"takes 5"}},
    {6,
     T "launch(blur : width, in, taps, width, radius) block(BX)",
     6,
     {"'float *out'", "is a pointer"}},
    {13, T "reference(naiv)", 13, {"reference naiv", "neither a built-in"}},
    {13, T "reference(naive : out, in, width)", 13, {"reference naive is a kernel", "block(...)"}},
    {13,
     T "reference(naive) block(64) grid(1)",
     13,
     {"arg width has no parameter", "list what it takes"}},
    {13,
     T "reference(naive : out, in, taps) block(64) grid(1)",
     13,
     {"'int n'", "passed by value"}},
    {13, T "reference(conv2d : inn)", 13, {"'inn'", "did you mean 'in'"}},
    {13, T "baseline(naive : out, in, width)", 13, {"baseline naive", "block(...)"}},
    {13, T "baseline(conv2d)", 13, {"baseline conv2d", "name a kernel"}},
    {13, T "baseline(naive : out, in) block(64) grid(1)", 13, {"'int n'", "passes 2 of 3"}},
    {13, T "tolerance(-1)", 13, {"must be positive", "tolerance(exact)"}},
    {13, T "tolerance(small)", 13, {"expected a number"}},
    /* defaults that cannot begin */
    {5,
     T "require(BX * TX <= 32)",
     5,
     {"BX=64 TX=1", "require(BX * TX <= 32)", "change a default"}},
    {5, T "require(problem.W % 8 == 1)", 5, {"no configuration of blur is legal", "problem.W % 8"}},
    {3, T "param(BX : 32, 2048 = 2048)", 1, {"BX=2048", "2048", "limit is 1024"}},
    {6, T "block(BX - 64)", 1, {"block x of blur is 0", "must be positive"}},
    {13, T "baseline(naive : out, in, width) block(4096) grid(1)", 13, {"naive is 4096", "1024"}},
};

static char *text_with(int changed, const char *line) {
    ht_text text = {0};
    for (int i = 0; i < LINES; ++i)
        ht_text_printf(&text, "%s\n", i + 1 == changed ? line : right[i]);
    return ht_text_take(&text);
}

/* Returns a command's verdict, before anything is compiled. */
static ht_status judge(const char *text, ht_error *error) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_status status = ht_template_parse(text, "blur.hip", &templates, &count, error);
    for (size_t i = 0; i < count && status == HT_OK; ++i) {
        ht_problem problem = {0};
        status = ht_problem_parse(&templates[i].problem, "W=64 H=8", &problem, error);
        const ht_binding binding = {&templates[i], &problem, &test_device};
        if (status == HT_OK)
            status = ht_binding_check_default(&binding, error);
        ht_problem_free(&problem);
    }
    ht_template_free(templates, count);
    return status;
}

Test(mistakes, are_answered_at_their_line_in_the_authors_words_with_a_remedy) {
    size_t count = sizeof mistakes / sizeof *mistakes;
    cr_assert_geq(count, 60);
    for (size_t i = 0; i < count; ++i) {
        const mistake *m = &mistakes[i];
        char *text = text_with(m->changed, m->text);
        ht_error error = {0};
        ht_status status = judge(text, &error);
        cr_expect_eq(status, HT_ERROR_INPUT, "taken: line %d: %s", m->changed, m->text);
        cr_expect_eq(error.line, m->line, "%s\n%d: %s\nnot in line %d", m->text, error.line,
                     error.message, m->line);
        cr_expect_str_eq(error.file, "blur.hip");
        for (size_t k = 0; k < 3 && m->words[k]; ++k)
            cr_expect(strstr(error.message, m->words[k]) != NULL, "%s\n'%s' lacks '%s'", m->text,
                      error.message, m->words[k]);
        free(text);
    }
}

/* Lines of the same template with the same meaning, or another that is right. */
static const struct {
    int changed;
    const char *text;
} rights[] = {
    {1, T "kernel(blur) // a comment"},
    {1, T "kernel(blur<BX, TX>)"},
    {8, T "arg(out : out partial float[problem.W * problem.H])"},
    {8, T "arg(out : inout float[problem.W * problem.H] zero)"},
    {8, T "arg(out : in float[problem.W * problem.H])"},
    {8, T "arg(out : out float4[problem.W * problem.H])"},
    {8, T "arg(y : out float[problem.W * problem.H])"},
    {10, T "arg(taps : size_t = 0)"},
    {11, T "arg(width : unsigned int = problem.W)"},
    {11, T "arg(width : int32_t = problem.W)"},
    {13, T "reference(naive : out, in, width) block(64) grid(1)"},
    {13, T "baseline(naive : out, in, width) block(64) grid(1)"},
    {13, T "reference(conv2d : in, taps, out)"},
    {15, "typedef float real; template <int BX, int TX>"},
};

Test(mistakes, what_is_right_is_taken) {
    for (size_t i = 0; i < sizeof rights / sizeof *rights; ++i) {
        char *text = text_with(rights[i].changed, rights[i].text);
        ht_error error = {0};
        cr_expect_eq(judge(text, &error), HT_OK, "%s\n%d: %s", rights[i].text, error.line,
                     error.message);
        free(text);
    }
}

/* One kernel's head, with args that fit it. Nothing is blamed that macros, types of the author's or
 * conditional compilation leave open. */
static const struct {
    const char *args, *head;
} heads[] = {
    {"arg(a : in float[9])", "__global__ void k(const float *__restrict__ a)"},
    {"arg(a : in float[9])", "__global__ void k(float const *const __restrict a)"},
    {"arg(a : out float[9])", "__global__ void k(float a[])"},
    {"arg(a : out float[9])", "__global__ void __launch_bounds__(256, 2) k(float *a)"},
    {"arg(a : out float[9])", "extern \"C\" __global__ void k(float *a /* all, of them */)"},
    {"arg(a : out float[9])",
     "#define RESTRICT __restrict__\n__global__ void k(float *RESTRICT a)"},
    {"arg(a : out float[9])", "typedef float real;\n__global__ void k(real *a)"},
    {"arg(a : out float[9])", "using real = float;\n__global__ void k(real *a)"},
    {"arg(a : out float[9])", "#define REAL float\n__global__ void k(REAL *a)"},
    {"arg(a : in float[9])", "typedef const float *source;\n__global__ void k(source a)"},
    {"arg(a : out float[9])", "#define LIST float *a\n__global__ void k(LIST)"},
    {"arg(a : out float[9]) arg(n : int = 1)",
     "#define MORE , int n\n__global__ void k(float *a MORE)"},
    {"arg(a : out float[9]) arg(n : int = 1)", "__global__ void k(ELSEWHERE)"},
    {"arg(a : out float[9]) arg(n : int = 1)",
     "__global__ void k(float *a\n#ifdef N\n, int n\n#endif\n)"},
    {"arg(a : out float[9]) arg(n : int = 1)", "__global__ void k(float *a, int n = 4)"},
    {"arg(a : out float[9]) arg(s : uint2 = (1, 2))", "__global__ void k(float *a, uint2 s)"},
    {"arg(a : out float[9]) arg(s : int = 1)", "__global__ void k(float *a, mode s)"},
    {"arg(a : out float[9])", "struct thing;\n__global__ void k(thing *a)"},
    {"arg(a : out float[9])", "__global__ void k(void *a)"},
    {"arg(a : out float[9])", "template <typename T = float> __global__ void k(T *a)"},
    {"arg(a : out T[9]) param(T : type float, double = float)",
     "template <typename T> __global__ void k(T *a)"},
    {"arg(a : out float[9]) param(T : type float, double = float)",
     "template <typename T> __global__ void k(T *a)"},
    {"arg(a : out unsigned long[9])", "__global__ void k(std::size_t *a)"},
    {"arg(a : out float[9])", "__global__ void k([[maybe_unused]] float *a)"},
    {"arg(a : out float[9])", "__global__ void k(float (&a)[9])"},
    {"arg(a : out float[9])", "__global__ void k(float *a);\n__global__ void k(float *b)"},
    {"arg(a : out float[9])", "__global__ void k(int);\n__global__ void k(float *b)"},
    {"arg(a : in float[9]) arg(b : out float[9])", "__global__ void k(float *x, float *y)"},
    {"arg(a : out float[9])", "struct half;\n__global__ void k(half *a)"},
};

Test(mistakes, nothing_right_is_blamed_for_how_a_kernel_is_declared) {
    for (size_t i = 0; i < sizeof heads / sizeof *heads; ++i) {
        char *text =
            ht_format(T "kernel(k) block(64) grid(1) %s\n%s {}\n", heads[i].args, heads[i].head);
        ht_template *templates = NULL;
        size_t count = 0;
        ht_error error = {0};
        cr_expect_eq(ht_template_parse(text, "k.hip", &templates, &count, &error), HT_OK, "%s\n%s",
                     text, error.message);
        ht_template_free(templates, count);
        free(text);
    }
}

Test(mistakes, aliases_and_template_arguments_are_followed) {
    static const struct {
        const char *args, *head, *words;
    } cases[] = {
        {"arg(a : out double[9])", "typedef float real;\n__global__ void k(real *a)", "'real *a'"},
        {"arg(a : out float[9])", "typedef const float *source;\n__global__ void k(source a)",
         "cannot be written"},
        {"arg(a : out double[9]) param(T : type float, double = float)",
         "template <typename T> __global__ void k(T *a)", "'T *a'"},
        {"arg(a : out float[9]) arg(n : int = 1)",
         "#line 70 \"k.hip\"\n__global__ void k(float *a, size_t n)", "k (line 70), 'size_t n'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text =
            ht_format(T "kernel(k) block(64) grid(1) %s\n%s {}\n", cases[i].args, cases[i].head);
        ht_template *templates = NULL;
        size_t count = 0;
        ht_error error = {0};
        cr_expect_eq(ht_template_parse(text, "k.hip", &templates, &count, &error), HT_ERROR_INPUT,
                     "%s", text);
        cr_expect(strstr(error.message, cases[i].words) != NULL, "%s\n'%s' lacks '%s'", text,
                  error.message, cases[i].words);
        free(text);
    }
}
