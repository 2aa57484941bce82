#include "refactor/transformations/coarsen/coarsen_rows.h"

#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"

enum { DEPTH_MAX = 8 };

static bool is_quotient(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_BINARY &&
           (node->op == HT_BINARY_DIV || node->op == HT_BINARY_REM) &&
           node->type == HT_TYPE_INTEGER;
}

/* Returns true for what the condition may ask ahead of the work: arguments and numbers, and their
 * sums and products. */
static bool is_divisor(const ht_syntax *node) {
    node = ht_syntax_strip(node);
    const ht_syntax_variable *variable;
    switch (node->kind) {
    case HT_SYNTAX_CONSTANT:
        return node->is_whole;
    case HT_SYNTAX_NAME:
        variable = ht_syntax_named(node);
        return variable->is_constant_name || (variable->parameter && !variable->changed &&
                                              variable->is_whole && !variable->is_reference);
    case HT_SYNTAX_BINARY:
        return (node->op == HT_BINARY_ADD || node->op == HT_BINARY_SUB ||
                node->op == HT_BINARY_MUL) &&
               is_divisor(node->children[0]) && is_divisor(node->children[1]);
    default:
        return false;
    }
}

/* Returns true for the index and remainders of it, which are multiples of COARSEN_X for the first
 * output of a thread. */
static bool is_aligned(const ht_coarsen *c, const ht_syntax *node, int depth) {
    while (node->kind == HT_SYNTAX_PAREN ||
           (node->kind == HT_SYNTAX_CAST && node->type == HT_TYPE_INTEGER && node->bits >= 32))
        node = node->children[0];
    if (depth > DEPTH_MAX || node->type != HT_TYPE_INTEGER || node->bits < 32)
        return false;
    if (node->kind == HT_SYNTAX_NAME && node->variable != c->x) {
        const ht_syntax *kept = ht_syntax_kept(ht_syntax_named(node));
        return kept && is_aligned(c, kept, depth + 1);
    }
    return node->kind == HT_SYNTAX_GLOBAL || node->kind == HT_SYNTAX_NAME ||
           (is_quotient(node) && node->op == HT_BINARY_REM && is_divisor(node->children[1]) &&
            is_aligned(c, node->children[0], depth + 1));
}

static bool is_of_row(const ht_coarsen *c, const ht_syntax *node) {
    return is_quotient(node) && node->bits >= 32 && is_divisor(node->children[1]) &&
           is_aligned(c, node->children[0], 0);
}

bool ht_rows_find(const ht_coarsen *c, ht_rows *out) {
    *out = (ht_rows){.count = 0};
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        if (!is_of_row(c, node))
            continue;
        const ht_syntax *divisor = ht_syntax_written(node->children[1]);
        bool known = false;
        for (size_t k = 0; k < out->count && !known; ++k)
            known = ht_syntax_is_same_text(out->divisors[k], divisor);
        if (known)
            continue;
        if (out->count == HT_ROWS_MAX || !divisor->plain)
            return false;
        out->divisors[out->count++] = divisor;
    }
    return out->count > 0;
}

bool ht_rows_share(ht_coarsen *c, const ht_syntax *node, ht_share *out) {
    if (!c->in_rows || !is_of_row(c, node))
        return false;
    *out = node->op == HT_BINARY_DIV ? HT_SHARE_SAME : HT_SHARE_STEP;
    return true;
}

/* Returns the argument's name in the source; NULL: it is another expression, or unsigned, so that a
 * product may wrap. */
static const ht_syntax *signed_name(const ht_syntax *node) {
    const ht_syntax *name = ht_syntax_strip(node);
    return name->kind == HT_SYNTAX_NAME && name->plain && name->is_signed ? name : NULL;
}

