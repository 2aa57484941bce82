/* Spaces against a filter over every combination. */
#include "support.h"

#include "base/memory.h"
#include "templates/space/space.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define T "#pragma tune "

/* Returns a random template of few parameters, with constraints that always evaluate. */
static char *random_text(ht_random *random) {
    static const char *const params[] = {"param(P%d : 1..5 = 1)",
                                         "param(P%d : 8, 1, 4, 2 = 4)",
                                         "param(P%d : true, false = true)",
                                         "param(P%d : X, Y, Z = Z)",
                                         "param(P%d : 1 = 1)",
                                         "param(P%d : type float, double = float)",
                                         "param(P%d : 1..300 = 7)"};
    static const char *const names[] = {"P0", "P1", "P2", "P3", "P4", "problem.W"};
    ht_text text = {0};
    size_t count = ht_random_below(random, 5);
    bool wide = false;
    ht_text_append(&text, T "kernel(k) problem(p : W)\n");
    for (size_t i = 0; i < count; ++i) {
        size_t kind = ht_random_below(random, wide ? 6 : 7);
        wide |= kind == 6;
        ht_text_append(&text, T);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        ht_text_printf(&text, params[kind], (int)i);
#pragma GCC diagnostic pop
        ht_text_append(&text, "\n");
    }
    const char *usable[6];
    memcpy(usable, names, count * sizeof *names);
    usable[count] = names[5];
    for (size_t i = ht_random_below(random, 4); i; --i) {
        ht_text_append(&text, T "require(");
        test_generate_expr(random, 3, usable, count + 1, &text);
        ht_text_append(&text, ")\n");
    }
    ht_text_printf(&text, T "block(%s * 100) grid(1)\n", count ? "(2 + P0)" : "1");
    return ht_text_take(&text);
}

/* Moves to the next combination, last parameter fastest; false after the last. */
static bool next(const ht_template *template, ht_config *config) {
    for (size_t i = template->param_count; i-- > 0;) {
        if (++config->choice[i] < template->params[i].value_count)
            return true;
        config->choice[i] = 0;
    }
    return false;
}

/* Compares every combination in order: the legal ones are the space, the others are not in it.
 * Returns the number of legal ones. */
static uint64_t compare(const ht_binding *binding, const ht_space *space, const char *text) {
    ht_config config = {.count = (uint16_t)binding->template->param_count};
    uint64_t count = 0, combinations = 0, index;
    do {
        bool legal;
        ht_error error;
        cr_assert_eq(ht_binding_legal(binding, &config, &legal, NULL, &error), HT_OK, "%s\n%s",
                     text, error.message);
        bool found = space && ht_space_find(space, &config, &index);
        cr_assert_eq(found, legal && space, "%s", text);
        if (found) {
            ht_config at = ht_space_at(space, count);
            cr_assert_eq(index, count, "%s", text);
            cr_assert(ht_config_equal(&at, &config), "%s", text);
        }
        count += legal;
        ++combinations;
    } while (next(binding->template, &config));
    if (space)
        cr_assert_eq(ht_space_cartesian(space), combinations);
    return count;
}

Test(space, holds_what_a_filter_over_all_combinations_leaves) {
    ht_random random;
    ht_random_seed(&random, 41);
    size_t empty = 0, filtered = 0;
    for (int round = 0; round < 1500; ++round) {
        char *text = random_text(&random);
        ht_template *template = test_template(text);
        ht_problem problem;
        ht_error error;
        cr_assert_eq(ht_problem_parse(&template->problem, "W=6", &problem, NULL), HT_OK);
        ht_binding binding = {template, &problem, &test_device};
        ht_space *space = NULL;
        ht_status status = ht_space_build(&binding, 0, &space, &error);
        uint64_t count = compare(&binding, space, text);
        cr_assert_eq(status, count ? HT_OK : HT_ERROR_INPUT, "%s", text);
        if (space) {
            cr_assert_eq(ht_space_count(space), count, "%s", text);
            filtered += count < ht_space_cartesian(space);
        } else {
            cr_assert(strstr(error.message, "no configuration of kernel k is legal") != NULL, "%s",
                      error.message);
            ++empty;
        }
        ht_space_free(space);
        ht_problem_free(&problem);
        ht_template_free(template, 1);
        free(text);
    }
    cr_assert(empty > 100 && filtered > 200, "%zu empty, %zu filtered", empty, filtered);
}

