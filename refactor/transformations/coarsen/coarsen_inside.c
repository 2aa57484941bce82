#include "refactor/transformations/coarsen/coarsen_inside.h"
#include "base/memory.h"
#include "refactor/transformations/coarsen/coarsen_guard.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

#include <stdlib.h>

static bool skips_the_rest(const ht_syntax *node) {
    while (node->kind == HT_SYNTAX_COMPOUND && node->count == 1)
        node = node->children[0];
    return node->kind == HT_SYNTAX_CONTINUE;
}

static bool is_declaration(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_DECLARATION || node->kind == HT_SYNTAX_VARIABLE;
}

static bool reads_memory(ht_coarsen *c, const ht_guard *guard) {
    bool found = false;
    for (size_t n = 0; n < c->tree->count; ++n) {
        const ht_syntax *node = c->tree->nodes[n];
        if (ht_syntax_is_element(node) || node->kind == HT_SYNTAX_CALL ||
            node->kind == HT_SYNTAX_MEMBER)
            found |= ht_syntax_within(node, guard->statement->children[0]);
    }
    return found;
}

bool ht_test_skips(const ht_syntax *statement) {
    return skips_the_rest(statement->children[1]);
}

bool ht_test_is_convex(ht_coarsen *c, const ht_syntax *statement) {
    ht_guard guard = {.statement = statement};
    ht_guard_collect(c, statement->children[0], ht_test_skips(statement), &guard);
    bool known = guard.term_count > 0 && statement->children[0]->plain && !reads_memory(c, &guard);
    for (size_t i = 0; i < guard.term_count; ++i)
        known &= guard.terms[i].kind != HT_TERM_OTHER;
    ht_guard_free(&guard);
    return known;
}

/* Reads a condition that need only be tested for the first and the last output. */
static bool read_test(ht_coarsen *c, const ht_syntax *statement, bool leaves, ht_guard *out_guard) {
    *out_guard = (ht_guard){.statement = statement, .leaves = leaves};
    ht_guard_collect(c, statement->children[0], leaves, out_guard);
    bool index = false, known = true;
    for (size_t i = 0; i < out_guard->term_count; ++i) {
        ht_term_kind kind = out_guard->terms[i].kind;
        index |= kind == HT_TERM_INDEX || kind == HT_TERM_LINEAR;
        known &= kind != HT_TERM_OTHER;
    }
    if (index && known && !reads_memory(c, out_guard) && statement->children[0]->plain)
        return true;
    ht_guard_free(out_guard);
    return false;
}

typedef struct need_walk {
    const ht_coarsen *c;
    size_t variable;
    int depth;
} need_walk;

static bool needs(const ht_syntax *node, const void *context) {
    const need_walk *walk = context;
    if (node->kind != HT_SYNTAX_NAME)
        return false;
    const need_walk inner = {walk->c, walk->variable, walk->depth + 1};
    const ht_syntax *declaration = walk->c->tree->variables[node->variable].declaration;
    return node->variable == walk->variable ||
           (walk->depth < 16 && walk->c->values[node->variable].share == HT_SHARE_OWN &&
            ht_syntax_first(declaration, needs, &inner));
}

bool ht_tests_need(ht_coarsen *c, const ht_tests *tests, size_t variable) {
    const need_walk walk = {.c = c, .variable = variable};
    for (size_t i = 0; i < tests->count; ++i)
        if (tests->guards[i].term_count &&
            ht_syntax_first(tests->guards[i].statement->children[0], needs, &walk))
            return true;
    return false;
}

/* Returns true if the variables that the tests need are declared with them. */
static bool are_values_near(ht_coarsen *c, const ht_tests *tests, ht_syntax_list list, size_t end) {
    for (size_t v = 0; v < c->tree->variable_count; ++v) {
        const ht_syntax_variable *variable = &c->tree->variables[v];
        if (c->values[v].share != HT_SHARE_OWN || v == c->x || !ht_tests_need(c, tests, v))
            continue;
        bool near = false;
        for (size_t i = tests->begin; i < end; ++i)
            near |= is_declaration(list[i]) && ht_syntax_within(variable->declaration, list[i]);
        if (!near || c->values[v].array)
            return false;
    }
    return true;
}

void ht_tests_find(ht_coarsen *c, ht_syntax_list list, size_t begin, size_t end,
                   ht_tests *out_tests) {
    *out_tests = (ht_tests){.begin = begin, .count = end - begin};
    out_tests->guards = ht_alloc(end - begin, sizeof *out_tests->guards);
    for (size_t i = begin; i < end; ++i) {
        const ht_syntax *node = list[i];
        if (is_declaration(node))
            continue;
        if (node->kind != HT_SYNTAX_IF || node->children[2])
            break;
        bool skips = skips_the_rest(node->children[1]) && i + 1 < end;
        if (!skips && i + 1 < end)
            break;
        out_tests->any |= read_test(c, node, skips, &out_tests->guards[i - begin]);
        if (!out_tests->guards[i - begin].term_count)
            break;
    }
    out_tests->any = out_tests->any && are_values_near(c, out_tests, list, end);
}

void ht_tests_free(ht_tests *tests) {
    for (size_t i = 0; i < tests->count; ++i)
        ht_guard_free(&tests->guards[i]);
    free(tests->guards);
    *tests = (ht_tests){0};
}
