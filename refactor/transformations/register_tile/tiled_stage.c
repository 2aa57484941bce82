/* What other transformations may change in the tiled form (tiled.h). */
#include "base/memory.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

#include <stdlib.h>
#include <string.h>

ht_tiled_form *ht_tiled_of(const ht_plan *plan) {
    return plan->tiled;
}

size_t ht_tiled_loop_of(const ht_tiled_form *form, CXCursor loop) {
    for (size_t i = 0; i < form->loop_count; ++i)
        if (clang_equalCursors(form->loops[i].loop, loop))
            return i;
    return SIZE_MAX;
}

ht_node *ht_tiled_find(const ht_tiled *t, CXCursor expression) {
    for (size_t i = 0; i < t->c.node_count; ++i) {
        ht_node *node = t->c.nodes[i];
        if (!clang_equalCursors(node->cursor, expression))
            continue;
        for (size_t k = 0; k < t->work.count; ++k)
            if (ht_node_within(node, t->work.statements[k]))
                return t->along[i] ? NULL : node;
    }
    return NULL;
}

bool ht_tiled_has(const ht_tiled_form *form, CXCursor expression) {
    return ht_tiled_find(form->inside, expression) != NULL;
}

bool ht_tiled_is_replaced(const ht_tiled *t, const ht_node *node) {
    for (size_t i = 0; i < t->swap_count; ++i)
        if (ht_node_within(node, t->swaps[i].node) || ht_node_within(t->swaps[i].node, node))
            return true;
    return false;
}

/* The new text, with the old one for "$@". */
static void replace_more(ht_tile_swap *swap, const char *text) {
    char *joined = ht_text_replaced(text, "$@", swap->text);
    free(swap->text);
    swap->text = joined;
}

bool ht_tiled_may_replace(const ht_tiled_form *form, CXCursor expression) {
    const ht_tiled *t = form->inside;
    const ht_node *node = ht_tiled_find(t, expression);
    if (!node || !node->plain || node->kind <= HT_NODE_EMPTY)
        return false;
    for (size_t i = 0; i < t->swap_count; ++i) {
        const ht_node *other = t->swaps[i].node;
        if (other != node && (ht_node_within(node, other) || ht_node_within(other, node)))
            return false;
    }
    return true;
}

bool ht_tiled_replace(ht_tiled_form *form, CXCursor expression, const char *text) {
    ht_tiled *t = form->inside;
    if (!ht_tiled_may_replace(form, expression))
        return false;
    ht_node *node = ht_tiled_find(t, expression);
    for (size_t i = 0; i < t->swap_count; ++i)
        if (t->swaps[i].node == node) {
            replace_more(&t->swaps[i], text);
            return true;
        }
    HT_GROW(t->swaps, t->swap_count);
    t->swaps[t->swap_count++] = (ht_tile_swap){node, ht_strdup(text)};
    return true;
}

void ht_tiled_insert(ht_tiled_form *form, long loop, const char *text, const char *wide) {
    ht_tiled *t = form->inside;
    HT_GROW(t->inserts, t->insert_count);
    t->inserts[t->insert_count++] = (ht_tile_insert){.place = loop,
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
    for (size_t i = 0; i < t->insert_count; ++i) {
        ht_tile_insert *insert = &t->inserts[i];
        if (!insert->wide || insert->vector != vector)
            continue;
        free(insert->text);
        insert->text = insert->wide;
        insert->wide = NULL;
    }
}

void ht_tiled_forget(ht_tiled *t) {
    while (t->swap_count > 0)
        free(t->swaps[--t->swap_count].text);
    while (t->insert_count > 0) {
        free(t->inserts[--t->insert_count].text);
        free(t->inserts[t->insert_count].wide);
        free(t->inserts[t->insert_count].condition);
    }
    while (t->form.vector_count > 0)
        free((char *)t->form.vectors[--t->form.vector_count].row);
    free(t->meets);
    t->meets = NULL;
    free(t->within_thread);
    free(t->within_block);
    t->within_thread = t->within_block = NULL;
    t->within = NULL;
}

const char *ht_tiled_inner(ht_tiled_form *form, const char *param, const char *thread,
                           const char *block) {
    ht_tiled *t = form->inside;
    t->within = param;
    t->inner = ht_plan_name(t->c.plan, "inner");
    t->within_thread = ht_strdup(thread);
    t->within_block = ht_strdup(block);
    return t->inner;
}

void ht_tiled_meet(ht_tiled_form *form, const char *condition) {
    ht_tiled *t = form->inside;
    char *joined = t->meets ? ht_format("%s || %s", t->meets, condition) : ht_strdup(condition);
    free(t->meets);
    t->meets = joined;
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
