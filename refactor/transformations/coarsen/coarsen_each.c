#include "refactor/transformations/coarsen/coarsen_each.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_bound.h"
#include "refactor/transformations/coarsen/coarsen_each_front.h"
#include "refactor/transformations/coarsen/coarsen_front.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_state.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct each_walk {
    ht_coarsen *c;
    ht_writer *writer;
    const ht_layout *layout;
    bool label;
    bool close;    /* what is ahead of the loop opens a block: no empty line goes between */
    bool global;   /* the index is computed again, by the source's own expression */
    bool *changed; /* parameters */
    const ht_each_front *front; /* what stands ahead of the loop; NULL: nothing does */
    const ht_part *part;        /* the one that is walked */
} each_walk;

static bool is_inside(const ht_part *part) {
    if (part->kind == HT_PART_X)
        return false;
    return !part->front || part->again;
}

/* Returns true if the loop being written has the part. */
static bool is_in_loop(const each_walk *walk, const ht_part *part) {
    return is_inside(part) && !(part->ahead && walk->front && walk->front->ahead);
}

/* Returns true for a guard that leaves by a test of the index alone, which fails for all further
 * outputs, too, where nothing ahead of it in the loop has an effect. */
static bool ends_outputs(const each_walk *walk, const ht_part *part) {
    const ht_guard *guard = &part->guard;
    size_t count = 0;
    bool upper = part->kind == HT_PART_GUARD && guard->leaves && guard->only_known;
    for (size_t i = 0; i < guard->term_count; ++i) {
        count += guard->terms[i].kind == HT_TERM_INDEX;
        upper = upper && (guard->terms[i].kind != HT_TERM_INDEX || guard->terms[i].upper);
    }
    for (const ht_part *at = walk->layout->parts; at < part; ++at)
        upper = upper && (!is_in_loop(walk, at) ||
                          ((at->node->kind == HT_SYNTAX_VARIABLE || at->kind == HT_PART_GUARD) &&
                           !ht_syntax_has_change(at->node)));
    return upper && count == 1;
}

/* Replaces a return, which ends this output's turn, by `continue`, or by a jump if it is inside
 * another loop. */
static bool on_each(const ht_syntax *node, void *context) {
    each_walk *walk = context;
    ht_coarsen *c = walk->c;
    if (node->kind == HT_SYNTAX_RETURN) {
        bool inner = false;
        for (const ht_syntax *up = node->parent; up; up = up->parent)
            inner |= ht_syntax_is_loop(up);
        walk->label |= inner;
        if (!node->plain)
            ht_coarsen_refuse(c, node->at, "a return inside a macro");
        ht_writer_swap(walk->writer, node->range,
                       inner                            ? ht_format("goto %s", c->names.label_each)
                       : ends_outputs(walk, walk->part) ? ht_strdup("break")
                                                        : ht_strdup("continue"));
    }
    if (node->kind == HT_SYNTAX_GLOBAL) {
        if (!node->plain)
            ht_coarsen_refuse(c, node->at, "a global index inside a macro");
        walk->global = true;
        ht_writer_swap(walk->writer, node->range,
                       ht_format("(%s + %s)", c->names.first, c->names.offset));
    }
    return true;
}

static void on_parameter_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)change;
    each_walk *walk = context;
    if (ht_syntax_named(name)->is_parameter)
        walk->changed[name->variable] = true;
}

/* Returns true if a part that threads past the end must not run is before the condition that turns
 * them away. */
static bool needs_check(const ht_layout *layout) {
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_part *part = &layout->parts[i];
        for (size_t k = 0; k < part->guard.term_count; ++k) {
            const ht_guard_term *term = &part->guard.terms[k];
            if (term->kind == HT_TERM_INDEX && term->upper)
                return false;
            if (ht_syntax_is_risky(term->node))
                return true;
        }
        if (part->guard.term_count == 0 && is_inside(part) && ht_syntax_is_risky(part->node))
            return true;
    }
    return false;
}

/* Writes `if (x >= W) break;` before parts that the original ran unguarded: threads past the end
 * must not even read. Returns the part whose guard asks for no more than that; NULL: none. */
