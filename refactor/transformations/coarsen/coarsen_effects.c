/* What a kernel's statements read, write and call. */
#include "base/memory.h"
#include "refactor/transformations/coarsen/coarsen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- changed variables ---- */

ht_node *ht_lvalue_root(const ht_coarsen *c, ht_node *lvalue) {
    for (;;) {
        lvalue = ht_node_strip(lvalue);
        switch (lvalue->kind) {
        case HT_NODE_NAME:
            return lvalue;
        case HT_NODE_MEMBER:
            if (lvalue->arrow)
                return NULL;
            lvalue = lvalue->children[0];
            break;
        case HT_NODE_SUBSCRIPT: {
            ht_node *base = ht_node_strip(lvalue->children[0]);
            bool array = base->kind == HT_NODE_NAME && c->variables[base->variable].is_array;
            if (!array && base->kind != HT_NODE_SUBSCRIPT && base->kind != HT_NODE_MEMBER)
                return NULL;
            if (base->kind == HT_NODE_MEMBER && !base->is_array)
                return NULL;
            if (base->kind == HT_NODE_SUBSCRIPT && !base->is_array)
                return NULL;
            lvalue = base;
            break;
        }
        default:
            return NULL;
        }
    }
}

typedef struct change_walk {
    ht_coarsen *c;
    void (*visit)(ht_coarsen *c, ht_node *name, ht_node *change, void *context);
    void *context;
} change_walk;

static bool is_reference_binding(const ht_coarsen *c, const ht_node *node) {
    return node->kind == HT_NODE_VARIABLE && node->count &&
           c->variables[node->variable].is_reference;
}

static bool on_change(ht_node *node, void *context) {
    change_walk *walk = context;
    ht_coarsen *c = walk->c;
    ht_node *root = NULL;
    if (node->kind == HT_NODE_ASSIGN || node->kind == HT_NODE_STEP ||
        node->kind == HT_NODE_ADDRESS || is_reference_binding(c, node))
        root = ht_lvalue_root(c, node->children[0]);
    if (root)
        walk->visit(c, root, node, walk->context);
    if (node->kind == HT_NODE_CALL)
        for (size_t i = 0; i < node->count; ++i) {
            ht_node *argument = ht_node_strip(node->children[i]);
            bool pointer = argument->type == HT_TYPE_POINTER;
            if (!ht_call_changes(node, i, pointer))
                continue;
            root = ht_lvalue_root(c, argument);
            if (root && (!pointer || root->is_array || !ht_call_changes(node, i, false)))
                walk->visit(c, root, node, walk->context);
        }
    return true;
}

void ht_node_changes(ht_coarsen *c, ht_node *node,
                     void (*visit)(ht_coarsen *c, ht_node *name, ht_node *change, void *context),
                     void *context) {
    change_walk walk = {c, visit, context};
    ht_node_walk(node, on_change, &walk);
}

/* ---- memory ---- */

typedef struct root_walk {
    ht_coarsen *c;
    ht_access *out;
    bool *visited;
} root_walk;

static void add_roots(root_walk *walk, ht_node *pointer);

static void add_assigned(root_walk *walk, size_t variable) {
    ht_coarsen *c = walk->c;
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *node = c->nodes[i];
        if (node->kind == HT_NODE_VARIABLE && node->variable == variable && node->count)
            add_roots(walk, node->children[0]);
        if (node->kind != HT_NODE_ASSIGN)
            continue;
        ht_node *left = ht_node_strip(node->children[0]);
        if (left->kind == HT_NODE_NAME && left->variable == variable &&
            node->op == CXBinaryOperator_Assign)
            add_roots(walk, node->children[1]);
    }
}

