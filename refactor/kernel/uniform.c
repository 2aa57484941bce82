/* Finds variables that have the same value in all threads, and barriers that depend on such
 * alone. */
#include "refactor/kernel/uniform.h"

#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/reach.h"
#include "refactor/kernel/syntax_tree.h"

#include <stdlib.h>

typedef struct common {
    const ht_syntax_tree *tree;
    bool *differs;    /* of each variable: threads may hold different values */
    bool changed;     /* one turned out to differ */
    bool lost;        /* control flow that is not followed */
    bool ends_apart;  /* some threads may return where others go on */
    bool meets_apart; /* a barrier is under a condition that differs */
    bool may_end;     /* threads that meet no further barrier need not meet the others' */
    bool tail;        /* no barrier follows what is visited, in a later iteration either */
} common;

/* ---- expressions ---- */

static bool is_plain_argument(const ht_syntax *node) {
    for (node = ht_syntax_strip_implicit(node); node->kind == HT_SYNTAX_MEMBER && !node->arrow;)
        node = ht_syntax_strip_implicit(node->children[0]);
    const ht_syntax_variable *of = ht_syntax_named(node);
    return of && of->is_parameter && node->type != HT_TYPE_POINTER && !of->changed;
}

static bool differs(const common *in, const ht_syntax *node) {
    switch (node->kind) {
    case HT_SYNTAX_NAME:
        if (in->differs[node->variable])
            return true;
        break;
    case HT_SYNTAX_INDEX:
    case HT_SYNTAX_GLOBAL:
        return node->op != HT_INDEX_BLOCK_DIM && node->op != HT_INDEX_GRID_DIM;
    case HT_SYNTAX_MEMBER: /* of a structure passed as an argument */
        return node->arrow || !node->count || !is_plain_argument(node->children[0]);
    case HT_SYNTAX_CALL:
        if (node->call->class != HT_CALLEE_PURE || node->call->of_user)
            return true;
        break;
    case HT_SYNTAX_SUBSCRIPT:
    case HT_SYNTAX_DEREFERENCE:
    case HT_SYNTAX_ADDRESS:
    case HT_SYNTAX_UNKNOWN:
        return true;
    default:
        break;
    }
    for (size_t i = 0; i < node->count; ++i)
        if (differs(in, node->children[i]))
            return true;
    return false;
}

/* ---- statements ---- */

static void mark(common *in, size_t variable) {
    in->changed = in->changed || !in->differs[variable];
    in->differs[variable] = true;
}

static bool is_plain_change(const ht_syntax *change) {
    return (change->kind == HT_SYNTAX_ASSIGN || change->kind == HT_SYNTAX_STEP) &&
           ht_syntax_strip(change->children[0])->kind == HT_SYNTAX_NAME;
}

/* Marks variables whose change is not followed, or is not that of a number, as different from the
 * start. */
static void on_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    if (!is_plain_change(change))
        mark(context, name->variable);
}

static void begin(common *in) {
    for (size_t i = 0; i < in->tree->variable_count; ++i) {
        const ht_syntax_variable *of = &in->tree->variables[i];
        bool plain = of->is_local       ? !of->is_array && !of->is_reference && !of->is_record
                     : of->is_parameter ? !of->changed
                                        : of->is_const && !of->is_shared;
        in->differs[i] = !plain;
    }
    ht_syntax_changes(in->tree->body, on_change, in);
}

static void visit(common *in, const ht_syntax *node, bool apart, bool *leaves);

static void visit_all(common *in, const ht_syntax *node, bool apart, bool *leaves) {
    for (size_t i = 0; i < node->count; ++i)
        visit(in, node->children[i], apart, leaves);
}

static bool is_barrier(const ht_syntax *node, const void *data) {
    (void)data;
    return node->kind == HT_SYNTAX_CALL && node->call->class == HT_CALLEE_BARRIER;
}

static bool has_barrier(const ht_syntax *node) {
    return node && ht_syntax_first(node, is_barrier, NULL);
}

static void visit_statements(common *in, const ht_syntax *node, bool apart, bool *leaves) {
    bool tail = in->tail;
    for (size_t i = 0; i < node->count; ++i) {
        in->tail = tail;
        for (size_t after = i + 1; after < node->count && in->tail; ++after)
            in->tail = !has_barrier(node->children[after]);
        visit(in, node->children[i], apart, leaves);
    }
    in->tail = tail;
}

