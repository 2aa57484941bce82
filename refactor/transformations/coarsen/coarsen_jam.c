/* The work written for all outputs of a thread side by side: what is the same for all is written
 * once, what is not goes into small loops over the outputs, and values that live on between such
 * loops become arrays. */
#include "base/memory.h"
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/transformations/coarsen/elements.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing the work ---- */

static void write_list(ht_coarsen *c, ht_node **list, size_t count, ht_writer *writer, bool label,
                       bool top);

static bool on_x(ht_node *node, void *context) {
    ht_coarsen *c = ((void **)context)[0];
    if (node->kind == HT_NODE_NAME && node->variable == c->x)
        *(bool *)((void **)context)[1] = true;
    return true;
}

static bool uses_x(ht_coarsen *c, ht_node *node) {
    bool found = false;
    void *context[] = {c, &found};
    ht_node_walk(node, on_x, context);
    return found;
}

static void write_array(ht_coarsen *c, ht_node *node, ht_writer *writer, size_t like) {
    ht_variable *variable = &c->variables[node->variable];
    char *type = ht_variable_type(variable, true);
    size_t name = ht_variable_name_end(node, variable);
    size_t end = ht_variable_dimensions_end(c, node, name);
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "%s%s[${%s}]", type, variable->name, c->factor);
    ht_writer_source(writer, name, end);
    if (variable->is_array && ht_variable_has_initialiser(c, node))
        ht_writer_printf(writer, " = {}");
    ht_writer_printf(writer, ";");
    free(type);
}

static size_t variables_of(ht_node *item, ht_node ***out_list) {
    if (item->kind == HT_NODE_VARIABLE) {
        *out_list = &item->parent->children[0];
        for (size_t i = 0; i < item->parent->count; ++i)
            if (item->parent->children[i] == item)
                *out_list = &item->parent->children[i];
        return 1;
    }
    *out_list = item->children;
    return item->kind == HT_NODE_DECLARATION ? item->count : 0;
}

/* Can a declaration be copied as it stands? */
static bool is_whole(const ht_coarsen *c, ht_node *item) {
    ht_node **variables;
    size_t count = variables_of(item, &variables);
    if (item->kind == HT_NODE_VARIABLE && item->parent->count > 1)
        return false;
    for (size_t i = 0; i < count; ++i)
        if (!variables[i]->apart || c->variables[variables[i]->variable].array)
            return false;
    return true;
}

static bool is_blank(const char *text, size_t begin, size_t end) {
    for (size_t at = begin; at < end; ++at)
        if (!isspace((unsigned char)text[at]))
            return false;
    return true;
}

static void write_item(ht_coarsen *c, ht_node *item, ht_writer *writer, size_t like) {
    const ht_node *statement = ht_statement_of(item);
    size_t lead = ht_statement_lead(c, item);
    const char *text = c->model->text;
    if (is_whole(c, item)) {
        bool newline = memchr(text + lead, '\n', statement->range.begin - lead) != NULL;
        if (!newline) {
            ht_writer_line(writer, like);
            while (isspace((unsigned char)text[lead]))
                ++lead;
        }
        ht_writer_source(writer, lead, ht_statement_tail(c, statement));
        return;
    }
    ht_node **variables;
    size_t count = variables_of(item, &variables);
    for (size_t i = 0; i < count; ++i) {
        ht_node *node = variables[i];
        const ht_variable *variable = &c->variables[node->variable];
        if (!node->apart ||
            (variable->array && (variable->is_array || !ht_variable_has_initialiser(c, node))))
            continue;
        ht_writer_line(writer, like);
        if (!variable->array) {
            ht_writer_variable(writer, node);
            continue;
        }
        ht_writer_printf(writer, "%s[%s] = ", variable->name, c->counter);
        ht_writer_source(writer, node->children[0]->range.begin, node->children[0]->range.end);
        ht_writer_printf(writer, ";");
    }
}

