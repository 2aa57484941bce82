#include "refactor/transformations/coarsen/coarsen_share.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/transformations/coarsen/coarsen_carry.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_rows.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

#include <stdlib.h>

/* ---- expressions ---- */

static ht_share worst(ht_share a, ht_share b) {
    return a > b ? a : b;
}

static ht_share all_same(ht_coarsen *c, const ht_syntax *node) {
    for (size_t i = 0; i < node->count; ++i)
        if (node->children[i] && ht_node_share(c, node->children[i]) != HT_SHARE_SAME)
            return HT_SHARE_OWN;
    return HT_SHARE_SAME;
}

/* The global index is never negative, and does not wrap between the outputs of one thread. */
static bool ht_node_is_x(const ht_coarsen *c, const ht_syntax *node) {
    node = ht_syntax_strip(node);
    return node->kind == HT_SYNTAX_GLOBAL ||
           (node->kind == HT_SYNTAX_NAME && node->variable == c->x);
}

/* Returns true if value + c and the conversion commute. */
static bool conversion_keeps_step(const ht_coarsen *c, const ht_syntax *cast) {
    const ht_syntax *from = cast->children[0];
    if (cast->type == HT_TYPE_POINTER && from->type == HT_TYPE_POINTER)
        return !cast->written && cast->step > 0 && cast->step == from->step;
    if (cast->type != HT_TYPE_INTEGER || from->type != HT_TYPE_INTEGER || cast->bits < 32)
        return false;
    if (cast->bits == from->bits && cast->is_signed == from->is_signed)
        return true;
    if (ht_node_is_x(c, from))
        return true;
    if (cast->bits > from->bits)
        return from->is_signed;
    return cast->bits == from->bits && !cast->is_signed;
}

static ht_share cast_share(ht_coarsen *c, const ht_syntax *node) {
    ht_share share = ht_node_share(c, node->children[0]);
    if (share != HT_SHARE_STEP)
        return share;
    bool whole = node->type == node->children[0]->type && node->bits == node->children[0]->bits &&
                 node->is_signed == node->children[0]->is_signed && !node->written &&
                 node->type == HT_TYPE_INTEGER;
    return whole || conversion_keeps_step(c, node) ? HT_SHARE_STEP : HT_SHARE_OWN;
}

static ht_share binary_share(ht_coarsen *c, const ht_syntax *node) {
    const ht_syntax *left = node->children[0], *right = node->children[1];
    ht_share a = ht_node_share(c, node->children[0]), b = ht_node_share(c, node->children[1]);
    if (ht_rows_share(c, node, &a))
        return a;
    if (node->op == HT_BINARY_COMMA)
        return b;
    if (a == HT_SHARE_SAME && b == HT_SHARE_SAME)
        return HT_SHARE_SAME;
    if (a == HT_SHARE_OWN || b == HT_SHARE_OWN)
        return HT_SHARE_OWN;
    bool number =
        node->type == HT_TYPE_POINTER || (node->type == HT_TYPE_INTEGER && node->bits >= 32);
    if (node->op == HT_BINARY_ADD && number && (a == HT_SHARE_SAME || b == HT_SHARE_SAME)) {
        /* pointer + unsigned index: the index must not wrap between two outputs */
        const ht_syntax *index = left->type == HT_TYPE_POINTER ? right : left;
        bool wraps = node->type == HT_TYPE_POINTER && index->bits < 64 && !index->is_signed &&
                     ht_node_share(c, index) == HT_SHARE_STEP && !ht_node_is_x(c, index);
        return wraps ? HT_SHARE_OWN : HT_SHARE_STEP;
    }
    if (node->op == HT_BINARY_SUB && number && b == HT_SHARE_SAME)
        return HT_SHARE_STEP;
    bool both = a == HT_SHARE_STEP && b == HT_SHARE_STEP && left->type == HT_TYPE_INTEGER &&
                right->type == HT_TYPE_INTEGER && left->is_signed && right->is_signed;
    if (both && (ht_operator_compares(node->op) || node->op == HT_BINARY_SUB))
        return HT_SHARE_SAME;
    return HT_SHARE_OWN;
}

