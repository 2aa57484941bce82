#include "rules_case.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef struct point {
    const ht_schema *schema;
    const int64_t *fields, *values; /* of parameters */
} point;

static bool look_up(const void *context, const char *name, int64_t *out_value) {
    const point *at = context;
    ht_schema_name found = ht_schema_name_find(at->schema, name);
    ht_scope scope = {.lookup = look_up, .context = context};
    switch (found.kind) {
    case HT_SCHEMA_FIELD:
        *out_value = at->fields[found.index];
        return true;
    case HT_SCHEMA_PARAM:
        *out_value = at->values[found.index];
        return true;
    case HT_SCHEMA_ENUMERATOR:
        *out_value = found.number;
        return true;
    case HT_SCHEMA_LET:
        return ht_expr_evaluate(at->schema->lets[found.index].expr, &scope, out_value, NULL) ==
               HT_OK;
    default:
        return false;
    }
}

static bool evaluate(const point *at, const ht_expr *expr, int64_t *out) {
    ht_scope scope = {.lookup = look_up, .context = at};
    return ht_expr_evaluate(expr, &scope, out, NULL) == HT_OK;
}

static bool holds(const point *at, const ht_expr *expr) {
    int64_t value;
    return evaluate(at, expr, &value) && value != 0;
}

static void numbers(const ht_schema *schema, const uint16_t *choice, int64_t *out) {
    for (size_t p = 0; p < schema->param_count; ++p)
        out[p] = schema->params[p].values[choice[p]].number;
}

int rules_broken(const ht_schema *schema, const int64_t *fields, const uint16_t *choice) {
    int64_t values[HT_PARAM_MAX];
    point at = {schema, fields, values};
    numbers(schema, choice, values);
    for (size_t i = 0; i < schema->admit_count; ++i)
        if (holds(&at, schema->admits[i].expr))
            return -1;
    for (size_t i = 0; i < schema->require_count; ++i)
        if (!holds(&at, schema->requires[i].expr))
            return (int)i;
    return -1;
}

bool rules_legal(const ht_schema *schema, const int64_t *fields, const uint16_t *choice) {
    return rules_broken(schema, fields, choice) < 0;
}

void rules_canonical(const ht_schema *schema, const int64_t *fields, const uint16_t *choice,
                     int64_t *out_values) {
    point at = {schema, fields, out_values};
    numbers(schema, choice, out_values);
    for (size_t i = 0; i < schema->canonical_count; ++i) {
        const ht_schema_rule *rule = &schema->canonicals[i];
        int64_t value;
        if (evaluate(&at, rule->expr, &value))
            out_values[ht_schema_param_index(schema, rule->name)] = value;
    }
}

size_t rules_count(const ht_schema *schema) {
    size_t count = 1;
    for (size_t p = 0; p < schema->param_count; ++p)
        count *= schema->params[p].value_count;
    return count;
}

void rules_config(const ht_schema *schema, size_t number, uint16_t *out_choice) {
    for (size_t p = schema->param_count; p-- > 0;) {
        out_choice[p] = (uint16_t)(number % schema->params[p].value_count);
        number /= schema->params[p].value_count;
    }
}

uint8_t *rules_legal_all(const ht_schema *schema, const int64_t *fields, size_t *out_legal) {
    size_t count = rules_count(schema);
    uint8_t *legal = ht_alloc(count, 1);
    uint16_t choice[HT_PARAM_MAX];
    *out_legal = 0;
    for (size_t i = 0; i < count; ++i) {
        rules_config(schema, i, choice);
        legal[i] = rules_legal(schema, fields, choice);
        *out_legal += legal[i];
    }
    return legal;
}

