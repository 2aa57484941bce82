/* Decides how the work is written side by side: what runs once per output, what becomes an array,
 * how accesses step. */
#include "base/memory.h"
#include "refactor/source/lexer.h"
#include "refactor/transformations/coarsen/coarsen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- where things stand ---- */

bool ht_part_is_standing(const ht_part *part) { /* in the jammed list */
    if (part->kind == HT_PART_ITEM)
        return !part->front && !part->unused;
    return part->kind == HT_PART_WORK || (part->kind == HT_PART_GUARD && !part->guard.only_known);
}

/* The node whose loop over outputs `node` stands in; NULL when it runs once for all. */
const ht_node *ht_node_apart_root(const ht_node *node) {
    const ht_node *root = NULL;
    for (; node; node = node->parent)
        if (node->apart && (node->kind != HT_NODE_DECLARATION))
            root = node;
    return root;
}

/* The accesses around a name that step by one element, through which the name stays the first
 * output's. */
ht_node *ht_node_stepping_access(ht_coarsen *c, const ht_node *node) {
    for (ht_node *up = node->parent; up && up->kind > HT_NODE_EMPTY; up = up->parent)
        if (ht_node_steps(c, up))
            return up;
    return NULL;
}

ht_node *ht_node_written(ht_node *node) {
    while (node->kind == HT_NODE_CAST && !node->written)
        node = node->children[0];
    return node;
}

ht_step_form ht_step_form_of(ht_coarsen *c, ht_node *access) {
    if (access->kind == HT_NODE_SUBSCRIPT && access->plain) {
        ht_node *index = ht_node_written(access->children[1]);
        bool wraps = ht_node_share(c, access->children[0]) == HT_SHARE_STEP && !index->is_signed &&
                     index->bits < 64;
        if (index->plain && !wraps)
            return HT_STEP_INDEX;
    }
    if (access->kind == HT_NODE_DEREFERENCE && access->plain && access->children[0]->plain)
        return HT_STEP_STAR;
    /* the whole text of a macro's use must be this access and nothing else */
    const ht_node *outer = access->parent;
    while (outer &&
           (outer->kind == HT_NODE_PAREN || (outer->kind == HT_NODE_CAST && !outer->written)) &&
           outer->range.begin == access->range.begin && outer->range.end == access->range.end)
        outer = outer->parent;
    bool whole = outer && (outer->range.begin != access->range.begin ||
                           outer->range.end != access->range.end);
    bool own = access->plain ? ht_node_is_whole(c, access) : whole;
    return own ? HT_STEP_ADDRESS : HT_STEP_NONE;
}

/* ---- preparing ---- */

/* Names inside macros cannot be changed. True when a variable had to become every output's own for
 * that. */
static bool settle_captured(ht_coarsen *c) {
    bool changed = false;
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *node = c->nodes[i];
        if ((node->kind != HT_NODE_NAME && node->kind != HT_NODE_GLOBAL) || node->plain)
            continue;
        if (node->kind == HT_NODE_GLOBAL) {
            if (node->parent->kind != HT_NODE_VARIABLE || node->parent->variable != c->x)
                ht_coarsen_set_reason(c, node->cursor, "a macro holds the global index");
            continue;
        }
        ht_variable *variable = &c->variables[node->variable];
        if (variable->share != HT_SHARE_STEP || !ht_node_apart_root(node))
            continue;
        ht_node *access = ht_node_stepping_access(c, node);
        if (access && ht_step_form_of(c, access) == HT_STEP_ADDRESS)
            continue;
        variable->own = true;
        variable->share = HT_SHARE_OWN;
        changed = true;
    }
    for (size_t i = 0; i < c->node_count;
         ++i) { /* accesses that a macro makes together with others */
        ht_node *access = c->nodes[i];
        if (!ht_node_apart_root(access) || !ht_node_steps(c, access) ||
            ht_step_form_of(c, access) != HT_STEP_NONE)
            continue;
        for (size_t k = 0; k < c->node_count; ++k) {
            const ht_node *name = c->nodes[k];
            if (name->kind != HT_NODE_NAME || !ht_node_within(name, access) ||
                c->variables[name->variable].share != HT_SHARE_STEP)
                continue;
            c->variables[name->variable].own = true;
            c->variables[name->variable].share = HT_SHARE_OWN;
            changed = true;
        }
    }
    return changed;
}

