/* Schemas: texts that parse, that print back, that are refused, and where. */
#include "predictor/schema/schema.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static ht_schema *parse(const char *text) {
    ht_schema *schema = NULL;
    ht_error error;
    cr_assert_eq(ht_schema_parse(text, "k.schema", &schema, &error), HT_OK, "%s", error.message);
    return schema;
}

static const char *const whole =
    "// all directives\n"
    "kernel(K)\n"
    "field(direction : F, B, W = F)\n"
    "field(in_c, out_h, out_w = out_h)\n"
    "field(arch : gfx900, gfx906) device(arch)\n"
    "ignore(src, bias)\n"
    "group(in_c, out_h)\n"
    "param(a : 1..4) param(b : pow2(1, 16) = 4) param(mode : FAST, SAFE)\n"
    "let(HW = out_h * out_w) /* over fields */ let(big = a * b + HW)\n"
    "feature(HW, HW % 8, max(in_c, out_h))\n"
    "require(big <= 4096 && (direction == B ? in_c % a == 0 : mode != SAFE))\n"
    "admit(a == 4)\n"
    "canonical(b = b > in_c ? in_c : b)\n";

Test(schema, reads_all_directives) {
    ht_schema *schema = parse(whole);
    cr_assert_str_eq(schema->kernel, "K");
    cr_assert_eq(schema->field_count, 5);
    cr_assert_eq(schema->fields[0].name_count, 3);
    cr_assert(schema->fields[4].device && !schema->fields[4].grouped);
    cr_assert(schema->fields[1].grouped && !schema->fields[0].grouped);
    cr_assert_eq(schema->ignored_count, 2);
    cr_assert_eq(schema->params[1].value_count, 5);
    cr_assert_eq(schema->params[0].default_index, 0);
    cr_assert_eq(schema->params[1].default_index, 2);
    cr_assert(schema->lets[0].fields_only && !schema->lets[1].fields_only);
    cr_assert_str_eq(schema->features[1].name, "HW % 8");
    cr_assert_eq(schema->require_count, 1);
    cr_assert_eq(schema->admit_count, 1);
    cr_assert_str_eq(schema->canonicals[0].name, "b");
    cr_assert_eq(ht_schema_name_find(schema, "SAFE").number, 1);
    cr_assert_eq(ht_schema_name_find(schema, "W").number, 2);
    cr_assert_eq(ht_schema_name_find(schema, "big").index, 1);
    cr_assert_eq(ht_schema_name_find(schema, "none").kind, HT_SCHEMA_UNKNOWN);
    ht_schema_free(schema);
}

static char *printed(const ht_schema *schema) {
    ht_text text = {0};
    ht_schema_print(schema, &text);
    return ht_text_take(&text);
}

static void check_round_trip(const ht_schema *schema) {
    char *first = printed(schema);
    ht_schema *again = parse(first);
    char *second = printed(again);
    cr_assert_str_eq(first, second);
    cr_assert_eq(again->field_count, schema->field_count);
    for (size_t i = 0; i < schema->field_count; ++i) {
        cr_assert_eq(again->fields[i].device, schema->fields[i].device);
        cr_assert_eq(again->fields[i].grouped, schema->fields[i].grouped);
        cr_assert(ht_expr_equal(again->fields[i].fallback, schema->fields[i].fallback));
    }
    for (size_t i = 0; i < schema->require_count; ++i)
        cr_assert(ht_expr_equal(again->requires[i].expr, schema->requires[i].expr));
    ht_schema_free(again);
    free(first);
    free(second);
}

Test(schema, prints_what_parses_to_the_same) {
    ht_schema *schema = parse(whole);
    check_round_trip(schema);
    ht_schema_free(schema);
}

Test(schema, carried_schemas_parse_and_print) {
    const char *const *names = ht_schema_builtin_names();
    cr_assert(names[0]);
    for (size_t i = 0; names[i]; ++i) {
        ht_schema *schema = parse(ht_schema_builtin_text(names[i]));
        cr_assert_str_eq(schema->kernel, names[i]);
        check_round_trip(schema);
        ht_schema_free(schema);
    }
    cr_assert_null(ht_schema_builtin_text("no such kernel"));
}

Test(schema, problems_are_completed) {
    ht_schema *schema = parse(whole);
    int64_t fields[5], features[3];
    ht_error error;
    cr_assert_eq(ht_schema_problem_parse(schema, "in_c=64, out_h=7 arch=gfx906", fields, &error),
                 HT_OK, "%s", error.message);
    const int64_t expected[] = {0, 64, 7, 7, 1};
    cr_assert_arr_eq(fields, expected, sizeof expected);
    ht_schema_features(schema, fields, features);
    const int64_t derived[] = {49, 1, 64};
    cr_assert_arr_eq(features, derived, sizeof derived);
    cr_assert_eq(ht_schema_problem_parse(schema, "direction=W in_c=1 out_h=2 out_w=3 arch=gfx908",
                                         fields, &error),
                 HT_OK);
    cr_assert_eq(fields[0], 2);
    cr_assert_eq(fields[4], -1, "a machine that is not known has no number");
    ht_schema_free(schema);
}

Test(schema, wrong_problems_name_the_field) {
    static const struct {
        const char *text, *words;
    } cases[] = {{"in_c=64 arch=gfx900", "out_h"},
                 {"in_c=64 out_h=2 arch=gfx900 in_c=3", "in_c is given twice"},
                 {"in_c=x out_h=2 arch=gfx900", "in_c is an integer"},
                 {"in_c=1 out_h=2 arch=gfx900 direction=Q", "F, B, W"},
                 {"channels=3", "no field 'channels'"},
                 {"in_c 3", "expected '='"},
                 {"in_c=", "expected a value"},
                 {"=", "expected a field"}};
    ht_schema *schema = parse(whole);
    int64_t fields[5];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_error error = {0};
        cr_assert_eq(ht_schema_problem_parse(schema, cases[i].text, fields, &error),
                     HT_ERROR_INPUT);
        cr_assert(strstr(error.message, cases[i].words), "%s: %s", cases[i].text, error.message);
    }
    ht_schema_free(schema);
}

