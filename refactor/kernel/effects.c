/* Memory and variables that statements read, write and change. */
#include "refactor/kernel/effects.h"

#include "base/memory.h"

#include <stdlib.h>

/* ---- changed variables ---- */

const ht_syntax *ht_lvalue_root(const ht_syntax *lvalue) {
    for (;;) {
        lvalue = ht_syntax_strip(lvalue);
        switch (lvalue->kind) {
        case HT_SYNTAX_NAME:
            return lvalue;
        case HT_SYNTAX_MEMBER:
            if (lvalue->arrow)
                return NULL;
            lvalue = lvalue->children[0];
            break;
        case HT_SYNTAX_SUBSCRIPT: {
            const ht_syntax *base = ht_syntax_strip(lvalue->children[0]);
            bool array = base->kind == HT_SYNTAX_NAME && ht_syntax_named(base)->is_array;
            if (!array && base->kind != HT_SYNTAX_SUBSCRIPT && base->kind != HT_SYNTAX_MEMBER)
                return NULL;
            if (base->kind == HT_SYNTAX_MEMBER && !base->is_array)
                return NULL;
            if (base->kind == HT_SYNTAX_SUBSCRIPT && !base->is_array)
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
    ht_change_visit *visit;
    void *context;
} change_walk;

static bool is_reference_binding(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_VARIABLE && node->count && ht_syntax_named(node)->is_reference;
}

/* Visits a thread's own arrays whose address is put into an object: what is done through that is
 * not followed. */
static void visit_kept(const change_walk *walk, const ht_syntax *value, const ht_syntax *at) {
    const ht_syntax *node = ht_syntax_strip(value);
    if (node->kind == HT_SYNTAX_NAME) {
        const ht_syntax_variable *variable = ht_syntax_named(node);
        if (variable->is_array && variable->is_local && !variable->is_shared)
            walk->visit(node, at, walk->context);
        return;
    }
    bool sum =
        node->kind == HT_SYNTAX_BINARY && (node->op == HT_BINARY_ADD || node->op == HT_BINARY_SUB);
    for (size_t i = 0; (sum || node->kind == HT_SYNTAX_CONDITIONAL) && i < node->count; ++i)
        visit_kept(walk, node->children[i], at);
}

/* Visits those whose address a list puts into an object, or an assignment into an object's part. */
static void visit_all_kept(const change_walk *walk, const ht_syntax *node) {
    for (size_t i = 0; node->kind == HT_SYNTAX_LIST && i < node->count; ++i)
        visit_kept(walk, node->children[i], node);
    if (node->kind != HT_SYNTAX_ASSIGN)
        return;
    const ht_syntax *left = ht_syntax_strip(node->children[0]);
    if (left->kind == HT_SYNTAX_MEMBER || left->kind == HT_SYNTAX_SUBSCRIPT)
        visit_kept(walk, node->children[1], node);
}

void ht_syntax_addresses_kept(const ht_syntax *node, ht_change_visit *visit, void *context) {
    const change_walk walk = {visit, context};
    visit_all_kept(&walk, node);
    for (size_t i = 0; node->kind == HT_SYNTAX_CALL && i < node->count; ++i)
        if (node->call->changes[i])
            visit_kept(&walk, node->children[i], node);
}

static bool on_change(const ht_syntax *node, void *context) {
    change_walk *walk = context;
    const ht_syntax *root = NULL;
    if (node->kind == HT_SYNTAX_ASSIGN || node->kind == HT_SYNTAX_STEP ||
        node->kind == HT_SYNTAX_ADDRESS || is_reference_binding(node))
        root = ht_lvalue_root(node->children[0]);
    if (root)
        walk->visit(root, node, walk->context);
    visit_all_kept(walk, node);
    if (node->kind == HT_SYNTAX_CALL)
        for (size_t i = 0; i < node->count; ++i) {
            const ht_syntax *argument = ht_syntax_strip(node->children[i]);
            bool pointer = argument->type == HT_TYPE_POINTER;
            int changes = node->call->changes[i];
            if (!(pointer ? changes : changes & 1))
                continue;
            root = ht_lvalue_root(argument);
            if (root && (!pointer || root->is_array || !(changes & 1)))
                walk->visit(root, node, walk->context);
        }
    return true;
}

void ht_syntax_changes(const ht_syntax *node, ht_change_visit *visit, void *context) {
    change_walk walk = {visit, context};
    ht_syntax_walk(node, on_change, &walk);
}

typedef struct variable_search {
    size_t variable;
    bool found;
} variable_search;

static void on_name(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)change;
    variable_search *search = context;
    search->found |= name->variable == search->variable;
}

bool ht_syntax_changes_variable(const ht_syntax *node, size_t variable) {
    variable_search search = {variable, false};
    ht_syntax_changes(node, on_name, &search);
    return search.found;
}

/* ---- memory ---- */

typedef struct root_walk {
    ht_access *out;
    bool *visited;
} root_walk;

static void add_roots(root_walk *walk, const ht_syntax *pointer);

static void add_assigned(root_walk *walk, const ht_syntax_tree *tree, size_t variable) {
    for (size_t i = 0; i < tree->count; ++i) {
        const ht_syntax *node = tree->nodes[i];
        if (node->kind == HT_SYNTAX_VARIABLE && node->variable == variable && node->count)
            add_roots(walk, node->children[0]);
        if (node->kind != HT_SYNTAX_ASSIGN)
            continue;
        const ht_syntax *left = ht_syntax_strip(node->children[0]);
        if (left->kind == HT_SYNTAX_NAME && left->variable == variable &&
            node->op == HT_BINARY_ASSIGN)
            add_roots(walk, node->children[1]);
    }
}

/* Adds the parameters, globals and objects whose memory an address may lie in. */
static void add_roots(root_walk *walk, const ht_syntax *pointer) {
    const ht_syntax *node = ht_syntax_strip(pointer);
    switch (node->kind) {
    case HT_SYNTAX_NAME: {
        const ht_syntax_variable *variable = ht_syntax_named(node);
        bool pointer_local = variable->is_local && !variable->is_array;
        if (!pointer_local)
            walk->out->variables[node->variable] = true;
        else if (!walk->visited[node->variable]) {
            walk->visited[node->variable] = true;
            if (variable->is_reference ||
                (node->type != HT_TYPE_INTEGER && node->type != HT_TYPE_POINTER))
                walk->out->unknown = true;
            add_assigned(walk, node->tree, node->variable);
        }
        return;
    }
    case HT_SYNTAX_BINARY:
        for (size_t i = 0; i < 2; ++i)
            if (ht_syntax_strip(node->children[i])->type == HT_TYPE_POINTER ||
                node->children[i]->type == HT_TYPE_POINTER)
                add_roots(walk, node->children[i]);
        return;
    case HT_SYNTAX_CONDITIONAL:
        add_roots(walk, node->children[1]);
        add_roots(walk, node->children[2]);
        return;
    case HT_SYNTAX_SUBSCRIPT: /* a row of an array of arrays */
        if (node->is_array)
            add_roots(walk, node->children[0]);
        else
            walk->out->unknown = true;
        return;
    case HT_SYNTAX_MEMBER:
    case HT_SYNTAX_STEP:
    case HT_SYNTAX_ASSIGN:
        add_roots(walk, node->children[0]);
        return;
    case HT_SYNTAX_ADDRESS: {
        const ht_syntax *target = ht_syntax_strip(node->children[0]);
        if (ht_syntax_is_element(target))
            add_roots(walk, target->children[0]);
        else
            add_roots(walk, target);
        return;
    }
    case HT_SYNTAX_CONSTANT:
        return;
    default:
        walk->out->unknown = true;
    }
}

static void access_memory(const ht_syntax *pointer, ht_access *out) {
    root_walk walk = {out, ht_alloc(pointer->tree->variable_count, sizeof(bool))};
    add_roots(&walk, pointer);
    free(walk.visited);
}

ht_access ht_pointer_roots(const ht_syntax *pointer) {
    ht_access access = {.variables = ht_alloc(pointer->tree->variable_count + 1, sizeof(bool))};
    access_memory(pointer, &access);
    return access;
}

/* Returns true if the address lies in the thread's own variables. */
static bool is_private(const ht_syntax *pointer) {
    ht_access access = ht_pointer_roots(pointer);
    bool own = !access.unknown;
    for (size_t i = 0; i < pointer->tree->variable_count; ++i)
        own = own && !(access.variables[i] && !pointer->tree->variables[i].is_local);
    free(access.variables);
    return own;
}

/* Returns the pointer through which this expression accesses memory that other threads see; NULL:
 * it accesses none. */
static const ht_syntax *memory_pointer(const ht_syntax *node) {
    const ht_syntax *pointer = NULL;
    if (ht_syntax_is_element(node) || (node->kind == HT_SYNTAX_MEMBER && node->arrow))
        pointer = node->children[0];
    return pointer && !is_private(pointer) ? pointer : NULL;
}

/* Returns the address that a store through this lvalue writes to, as a pointer expression; NULL: it
 * writes a variable. */
static const ht_syntax *stored_pointer(const ht_syntax *lvalue) {
    for (;;) {
        lvalue = ht_syntax_strip(lvalue);
        if (lvalue->kind == HT_SYNTAX_MEMBER && !lvalue->arrow)
            lvalue = lvalue->children[0];
        else if (lvalue->kind == HT_SYNTAX_SUBSCRIPT &&
                 ht_syntax_strip(lvalue->children[0])->kind == HT_SYNTAX_SUBSCRIPT &&
                 ht_syntax_strip(lvalue->children[0])->is_array)
            lvalue = lvalue->children[0];
        else
            return memory_pointer(lvalue);
    }
}

static void note_write(ht_effects *effects, const ht_syntax *at) {
    if (!effects->first_write)
        effects->first_write = at;
}

static void write_lvalue(ht_effects *effects, const ht_syntax *lvalue, const ht_syntax *at) {
    const ht_syntax *stripped = ht_syntax_strip(lvalue), *root = ht_lvalue_root(stripped);
    const ht_syntax *pointer = stored_pointer(stripped);
    if (pointer) {
        access_memory(pointer, &effects->writes);
    } else if (!root) {
        if (ht_syntax_is_element(stripped) && is_private(stripped->children[0]))
            return;
        effects->writes.unknown = true;
    } else {
        const ht_syntax_variable *variable = ht_syntax_named(root);
        if (variable->is_local || variable->is_parameter)
            return;
        effects->writes.variables[root->variable] = true; /* a __device__ variable */
    }
    note_write(effects, at);
}

static void on_call(ht_effects *effects, const ht_syntax *node) {
    for (size_t i = 0; i < node->count; ++i) {
        const ht_syntax *argument = ht_syntax_strip(node->children[i]);
        int changes = node->call->changes[i];
        if (argument->type == HT_TYPE_POINTER && !is_private(argument)) {
            access_memory(argument, &effects->reads);
            if (!changes)
                continue;
            access_memory(argument, &effects->writes);
            note_write(effects, node);
        } else if (changes & 1) {
            write_lvalue(effects, argument, node);
        }
    }
    if (node->call->effect == HT_CALL_GLOBALS) {
        effects->reads.unknown = effects->writes.unknown = true;
        note_write(effects, node);
    }
}

/* Returns true if the node's value is not read: it is the target of a plain assignment, or its
 * address is taken. */
static bool is_not_read(const ht_syntax *node) {
    const ht_syntax *child = node, *parent = node->parent;
    while (
        parent &&
        (parent->kind == HT_SYNTAX_PAREN || (parent->kind == HT_SYNTAX_MEMBER && !parent->arrow) ||
         (parent->kind == HT_SYNTAX_SUBSCRIPT && child->is_array && parent->children[0] == child) ||
         (parent->kind == HT_SYNTAX_CAST && child->is_array))) {
        child = parent;
        parent = parent->parent;
    }
    return parent && ((parent->kind == HT_SYNTAX_ASSIGN && parent->children[0] == child &&
                       parent->op == HT_BINARY_ASSIGN) ||
                      parent->kind == HT_SYNTAX_ADDRESS);
}

static bool on_effect(const ht_syntax *node, void *context) {
    ht_effects *effects = context;
    const ht_syntax *pointer = memory_pointer(node);
    if (pointer && !is_not_read(node))
        access_memory(pointer, &effects->reads);
    if (node->kind == HT_SYNTAX_ASSIGN || node->kind == HT_SYNTAX_STEP)
        write_lvalue(effects, node->children[0], node);
    if (node->kind == HT_SYNTAX_NAME && !is_not_read(node) && !ht_syntax_named(node)->is_local &&
        !ht_syntax_named(node)->is_parameter)
        effects->reads.variables[node->variable] = true;
    if (node->kind == HT_SYNTAX_CALL)
        on_call(effects, node);
    return true;
}

void ht_effects_collect(const ht_syntax *node, ht_effects *out_effects) {
    *out_effects = (ht_effects){0};
    out_effects->reads.variables = ht_alloc(node->tree->variable_count + 1, sizeof(bool));
    out_effects->writes.variables = ht_alloc(node->tree->variable_count + 1, sizeof(bool));
    ht_syntax_walk(node, on_effect, out_effects);
}

void ht_effects_free(ht_effects *effects) {
    free(effects->reads.variables);
    free(effects->writes.variables);
    *effects = (ht_effects){0};
}

bool ht_syntax_reads_memory(const ht_syntax *node) {
    ht_effects effects;
    ht_effects_collect(node, &effects);
    bool any = effects.reads.unknown;
    for (size_t i = 0; i < node->tree->variable_count; ++i)
        any |= effects.reads.variables[i];
    ht_effects_free(&effects);
    return any;
}

bool ht_syntax_reads_what_stays(const ht_syntax *node) {
    ht_effects all, own;
    ht_effects_collect(node->tree->body, &all);
    ht_effects_collect(node, &own);
    bool stays = !own.reads.unknown;
    for (size_t i = 0; i < node->tree->variable_count; ++i)
        stays =
            stays && !(own.reads.variables[i] && (all.writes.unknown || all.writes.variables[i]));
    ht_effects_free(&all);
    ht_effects_free(&own);
    return stays;
}

static void on_any_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)name;
    (void)change;
    *(bool *)context = true;
}