/* The parameters, globals and objects whose memory an address may lie in. */
static void add_roots(root_walk *walk, ht_node *pointer) {
    ht_coarsen *c = walk->c;
    ht_node *node = ht_node_strip(pointer);
    switch (node->kind) {
    case HT_NODE_NAME: {
        ht_variable *variable = &c->variables[node->variable];
        bool pointer_local = variable->is_local && !variable->is_array;
        if (!pointer_local)
            walk->out->variables[node->variable] = true;
        else if (!walk->visited[node->variable]) {
            walk->visited[node->variable] = true;
            if (variable->is_reference || !node->type)
                walk->out->unknown = true;
            add_assigned(walk, node->variable);
        }
        return;
    }
    case HT_NODE_BINARY:
        for (size_t i = 0; i < 2; ++i)
            if (ht_node_strip(node->children[i])->type == HT_TYPE_POINTER ||
                node->children[i]->type == HT_TYPE_POINTER)
                add_roots(walk, node->children[i]);
        return;
    case HT_NODE_CONDITIONAL:
        add_roots(walk, node->children[1]);
        add_roots(walk, node->children[2]);
        return;
    case HT_NODE_SUBSCRIPT: /* a row of an array of arrays */
        if (node->is_array)
            add_roots(walk, node->children[0]);
        else
            walk->out->unknown = true;
        return;
    case HT_NODE_MEMBER:
    case HT_NODE_STEP:
    case HT_NODE_ASSIGN:
        add_roots(walk, node->children[0]);
        return;
    case HT_NODE_ADDRESS: {
        ht_node *target = ht_node_strip(node->children[0]);
        if (target->kind == HT_NODE_SUBSCRIPT || target->kind == HT_NODE_DEREFERENCE)
            add_roots(walk, target->children[0]);
        else
            add_roots(walk, target);
        return;
    }
    case HT_NODE_CONSTANT:
        return;
    default:
        walk->out->unknown = true;
    }
}

static void access_memory(ht_coarsen *c, ht_node *pointer, ht_access *out) {
    root_walk walk = {c, out, ht_alloc(c->variable_count, sizeof(bool))};
    add_roots(&walk, pointer);
    free(walk.visited);
}

/* Is this address one in the thread's own variables? */
static bool is_private(ht_coarsen *c, ht_node *pointer) {
    ht_access access = {.variables = ht_alloc(c->variable_count, sizeof(bool))};
    access_memory(c, pointer, &access);
    bool own = !access.unknown;
    for (size_t i = 0; i < c->variable_count; ++i)
        own = own && !(access.variables[i] && !c->variables[i].is_local);
    free(access.variables);
    return own;
}

/* The pointer through which this expression reaches memory; NULL when it does not. */
static ht_node *memory_pointer(ht_coarsen *c, ht_node *node) {
    ht_node *pointer = NULL;
    if (node->kind == HT_NODE_SUBSCRIPT || node->kind == HT_NODE_DEREFERENCE)
        pointer = node->children[0];
    else if (node->kind == HT_NODE_MEMBER && node->arrow)
        pointer = node->children[0];
    return pointer && !is_private(c, pointer) ? pointer : NULL;
}

/* The memory that a store through this lvalue goes to, as a pointer expression. */
static ht_node *stored_pointer(ht_coarsen *c, ht_node *lvalue) {
    for (;;) {
        lvalue = ht_node_strip(lvalue);
        if (lvalue->kind == HT_NODE_MEMBER && !lvalue->arrow)
            lvalue = lvalue->children[0];
        else if (lvalue->kind == HT_NODE_SUBSCRIPT &&
                 ht_node_strip(lvalue->children[0])->kind == HT_NODE_SUBSCRIPT &&
                 ht_node_strip(lvalue->children[0])->is_array)
            lvalue = lvalue->children[0];
        else
            return memory_pointer(c, lvalue);
    }
}

typedef struct effect_walk {
    ht_coarsen *c;
    ht_effects *effects;
} effect_walk;

static void note_write(effect_walk *walk, ht_node *pointer, const ht_node *at) {
    access_memory(walk->c, pointer, &walk->effects->writes);
    if (!walk->effects->first_write)
        walk->effects->first_write = at;
}

static void write_lvalue(effect_walk *walk, ht_node *lvalue, const ht_node *at) {
    ht_node *stripped = ht_node_strip(lvalue);
    ht_node *pointer = stored_pointer(walk->c, stripped);
    if (pointer) {
        note_write(walk, pointer, at);
    } else if (!ht_lvalue_root(walk->c, stripped)) {
        bool local =
            (stripped->kind == HT_NODE_SUBSCRIPT || stripped->kind == HT_NODE_DEREFERENCE) &&
            is_private(walk->c, stripped->children[0]);
        if (!local) {
            walk->effects->writes.unknown = true;
            if (!walk->effects->first_write)
                walk->effects->first_write = at;
        }
    } else {
        ht_node *root = ht_lvalue_root(walk->c, stripped);
        const ht_variable *variable = &walk->c->variables[root->variable];
        if (!variable->is_local && !variable->is_parameter) { /* a __device__ variable */
            walk->effects->writes.variables[root->variable] = true;
            if (!walk->effects->first_write)
                walk->effects->first_write = at;
        }
    }
}