/* Writes a random expression over what `names` holds. */
static void write_expr(ht_text *out, ht_random *random, const char *const *names, size_t count,
                       int depth) {
    static const char *const operators[] = {"+",  "-",  "*",  "/",  "%", "==", "!=", "<",
                                            "<=", "&&", "||", "<<", "&", "^",  ">="};
    static const char *const calls[] = {"min", "max", "ceil_div", "round_up", "gcd"};
    uint64_t kind = depth ? ht_random_below(random, 12) : 12;
    if (kind >= 10) {
        if (ht_random_below(random, 4) == 0)
            ht_text_printf(out, "%d", (int)ht_random_below(random, 7));
        else
            ht_text_append(out, names[ht_random_below(random, count)]);
    } else if (kind == 9) {
        ht_text_append(out, "!(");
        write_expr(out, random, names, count, depth - 1);
        ht_text_append(out, ")");
    } else {
        bool call = kind == 8, choice = kind == 7;
        if (call)
            ht_text_append(out, calls[ht_random_below(random, sizeof calls / sizeof *calls)]);
        ht_text_append(out, "(");
        write_expr(out, random, names, count, depth - 1);
        ht_text_append(
            out, call ? ", "
                 : choice
                     ? " ? "
                     : operators[ht_random_below(random, sizeof operators / sizeof *operators)]);
        write_expr(out, random, names, count, depth - 1);
        if (choice) {
            ht_text_append(out, " : ");
            write_expr(out, random, names, count, depth - 1);
        }
        ht_text_append(out, ")");
    }
}

ht_schema *rules_random_schema(ht_random *random) {
    static const char *const names[] = {"N", "M", "a", "b", "c", "d", "e", "l0", "l1"};
    enum { FIRST_LET = 7 };
    size_t params = 2 + ht_random_below(random, 4);
    const char *known[9];
    size_t count = 0;
    ht_text text = {0};
    ht_error error;
    ht_schema *schema = NULL;
    ht_text_append(&text, "kernel(k)\nfield(N, M)\n");
    for (size_t i = 0; i < 2 + params; ++i)
        known[count++] = names[i];
    for (size_t p = 0; p < params; ++p) {
        ht_text_printf(&text, "param(%s : %d", names[2 + p], (int)ht_random_below(random, 3));
        for (uint64_t v = ht_random_below(random, 4); v > 0; --v)
            ht_text_printf(&text, ", %d", (int)(3 * v + ht_random_below(random, 3)));
        ht_text_append(&text, ")\n");
    }
    for (size_t i = 0; i < 2; ++i) {
        ht_text_printf(&text, "let(l%zu = ", i);
        write_expr(&text, random, known, count, 3);
        ht_text_append(&text, ")\n");
        known[count++] = names[FIRST_LET + i];
    }
    static const char *const rules[] = {"require(", "require(", "require(", "admit("};
    for (size_t i = 1 + ht_random_below(random, 6); i > 0; --i) {
        ht_text_append(&text, rules[ht_random_below(random, 4)]);
        write_expr(&text, random, known, count, 3);
        ht_text_append(&text, ")\n");
    }
    for (size_t i = ht_random_below(random, 3); i > 0; --i) {
        ht_text_printf(&text, "canonical(%s = ", names[2 + ht_random_below(random, params)]);
        write_expr(&text, random, known, count, 2);
        ht_text_append(&text, ")\n");
    }
    cr_assert_eq(ht_schema_parse(text.data, "random.schema", &schema, &error), HT_OK,
                 "%d:%d: %s\n%s", error.line, error.column, error.message, text.data);
    ht_text_free(&text);
    return schema;
}

void rules_thin_out(ht_schema *schema, ht_random *random, size_t most) {
    while (rules_count(schema) > most) {
        ht_param *param = &schema->params[ht_random_below(random, schema->param_count)];
        if (param->value_count == 1)
            continue;
        size_t out = ht_random_below(random, param->value_count);
        free(param->values[out].text);
        --param->value_count;
        memmove(&param->values[out], &param->values[out + 1],
                (param->value_count - out) * sizeof *param->values);
        param->default_index = 0;
    }
}
