#include "templates/space/code_expr.h"
#include "templates/annotations/template_names.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_NUMBERS, TABLE_SIZES }; /* of a parameter: its values; the sizes of its types */

typedef struct maker {
    ht_code_scope *scope;
    size_t arg_limit; /* arguments that may be named */
} maker;

static uint32_t make(const maker *m, const ht_node *node);

static uint32_t make_param(const maker *m, size_t index, bool sizes) {
    const ht_param *param = &m->scope->binding->template->params[index];
    ht_number *values = ht_alloc(param->value_count, sizeof *values);
    bool all = true;
    for (size_t i = 0; i < param->value_count; ++i) {
        values[i].whole =
            sizes ? (int64_t)ht_type_size(param->values[i].text) : param->values[i].number;
        all &= !sizes || values[i].whole > 0;
    }
    ht_code *code = m->scope->code;
    uint32_t made = ht_code_choice(code, (uint32_t)index, sizes ? TABLE_SIZES : TABLE_NUMBERS,
                                   HT_CODE_WHOLE, values, param->value_count);
    free(values);
    return all ? made : ht_code_select(code, made, made, ht_code_fail(code, HT_FAULT_NAME));
}

static uint32_t make_scalar(const maker *m, size_t index) {
    ht_code_scope *scope = m->scope;
    maker before = {scope, index};
    if (!scope->known[index])
        scope->scalars[index] =
            make(&before, scope->binding->template->args[index].values[0]->root);
    scope->known[index] = true;
    return scope->scalars[index];
}

static uint32_t make_name(const maker *m, const char *name) {
    const ht_code_names *names = m->scope->names;
    uint32_t found;
    if (names)
        return names->find(names, name, false, &found)
                   ? found
                   : ht_code_fail(m->scope->code, HT_FAULT_NAME);
    const ht_binding *binding = m->scope->binding;
    const ht_template *template = binding->template;
    int64_t value = 0;
    bool known;
    if (!strncmp(name, "problem.", 8)) {
        known = binding->problem && ht_problem_get(binding->problem, name + 8, &value);
    } else if (!strncmp(name, "device.", 7)) {
        known = binding->device && ht_device_field_get(binding->device, name + 7, &value);
    } else {
        for (size_t i = 0; i < template->param_count; ++i)
            if (!strcmp(template->params[i].name, name))
                return make_param(m, i, false);
        for (size_t i = 0; i < m->arg_limit; ++i)
            if (!strcmp(template->args[i].name, name) && ht_arg_is_name(&template->args[i]))
                return make_scalar(m, i);
        known = ht_template_enumerator(template, name, &value);
    }
    return known ? ht_code_whole(m->scope->code, value)
                 : ht_code_fail(m->scope->code, HT_FAULT_NAME);
}

static uint32_t make_sizeof(const maker *m, const char *name) {
    const ht_code_names *names = m->scope->names;
    const ht_template *template = names ? NULL : m->scope->binding->template;
    uint32_t found;
    if (names && names->find(names, name, true, &found))
        return found;
    for (size_t i = 0; template && i < template->param_count; ++i)
        if (template->params[i].kind == HT_PARAM_TYPE && !strcmp(template->params[i].name, name))
            return make_param(m, i, true);
    int64_t size = (int64_t)ht_type_size(name);
    return size ? ht_code_whole(m->scope->code, size) : ht_code_fail(m->scope->code, HT_FAULT_NAME);
}

static uint32_t make_unary(const maker *m, const ht_node *node) {
    uint32_t a = make(m, node->children[0]);
    switch (node->op) {
    case HT_OP_MINUS:
        return ht_code_unary(m->scope->code, HT_CODE_NEGATE, a);
    case HT_OP_NOT:
        return ht_code_unary(m->scope->code, HT_CODE_NOT, a);
    case HT_OP_COMPLEMENT:
        return ht_code_unary(m->scope->code, HT_CODE_COMPLEMENT, a);
    default:
        return a;
    }
}