/* Expressions that may fail: divisions by zero, shifts, overflow, logarithms of nothing. */
static void random_failing(ht_random *random, int depth, ht_text *out) {
    static const char *const formats[][3] = {{"(", " / ", ")"},
                                             {"(", " % ", ")"},
                                             {"(", " << ", ")"},
                                             {"(", " >> ", ")"},
                                             {"(", " * ", ")"},
                                             {"(", " - ", ")"},
                                             {"(", " && ", ")"},
                                             {"(", " || ", ")"},
                                             {"(", " < ", ")"},
                                             {"(", " == ", ")"},
                                             {"ceil_div(", ", ", ")"},
                                             {"round_up(", ", ", ")"},
                                             {"gcd(", ", ", ")"},
                                             {"clamp(", ", ", ", 5)"},
                                             {"(", " ? log2(A) : ", ")"},
                                             {"(", " + pow2(B) > ", ")"},
                                             {"(-", " != ~", ")"},
                                             {"(!", " + sizeof(T) | ", ")"},
                                             {"(", " * 4611686018427387904 ^ ", ")"},
                                             {"(n & ", " >= ", ")"}};
    static const char *const leaves[] = {"A", "B", "C", "n", "1", "0", "3", "Y", "is_pow2(A)"};
    if (!depth || !ht_random_below(random, 5)) {
        ht_text_append(out, leaves[ht_random_below(random, sizeof leaves / sizeof *leaves)]);
        return;
    }
    const char *const *format = formats[ht_random_below(random, sizeof formats / sizeof *formats)];
    ht_text_append(out, format[0]);
    random_failing(random, depth - 1, out);
    ht_text_append(out, format[1]);
    random_failing(random, depth - 1, out);
    ht_text_append(out, format[2]);
}

/* A space gives every combination the verdict of one evaluation of the whole expressions. */
Test(space, agrees_with_the_other_evaluator_where_expressions_fail) {
    ht_random random;
    size_t spaces = 0, faults = 0;
    ht_random_seed(&random, 43);
    for (int round = 0; round < 3000; ++round) {
        ht_text text = {0};
        ht_text_append(&text, T "kernel(k) param(A : 0, 1, -2, 8 = 1) param(B : 0..3 = 1)\n" T
                                "param(C : X, Y = X) param(T : type float, double = float)\n" T
                                "arg(m : int = 4) arg(n : int = m * 3 - 6 / (m - 3))\n");
        for (size_t i = 1 + ht_random_below(&random, 2); i; --i) {
            ht_text_append(&text, T "require(");
            random_failing(&random, 3, &text);
            ht_text_append(&text, ")\n");
        }
        ht_text_append(&text, T "block(");
        random_failing(&random, 1, &text);
        ht_text_append(&text, " + 2, B + 1) grid(A + 9)\n");
        ht_template *template = test_template(text.data);
        ht_binding binding = {template, NULL, &test_device};
        ht_config config = ht_config_default(template);
        ht_space *space = NULL;
        ht_error error = {0};
        ht_status status = ht_space_build(&binding, 0, &space, &error);
        bool any = false, failed = false;
        memset(config.choice, 0, sizeof config.choice);
        do {
            bool legal = false;
            bool known = ht_binding_legal(&binding, &config, &legal, NULL, NULL) == HT_OK;
            any |= known && legal;
            failed |= !known;
            if (space)
                cr_assert_eq(ht_space_legal(space, &config), known && legal, "%s", text.data);
        } while (next(template, &config));
        cr_assert(status == HT_OK || failed || !any, "%s\n%s", text.data, error.message);
        cr_assert(status != HT_OK || any, "%s", text.data);
        cr_assert(status == HT_OK || (status == HT_ERROR_INPUT && error.message[0]));
        spaces += status == HT_OK;
        faults += status != HT_OK && failed && any;
        ht_space_free(space);
        ht_template_free(template, 1);
        ht_text_free(&text);
    }
    cr_assert(spaces > 300 && faults > 300, "%zu spaces, %zu faults", spaces, faults);
}

