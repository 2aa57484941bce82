/* Expressions as C text: compiled, they have the value that the evaluator has, which expr_test.c
 * holds against 128 bits. */
#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "templates/expr/expr_c.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 1500, VARIABLES = 4 };

static const char *const names[VARIABLES] = {"a", "B_2", "problem.K", "device.units"};
static const char *const types[VARIABLES] = {"int", "unsigned", "size_t", "long long"};
static int64_t values[VARIABLES];

static int index_of(const char *name) {
    int i = 0;
    while (i < VARIABLES && strcmp(names[i], name) != 0)
        ++i;
    return i;
}

static bool lookup(const void *context, const char *name, int64_t *out_value) {
    (void)context;
    int i = index_of(name);
    *out_value = i < VARIABLES ? values[i] : 0;
    return i < VARIABLES;
}

static bool name_write(void *context, const char *name, ht_c_demand demand, ht_text *out) {
    (void)context;
    int i = index_of(name);
    bool plain = demand == HT_C_ANY || i == 3 || (demand == HT_C_MIXED && i != 2);
    ht_text_printf(out, plain ? "v%d" : "(long long)v%d", i);
    return i < VARIABLES;
}

/* Draws ends of the variables' types, and small numbers. */
static void values_draw(ht_random *random) {
    static const int64_t ends[VARIABLES][6] = {{0, 1, -1, 7, INT32_MAX, INT32_MIN},
                                               {0, 1, 2, 7, 3000000000, UINT32_MAX},
                                               {0, 1, 64, 3000000000, INT64_MAX, INT64_MAX - 1},
                                               {0, -1, 16, -64, INT64_MAX, INT64_MIN + 1}};
    for (int i = 0; i < VARIABLES; ++i)
        values[i] = ends[i][ht_random_below(random, 6)];
}

/* Grows a random expression; @ stands for one inside. */
static void grow(ht_random *random, int depth, ht_text *out) {
    static const char *const shapes[] = {"@ + @",
                                         "@ - @",
                                         "@ * @",
                                         "@ / @",
                                         "@ % @",
                                         "(@) << (@)",
                                         "@ >> 3",
                                         "@ & @",
                                         "@ | @",
                                         "@ ^ @",
                                         "@ == @",
                                         "(@) < (@)",
                                         "@ >= @",
                                         "@ && @",
                                         "@ || @",
                                         "!@",
                                         "-@",
                                         "~@",
                                         "@ ? @:@",
                                         "min(@, @, @)",
                                         "max(@, @)",
                                         "abs(@)",
                                         "clamp(@, 1, 64)",
                                         "is_pow2(@)",
                                         "pow2(@)",
                                         "ceil_div(@, @)",
                                         "round_up(@, 8)",
                                         "(@) / 256",
                                         "ceil_div(@, 32)",
                                         "(@) * 1",
                                         "((@) < (@)) << 40"};
    static const char *const leaves[] = {"0", "1", "3", "64", "65536", "2147483647", "4294967296"};
    unsigned kind = (unsigned)ht_random_below(random, 6);
    if (depth == 0 || kind == 0) {
        size_t i = ht_random_below(random, 11);
        ht_text_append(out, i < VARIABLES ? names[i] : leaves[i - VARIABLES]);
        return;
    }
    ht_text_append(out, "(");
    for (const char *at = shapes[ht_random_below(random, 31)]; *at; ++at) {
        if (*at == '@')
            grow(random, depth - 1, out);
        else
            ht_text_append_n(out, at, 1);
    }
    ht_text_append(out, ")");
}

static void case_write(const char *text, int64_t expected, ht_text *out) {
    ht_text_append(out, "    {\n");
    for (int i = 0; i < VARIABLES; ++i)
        ht_text_printf(out, "        volatile %s v%d = %" PRId64 ";\n", types[i], i, values[i]);
    ht_text_printf(out, "        if ((%s) != %" PRId64 " - %d) return puts(\"%s\"), 1;\n    }\n",
                   text, expected + (expected == INT64_MIN), expected == INT64_MIN, text);
}

static int program_run(const ht_text *program) {
    char *folder;
    ht_error error;
    cr_assert_eq(ht_dir_temporary("expr-c", &folder, &error), HT_OK, "%s", error.message);
    char *path = ht_path_join(folder, "main.cpp");
    char *command = ht_format("cd '%s' && c++ -w -std=c++17 -fsanitize=signed-integer-overflow "
                              "-fsanitize-undefined-trap-on-error main.cpp -o main && ./main",
                              folder);
    cr_assert_eq(ht_file_write(path, program->data, program->length, &error), HT_OK);
    int status = system(command); /* NOLINT(cert-env33-c): a command of this program's */
    ht_dir_remove(folder);
    free(command);
    free(path);
    free(folder);
    return status;
}

Test(expr_c, has_the_value_of_the_evaluator_whatever_the_types_of_names) {
    const ht_expr_naming naming = {.write = name_write};
    const ht_scope scope = {.lookup = lookup};
    ht_random random;
    ht_random_seed(&random, 13);
    ht_text program = {0};
    size_t cases = 0;
    ht_text_append(&program, "#include <cstdio>\nint main() {\n");
    for (int round = 0; round < 20 * CASES && cases < CASES; ++round) {
        ht_text text = {0}, printed = {0};
        int64_t expected;
        values_draw(&random);
        grow(&random, 1 + round % 4, &text);
        ht_expr *expr = test_expr(text.data);
        if (ht_expr_evaluate(expr, &scope, &expected, NULL) == HT_OK) {
            cr_assert(ht_expr_print_c(expr, &naming, round % 2, &printed), "%s", text.data);
            case_write(printed.data, expected, &program);
            ++cases;
        }
        ht_expr_free(expr);
        ht_text_free(&text);
        ht_text_free(&printed);
    }
    ht_text_append(&program, "}\n");
    cr_assert_eq(cases, CASES);
    cr_assert_eq(program_run(&program), 0);
    ht_text_free(&program);
}

/* Never holds: a variable is computed in any case, and nothing may move there that the expression
 * may not ask for. */
static void never_hold(void *context, const char *text, ht_text *out) {
    (void)context;
    (void)out;
    cr_assert_fail("%s", text);
}

Test(expr_c, leaves_where_it_is_what_may_not_be_computed) {
    const ht_expr_naming naming = {.write = name_write, .hold = never_hold};
    ht_text text = {0};
    ht_expr *expr = test_expr("a != 0 ? ceil_div(problem.K / a, 64) : 1");
    cr_assert(ht_expr_print_c(expr, &naming, true, &text));
    ht_expr_free(expr);
    ht_text_free(&text);
}

Test(expr_c, has_no_text_for_what_counts_in_a_loop) {
    const ht_expr_naming naming = {.write = name_write};
    ht_text text = {0};
    ht_expr *expr = test_expr("log2(a) + gcd(a, B_2)");
    cr_assert_not(ht_expr_print_c(expr, &naming, true, &text));
    ht_expr_free(expr);
    ht_text_free(&text);
}
