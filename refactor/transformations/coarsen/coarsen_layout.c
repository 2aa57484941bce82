#include "refactor/transformations/coarsen/coarsen_layout.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/transformations/coarsen/coarsen_guard.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

#include <stdlib.h>

typedef struct layout_scan {
    ht_coarsen *c;
    ht_layout *layout;
    bool enter, upper;
} layout_scan;

static ht_part *add_part(layout_scan *scan, ht_part_kind kind, const ht_syntax *node) {
    ht_layout *layout = scan->layout;
    HT_GROW(layout->parts, layout->count);
    layout->parts[layout->count] = (ht_part){.kind = kind, .node = node};
    return &layout->parts[layout->count++];
}

static void add_to_region(ht_region *region, const ht_syntax *node) {
    HT_GROW(region->statements, region->count);
    region->statements[region->count++] = node;
}

static void add_statement(layout_scan *scan, ht_part_kind kind, const ht_syntax *node) {
    if (node->kind != HT_SYNTAX_DECLARATION || node->count == 0) {
        add_part(scan, kind, node);
        add_to_region(&scan->layout->region, node);
        return;
    }
    for (size_t i = 0; i < node->count; ++i) {
        bool x = node->children[i]->variable == scan->c->x;
        add_part(scan, x ? HT_PART_X : kind, node->children[i]);
        add_to_region(&scan->layout->region, node->children[i]);
    }
}

static bool is_idle(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_EMPTY || node->kind == HT_SYNTAX_RETURN;
}

static bool all_idle(ht_syntax_list list, size_t begin, size_t count) {
    for (size_t i = begin; i < count; ++i)
        if (!is_idle(list[i]))
            return false;
    return true;
}

static void refresh(layout_scan *scan) {
    ht_share_reset(scan->c);
    ht_region_share(scan->c, &scan->layout->region);
}

static void add_rest(layout_scan *scan, ht_syntax_list list, size_t begin, size_t count) {
    for (size_t i = begin; i < count; ++i)
        add_statement(scan, HT_PART_WORK, list[i]);
}

static void refuse_store(layout_scan *scan, const ht_syntax *statement) {
    ht_coarsen *c = scan->c;
    ht_effects effects;
    ht_effects_collect(statement, &effects);
    ht_position place = (effects.first_write ? effects.first_write : statement)->at;
    ht_coarsen_refuse(
        c, place,
        "no guard like `if (%s < bound)` stands before this store, so the threads that rounding up "
        "the grid adds would run it",
        c->tree->variables[c->x].name);
    ht_effects_free(&effects);
}

static void scan_list(layout_scan *scan, ht_syntax_list list, size_t count);

/* Reads an `if`. Returns true if it is a guard, or contains the work itself. */
static bool scan_if(layout_scan *scan, ht_syntax_list list, size_t at, size_t count,
                    bool *out_done) {
    ht_coarsen *c = scan->c;
    const ht_syntax *node = list[at];
    ht_guard guard;
    *out_done = false;
    refresh(scan);
    if (!ht_guard_read(c, node, &guard)) {
        ht_guard_free(&guard);
        return false;
    }
    bool last = all_idle(list, at + 1, count);
    if (guard.leaves && guard.has_index) {
        scan->upper |= guard.has_upper;
        if (!guard.only_known)
            add_to_region(&scan->layout->region, node);
        add_part(scan, HT_PART_GUARD, node)->guard = guard;
        return true;
    }
    if (!guard.leaves && last && guard.only_known && scan->enter) {
        scan->upper |= guard.has_upper;
        add_part(scan, HT_PART_ENTER, node)->guard = guard;
        c->marks[node->index].entered = true;
        const ht_syntax *body = node->children[1];
        if (body->kind == HT_SYNTAX_COMPOUND)
            scan_list(scan, body->children, body->count);
        else
            scan_list(scan, &node->children[1], 1);
        *out_done = true;
        return true;
    }
    if (!guard.leaves && guard.has_upper) {
        bool alone = true;
        for (size_t i = at + 1; i < count; ++i)
            alone = alone && !ht_syntax_has_effect(list[i]);
        if (alone) {
            scan->upper = true;
            add_part(scan, HT_PART_WORK, node)->guard = guard;
            add_to_region(&scan->layout->region, node);
            add_rest(scan, list, at + 1, count);
            *out_done = true;
            return true;
        }
    }
    ht_guard_free(&guard);
    return false;
}