static const ht_part *write_check(ht_coarsen *c, const ht_layout *layout, ht_writer *writer,
                                  size_t like) {
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_guard *guard = &layout->parts[i].guard;
        for (size_t k = 0; k < guard->term_count; ++k) {
            const ht_guard_term *term = &guard->terms[k];
            if (term->kind != HT_TERM_INDEX || !term->upper ||
                !ht_syntax_is_separate(term->node, guard->statement))
                continue;
            if (!ht_each_is_early(c, term->node))
                continue;
            ht_writer_put(writer, like, "if (");
            ht_jam_fails(term, true, writer);
            ht_writer_printf(writer, ")");
            ++writer->depth;
            ht_writer_line(writer, like);
            --writer->depth;
            ht_writer_printf(writer, "break;");
            bool whole = guard->term_count == 1 && guard->only_known;
            return whole && layout->parts[i].kind != HT_PART_WORK ? &layout->parts[i] : NULL;
        }
    }
    ht_coarsen_refuse(c, layout->parts[0].node->at,
                      "memory is read in front of the guard on the global index");
    return NULL;
}

/* Returns true if the author's loops and tests begin their bodies on lines of their own. */
static bool braces_on_own_lines(const ht_coarsen *c) {
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        bool body = node->kind == HT_SYNTAX_COMPOUND && node->parent && node->plain &&
                    (node->parent->kind == HT_SYNTAX_IF || ht_syntax_is_loop(node->parent));
        size_t at = node->range.begin;
        while (body && at > 0 && strchr(" \t", c->model->text[at - 1]))
            --at;
        if (body)
            return at > 0 && c->model->text[at - 1] == '\n';
    }
    return false;
}

/* Saves parameters that the work changes, or restores them for the next output. */
static void write_saved(ht_coarsen *c, const bool *changed, ht_writer *writer, size_t like,
                        bool restore, char **names) {
    for (size_t i = 0; i < c->tree->variable_count; ++i) {
        if (!changed[i])
            continue;
        char *type = ht_syntax_variable_type(&c->tree->variables[i], false);
        if (!type)
            ht_coarsen_refuse(c, c->tree->variables[i].at, "a parameter of this type is changed");
        ht_writer_line(writer, like);
        if (restore) {
            ht_writer_printf(writer, "%s = %s;", c->tree->variables[i].name, names[i]);
        } else {
            char *wanted = ht_format("%s_first", c->tree->variables[i].name);
            names[i] = ht_strdup(ht_plan_name(c->plan, wanted));
            ht_writer_printf(writer, "%s%s = %s;", type ? type : "", names[i],
                             c->tree->variables[i].name);
            free(wanted);
        }
        free(type);
    }
}

/* Returns where the text before a statement begins, without an empty line ahead of it. */
static size_t lead_close(const ht_coarsen *c, size_t lead) {
    const char *text = c->model->text;
    size_t next = lead + strspn(text + lead, " \t");
    size_t after = text[next] == '\n' ? next + 1 + strspn(text + next + 1, " \t\r") : next;
    return text[next] == '\n' && text[after] == '\n' ? after : lead;
}

/* Returns the same for the first statement after the guard: without the blanks between the two
 * where both stand on one line. */
static size_t lead_first(const ht_coarsen *c, size_t lead, const ht_syntax *statement) {
    size_t next = lead + strspn(c->model->text + lead, " \t");
    return next == statement->range.begin ? next : lead_close(c, lead);
}

/* Returns true for a guard whose other tests stand ahead of the loop. */
static bool has_known_ahead(const each_walk *walk, const ht_part *part) {
    bool front = walk->front && part == walk->front->guard;
    bool known = front || ht_guard_has(&part->guard, HT_TERM_SAME);
    bool apart =
        (part->kind == HT_PART_GUARD || front) && part->guard.only_known && part->guard.has_index;
    for (size_t i = 0; apart && i < part->guard.term_count; ++i)
        apart = ht_syntax_is_separate(part->guard.terms[i].node, part->guard.statement);
    return known && apart;
}

/* Writes such a guard up to `end`: its tests of the index are all that is left. */
static void write_index_guard(const each_walk *walk, const ht_part *part, size_t lead, size_t end) {
    ht_range test = part->node->children[0]->range;
    ht_writer_source(walk->writer, lead, test.begin);
    ht_jam_tests(walk->c, &part->guard, HT_TERM_INDEX, walk->writer);
    ht_writer_source(walk->writer, test.end, end);
}