static ht_space *build(ht_template *template, ht_binding *binding) {
    ht_space *space;
    ht_error error;
    *binding = (ht_binding){template, NULL, &test_device};
    cr_assert_eq(ht_space_build(binding, 0, &space, &error), HT_OK, "%s", error.message);
    return space;
}

Test(space, a_constraint_counted_by_hand) {
    ht_template *template =
        test_template(T "kernel(k) block(1) grid(1)\n" T
                        "param(A : 1..100 = 1) param(B : 1..100 = 1)\n" T "require(B % A == 0)");
    ht_binding binding;
    ht_space *space = build(template, &binding);
    uint64_t expected = 0;
    for (int a = 1; a <= 100; ++a)
        for (int b = 1; b <= 100; ++b)
            expected += b % a == 0;
    cr_assert_eq(ht_space_count(space), expected);
    cr_assert_eq(ht_space_cartesian(space), 10000);
    ht_space_free(space);
    ht_template_free(template, 1);
}

Test(space, sampling_is_uniform_over_legal_configurations) {
    ht_template *template =
        test_template(T "kernel(k) block(1) grid(1)\n" T
                        "param(A : 1..8 = 1) param(B : 1..8 = 1) param(C : false, true = true)\n" T
                        "require(A * B < 20 && (C || A > B))");
    ht_binding binding;
    ht_space *space = build(template, &binding);
    uint64_t count = ht_space_count(space);
    size_t *seen = ht_alloc(count, sizeof *seen);
    ht_random random;
    ht_random_seed(&random, 42);
    const size_t each = 400;
    for (size_t i = 0; i < each * count; ++i) {
        ht_config config = ht_space_sample(space, &random);
        uint64_t index;
        cr_assert(ht_space_find(space, &config, &index));
        ++seen[index];
    }
    double chi = 0, freedom = (double)count - 1;
    for (uint64_t i = 0; i < count; ++i)
        chi += ((double)seen[i] - each) * ((double)seen[i] - each) / each;
    /* Four standard deviations of the chi-squared distribution; the seed is fixed. */
    cr_assert(chi < freedom + 4 * __builtin_sqrt(2 * freedom), "chi squared %g of %g", chi,
              freedom);
    cr_assert_gt(count, 40);
    free(seen);
    ht_space_free(space);
    ht_template_free(template, 1);
}

Test(space, of_no_parameters_has_one_configuration) {
    ht_template *template = test_template(T "kernel(k) block(1) grid(1)");
    ht_binding binding;
    ht_space *space = build(template, &binding);
    ht_config config = ht_space_at(space, 0);
    uint64_t index = 7;
    cr_assert_eq(ht_space_count(space), 1);
    cr_assert(config.count == 0 && ht_space_find(space, &config, &index) && index == 0);
    ht_space_free(space);
    ht_template_free(template, 1);
}

Test(space, finds_no_foreign_configuration) {
    ht_template *template = test_template(T "kernel(k) block(1) grid(1) param(A : 1..300 = 1)");
    ht_binding binding;
    ht_space *space = build(template, &binding);
    ht_config config = {.count = 1};
    uint64_t index;
    config.choice[0] = 299;
    cr_assert(ht_space_find(space, &config, &index) && index == 299);
    config.choice[0] = 300;
    cr_assert_not(ht_space_find(space, &config, &index));
    config.choice[0] = 0;
    config.count = 2;
    cr_assert_not(ht_space_find(space, &config, &index));
    ht_space_free(space);
    ht_template_free(template, 1);
}

