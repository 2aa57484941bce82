/* Bindings: values for names, launch geometry, the compiler's input. */
#include "support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define T "#pragma tune "

typedef struct setting {
    ht_template *template;
    ht_problem problem;
    ht_binding binding;
    ht_config config;
} setting;

static setting bind(const char *text, const char *problem) {
    setting s = {.template = test_template(text)};
    ht_error error;
    if (problem)
        cr_assert_eq(ht_problem_parse(&s.template->problem, problem, &s.problem, &error), HT_OK,
                     "%s", error.message);
    s.config = ht_config_default(s.template);
    return s;
}

static const ht_binding *binding_of(setting *s) {
    s->binding = (ht_binding){s->template, s->problem.name ? &s->problem : NULL, &test_device};
    return &s->binding;
}

static void unbind(setting *s) {
    ht_problem_free(&s->problem);
    ht_template_free(s->template, 1);
}

static int64_t evaluate(setting *s, const char *text) {
    ht_expr *expr = test_expr(text);
    int64_t value = 0;
    ht_error error;
    cr_assert_eq(ht_binding_evaluate(binding_of(s), &s->config, expr, &value, &error), HT_OK,
                 "%s: %s", text, error.message);
    ht_expr_free(expr);
    return value;
}

#define NAMES                                                                                      \
    T "kernel(k) problem(p : W, n := W + 1)\n" T                                                   \
      "param(I : 3, 5 = 5) param(B : true, false = true)\n" T                                      \
      "param(E : LOW, HIGH = HIGH) param(Y : type float, double = double)\n" T                     \
      "arg(w : int = problem.W) arg(w2 : int = w * problem.n)\n" T "arg(x : in Y[w2 * I])\n" T     \
      "block(I, 2) grid(w)\n"

Test(bind, every_kind_of_name_has_its_value) {
    setting s = bind(NAMES, "W=10");
    cr_assert_eq(evaluate(&s, "I"), 5);
    cr_assert_eq(evaluate(&s, "B"), 1);
    cr_assert_eq(evaluate(&s, "E == HIGH && LOW == 0"), 1);
    cr_assert_eq(evaluate(&s, "Y"), 1);
    cr_assert_eq(evaluate(&s, "sizeof(Y)"), 8);
    cr_assert_eq(evaluate(&s, "problem.n"), 11);
    cr_assert_eq(evaluate(&s, "device.wavefront"), 64);
    cr_assert_eq(evaluate(&s, "w + w2"), 120);
    s.config.choice[0] = 0;
    s.config.choice[3] = 0;
    cr_assert_eq(evaluate(&s, "I * sizeof(Y)"), 12);
    int64_t elements;
    cr_assert_eq(ht_binding_extent(binding_of(&s), &s.config, ht_template_arg(s.template, "x"),
                                   &elements, NULL),
                 HT_OK);
    cr_assert_eq(elements, 330);
    unbind(&s);
}

Test(bind, every_device_field_is_a_name) {
    setting s = bind(NAMES, "W=10");
    ht_text text = {0};
#define HT_DEVICE_FIELD(name) ht_text_append(&text, "device." #name " + ");
    HT_DEVICE_FIELDS(HT_DEVICE_FIELD)
#undef HT_DEVICE_FIELD
    int64_t sum = 0;
#define HT_DEVICE_FIELD(name) sum += test_device.name;
    HT_DEVICE_FIELDS(HT_DEVICE_FIELD)
#undef HT_DEVICE_FIELD
    ht_text_append(&text, "0");
    cr_assert_eq(evaluate(&s, text.data), sum);
    ht_text_free(&text);
    unbind(&s);
}