/* Returns true if threads that a condition keeps from a statement have met their last barrier. */
static bool rest_end(const common *in, const ht_syntax *other) {
    return in->may_end && in->tail && !has_barrier(other);
}

static void visit_if(common *in, const ht_syntax *node, bool apart, bool *leaves) {
    bool inner = apart || (differs(in, node->children[0]) && !rest_end(in, node->children[2]));
    visit(in, node->children[0], apart, leaves);
    visit(in, node->children[1], inner, leaves);
    visit(in, node->children[2], inner, leaves);
}

/* Visits a loop's body twice: the first visit finds whether some threads leave the loop early, and
 * then all of its body depends on a condition that differs. */
static void visit_loop(common *in, const ht_syntax *node, bool apart) {
    bool inner = apart, leaves = false, tail = in->tail;
    for (size_t i = 0; i < node->count; ++i) {
        const ht_syntax *part = node->children[i];
        if (part && part != ht_syntax_body(node) && ht_syntax_is_expression(part))
            inner = inner || (differs(in, part) && !rest_end(in, NULL));
    }
    in->tail = false;
    for (int pass = 0; pass < 2; ++pass)
        visit_all(in, node, inner || leaves, &leaves);
    in->tail = tail;
}

static void visit(common *in, const ht_syntax *node, bool apart, bool *leaves) {
    if (!node)
        return;
    bool inner = apart;
    switch (node->kind) {
    case HT_SYNTAX_COMPOUND:
        visit_statements(in, node, apart, leaves);
        return;
    case HT_SYNTAX_IF:
        visit_if(in, node, apart, leaves);
        return;
    case HT_SYNTAX_FOR:
    case HT_SYNTAX_WHILE:
    case HT_SYNTAX_DO:
        visit_loop(in, node, apart);
        return;
    case HT_SYNTAX_RETURN:
        in->ends_apart = in->ends_apart || apart;
        return;
    case HT_SYNTAX_BREAK:
    case HT_SYNTAX_CONTINUE:
        *leaves = *leaves || apart;
        return;
    case HT_SYNTAX_SWITCH:
    case HT_SYNTAX_UNKNOWN_STATEMENT:
    case HT_SYNTAX_UNKNOWN:
        in->lost = true;
        return;
    case HT_SYNTAX_VARIABLE:
        if (node->count && (apart || differs(in, node->children[0])))
            mark(in, node->variable);
        break;
    case HT_SYNTAX_ASSIGN:
        if (is_plain_change(node) && (apart || differs(in, node->children[1])))
            mark(in, ht_syntax_named(node->children[0])->index);
        break;
    case HT_SYNTAX_STEP:
        if (is_plain_change(node) && apart)
            mark(in, ht_syntax_named(node->children[0])->index);
        break;
    case HT_SYNTAX_BINARY:
        inner =
            apart || ((node->op == HT_BINARY_AND || node->op == HT_BINARY_OR) && differs(in, node));
        break;
    case HT_SYNTAX_CONDITIONAL:
        inner = apart || differs(in, node);
        break;
    case HT_SYNTAX_CALL:
        in->meets_apart = in->meets_apart || (apart && node->call->class == HT_CALLEE_BARRIER);
        break;
    default:
        break;
    }
    visit_all(in, node, inner, leaves);
}

static bool are_common(const ht_model *model, bool may_end) {
    ht_position at;
    common in = {.tree = ht_syntax_of(model), .may_end = may_end};
    in.differs = ht_alloc(in.tree->variable_count + 1, sizeof *in.differs);
    begin(&in);
    bool leaves = false;
    do {
        in.changed = in.meets_apart = in.ends_apart = false;
        in.tail = true;
        visit(&in, in.tree->body, false, &leaves);
    } while (in.changed && !in.lost);
    free(in.differs);
    return !in.lost && !in.meets_apart && (may_end || !in.ends_apart) &&
           !ht_reach_meets(model, &at);
}

bool ht_barriers_are_common(const ht_model *model) {
    return are_common(model, false);
}

bool ht_barriers_are_common_until_end(const ht_model *model) {
    return are_common(model, true);
}
