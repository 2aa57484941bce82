/* Expressions against a second, independent implementation: random trees evaluated in 128 bits. */
#include "support.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 wide;

/* The independent model: a tree of its own with its own operator table. */
typedef struct tree {
    const char *op; /* NULL for leaves; "?" for ?:; a name with '(' for calls */
    int level; /* how tightly it binds, from C's table: 0 for ?: to 10 for *; 11 unary; 12 leaves
                  and calls */
    int64_t number;
    int variable; /* -1: the number */
    struct tree *kid[3];
} tree;

static const struct {
    const char *text;
    int level;
} model_binary[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
                    {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"<<", 8},
                    {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
static const char *const model_unary[] = {"-", "+", "!", "~"};
static const struct {
    const char *text;
    int arguments;
} model_calls[] = {{"min(", 3},   {"max(", 2},     {"ceil_div(", 2}, {"round_up(", 2}, {"abs(", 1},
                   {"clamp(", 3}, {"is_pow2(", 1}, {"log2(", 1},     {"pow2(", 1},     {"gcd(", 2}};
static const char *const variables[] = {"a", "B_2", "problem.K", "device.units"};
static int64_t variable_values[4];

static tree *leaf(ht_random *random) {
    static const int64_t special[] = {0, 1, 2, 3, 63, 64, INT64_MAX, INT64_MIN, INT64_MAX - 1, -1};
    tree *t = ht_alloc(1, sizeof *t);
    t->level = 12;
    t->variable = (int)ht_random_below(random, 8) - 4;
    if (t->variable < 0) {
        t->variable = -1;
        t->number = ht_random_below(random, 3) ? (int64_t)ht_random_below(random, 20)
                                               : special[ht_random_below(random, 10)];
        if (t->number < 0)
            t->level = 11; /* written with a sign */
    }
    return t;
}

static tree *grow(ht_random *random, int depth) {
    if (!depth || ht_random_below(random, 6) == 0)
        return leaf(random);
    tree *t = ht_alloc(1, sizeof *t);
    unsigned kind = (unsigned)ht_random_below(random, 10);
    int kids;
    t->variable = -1;
    if (kind < 6) {
        size_t i = ht_random_below(random, sizeof model_binary / sizeof *model_binary);
        t->op = model_binary[i].text;
        t->level = model_binary[i].level;
        kids = 2;
    } else if (kind < 7) {
        t->op = model_unary[ht_random_below(random, 4)];
        t->level = 11;
        kids = 1;
    } else if (kind < 8) {
        t->op = "?";
        kids = 3;
    } else {
        size_t i = ht_random_below(random, sizeof model_calls / sizeof *model_calls);
        t->op = model_calls[i].text;
        t->level = 12;
        kids = model_calls[i].arguments;
    }
    for (int i = 0; i < kids; ++i)
        t->kid[i] = grow(random, depth - 1);
    return t;
}

static void chop(tree *t) {
    for (int i = 0; i < 3 && t->kid[i]; ++i)
        chop(t->kid[i]);
    free(t);
}

static bool is_call(const tree *t) {
    return t->op && strchr(t->op, '(');
}

/* Prints with the parentheses that C needs, and some that it does not when `random` is given. */
static void print(const tree *t, int level, ht_random *random, ht_text *out) {
    bool parentheses = t->level < level || (random && ht_random_below(random, 5) == 0);
    ht_text_append(out, parentheses ? "(" : "");
    if (!t->op) {
        if (t->variable >= 0)
            ht_text_append(out, variables[t->variable]);
        else
            ht_text_printf(out, "%" PRId64, t->number);
    } else if (is_call(t)) {
        ht_text_append(out, t->op);
        for (int i = 0; i < 3 && t->kid[i]; ++i) {
            ht_text_append(out, i ? "," : "");
            print(t->kid[i], 0, random, out);
        }
        ht_text_append(out, ")");
    } else if (t->level == 11) {
        ht_text_printf(out, "%s ", t->op);
        print(t->kid[0], 11, random, out);
    } else if (t->op[0] == '?') {
        print(t->kid[0], 1, random, out);
        ht_text_append(out, "?");
        print(t->kid[1], 0, random, out);
        ht_text_append(out, ":");
        print(t->kid[2], 0, random, out);
    } else {
        print(t->kid[0], t->level, random, out);
        ht_text_printf(out, " %s ", t->op);
        print(t->kid[1], t->level + 1, random, out);
    }
    ht_text_append(out, parentheses ? ")" : "");
}

static bool fits(wide value, int64_t *out) {
    *out = (int64_t)value;
    return value >= INT64_MIN && value <= INT64_MAX;
}

static bool model(const tree *t, int64_t *out);

static wide floor_div(wide a, wide b) {
    wide q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static bool model_call(const tree *t, int64_t *out) {
    wide v[3] = {0};
    int count = 0;
    for (; count < 3 && t->kid[count]; ++count) {
        int64_t value;
        if (!model(t->kid[count], &value))
            return false;
        v[count] = value;
    }
    const char *op = t->op;
    if (!strcmp(op, "min(")) {
        wide m = v[0] < v[1] ? v[0] : v[1];
        return fits(m < v[2] ? m : v[2], out);
    }
    if (!strcmp(op, "max("))
        return fits(v[0] > v[1] ? v[0] : v[1], out);
    if (!strcmp(op, "ceil_div("))
        return v[1] != 0 && fits(-floor_div(-v[0], v[1]), out);
    if (!strcmp(op, "round_up("))
        return v[1] > 0 && fits(-floor_div(-v[0], v[1]) * v[1], out);
    if (!strcmp(op, "abs("))
        return fits(v[0] < 0 ? -v[0] : v[0], out);
    if (!strcmp(op, "clamp("))
        return v[1] <= v[2] && fits(v[0] < v[1] ? v[1] : v[0] > v[2] ? v[2] : v[0], out);
    if (!strcmp(op, "gcd(")) {
        wide a = v[0] < 0 ? -v[0] : v[0], b = v[1] < 0 ? -v[1] : v[1];
        while (b) {
            wide r = a % b;
            a = b;
            b = r;
        }
        return fits(a, out);
    }
    if (!strcmp(op, "pow2(")) {
        wide p = 1;
        for (wide i = 0; i < v[0] && i < 100; ++i)
            p *= 2;
        return v[0] >= 0 && v[0] < 100 && fits(p, out);
    }
    int log = 0;
    wide power = 1;
    while (power * 2 <= v[0]) {
        power *= 2;
        ++log;
    }
    if (!strcmp(op, "is_pow2("))
        return fits(power == v[0], out);
    return v[0] > 0 && fits(log, out); /* log2 */
}

static bool model_two(const char *op, wide a, wide b, int64_t *out) {
    wide power = 1;
    if (!strcmp(op, "+"))
        return fits(a + b, out);
    if (!strcmp(op, "-"))
        return fits(a - b, out);
    if (!strcmp(op, "*"))
        return fits(a * b, out);
    if (!strcmp(op, "/"))
        return b != 0 && fits(a / b, out);
    if (!strcmp(op, "%")) /* C has no remainder where the quotient does not fit */
        return b != 0 && fits(a / b, out) && fits(a % b, out);
    if (!strcmp(op, "<<") || !strcmp(op, ">>")) {
        if (b < 0 || b > 63)
            return false;
        for (wide i = 0; i < b; ++i)
            power *= 2;
        return fits(op[0] == '<' ? a * power : floor_div(a, power), out);
    }
    bool result = !strcmp(op, "==")   ? a == b
                  : !strcmp(op, "!=") ? a != b
                  : !strcmp(op, "<")  ? a < b
                  : !strcmp(op, "<=") ? a <= b
                  : !strcmp(op, ">")  ? a > b
                  : !strcmp(op, ">=") ? a >= b
                                      : false;
    *out = result;
    if (!strcmp(op, "|"))
        *out = (int64_t)((uint64_t)a | (uint64_t)b);
    if (!strcmp(op, "&"))
        *out = (int64_t)((uint64_t)a & (uint64_t)b);
    if (!strcmp(op, "^"))
        *out = (int64_t)((uint64_t)a ^ (uint64_t)b);
    return true;
}

/* Computes by the model; false: an error. */
static bool model(const tree *t, int64_t *out) {
    int64_t a, b;
    if (!t->op) {
        *out = t->variable >= 0 ? variable_values[t->variable] : t->number;
        return true;
    }
    if (is_call(t))
        return model_call(t, out);
    if (!model(t->kid[0], &a))
        return false;
    if (t->op[0] == '?')
        return model(t->kid[a ? 1 : 2], out);
    if (t->level == 11)
        return fits(t->op[0] == '-'   ? -(wide)a
                    : t->op[0] == '!' ? a == 0
                    : t->op[0] == '~' ? -(wide)a - 1
                                      : a,
                    out);
    if (!strcmp(t->op, "&&") || !strcmp(t->op, "||")) {
        bool decided = (t->op[0] == '|') == (a != 0);
        *out = a != 0;
        if (!decided) {
            if (!model(t->kid[1], &b))
                return false;
            *out = b != 0;
        }
        return true;
    }
    return model(t->kid[1], &b) && model_two(t->op, a, b, out);
}

static bool lookup(const void *context, const char *name, int64_t *out_value) {
    (void)context;
    for (int i = 0; i < 4; ++i)
        if (!strcmp(variables[i], name)) {
            *out_value = variable_values[i];
            return true;
        }
    return false;
}

static const ht_scope scope = {.lookup = lookup};

static void random_variables(ht_random *random) {
    static const int64_t values[] = {0, 1, -1, 7, 16, -64, 63, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 4; ++i)
        variable_values[i] = values[ht_random_below(random, 9)];
}

Test(expr, evaluates_as_an_independent_model_in_128_bits_does) {
    ht_random random;
    ht_random_seed(&random, 11);
    size_t errors = 0, values = 0;
    for (int round = 0; round < 30000; ++round) {
        tree *t = grow(&random, 1 + round % 5);
        ht_text text = {0};
        ht_error error;
        int64_t expected = 0, got = 0;
        random_variables(&random);
        print(t, 0, &random, &text);
        ht_expr *expr = test_expr(text.data);
        bool good = model(t, &expected);
        ht_status status = ht_expr_evaluate(expr, &scope, &got, &error);
        cr_assert_eq(status == HT_OK, good, "%s: %s", text.data,
                     status == HT_OK ? "no error" : error.message);
        if (good)
            cr_assert_eq(got, expected, "%s: %" PRId64 ", not %" PRId64, text.data, got, expected);
        else
            cr_assert(error.line == 1 && error.column >= 1 && error.column <= (int)text.length &&
                          error.message[0],
                      "%s: %d:%d", text.data, error.line, error.column);
        good ? ++values : ++errors;
        ht_expr_free(expr);
        ht_text_free(&text);
        chop(t);
    }
    cr_assert_gt(values, 5000);
    cr_assert_gt(errors, 2000);
}

Test(expr, parses_by_c_precedence_whatever_the_parentheses) {
    ht_random random;
    ht_random_seed(&random, 12);
    for (int round = 0; round < 5000; ++round) {
        tree *t = grow(&random, 5);
        ht_text few = {0}, many = {0};
        print(t, 0, NULL, &few);
        print(t, 0, &random, &many);
        ht_expr *a = test_expr(few.data), *b = test_expr(many.data);
        cr_assert(ht_expr_equal(a, b), "%s\n%s", few.data, many.data);
        ht_expr_free(a);
        ht_expr_free(b);
        ht_text_free(&few);
        ht_text_free(&many);
        chop(t);
    }
}

/* Returns the closing parenthesis of the one at `open`. */
static size_t matching(const char *text, size_t open) {
    int depth = 0;
    for (size_t i = open;; ++i) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (!depth)
            return i;
    }
}

Test(expr, prints_what_parses_to_the_same_with_no_parenthesis_too_many) {
    ht_random random;
    ht_random_seed(&random, 13);
    for (int round = 0; round < 2000; ++round) {
        tree *t = grow(&random, 5);
        ht_text text = {0};
        print(t, 0, &random, &text);
        ht_expr *expr = test_expr(text.data);
        char *printed = ht_expr_string(expr);
        ht_expr *again = test_expr(printed);
        cr_assert(ht_expr_equal(expr, again), "%s -> %s", text.data, printed);
        for (size_t i = 0; printed[i]; ++i) {
            if (printed[i] != '(' ||
                (i && (printed[i - 1] == '_' || (printed[i - 1] >= '0' && printed[i - 1] <= '9') ||
                       (printed[i - 1] >= 'a' && printed[i - 1] <= 'z'))))
                continue; /* a call's */
            char *less = ht_strdup(printed);
            less[i] = less[matching(printed, i)] = ' ';
            ht_expr *other;
            if (ht_expr_parse(less, (ht_place){0}, &other, NULL) == HT_OK) {
                cr_assert_not(ht_expr_equal(expr, other), "parentheses at %zu of %s are not needed",
                              i, printed);
                ht_expr_free(other);
            }
            free(less);
        }
        ht_expr *copy = ht_expr_copy(expr);
        cr_assert(ht_expr_equal(expr, copy));
        ht_expr_free(copy);
        ht_expr_free(again);
        ht_expr_free(expr);
        free(printed);
        ht_text_free(&text);
        chop(t);
    }
}

static int64_t value_of(const char *text) {
    ht_expr *expr = test_expr(text);
    int64_t value = 0;
    ht_error error = {0};
    ht_status status = ht_expr_evaluate(expr, &scope, &value, &error);
    cr_assert_eq(status, HT_OK, "%s: %s", text, error.message);
    ht_expr_free(expr);
    return value;
}

Test(expr, logic_evaluates_only_what_it_needs) {
    cr_assert_eq(value_of("0 && 1 / 0"), 0);
    cr_assert_eq(value_of("5 || no_such_name"), 1);
    cr_assert_eq(value_of("1 ? 7 : 1 << 99"), 7);
    cr_assert_eq(value_of("0 ? log2(0) : 8"), 8);
    cr_assert_eq(value_of("0 || 9"), 1);
    cr_assert_eq(value_of("2 && 4"), 1);
}

Test(expr, literals) {
    cr_assert_eq(value_of("0x7fffffffffffffff"), INT64_MAX);
    cr_assert_eq(value_of("0b1011"), 11);
    cr_assert_eq(value_of("-9223372036854775808"), INT64_MIN);
    cr_assert_eq(value_of("- 9223372036854775808"), INT64_MIN);
    cr_assert_eq(value_of("true + true + false"), 2);
    cr_assert_eq(value_of("- -5"), 5);
    cr_assert_eq(value_of("sizeof(float) + sizeof( unsigned  long int ) + sizeof(float4)"), 28);
    cr_assert_eq(
        value_of("sizeof(std::uint16_t) + sizeof(__half) + sizeof(dim3) + sizeof(double3)"), 40);
}

Test(expr, type_parameters_have_the_size_of_the_scope) {
    ht_scope typed = {.type_size = lookup};
    ht_expr *expr = test_expr("sizeof(a) * 2");
    int64_t value;
    variable_values[0] = 21;
    cr_assert_eq(ht_expr_evaluate(expr, &typed, &value, NULL), HT_OK);
    cr_assert_eq(value, 42);
    ht_expr_free(expr);
}

typedef struct wrong {
    const char *text;
    int column;
    const char *words; /* in the message */
} wrong;

Test(expr, evaluation_errors_point_at_their_operator) {
    static const wrong cases[] = {
        {"9223372036854775807 + 1", 21, "overflow"},
        {"1 + (-9223372036854775808 - 1)", 27, "overflow"},
        {"2 * 4611686018427387904", 3, "overflow"},
        {"-9223372036854775808 / -1", 22, "overflow"},
        {"-9223372036854775808 % -1", 22, "overflow"},
        {"1 / (2 - 2)", 3, "division by zero"},
        {"1 % 0", 3, "division by zero"},
        {"1 << 64", 3, "0 to 63"},
        {"1 >> -1", 3, "0 to 63"},
        {"1 << 63", 3, "overflow"},
        {"-(-9223372036854775808)", 1, "overflow"},
        {"1 + abs(-9223372036854775808)", 5, "overflow"},
        {"ceil_div(3, 0)", 1, "division by zero"},
        {"round_up(3, 0)", 1, "positive"},
        {"round_up(9223372036854775807, 2)", 1, "overflow"},
        {"log2(0)", 1, "positive"},
        {"pow2(63)", 1, "0 to 62"},
        {"clamp(1, 3, 2)", 1, "bound"},
        {"gcd(-9223372036854775808, 0)", 1, "overflow"},
        {"3 +\n  nothing", 3, "unknown name 'nothing'"},
        {"sizeof(thing)", 1, "unknown type 'thing'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_expr *expr = test_expr(cases[i].text);
        ht_error error;
        int64_t value;
        cr_assert_eq(ht_expr_evaluate(expr, &scope, &value, &error), HT_ERROR_INPUT, "%s",
                     cases[i].text);
        cr_expect_eq(error.column, cases[i].column, "%s: column %d: %s", cases[i].text,
                     error.column, error.message);
        cr_expect_eq(error.line, strchr(cases[i].text, '\n') ? 2 : 1);
        cr_expect(strstr(error.message, cases[i].words) != NULL, "%s: %s", cases[i].text,
                  error.message);
        cr_expect_str_eq(error.file, "test");
        ht_expr_free(expr);
    }
}

Test(expr, malformed_text_is_refused_at_its_column) {
    static const wrong cases[] = {
        {"", 1, "nothing"},
        {"  ", 1, "nothing"},
        {"1 +", 4, "the expression ends"},
        {"1 + )", 5, "found ')'"},
        {"(1 + 2", 7, "expected ')'"},
        {"1 2", 3, "found '2'"},
        {"a = 2", 3, "=="},
        {"a.b. c", 4, "unexpected character '.'"},
        {"1.5", 1, "integers"},
        {"12ab", 1, "malformed number"},
        {"0x", 1, "malformed number"},
        {"010", 1, "octal"},
        {"9223372036854775808", 1, "too large"},
        {"99999999999999999999", 1, "too large"},
        {"f(1)", 1, "unknown function 'f'"},
        {"min(1)", 1, "2 arguments or more"},
        {"abs(1, 2)", 1, "1 argument"},
        {"clamp(1, 2)", 1, "3 arguments"},
        {"min", 4, "expected '('"},
        {"min()", 5, "expected a number"},
        {"1 ? 2", 6, "expected ':'"},
        {"sizeof", 7, "expected '('"},
        {"sizeof()", 7, "needs a type"},
        {"sizeof(float", 7, "no ')'"},
        {"a @ b", 3, "unexpected character '@'"},
        {"a \x80", 3, "byte 0x80"},
        {"\"a\"", 1, "unexpected character"},
        {"a ++ b - ", 10, "the expression ends"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_expr *expr = NULL;
        ht_error error = {0};
        ht_status status = ht_expr_parse(cases[i].text, (ht_place){"test", 3, 1}, &expr, &error);
        cr_assert_eq(status, HT_ERROR_INPUT, "'%s' was taken", cases[i].text);
        cr_expect(error.line == 3 && error.column == cases[i].column, "'%s': %d:%d: %s",
                  cases[i].text, error.line, error.column, error.message);
        cr_expect(strstr(error.message, cases[i].words) != NULL, "'%s': %s", cases[i].text,
                  error.message);
    }
}

Test(expr, depth_is_limited_not_fatal) {
    static const char *const pieces[][3] = {{"(", "1", ")"},
                                            {"-", "x", ""},
                                            {"1 + ", "1", ""},
                                            {"1 ? 2 : ", "3", ""},
                                            {"abs(", "1", ")"}};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
        ht_text text = {0};
        ht_error error;
        ht_expr *expr;
        for (int n = 0; n < 100000; ++n)
            ht_text_append(&text, pieces[i][0]);
        ht_text_append(&text, pieces[i][1]);
        for (int n = 0; n < 100000; ++n)
            ht_text_append(&text, pieces[i][2]);
        cr_assert_eq(ht_expr_parse(text.data, (ht_place){0}, &expr, &error), HT_ERROR_INPUT);
        cr_assert(strstr(error.message, "too deep") != NULL, "%s", error.message);
        ht_text_free(&text);
    }
}

static void collect(void *context, const char *name) {
    ht_text_printf(context, "%s;", name);
}

Test(expr, names_are_visited_once_an_occurrence) {
    ht_expr *expr = test_expr("a + min(b, a) * sizeof(T) ? problem.K : 3");
    ht_text names = {0};
    ht_expr_names(expr, collect, &names);
    cr_assert_str_eq(names.data, "a;b;a;T;problem.K;");
    ht_text_free(&names);
    ht_expr_free(expr);
}

Test(expr, equality_sees_every_difference) {
    static const char *const texts[] = {
        "a + b",     "b + a",        "a - b",     "a + 1", "a + 2",     "-a",   "~a", "min(a, b)",
        "max(a, b)", "min(a, b, b)", "sizeof(a)", "a",     "a ? b : b", "true", "1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        for (size_t j = 0; j < sizeof texts / sizeof *texts; ++j) {
            ht_expr *a = test_expr(texts[i]), *b = test_expr(texts[j]);
            cr_assert_eq(ht_expr_equal(a, b), i == j, "%s, %s", texts[i], texts[j]);
            ht_expr_free(a);
            ht_expr_free(b);
        }
}

static void collect_condition(void *context, const ht_expr *condition) {
    ht_text *text = context;
    ht_text_append(text, text->length ? "; " : "");
    ht_expr_print(condition, text);
}

Test(expr, conditions_of_choices_are_found_outermost_first) {
    ht_text text = {0};
    ht_expr *expr;
    ht_error error;
    cr_assert_eq(ht_expr_parse("1 + (a < 3 ? (b ? 1 : 2) : max(4, c == d ? 5 : 6))", (ht_place){0},
                               &expr, &error),
                 HT_OK);
    ht_expr_choices(expr, collect_condition, &text);
    cr_expect_str_eq(text.data, "a < 3; b; c == d");
    ht_expr_choices(NULL, collect_condition, &text);
    cr_expect_str_eq(text.data, "a < 3; b; c == d");
    ht_text_free(&text);
    ht_expr_free(expr);
}
