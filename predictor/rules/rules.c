/* From a schema to instructions. */
#include "predictor/rules/rules.h"
#include "templates/space/code_expr.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct compiler {
    ht_code_names names; /* first: what `find` is given */
    ht_rules *rules;
    ht_code_scope scope;
    uint32_t *lets; /* HT_RULES_NONE: rules do not need it */
    bool too_many;
} compiler;

/* Makes a parameter; twice, as a list of one would be folded, and a canonical rule may make another
 * number of it. */
static uint32_t make_param(compiler *c, size_t index, bool sizes) {
    const ht_param *param = &c->rules->schema->params[index];
    size_t count = param->value_count;
    ht_number *values = ht_alloc(count + 1, sizeof *values);
    for (size_t i = 0; i < count; ++i)
        values[i].whole =
            sizes ? (int64_t)ht_type_size(param->values[i].text) : param->values[i].number;
    values[count] = values[count - 1];
    uint32_t made =
        ht_code_choice(c->rules->code, (uint32_t)index, sizes ? HT_RULES_SIZE : HT_RULES_NUMBER,
                       HT_CODE_WHOLE, values, count + 1);
    free(values);
    c->rules->choices[index][sizes ? HT_RULES_SIZE : HT_RULES_NUMBER] = made;
    if (!sizes)
        return made;
    ht_code *code = c->rules->code; /* a type whose size is not known has none */
    return ht_code_select(code, made, made, ht_code_fail(code, HT_FAULT_NAME));
}

/* Makes a field, of any number. */
static uint32_t make_field(compiler *c, size_t index) {
    static const ht_number ends[] = {{.whole = INT64_MIN}, {.whole = INT64_MAX}};
    ht_rules *rules = c->rules;
    size_t input = rules->param_count;
    while (input < rules->input_count && rules->field_inputs[input - rules->param_count] != index)
        ++input;
    if (input == HT_RULES_INPUTS_MAX) {
        c->too_many = true;
        return ht_code_fail(rules->code, HT_FAULT_NAME);
    }
    if (input == rules->input_count) {
        rules->field_inputs[input - rules->param_count] = (uint32_t)index;
        ++rules->input_count;
    }
    return ht_code_choice(rules->code, (uint32_t)input, HT_RULES_NUMBER, HT_CODE_WHOLE, ends, 2);
}

static bool find_name(const ht_code_names *names, const char *name, bool size, uint32_t *out) {
    compiler *c = (compiler *)names;
    ht_schema_name found = ht_schema_name_find(c->rules->schema, name);
    if (size && found.kind != HT_SCHEMA_PARAM)
        return false;
    switch (found.kind) {
    case HT_SCHEMA_FIELD:
        *out = make_field(c, found.index);
        return true;
    case HT_SCHEMA_PARAM:
        *out = make_param(c, found.index, size);
        return true;
    case HT_SCHEMA_LET:
        *out = c->lets[found.index];
        return true;
    case HT_SCHEMA_ENUMERATOR:
        *out = ht_code_whole(c->rules->code, found.number);
        return true;
    default:
        return false;
    }
}

typedef struct let_marks {
    const ht_schema *schema;
    bool *used;
} let_marks;

static void mark_name(void *context, const char *name) {
    let_marks *marks = context;
    ht_schema_name found = ht_schema_name_find(marks->schema, name);
    if (found.kind == HT_SCHEMA_LET)
        marks->used[found.index] = true;
}

static void mark_names(let_marks *marks, const ht_schema_rule *list, size_t count) {
    for (size_t i = 0; i < count; ++i)
        ht_expr_names(list[i].expr, mark_name, marks);
}

/* Makes the lets that rules need, in their order: a let names earlier ones only. Those that only
 * features need would take inputs. */
static void make_lets(compiler *c) {
    const ht_schema *schema = c->rules->schema;
    let_marks marks = {schema, ht_alloc(schema->let_count + 1, sizeof *marks.used)};
    mark_names(&marks, schema->requires, schema->require_count);
    mark_names(&marks, schema->admits, schema->admit_count);
    mark_names(&marks, schema->canonicals, schema->canonical_count);
    for (size_t i = schema->let_count; i-- > 0;)
        if (marks.used[i])
            mark_names(&marks, &schema->lets[i], 1);
    c->lets = ht_alloc(schema->let_count + 1, sizeof *c->lets);
    for (size_t i = 0; i < schema->let_count; ++i)
        c->lets[i] =
            marks.used[i] ? ht_code_expr(&c->scope, schema->lets[i].expr->root) : HT_RULES_NONE;
    free(marks.used);
}