bool ht_node_steps(ht_coarsen *c, const ht_syntax *node) {
    if (node->kind == HT_SYNTAX_DEREFERENCE)
        return ht_node_share(c, node->children[0]) == HT_SHARE_STEP;
    if (node->kind != HT_SYNTAX_SUBSCRIPT || node->children[0]->type != HT_TYPE_POINTER ||
        node->children[1]->type != HT_TYPE_INTEGER)
        return false;
    ht_share base = ht_node_share(c, node->children[0]);
    ht_share index = ht_node_share(c, node->children[1]);
    return (base == HT_SHARE_SAME && index == HT_SHARE_STEP) ||
           (base == HT_SHARE_STEP && index == HT_SHARE_SAME);
}

ht_share ht_node_share(ht_coarsen *c, const ht_syntax *node) {
    switch (node->kind) {
    case HT_SYNTAX_CONSTANT:
    case HT_SYNTAX_INDEX:
        return HT_SHARE_SAME;
    case HT_SYNTAX_GLOBAL: /* where threads meet, each thread has the outputs of one index */
        return c->meets ? HT_SHARE_SAME : HT_SHARE_STEP;
    case HT_SYNTAX_NAME:
        return c->values[node->variable].share;
    case HT_SYNTAX_PAREN:
    case HT_SYNTAX_STEP:
        return ht_node_share(c, node->children[0]);
    case HT_SYNTAX_CAST:
        return cast_share(c, node);
    case HT_SYNTAX_BINARY:
        return binary_share(c, node);
    case HT_SYNTAX_CONDITIONAL: {
        if (ht_node_share(c, node->children[0]) != HT_SHARE_SAME)
            return HT_SHARE_OWN;
        ht_share a = ht_node_share(c, node->children[1]), b = ht_node_share(c, node->children[2]);
        return a == b ? a : HT_SHARE_OWN;
    }
    case HT_SYNTAX_CALL:
        return c->meets && node->call && node->call->is_barrier ? HT_SHARE_SAME
               : ht_syntax_has_effect(node)                     ? HT_SHARE_OWN
                                                                : all_same(c, node);
    default:
        return all_same(c, node);
    }
}

/* ---- variables ---- */

typedef struct share_pass {
    ht_coarsen *c;
    bool changed;
    bool *same, *step; /* by variable: shares assigned in this pass */
} share_pass;

static void make_own(share_pass *pass, size_t variable) {
    ht_value *value = &pass->c->values[variable];
    if (value->own)
        return;
    value->own = true;
    value->share = HT_SHARE_OWN;
    pass->changed = true;
}

static void make_apart(share_pass *pass, const ht_syntax *node) {
    ht_mark *mark = &pass->c->marks[node->index];
    if (!mark->apart)
        pass->changed = true;
    mark->apart = true;
}

static void note_assigned(share_pass *pass, size_t variable, ht_share share) {
    if (share == HT_SHARE_OWN)
        make_own(pass, variable);
    else if (share == HT_SHARE_STEP)
        pass->step[variable] = true;
    else
        pass->same[variable] = true;
}

static void own_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)change;
    make_own(context, name->variable);
}

static bool own_declared(const ht_syntax *node, void *context) {
    if (node->kind == HT_SYNTAX_VARIABLE)
        make_own(context, node->variable);
    return true;
}

/* Makes the whole of `node` run once for each output, with everything that it declares or
 * changes. */
static void set_apart(share_pass *pass, const ht_syntax *node) {
    make_apart(pass, node);
    ht_syntax_walk(node, own_declared, pass);
    ht_syntax_changes(node, own_change, pass);
}

/* ---- statements ---- */