typedef struct empty_case {
    const char *text;
    const char *words[2];
    int line;
} empty_case;

static const empty_case empty_cases[] = {
    {T "kernel(k) block(1) grid(1) param(A : 1..4 = 1)\n" T "require(A < 9)\n" T "require(A > 4)",
     {"require(A > 4) in line 3 never holds", ""},
     3},
    {T "kernel(k) block(1) grid(1) param(A : 1..4 = 1)\n" T "require(A < 3)\n" T "require(A > 2)",
     {"require(A < 3) in line 2 and", "require(A > 2) in line 3 contradict"},
     2},
    {T "kernel(k) block(A * 512) grid(1) param(A : 3..4 = 3)",
     {"the device's limits on the launch of k never holds", ""},
     1},
    {T "kernel(k) block(1) grid(1) param(A : 0, 1 = 0) param(B : 0, 1 = 0) param(C : 0, 1 = 0)\n" T
       "require(A != B)\n" T "require(B != C)\n" T "require(A != C)",
     {"require(B != C) in line 3 and", "require(A != C) in line 4 cannot hold together"},
     2},
};

Test(space, an_empty_one_names_the_constraints_that_leave_nothing) {
    for (size_t i = 0; i < sizeof empty_cases / sizeof *empty_cases; ++i) {
        ht_template *template = test_template(empty_cases[i].text);
        ht_binding binding = {template, NULL, &test_device};
        ht_space *space;
        ht_error error;
        cr_assert_eq(ht_space_build(&binding, 0, &space, &error), HT_ERROR_INPUT);
        for (size_t w = 0; w < 2; ++w)
            cr_expect(strstr(error.message, empty_cases[i].words[w]) != NULL, "%s", error.message);
        cr_expect_eq(error.line, empty_cases[i].line);
        ht_template_free(template, 1);
    }
}

Test(space, an_unevaluable_constraint_is_an_error_unless_another_excludes_it) {
    static const char *const texts[] = {
        T "kernel(k) block(1) grid(1) param(A : 0, 1 = 1) param(B : 1, 2 = 1)\n" T
          "require(B / A > 0)",
        T "kernel(k) block(1) grid(1) param(A : 0, 1 = 1) param(B : 1, 2 = 1)\n" T
          "require(A > 0)\n" T "require(B / A > 0)",
        T "kernel(k) block(1) grid(1) param(A : 0, 1 = 1) param(B : 1, 2 = 1)\n" T
          "require(A > 0 && B > 0)\n" T "require(4 / A > 0)"};
    for (size_t i = 0; i < 3; ++i) {
        ht_template *template = test_template(texts[i]);
        ht_binding binding = {template, NULL, &test_device};
        ht_space *space = NULL;
        ht_error error = {0};
        ht_status status = ht_space_build(&binding, 0, &space, &error);
        cr_assert_eq(status, i ? HT_OK : HT_ERROR_INPUT, "%s: %s", texts[i], error.message);
        if (i)
            cr_assert_eq(ht_space_count(space), 2);
        else
            cr_assert(strstr(error.message, "division by zero") && error.line == 2);
        ht_space_free(space);
        ht_template_free(template, 1);
    }
}

Test(space, with_more_legal_configurations_than_asked_for_is_counted_but_not_listed) {
    ht_template *template =
        test_template(T "kernel(k) block(1) grid(1) param(A : 1..100 = 1) param(B : 1..100 = 1)");
    ht_binding binding = {template, NULL, &test_device};
    for (uint64_t most = 9999; most <= 10000; ++most) {
        ht_space *space;
        ht_error error;
        cr_assert_eq(ht_space_build(&binding, most, &space, &error), HT_OK, "%s", error.message);
        cr_assert_eq(ht_space_listed(space), most == 10000);
        cr_assert_eq(ht_space_count(space), 10000);
        ht_space_free(space);
    }
    ht_template_free(template, 1);
}
