/* How values differ between the outputs of one thread, and which statements have to run once per
 * output. */
#include "base/memory.h"
#include "refactor/transformations/coarsen/coarsen.h"

#include <stdlib.h>

/* ---- expressions ---- */

static ht_share worst(ht_share a, ht_share b) {
    return a > b ? a : b;
}

static ht_share all_same(ht_coarsen *c, const ht_node *node) {
    for (size_t i = 0; i < node->count; ++i)
        if (node->children[i] && ht_node_share(c, node->children[i]) != HT_SHARE_SAME)
            return HT_SHARE_OWN;
    return HT_SHARE_SAME;
}

/* The global index itself is never negative, and the outputs of one thread do not wrap around. */
bool ht_node_is_x(const ht_coarsen *c, ht_node *node) {
    node = ht_node_strip(node);
    return node->kind == HT_NODE_GLOBAL || (node->kind == HT_NODE_NAME && node->variable == c->x);
}

static long long pointee_size(const ht_node *node) {
    CXType type = clang_getCanonicalType(clang_getCursorType(node->cursor));
    CXType inner =
        type.kind == CXType_Pointer ? clang_getPointeeType(type) : clang_getArrayElementType(type);
    return clang_Type_getSizeOf(inner);
}

/* Do value + c and the conversion commute? */
static bool conversion_keeps_step(const ht_coarsen *c, const ht_node *cast) {
    ht_node *from = cast->children[0];
    if (cast->type == HT_TYPE_POINTER && from->type == HT_TYPE_POINTER)
        return !cast->written && pointee_size(cast) > 0 && pointee_size(cast) == pointee_size(from);
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

static ht_share cast_share(ht_coarsen *c, const ht_node *node) {
    ht_share share = ht_node_share(c, node->children[0]);
    if (share != HT_SHARE_STEP)
        return share;
    bool whole = node->type == node->children[0]->type && node->bits == node->children[0]->bits &&
                 node->is_signed == node->children[0]->is_signed && !node->written &&
                 node->type == HT_TYPE_INTEGER;
    return whole || conversion_keeps_step(c, node) ? HT_SHARE_STEP : HT_SHARE_OWN;
}

static bool is_comparison(int op) {
    return op >= CXBinaryOperator_LT && op <= CXBinaryOperator_NE;
}

static ht_share binary_share(ht_coarsen *c, const ht_node *node) {
    const ht_node *left = node->children[0], *right = node->children[1];
    ht_share a = ht_node_share(c, node->children[0]), b = ht_node_share(c, node->children[1]);
    if (node->op == CXBinaryOperator_Comma)
        return b;
    if (a == HT_SHARE_SAME && b == HT_SHARE_SAME)
        return HT_SHARE_SAME;
    if (a == HT_SHARE_OWN || b == HT_SHARE_OWN)
        return HT_SHARE_OWN;
    bool number =
        node->type == HT_TYPE_POINTER || (node->type == HT_TYPE_INTEGER && node->bits >= 32);
    if (node->op == CXBinaryOperator_Add && number && (a == HT_SHARE_SAME || b == HT_SHARE_SAME)) {
        /* pointer + unsigned index: the index must not wrap between two outputs */
        const ht_node *index = left->type == HT_TYPE_POINTER ? right : left;
        bool wraps = node->type == HT_TYPE_POINTER && index->bits < 64 && !index->is_signed &&
                     ht_node_share(c, (ht_node *)index) == HT_SHARE_STEP &&
                     !ht_node_is_x(c, (ht_node *)index);
        return wraps ? HT_SHARE_OWN : HT_SHARE_STEP;
    }
    if (node->op == CXBinaryOperator_Sub && number && b == HT_SHARE_SAME)
        return HT_SHARE_STEP;
    bool both = a == HT_SHARE_STEP && b == HT_SHARE_STEP && left->type == HT_TYPE_INTEGER &&
                right->type == HT_TYPE_INTEGER && left->is_signed && right->is_signed;
    if (both && (is_comparison(node->op) || node->op == CXBinaryOperator_Sub))
        return HT_SHARE_SAME;
    return HT_SHARE_OWN;
}

bool ht_node_steps(ht_coarsen *c, ht_node *node) {
    if (node->kind == HT_NODE_DEREFERENCE)
        return ht_node_share(c, node->children[0]) == HT_SHARE_STEP;
    if (node->kind != HT_NODE_SUBSCRIPT || node->children[0]->type != HT_TYPE_POINTER ||
        node->children[1]->type != HT_TYPE_INTEGER)
        return false;
    ht_share base = ht_node_share(c, node->children[0]);
    ht_share index = ht_node_share(c, node->children[1]);
    return (base == HT_SHARE_SAME && index == HT_SHARE_STEP) ||
           (base == HT_SHARE_STEP && index == HT_SHARE_SAME);
}

ht_share ht_node_share(ht_coarsen *c, ht_node *node) {
    switch (node->kind) {
    case HT_NODE_CONSTANT:
    case HT_NODE_INDEX:
        return HT_SHARE_SAME;
    case HT_NODE_GLOBAL: /* where threads meet, each has the outputs of one index */
        return c->meets ? HT_SHARE_SAME : HT_SHARE_STEP;
    case HT_NODE_NAME:
        return c->variables[node->variable].share;
    case HT_NODE_PAREN:
    case HT_NODE_STEP:
        return ht_node_share(c, node->children[0]);
    case HT_NODE_CAST:
        return cast_share(c, node);
    case HT_NODE_BINARY:
        return binary_share(c, node);
    case HT_NODE_CONDITIONAL: {
        if (ht_node_share(c, node->children[0]) != HT_SHARE_SAME)
            return HT_SHARE_OWN;
        ht_share a = ht_node_share(c, node->children[1]), b = ht_node_share(c, node->children[2]);
        return a == b ? a : HT_SHARE_OWN;
    }
    case HT_NODE_CALL:
        return c->meets && ht_node_is_barrier(node) ? HT_SHARE_SAME
               : ht_node_has_effect(c, node)        ? HT_SHARE_OWN
                                                    : all_same(c, node);
    default:
        return all_same(c, node);
    }
}

/* ---- variables ---- */

typedef struct share_pass {
    ht_coarsen *c;
    bool changed;
    bool *same, *step; /* by variable: what was assigned in this pass */
} share_pass;

static void make_own(share_pass *pass, size_t variable) {
    ht_variable *of = &pass->c->variables[variable];
    if (of->own)
        return;
    of->own = true;
    of->share = HT_SHARE_OWN;
    pass->changed = true;
}

static void make_apart(share_pass *pass, ht_node *node) {
    if (!node->apart)
        pass->changed = true;
    node->apart = true;
}

static void note_assigned(share_pass *pass, size_t variable, ht_share share) {
    if (share == HT_SHARE_OWN)
        make_own(pass, variable);
    else if (share == HT_SHARE_STEP)
        pass->step[variable] = true;
    else
        pass->same[variable] = true;
}

static void own_change(ht_coarsen *c, ht_node *name, ht_node *change, void *context) {
    (void)c;
    (void)change;
    make_own(context, name->variable);
}

static bool own_declared(ht_node *node, void *context) {
    if (node->kind == HT_NODE_VARIABLE)
        make_own(context, node->variable);
    return true;
}

/* The whole of `node` runs once per output: so does everything it declares or changes. */
static void set_apart(share_pass *pass, ht_node *node) {
    make_apart(pass, node);
    ht_node_walk(node, own_declared, pass);
    ht_node_changes(pass->c, node, own_change, pass);
}

/* ---- statements ---- */

/* An assignment to a variable: false when it has to run once per output. */
static bool assign_variable(share_pass *pass, ht_node *node, ht_node *root) {
    ht_coarsen *c = pass->c;
    ht_variable *variable = &c->variables[root->variable];
    if (variable->own)
        return false;
    ht_node *left = ht_node_strip(node->children[0]);
    ht_share right = ht_node_share(c, node->children[1]);
    if (left->kind != HT_NODE_NAME) { /* an element or a member */
        if (ht_node_share(c, left) != HT_SHARE_SAME || right != HT_SHARE_SAME)
            make_own(pass, root->variable);
    } else if (node->op == CXBinaryOperator_Assign) {
        note_assigned(pass, root->variable, right);
    } else {
        bool adds =
            node->op == CXBinaryOperator_AddAssign || node->op == CXBinaryOperator_SubAssign;
        bool number =
            left->type == HT_TYPE_POINTER || (left->type == HT_TYPE_INTEGER && left->bits >= 32);
        bool keeps =
            right == HT_SHARE_SAME && (variable->share == HT_SHARE_SAME || (adds && number));
        if (!keeps)
            make_own(pass, root->variable);
    }
    return !variable->own;
}

/* Anything in an expression that changes something: false when it has to run once per output. */
static bool visit_change(share_pass *pass, ht_node *node) {
    ht_coarsen *c = pass->c;
    if (node->kind == HT_NODE_ASSIGN) {
        ht_node *root = ht_lvalue_root(c, node->children[0]);
        if (root)
            return assign_variable(pass, node, root);
        return ht_node_share(c, node->children[0]) == HT_SHARE_SAME &&
               ht_node_share(c, node->children[1]) == HT_SHARE_SAME;
    }
    if (node->kind == HT_NODE_STEP) {
        ht_node *root = ht_lvalue_root(c, node->children[0]);
        return root ? !c->variables[root->variable].own
                    : ht_node_share(c, node->children[0]) == HT_SHARE_SAME;
    }
    return true;
}

static bool visit_expression(share_pass *pass, ht_node *node, bool certain) {
    ht_coarsen *c = pass->c;
    bool together = true;
    bool changes = node->kind == HT_NODE_ASSIGN || node->kind == HT_NODE_STEP;
    if (node->kind == HT_NODE_CALL && ht_node_share(c, node) != HT_SHARE_SAME)
        changes = true;
    if (changes && !certain)
        return false;
    bool branches = node->kind == HT_NODE_CONDITIONAL ||
                    (node->kind == HT_NODE_BINARY &&
                     (node->op == CXBinaryOperator_LAnd || node->op == CXBinaryOperator_LOr));
    for (size_t i = 0; i < node->count; ++i) {
        bool sure =
            certain && !(branches && i > 0 && ht_node_share(c, node->children[0]) != HT_SHARE_SAME);
        together = visit_expression(pass, node->children[i], sure) && together;
    }
    if (node->kind == HT_NODE_ASSIGN || node->kind == HT_NODE_STEP)
        together = visit_change(pass, node) && together;
    if (node->kind == HT_NODE_CALL && changes) {
        ht_node_changes(c, node, own_change, pass);
        together = false;
    }
    return together;
}

static void visit_expression_statement(share_pass *pass, ht_node *node) {
    if (!visit_expression(pass, node, true))
        set_apart(pass, node);
}

static void visit_variable(share_pass *pass, ht_node *node) {
    ht_coarsen *c = pass->c;
    ht_variable *variable = &c->variables[node->variable];
    if (node->count && !variable->own) {
        ht_share share = ht_node_share(c, node->children[0]);
        bool whole = visit_expression(pass, node->children[0], true);
        if (!whole || (variable->is_array && share != HT_SHARE_SAME))
            share = HT_SHARE_OWN;
        if (node->variable != c->x)
            note_assigned(pass, node->variable, share);
    }
    if (variable->own)
        set_apart(pass, node);
}

static void visit_statement(share_pass *pass, ht_node *node, const ht_region *top);
static void visit_list(share_pass *pass, ht_node *owner, ht_node **list, size_t count,
                       const ht_region *top);

static void visit_body(share_pass *pass, ht_node *owner, ht_node *body, const ht_region *top) {
    if (body->kind == HT_NODE_COMPOUND)
        visit_list(pass, owner, body->children, body->count, top);
    else
        visit_list(pass, owner, &body, 1, top);
}

/* Condition and step of a loop, condition of an if or switch: they must be the same for all
 * outputs. */
static void visit_header(share_pass *pass, ht_node *owner, ht_node *header, bool value) {
    if (!header)
        return;
    if (header->kind == HT_NODE_DECLARATION) {
        visit_statement(pass, header, NULL);
        if (header->apart)
            set_apart(pass, owner);
    } else if (!visit_expression(pass, header, true) ||
               (value && ht_node_share(pass->c, header) != HT_SHARE_SAME)) {
        set_apart(pass, owner);
    }
}

static bool any_apart(ht_node *node) {
    if (!node)
        return false;
    if (node->apart)
        return true;
    for (size_t i = 0; i < node->count; ++i)
        if (any_apart(node->children[i]))
            return true;
    return false;
}

static void carry(share_pass *pass, ht_node *node, bool inside);

static void carry_list(share_pass *pass, ht_node **list, size_t begin, size_t count, bool inside) {
    for (size_t i = begin; i < count; ++i) {
        if (ht_carry_skips(pass->c, list, i, count) &&
            ht_node_share(pass->c, list[i]->children[0]) != HT_SHARE_SAME) {
            list[i]->skips = true;
            set_apart(pass, list[i]);
            inside = false;
        } else
            carry(pass, list[i], inside);
    }
}

static bool asks_alike(ht_coarsen *c, ht_node *node) {
    ht_node *condition = node->children[0];
    return node->kind == HT_NODE_IF && ht_node_share(c, condition) == HT_SHARE_SAME &&
           !ht_node_is_risky(condition) && !ht_node_has_change(c, condition);
}

/* What stands behind a test that is carried: loops stay, and what is decided alike for all outputs;
 * all else is run once per output. `inside`: of a loop behind the test, with no other test between,
 * which may be left for all outputs at once. */
static void carry(share_pass *pass, ht_node *node, bool inside) {
    ht_coarsen *c = pass->c;
    if (node->kind == HT_NODE_COMPOUND) {
        carry_list(pass, node->children, 0, node->count, inside);
    } else if (node->kind == HT_NODE_IF && asks_alike(c, node)) {
        carry(pass, node->children[1], inside);
        if (node->children[2])
            carry(pass, node->children[2], inside);
    } else if (node->kind == HT_NODE_IF && !node->apart && ht_carry_enters(c, node)) {
        node->enters = true;
        carry(pass, node->children[1], false);
    } else if (ht_carry_is_loop(c, node)) {
        carry(pass, node->children[3], true);
    } else if (node->kind == HT_NODE_DECLARATION) {
        for (size_t i = 0; i < node->count; ++i)
            if (ht_node_is_risky(node->children[i]) || ht_node_has_change(c, node->children[i]))
                set_apart(pass, node);
    } else if (node->kind == HT_NODE_CONTINUE || node->kind == HT_NODE_BREAK) {
        if (!inside)
            set_apart(pass, node);
    } else if (node->kind != HT_NODE_EMPTY) {
        set_apart(pass, node);
    }
}

/* The condition is asked for by what stands inside. */
static bool enter_carried(share_pass *pass, ht_node *node) {
    ht_coarsen *c = pass->c;
    if (!c->carries || node->apart || ht_node_share(c, node->children[0]) == HT_SHARE_SAME ||
        !ht_carry_enters(c, node))
        return false;
    node->enters = true;
    carry(pass, node->children[1], false);
    return true;
}

static void visit_nested(share_pass *pass, ht_node *node, const ht_region *top) {
    switch (node->kind) {
    case HT_NODE_IF:
        if (!node->enters && !enter_carried(pass, node))
            visit_header(pass, node, node->children[0], true);
        visit_body(pass, node, node->children[1], top);
        if (node->children[2])
            visit_body(pass, node, node->children[2], top);
        break;
    case HT_NODE_FOR:
        visit_header(pass, node, node->children[0], false);
        visit_header(pass, node, node->children[1], true);
        visit_header(pass, node, node->children[2], false);
        visit_body(pass, node, node->children[3], top);
        break;
    case HT_NODE_WHILE:
        visit_header(pass, node, node->children[0], true);
        visit_body(pass, node, node->children[1], top);
        break;
    case HT_NODE_DO:
        visit_body(pass, node, node->children[0], top);
        visit_header(pass, node, node->children[1], true);
        break;
    default: /* a switch: its labels keep it from being split */
        visit_header(pass, node, node->children[0], true);
        visit_body(pass, node, node->children[1], top);
        if (any_apart(node->children[1]))
            set_apart(pass, node);
    }
}

static void visit_statement(share_pass *pass, ht_node *node, const ht_region *top) {
    if (node->apart) {
        if (node->kind != HT_NODE_DECLARATION) {
            set_apart(pass, node);
            return;
        }
    }
    switch (node->kind) {
    case HT_NODE_COMPOUND:
        visit_list(pass, node, node->children, node->count, top);
        return;
    case HT_NODE_DECLARATION:
        for (size_t i = 0; i < node->count; ++i) {
            visit_variable(pass, node->children[i]);
            if (node->children[i]->apart)
                make_apart(pass, node);
        }
        return;
    case HT_NODE_VARIABLE:
        visit_variable(pass, node);
        return;
    case HT_NODE_CASE:
        for (size_t i = 0; i < node->count; ++i)
            visit_statement(pass, node->children[i], top);
        return;
    case HT_NODE_IF:
    case HT_NODE_FOR:
    case HT_NODE_WHILE:
    case HT_NODE_DO:
    case HT_NODE_SWITCH:
        visit_nested(pass, node, top);
        return;
    case HT_NODE_RETURN:
    case HT_NODE_BREAK:
    case HT_NODE_CONTINUE:
    case HT_NODE_EMPTY:
        return;
    default:
        visit_expression_statement(pass, node);
    }
}

/* ---- jumps out of statements that run once per output ---- */

typedef struct jump_walk {
    const ht_node *root;
    bool returns, breaks, continues;
} jump_walk;

static bool on_jump(ht_node *node, void *context) {
    jump_walk *walk = context;
    if ((node->kind == HT_NODE_RETURN || node->kind == HT_NODE_BREAK ||
         node->kind == HT_NODE_CONTINUE) &&
        ht_node_escapes(node, walk->root)) {
        walk->returns |= node->kind == HT_NODE_RETURN;
        walk->breaks |= node->kind == HT_NODE_BREAK;
        walk->continues |= node->kind == HT_NODE_CONTINUE;
    }
    return true;
}

static jump_walk jumps_of(ht_node *node) {
    jump_walk walk = {.root = node};
    ht_node_walk(node, on_jump, &walk);
    return walk;
}

/* The rest of a list runs once per output, together with the statement whose jump skips it. */
static void absorb(share_pass *pass, ht_node **list, size_t begin, size_t count) {
    for (size_t i = begin; i < count; ++i)
        set_apart(pass, list[i]);
}

static void visit_list(share_pass *pass, ht_node *owner, ht_node **list, size_t count,
                       const ht_region *top) {
    bool is_top = top && top->statements == list;
    for (size_t i = 0; i < count; ++i) {
        visit_statement(pass, list[i], top);
        if (!list[i]->apart)
            continue;
        jump_walk jumps = jumps_of(list[i]);
        bool loop = owner && ht_node_is_loop(owner);
        if (jumps.returns && is_top)
            absorb(pass, list, i, count);
        else if (jumps.returns && owner)
            set_apart(pass, owner);
        if (jumps.continues && loop && pass->c->carries &&
            ht_carry_skips(pass->c, list, i, count)) {
            list[i]->skips = true;
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
        pass.same = ht_alloc(c->variable_count + 1, sizeof(bool));
        pass.step = ht_alloc(c->variable_count + 1, sizeof(bool));
        visit_list(&pass, NULL, region->statements, region->count, region);
        for (size_t i = 0; i < c->variable_count; ++i) {
            ht_variable *variable = &c->variables[i];
            ht_share share = variable->own                  ? HT_SHARE_OWN
                             : i == c->x                    ? HT_SHARE_STEP
                             : pass.step[i] && pass.same[i] ? HT_SHARE_OWN
                             : pass.step[i]                 ? HT_SHARE_STEP
                                                            : HT_SHARE_SAME;
            share = worst(share, variable->share);
            if (share == HT_SHARE_OWN && !variable->own)
                variable->own = true;
            pass.changed = pass.changed || share != variable->share;
            variable->share = share;
        }
        free(pass.same);
        free(pass.step);
    }
}

void ht_share_reset(ht_coarsen *c) {
    for (size_t i = 0; i < c->variable_count; ++i) {
        c->variables[i].own = c->variables[i].array = c->variables[i].moved = false;
        c->variables[i].share = i == c->x ? HT_SHARE_STEP : HT_SHARE_SAME;
    }
    for (size_t i = 0; i < c->node_count; ++i)
        c->nodes[i]->apart = c->nodes[i]->skips = c->nodes[i]->enters = false;
}

static void note_change(ht_coarsen *c, ht_node *name, ht_node *change, void *context) {
    (void)c;
    (void)change;
    size_t *variable = context;
    if (name->variable == *variable)
        *variable = SIZE_MAX;
}

bool ht_variable_is_constant(ht_coarsen *c, size_t variable) {
    size_t left = variable;
    ht_node_changes(c, c->body, note_change, &left);
    return left == variable;
}

bool ht_node_is_linear(ht_coarsen *c, ht_node *node) {
    if (ht_node_share(c, node) == HT_SHARE_SAME)
        return node->type == HT_TYPE_INTEGER;
    if (node->type != HT_TYPE_INTEGER || !node->is_signed || node->bits < 32)
        return false;
    if (ht_node_is_x(c, node))
        return true;
    switch (node->kind) {
    case HT_NODE_PAREN:
        return ht_node_is_linear(c, node->children[0]);
    case HT_NODE_CAST:
        return node->children[0]->is_signed && node->bits >= node->children[0]->bits &&
               ht_node_is_linear(c, node->children[0]);
    case HT_NODE_NAME: {
        const ht_variable *variable = &c->variables[node->variable];
        return variable->declaration && variable->declaration->count && !variable->is_reference &&
               ht_variable_is_constant(c, node->variable) &&
               ht_node_is_linear(c, variable->declaration->children[0]);
    }
    case HT_NODE_BINARY: {
        ht_node *left = node->children[0], *right = node->children[1];
        if (!ht_node_is_linear(c, left) || !ht_node_is_linear(c, right))
            return false;
        bool one =
            ht_node_share(c, left) == HT_SHARE_SAME || ht_node_share(c, right) == HT_SHARE_SAME;
        return node->op == CXBinaryOperator_Add || node->op == CXBinaryOperator_Sub ||
               (node->op == CXBinaryOperator_Mul && one);
    }
    default:
        return false;
    }
}
