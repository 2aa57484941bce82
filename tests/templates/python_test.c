/* Python expressions, against CPython 3.11. */
#include "base/memory.h"
#include "templates/space/space.h"
#include "templates/t1/python.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static bool lookup(const void *context, const char *name, uint32_t *out_instruction) {
    const ht_python_scope *scope = *(const ht_python_scope *const *)context;
    int64_t value = !strcmp(name, "a") ? 7 : !strcmp(name, "b") ? -3 : !strcmp(name, "z") ? 0 : 99;
    *out_instruction = ht_code_whole(scope->code, value);
    return value != 99;
}

static int64_t ordinal(const void *context, const char *text) {
    (void)context;
    return text[0]; /* one-letter texts, in order */
}

static ht_status compute(const char *text, double *out, ht_error *error) {
    const ht_python_scope *self;
    ht_python_scope scope = {
        .code = ht_code_new(), .lookup = lookup, .ordinal = ordinal, .context = &self};
    ht_python_node *node = NULL;
    uint32_t made = 0;
    self = &scope;
    ht_status status = ht_python_parse(text, &node, error);
    if (status == HT_OK)
        status = ht_python_code(&scope, node, &made, error);
    if (status == HT_OK) {
        const ht_instruction *in = ht_code_at(scope.code, made);
        if (in->op == HT_CODE_FAIL)
            status = ht_error_set(error, HT_ERROR_INPUT, "%s",
                                  ht_fault_text((ht_fault)in->constant.whole));
        else
            *out = in->type == HT_CODE_REAL ? in->constant.real : (double)in->constant.whole;
    }
    ht_python_free(node);
    ht_code_free(scope.code);
    return status;
}

typedef struct known {
    const char *text;
    double value;
} known;

static const known values[] = {
    {"1 + 2 * 3", 7},
    {"-7 // 2", -4},
    {"-7 % 3", 2},
    {"7 % -3", -2},
    {"b % a", 4},
    {"a // b", -3},
    {"7 / 2", 3.5},
    {"6 / 2 == 3", 1},
    {"2 ** 3 ** 2", 512},
    {"-2 ** 2", -4},
    {"2 ** -1", 0.5},
    {"(-2) ** 3", -8},
    {"7.5 // 2", 3},
    {"-7.5 % 2", 0.5},
    {"1 < 2 < 3", 1},
    {"1 < 3 < 2", 0},
    {"3 > 2 >= 2 != 1 == 1", 1},
    {"not 0 == 0", 0},
    {"not z", 1},
    {"a and b", -3},
    {"z and 1 // z", 0},
    {"z or b", -3},
    {"a or 1 // z", 7},
    {"5 if z else 6", 6},
    {"1 if a > 0 else 1 // z", 1},
    {"a in [1, 7]", 1},
    {"a not in (1, 7)", 0},
    {"a in []", 0},
    {"min(a, b, 0)", -3},
    {"max([a, b, 2.5])", 7},
    {"abs(b) + int(-2.9) + int(a / 2)", 4},
    {"True + True", 2},
    {"0x10 + 0b11 + 0o7 + 1_000", 1026},
    {"1e3 == 1000", 1},
    {".5 + 1.", 1.5},
    {"'x' == 'x' and 'x' != \"y\"", 1},
    {"'a' < 'b'", 1},
    {"'a' == 1", 0},
    {"bool('x')", 1},
    {"9223372036854775807", 9223372036854775807.0},
    {"+-+a", -7},
    {"float(a) / 2", 3.5},
};

Test(python, computes_what_python_does) {
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        double value = 0;
        ht_error error = {0};
        cr_expect_eq(compute(values[i].text, &value, &error), HT_OK, "%s: %s", values[i].text,
                     error.message);
        cr_expect_eq(value, values[i].value, "%s is %g, not %g", values[i].text, values[i].value,
                     value);
    }
}

typedef struct wrong {
    const char *text, *words;
    int column;
} wrong;