static void on_call(effect_walk *walk, ht_node *node) {
    for (size_t i = 0; i < node->count; ++i) {
        ht_node *argument = ht_node_strip(node->children[i]);
        if (argument->type == HT_TYPE_POINTER && !is_private(walk->c, argument)) {
            access_memory(walk->c, argument, &walk->effects->reads);
            if (ht_call_changes(node, i, true))
                note_write(walk, argument, node);
        } else if (ht_call_changes(node, i, false)) {
            write_lvalue(walk, argument, node);
        }
    }
}

/* Is `node` only written (the target of a plain assignment) or only named (an address)? */
static bool is_not_read(const ht_node *node) {
    const ht_node *child = node, *parent = node->parent;
    while (
        parent &&
        (parent->kind == HT_NODE_PAREN || (parent->kind == HT_NODE_MEMBER && !parent->arrow) ||
         (parent->kind == HT_NODE_SUBSCRIPT && child->is_array && parent->children[0] == child) ||
         (parent->kind == HT_NODE_CAST && child->is_array))) {
        child = parent;
        parent = parent->parent;
    }
    return parent && ((parent->kind == HT_NODE_ASSIGN && parent->children[0] == child &&
                       parent->op == CXBinaryOperator_Assign) ||
                      parent->kind == HT_NODE_ADDRESS);
}

static bool on_effect(ht_node *node, void *context) {
    effect_walk *walk = context;
    ht_coarsen *c = walk->c;
    ht_node *pointer = memory_pointer(c, node);
    if (pointer && !is_not_read(node))
        access_memory(c, pointer, &walk->effects->reads);
    if (node->kind == HT_NODE_ASSIGN || node->kind == HT_NODE_STEP)
        write_lvalue(walk, node->children[0], node);
    if (node->kind == HT_NODE_NAME && !is_not_read(node) &&
        !c->variables[node->variable].is_local && !c->variables[node->variable].is_parameter)
        walk->effects->reads.variables[node->variable] = true;
    if (node->kind == HT_NODE_CALL)
        on_call(walk, node);
    if (node->kind == HT_NODE_CALL && ht_call_touches_globals(node)) {
        walk->effects->reads.unknown = walk->effects->writes.unknown = true;
        if (!walk->effects->first_write)
            walk->effects->first_write = node;
    }
    return true;
}

void ht_effects_collect(ht_coarsen *c, ht_node *node, ht_effects *out_effects) {
    *out_effects = (ht_effects){0};
    out_effects->reads.variables = ht_alloc(c->variable_count + 1, sizeof(bool));
    out_effects->writes.variables = ht_alloc(c->variable_count + 1, sizeof(bool));
    effect_walk walk = {c, out_effects};
    ht_node_walk(node, on_effect, &walk);
}

void ht_effects_free(ht_effects *effects) {
    free(effects->reads.variables);
    free(effects->writes.variables);
    *effects = (ht_effects){0};
}

static void on_any_change(ht_coarsen *c, ht_node *name, ht_node *change, void *context) {
    (void)c;
    (void)name;
    (void)change;
    *(bool *)context = true;
}

bool ht_node_has_change(ht_coarsen *c, ht_node *node) {
    bool found = false;
    ht_node_changes(c, node, on_any_change, &found);
    return found || ht_node_has_effect(c, node);
}

bool ht_node_has_effect(ht_coarsen *c, ht_node *node) {
    ht_effects effects;
    ht_effects_collect(c, node, &effects);
    bool found = effects.first_write != NULL;
    ht_effects_free(&effects);
    return found;
}

/* ---- side by side? ---- */

void ht_coarsen_set_reason(ht_coarsen *c, CXCursor place, const char *format, ...) {
    if (c->apart_reason)
        return;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&c->apart_reason, format, arguments) < 0)
        c->apart_reason = ht_strdup("out of memory");
    va_end(arguments);
    c->apart_place = place;
}