/* The body of a test that is left out, without its braces where others stand around it. */
static void write_bare(ht_coarsen *c, ht_node *body, ht_writer *writer, size_t like, bool braces) {
    bool block = body->kind == HT_NODE_COMPOUND && body->count > 0;
    for (size_t i = 0; i < body->count; ++i)
        braces = braces && body->children[i]->kind != HT_NODE_DECLARATION;
    const char *text = c->model->text;
    if (block && braces && text[body->range.begin + 1] == '\n') {
        --writer->depth;
        ht_writer_source(writer, body->range.begin + 1,
                         ht_statement_tail(c, body->children[body->count - 1]));
        ++writer->depth;
        return;
    }
    ht_writer_line(writer, like);
    ht_writer_source(writer, body->range.begin, ht_statement_end(c, body));
}

/* What stands in front of a declaration that is written anew. */
static void write_comments(ht_coarsen *c, ht_node *item, ht_writer *writer) {
    const ht_node *statement = ht_statement_of(item);
    const char *text = c->model->text;
    size_t lead = ht_statement_lead(c, item), end = statement->range.begin;
    bool first = item->kind != HT_NODE_VARIABLE || statement->children[0] == item;
    if (is_whole(c, item) || !first || is_blank(text, lead, end))
        return;
    while (end > lead && isspace((unsigned char)text[end - 1]))
        --end;
    ht_writer_source(writer, lead, end);
}

/* Declarations in front of a group: of what is the same for all, and of arrays. True when the loop
 * itself is empty. */
static bool write_declarations(ht_coarsen *c, ht_node **list, size_t begin, size_t end,
                               ht_writer *writer, size_t like) {
    bool empty = true;
    for (size_t i = begin; i < end; ++i) {
        ht_node **variables;
        size_t count = variables_of(list[i], &variables);
        write_comments(c, list[i], writer);
        empty &= list[i]->kind == HT_NODE_DECLARATION || list[i]->kind == HT_NODE_VARIABLE;
        for (size_t k = 0; k < count; ++k) {
            ht_node *node = variables[k];
            const ht_variable *variable = &c->variables[node->variable];
            if (!node->apart) {
                ht_writer_line(writer, like);
                ht_writer_variable(writer, node);
            } else if (variable->array) {
                write_array(c, node, writer, like);
                empty &= variable->is_array || !ht_variable_has_initialiser(c, node);
            } else {
                empty = false;
            }
        }
    }
    return empty;
}

/* x, where each output has to have one of its own. */
static void write_own_x(ht_coarsen *c, ht_writer *writer, size_t like) {
    char *type = ht_variable_type(&c->variables[c->x], false);
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "const %s%s = %s + %s;", type ? type : "auto ",
                     c->variables[c->x].name, c->first, c->offset);
    free(type);
}

typedef struct group {
    ht_node **list;
    size_t begin, end, like;
    bool own_x, braces, label;
    ht_tests tests;
} group;

/* How much deeper than the guards' own level does it stand already in the source? */
static int entered_above(const ht_coarsen *c, const ht_node *node) {
    int count = 0;
    const char *text = c->model->text;
    for (const ht_node *up = node->parent; up; up = up->parent)
        count += up->entered &&
                 memchr(text + up->range.begin, '\n', node->range.begin - up->range.begin) != NULL;
    return count;
}

/* A declaration of one variable that nothing but tests name. */
static bool serves_tests(ht_coarsen *c, const group *of, ht_node *item) {
    ht_node **variables;
    if (variables_of(item, &variables) != 1 || !is_whole(c, item) || !variables[0]->count ||
        ht_node_has_change(c, variables[0]->children[0]))
        return false;
    for (size_t n = 0; n < c->node_count; ++n) {
        const ht_node *name = c->nodes[n];
        bool tested = name->kind != HT_NODE_NAME || name->variable != variables[0]->variable;
        for (size_t i = 0; i < of->tests.count && !tested; ++i)
            tested = of->tests.guards[i].term_count &&
                     ht_node_within(name, of->tests.guards[i].statement->children[0]);
        if (!tested)
            return false;
    }
    return true;
}