static const wrong wrongs[] = {
    {"", "expected a value at the end", 1},
    {"1 +", "expected a value at the end", 4},
    {"1 2", "expected an operator, not '2'", 3},
    {"(1", "expected ')' at the end", 3},
    {"a && b", "'&' is not supported", 3},
    {"a = 1", "'=' is not supported", 3},
    {"!a", "'!' is not supported", 1},
    {"a.b", "'.' is not supported", 2},
    {"lambda", "expected a value, not 'lambda'", 1},
    {"a is b", "expected an operator, not 'is'", 3},
    {"None", "expected a value, not 'None'", 1},
    {"foo(1)", "function foo() is not supported", 1},
    {"1 + q", "unknown name 'q'", 5},
    {"'x' + 1", "arithmetic with a string", 1},
    {"'x' < 1", "an order of a string and a number", 5},
    {"a in b", "'in' takes a list", 6},
    {"[1, 2]", "a list is not supported here", 1},
    {"1 if 2", "expected 'else' at the end", 7},
    {"010", "'010' is no number", 1},
    {"0x", "'0x' is no number", 1},
    {"99999999999999999999", "does not fit 64 bits", 1},
    {"'abc", "nothing closes this '", 1},
    {"'a\\q'", "the escape '\\q' is not supported", 3},
    {"min()", "min() of nothing", 1},
    {"abs(1, 2)", "abs() takes one argument", 1},
    {"1 // 0", "division by zero", 0},
    {"9223372036854775807 + 1", "a number is too large", 0},
    {"2 ** 64", "a number is too large", 0},
    {"\x80", "unexpected character", 1},
};

Test(python, refuses_the_rest_by_name_and_place) {
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; ++i) {
        double value;
        ht_error error = {0};
        cr_expect_eq(compute(wrongs[i].text, &value, &error), HT_ERROR_INPUT, "%s", wrongs[i].text);
        cr_expect(strstr(error.message, wrongs[i].words) != NULL, "%s: %s", wrongs[i].text,
                  error.message);
        cr_expect_eq(error.column, wrongs[i].column, "%s: column %d", wrongs[i].text, error.column);
    }
}

Test(python, nesting_too_deep_is_an_error) {
    ht_text text = {0};
    ht_error error = {0};
    double value;
    for (int i = 0; i < 100000; ++i)
        ht_text_append(&text, "(");
    cr_expect_eq(compute(text.data, &value, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "nested deeper") != NULL, "%s", error.message);
    ht_text_free(&text);
    for (int i = 0; i < 100000; ++i)
        ht_text_append(&text, "1+");
    ht_text_append(&text, "1");
    cr_expect_eq(compute(text.data, &value, &error), HT_ERROR_INPUT);
    cr_expect(strstr(error.message, "nested deeper") != NULL, "%s", error.message);
    ht_text_free(&text);
}

static char *list_text(const char *text) {
    ht_python_value *items;
    size_t count;
    ht_error error = {0};
    ht_text out = {0};
    if (ht_python_list(text, &items, &count, &error) != HT_OK)
        return ht_format("error: %s", error.message);
    for (size_t i = 0; i < count; ++i) {
        ht_text_append(&out, i ? " " : "");
        ht_python_value_print(&items[i], &out);
    }
    ht_python_list_free(items, count);
    return ht_text_take(&out);
}

