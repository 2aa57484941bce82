#include "refactor/transformations/block_size/sums_own.h"

#include "refactor/kernel/effects.h"
#include "refactor/transformations/block_size/threads.h"

#include <string.h>

enum { DEPTH_MAX = 16 };

static bool is_replaced(const ht_block_sums *sums, const ht_syntax *node) {
    for (size_t k = 0; k < sums->count; ++k)
        for (size_t i = sums->items[k].first; i <= sums->items[k].last; ++i)
            if (ht_syntax_within(node, ht_sums_statement(sums, i)))
                return true;
    return false;
}

/* Returns true if only replaced statements, or declarations like it, name the variables of a
 * declaration of the body. */
static bool serves_sums(const ht_block_sums *sums, const ht_syntax *declaration, int depth) {
    if (declaration->kind != HT_SYNTAX_DECLARATION || declaration->parent != sums->body->body ||
        depth > DEPTH_MAX || ht_syntax_has_effect(declaration))
        return false;
    for (size_t i = 0; i < sums->body->count; ++i) {
        const ht_syntax *node = sums->body->nodes[i];
        bool names = false;
        for (size_t v = 0; v < declaration->count && node->kind == HT_SYNTAX_NAME; ++v)
            names |= declaration->children[v]->variable == node->variable;
        if (!names || is_replaced(sums, node))
            continue;
        size_t at = ht_sums_statement_of(sums, node);
        const ht_syntax *around = at == SIZE_MAX ? NULL : ht_sums_statement(sums, at);
        if (!around || (around != declaration && !serves_sums(sums, around, depth + 1)))
            return false;
    }
    return declaration->count > 0;
}

bool ht_block_sums_own(const ht_block_sums *sums, const ht_syntax *node) {
    size_t at = sums->count ? ht_sums_statement_of(sums, node) : SIZE_MAX;
    return at != SIZE_MAX &&
           (is_replaced(sums, node) || serves_sums(sums, ht_sums_statement(sums, at), 0));
}

const ht_syntax *ht_block_sums_elsewhere(const ht_block_sums *sums) {
    for (size_t i = 0; i < sums->whole->count; ++i) {
        const ht_syntax *node = sums->whole->nodes[i];
        bool call = node->kind == HT_SYNTAX_CALL;
        bool named =
            node->kind == HT_SYNTAX_NAME && strcmp(ht_syntax_named(node)->name, "warpSize") == 0;
        if ((!call && !named) || !ht_syntax_within(node, sums->whole->body))
            continue;
        const ht_syntax *own = NULL;
        for (size_t k = 0; k < sums->whole->body->count && !own; ++k)
            own = ht_syntax_within(node, ht_sums_whole_statement(sums, k))
                      ? ht_sums_statement(sums, k)
                      : NULL;
        if ((named || ht_threads_called(node)) && !(own && ht_block_sums_own(sums, own)))
            return node;
    }
    return NULL;
}

typedef struct reading {
    const ht_block_sums *sums;
    const ht_block_sum *sum;
} reading;

/* Returns true for the name of a variable that the statements of a sum compute. */
static bool is_bound(const ht_syntax *node, const void *context) {
    const reading *in = context;
    const ht_syntax_variable *variable =
        node->kind == HT_SYNTAX_NAME ? ht_syntax_named(node) : NULL;
    for (size_t i = in->sum->first; variable && i <= in->sum->last; ++i)
        if (ht_syntax_mentions(ht_sums_whole_statement(in->sums, i), node->variable) &&
            (ht_sums_accumulator(in->sums, node->variable) || variable->changed ||
             (variable->declaration &&
              ht_sum_holds_node(in->sums, in->sum, variable->declaration))))
            return true;
    return false;
}

bool ht_block_sums_hoists(const ht_block_sums *sums, const ht_block_sum *sum, size_t index) {
    const ht_syntax *statement = ht_sums_whole_statement(sums, index);
    if (statement->kind != HT_SYNTAX_DECLARATION || ht_threads_named(statement))
        return false;
    const reading in = {sums, sum};
    for (size_t i = 0; i < statement->count; ++i) {
        const ht_syntax *node = statement->children[i];
        if (node->kind != HT_SYNTAX_VARIABLE)
            return false;
        const ht_syntax_variable *variable = ht_syntax_named(node);
        bool shared = variable->space == HT_SPACE_SHARED;
        const ht_syntax *value = node->count ? node->children[0] : NULL;
        if (!shared && (!value || variable->changed || ht_syntax_is_risky(value)))
            return false;
        if (!shared && ht_syntax_first(value, is_bound, &in))
            return false;
    }
    return ht_is_own_text(ht_sums_statement(sums, index));
}

bool ht_is_own_text(const ht_syntax *statement) {
    const char *text = statement->tree->model->text + statement->range.begin;
    return statement->plain || (statement->kind == HT_SYNTAX_DECLARATION &&
                                statement->range.begin < statement->range.end &&
                                strncmp(text, "__shared__", strlen("__shared__")) == 0);
}