/* Visits an assignment to a variable. Returns false if it must run once for each output. */
static bool assign_variable(share_pass *pass, const ht_syntax *node, const ht_syntax *root) {
    ht_coarsen *c = pass->c;
    ht_value *value = &c->values[root->variable];
    if (value->own)
        return false;
    const ht_syntax *left = ht_syntax_strip(node->children[0]);
    ht_share right = ht_node_share(c, node->children[1]);
    if (left->kind != HT_SYNTAX_NAME) { /* an element or a member */
        if (ht_node_share(c, left) != HT_SHARE_SAME || right != HT_SHARE_SAME)
            make_own(pass, root->variable);
    } else if (node->op == HT_BINARY_ASSIGN) {
        note_assigned(pass, root->variable, right);
    } else {
        bool adds = node->op == HT_BINARY_ADD_ASSIGN || node->op == HT_BINARY_SUB_ASSIGN;
        bool number =
            left->type == HT_TYPE_POINTER || (left->type == HT_TYPE_INTEGER && left->bits >= 32);
        bool keeps = right == HT_SHARE_SAME && (value->share == HT_SHARE_SAME || (adds && number));
        if (!keeps)
            make_own(pass, root->variable);
    }
    return !value->own;
}

/* Visits a change inside an expression. Returns false if it must run once for each output. */
static bool visit_change(share_pass *pass, const ht_syntax *node) {
    ht_coarsen *c = pass->c;
    if (node->kind == HT_SYNTAX_ASSIGN) {
        const ht_syntax *root = ht_lvalue_root(node->children[0]);
        if (root)
            return assign_variable(pass, node, root);
        return ht_node_share(c, node->children[0]) == HT_SHARE_SAME &&
               ht_node_share(c, node->children[1]) == HT_SHARE_SAME;
    }
    if (node->kind == HT_SYNTAX_STEP) {
        const ht_syntax *root = ht_lvalue_root(node->children[0]);
        const ht_syntax *left = ht_syntax_strip(node->children[0]);
        bool alike = ht_node_share(c, left) == HT_SHARE_SAME;
        if (root && left->kind != HT_SYNTAX_NAME && !alike) /* seen[in[x]]++ */
            make_own(pass, root->variable);
        return root ? !c->values[root->variable].own : alike;
    }
    return true;
}

static bool visit_expression(share_pass *pass, const ht_syntax *node, bool certain) {
    ht_coarsen *c = pass->c;
    bool together = true;
    ht_syntax_addresses_kept(node, own_change, pass);
    bool changes = node->kind == HT_SYNTAX_ASSIGN || node->kind == HT_SYNTAX_STEP;
    if (node->kind == HT_SYNTAX_CALL && ht_node_share(c, node) != HT_SHARE_SAME)
        changes = true;
    if (changes && !certain)
        return false;
    bool branches =
        node->kind == HT_SYNTAX_CONDITIONAL ||
        (node->kind == HT_SYNTAX_BINARY && (node->op == HT_BINARY_AND || node->op == HT_BINARY_OR));
    for (size_t i = 0; i < node->count; ++i) {
        bool sure =
            certain && !(branches && i > 0 && ht_node_share(c, node->children[0]) != HT_SHARE_SAME);
        together = visit_expression(pass, node->children[i], sure) && together;
    }
    if (node->kind == HT_SYNTAX_ASSIGN || node->kind == HT_SYNTAX_STEP)
        together = visit_change(pass, node) && together;
    if (node->kind == HT_SYNTAX_CALL && changes) {
        ht_syntax_changes(node, own_change, pass);
        together = false;
    }
    return together;
}

static void visit_expression_statement(share_pass *pass, const ht_syntax *node) {
    if (!visit_expression(pass, node, true))
        set_apart(pass, node);
}

static void visit_variable(share_pass *pass, const ht_syntax *node) {
    ht_coarsen *c = pass->c;
    const ht_syntax_variable *variable = &c->tree->variables[node->variable];
    if (node->count && !c->values[node->variable].own) {
        ht_share share = ht_node_share(c, node->children[0]);
        bool whole = visit_expression(pass, node->children[0], true);
        if (!whole || (variable->is_array && share != HT_SHARE_SAME))
            share = HT_SHARE_OWN;
        if (node->variable != c->x)
            note_assigned(pass, node->variable, share);
    }
    if (c->values[node->variable].own)
        set_apart(pass, node);
}