Test(python, lists_of_values) {
    static const char *const lists[][2] = {
        {"[1, 2, 4]", "1 2 4"},
        {"[]", ""},
        {"(1, 2.5, 'x', True)", "1 2.5 x True"},
        {"[1.0, 1e-7, 3 / 2]", "1.0 1e-7 1.5"},
        {"list(range(3))", "0 1 2"},
        {"range(10, 0, -3)", "10 7 4 1"},
        {"[2**i for i in range(5)]", "1 2 4 8 16"},
        {"[32 * i for i in range(1, 4)]", "32 64 96"},
        {"[1] + [2 * i for i in range(1, 3)] + [9]", "1 2 4 9"},
        {"[i for i in range(10) if i % 3 == 0 or i == 1]", "0 1 3 6 9"},
        {"[x if x else 5 for x in [0, 1]]", "5 1"},
        {"sorted([3, 1.5, 2])", "1.5 2 3"},
        {"[False, True]", "False True"},
        {"[4] * 3", "4 4 4"},
        {"[x for x in ['p', 'q']]", "p q"},
        {"7", "error: expected a list"},
        {"range(1, 5, 0)", "error: the step of range() is 0"},
        {"range(100000000)", "error: the list is longer"},
        {"[1 // 0]", "error: division by zero"},
        {"[i for i in range(3) for j in range(3)]", "error: a second 'for'"},
        {"np.arange(3)", "error: '.' is not supported"},
        {"foo(3)", "error: foo() is no list here"},
        {"[q for i in range(2)]", "error: unknown name 'q'"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        char *found = list_text(lists[i][0]);
        cr_expect_eq(strncmp(found, lists[i][1], strlen(lists[i][1]) + (*found != 'e')), 0,
                     "%s: %s", lists[i][0], found);
        free(found);
    }
}

typedef struct file_case {
    const char *text, *words;
} file_case;

#define FILE_OF(parameters, conditions)                                                            \
    "{\"ConfigurationSpace\": {\"TuningParameters\": [" parameters                                 \
    "], \"Conditions\": [" conditions "]}}"
#define A "{\"Name\": \"a\", \"Values\": \"[1, 2]\"}"

static const file_case files[] = {
    {"", "'[' or '{' expected"},
    {"{}", "\"ConfigurationSpace\""},
    {"{\"ConfigurationSpace\": {}}", "ConfigurationSpace.TuningParameters: expected an array"},
    {FILE_OF("7", ""), "ConfigurationSpace.TuningParameters[0]: expected an object"},
    {FILE_OF("{\"Name\": \"a b\", \"Values\": \"[1]\"}", ""), "'a b' is no name"},
    {FILE_OF(A ", " A, ""), "two parameters 'a'"},
    {FILE_OF("{\"Name\": \"a\", \"Values\": \"[]\"}", ""), "Values: the list of values is empty"},
    {FILE_OF("{\"Name\": \"a\", \"Values\": \"[1, 1.0]\"}", ""), "the value 1.0 is given twice"},
    {FILE_OF("{\"Name\": \"a\", \"Values\": \"[1, 'x']\"}", ""), "mix strings and numbers"},
    {FILE_OF("{\"Name\": \"a\", \"Values\": \"[1,, 2]\"}", ""), "Values, character 4"},
    {FILE_OF("{\"Name\": \"a\", \"Values\": \"range(5000)\"}", ""), "at most 4096"},
    {FILE_OF(A, "{\"Expression\": \"a <\"}"), "Conditions[0], character 4: expected a value"},
    {FILE_OF(A, "{\"Expression\": \"a < b\"}"), "Conditions[0], character 5: unknown name 'b'"},
    {FILE_OF(A, "{\"Expression\": \"a > 2\"}"), "is legal: \"a > 2\" never holds"},
    {FILE_OF(A, "{\"Expression\": \"a > 1\"}, {\"Expression\": \"a < 2\"}"),
     "\"a > 1\" and \"a < 2\" contradict each other"},
    {FILE_OF(A, "{\"Expression\": \"4 % (a - 1) == 0\"}"),
     "\"4 % (a - 1) == 0\" cannot be evaluated for a=1: division by zero"},
    {FILE_OF("{\"Name\": \"a\", \"Values\": [0.5, 1], \"Default\": 7}", ""),
     "TuningParameters[0].Default: 7 is not one of the values"},
};

Test(python, wrong_files_are_errors_that_name_the_place) {
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        ht_space *space;
        ht_error error = {0};
        cr_expect_eq(ht_space_parse_t1(files[i].text, "t1.json", 0, &space, &error), HT_ERROR_INPUT,
                     "%s", files[i].text);
        cr_expect(strstr(error.message, files[i].words) != NULL, "%s\n%s", files[i].text,
                  error.message);
        cr_expect_str_eq(error.file, "t1.json");
    }
}

Test(python, parameters_of_a_file_have_kinds_texts_and_terms) {
    ht_space *space;
    ht_error error = {0};
    ht_config config = {.count = 4, .choice = {1, 0, 1, 1}};
    double value = 0;
    cr_assert_eq(
        ht_space_parse_t1(
            FILE_OF(
                "{\"Name\": \"n\", \"Values\": \"[1, 2]\", \"Default\": 2},"
                "{\"Name\": \"r\", \"Values\": [0.5, 1]},"
                "{\"Name\": \"b\", \"Values\": \"[False, True]\", \"Default\": true},"
                "{\"Name\": \"s\", \"Values\": \"['x', 'y z']\", \"Default\": \"y z\"}",
                "{\"Expression\": \"n * r + 1 <= 3 or s == 'x'\"}, {\"Expression\": \"s > 'w'\"}"),
            "t1.json", 0, &space, &error),
        HT_OK, "%s", error.message);
    static const ht_param_kind kinds[] = {HT_PARAM_INTEGER, HT_PARAM_INTEGER, HT_PARAM_BOOLEAN,
                                          HT_PARAM_ENUMERATION};
    static const size_t defaults[] = {1, 0, 1, 1};
    static const char *const texts[] = {"2", "1", "True", "y z"};
    for (size_t i = 0; i < 4; ++i) {
        const ht_dimension *dimension = ht_space_dimension(space, i);
        cr_expect_eq(dimension->kind, kinds[i]);
        cr_expect_eq(dimension->default_index, defaults[i]);
        cr_expect_str_eq(dimension->texts[1], texts[i]);
    }
    cr_expect_null(ht_space_binding(space));
    cr_expect_eq(ht_space_constraint_count(space), 2);
    cr_assert_eq(ht_space_term_count(space), 2);
    cr_expect_str_eq(ht_space_term_text(space, 0), "n * r + 1");
    cr_expect_str_eq(ht_space_term_text(space, 1), "n * r");
    cr_assert(ht_space_term(space, 0, &config, &value));
    cr_expect_eq(value, 2);
    ht_space_free(space);
}
