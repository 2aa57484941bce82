/* Walks statements in order, with the loops and guards around each. */
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel_model/environment.h"
#include "refactor/kernel_model/loop.h"
#include "refactor/kernel_model/name.h"
#include "refactor/kernel_model/place.h"
#include "refactor/kernel_model/test.h"
#include "refactor/kernel_model/value.h"

#include <stdlib.h>
#include <string.h>

bool ht_scan_tick(ht_scan *scan) {
    return --scan->budget > 0;
}

ht_km_place ht_scan_where(const ht_scan *scan, ht_position at) {
    return (ht_km_place){ht_syntax_file(scan->tree, at), at.line, at.column};
}

void ht_scan_incomplete(ht_scan *scan, const ht_syntax *at, const char *reason) {
    ht_kernel_model *km = scan->km;
    if (scan->dry || !km->complete)
        return;
    km->complete = false;
    km->incomplete = reason;
    km->incomplete_place = ht_scan_where(scan, at->at);
}

ht_km_control ht_scan_control(ht_scan *scan) {
    ht_km_control control = {.loop_count = scan->loop_count, .guard_count = scan->guard_count};
    control.loops = ht_poly_pool_alloc(&scan->km->pool, scan->loop_count, sizeof *control.loops);
    control.guards = ht_poly_pool_alloc(&scan->km->pool, scan->guard_count, sizeof *control.guards);
    memcpy(control.loops, scan->loops, scan->loop_count * sizeof *control.loops);
    memcpy(control.guards, scan->guards, scan->guard_count * sizeof *control.guards);
    return control;
}

void ht_scan_effect(ht_scan *scan, const char *kind, const ht_syntax *at, const char *name) {
    ht_kernel_model *km = scan->km;
    if (scan->dry)
        return;
    HT_GROW(km->effects, km->effect_count);
    km->effects[km->effect_count++] =
        (ht_km_effect){kind, ht_strdup(name), ht_scan_control(scan), ht_scan_where(scan, at->at)};
}

void ht_scan_barrier(ht_scan *scan, const ht_syntax *at) {
    ht_kernel_model *km = scan->km;
    if (scan->dry)
        return;
    HT_GROW(km->barriers, km->barrier_count);
    km->barriers[km->barrier_count++] = (ht_km_barrier){.control = ht_scan_control(scan),
                                                        .order = scan->order++,
                                                        .place = ht_scan_where(scan, at->at)};
}

/* ---- declarations ---- */

static void declare(ht_scan *scan, const ht_syntax *node) {
    const ht_syntax_variable *variable = &scan->tree->variables[node->variable];
    const ht_syntax *initializer = node->children[0];
    bool number = variable->is_whole || variable->is_open || variable->is_undeduced;
    bool kept = variable->is_static || variable->space == HT_SPACE_SHARED ||
                variable->space == HT_SPACE_DYNAMIC_SHARED;
    if (variable->rank || kept) {
        ht_scan_array(scan, variable);
        if (initializer && !kept)
            ht_scan_value(scan, initializer);
        return;
    }
    ht_km_value value = {0};
    if (initializer)
        value = ht_scan_value(scan, initializer);
    else
        ht_scan_children(scan, node);
    if (ht_scan_holds_pointer(variable)) {
        if (!value.is_pointer)
            value = (ht_km_value){true, SIZE_MAX, NULL};
    } else if (!number || value.is_pointer)
        return; /* floats and objects are not followed */
    else if (!value.value) {
        if (variable->is_open)
            return;
        value = ht_scan_opaque(scan, node, HT_SCOPE_THREAD, "not set");
    }
    ht_environment_set(scan, node->variable, value);
}

/* ---- control ---- */

static const ht_km_test *either(ht_scan *scan, const ht_km_test *a, const ht_km_test *b) {
    return !a ? b : !b ? a : ht_test_both(scan, HT_TEST_OR, a, b);
}

static const ht_km_test *within(ht_scan *scan, const ht_km_test *test, const ht_km_test *inner) {
    return inner ? ht_test_both(scan, HT_TEST_AND, test, inner) : NULL;
}

static ht_leaves merge(ht_scan *scan, ht_leaves a, ht_leaves b) {
    return (ht_leaves){either(scan, a.returns, b.returns), either(scan, a.breaks, b.breaks),
                       either(scan, a.continues, b.continues)};
}

static ht_leaves restrict_to(ht_scan *scan, const ht_km_test *test, ht_leaves leaves) {
    return (ht_leaves){within(scan, test, leaves.returns), within(scan, test, leaves.breaks),
                       within(scan, test, leaves.continues)};
}

static bool always(const ht_leaves *leaves) {
    return (leaves->returns && leaves->returns->kind == HT_TEST_TRUE) ||
           (leaves->breaks && leaves->breaks->kind == HT_TEST_TRUE) ||
           (leaves->continues && leaves->continues->kind == HT_TEST_TRUE);
}