static void visit_statement(share_pass *pass, const ht_syntax *node, const ht_region *top);
static void visit_list(share_pass *pass, const ht_syntax *owner, ht_syntax_list list, size_t count,
                       const ht_region *top);

static void visit_body(share_pass *pass, const ht_syntax *owner, const ht_syntax *body,
                       const ht_region *top) {
    if (body->kind == HT_SYNTAX_COMPOUND)
        visit_list(pass, owner, body->children, body->count, top);
    else
        visit_list(pass, owner, &body, 1, top);
}

/* Visits a loop's condition and step, or the condition of an if or switch, which must be the same
 * for all outputs. */
static void visit_header(share_pass *pass, const ht_syntax *owner, const ht_syntax *header,
                         bool value) {
    if (!header)
        return;
    if (header->kind == HT_SYNTAX_DECLARATION) {
        visit_statement(pass, header, NULL);
        if (pass->c->marks[header->index].apart)
            set_apart(pass, owner);
    } else if (!visit_expression(pass, header, true) ||
               (value && ht_node_share(pass->c, header) != HT_SHARE_SAME)) {
        set_apart(pass, owner);
    }
}

static void carry(share_pass *pass, const ht_syntax *node, bool inside);

static void carry_list(share_pass *pass, ht_syntax_list list, size_t begin, size_t count,
                       bool inside) {
    for (size_t i = begin; i < count; ++i) {
        if (ht_carry_skips(list, i, count) &&
            ht_node_share(pass->c, list[i]->children[0]) != HT_SHARE_SAME) {
            pass->c->marks[list[i]->index].skips = true;
            set_apart(pass, list[i]);
            inside = false;
        } else
            carry(pass, list[i], inside);
    }
}

static bool asks_alike(ht_coarsen *c, const ht_syntax *node) {
    const ht_syntax *condition = node->children[0];
    return node->kind == HT_SYNTAX_IF && ht_node_share(c, condition) == HT_SHARE_SAME &&
           !ht_syntax_is_risky(condition) && !ht_syntax_has_change(condition);
}

/* Moves a test into the statements after it: loops stay, and so do decisions that are the same for
 * all outputs; all else runs once for each output. `inside`: in a loop after the test with no other
 * test between, which may be left for all outputs at once. */
static void carry(share_pass *pass, const ht_syntax *node, bool inside) {
    ht_coarsen *c = pass->c;
    if (node->kind == HT_SYNTAX_COMPOUND) {
        carry_list(pass, node->children, 0, node->count, inside);
    } else if (node->kind == HT_SYNTAX_IF && asks_alike(c, node)) {
        carry(pass, node->children[1], inside);
        if (node->children[2])
            carry(pass, node->children[2], inside);
    } else if (node->kind == HT_SYNTAX_IF && !c->marks[node->index].apart &&
               ht_carry_enters(node)) {
        c->marks[node->index].enters = true;
        carry(pass, node->children[1], false);
    } else if (ht_carry_is_loop(node)) {
        carry(pass, node->children[3], true);
    } else if (node->kind == HT_SYNTAX_DECLARATION) {
        for (size_t i = 0; i < node->count; ++i)
            if (ht_syntax_is_risky(node->children[i]) || ht_syntax_has_change(node->children[i]))
                set_apart(pass, node);
    } else if (node->kind == HT_SYNTAX_CONTINUE || node->kind == HT_SYNTAX_BREAK) {
        if (!inside)
            set_apart(pass, node);
    } else if (node->kind != HT_SYNTAX_EMPTY) {
        set_apart(pass, node);
    }
}

/* Moves the condition of an `if` into its body, if possible. */
static bool enter_carried(share_pass *pass, const ht_syntax *node) {
    ht_coarsen *c = pass->c;
    if (!c->carries || c->marks[node->index].apart ||
        ht_node_share(c, node->children[0]) == HT_SHARE_SAME || !ht_carry_enters(node))
        return false;
    c->marks[node->index].enters = true;
    carry(pass, node->children[1], false);
    return true;
}