static bool is_zero_list(const ht_node *init) {
    if (init->kind != HT_NODE_LIST || init->count > 1)
        return false;
    if (init->count == 0)
        return true;
    const ht_node *value = init->children[0];
    while (value->kind == HT_NODE_CAST || value->kind == HT_NODE_PAREN)
        value = value->children[0];
    if (value->kind != HT_NODE_CONSTANT)
        return false;
    CXEvalResult result = clang_Cursor_Evaluate(value->cursor);
    bool zero = false;
    if (result && clang_EvalResult_getKind(result) == CXEval_Int)
        zero = clang_EvalResult_getAsLongLong(result) == 0;
    else if (result && clang_EvalResult_getKind(result) == CXEval_Float)
        zero = clang_EvalResult_getAsDouble(result) == 0;
    if (result)
        clang_EvalResult_dispose(result);
    return zero;
}

bool ht_variable_has_initialiser(const ht_coarsen *c, const ht_node *node) {
    if (node->count == 0)
        return false;
    const ht_node *init = node->children[0];
    /* the constructor call of `float4 v;` has the name's place */
    return init->range.begin >= ht_variable_name_end(node, &c->variables[node->variable]);
}

static bool is_copied(const ht_coarsen *c, const ht_node *node) {
    const char *text = c->model->text;
    size_t at = node->children[0]->range.begin;
    while (at > 0 && isspace((unsigned char)text[at - 1]))
        --at;
    return at > 0 && text[at - 1] == '=';
}

/* Can the variable be written as an array with an element per output? */
static void check_array(ht_coarsen *c, ht_node *node) {
    ht_variable *variable = &c->variables[node->variable];
    char *type = ht_variable_type(variable, true);
    if (!type || !node->plain)
        ht_coarsen_set_reason(c, node->cursor, "`%s` has a type that cannot be written again",
                              variable->name);
    free(type);
    if (variable->measured)
        ht_coarsen_set_reason(c, node->cursor, "the size of `%s` is taken", variable->name);
    if (ht_variable_has_initialiser(c, node)) {
        const ht_node *init = node->children[0];
        bool zero = variable->is_array && is_zero_list(init);
        bool copied = is_copied(c, node) && !variable->is_array && (init->kind != HT_NODE_LIST);
        if (!zero && !copied)
            ht_coarsen_set_reason(c, node->cursor, "the initialiser of `%s` cannot be assigned",
                                  variable->name);
    }
    for (size_t i = 0; i < c->node_count; ++i)
        if (c->nodes[i]->kind == HT_NODE_NAME && c->nodes[i]->variable == node->variable &&
            !c->nodes[i]->plain)
            ht_coarsen_set_reason(c, c->nodes[i]->cursor, "a macro uses `%s` by name",
                                  variable->name);
}

size_t ht_jam_group_end(ht_node **list, size_t begin, size_t count) {
    size_t end = begin;
    while (end < count && list[end]->apart)
        ++end;
    return end;
}

/* Does the work name the variable, its declaration aside? */
static bool is_used(const ht_coarsen *c, const ht_layout *layout, const ht_part *declared) {
    for (size_t n = 0; n < c->node_count; ++n) {
        const ht_node *name = c->nodes[n];
        if (name->kind != HT_NODE_NAME || name->variable != declared->node->variable)
            continue;
        for (size_t p = 0; p < layout->count; ++p) {
            const ht_part *part = &layout->parts[p];
            if (part != declared && part->kind != HT_PART_ENTER &&
                (part->front || ht_part_is_standing(part)) && ht_node_within(name, part->node))
                return true;
        }
    }
    return false;
}

/* Variables of a group that something outside of it uses. */
static void mark_arrays(ht_coarsen *c, ht_node **list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
        ht_node *item = list[i];
        bool declares = item->kind == HT_NODE_DECLARATION || item->kind == HT_NODE_VARIABLE;
        for (size_t k = 0; declares && k < (item->kind == HT_NODE_VARIABLE ? 1 : item->count);
             ++k) {
            ht_node *variable = item->kind == HT_NODE_VARIABLE ? item : item->children[k];
            if (!variable->apart)
                continue;
            bool outside = false;
            for (size_t n = 0; n < c->node_count; ++n) {
                const ht_node *name = c->nodes[n];
                if (name->kind != HT_NODE_NAME || name->variable != variable->variable ||
                    !ht_node_apart_root(name))
                    continue;
                bool within = false;
                for (size_t g = begin; g < end; ++g)
                    within |= ht_node_within(name, list[g]);
                outside |= !within;
            }
            c->variables[variable->variable].array = outside;
            if (outside)
                check_array(c, variable);
        }
    }
}