/* Two statements that one macro makes, or a body that comes out of the macro of its loop, cannot be
 * told apart. */
static void check_tangled(ht_coarsen *c) {
    for (size_t i = 0; i < c->node_count; ++i) {
        const ht_node *node = c->nodes[i];
        size_t end = node->range.begin;
        for (size_t k = 0; k < node->count; ++k) {
            const ht_node *child = node->children[k];
            bool statement =
                child && (child->kind <= HT_NODE_EMPTY || node->kind == HT_NODE_COMPOUND);
            if (statement && node->kind <= HT_NODE_EMPTY && child->range.begin < end)
                ht_coarsen_set_reason(c, child->cursor, "a macro makes several statements");
            if (statement)
                end = child->range.end;
        }
        const ht_node *last = node->count ? node->children[node->count - 1] : NULL;
        if (ht_node_is_loop(node) && node->kind != HT_NODE_DO && last &&
            last->range.begin <= node->range.begin)
            ht_coarsen_set_reason(c, node->cursor, "a macro makes a whole loop");
    }
}

static void check_local_pointers(ht_coarsen *c) {
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *node = c->nodes[i];
        if (node->kind == HT_NODE_VARIABLE && c->variables[node->variable].is_reference)
            ht_coarsen_set_reason(c, node->cursor, "a reference is bound here");
        if (node->kind == HT_NODE_ADDRESS) {
            ht_node *root = ht_lvalue_root(c, node->children[0]);
            if (root && c->variables[root->variable].is_local)
                ht_coarsen_set_reason(c, node->cursor, "the address of a variable is taken");
        }
        bool pointer = node->kind == HT_NODE_NAME && node->type == HT_TYPE_POINTER &&
                       c->variables[node->variable].is_local &&
                       !c->variables[node->variable].is_array;
        if (pointer) {
            ht_access access = {.variables = ht_alloc(c->variable_count + 1, sizeof(bool))};
            access_memory(c, node, &access);
            for (size_t v = 0; v < c->variable_count; ++v)
                if (access.variables[v] && c->variables[v].is_local)
                    ht_coarsen_set_reason(c, node->cursor, "a pointer into a local array is used");
            free(access.variables);
        }
    }
}

typedef struct steady_walk {
    size_t variable;
    const ht_node *at;
    bool steady;
} steady_walk;

/* The loop in whose header it is changed; NULL: it is changed elsewhere. */
static const ht_node *header_of(const ht_node *change) {
    const ht_node *part = change;
    while (part->parent && part->parent->kind != HT_NODE_FOR)
        part = part->parent;
    const ht_node *loop = part->parent;
    return loop && (part == loop->children[0] || part == loop->children[2]) ? loop : NULL;
}

static void on_steady_change(ht_coarsen *c, ht_node *name, ht_node *change, void *context) {
    (void)c;
    steady_walk *walk = context;
    if (name->variable != walk->variable)
        return;
    const ht_node *loop = header_of(change);
    walk->steady = walk->steady && loop && ht_node_within(walk->at, loop->children[3]);
}

bool ht_variable_is_steady(ht_coarsen *c, size_t variable, const ht_node *at) {
    steady_walk walk = {variable, at, true};
    ht_node_changes(c, c->body, on_steady_change, &walk);
    return walk.steady;
}

void ht_coarsen_check_jam(ht_coarsen *c, bool at_once) {
    check_tangled(c);
    check_local_pointers(c);
    if (c->atomic)
        ht_coarsen_set_reason(c, c->atomic->cursor, "there is an atomic operation");
    ht_effects effects;
    ht_effects_collect(c, c->body, &effects);
    CXCursor place = effects.first_write ? effects.first_write->cursor : c->model->kernel;
    for (size_t i = 0; i < c->variable_count; ++i) {
        if (!c->variables[i].is_shared && effects.reads.variables[i] &&
            effects.writes.variables[i] &&
            (!ht_coarsen_is_in_place(c, i) || (at_once && !ht_coarsen_is_in_one_statement(c, i))))
            ht_coarsen_set_reason(c, place, "`%s` is both read and written", c->variables[i].name);
    }
    if (effects.writes.unknown || (effects.reads.unknown && effects.first_write))
        ht_coarsen_set_reason(c, place,
                              "it is not known which memory is read and which is written");
    ht_effects_free(&effects);
}
