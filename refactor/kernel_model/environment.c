#include "refactor/kernel_model/environment.h"
#include "refactor/kernel_model/scan.h"
#include "refactor/kernel_model/value.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_escaped(const ht_scan *scan, size_t variable) {
    for (size_t i = 0; i < scan->escaped_count; ++i)
        if (scan->escaped[i] == variable)
            return true;
    return false;
}

const ht_km_value *ht_environment_find(const ht_scan *scan, size_t variable) {
    if (variable == SIZE_MAX || is_escaped(scan, variable))
        return NULL;
    for (size_t i = scan->environment.count; i-- > 0;)
        if (scan->environment.items[i].variable == variable)
            return &scan->environment.items[i].value;
    return NULL;
}

void ht_environment_set(ht_scan *scan, size_t variable, ht_km_value value) {
    ht_environment *environment = &scan->environment;
    for (size_t i = environment->count; i-- > 0;)
        if (environment->items[i].variable == variable) {
            environment->items[i].value = value;
            return;
        }
    HT_GROW(environment->items, environment->count);
    environment->items[environment->count++] = (ht_binding){variable, value};
}

ht_environment ht_environment_copy(const ht_scan *scan) {
    ht_environment copy = {0};
    for (size_t i = 0; i < scan->environment.count; ++i) {
        HT_GROW(copy.items, copy.count);
        copy.items[copy.count++] = scan->environment.items[i];
    }
    return copy;
}

void ht_environment_free(ht_environment *environment) {
    free(environment->items);
    *environment = (ht_environment){0};
}

static bool same_value(const ht_km_value *a, const ht_km_value *b) {
    return a->is_pointer == b->is_pointer && a->value == b->value &&
           (!a->is_pointer || a->array == b->array);
}

void ht_environment_join(ht_scan *scan, const ht_km_test *test, const ht_environment *then,
                         const ht_syntax *at) {
    for (size_t i = 0; i < then->count; ++i) {
        const ht_binding *binding = &then->items[i];
        const ht_km_value *other = ht_environment_find(scan, binding->variable);
        if (!other || same_value(other, &binding->value))
            continue;
        ht_km_value joined = {0};
        bool same_kind = other->is_pointer == binding->value.is_pointer &&
                         (!other->is_pointer || other->array == binding->value.array);
        if (same_kind && other->value && binding->value.value) {
            joined =
                ht_scan_derived(scan, at, HT_KM_CHOICE, binding->value.value, other->value, test);
            joined.is_pointer = other->is_pointer;
            joined.array = other->array;
        } else if (other->is_pointer || binding->value.is_pointer)
            joined = (ht_km_value){true, SIZE_MAX, NULL};
        else
            joined = ht_scan_changed(scan, binding->variable, at, "set under a condition");
        ht_environment_set(scan, binding->variable, joined);
    }
}

/* ---- what is assigned ---- */

typedef struct search {
    size_t *items; /* variables */
    size_t count;
} search;

static void note(search *in, size_t variable) {
    if (variable == SIZE_MAX)
        return;
    for (size_t i = 0; i < in->count; ++i)
        if (in->items[i] == variable)
            return;
    HT_GROW(in->items, in->count);
    in->items[in->count++] = variable;
}

static bool on_assigned(const ht_syntax *node, void *context) {
    if (node->kind == HT_SYNTAX_ASSIGN || node->kind == HT_SYNTAX_STEP)
        note(context, ht_scan_variable(node->children[0]));
    return true;
}

size_t *ht_scan_assigned(const ht_scan *scan, const ht_syntax *statement, size_t *out_count) {
    search in = {NULL, 0};
    ht_syntax_walk(statement, on_assigned, &in);
    size_t kept = 0;
    for (size_t i = 0; i < in.count; ++i)
        if (ht_environment_find(scan, in.items[i]))
            in.items[kept++] = in.items[i];
    *out_count = kept;
    return in.items;
}

void ht_scan_forget(ht_scan *scan, const size_t *variables, size_t count, const ht_syntax *at) {
    for (size_t i = 0; i < count; ++i) {
        const ht_km_value *old = ht_environment_find(scan, variables[i]);
        if (!old)
            continue;
        ht_km_value value = *old;
        if (value.is_pointer && value.array == SIZE_MAX)
            continue;
        ht_km_value fresh = ht_scan_changed(scan, variables[i], at, "changed in a loop");
        value.value = fresh.value;
        ht_environment_set(scan, variables[i], value);
    }
}

/* ---- what escapes ---- */

static size_t root(const ht_syntax *expression) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    while (node->kind == HT_SYNTAX_MEMBER)
        node = ht_syntax_strip_whole(node->children[0]);
    return ht_scan_variable(node);
}

static bool on_name(const ht_syntax *node, void *context) {
    if (node->kind == HT_SYNTAX_NAME)
        note(context, node->variable);
    return true;
}

/* Returns true if the one function that is called has its own copy of the argument. */
static bool takes_value(const ht_syntax_call *call, size_t argument) {
    return call->function != SIZE_MAX && !(call->changes[argument] & 1);
}

static bool on_escape(const ht_syntax *node, void *context) {
    search *in = context;
    bool lambda = node->kind == HT_SYNTAX_UNKNOWN && node->op == HT_UNKNOWN_LAMBDA;
    bool binds = node->kind == HT_SYNTAX_VARIABLE && node->count && node->children[0] &&
                 node->tree->variables[node->variable].is_reference;
    if (node->kind == HT_SYNTAX_ADDRESS || binds)
        note(in, root(node->children[0]));
    else if (node->kind == HT_SYNTAX_CALL) {
        for (size_t i = node->call->has_object; i < (size_t)node->op;
             ++i) /* an argument without a conversion to a value may be bound to a reference */
            if (node->children[i]->kind == HT_SYNTAX_NAME && !takes_value(node->call, i))
                note(in, node->children[i]->variable);
    } else if (lambda)
        ht_syntax_walk(node, on_name, in);
    return true;
}

/* Returns true if nothing writes the variable, so that its first value holds. In a template's body
 * a parameter that is passed on by value may look like a reference, and so as if it escaped. */
static bool keeps_value(const ht_syntax_variable *variable) {
    return (variable->local && variable->local->writes == 0) ||
           (variable->parameter && !variable->parameter->is_assigned);
}

void ht_scan_find_escaped(ht_scan *scan, const ht_syntax *body) {
    search in = {scan->escaped, scan->escaped_count};
    size_t kept = in.count, old = in.count;
    ht_syntax_walk(body, on_escape, &in);
    for (size_t i = old; i < in.count; ++i) {
        const ht_syntax_variable *variable = &scan->tree->variables[in.items[i]];
        if (!keeps_value(variable) && !variable->rank)
            in.items[kept++] = in.items[i];
    }
    scan->escaped = in.items;
    scan->escaped_count = kept;
}
