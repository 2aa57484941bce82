/* The meaning of well-formed annotations, and that printing them loses nothing. */
#include "support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define T "#pragma tune "

Test(annotation, printing_random_templates_loses_nothing) {
    ht_random random;
    ht_random_seed(&random, 21);
    for (int round = 0; round < 1500; ++round) {
        char *text = test_generate_template(&random);
        ht_template *first = test_template(text);
        ht_text printed = {0}, again = {0};
        ht_template_print(first, &printed);
        ht_template *second = test_template(printed.data);
        cr_assert(ht_template_equal(first, second), "%s\n%s", text, printed.data);
        ht_template_print(second, &again);
        cr_assert_str_eq(printed.data, again.data, "the print of the print differs");
        ht_template *copy = ht_template_copy(first);
        cr_assert(ht_template_equal(first, copy));
        ht_template_free(copy, 1);
        ht_template_free(second, 1);
        ht_template_free(first, 1);
        ht_text_free(&printed);
        ht_text_free(&again);
        free(text);
    }
}

/* Variants of one kernel that differ in one thing each. */
static const char *const variants[] = {
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1)",
    T "kernel(j) block(1) grid(1) param(A : 1, 2 = 1)",
    T "kernel(k) block(2) grid(1) param(A : 1, 2 = 1)",
    T "kernel(k) block(1) grid(1, 1) param(A : 1, 2 = 1)",
    T "kernel(k) block(1) grid(1) lds(0) param(A : 1, 2 = 1)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 2)",
    T "kernel(k) block(1) grid(1) param(A : 1, 3 = 1)",
    T "kernel(k) block(1) grid(1) param(B : 1, 2 = 1)",
    T "kernel(k<A>) block(1) grid(1) param(A : 1, 2 = 1)",
    T "kernel(k<float>) block(1) grid(1) param(A : 1, 2 = 1)",
    T "kernel(k) launch(k :) block(1) grid(1) param(A : 1, 2 = 1)",
    T "kernel(k) launch(k) block(1) grid(1) launch(k) block(1) grid(1) param(A : 1, 2 = 1)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) require(A)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) tolerance(exact)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) tolerance(1e-5)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) reference(conv2d)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) reference(k) block(1) grid(1)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) problem(conv2d)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) problem(p : W)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) problem(p : W = 1)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) problem(p : W := 1)",
    T "unit kernel(k) block(1) grid(1) param(A : 1, 2 = 1)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : in float[4])",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : inout float[4])",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : struct S)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : in struct S)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : struct n::S<float, 2>)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : struct S) arg(x.n : int = 4)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : struct S) arg(x.m.n : int = 4)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : struct S) arg(x.n[1] : int = 4)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : struct S) arg(x.n : in int[4])",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : in int[4])",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : in float[5])",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : in float[4] fill(1))",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : in float[4] fill(2))",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : float = 1)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : float = 1.0)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : float = 1.5)",
    T "kernel(k) block(1) grid(1) param(A : 1, 2 = 1) arg(x : int2 = (1, 2))",
};

Test(annotation, equality_sees_every_difference) {
    enum { COUNT = sizeof variants / sizeof *variants };
    ht_template *templates[COUNT];
    for (size_t i = 0; i < COUNT; ++i)
        templates[i] = test_template(variants[i]);
    for (size_t i = 0; i < COUNT; ++i)
        for (size_t j = 0; j < COUNT; ++j)
            cr_expect_eq(ht_template_equal(templates[i], templates[j]), i == j, "%s\n%s",
                         variants[i], variants[j]);
    for (size_t i = 0; i < COUNT; ++i)
        ht_template_free(templates[i], 1);
}

Test(annotation, pragmas_in_comments_and_strings_are_none) {
    static const char *const texts[] = {
        "// #pragma tune nonsense\nint a;",
        "/*\n#pragma tune nonsense\n*/",
        "const char *s = \"\\\n#pragma tune nonsense\\\n\";",
        "const char *s = R\"x(\n#pragma tune nonsense\n)\" )x\";",
        "// a comment goes on \\\n#pragma tune nonsense",
        "#define A(x) #x \\\n#pragma tune nonsense\n",
        "int a = 1'000; char c = '\"';\n/* \" */ // \"\n",
        "int b; #pragma tune nonsense",
        "#pragma tuned nonsense\n#pragma once\n#pragma unroll\n",
        "#error don't \\\n#pragma tune nonsense\n",
        "#define X R\"(\n#pragma tune nonsense\n)\"\n",
        "#define X \"/*\"\nint a; // */ #pragma tune nonsense\n",
        "",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        ht_template *templates;
        size_t count;
        ht_error error;
        ht_status status = ht_template_parse(texts[i], "x", &templates, &count, &error);
        cr_assert_eq(status, HT_OK, "%s: %s", texts[i], error.message);
        cr_assert_eq(count, 0);
    }
}

