#include "refactor/kernel/geometry_joined.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/kernel/symbol_expression.h"
#include "refactor/kernel/symbol_parts.h"
#include "refactor/launch/extent.h"

#include <stdlib.h>
#include <string.h>

/* EACH * block: its two leaves. */
typedef struct product {
    const ht_symbol *each, *block;
} product;

typedef struct reading {
    const ht_model *model;
    const ht_launch_site *site;
    int64_t block;
    const char *name; /* of the block; NULL: it has none */
} reading;

bool ht_form_names_outputs(const ht_symbol *symbol) {
    return symbol->kind == HT_SYMBOL_CONSTANT && symbol->origin != HT_ORIGIN_LITERAL &&
           symbol->name && !strchr(symbol->name, '.');
}

/* Makes a form of n and the block one of the threads, ceil(n / EACH), whose quotient is `whole`.
 * `leaf` stands for EACH. */
static void form_join(ht_form *form, const ht_symbol *whole, const ht_symbol *leaf, int64_t each) {
    ht_form *inner = ht_alloc(1, sizeof *inner);
    *inner =
        (ht_form){.kind = HT_FORM_CEIL, .quotient = whole, .divisor = leaf, .items = form->items};
    form->kind = HT_FORM_CEIL;
    form->items = ht_format("ceil_div(%s, %lld)", inner->items, (long long)each);
    form->each = inner;
    form->quotient = whole;
    form->dividend = form->divisor = form->again = form->addend = NULL;
    form->joined = true;
    form->editable = form->block_count > 0;
}

static bool same_name(const ht_symbol *symbol, const char *name) {
    return symbol->name && name && strcmp(symbol->name, name) == 0;
}

static bool is_pair(const reading *in, const ht_symbol *each, const ht_symbol *block) {
    int64_t value, outputs;
    return ht_form_names_outputs(each) && ht_symbol_number(in->model, in->site, each, &outputs) &&
           outputs > 1 && ht_symbol_is_leaf(block) && !block->assumed &&
           ht_symbol_value(block, &value) && value == in->block;
}

/* Reads EACH * block, in any order. Both may have names: the block's is the launch's, then. */
static bool read_product(const reading *in, const ht_symbol *symbol, product *out) {
    const ht_symbol *through;
    if (!ht_symbol_is_leaf(symbol) || symbol->kind == HT_SYMBOL_VARIABLE)
        symbol = ht_symbol_value_through(in->model, symbol, &through);
    if (!ht_symbol_is_binary(symbol, "*"))
        return false;
    const ht_symbol *left = symbol->arguments[0], *right = symbol->arguments[1];
    if (ht_symbol_is_binary(left, "*") && ht_symbol_is_number(left->arguments[0], 1))
        left = left->arguments[1]; /* 1LL * kOutputsPerThread * block.x */
    bool first = is_pair(in, left, right), second = is_pair(in, right, left);
    if (first && second)
        first = !same_name(left, in->name);
    *out = first ? (product){left, right} : (product){right, left};
    return first || second;
}

static bool same_leaf(const ht_symbol *a, const ht_symbol *b) {
    return a->name || b->name ? same_name(a, b->name) : a->value == b->value;
}

static bool same_product(const product *a, const product *b) {
    return same_leaf(a->each, b->each) && same_leaf(a->block, b->block);
}

/* Adds a summand of n to the form's items. */
static bool add_item(const reading *in, ht_symbol_term term, ht_form *form, ht_text *items) {
    char *text = ht_symbol_expression(in->model, in->site, term.symbol, NULL);
    if (!text)
        return false;
    ht_text_printf(items, term.sign < 0 ? " - %s" : items->length ? " + %s" : "%s", text);
    free(text);
    form->terms[form->term_count++] = (ht_form_term){term.symbol, term.sign};
    return true;
}

/* Reads n + EACH * block - 1. */
static bool read_sum(const reading *in, const ht_symbol *sum, const product *divisor,
                     ht_form *form) {
    ht_symbol_term terms[HT_FORM_TERMS_MAX];
    size_t count = ht_symbol_summands(sum, 1, terms, 0, HT_FORM_TERMS_MAX);
    ht_text items = {0};
    bool less = false, more = false, good = count <= HT_FORM_TERMS_MAX;
    for (size_t i = 0; i < count && good; ++i) {
        product tile;
        bool one =
            ht_symbol_is_number(terms[i].symbol, 1) && terms[i].symbol->origin == HT_ORIGIN_LITERAL;
        if (!less && one && terms[i].sign < 0)
            less = true;
        else if (!more && terms[i].sign > 0 && read_product(in, terms[i].symbol, &tile) &&
                 same_product(&tile, divisor)) {
            more = true;
            form->blocks[form->block_count++] = tile.block;
        } else
            good = add_item(in, terms[i], form, &items);
    }
    good = good && less && more && form->term_count > 0;
    if (good)
        form->items = ht_format("(%s)", items.data);
    form->sum = sum;
    ht_text_free(&items);
    return good;
}

/* Reads n / (EACH * block) + (n % (EACH * block) != 0). */
static bool read_rest(const reading *in, const ht_symbol *symbol, const product *divisor,
                      ht_form *form) {
    const ht_symbol *whole = symbol->arguments[0];
    const ht_symbol *rest = ht_symbol_asks_rest(symbol->arguments[1]);
    product again;
    if (!rest || rest == symbol->arguments[1] || !read_product(in, rest->arguments[1], &again) ||
        !same_product(&again, divisor))
        return false;
    char *first = ht_symbol_expression(in->model, in->site, whole->arguments[0], NULL);
    char *second = ht_symbol_expression(in->model, in->site, rest->arguments[0], NULL);
    bool same = first && second && strcmp(first, second) == 0;
    if (same) {
        form->items = ht_strdup(first);
        form->terms[form->term_count++] = (ht_form_term){whole->arguments[0], 1};
        form->blocks[form->block_count++] = again.block;
    }
    free(second);
    free(first);
    return same;
}

bool ht_form_read_joined(const ht_model *model, const ht_launch_site *site, const ht_symbol *symbol,
                         int axis, ht_form *form) {
    const ht_symbol *through, *block = site->block.axis[axis];
    if (!block || ht_symbol_is_assumed(block))
        return false;
    reading in = {model, site, model->axes[axis].block, block->name};
    symbol = ht_symbol_value_through(model, symbol, &through);
    bool rest = ht_symbol_is_binary(symbol, "+");
    const ht_symbol *quotient = rest ? symbol->arguments[0] : symbol;
    product divisor;
    *form = (ht_form){.kind = HT_FORM_GENERIC};
    if (!symbol->has_place || !ht_symbol_is_binary(quotient, "/") ||
        !read_product(&in, quotient->arguments[1], &divisor))
        return false;
    form->blocks[form->block_count++] = divisor.block;
    int64_t each;
    bool good = (rest ? read_rest(&in, symbol, &divisor, form)
                      : read_sum(&in, quotient->arguments[0], &divisor, form)) &&
                ht_symbol_value(divisor.each, &each);
    if (good)
        form_join(form, symbol, divisor.each, each);
    else
        *form = (ht_form){.kind = HT_FORM_GENERIC};
    return good;
}