static uint32_t *make_all(compiler *c, const ht_schema_rule *list, size_t count) {
    uint32_t *roots = ht_alloc(count ? count : 1, sizeof *roots);
    for (size_t i = 0; i < count; ++i)
        roots[i] = ht_code_expr(&c->scope, list[i].expr->root);
    return roots;
}

static void make_rules(compiler *c, const size_t *skip, size_t skip_count) {
    ht_rules *rules = c->rules;
    const ht_schema *schema = rules->schema;
    rules->require_count = schema->require_count;
    rules->requires = make_all(c, schema->requires, schema->require_count);
    for (size_t i = 0; i < skip_count; ++i)
        rules->requires[skip[i]] = HT_RULES_NONE;
    rules->admit_count = schema->admit_count;
    rules->admits = make_all(c, schema->admits, schema->admit_count);
    rules->canonicals = ht_alloc(schema->canonical_count + 1, sizeof *rules->canonicals);
    for (size_t i = 0; i < schema->canonical_count; ++i) {
        const ht_schema_rule *rule = &schema->canonicals[i];
        rules->canonicals[rules->canonical_count++] =
            (ht_rules_canonical){.param = (uint32_t)ht_schema_param_index(schema, rule->name),
                                 .root = ht_code_expr(&c->scope, rule->expr->root)};
    }
    rules->count = ht_code_size(rules->code);
}

static void make_steps(ht_rules *rules) {
    rules->steps = ht_alloc(rules->count + 1, sizeof *rules->steps);
    for (uint32_t i = 0; i < rules->count; ++i) {
        const ht_instruction *in = ht_code_at(rules->code, i);
        size_t arity = ht_code_arity((ht_code_op)in->op);
        rules->steps[i] = (ht_step){.op = in->op, .own = i};
        for (size_t k = 0; k < 3 && arity; ++k)
            rules->steps[i].operands[k] = in->operands[k < arity ? k : 0];
    }
}

/* Collects what a canonical rule's value takes. */
static void collect_steps(const ht_rules *rules, ht_rules_canonical *canonical) {
    bool *needed = ht_alloc(rules->count, sizeof *needed);
    needed[canonical->root] = true;
    for (size_t i = canonical->root + 1; i-- > 0;) {
        const ht_instruction *in = ht_code_at(rules->code, (uint32_t)i);
        for (size_t k = 0; needed[i] && k < ht_code_arity((ht_code_op)in->op); ++k)
            needed[in->operands[k]] = true;
    }
    canonical->steps = ht_alloc(canonical->root + 1, sizeof *canonical->steps);
    for (uint32_t i = 0; i <= canonical->root; ++i)
        if (needed[i] && ht_code_at(rules->code, i)->params)
            canonical->steps[canonical->step_count++] = i;
    free(needed);
}

ht_status ht_rules_compile(const ht_schema *schema, const size_t *skip, size_t skip_count,
                           ht_rules **out_rules, ht_error *error) {
    for (size_t i = 0; i < skip_count; ++i)
        if (skip[i] >= schema->require_count)
            return ht_error_set(error, HT_ERROR_INPUT,
                                "there is no requirement %zu to leave out: %s has %zu, from 0",
                                skip[i], schema->kernel, schema->require_count);
    ht_rules *rules = ht_alloc(1, sizeof *rules);
    *rules = (ht_rules){.schema = schema,
                        .code = ht_code_new(),
                        .param_count = schema->param_count,
                        .input_count = schema->param_count};
    memset(rules->choices, 0xff, sizeof rules->choices); /* HT_RULES_NONE */
    compiler c = {.names = {find_name}, .rules = rules};
    c.scope = (ht_code_scope){.code = rules->code, .names = &c.names};
    make_lets(&c);
    make_rules(&c, skip, skip_count);
    free(c.lets);
    if (c.too_many) {
        ht_rules_free(rules);
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "the rules of %s name too many fields: with its %zu parameters at "
                            "most %zu",
                            schema->kernel, schema->param_count,
                            HT_RULES_INPUTS_MAX - schema->param_count);
    }
    if (rules->count * (rules->admit_count + 1) > HT_RULES_SIZE_MAX) {
        ht_rules_free(rules);
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "the rules of %s are too large; shorten its expressions or join its "
                            "admit lines with ||",
                            schema->kernel);
    }
    make_steps(rules);
    for (size_t i = 0; i < rules->canonical_count; ++i)
        collect_steps(rules, &rules->canonicals[i]);
    *out_rules = rules;
    return HT_OK;
}

void ht_rules_free(ht_rules *rules) {
    if (!rules)
        return;
    for (size_t i = 0; i < rules->canonical_count; ++i)
        free(rules->canonicals[i].steps);
    free(rules->canonicals);
    free(rules->steps);
    free(rules->requires);
    free(rules->admits);
    ht_code_free(rules->code);
    free(rules);
}