static uint32_t make_binary(const maker *m, const ht_node *node) {
    static const ht_code_op ops[HT_OP_COUNT] = {
        [HT_OP_OR] = HT_CODE_EITHER,
        [HT_OP_AND] = HT_CODE_BOTH,
        [HT_OP_BIT_OR] = HT_CODE_BIT_OR,
        [HT_OP_BIT_XOR] = HT_CODE_BIT_XOR,
        [HT_OP_BIT_AND] = HT_CODE_BIT_AND,
        [HT_OP_EQUAL] = HT_CODE_EQUAL,
        [HT_OP_NOT_EQUAL] = HT_CODE_NOT_EQUAL,
        [HT_OP_LESS] = HT_CODE_LESS,
        [HT_OP_LESS_EQUAL] = HT_CODE_LESS_EQUAL,
        [HT_OP_SHIFT_LEFT] = HT_CODE_SHIFT_LEFT,
        [HT_OP_SHIFT_RIGHT] = HT_CODE_SHIFT_RIGHT,
        [HT_OP_ADD] = HT_CODE_ADD,
        [HT_OP_SUBTRACT] = HT_CODE_SUBTRACT,
        [HT_OP_MULTIPLY] = HT_CODE_MULTIPLY,
        [HT_OP_DIVIDE] = HT_CODE_DIVIDE,
        [HT_OP_REMAINDER] = HT_CODE_REMAINDER,
    };
    uint32_t a = make(m, node->children[0]), b = make(m, node->children[1]);
    if (node->op == HT_OP_GREATER)
        return ht_code_binary(m->scope->code, HT_CODE_LESS, b, a);
    if (node->op == HT_OP_GREATER_EQUAL)
        return ht_code_binary(m->scope->code, HT_CODE_LESS_EQUAL, b, a);
    return ht_code_binary(m->scope->code, ops[node->op], a, b);
}

/* Makes clamp(x, lo, hi): a lower bound above the upper one is an error. */
static uint32_t make_clamp(const maker *m, const uint32_t *values) {
    ht_code *code = m->scope->code;
    uint32_t wrong = ht_code_binary(code, HT_CODE_LESS, values[2], values[1]);
    uint32_t raised = ht_code_binary(code, HT_CODE_MAX, values[0], values[1]);
    uint32_t within = ht_code_binary(code, HT_CODE_MIN, raised, values[2]);
    return ht_code_select(code, wrong, ht_code_fail(code, HT_FAULT_DOMAIN), within);
}

static uint32_t make_call(const maker *m, const ht_node *node) {
    static const ht_code_op ops[HT_FN_COUNT] = {
        [HT_FN_MIN] = HT_CODE_MIN,
        [HT_FN_MAX] = HT_CODE_MAX,
        [HT_FN_CEIL_DIV] = HT_CODE_CEIL_DIVIDE,
        [HT_FN_ROUND_UP] = HT_CODE_ROUND_UP,
        [HT_FN_ABS] = HT_CODE_ABS,
        [HT_FN_IS_POW2] = HT_CODE_IS_POW2,
        [HT_FN_LOG2] = HT_CODE_LOG2,
        [HT_FN_POW2] = HT_CODE_POW2,
        [HT_FN_GCD] = HT_CODE_GCD,
    };
    ht_code *code = m->scope->code;
    uint32_t values[3] = {0}, made;
    if (node->op == HT_FN_MIN || node->op == HT_FN_MAX) {
        made = make(m, node->children[0]);
        for (size_t i = 1; i < node->child_count; ++i)
            made = ht_code_binary(code, ops[node->op], made, make(m, node->children[i]));
        return made;
    }
    for (size_t i = 0; i < node->child_count && i < 3; ++i)
        values[i] = make(m, node->children[i]);
    if (node->op == HT_FN_CLAMP)
        return make_clamp(m, values);
    if (ht_code_arity(ops[node->op]) == 1)
        return ht_code_unary(code, ops[node->op], values[0]);
    return ht_code_binary(code, ops[node->op], values[0], values[1]);
}

static uint32_t make(const maker *m, const ht_node *node) {
    switch (node->kind) {
    case HT_NODE_NUMBER:
    case HT_NODE_BOOLEAN:
        return ht_code_whole(m->scope->code, node->number);
    case HT_NODE_NAME:
        return make_name(m, node->name);
    case HT_NODE_SIZEOF:
        return make_sizeof(m, node->name);
    case HT_NODE_UNARY:
        return make_unary(m, node);
    case HT_NODE_BINARY:
        return make_binary(m, node);
    case HT_NODE_CONDITIONAL: {
        uint32_t condition = make(m, node->children[0]);
        uint32_t a = make(m, node->children[1]);
        return ht_code_select(m->scope->code, condition, a, make(m, node->children[2]));
    }
    default: /* HT_NODE_CALL */
        return make_call(m, node);
    }
}

uint32_t ht_code_expr(ht_code_scope *scope, const ht_node *node) {
    size_t args = scope->names ? 0 : scope->binding->template->arg_count;
    maker m = {scope, args < HT_ARG_MAX ? args : HT_ARG_MAX};
    return make(&m, node);
}