static void visit_nested(share_pass *pass, const ht_syntax *node, const ht_region *top) {
    switch (node->kind) {
    case HT_SYNTAX_IF:
        if (ht_rows_first(pass->c, node))
            break;
        if (!pass->c->marks[node->index].enters && !enter_carried(pass, node))
            visit_header(pass, node, node->children[0], true);
        visit_body(pass, node, node->children[1], top);
        if (node->children[2])
            visit_body(pass, node, node->children[2], top);
        break;
    case HT_SYNTAX_FOR:
        visit_header(pass, node, node->children[0], false);
        visit_header(pass, node, node->children[1], true);
        visit_header(pass, node, node->children[2], false);
        visit_body(pass, node, node->children[3], top);
        break;
    case HT_SYNTAX_WHILE:
        visit_header(pass, node, node->children[0], true);
        visit_body(pass, node, node->children[1], top);
        break;
    case HT_SYNTAX_DO:
        visit_body(pass, node, node->children[0], top);
        visit_header(pass, node, node->children[1], true);
        break;
    default: /* a switch: its labels keep it from being split */
        visit_header(pass, node, node->children[0], true);
        visit_body(pass, node, node->children[1], top);
        if (ht_node_any_apart(pass->c, node->children[1]))
            set_apart(pass, node);
    }
}

static void visit_statement(share_pass *pass, const ht_syntax *node, const ht_region *top) {
    if (pass->c->marks[node->index].apart) {
        if (node->kind != HT_SYNTAX_DECLARATION) {
            set_apart(pass, node);
            return;
        }
    }
    switch (node->kind) {
    case HT_SYNTAX_COMPOUND:
        visit_list(pass, node, node->children, node->count, top);
        return;
    case HT_SYNTAX_DECLARATION:
        for (size_t i = 0; i < node->count; ++i) {
            visit_variable(pass, node->children[i]);
            if (pass->c->marks[node->children[i]->index].apart)
                make_apart(pass, node);
        }
        return;
    case HT_SYNTAX_VARIABLE:
        visit_variable(pass, node);
        return;
    case HT_SYNTAX_CASE:
        for (size_t i = 0; i < node->count; ++i)
            visit_statement(pass, node->children[i], top);
        return;
    case HT_SYNTAX_IF:
    case HT_SYNTAX_FOR:
    case HT_SYNTAX_WHILE:
    case HT_SYNTAX_DO:
    case HT_SYNTAX_SWITCH:
        visit_nested(pass, node, top);
        return;
    case HT_SYNTAX_RETURN:
    case HT_SYNTAX_BREAK:
    case HT_SYNTAX_CONTINUE:
    case HT_SYNTAX_EMPTY:
        return;
    default:
        visit_expression_statement(pass, node);
    }
}

/* ---- jumps out of statements that run once for each output ---- */

typedef struct jump_walk {
    const ht_syntax *root;
    bool returns, breaks, continues;
} jump_walk;

static bool on_jump(const ht_syntax *node, void *context) {
    jump_walk *walk = context;
    if (ht_syntax_is_jump(node) && ht_syntax_escapes(node, walk->root)) {
        walk->returns |= node->kind == HT_SYNTAX_RETURN;
        walk->breaks |= node->kind == HT_SYNTAX_BREAK;
        walk->continues |= node->kind == HT_SYNTAX_CONTINUE;
    }
    return true;
}

static jump_walk jumps_of(const ht_syntax *node) {
    jump_walk walk = {.root = node};
    ht_syntax_walk(node, on_jump, &walk);
    return walk;
}

/* Makes the rest of a list run once for each output, together with the statement whose jump skips
 * it. */
static void absorb(share_pass *pass, ht_syntax_list list, size_t begin, size_t count) {
    for (size_t i = begin; i < count; ++i)
        set_apart(pass, list[i]);
}