bool ht_syntax_has_change(const ht_syntax *node) {
    bool found = false;
    ht_syntax_changes(node, on_any_change, &found);
    return found || ht_syntax_has_effect(node);
}

bool ht_syntax_has_effect(const ht_syntax *node) {
    ht_effects effects;
    ht_effects_collect(node, &effects);
    bool found = effects.first_write != NULL;
    ht_effects_free(&effects);
    return found;
}

typedef struct steady_walk {
    size_t variable;
    const ht_syntax *at;
    bool steady;
} steady_walk;

/* Returns the loop whose init or increment makes this change; NULL: it is made elsewhere. */
static const ht_syntax *header_of(const ht_syntax *change) {
    const ht_syntax *part = change;
    while (part->parent && part->parent->kind != HT_SYNTAX_FOR)
        part = part->parent;
    const ht_syntax *loop = part->parent;
    return loop && (part == loop->children[0] || part == loop->children[2]) ? loop : NULL;
}

static void on_steady_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    steady_walk *walk = context;
    if (name->variable != walk->variable)
        return;
    const ht_syntax *loop = header_of(change);
    walk->steady = walk->steady && loop && ht_syntax_within(walk->at, loop->children[3]);
}

bool ht_variable_is_steady(const ht_syntax_variable *variable, const ht_syntax *at) {
    steady_walk walk = {variable->index, at, true};
    ht_syntax_changes(variable->tree->body, on_steady_change, &walk);
    return walk.steady;
}