static ht_leaves scan_if(ht_scan *scan, const ht_syntax *statement) {
    const ht_syntax *condition = statement->children[0], *otherwise = statement->children[2];
    const ht_km_test *test = ht_scan_test(scan, condition);
    const ht_km_test *not = ht_test_not(scan, test);
    size_t guards = scan->guard_count;
    ht_environment before = ht_environment_copy(scan);
    ht_leaves first = {0}, second = {0};
    if (test->kind != HT_TEST_FALSE) {
        ht_scan_guard_push(scan, test, condition);
        first = ht_scan_statement(scan, statement->children[1]);
    }
    scan->guard_count = guards;
    ht_environment then = scan->environment;
    scan->environment = before;
    if (otherwise && test->kind != HT_TEST_TRUE) {
        ht_scan_guard_push(scan, not, condition);
        second = ht_scan_statement(scan, otherwise);
        scan->guard_count = guards;
    }
    if (always(&second)) { /* the second branch always leaves: control goes on through the first */
        ht_environment_free(&scan->environment);
        scan->environment = then;
    } else {
        if (!always(&first))
            ht_environment_join(scan, test, &then, statement);
        ht_environment_free(&then);
    }
    return merge(scan, restrict_to(scan, test, first), restrict_to(scan, not, second));
}

static ht_leaves scan_compound(ht_scan *scan, const ht_syntax *statement) {
    size_t guards = scan->guard_count;
    ht_leaves all = {0};
    for (size_t i = 0; i < statement->count; ++i) {
        ht_leaves one = ht_scan_statement(scan, statement->children[i]);
        all = merge(scan, all, one);
        if (always(&one))
            break;
        const ht_km_test *gone = either(scan, either(scan, one.returns, one.breaks), one.continues);
        if (gone)
            ht_scan_guard_push(scan, ht_test_not(scan, gone), statement->children[i]);
    }
    scan->guard_count = guards;
    return all;
}

static ht_leaves scan_return(ht_scan *scan, const ht_syntax *statement) {
    ht_leaves leaves = {.returns = ht_test_plain(scan, HT_TEST_TRUE)};
    ht_km_value result = {0};
    if (statement->count)
        result = ht_scan_value(scan, statement->children[0]);
    ht_frame *frame = scan->frame;
    if (!frame)
        return leaves;
    if (frame->return_count == 16) {
        frame->lost = true;
        return leaves;
    }
    const ht_km_test *test = ht_test_plain(scan, HT_TEST_TRUE);
    for (size_t i = frame->guard_base; i < scan->guard_count; ++i)
        test = ht_test_both(scan, HT_TEST_AND, test, scan->guards[i].test);
    frame->returns[frame->return_count].test = test;
    frame->returns[frame->return_count++].value = result;
    return leaves;
}

/* Walks a switch: which case runs is not followed, so everything inside may run. */
static ht_leaves scan_switch(ht_scan *scan, const ht_syntax *statement) {
    size_t guards = scan->guard_count, count;
    size_t *assigned = ht_scan_assigned(scan, statement, &count);
    ht_km_value value = ht_scan_value(scan, statement->children[0]);
    ht_km_scope scope = value.value && !value.is_pointer
                            ? ht_poly_scope(&scan->km->pool, value.value)
                            : HT_SCOPE_THREAD;
    const ht_km_test *unknown =
        ht_test_unknown(scan, scope, "a 'switch' is not followed", statement);
    ht_scan_guard_push(scan, unknown, statement);
    ht_scan_forget(scan, assigned, count, statement);
    ht_leaves inner = ht_scan_statement(scan, statement->children[1]);
    scan->guard_count = guards;
    ht_scan_forget(scan, assigned, count, statement);
    free(assigned);
    return (ht_leaves){.returns = inner.returns ? unknown : NULL,
                       .continues = inner.continues ? unknown : NULL};
}

/* Walks a case and the statements after it: none ends the others. */
static ht_leaves scan_case(ht_scan *scan, const ht_syntax *statement) {
    ht_leaves all = {0};
    for (size_t i = 0; i < statement->count; ++i)
        all = merge(scan, all, ht_scan_statement(scan, statement->children[i]));
    const ht_km_test *unknown =
        ht_test_unknown(scan, HT_SCOPE_THREAD, "a 'switch' is not followed", statement);
    return (ht_leaves){all.returns ? unknown : NULL, all.breaks ? unknown : NULL,
                       all.continues ? unknown : NULL};
}

/* Walks what is not analysed, as far as it is understood. */
static ht_leaves scan_unknown(ht_scan *scan, const ht_syntax *statement) {
    switch ((ht_unknown)statement->op) {
    case HT_UNKNOWN_LOOP:
        return ht_scan_loop(scan, statement);
    case HT_UNKNOWN_ASSEMBLY:
        ht_scan_effect(scan, "assembly", statement, "asm");
        ht_scan_incomplete(scan, statement, "assembly is not followed");
        return (ht_leaves){0};
    case HT_UNKNOWN_IF:
        ht_scan_incomplete(scan, statement, "an 'if' with a declaration is not followed");
        break;
    case HT_UNKNOWN_JUMP:
        ht_scan_incomplete(scan, statement, "a jump is not followed");
        break;
    default:
        break;
    }
    ht_scan_children(scan, statement);
    return (ht_leaves){0};
}