static void mark_list(ht_coarsen *c, ht_node **list, size_t count);

static void mark_body(ht_coarsen *c, ht_node *body) {
    if (!body)
        return;
    if (body->kind == HT_NODE_COMPOUND)
        mark_list(c, body->children, body->count);
    else
        mark_list(c, &body, 1);
}

static void mark_list(ht_coarsen *c, ht_node **list, size_t count) {
    for (size_t i = 0; i < count;) {
        if (list[i]->apart) {
            size_t end = ht_jam_group_end(list, i, count);
            mark_arrays(c, list, i, end);
            i = end;
            continue;
        }
        ht_node *node = list[i++];
        if (node->kind == HT_NODE_COMPOUND)
            mark_body(c, node);
        else if (node->kind == HT_NODE_IF) {
            mark_body(c, node->children[1]);
            mark_body(c, node->children[2]);
        } else if (node->kind == HT_NODE_FOR || node->kind == HT_NODE_WHILE)
            mark_body(c, node->children[node->count - 1]);
        else if (node->kind == HT_NODE_DO)
            mark_body(c, node->children[0]);
    }
}

ht_region ht_jam_region(const ht_layout *layout) {
    ht_region region = {0};
    for (size_t i = 0; i < layout->count; ++i)
        if (ht_part_is_standing(&layout->parts[i])) {
            HT_GROW(region.statements, region.count);
            region.statements[region.count++] = layout->parts[i].node;
        }
    return region;
}

/* Every output's own variables must be declared where they can become arrays. */
static void check_owned(ht_coarsen *c, const ht_layout *layout) {
    for (size_t i = 0; i < c->variable_count; ++i) {
        ht_variable *variable = &c->variables[i];
        if (variable->share != HT_SHARE_OWN || i == c->x)
            continue;
        bool declared = false;
        for (size_t p = 0; p < layout->count && variable->declaration; ++p)
            declared |= ht_part_is_standing(&layout->parts[p]) &&
                        ht_node_within(variable->declaration, layout->parts[p].node);
        if (!declared)
            ht_coarsen_set_reason(c, variable->cursor,
                                  "`%s` is changed differently for each output", variable->name);
    }
    for (size_t p = 0; p < layout->count; ++p) {
        const ht_part *part = &layout->parts[p];
        for (size_t t = 0; t < part->guard.term_count; ++t)
            for (size_t n = 0; n < c->node_count; ++n) {
                const ht_node *name = c->nodes[n];
                if (part->kind != HT_PART_WORK && name->kind == HT_NODE_NAME &&
                    ht_node_within(name, part->guard.terms[t].node) &&
                    c->variables[name->variable].moved)
                    ht_coarsen_set_reason(c, name->cursor, "`%s`, which a guard needs, changes",
                                          c->variables[name->variable].name);
            }
    }
}

/* decltype and its kind name variables where no expression stands. */
static void check_types(ht_coarsen *c) {
    if (c->variables[c->x].measured)
        ht_coarsen_set_reason(c, c->variables[c->x].cursor, "the size of `%s` is taken",
                              c->variables[c->x].name);
    ht_tokens tokens;
    ht_tokens_read(c->model->text, c->model->body_range, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i)
        if (ht_tokens_is(&tokens, i, "decltype") || ht_tokens_is(&tokens, i, "typeof") ||
            ht_tokens_is(&tokens, i, "__typeof__"))
            ht_coarsen_set_reason(c, c->model->kernel, "a type is made of an expression");
    ht_tokens_free(&tokens);
}

bool ht_jam_prepare(ht_coarsen *c, ht_layout *layout) {
    check_types(c);
    ht_coarsen_check_jam(c, false);
    if (c->apart_reason)
        return false;
    ht_share_reset(c);
    do
        ht_region_share(c, &layout->region);
    while (settle_captured(c));
    ht_layout_settle(c, layout, true);
    check_owned(c, layout);
    for (size_t i = 0; i < layout->count; ++i) {
        ht_part *part = &layout->parts[i];
        bool idle = part->kind == HT_PART_ITEM && !part->front &&
                    part->node->kind == HT_NODE_VARIABLE && part->node->count &&
                    !ht_node_has_change(c, part->node->children[0]);
        part->unused = idle && !is_used(c, layout, part);
    }
    ht_region list = ht_jam_region(layout);
    mark_list(c, list.statements, list.count);
    free(list.statements);
    return !c->apart_reason && !c->refused;
}