Test(annotation, lines_after_confusing_source_are_found) {
    static const char *const texts[] = {
        "const char *s = \"/*\"; // */ \"\n" T "kernel(k) block(1) grid(1)",
        "int n = 0x1'000; char q = '\\''; /* ' */\n" T "kernel(k) block(1) grid(1)",
        "R\"(\")\" u8R\"d(\n)\")d\" L'\"'\n" T "kernel(k) block(1) grid(1)",
        "#include <it's/here>\n" T "kernel(k) block(1) grid(1)",
        "#define Q \"unclosed\n/* x */ #\tpragma /* y */ tune kernel(k) /* z */ block(1) // w\n" T
        "grid(1)",
        "#pragma tune kernel(k) \\\r\n block(1)\\\r\n grid(1)\r\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        ht_template_free(test_template(texts[i]), 1);
}

static const ht_param *param_of(const ht_template *template, const char *name) {
    const ht_param *param = ht_template_param(template, name);
    cr_assert(param != NULL);
    return param;
}

Test(annotation, values_keep_their_order_and_kinds) {
    ht_template *t = test_template(
        T "kernel(k) block(1) grid(1)\n" T "param(I : 8, 1..3, pow2(16, 64), -4..0:2 = 32)\n" T
          "param(B : true, false = false)\n" T "param(E : LOW, HIGH = HIGH)\n" T
          "param(Y : type unsigned   int, float = float)");
    static const int64_t integers[] = {8, 1, 2, 3, 16, 32, 64, -4, -2, 0};
    const ht_param *i = param_of(t, "I"), *b = param_of(t, "B"), *e = param_of(t, "E"),
                   *y = param_of(t, "Y");
    cr_assert_eq(i->value_count, 10);
    for (size_t n = 0; n < 10; ++n)
        cr_assert_eq(i->values[n].number, integers[n]);
    cr_assert_eq(i->default_index, 5);
    cr_assert(b->kind == HT_PARAM_BOOLEAN && b->values[0].number == 1 && b->default_index == 1);
    cr_assert(e->kind == HT_PARAM_ENUMERATION && e->values[1].number == 1);
    cr_assert_str_eq(e->values[1].text, "HIGH");
    cr_assert(y->kind == HT_PARAM_TYPE && y->default_index == 1);
    cr_assert_str_eq(y->values[0].text, "unsigned int");
    ht_template_free(t, 1);
}

Test(annotation, several_kernels_in_a_file_share_the_unit) {
    const char *text = T "kernel(a) block(1) grid(1)\n" T "param(X : 1 = 1)\nint between;\n" T
                         "kernel(b) block(2) grid(2) tolerance(exact)\n";
    ht_template *t;
    size_t count;
    cr_assert_eq(ht_template_parse(text, "two.hip", &t, &count, NULL), HT_OK);
    cr_assert_eq(count, 2);
    cr_assert_str_eq(t[0].name, "a");
    cr_assert_str_eq(t[1].unit, text);
    cr_assert_eq(t[1].param_count, 0);
    cr_assert_eq(t[1].line, 4);
    cr_assert(t[1].exact && !t[0].exact && t[0].tolerance == HT_TOLERANCE_DEFAULT);
    ht_template_free(t, count);
}

typedef struct header_case {
    const char *source;    /* after the annotations of kernel(k) with parameters A, B and TYPE */
    const char *arguments; /* expected, joined by '|' */
} header_case;

static const header_case headers[] = {
    {"template <int A, bool B> __global__ void k(int x) {}", "A|B"},
    {"template<typename TYPE,int A=4>\n__global__ __launch_bounds__(256)\nvoid k (const TYPE *p) "
     "{}",
     "TYPE|A"},
    {"template <int A, int OTHER = (3 > 2), class V = vec<vec<int>>> __global__ void k() {}", "A"},
    {"template <int A, typename... REST> __global__ void k() {}", "A"},
    {"template <int A> __device__ void k() {}\n__global__ void k(int) {}", ""},
    {"template <int A> __global__ void other() { k(); }", ""},
    {"template <int A, bool> __global__ void k();\ntemplate <int A, bool B> __global__ void k() {}",
     "A|B"},
    {"template <int A, int B = 2> __global__ void k();\n"
     "template <int A, int B> __global__ void k() {}",
     "A|B"},
    {"template <template <typename, int> class A, unsigned long B> __global__ void k() {}", "A|B"},
    {"namespace n { template <int A> struct s { int x; }; template <int B> __global__ void k() {} "
     "}",
     "B"},
    {"// template <int A> __global__ void k() {}\n#define X template <int A> __global__ void k() "
     "{}\n"
     "const char *s = \"template <int A> __global__ void k() {}\";",
     ""},
    {"template <int A> __global__ void __attribute__((used)) k() {}", "A"},
    {"", ""},
};

Test(annotation, template_arguments_are_found_in_the_kernels_header) {
    for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i) {
        char *text = ht_format("%s%s",
                               T "kernel(k) block(1) grid(1) param(A : 1 = 1)\n" T
                                 "param(B : 1 = 1) param(TYPE : type int = int)\n",
                               headers[i].source);
        ht_template *t = test_template(text);
        ht_text found = {0};
        ht_text_append(&found, "");
        for (size_t a = 0; a < t->launches[0].template_argument_count; ++a)
            ht_text_printf(&found, "%s%s", a ? "|" : "", t->launches[0].template_arguments[a]);
        cr_expect_str_eq(found.data, headers[i].arguments, "%s: %s", headers[i].source, found.data);
        for (size_t p = 0; p < t->param_count; ++p) {
            bool named = strstr(headers[i].arguments, t->params[p].name) != NULL;
            cr_expect_eq(t->params[p].binding, named ? HT_BIND_TEMPLATE : HT_BIND_MACRO);
        }
        ht_text_free(&found);
        ht_template_free(t, 1);
        free(text);
    }
}