static void scan_list(layout_scan *scan, ht_syntax_list list, size_t count) {
    ht_coarsen *c = scan->c;
    for (size_t i = 0; i < count && !c->refused; ++i) {
        bool done;
        if (list[i]->kind == HT_SYNTAX_IF && scan_if(scan, list, i, count, &done)) {
            if (done)
                return;
            continue;
        }
        if (ht_syntax_has_effect(list[i])) {
            if (!scan->upper)
                refuse_store(scan, list[i]);
            add_rest(scan, list, i, count);
            return;
        }
        add_statement(scan, HT_PART_ITEM, list[i]);
    }
}

void ht_layout_build(ht_coarsen *c, bool enter, ht_layout *out_layout) {
    *out_layout = (ht_layout){0};
    for (size_t i = 0; i < c->tree->count; ++i)
        c->marks[i].entered = false;
    layout_scan scan = {.c = c, .layout = out_layout, .enter = enter};
    ht_share_reset(c);
    scan_list(&scan, c->tree->body->children, c->tree->body->count);
    size_t last = 0;
    bool has_x = false;
    for (size_t i = 0; i < out_layout->count; ++i) {
        if (out_layout->parts[i].guard.term_count > 0)
            last = i;
        has_x |= out_layout->parts[i].kind == HT_PART_X;
    }
    for (size_t i = last; i < out_layout->count; ++i)
        if (out_layout->parts[i].kind == HT_PART_ITEM)
            out_layout->parts[i].kind = HT_PART_WORK;
    if (!c->refused && !has_x)
        ht_coarsen_refuse(c, c->tree->variables[c->x].at,
                          "the global index is not declared at the top of the kernel");
    if (!c->refused && !scan.upper)
        ht_coarsen_refuse(c, (ht_position){0}, "no guard on the global index");
}

void ht_layout_release(ht_layout *layout) {
    for (size_t i = 0; i < layout->count; ++i)
        ht_guard_free(&layout->parts[i].guard);
    free(layout->parts);
    free(layout->region.statements);
    *layout = (ht_layout){0};
}

size_t ht_layout_declaration_end(const ht_layout *layout, size_t i) {
    const ht_syntax *statement = layout->parts[i].node->parent;
    while (i < layout->count && layout->parts[i].node->kind == HT_SYNTAX_VARIABLE &&
           layout->parts[i].node->parent == statement)
        ++i;
    return i;
}

/* ---- the front ---- */

typedef struct settle {
    ht_coarsen *c;
    const ht_layout *layout;
    size_t at; /* the part being visited */
    bool changed;
} settle;

static bool is_moved_name(const ht_syntax *node, const void *context) {
    const ht_coarsen *c = context;
    return node->kind == HT_SYNTAX_NAME && c->values[node->variable].moved;
}

static bool names_moved(const ht_coarsen *c, const ht_syntax *node) {
    return ht_syntax_first(node, is_moved_name, c) != NULL;
}

static void move_changed(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)change;
    settle *of = context;
    ht_value *value = &of->c->values[name->variable];
    if (!value->moved) {
        value->moved = true;
        of->changed = true;
    }
}

/* Moves a change out of the front if it would overtake a part that is not in front and needs the
 * old value. */
