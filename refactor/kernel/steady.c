#include "refactor/kernel/steady.h"
#include "refactor/kernel/effects.h"

enum { DEPTH_MAX = 16 };

/* ---- formulas ---- */

typedef struct formula {
    ht_keeps *keeps;
    const void *context;
    bool indices, calls;
} formula;

/* Returns true for a function of whole numbers that does nothing but compute its value. */
static bool is_computing(const ht_syntax *call) {
    for (size_t i = 0; i < call->count; ++i)
        if (call->children[i]->type != HT_TYPE_INTEGER)
            return false;
    return !ht_syntax_has_change(call);
}

static bool is_other(const ht_syntax *node, const void *context) {
    const formula *of = context;
    switch (node->kind) {
    case HT_SYNTAX_CONSTANT:
    case HT_SYNTAX_BINARY:
    case HT_SYNTAX_UNARY:
    case HT_SYNTAX_CONDITIONAL:
    case HT_SYNTAX_PAREN:
    case HT_SYNTAX_CAST:
        return false;
    case HT_SYNTAX_INDEX:
    case HT_SYNTAX_GLOBAL:
        return !of->indices;
    case HT_SYNTAX_MEMBER:
        return node->arrow;
    case HT_SYNTAX_CALL:
        return !of->calls || !is_computing(node);
    case HT_SYNTAX_NAME:
        return node->is_volatile || !of->keeps(ht_syntax_named(node), of->context);
    default:
        return true;
    }
}

bool ht_syntax_is_formula(const ht_syntax *expression, ht_keeps *keeps, const void *context) {
    const formula of = {keeps, context, .indices = true};
    return !ht_syntax_first(expression, is_other, &of);
}

/* ---- for how long ---- */

typedef struct asking {
    const ht_steady *asked;
    int depth;
} asking;

static bool keeps_value(const ht_syntax_variable *variable, const void *context);

static bool is_steady(const ht_syntax *expression, const asking *in) {
    const formula of = {keeps_value, in, !in->asked->common, in->asked->calls};
    return !ht_syntax_first(expression, is_other, &of);
}

static bool keeps_value(const ht_syntax_variable *variable, const void *context) {
    const asking *in = context, inner = {in->asked, in->depth + 1};
    const ht_steady *asked = in->asked;
    if (variable == asked->counter)
        return true;
    bool own = variable->is_local || variable->is_parameter || variable->is_constant_name;
    if (variable->is_array || variable->is_reference || variable->is_shared ||
        inner.depth > DEPTH_MAX || (asked->common && !own) ||
        (asked->keeps && !asked->keeps(variable, asked->context)))
        return false;
    if (!asked->anew || !variable->declaration || variable->changed)
        return ht_variable_is_steady(variable, asked->at);
    const ht_syntax *value = ht_syntax_initializer(variable);
    return value && is_steady(value, &inner);
}

bool ht_syntax_is_steady(const ht_syntax *expression, const ht_steady *asked) {
    return is_steady(expression, &(asking){asked, 0});
}