Test(annotation, explicit_template_arguments_and_launches) {
    ht_template *t =
        test_template(T "kernel(k<float, A>) param(A : 1 = 1) param(M : 2 = 2)\n" T
                        "arg(x : in float[4]) arg(y : out float[4]) arg(f : constant float[9])\n" T
                        "launch(zero : y) block(64) grid(1)\n" T
                        "launch(k : x, y) block(8, 8) grid(2) lds(128)\n" T
                        "launch(k<double, A> : y, x) block(1) grid(1)\n"
                        "template <typename X> __global__ void k(const float *x, float *y) {}");
    cr_assert_eq(t->launch_count, 3);
    cr_assert_eq(t->launches[0].template_argument_count, 0);
    cr_assert_str_eq(t->launches[1].template_arguments[0], "float");
    cr_assert_str_eq(t->launches[2].template_arguments[0], "double");
    cr_assert_str_eq(t->launches[2].arguments[1], "x");
    cr_assert_eq(param_of(t, "A")->binding, HT_BIND_TEMPLATE);
    cr_assert_eq(param_of(t, "M")->binding, HT_BIND_MACRO);
    ht_template_free(t, 1);
}

/* Symbols lie in namespaces, and are variables of templates. */
Test(annotation, constants_have_names_of_their_own_kind) {
    ht_template *t = test_template(
        T "kernel(k) block(64) grid(1) arg(x : out float[4])\n" T
          "arg(n::taps : constant float[9]) arg(n::taps<float, 3> : constant float[3])");
    cr_assert_eq(t->arg_count, 3);
    cr_expect_str_eq(t->args[1].name, "n::taps");
    cr_expect_str_eq(t->args[2].name, "n::taps<float, 3>");
    ht_text printed = {0};
    ht_template_print(t, &printed);
    ht_template *again = test_template(printed.data);
    cr_expect(ht_template_equal(t, again), "%s", printed.data);
    ht_text_free(&printed);
    ht_template_free(again, 1);
    ht_template_free(t, 1);
}

Test(annotation, template_arguments_may_be_constant_expressions) {
    ht_template *t =
        test_template(T "kernel(k<16*16, ns::vec<float , 4>, -0x10, (1|2), sizeof( int )>) "
                        "block(1) grid(1)");
    static const char *const expected[] = {"16 * 16", "ns::vec<float, 4>", "-16", "1 | 2",
                                           "sizeof(int)"};
    cr_assert_eq(t->launches[0].template_argument_count, 5);
    for (size_t i = 0; i < 5; ++i)
        cr_assert_str_eq(t->launches[0].template_arguments[i], expected[i]);
    ht_text printed = {0};
    ht_template_print(t, &printed);
    ht_template *again = test_template(printed.data);
    cr_assert(ht_template_equal(t, again), "%s", printed.data);
    ht_template_free(again, 1);
    ht_template_free(t, 1);
    ht_text_free(&printed);
}