/* Returns true if what an `if` encloses is indented for it: it stands on lines of its own. */
static bool is_body_apart(const ht_coarsen *c, const ht_syntax *statement) {
    const ht_syntax *body = statement->children[1];
    const ht_syntax *first =
        body->kind == HT_SYNTAX_COMPOUND && body->count ? body->children[0] : body;
    size_t begin = statement->range.begin;
    return memchr(c->model->text + begin, '\n', first->range.begin - begin) != NULL;
}

/* Writes the variables from `first` to `end` that are inside, all of one declaration: the author's
 * text where all of it is, or else a declaration each. Returns true if any is inside. */
static bool write_variables(const each_walk *walk, size_t first, size_t end, bool close,
                            size_t like) {
    ht_coarsen *c = walk->c;
    const ht_part *parts = walk->layout->parts;
    const ht_syntax *statement = ht_statement_of(parts[first].node);
    size_t inside = 0, lead = ht_statement_lead(c, parts[first].node);
    for (size_t i = first; i < end; ++i)
        inside += is_in_loop(walk, &parts[i]);
    if (inside == statement->count) {
        lead = close ? lead_first(c, lead, statement) : lead;
        if (lead == statement->range.begin)
            ht_writer_line(walk->writer, lead);
        ht_writer_source(walk->writer, lead, ht_statement_tail(c, statement));
        return true;
    }
    for (size_t i = first; i < end; ++i)
        if (is_in_loop(walk, &parts[i])) {
            ht_writer_line(walk->writer, like);
            ht_writer_variable(walk->writer, parts[i].node);
        }
    return inside > 0;
}

/* Writes the head of an `if` that encloses the parts after it, with an opening brace. */
static void write_enter(const each_walk *walk, const ht_part *part, size_t lead) {
    const ht_syntax *body = part->node->children[1];
    const char *text = walk->c->model->text;
    bool braces = body->kind == HT_SYNTAX_COMPOUND;
    size_t header = body->range.begin;
    while (header > lead && isspace((unsigned char)text[header - 1]) && !braces)
        --header;
    if (has_known_ahead(walk, part))
        write_index_guard(walk, part, lead, header);
    else
        ht_writer_source(walk->writer, lead, header);
    ht_writer_printf(walk->writer, braces ? "{" : " {"); /* a choice's braces must match */
}

/* Writes the parts but `without`, whose guard the loop has. A declaration is copied as a whole if
 * all its variables are inside. `close`: the next statement follows the guard's line. */
static void write_parts(const each_walk *walk, const ht_part *without, bool close, size_t like) {
    ht_coarsen *c = walk->c;
    const ht_layout *layout = walk->layout;
    ht_writer *writer = walk->writer;
    int open = 0, depth = writer->depth;
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_part *part = &layout->parts[i];
        const ht_syntax *statement = ht_statement_of(part->node);
        if (part->node->kind == HT_SYNTAX_VARIABLE) {
            size_t end = ht_layout_declaration_end(layout, i);
            close = !write_variables(walk, i, end, close, like) && close;
            i = end - 1;
            continue;
        }
        if (!is_in_loop(walk, part))
            continue;
        if (part == without) {
            writer->depth -= part->kind == HT_PART_ENTER && is_body_apart(c, statement);
            continue;
        }
        size_t lead = ht_statement_lead(c, part->node);
        lead = close ? lead_first(c, lead, statement) : lead;
        close = false;
        if (part->kind == HT_PART_ENTER) {
            write_enter(walk, part, lead);
            ++open;
            continue;
        }
        if (lead == statement->range.begin)
            ht_writer_line(writer, lead);
        if (has_known_ahead(walk, part))
            write_index_guard(walk, part, lead, ht_statement_tail(c, statement));
        else
            ht_writer_source(writer, lead, ht_statement_tail(c, statement));
    }
    writer->depth = depth;
    for (; open > 0; --open) {
        ht_writer_put(writer, like, "}");
    }
}

/* Finds swaps, labels and changes in the parts that are written for one output at a time. */
static void walk_parts(each_walk *walk) {
    const ht_layout *layout = walk->layout;
    ht_writer_swaps_clear(walk->writer);
    for (size_t i = 0; i < layout->count; ++i)
        if (is_in_loop(walk, &layout->parts[i])) {
            walk->part = &layout->parts[i];
            ht_syntax_walk(layout->parts[i].node, on_each, walk);
            ht_syntax_changes(layout->parts[i].node, on_parameter_change, walk);
        }
}