/* The statements for one output. `inside`: all tests hold, so they are left out. */
static void write_iteration(ht_coarsen *c, const group *of, ht_writer *writer, bool inside) {
    size_t like = of->like;
    if (of->own_x)
        write_own_x(c, writer, like);
    if (of->label) {
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "{");
        ++writer->depth;
    }
    for (size_t i = of->begin; i < of->end; ++i) {
        const ht_guard *test = inside ? &of->tests.guards[i - of->begin] : NULL;
        int deeper = entered_above(c, of->list[i]) - entered_above(c, of->list[of->begin]);
        writer->depth -= deeper;
        if (inside && serves_tests(c, of, of->list[i]))
            ;
        else if (!test || !test->term_count)
            write_item(c, of->list[i], writer, like);
        else if (!test->leaves)
            write_bare(c, of->list[i]->children[1], writer, like, of->braces);
        writer->depth += deeper;
    }
    if (of->label) {
        --writer->depth;
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "}");
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "%s:;", c->label);
    }
}

/* One loop over the outputs. */
static void write_each(ht_coarsen *c, const group *of, ht_writer *writer, bool inside) {
    size_t like = of->like;
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "#pragma unroll");
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "for (int %s = 0; %s < ${%s}; ++%s)%s", c->counter, c->counter,
                     c->factor, c->counter, of->braces ? " {" : "");
    ++writer->depth;
    write_iteration(c, of, writer, inside);
    --writer->depth;
    if (of->braces) {
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "}");
    }
}

/* ---- several outputs' elements as one access ---- */

typedef struct vector_context {
    ht_coarsen *c;
    const group *of;
    bool inside;
} vector_context;

static void write_vector_front(const ht_vector_loop *loop, ht_writer *writer) {
    vector_context *context = loop->context;
    if (context->of->own_x)
        write_own_x(context->c, writer, loop->like);
}

static void write_vector_body(const ht_vector_loop *loop, ht_writer *writer) {
    vector_context *context = loop->context;
    ht_coarsen *c = context->c;
    const group *of = context->of;
    ht_writer inner = {.c = c, .depth = writer->depth};
    ht_jam_swaps swaps = {.c = c, .writer = &inner, .vectors = loop->vectors};
    ht_jam_swaps_add(&swaps, of->list + of->begin, of->end - of->begin);
    write_iteration(c, of, &inner, context->inside);
    ht_writer_join(writer, &inner);
}

static void write_usual(const ht_vector_loop *loop, ht_writer *writer) {
    vector_context *context = loop->context;
    write_each(context->c, context->of, writer, context->inside);
}

static bool is_own_text(const void *context, const ht_node *node) {
    (void)context;
    (void)node;
    return true;
}

/* The group's statements as they are run where tests are left out. */
static size_t flatten(const group *of, bool inside, ht_node **items) {
    size_t count = 0;
    for (size_t i = of->begin; i < of->end; ++i) {
        const ht_guard *test = inside ? &of->tests.guards[i - of->begin] : NULL;
        ht_node *item = of->list[i];
        if (!test || !test->term_count) {
            items[count++] = item;
            continue;
        }
        ht_node *body = test->leaves ? NULL : item->children[1];
        bool block = body && body->kind == HT_NODE_COMPOUND;
        for (size_t k = 0; block && k < body->count; ++k)
            items[count++] = body->children[k];
        if (body && !block)
            items[count++] = body;
    }
    return count;
}

static size_t flat_count(const group *of) {
    size_t count = 1;
    for (size_t i = of->begin; i < of->end; ++i)
        count += of->list[i]->kind == HT_NODE_IF ? 1 + of->list[i]->children[1]->count : 1;
    return count;
}

/* One loop over the outputs; where neighbours' accesses can be one, that loop beside it. */
static void write_loop(ht_coarsen *c, const group *of, ht_writer *writer, bool inside) {
    ht_vectors vectors = {0};
    if (c->vector && !of->label) {
        ht_node **items = ht_alloc(flat_count(of), sizeof(ht_node *));
        size_t count = flatten(of, inside, items);
        ht_vectors_find(c, items, count, is_own_text, NULL, NULL, &vectors);
        ht_vector_why_merge(&c->vector_why, &c->vector_at, vectors.why, vectors.at);
        free(items);
    }
    if (!vectors.count) {
        write_each(c, of, writer, inside);
        ht_vectors_free(&vectors);
        return;
    }
    c->vector_count += vectors.count;
    ht_vectors_name(c, &vectors);
    vector_context context = {c, of, inside};
    ht_vector_loop loop = {.vectors = &vectors,
                           .counter = c->counter,
                           .factor = c->factor,
                           .width = c->vector,
                           .begin = c->vector_begin,
                           .each = c->vector_each,
                           .like = of->like,
                           .front = write_vector_front,
                           .body = write_vector_body,
                           .usual = write_usual,
                           .context = &context};
    ht_vectors_write(&loop, writer);
    ht_vectors_free(&vectors);
}