Test(annotation, references_resolve_to_their_kind) {
    ht_template *t = test_template(T "kernel(k) block(1) grid(1)");
    cr_assert_eq(t->reference_kind, HT_REFERENCE_DEFAULT_CONFIG);
    ht_template_free(t, 1);
    t = test_template(T "kernel(k) block(1) grid(1) arg(a : in float[1]) reference(conv2d : a)");
    cr_assert_eq(t->reference_kind, HT_REFERENCE_BUILTIN);
    cr_assert_str_eq(t->reference_name, "conv2d");
    cr_assert_str_eq(t->reference_arguments[0], "a");
    cr_assert_eq(t->reference_launch_count, 0);
    ht_template_free(t, 1);
    /* A kernel may have a built-in's name: the geometry decides. */
    t = test_template(T "kernel(k) reference(conv2d) block(3) grid(1) launch(k) block(4) grid(1)");
    cr_assert_eq(t->reference_kind, HT_REFERENCE_KERNEL);
    cr_assert_eq(t->reference_launch_count, 1);
    int64_t value;
    cr_assert_eq(ht_expr_evaluate(t->launches[0].block[0], NULL, &value, NULL), HT_OK);
    cr_assert_eq(value, 4);
    ht_template_free(t, 1);
}

Test(annotation, arguments_of_every_form) {
    ht_template *t = test_template(
        T "kernel(k) block(1) grid(1) problem(p : W)\n" T
          "arg(a : in float[problem.W] uniform(-2, .5))\n" T
          "arg(b : inout unsigned int[4] integers(0, 7))\n" T "arg(c : temp __half[1])\n" T
          "arg(d : float = -1.5e3f)\n" T "arg(e : float = problem.W)\n" T
          "arg(f : dim3 = (1, 2, problem.W))\n" T "arg(g : size_t = (problem.W + 1) * 2)\n" T
          "arg(h : in int[4] file(\"h.0f.bin\", \"h-2.bin\"))");
    cr_assert(t->args[0].init.kind == HT_INIT_UNIFORM && t->args[0].init.lo == -2 &&
              t->args[0].init.hi == 0.5);
    cr_assert_str_eq(t->args[1].type, "unsigned int");
    cr_assert(t->args[1].role == HT_ARG_INOUT && t->args[1].init.kind == HT_INIT_INTEGERS);
    cr_assert(t->args[2].role == HT_ARG_TEMP && t->args[2].init.kind == HT_INIT_DEFAULT);
    cr_assert(t->args[3].is_real && t->args[3].real == -1500 && t->args[3].value_count == 0);
    cr_assert(!t->args[4].is_real && t->args[4].value_count == 1);
    cr_assert_eq(t->args[5].value_count, 3);
    cr_assert(t->args[6].value_count == 1 && t->args[6].extent == NULL);
    cr_assert(t->args[7].init.kind == HT_INIT_FILE && t->args[7].init.file_count == 2);
    cr_assert_str_eq(t->args[7].init.files[1], "h-2.bin");
    ht_template_free(t, 1);
}

Test(annotation, structures_in_a_buffer_of_bytes_are_filled_field_by_field) {
    const char *text = "p : inout unsigned char[64] records(16, 0 float[3], 12 int(-1, 7))";
    ht_arg arg, copy;
    cr_assert_eq(ht_arg_parse(text, (ht_place){0}, &arg, NULL), HT_OK);
    cr_assert_eq(arg.init.kind, HT_INIT_RECORDS);
    cr_assert_eq(arg.init.record_bytes, 16);
    cr_assert_eq(arg.init.part_count, 2);
    cr_assert(arg.init.parts[0].count == 3 && !arg.init.parts[0].bounded);
    cr_assert(arg.init.parts[1].offset == 12 && arg.init.parts[1].lo == -1 &&
              arg.init.parts[1].hi == 7);
    ht_text printed = {0};
    ht_arg_copy(&arg, &copy);
    ht_arg_print(&copy, &printed);
    cr_expect_str_eq(printed.data, text);
    cr_expect(ht_arg_equal(&arg, &copy));
    copy.init.parts[1].hi = 8;
    cr_expect_not(ht_arg_equal(&arg, &copy));
    ht_text_free(&printed);
    ht_arg_free(&copy);
    ht_arg_free(&arg);
}