Test(bind, an_error_inside_a_scalar_is_told_as_such) {
    setting s = bind(T "kernel(k) problem(p : W) block(1) grid(1)\n" T
                       "arg(a : int = 8 / problem.W)\n" T "arg(b : int = a + 1) require(b > 0)",
                     "W=0");
    bool legal;
    ht_error error;
    cr_assert_eq(ht_binding_legal(binding_of(&s), &s.config, &legal, NULL, &error), HT_ERROR_INPUT);
    cr_assert(strstr(error.message, "argument a: division by zero") != NULL, "%s", error.message);
    cr_assert(error.line == 2 && error.column == 30, "%d:%d", error.line, error.column);
    unbind(&s);
}

Test(bind, long_chains_of_scalars_are_computed_once_each) {
    ht_text text = {0};
    ht_text_append(&text,
                   T "kernel(k) problem(p : W) block(1) grid(1) arg(s0 : long = problem.W)\n");
    for (int i = 1; i < 60; ++i)
        ht_text_printf(&text, T "arg(s%d : long = s%d + s%d - s%d)\n", i, i - 1, i - 1, i - 1);
    setting s = bind(text.data, "W=7");
    cr_assert_eq(evaluate(&s, "s59"), 7); /* 2^59 evaluations, were they computed anew */
    ht_text_free(&text);
    unbind(&s);
}

Test(bind, geometry) {
    setting s = bind(NAMES, "W=10");
    ht_geometry geometry;
    cr_assert_eq(
        ht_binding_geometry(binding_of(&s), &s.config, &s.template->launches[0], &geometry, NULL),
        HT_OK);
    cr_assert(geometry.block[0] == 5 && geometry.block[1] == 2 && geometry.block[2] == 1);
    cr_assert(geometry.grid[0] == 10 && geometry.grid[1] == 1 && geometry.grid[2] == 1 &&
              !geometry.lds);
    unbind(&s);
}

typedef struct limit_case {
    const char *geometry;
    bool possible;      /* for ht_binding_geometry */
    const char *reason; /* NULL: legal */
} limit_case;

static const limit_case limit_cases[] = {
    {"block(1024) grid(1)", true, NULL},
    {"block(32, 32) grid(2147483647 / 1024, 65535, 65535) lds(65536)", true, NULL},
    {"block(1025) grid(1)", true, "block x of k is 1025: the limit is 1024"},
    {"block(1, 1, 65) grid(1)", true, "block z of k is 65: the limit is 64"},
    {"block(64, 32) grid(1)", true, "threads a block of k is 2048"},
    {"block(1) grid(1, 65536)", true, "grid y of k is 65536"},
    {"block(1) grid(1, 1, 65536)", true, "grid z of k is 65536"},
    {"block(1) grid(1) lds(65537)", true, "lds of k is 65537"},
    {"block(0) grid(1)", false, "block x of k is 0: must be positive"},
    {"block(1, -4) grid(1)", false, "block y of k is -4"},
    {"block(1) grid(1, 1, 0)", false, "grid z of k is 0"},
    {"block(1) grid(1) lds(-1)", false, "lds of k is -1: must be 0 or more"},
    {"block(1) grid(1 << 31)", false, "grid x of k"},
    {"block(1 << 40) grid(1)", false, "block x of k"},
    {"block(1024) grid(1 << 24)", false, "block times grid x of k"},
};

Test(bind, geometry_limits) {
    for (size_t i = 0; i < sizeof limit_cases / sizeof *limit_cases; ++i) {
        char *text = ht_format(T "kernel(k) %s", limit_cases[i].geometry);
        setting s = bind(text, NULL);
        bool legal;
        char *reason;
        ht_error error;
        ht_geometry geometry;
        cr_assert_eq(ht_binding_legal(binding_of(&s), &s.config, &legal, &reason, &error), HT_OK,
                     "%s", error.message);
        cr_expect_eq(legal, limit_cases[i].reason == NULL, "%s", text);
        cr_expect_eq(reason != NULL, !legal);
        if (reason && limit_cases[i].reason)
            cr_expect(strstr(reason, limit_cases[i].reason) != NULL, "%s: %s", text, reason);
        ht_status status =
            ht_binding_geometry(binding_of(&s), &s.config, s.template->launches, &geometry, &error);
        cr_expect_eq(status == HT_OK, limit_cases[i].possible, "%s", text);
        free(reason);
        free(text);
        unbind(&s);
    }
}

