#include "refactor/transformations/coarsen/coarsen_front.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_state.h"
#include "refactor/transformations/coarsen/coarsen_swaps.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

#include <stdlib.h>
#include <string.h>

/* ---- the front ---- */

static void write_side(ht_coarsen *c, const ht_guard_term *term, const ht_syntax *side,
                       ht_writer *writer) {
    const ht_syntax *inner = side;
    while (inner->kind == HT_SYNTAX_CAST && !inner->written)
        inner = inner->children[0];
    bool last = side == term->step && term->upper;
    bool loose = last && inner->kind == HT_SYNTAX_CONDITIONAL;
    if (!ht_syntax_is_separate(side, term->node->parent))
        ht_coarsen_set_reason(c, side->at, "a macro holds a part of the guard");
    ht_writer_printf(writer, loose ? "(" : "");
    ht_writer_source(writer, side->range.begin, side->range.end);
    ht_writer_printf(writer, loose ? ")" : "");
    if (last)
        ht_writer_printf(writer, " + ${%s - 1}%s", c->names.factor, c->names.apart);
}

bool ht_jam_condition(ht_coarsen *c, const ht_layout *layout, ht_writer *writer) {
    bool any = false;
    ht_jam_swaps_make(c, layout, writer, true);
    for (size_t i = 0; i < layout->count; ++i)
        for (size_t k = 0; k < layout->parts[i].guard.term_count; ++k) {
            const ht_guard_term *term = &layout->parts[i].guard.terms[k];
            if (term->kind != HT_TERM_INDEX)
                continue;
            ht_writer_printf(writer, any ? " && " : "");
            write_side(c, term, term->node->children[0], writer);
            ht_writer_printf(writer, " %s ", ht_operator_text(term->op));
            write_side(c, term, term->node->children[1], writer);
            any = true;
        }
    return any && !c->apart_reason;
}

void ht_jam_tests(ht_coarsen *c, const ht_guard *guard, ht_term_kind kind, ht_writer *writer) {
    bool any = false;
    for (size_t i = 0; i < guard->term_count; ++i) {
        const ht_guard_term *term = &guard->terms[i];
        if (term->kind != kind)
            continue;
        bool flip = guard->leaves != term->negated;
        const ht_syntax *inner = term->node;
        while (inner->kind == HT_SYNTAX_CAST && !inner->written)
            inner = inner->children[0];
        bool loose = !flip && (inner->kind == HT_SYNTAX_CONDITIONAL ||
                               (inner->kind == HT_SYNTAX_BINARY && inner->op >= HT_BINARY_AND));
        if (!ht_syntax_is_separate(term->node, guard->statement))
            ht_coarsen_set_reason(c, term->node->at, "a macro holds a part of the guard");
        ht_writer_printf(writer, any ? guard->leaves ? " || " : " && " : "");
        ht_writer_printf(writer, flip ? "!(" : loose ? "(" : "");
        ht_writer_source(writer, term->node->range.begin, term->node->range.end);
        ht_writer_printf(writer, flip || loose ? ")" : "");
        any = true;
    }
}

/* Returns true for a comparison of whole numbers, for which the opposite comparison is the
 * negation. */
static bool is_opposed(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_BINARY && node->op >= HT_BINARY_LT && node->op <= HT_BINARY_GE &&
           node->children[0]->type == HT_TYPE_INTEGER &&
           node->children[1]->type == HT_TYPE_INTEGER && !node->children[0]->is_open &&
           !node->children[1]->is_open && node->children[0]->plain && node->children[1]->plain;
}

void ht_jam_fails(const ht_guard_term *term, bool alone, ht_writer *writer) {
    const ht_syntax *node = ht_syntax_written(term->node);
    if (!term->negated && is_opposed(node)) {
        ht_range left = node->children[0]->range, right = node->children[1]->range;
        ht_writer_source(writer, left.begin, left.end);
        ht_writer_printf(writer, " %s ", ht_operator_text(ht_operator_negated(node->op)));
        ht_writer_source(writer, right.begin, right.end);
        return;
    }
    bool atom = node->count == 0 || node->kind == HT_SYNTAX_PAREN || (alone && term->negated);
    ht_writer_printf(writer, "%s%s", term->negated ? "" : "!", atom ? "" : "(");
    ht_writer_source(writer, node->range.begin, node->range.end);
    ht_writer_printf(writer, atom ? "" : ")");
}

void ht_jam_leave(const ht_guard *guard, ht_writer *writer) {
    bool any = false;
    for (size_t i = 0; i < guard->term_count; ++i) {
        if (guard->terms[i].kind != HT_TERM_SAME)
            continue;
        ht_writer_printf(writer, any ? " || " : "if (");
        any = true;
        ht_jam_fails(&guard->terms[i], false, writer);
    }
    ht_writer_printf(writer, any ? ") return;" : "");
}

/* Writes the index of a thread's first output. In a template, where a parameter says whether
 * outputs are neighbours or a block apart, it is computed from the author's; a tuned source has one
 * of the two. */