/* bool inside = (the tests hold for the first and the last output); */
static void write_tests(ht_coarsen *c, const group *of, ht_writer *writer) {
    size_t like = of->like;
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "bool %s = ${%s > 1}; // the first and the last output, so all",
                     c->inside, c->factor);
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "#pragma unroll");
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "for (int %s = 0; %s < ${%s}; %s += ${%s > 1 ? %s - 1 : 1}) {",
                     c->counter, c->counter, c->factor, c->counter, c->factor, c->factor);
    ++writer->depth;
    if (of->own_x)
        write_own_x(c, writer, like);
    for (size_t i = of->begin; i < of->end; ++i) {
        const ht_guard *test = &of->tests.guards[i - of->begin];
        ht_node **variables;
        size_t count = variables_of(of->list[i], &variables);
        for (size_t k = 0; k < count; ++k)
            if (variables[k]->apart && ht_tests_need(c, &of->tests, variables[k]->variable)) {
                ht_writer_line(writer, like);
                ht_writer_variable(writer, variables[k]);
            }
        if (!test->term_count)
            continue;
        const ht_node *condition = of->list[i]->children[0];
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "%s = %s && %s(", c->inside, c->inside, test->leaves ? "!" : "");
        ht_writer_source(writer, condition->range.begin, condition->range.end);
        ht_writer_printf(writer, ");");
    }
    --writer->depth;
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "}");
}

static bool needs_braces(const ht_coarsen *c, const group *of) {
    bool braces = of->label || of->own_x || of->end - of->begin > 1;
    for (size_t i = of->begin; i < of->end; ++i) {
        ht_node *item = of->list[i];
        bool whole = is_whole(c, item);
        braces |= whole && (item->kind == HT_NODE_DECLARATION || item->kind == HT_NODE_VARIABLE);
        braces |= !whole && ht_statement_of(item)->count > 1;
    }
    return braces;
}

/* `alone`: the group is the body of a loop or an `if`, without braces. */
static void write_group(ht_coarsen *c, ht_node **list, size_t begin, size_t end, ht_writer *writer,
                        bool label, bool alone) {
    group of = {.list = list, .begin = begin, .end = end, .label = label};
    of.like = ht_statement_of(list[begin])->range.begin;
    if (write_declarations(c, list, begin, end, writer, of.like))
        return;
    for (size_t i = begin; i < end; ++i)
        of.own_x |= c->variables[c->x].share == HT_SHARE_OWN && uses_x(c, list[i]);
    of.braces = needs_braces(c, &of);
    ht_tests_find(c, list, begin, end, &of.tests);
    if (of.tests.any && !label) {
        if (alone) {
            ht_writer_line(writer, of.like);
            ht_writer_printf(writer, "{");
        }
        write_tests(c, &of, writer);
        ht_writer_line(writer, of.like);
        ht_writer_printf(writer, "if (%s) {", c->inside);
        ++writer->depth;
        write_loop(c, &of, writer, true);
        --writer->depth;
        ht_writer_line(writer, of.like);
        ht_writer_printf(writer, "} else {");
        ++writer->depth;
        write_loop(c, &of, writer, false);
        --writer->depth;
        ht_writer_line(writer, of.like);
        ht_writer_printf(writer, alone ? "}}" : "}");
    } else {
        write_loop(c, &of, writer, false);
    }
    ht_tests_free(&of.tests);
}

static bool any_apart(const ht_node *node) {
    if (!node)
        return false;
    if (node->apart)
        return true;
    for (size_t i = 0; i < node->count; ++i)
        if (any_apart(node->children[i]))
            return true;
    return false;
}

static void write_statement(ht_coarsen *c, ht_node *node, ht_writer *writer);