/* Returns true for a signed quotient or remainder of the index itself. */
static bool is_of_index(const ht_coarsen *c, const ht_syntax *node) {
    if (!is_of_row(c, node) || !node->is_signed)
        return false;
    const ht_syntax *index = ht_syntax_strip(node->children[0]);
    return index->kind == HT_SYNTAX_GLOBAL ||
           (index->kind == HT_SYNTAX_NAME && index->variable == c->x);
}

/* Returns true if the kernel divides the index by this argument alone. */
static bool has_quotient_by(const ht_coarsen *c, const ht_syntax *name) {
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        if (is_of_index(c, node) &&
            ht_syntax_is_same_text(ht_syntax_strip(node->children[1]), name))
            return true;
    }
    return false;
}

/* index / (a * b) is index / b / a for integers whose products do not overflow. */
char *ht_rows_nest(const ht_coarsen *c, const ht_syntax *node, ht_range *out_divisor) {
    if (!c->in_rows || !is_of_index(c, node) || node->op != HT_BINARY_DIV)
        return NULL;
    const ht_syntax *paren = node->children[1];
    while (paren->kind == HT_SYNTAX_CAST && !paren->written)
        paren = paren->children[0];
    const ht_syntax *product = ht_syntax_strip(paren);
    if (paren->kind != HT_SYNTAX_PAREN || !paren->plain || product->kind != HT_SYNTAX_BINARY ||
        product->op != HT_BINARY_MUL || !product->is_signed)
        return NULL;
    const ht_syntax *outer = signed_name(product->children[0]);
    const ht_syntax *inner = signed_name(product->children[1]);
    if (outer && inner && !has_quotient_by(c, inner)) {
        const ht_syntax *other = outer;
        outer = inner;
        inner = other;
    }
    if (!outer || !inner || !has_quotient_by(c, inner))
        return NULL;
    const char *text = c->model->text;
    *out_divisor = paren->range;
    return ht_format("%.*s / %.*s", (int)(inner->range.end - inner->range.begin),
                     text + inner->range.begin, (int)(outer->range.end - outer->range.begin),
                     text + outer->range.begin);
}

typedef struct alike {
    const ht_syntax *body;
    bool holds;
} alike;

/* Returns true if it differs between outputs. */
static bool differs(const ht_syntax *node, const void *context) {
    const ht_coarsen *c = context;
    return node->kind == HT_SYNTAX_GLOBAL || ht_syntax_is_jump(node) ||
           (node->kind == HT_SYNTAX_NAME && c->values[node->variable].share != HT_SHARE_SAME);
}

static void on_alike_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)change;
    alike *in = context;
    const ht_syntax *declaration = ht_syntax_named(name)->declaration;
    in->holds = in->holds && declaration && ht_syntax_within(declaration, in->body);
}

bool ht_rows_first(ht_coarsen *c, const ht_syntax *statement) {
    const ht_syntax *left, *right;
    int op;
    int64_t zero;
    if (!c->in_rows || statement->kind != HT_SYNTAX_IF || statement->children[2] ||
        !ht_syntax_binary(statement->children[0], &op, &left, &right) || op != HT_BINARY_EQ ||
        !ht_syntax_constant(right, &zero) || zero != 0)
        return false;
    left = ht_syntax_strip(left);
    alike in = {statement->children[1], left->op == HT_BINARY_REM && is_of_row(c, left) &&
                                            !ht_syntax_first(statement->children[1], differs, c)};
    ht_syntax_changes(in.body, on_alike_change, &in);
    return in.holds;
}

void ht_rows_condition(const ht_coarsen *c, const ht_rows *rows, ht_writer *writer) {
    for (size_t i = 0; i < rows->count; ++i) {
        const ht_syntax *divisor = rows->divisors[i];
        bool bare = divisor->kind != HT_SYNTAX_BINARY;
        ht_writer_printf(writer, "%s%s", i ? " && " : "", bare ? "" : "(");
        ht_writer_source(writer, divisor->range.begin, divisor->range.end);
        ht_writer_printf(writer, "%s %% ${%s} == 0", bare ? "" : ")", c->names.factor);
    }
}