static void write_loop_body(each_walk *walk, const ht_part *without, bool close, size_t like) {
    ht_coarsen *c = walk->c;
    ht_writer *writer = walk->writer;
    if (walk->label) {
        ht_writer_open(writer, like, "{");
    }
    write_parts(walk, without, close, like);
    if (walk->label) {
        ht_writer_close(writer, like, "}");
        ht_writer_put(writer, like, "%s:;", c->names.label_each);
    }
    ht_writer_close(writer, like, "}");
}

/* Writes a loop over a counter, in which guards stay. */
static void write_counted(each_walk *walk, size_t like) {
    ht_coarsen *c = walk->c;
    ht_writer *writer = walk->writer;
    char **names = ht_alloc(c->tree->variable_count + 1, sizeof *names);
    char *type = ht_coarsen_x_type(c);
    write_saved(c, walk->changed, writer, like, false, names);
    ht_writer_count(writer, like, c->names.counter, c->names.factor, NULL, " {");
    ht_writer_put(writer, like, "$?{1}{const }{%s}%s%s = %s + %s$?{%s}{ * %s}{ * blockDim.x};",
                  ht_coarsen_index_const(c, c->x), type ? type : "auto ",
                  c->tree->variables[c->x].name, c->names.first, c->names.counter, c->names.strided,
                  c->names.step);
    write_saved(c, walk->changed, writer, like, true, names);
    const ht_part *asked = NULL;
    if (needs_check(walk->layout))
        asked = write_check(c, walk->layout, writer, like);
    write_loop_body(walk, asked, false, like);
    ht_strings_free(names, c->tree->variable_count);
    free(type);
}

/* Returns true if an empty line stands ahead of the first part that is inside of the loop. */
static bool has_empty_line(const each_walk *walk) {
    for (size_t i = 0; i < walk->layout->count; ++i) {
        const ht_part *part = &walk->layout->parts[i];
        size_t lead = ht_statement_lead(walk->c, part->node);
        if (is_in_loop(walk, part) && part->kind != HT_PART_GUARD && part->kind != HT_PART_ENTER)
            return lead_close(walk->c, lead) != lead;
    }
    return false;
}

/* The author's space, or none. */
static const char *for_word(const ht_coarsen *c) {
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        if (node->kind == HT_SYNTAX_FOR && node->plain &&
            strncmp(c->model->text + node->start, "for(", 4) == 0)
            return "for(";
    }
    return "for (";
}

/* Writes the condition x < bound && x < x0 + 4. Where the sum may be past the largest number, the
 * difference is compared, which is not. */
static void write_condition(const each_walk *walk, const ht_guard_term *term) {
    const ht_coarsen_names *names = &walk->c->names;
    const char *x = walk->c->tree->variables[walk->c->x].name;
    char *fits = ht_bound_sum_fits(walk->c, term);
    ht_writer_printf(walk->writer, "%s < ", x);
    ht_writer_source(walk->writer, term->bound->range.begin, term->bound->range.end);
    ht_writer_printf(walk->writer,
                     " && $?{%s}{}{%s < %s + ${%s}}$?{!(%s)}{}{%s - %s < ${%s}}; ++%s)",
                     fits ? fits : "0", x, names->first, names->factor, fits ? fits : "0", x,
                     names->first, names->factor, x);
    free(fits);
}

/* Writes a loop over the outputs themselves, whose condition has the guard's test of the index. */
static void write_bounded(each_walk *walk, const ht_part *part, const ht_guard_term *term,
                          size_t like) {
    ht_coarsen *c = walk->c;
    ht_writer *writer = walk->writer;
    char *type = ht_coarsen_x_type(c);
    bool front = walk->front->ahead || (walk->front->leaves && part->guard.term_count > 1);
    if (part->kind == HT_PART_ENTER && !front)
        ht_writer_source(writer, ht_statement_lead(c, part->node), part->node->range.begin);
    else {
        ht_writer_printf(writer, !walk->close && has_empty_line(walk) ? "\n" : "");
        ht_writer_line(writer, like);
    }
    ht_writer_printf(writer, "%s%s%s = %s; ", for_word(c), type ? type : "auto ",
                     c->tree->variables[c->x].name, c->names.first);
    write_condition(walk, term);
    if (braces_on_own_lines(c))
        ht_writer_line(writer, like);
    ht_writer_printf(writer, braces_on_own_lines(c) ? "{" : " {");
    ++writer->depth;
    write_loop_body(walk, part, true, like);
    free(type);
}