static ht_leaves look(ht_scan *scan, const ht_syntax *statement) {
    ht_leaves leaves = {0};
    switch (statement->kind) {
    case HT_SYNTAX_COMPOUND:
        return scan_compound(scan, statement);
    case HT_SYNTAX_DECLARATION:
        for (size_t i = 0; i < statement->count; ++i)
            if (statement->children[i]->kind == HT_SYNTAX_VARIABLE)
                declare(scan, statement->children[i]);
        return leaves;
    case HT_SYNTAX_IF:
        return scan_if(scan, statement);
    case HT_SYNTAX_FOR:
    case HT_SYNTAX_WHILE:
    case HT_SYNTAX_DO:
        return ht_scan_loop(scan, statement);
    case HT_SYNTAX_SWITCH:
        return scan_switch(scan, statement);
    case HT_SYNTAX_CASE:
        return scan_case(scan, statement);
    case HT_SYNTAX_RETURN:
        return scan_return(scan, statement);
    case HT_SYNTAX_BREAK:
        leaves.breaks = ht_test_plain(scan, HT_TEST_TRUE);
        return leaves;
    case HT_SYNTAX_CONTINUE:
        leaves.continues = ht_test_plain(scan, HT_TEST_TRUE);
        return leaves;
    case HT_SYNTAX_UNKNOWN_STATEMENT:
        return scan_unknown(scan, statement);
    case HT_SYNTAX_EMPTY:
        return leaves;
    default:
        ht_scan_value(scan, statement);
        return leaves;
    }
}

static bool is_replaced(const ht_scan *scan, const ht_syntax *statement) {
    const ht_km_variant *variant = &scan->km->variant;
    for (size_t i = 0; i < variant->replaced_count; ++i)
        if (variant->replaced[i] == statement)
            return true;
    return false;
}

/* Walks a statement that something else stands for: all threads meet there, and variables that it
 * sets have any values. */
static ht_leaves scan_replaced(ht_scan *scan, const ht_syntax *statement) {
    size_t count;
    size_t *assigned = ht_scan_assigned(scan, statement, &count);
    ht_scan_barrier(scan, statement);
    ht_scan_forget(scan, assigned, count, statement);
    free(assigned);
    for (size_t i = 0; statement->kind == HT_SYNTAX_DECLARATION && i < statement->count; ++i) {
        const ht_syntax *node = statement->children[i];
        if (node->kind != HT_SYNTAX_VARIABLE)
            continue;
        const ht_syntax_variable *variable = &scan->tree->variables[node->variable];
        if (variable->rank || variable->space == HT_SPACE_SHARED)
            ht_scan_array(scan, variable);
        else if (variable->is_whole)
            ht_environment_set(scan, node->variable,
                               ht_scan_opaque(scan, node, HT_SCOPE_THREAD, "a result of threads"));
    }
    return (ht_leaves){0};
}

ht_leaves ht_scan_statement(ht_scan *scan, const ht_syntax *statement) {
    if (!ht_scan_tick(scan) || scan->depth > 150) {
        ht_scan_incomplete(scan, statement, "the kernel is too long");
        return (ht_leaves){0};
    }
    if (is_replaced(scan, statement))
        return scan_replaced(scan, statement);
    ++scan->depth;
    ht_leaves leaves = look(scan, statement);
    --scan->depth;
    return leaves;
}

/* Returns what a parameter is at the start; false: its value is not followed. */
static bool initial_value(ht_scan *scan, const ht_syntax_variable *variable, ht_km_value *out) {
    const ht_parameter *parameter = variable->parameter;
    const ht_km_variant *variant = &scan->km->variant;
    if (parameter->is_pointer) {
        size_t array = ht_scan_array(scan, variable);
        scan->km->arrays[array].is_parameter = true;
        *out = (ht_km_value){true, array, ht_poly_constant(&scan->km->pool, 0)};
        return true;
    }
    if (!parameter->is_integer && !variable->is_open)
        return false;
    *out = ht_km_number(ht_scan_named(scan, parameter->name, variable->is_int, variable->at.line));
    for (size_t f = 0; f < variant->fixed_count; ++f)
        if (strcmp(variant->fixed[f].argument, parameter->name) == 0)
            out->value = ht_poly_constant(&scan->km->pool, variant->fixed[f].value);
    return true;
}

void ht_scan_kernel(ht_scan *scan) {
    const ht_syntax_tree *tree = scan->tree = ht_syntax_whole(scan->facts);
    const ht_syntax_function *kernel = &tree->functions[0];
    ht_scan_find_escaped(scan, tree->body);
    for (size_t i = 0; i < kernel->parameter_count; ++i) {
        ht_km_value value;
        if (initial_value(scan, &tree->variables[kernel->parameters[i]], &value))
            ht_environment_set(scan, kernel->parameters[i], value);
    }
    ht_scan_statement(scan, tree->body);
}