#define HEAD "kernel(K)\nfield(n)\nparam(a : 1, 2)\n"

Test(schema, errors_have_places) {
    static const struct {
        const char *text;
        int line, column;
        const char *words;
    } cases[] = {
        {"", 1, 1, "no kernel(NAME)"},
        {"kernel(K) param(a : 1)", 1, 23, "no field(NAME)"},
        {"kernel(K) field(n)", 1, 19, "no param"},
        {HEAD "kernel(J)", 4, 8, "twice"},
        {HEAD "need(n)", 4, 1, "unknown directive 'need'"},
        {HEAD "require(n < )", 4, 12, "expected"},
        {HEAD "require(n < a", 4, 8, "nothing closes"},
        {HEAD "require(m == 1)", 4, 9, "'m' is no field"},
        {HEAD "let(x = y)\nlet(y = n)", 4, 9, "move its let"},
        {HEAD "let(n = 1)", 4, 5, "already a field"},
        {HEAD "let(min = 1)", 4, 5, "word of the expression language"},
        {HEAD "let(x == 1)", 4, 8, ""},
        {HEAD "feature(n * a)", 4, 13, "features are over fields"},
        {HEAD "let(x = a)\nfeature(x)", 5, 9, "features are over fields"},
        {HEAD "canonical(b = 1)", 4, 11, "no parameter b"},
        {HEAD "group(m)", 4, 7, "no field 'm'"},
        {HEAD "device(n, n)", 4, 11, "twice"},
        {HEAD "field(n)", 4, 7, "already a field"},
        {HEAD "field(m = k)\nfield(k)", 4, 11, "not an earlier field"},
        {HEAD "field(m = a)", 4, 11, "a field's value is made of earlier fields"},
        {HEAD "field(e : X, X)", 4, 14, "twice"},
        {HEAD "field(e : X, 2)", 4, 14, "expected a name"},
        {HEAD "field(e : X, Y)\nfield(f : Y, X)\nrequire(e == X)", 6, 14, "more than one thing"},
        {HEAD "ignore(n)", 4, 10, "ignored, but also a field"},
        {HEAD "param(b : 1, 1)", 4, 14, "twice"},
        {HEAD "require(sizeof(T) == 4)", 4, 9, "no known type"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ht_schema *schema;
        ht_error error = {0};
        cr_assert_eq(ht_schema_parse(cases[i].text, "f.schema", &schema, &error), HT_ERROR_INPUT,
                     "%s", cases[i].text);
        cr_expect_str_eq(error.file, "f.schema");
        cr_expect(error.line == cases[i].line && error.column == cases[i].column &&
                      strstr(error.message, cases[i].words),
                  "%s\n-> %d:%d: %s", cases[i].text, error.line, error.column, error.message);
    }
}

/* Long chains of local names cost no more than their length. */
Test(schema, lets_are_worked_out_once) {
    ht_text text = {0};
    ht_text_append(&text, "kernel(K) field(n) param(a : 1) let(x0 = n)\n");
    for (int i = 1; i <= 60; ++i)
        ht_text_printf(&text, "let(x%d = (x%d + x%d) %% 1000003)\n", i, i - 1, i - 1);
    ht_text_append(&text, "feature(x60)\n");
    ht_schema *schema = parse(text.data);
    int64_t field = 3, feature, expected = 3;
    ht_schema_features(schema, &field, &feature);
    for (int i = 0; i < 60; ++i)
        expected = 2 * expected % 1000003;
    cr_assert_eq(feature, expected);
    ht_schema_free(schema);
    ht_text_free(&text);
}

Test(schema, a_template_becomes_a_schema) {
    static const char *const unit =
        "#pragma tune kernel(blur) problem(blur : W, H, radius = 2, n := W * H)\n"
        "#pragma tune param(BLOCK : 16, 32 = 16) param(T : type float, double = float)\n"
        "#pragma tune arg(W : int = problem.W) arg(half : int = W / 2) arg(out : out float[1])\n"
        "#pragma tune block(BLOCK) grid(1)\n"
        "#pragma tune require(BLOCK * sizeof(T) <= device.max_threads && half >= BLOCK)\n"
        "#pragma tune require(problem.n % BLOCK == 0)\n"
        "template <int BLOCK, typename T> __global__ void blur(int W, int half, float *out) {}\n";
    ht_template *templates;
    size_t count;
    ht_error error;
    cr_assert_eq(ht_template_parse(unit, "u.hip", &templates, &count, &error), HT_OK, "%s",
                 error.message);
    ht_schema *schema;
    cr_assert_eq(ht_schema_from_template(templates, "blur", &schema, &error), HT_OK, "%s",
                 error.message);
    char *text = printed(schema);
    cr_assert_eq(schema->field_count, 4, "%s", text);
    cr_assert(schema->fields[3].device);
    cr_assert(strstr(text, "field(radius = 2)"), "%s", text);
    cr_assert(strstr(text, "let(n = W * H)"), "%s", text);
    cr_assert(strstr(text, "let(arg_half = arg_W / 2)"), "%s", text);
    cr_assert(strstr(text, "require(BLOCK * sizeof(T) <= device_max_threads && arg_half >= BLOCK)"),
              "%s", text);
    check_round_trip(schema);
    free(text);
    ht_schema_free(schema);
    ht_template_free(templates, count);
}