/* Writes declarations that are the same for all outputs. */
static void write_declarations(const each_walk *walk, const ht_part *guard, size_t like) {
    ht_coarsen *c = walk->c;
    const ht_layout *layout = walk->layout;
    int depth = walk->writer->depth;
    walk->writer->depth -= guard->kind == HT_PART_ENTER && is_body_apart(c, guard->node);
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_syntax *statement = ht_statement_of(layout->parts[i].node);
        if (!layout->parts[i].ahead)
            continue;
        size_t lead = ht_statement_lead(c, statement), begin = statement->range.begin;
        bool apart = memchr(c->model->text + lead, '\n', begin - lead) != NULL;
        if (!apart)
            ht_writer_line(walk->writer, like);
        ht_writer_source(walk->writer, apart ? lead : begin, ht_statement_tail(c, statement));
        i = ht_layout_declaration_end(layout, i) - 1;
    }
    walk->writer->depth = depth;
}

/* Writes the guard, as far as that is asked ahead of the loop, and what is the same for all
 * outputs. */
static void write_ahead(each_walk *walk, const ht_part *part, const ht_guard_term *term,
                        size_t like) {
    ht_coarsen *c = walk->c;
    ht_writer *writer = walk->writer;
    size_t lead = ht_statement_lead(c, part->node);
    ht_writer_swaps_clear(writer);
    if (walk->front->kept) {
        ht_writer_swap(writer, ht_syntax_strip(term->step)->range, ht_strdup(c->names.first));
        ht_writer_source(writer, lead, ht_statement_tail(c, part->node));
        ht_writer_swaps_clear(writer);
    } else if (walk->front->leaves && part->guard.term_count > 1) {
        ht_writer_source(writer, lead, part->node->range.begin);
        ht_jam_leave(&part->guard, writer);
    }
    if (walk->front->ahead)
        write_declarations(walk, part, like);
}

void ht_each_write(ht_coarsen *c, const ht_layout *layout, const ht_each_front *front,
                   ht_writer *writer, size_t like) {
    static const ht_each_front nothing = {0};
    ht_writer bounded = {.c = c, .depth = writer->depth};
    static const char opened[] = "one by one";
    size_t length = writer->text.length, last = strlen(opened);
    bool close = length > last && strcmp(writer->text.data + length - last, opened) == 0;
    each_walk walk = {.c = c, .writer = writer, .layout = layout, .close = close};
    const ht_guard_term *term = NULL;
    const ht_part *part = ht_each_guard(c, layout, &term);
    bool changes = false;
    walk.changed = ht_alloc(c->tree->variable_count + 1, sizeof(bool));
    walk.front = front ? front : &nothing;
    if (part) {
        walk.writer = &bounded;
        write_ahead(&walk, part, term, like);
        walk_parts(&walk);
        write_bounded(&walk, part, term, like);
        for (size_t i = 0; i < c->tree->variable_count; ++i)
            changes |= walk.changed[i];
    }
    bool both =
        part && !changes && !walk.global && !bounded.failed && ht_writer_is_balanced(&bounded);
    ht_writer apart = {.c = c, .depth = writer->depth}; /* the outputs are, in a tuned source */
    bool fronted = part && (walk.front->ahead || walk.front->guard);
    if (fronted) {
        walk.writer = &apart;
        write_ahead(&walk, part, term, like);
        walk_parts(&walk);
        write_counted(&walk, like);
    }
    ht_writer counted = {.c = c, .depth = writer->depth};
    walk.writer = &counted;
    if (walk.front->kept)
        ht_jam_guard(c, part, &counted);
    walk.front = NULL;
    walk_parts(&walk);
    write_counted(&walk, like);
    both = both && ht_writer_is_balanced(&counted) && ht_writer_is_balanced(&apart);
    if (both)
        ht_writer_printf(writer, "$?{!%s}{%s}{%s}$?{%s}{}{%s}", c->names.strided, counted.text.data,
                         bounded.text.data, c->names.strided,
                         fronted ? apart.text.data : counted.text.data);
    else
        ht_writer_printf(writer, "%s", counted.text.data);
    writer->failed |= counted.failed || apart.failed;
    ht_writer_free(&apart);
    ht_writer_free(&counted);
    ht_writer_free(&bounded);
    free(walk.changed);
}