static void write_x(ht_coarsen *c, const ht_syntax *node, ht_writer *writer) {
    const ht_coarsen_names *names = &c->names;
    char *type = ht_coarsen_x_type(c);
    ht_writer_printf(writer, "$?{1}{const int %s = %s ? %s : 1;", names->step, names->strided,
                     ht_plan_block(c->plan, 0));
    ht_writer_put(writer, node->range.begin, "}{}$?{1}{const }{%s}%s%s = $?{!%s}{(",
                  ht_coarsen_index_const(c, c->x), type ? type : "auto ", names->first,
                  names->strided);
    ht_writer_source(writer, node->children[0]->range.begin, node->children[0]->range.end);
    ht_writer_printf(writer, ") * ${%s} - (%s ? %s - 1 : 0) * threadIdx.x}{(", names->factor,
                     names->strided, names->factor);
    ht_writer_source(writer, node->children[0]->range.begin, node->children[0]->range.end);
    ht_writer_printf(writer, ") * ${%s}}$?{%s}{}{", names->factor, names->strided);
    if (type && node->bits > 32)
        ht_writer_printf(writer, "(%.*s)", (int)strlen(type) - 1, type);
    ht_writer_printf(writer, "$-[%zu,%zu]blockIdx.x * (blockDim.x * ${%s}) + threadIdx.x};",
                     node->children[0]->range.begin, node->children[0]->range.end, names->factor);
    free(type);
}

/* Writes a declaration of which some variables are in front. `i` moves to its last part. */
static void front_declaration(ht_coarsen *c, const ht_layout *layout, size_t *i,
                              ht_writer *writer) {
    const ht_syntax *statement = layout->parts[*i].node->parent;
    size_t first = *i, front = 0;
    bool x = false;
    size_t end = ht_layout_declaration_end(layout, first);
    for (size_t k = first; k < end; ++k) {
        front += layout->parts[k].front;
        x |= layout->parts[k].kind == HT_PART_X;
    }
    *i = end - 1;
    size_t lead = ht_statement_lead(c, statement);
    if (front == 0)
        return;
    if (!x && front == statement->count) {
        ht_writer_source(writer, lead, ht_statement_tail(c, statement));
        return;
    }
    ht_writer_source(writer, lead, statement->range.begin);
    bool any = false;
    for (size_t k = first; k < end; ++k) {
        if (!layout->parts[k].front)
            continue;
        if (any)
            ht_writer_line(writer, statement->range.begin);
        any = true;
        if (layout->parts[k].kind == HT_PART_X)
            write_x(c, layout->parts[k].node, writer);
        else
            ht_writer_variable(writer, layout->parts[k].node);
    }
    ht_writer_source(writer, ht_statement_end(c, statement), ht_statement_tail(c, statement));
}

void ht_jam_guard(ht_coarsen *c, const ht_part *part, ht_writer *writer) {
    if (!part->guard.only_known || !ht_guard_has(&part->guard, HT_TERM_SAME))
        return;
    ht_range test = part->node->children[0]->range;
    ht_writer_source(writer, ht_statement_lead(c, part->node), test.begin);
    ht_jam_tests(c, &part->guard, HT_TERM_SAME, writer);
    ht_writer_source(writer, test.end, ht_statement_end(c, part->node));
}

/* Returns true if the text before a statement begins with an empty line. */
static bool has_gap(const ht_coarsen *c, size_t lead) {
    const char *text = c->model->text;
    size_t next = lead + strspn(text + lead, " \t");
    return text[next] == '\n' && text[next + 1 + strspn(text + next + 1, " \t\r")] == '\n';
}

/* Returns true if a part of the declaration that begins with it, or the statement, is in front. */
static bool is_front(const ht_layout *layout, size_t i) {
    size_t end = layout->parts[i].node->kind == HT_SYNTAX_VARIABLE
                     ? ht_layout_declaration_end(layout, i)
                     : i + 1;
    bool front = false;
    for (; i < end; ++i)
        front = front || layout->parts[i].front;
    return front;
}

int ht_jam_front(ht_coarsen *c, const ht_layout *layout, const ht_part *without,
                 ht_writer *writer) {
    int open = 0;
    bool gap = false; /* an empty line ahead of what is not written */
    ht_jam_swaps_make(c, layout, writer, true);
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_part *part = &layout->parts[i];
        const ht_guard *guard = &part->guard;
        size_t lead = ht_statement_lead(c, part->node);
        bool front = is_front(layout, i);
        if (front && gap && !has_gap(c, lead))
            ht_writer_printf(writer, "\n");
        gap = !front && has_gap(c, lead) && !guard->term_count;
        if (part->node->kind == HT_SYNTAX_VARIABLE) {
            front_declaration(c, layout, &i, writer);
        } else if (part->front) {
            ht_writer_source(writer, lead, ht_statement_tail(c, part->node));
        } else if (part->kind == HT_PART_GUARD && part != without) {
            ht_jam_guard(c, part, writer);
        } else if (part->kind == HT_PART_ENTER && part != without &&
                   ht_guard_has(guard, HT_TERM_SAME)) {
            ht_writer_source(writer, lead, part->node->range.begin);
            ht_writer_printf(writer, "if (");
            ht_jam_tests(c, guard, HT_TERM_SAME, writer);
            ht_writer_printf(writer, ") {");
            ++open;
        }
    }
    return open;
}