Test(annotation, structures_that_are_none_are_refused) {
    static const char *const wrong[] = {
        "p : in int[64] records(16, 0 float)",          /* not bytes */
        "p : in unsigned char[64] records(16, 14 int)", /* past its end */
        "p : in unsigned char[64] records(0)",          /* nothing */
        "p : in unsigned char[64] records(16, float)",  /* no offset */
        "p : in unsigned char[64] records(16, 0 Foo)",  /* no number */
        "p : in unsigned char[64] records(16, 0 int[0])",
        "p : in unsigned char[64] records(16, 0 int(7, 1))",
        "p : in unsigned char[64] records(16, 0 float(0, 1))",
        "p : in unsigned char[64] records(16, 0 int(0, 1) 2)",
        "p : in unsigned char[64] records(16, 99999999999999999999 int)"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        ht_arg arg;
        cr_expect_eq(ht_arg_parse(wrong[i], (ht_place){0}, &arg, NULL), HT_ERROR_INPUT, "%s",
                     wrong[i]);
    }
}

Test(annotation, enumerators_and_scalars_are_names) {
    ht_template *t = test_template(T "kernel(k) block(1) grid(1) problem(p : W)\n" T
                                     "param(E : ROWS, COLUMNS = ROWS)\n" T
                                     "param(F : ROWS, COLUMNS, BOTH = BOTH)\n" T
                                     "arg(w : int = problem.W) arg(w2 : long = w * w)\n" T
                                     "require(E == COLUMNS || w2 > 5 && F != BOTH)");
    cr_assert_eq(t->require_count, 1);
    ht_template_free(t, 1);
}

Test(annotation, configurations_as_text) {
    ht_template *t = test_template(
        T "kernel(k) block(1) grid(1)\n" T "param(I : 1, 16 = 16) param(B : false, true = true)\n" T
          "param(Y : type float, unsigned int, vec<int> = float) param(E : LOW, HIGH = LOW)");
    ht_config config = ht_config_default(t), parsed;
    char *text = ht_config_string(t, &config);
    cr_assert_str_eq(text, "I=16 B=true Y=float E=LOW");
    free(text);
    text = ht_config_brief(t, &config);
    cr_assert_str_eq(text, "the defaults");
    free(text);
    for (uint16_t i = 0; i < 2; ++i)
        for (uint16_t y = 0; y < 3; ++y) {
            config.choice[0] = i;
            config.choice[2] = y;
            text = ht_config_string(t, &config);
            ht_error error;
            cr_assert_eq(ht_config_parse(t, text, &parsed, &error), HT_OK, "%s: %s", text,
                         error.message);
            cr_assert(ht_config_equal(&config, &parsed));
            free(text);
            text = ht_config_brief(t, &config); /* what it leaves out is what parsing fills in */
            bool plain = i == 1 && y == 0;
            cr_assert(plain || ht_config_parse(t, text, &parsed, NULL) == HT_OK, "%s", text);
            cr_assert(plain || ht_config_equal(&config, &parsed), "%s", text);
            free(text);
        }
    cr_assert_eq(ht_config_parse(t, " E=HIGH,, I=0x10 ", &parsed, NULL), HT_OK);
    cr_assert(parsed.choice[0] == 1 && parsed.choice[3] == 1 && parsed.choice[1] == 1);
    static const struct {
        const char *text;
        int column;
    } wrong[] = {{"X=1", 1},     {"I=2", 3},       {"I", 2},         {"I=", 3},
                 {"I=1 I=1", 5}, {"=", 1},         {"B=1", 3},       {"Y=\"float", 4},
                 {"E=NO", 3},    {"I=1 Y=int", 7}, {"I=1;B=true", 3}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        ht_error error;
        cr_expect_eq(ht_config_parse(t, wrong[i].text, &parsed, &error), HT_ERROR_INPUT);
        cr_expect_eq(error.column, wrong[i].column, "%s: %d: %s", wrong[i].text, error.column,
                     error.message);
    }
    ht_template_free(t, 1);
}

Test(annotation, loading_a_file_that_is_not_there_or_no_text) {
    ht_template *t;
    size_t count;
    ht_error error;
    cr_assert_eq(ht_template_load("/no/such/file.hip", &t, &count, &error), HT_ERROR_IO);
    cr_assert_eq(ht_template_load("/bin/true", &t, &count, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "NUL") != NULL);
}