static void visit_list(share_pass *pass, const ht_syntax *owner, ht_syntax_list list, size_t count,
                       const ht_region *top) {
    bool is_top = top && top->statements == list;
    for (size_t i = 0; i < count; ++i) {
        visit_statement(pass, list[i], top);
        if (!pass->c->marks[list[i]->index].apart)
            continue;
        jump_walk jumps = jumps_of(list[i]);
        bool loop = owner && ht_syntax_is_loop(owner);
        if (jumps.returns && is_top)
            absorb(pass, list, i, count);
        else if (jumps.returns && owner)
            set_apart(pass, owner);
        if (jumps.continues && loop && pass->c->carries && ht_carry_skips(list, i, count)) {
            pass->c->marks[list[i]->index].skips = true;
            carry_list(pass, list, i + 1, count, false);
        } else if (jumps.continues && loop)
            absorb(pass, list, i, count);
        else if (jumps.continues && owner)
            set_apart(pass, owner);
        if (jumps.breaks && owner)
            set_apart(pass, owner);
    }
}

void ht_region_share(ht_coarsen *c, const ht_region *region) {
    share_pass pass = {.c = c, .changed = true};
    while (pass.changed) {
        pass.changed = false;
        pass.same = ht_alloc(c->tree->variable_count + 1, sizeof(bool));
        pass.step = ht_alloc(c->tree->variable_count + 1, sizeof(bool));
        visit_list(&pass, NULL, region->statements, region->count, region);
        for (size_t i = 0; i < c->tree->variable_count; ++i) {
            ht_value *value = &c->values[i];
            ht_share share = value->own                     ? HT_SHARE_OWN
                             : i == c->x                    ? HT_SHARE_STEP
                             : pass.step[i] && pass.same[i] ? HT_SHARE_OWN
                             : pass.step[i]                 ? HT_SHARE_STEP
                                                            : HT_SHARE_SAME;
            share = worst(share, value->share);
            if (share == HT_SHARE_OWN && !value->own)
                value->own = true;
            pass.changed = pass.changed || share != value->share;
            value->share = share;
        }
        free(pass.same);
        free(pass.step);
    }
}

void ht_share_reset(ht_coarsen *c) {
    for (size_t i = 0; i < c->tree->variable_count; ++i) {
        c->values[i].own = c->values[i].array = c->values[i].moved = false;
        c->values[i].share = i == c->x ? HT_SHARE_STEP : HT_SHARE_SAME;
    }
    for (size_t i = 0; i < c->tree->count; ++i)
        c->marks[i].apart = c->marks[i].skips = c->marks[i].enters = false;
}

bool ht_node_is_linear(ht_coarsen *c, const ht_syntax *node) {
    if (ht_node_share(c, node) == HT_SHARE_SAME)
        return node->type == HT_TYPE_INTEGER;
    if (node->type != HT_TYPE_INTEGER || !node->is_signed || node->bits < 32)
        return false;
    if (ht_node_is_x(c, node))
        return true;
    switch (node->kind) {
    case HT_SYNTAX_PAREN:
        return ht_node_is_linear(c, node->children[0]);
    case HT_SYNTAX_CAST:
        return node->children[0]->is_signed && node->bits >= node->children[0]->bits &&
               ht_node_is_linear(c, node->children[0]);
    case HT_SYNTAX_NAME: {
        const ht_syntax_variable *variable = &c->tree->variables[node->variable];
        return variable->declaration && variable->declaration->count && !variable->is_reference &&
               !c->tree->variables[node->variable].changed &&
               ht_node_is_linear(c, variable->declaration->children[0]);
    }
    case HT_SYNTAX_BINARY: {
        const ht_syntax *left = node->children[0], *right = node->children[1];
        if (!ht_node_is_linear(c, left) || !ht_node_is_linear(c, right))
            return false;
        bool one =
            ht_node_share(c, left) == HT_SHARE_SAME || ht_node_share(c, right) == HT_SHARE_SAME;
        return node->op == HT_BINARY_ADD || node->op == HT_BINARY_SUB ||
               (node->op == HT_BINARY_MUL && one);
    }
    default:
        return false;
    }
}