static void write_body(ht_coarsen *c, ht_node *body, ht_writer *writer) {
    size_t end = ht_statement_end(c, body);
    if (body->kind == HT_NODE_COMPOUND && body->count) {
        ht_writer_source(writer, body->range.begin, body->range.begin + 1);
        write_list(c, body->children, body->count, writer, false, false);
        ht_writer_source(writer, ht_statement_tail(c, body->children[body->count - 1]), end);
    } else if (body->apart) {
        write_group(c, &body, 0, 1, writer, false, true);
    } else {
        write_statement(c, body, writer);
    }
}

/* A statement that runs once for all outputs, though what is inside may not. */
static void write_statement(ht_coarsen *c, ht_node *node, ht_writer *writer) {
    size_t end = ht_statement_end(c, node);
    if (!any_apart(node)) {
        ht_writer_source(writer, node->range.begin, end);
        return;
    }
    size_t at = node->range.begin;
    ht_node *bodies[2] = {NULL, NULL};
    if (node->kind == HT_NODE_COMPOUND) {
        write_body(c, node, writer);
        return;
    }
    if (node->kind == HT_NODE_IF) {
        bodies[0] = node->children[1];
        bodies[1] = node->children[2];
    } else if (node->kind == HT_NODE_DO) {
        bodies[0] = node->children[0];
    } else {
        bodies[0] = node->children[node->count - 1];
    }
    for (size_t i = 0; i < 2 && bodies[i]; ++i) {
        size_t header = bodies[i]->range.begin;
        while (bodies[i]->apart && header > at &&
               isspace((unsigned char)c->model->text[header - 1]))
            --header;
        ht_writer_source(writer, at, header);
        bool same_line = bodies[i]->apart && header < bodies[i]->range.begin &&
                         !memchr(c->model->text + header, '\n', bodies[i]->range.begin - header);
        writer->depth += same_line;
        write_body(c, bodies[i], writer);
        writer->depth -= same_line;
        at = ht_statement_end(c, bodies[i]);
    }
    ht_writer_source(writer, at, end);
}

/* A statement of a list that runs once for all outputs. */
static void write_listed(ht_coarsen *c, ht_node *node, ht_writer *writer) {
    size_t lead = ht_statement_lead(c, node);
    const ht_node *statement = ht_statement_of(node);
    if (node->kind == HT_NODE_VARIABLE && statement->count > 1) {
        ht_writer_line(writer, statement->range.begin);
        ht_writer_variable(writer, node);
        return;
    }
    if (lead == statement->range.begin)
        ht_writer_line(writer, lead);
    ht_writer_source(writer, lead, statement->range.begin);
    write_statement(c, (ht_node *)statement, writer);
    ht_writer_source(writer, ht_statement_end(c, statement), ht_statement_tail(c, statement));
}

/* `top`: the whole work, whose statements may stand at several depths of the source. */
static void write_list(ht_coarsen *c, ht_node **list, size_t count, ht_writer *writer, bool label,
                       bool top) {
    for (size_t i = 0; i < count;) {
        int deeper = top ? entered_above(c, list[i]) : 0;
        writer->depth -= deeper;
        if (list[i]->apart) {
            size_t end = ht_jam_group_end(list, i, count);
            write_group(c, list, i, end, writer, label && end == count, false);
            i = end;
        } else {
            write_listed(c, list[i++], writer);
        }
        writer->depth += deeper;
    }
}

void ht_jam_write(ht_coarsen *c, const ht_layout *layout, ht_writer *writer) {
    ht_jam_swaps swaps = ht_jam_swaps_make(c, layout, writer, false);
    ht_region list = ht_jam_region(layout);
    if (c->vector)
        ht_vectors_note(c);
    if (swaps.keeps_x && list.count) {
        char *type = ht_variable_type(&c->variables[c->x], false);
        int deeper = entered_above(c, list.statements[0]);
        writer->depth -= deeper;
        ht_writer_line(writer, ht_statement_of(list.statements[0])->range.begin);
        writer->depth += deeper;
        ht_writer_printf(writer, "const %s%s = %s;", type ? type : "auto ", c->variables[c->x].name,
                         c->first);
        free(type);
    }
    write_list(c, list.statements, list.count, writer, swaps.label, true);
    free(list.statements);
}