static void move_overtaken(const ht_syntax *name, const ht_syntax *change, void *context) {
    settle *of = context;
    for (size_t i = 0; i < of->at; ++i) {
        const ht_part *part = &of->layout->parts[i];
        const ht_syntax *read = part->kind == HT_PART_ENTER ? part->node->children[0] : part->node;
        if (!part->front && ht_syntax_mentions(read, name->variable))
            move_changed(name, change, context);
    }
}

static void move_changed_step(const ht_syntax *name, const ht_syntax *change, void *context) {
    if (((settle *)context)->c->values[name->variable].share != HT_SHARE_SAME)
        move_changed(name, change, context);
    move_overtaken(name, change, context);
}

/* Moves variables out of the front that may change unnoticed: through an address, a reference or a
 * pointer into an array. */
static void move_exposed(ht_coarsen *c, settle *of) {
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        bool bound = node->kind == HT_SYNTAX_VARIABLE && node->count &&
                     c->tree->variables[node->variable].is_reference;
        const ht_syntax *root = NULL;
        if (node->kind == HT_SYNTAX_ADDRESS || bound)
            root = ht_lvalue_root(node->children[0]);
        if (node->kind == HT_SYNTAX_NAME && c->tree->variables[node->variable].is_array) {
            const ht_syntax *user = node->parent;
            while (user && (user->kind == HT_SYNTAX_CAST || user->kind == HT_SYNTAX_PAREN))
                user = user->parent;
            if (user && user->kind != HT_SYNTAX_SUBSCRIPT)
                root = node;
        }
        if (root)
            move_changed(root, node, of);
        if (root && c->tree->variables[root->variable].is_parameter && node->kind != HT_SYNTAX_NAME)
            ht_coarsen_refuse(c, node->at, "the address of a parameter is taken");
    }
}

void ht_layout_settle(ht_coarsen *c, ht_layout *layout, bool together) {
    settle of = {.c = c, .layout = layout, .changed = true};
    bool guarded = false; /* a part that may fault stays after the guard before it */
    for (size_t i = 0; i < layout->count; ++i) {
        ht_part *part = &layout->parts[i];
        bool variable = part->node->kind == HT_SYNTAX_VARIABLE;
        guarded |= part->guard.has_index;
        ht_share share = variable ? c->values[part->node->variable].share : HT_SHARE_SAME;
        part->front = part->kind == HT_PART_X ||
                      (part->kind == HT_PART_ITEM && !c->marks[part->node->index].apart &&
                       !(guarded && ht_syntax_is_risky(part->node)) && share != HT_SHARE_OWN &&
                       (together || share == HT_SHARE_SAME));
    }
    move_exposed(c, &of);
    while (of.changed) {
        of.changed = false;
        for (size_t i = 0; i < layout->count; ++i) {
            ht_part *part = &layout->parts[i];
            of.at = i;
            if (part->kind == HT_PART_X)
                continue;
            bool variable = part->node->kind == HT_SYNTAX_VARIABLE;
            if (part->front && (names_moved(c, part->node) ||
                                (variable && c->values[part->node->variable].moved))) {
                part->front = false;
                of.changed = true;
            }
            if (!part->front && variable && !c->values[part->node->variable].moved) {
                c->values[part->node->variable].moved = true;
                of.changed = true;
            }
            if (part->kind == HT_PART_GUARD || part->kind == HT_PART_ENTER)
                continue;
            ht_syntax_changes(part->node, part->front ? move_changed_step : move_changed, &of);
        }
    }
    for (size_t i = 0; i < layout->count; ++i) {
        ht_part *part = &layout->parts[i];
        part->again = part->front && part->kind == HT_PART_ITEM &&
                      part->node->kind == HT_SYNTAX_VARIABLE &&
                      c->values[part->node->variable].share == HT_SHARE_STEP;
        if (part->kind == HT_PART_X && names_moved(c, part->node))
            ht_coarsen_refuse(c, part->node->at, "the parts of the global index change later");
    }
}