Test(bind, legality_names_the_first_constraint_that_fails) {
    setting s = bind(T "kernel(k) block(A) grid(1) param(A : 1, 2, 4 = 4)\n" T "require(A < 4)\n" T
                       "require(A < 2)\n",
                     NULL);
    static const char *const reasons[] = {NULL, "require(A < 2) (line 3)",
                                          "require(A < 4) (line 2)"};
    for (uint16_t i = 0; i < 3; ++i) {
        bool legal;
        char *reason;
        s.config.choice[0] = i;
        cr_assert_eq(ht_binding_legal(binding_of(&s), &s.config, &legal, &reason, NULL), HT_OK);
        cr_assert_eq(legal, i == 0);
        if (reasons[i])
            cr_assert(strstr(reason, reasons[i]) != NULL, "%s", reason);
        free(reason);
    }
    unbind(&s);
}

Test(bind, a_constraint_that_cannot_be_evaluated_is_an_error) {
    static const char *const texts[] = {
        T "kernel(k) block(1) grid(1) param(A : 0, 1 = 0) require(1 / A)",
        T "kernel(k) block(1 / A) grid(1) param(A : 0, 1 = 0)"};
    for (size_t i = 0; i < 2; ++i) {
        setting s = bind(texts[i], NULL);
        bool legal;
        char *reason;
        cr_assert_eq(ht_binding_legal(binding_of(&s), &s.config, &legal, &reason, NULL),
                     HT_ERROR_INPUT);
        cr_assert(!legal && !reason);
        unbind(&s);
    }
}

Test(bind, extents_must_be_positive_and_addressable) {
    static const struct {
        const char *extent;
        bool good;
    } cases[] = {{"1", true},
                 {"0", false},
                 {"-1", false},
                 {"1 << 37", true},
                 {"(1 << 37) + 1", false},
                 {"1 << 62", false},
                 {"1 / 0", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text =
            ht_format(T "kernel(k) block(1) grid(1) arg(x : in double[%s])", cases[i].extent);
        setting s = bind(text, NULL);
        int64_t elements;
        ht_error error = {0};
        ht_status status =
            ht_binding_extent(binding_of(&s), &s.config, s.template->args, &elements, &error);
        cr_expect_eq(status == HT_OK, cases[i].good, "%s", cases[i].extent);
        cr_expect(status == HT_OK || (error.line == 1 && error.message[0]));
        free(text);
        unbind(&s);
    }
}

Test(bind, what_reaches_the_compiler) {
    setting s =
        bind(T "kernel(k<T, 7, A, E>) block(1) grid(1) param(A : 4, 8 = 8) param(M : 2 = 2)\n" T
               "param(B : false, true = true) param(E : LOW, HIGH = HIGH)\n" T
               "param(T : type float, unsigned int = unsigned int)\n",
             NULL);
    char *name = ht_binding_name_expression(binding_of(&s), &s.config, s.template->launches);
    cr_assert_str_eq(name, "k<unsigned int, 7, 8, HIGH>");
    char **options;
    size_t count;
    ht_binding_macros(binding_of(&s), &s.config, &options, &count);
    cr_assert_eq(count, 2);
    cr_assert_str_eq(options[0], "-DM=2");
    cr_assert_str_eq(options[1], "-DB=true");
    for (size_t i = 0; i < count; ++i)
        free(options[i]);
    free(options);
    free(name);
    unbind(&s);
}

Test(bind, a_plain_function_has_a_plain_name) {
    setting s = bind(T "kernel(ns::k) block(1) grid(1)", NULL);
    char *name = ht_binding_name_expression(binding_of(&s), &s.config, s.template->launches);
    cr_assert_str_eq(name, "ns::k");
    free(name);
    unbind(&s);
}
