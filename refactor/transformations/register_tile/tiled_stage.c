#include "refactor/transformations/register_tile/tiled_stage.h"
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/register_tile/tiled_parts.h"
#include "refactor/transformations/register_tile/tiled_write.h"

#include <stdlib.h>
#include <string.h>

ht_tiled_form *ht_tiled_of(const ht_plan *plan) {
    return plan->forms.tiled;
}

size_t ht_tiled_loop_of(const ht_tiled_form *form, const ht_syntax *loop) {
    for (size_t i = 0; i < form->loop_count; ++i)
        if (form->loops[i].loop == loop)
            return i;
    return SIZE_MAX;
}

const ht_syntax *ht_tiled_find(const ht_tiled *t, const ht_syntax *expression) {
    for (size_t k = 0; expression && k < t->body.work.count; ++k)
        if (ht_syntax_within(expression, t->body.work.statements[k]))
            return t->along[expression->index] ? NULL : expression;
    return NULL;
}

bool ht_tiled_has(const ht_tiled_form *form, const ht_syntax *expression) {
    return ht_tiled_find(form->inside, expression) != NULL;
}

bool ht_tiled_is_replaced(const ht_tiled *t, const ht_syntax *node) {
    for (size_t i = 0; i < t->added.swap_count; ++i)
        if (ht_syntax_within(node, t->added.swaps[i].node) ||
            ht_syntax_within(t->added.swaps[i].node, node))
            return true;
    return false;
}

/* Replaces the text by the new one, in which "$@" is the old one. */
static void replace_more(ht_tile_swap *swap, const char *text) {
    char *joined = ht_text_replaced(text, "$@", swap->text);
    free(swap->text);
    swap->text = joined;
}

bool ht_tiled_may_replace(const ht_tiled_form *form, const ht_syntax *expression) {
    const ht_tiled *t = form->inside;
    const ht_syntax *node = ht_tiled_find(t, expression);
    if (!node || !node->plain || node->kind <= HT_SYNTAX_EMPTY)
        return false;
    for (size_t i = 0; i < t->added.swap_count; ++i) {
        const ht_syntax *other = t->added.swaps[i].node;
        if (other != node && (ht_syntax_within(node, other) || ht_syntax_within(other, node)))
            return false;
    }
    return true;
}

bool ht_tiled_replace(ht_tiled_form *form, const ht_syntax *expression, const char *text) {
    ht_tiled *t = form->inside;
    if (!ht_tiled_may_replace(form, expression))
        return false;
    const ht_syntax *node = ht_tiled_find(t, expression);
    for (size_t i = 0; i < t->added.swap_count; ++i)
        if (t->added.swaps[i].node == node) {
            replace_more(&t->added.swaps[i], text);
            return true;
        }
    HT_GROW(t->added.swaps, t->added.swap_count);
    t->added.swaps[t->added.swap_count++] = (ht_tile_swap){node, ht_strdup(text)};
    return true;
}

void ht_tiled_insert(ht_tiled_form *form, long loop, const char *text, const char *wide) {
    ht_tiled *t = form->inside;
    HT_GROW(t->added.inserts, t->added.insert_count);
    t->added.inserts[t->added.insert_count++] =
        (ht_tile_insert){.place = loop,
                         .text = ht_strdup(text),
                         .wide = wide ? ht_strdup(wide) : NULL,
                         .vector = form->vector_count};
}

void ht_tiled_offer(ht_tiled_form *form, const ht_tiled_vector *vector) {
    HT_GROW(form->vectors, form->vector_count);
    form->vectors[form->vector_count] = *vector;
    form->vectors[form->vector_count++].row = ht_strdup(vector->row);
}

void ht_tiled_widen(ht_tiled_form *form, size_t vector) {
    ht_tiled *t = form->inside;
    for (size_t i = 0; i < t->added.insert_count; ++i) {
        ht_tile_insert *insert = &t->added.inserts[i];
        if (!insert->wide || insert->vector != vector)
            continue;
        free(insert->text);
        insert->text = insert->wide;
        insert->wide = NULL;
    }
}

void ht_tiled_forget(ht_tiled *t) {
    while (t->added.swap_count > 0)
        free(t->added.swaps[--t->added.swap_count].text);
    while (t->added.insert_count > 0) {
        free(t->added.inserts[--t->added.insert_count].text);
        free(t->added.inserts[t->added.insert_count].wide);
        free(t->added.inserts[t->added.insert_count].condition);
    }
    while (t->form.vector_count > 0)
        free((char *)t->form.vectors[--t->form.vector_count].row);
    free(t->added.meets);
    t->added.meets = NULL;
    free(t->inner.thread);
    free(t->inner.block);
    t->inner.thread = t->inner.block = NULL;
    t->inner.param = NULL;
}

const char *ht_tiled_inner(ht_tiled_form *form, const char *param, const char *thread,
                           const char *block) {
    ht_tiled *t = form->inside;
    t->inner.param = param;
    t->inner.name = ht_plan_name(t->c.plan, "inner");
    t->inner.thread = ht_strdup(thread);
    t->inner.block = ht_strdup(block);
    return t->inner.name;
}

void ht_tiled_meet(ht_tiled_form *form, const char *condition) {
    ht_tiled *t = form->inside;
    char *joined =
        t->added.meets ? ht_format("%s || %s", t->added.meets, condition) : ht_strdup(condition);
    free(t->added.meets);
    t->added.meets = joined;
}

bool ht_tiled_write(ht_tiled_form *form) {
    ht_tiled *t = form->inside;
    char *text = ht_tiled_text(t);
    if (text && ht_tiled_put(t, text)) {
        free(text);
        return true;
    }
    free(text);
    ht_tiled_forget(t);
    return false;
}
