/* Finds accesses of neighbouring outputs that can be one, and writes the loop with them. */
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/plan/plan.h"

#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/elements.h"
#include "refactor/kernel/steady.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/source/names.h"
#include "refactor/transformations/coarsen/coarsen_access.h"
#include "refactor/transformations/coarsen/coarsen_inside.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

#include <stdlib.h>
#include <string.h>

void ht_vectors_note(ht_coarsen *c) {
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        c->marks[node->index].next = ht_node_steps(c, node);
        c->marks[node->index].convex =
            node->kind == HT_SYNTAX_IF && !node->children[2] && ht_test_is_convex(c, node);
        c->marks[node->index].alike =
            c->marks[node->index].convex && ht_node_share(c, node->children[0]) == HT_SHARE_SAME;
    }
}

/* ---- accesses ---- */

typedef struct finding {
    ht_coarsen *c;
    ht_syntax_list items;
    size_t count;
    ht_vectors_free_node *is_free;
    const void *context;
    const bool *again;
    ht_vectors *out;
} finding;

/* Notes a reason: the first place of each in a group. */
static void refuse(finding *in, const ht_syntax *node, const char *why) {
    if (!in->out->why || why != ht_vector_not_next)
        ht_vector_why_merge(&in->out->why, &in->out->at, why, node->at);
}

/* Returns true if the variable has its value in the group already at the group's start.
 * Declarations inside are written where they are needed (constants made of indices) or in front
 * (values that are the same for all outputs, or step with them). */
static bool is_settled(const ht_syntax_variable *variable, const void *context) {
    const finding *in = context;
    const ht_syntax *declaration = variable->declaration;
    bool again = in->again && in->again[variable->index];
    bool apart = declaration && in->c->marks[declaration->index].apart && !again;
    for (size_t i = 0; i < in->count; ++i)
        if (ht_syntax_changes_variable(in->items[i], variable->index) ||
            (apart && ht_syntax_within(declaration, in->items[i])))
            return false;
    return true;
}

/* Returns true if the access's address may be computed before and after the group. */
static bool is_address_settled(const finding *in, const ht_syntax *node) {
    for (size_t i = 0; i < node->count; ++i)
        if (!ht_syntax_is_formula(node->children[i], is_settled, in))
            return false;
    return true;
}

bool ht_vectors_settled(ht_coarsen *c, ht_syntax_list items, size_t count, const bool *again,
                        const ht_syntax *node) {
    const finding in = {.c = c, .items = items, .count = count, .again = again};
    return ht_syntax_is_formula(node, is_settled, &in);
}

static bool is_at(const ht_syntax *a, const ht_syntax *b) {
    return a->range.begin == b->range.begin && a->range.end == b->range.end;
}

static bool add(finding *in, const ht_syntax *node, bool load, bool store) {
    ht_vectors *out = in->out;
    for (size_t i = 0; i < out->count; ++i) /* a macro's argument that occurs twice in it */
        if (is_at(out->items[i].node, node)) {
            out->items[i].load |= load;
            out->items[i].store |= store;
            return true;
        }
    const char *why = NULL;
    char *type = NULL;
    if (!in->c->marks[node->index].next)
        why = ht_vector_not_next;
    else if (!ht_syntax_is_whole(node))
        why = "a macro writes the access";
    else if (!in->is_free(in->context, node))
        why = "another transformation writes the access";
    else if (!is_address_settled(in, node))
        why = "its subscript is computed in the statements around it";
    else
        why = ht_element_unfit(node);
    if (!why && !(type = ht_syntax_type(node)))
        why = "its type has no name";
    if (why) {
        refuse(in, node, why);
        return false;
    }
    HT_GROW(out->items, out->count);
    out->items[out->count++] =
        (ht_vector_access){.node = node, .store = store, .load = load, .type = type};
    return true;
}

static bool is_memory(const ht_syntax *node) {
    return ht_syntax_is_element(node) && ht_syntax_reads_memory(node);
}

static bool on_read(const ht_syntax *node, void *context) {
    finding *in = context;
    switch (node->kind) {
    case HT_SYNTAX_IF:
    case HT_SYNTAX_FOR:
    case HT_SYNTAX_WHILE:
    case HT_SYNTAX_DO:
    case HT_SYNTAX_SWITCH:
    case HT_SYNTAX_COMPOUND:
    case HT_SYNTAX_CONDITIONAL:
    case HT_SYNTAX_ADDRESS:
    case HT_SYNTAX_MEMBER:
        return false; /* under a condition, or not a whole element */
    case HT_SYNTAX_BINARY:
        return node->op != HT_BINARY_AND && node->op != HT_BINARY_OR;
    case HT_SYNTAX_SUBSCRIPT:
    case HT_SYNTAX_DEREFERENCE:
        if (is_memory(node) && !node->is_array)
            return !add(in, node, true, false);
        return true;
    default:
        return true;
    }
}

static bool is_jump(const ht_syntax *node, const void *context) {
    (void)context;
    return ht_syntax_is_jump(node);
}

static bool has_jump(const ht_syntax *node) {
    return ht_syntax_first(node, is_jump, NULL) != NULL;
}

static void drop_stores(finding *in, const ht_syntax *because) {
    ht_vectors *out = in->out;
    size_t kept = 0;
    for (size_t i = 0; i < out->count; ++i) {
        if (!out->items[i].store) {
            out->items[kept++] = out->items[i];
            continue;
        }
        refuse(in, because, "memory that a store may alias is accessed after it");
        free(out->items[i].type);
    }
    out->count = kept;
}

/* Returns true for out[x] = value and out[x] += value without other effects. */
static bool is_store(const ht_syntax *item) {
    if (item->kind != HT_SYNTAX_ASSIGN)
        return false;
    const ht_syntax *target = ht_syntax_strip(item->children[0]);
    return ht_syntax_is_element(target) && !ht_syntax_has_change(item->children[1]) &&
           !ht_syntax_has_change(item->children[0]);
}

static bool is_compound(const ht_syntax *item) {
    return item->kind == HT_SYNTAX_ASSIGN && item->op != HT_BINARY_ASSIGN;
}

void ht_vectors_find(ht_coarsen *c, ht_syntax_list items, size_t count,
                     ht_vectors_free_node *is_free, const void *context, const bool *again,
                     ht_vectors *out_vectors) {
    *out_vectors = (ht_vectors){0};
    finding in = {c, items, count, is_free, context, again, out_vectors};
    bool stored = false, certain = true;
    for (size_t i = 0; i < count; ++i) {
        const ht_syntax *item =
            items[i]->kind > HT_SYNTAX_VARIABLE ? ht_syntax_strip(items[i]) : items[i];
        bool effect = ht_syntax_has_effect(item);
        bool store = effect && is_store(item);
        certain = certain && !has_jump(item);
        if (!stored && certain && (!effect || store))
            ht_syntax_walk(store ? item->children[1] : item, on_read, &in);
        if (stored && (ht_syntax_reads_memory(store ? item->children[1] : item) || !certain ||
                       (effect && !store)))
            drop_stores(&in, item);
        if (effect && !store)
            refuse(&in, item, "it has an effect other than a store of an element");
        bool added = store && certain &&
                     add(&in, ht_syntax_strip(item->children[0]), is_compound(item), true);
        if (store && !added)
            drop_stores(&in, item); /* the store would come after it */
        stored = stored || effect;
    }
}

static bool is_name(const ht_syntax *node, const void *context) {
    (void)context;
    return node->kind == HT_SYNTAX_NAME;
}

/* Returns the name that the elements' type has among names: "float_pack"; free(). */
static char *pack_name(const char *type) {
    char *word = ht_strdup(type);
    bool plain = true;
    for (char *at = word; *at; ++at) {
        *at = *at == ' ' ? '_' : *at;
        plain = plain && ht_name_has(*at);
    }
    char *name = ht_format("%s_pack", plain ? word : "some");
    free(word);
    return name;
}

/* Returns the first access of the same type; `index`: it is the first itself. */
static size_t first_alike(const ht_vectors *vectors, size_t index) {
    size_t first = 0;
    while (first < index && strcmp(vectors->items[first].type, vectors->items[index].type) != 0)
        ++first;
    return first;
}

/* Names each access once, however often it is written. */
void ht_vectors_name(ht_coarsen *c, ht_vectors *vectors) {
    vectors->aligned = c->vector.aligned;
    for (size_t i = 0; i < vectors->count; ++i) {
        ht_vector_access *access = &vectors->items[i];
        c->vector.alignable |= vectors->aligned && ht_vectors_alignable(access);
        const ht_syntax *named = ht_syntax_first(access->node->children[0], is_name, NULL);
        const char *root = named ? c->tree->variables[named->variable].name : "some";
        const ht_syntax *up = access->node->parent;
        while (up && up->kind == HT_SYNTAX_CAST)
            up = up->parent;
        if (up && up->kind == HT_SYNTAX_VARIABLE && access->load && !access->store)
            root = c->tree->variables[up->variable].name; /* what the author calls it */
        char *pack = pack_name(access->type);
        char *name = ht_format("%s_pack", root);
        ht_mark *mark = &c->marks[access->node->index];
        if (!mark->pack) {
            mark->pack = ht_plan_name(c->plan, pack);
            mark->row = ht_plan_name(c->plan, name);
        }
        size_t first = first_alike(vectors, i);
        access->pack = first < i ? vectors->items[first].pack : mark->pack;
        access->name = mark->row;
        free(pack);
        free(name);
    }
}

void ht_vectors_free(ht_vectors *vectors) {
    for (size_t i = 0; i < vectors->count; ++i)
        free(vectors->items[i].type);
    free(vectors->items);
    *vectors = (ht_vectors){0};
}

/* ---- writing ---- */

char *ht_vectors_element(const ht_vectors *vectors, const ht_syntax *node, const char *each) {
    for (size_t i = 0; vectors && i < vectors->count; ++i)
        if (is_at(vectors->items[i].node, node) && node->kind == vectors->items[i].node->kind)
            return ht_format("%s.element[%s]", vectors->items[i].name, each);
    return NULL;
}

/* Writes { const int cx = first; */
static void open_first(const ht_vector_loop *loop, ht_writer *writer) {
    ht_writer_open(writer, loop->like, "{");
    ht_writer_put(writer, loop->like, "const int %s = %s;", loop->counter, loop->begin);
}

/* Returns true if both are declared together. */
static bool is_alike(const ht_vector_access *a, const ht_vector_access *b) {
    return !a->elsewhere && !b->elsewhere && strcmp(a->pack, b->pack) == 0;
}

void ht_vectors_declare(const ht_vectors *vectors, const char *width, size_t like,
                        ht_writer *writer) {
    for (size_t i = 0; i < vectors->count; ++i) {
        const ht_vector_access *access = &vectors->items[i];
        bool declared = access->elsewhere || access->at_load;
        for (size_t k = 0; k < i; ++k)
            declared |= is_alike(access, &vectors->items[k]) && !vectors->items[k].at_load;
        if (declared)
            continue;
        ht_writer_line(writer, like);
        if (access->declared)
            ht_writer_printf(writer, "%s %s", access->pack, access->name);
        else
            ht_writer_printf(writer, "struct %s { %s element[${%s}]; } %s", access->pack,
                             access->type, width, access->name);
        for (size_t k = i + 1; k < vectors->count; ++k)
            if (is_alike(access, &vectors->items[k]) && !vectors->items[k].at_load)
                ht_writer_printf(writer, ", %s", vectors->items[k].name);
        ht_writer_printf(writer, ";");
    }
}

bool ht_vectors_any(const ht_vectors *vectors, bool store) {
    bool any = false;
    for (size_t i = 0; i < vectors->count; ++i)
        any |= store ? vectors->items[i].store : vectors->items[i].load;
    return any;
}

static void write_as_is(void *context, const ht_syntax *node, ht_writer *writer) {
    (void)context;
    ht_writer_source(writer, node->range.begin, node->range.end);
}

/* Writes { const int cx = first; ... *(pack *)&out[x0 + cx] = values; } */
static void write_accesses(const ht_vector_loop *loop, bool store, ht_writer *writer) {
    if (!ht_vectors_any(loop->vectors, store))
        return;
    open_first(loop, writer);
    loop->front(loop, writer);
    ht_vectors_access(loop->vectors, store, loop->like, write_as_is, NULL, writer);
    ht_writer_close(writer, loop->like, "}");
}

/* Writes for (int each = 0; each < WIDTH; each += STEP) { const int cx = first + each; */
static void open_each(const ht_vector_loop *loop, const char *step, ht_writer *writer) {
    ht_writer_unrolled(writer, loop->like, loop->each, loop->width, step, " {");
    ht_writer_put(writer, loop->like, "const int %s = %s + %s;", loop->counter, loop->begin,
                  loop->each);
}

static bool all_alike(const ht_coarsen *c, const ht_vector_loop *loop) {
    bool alike = true;
    for (size_t i = 0; i < loop->test_count; ++i)
        alike = alike && c->marks[loop->tests[i]->index].alike;
    return alike;
}

/* Writes bool inside = (the tests hold for the first and the last of them, so for all); */
static void write_tests(const ht_vector_loop *loop, bool alike, ht_writer *writer) {
    ht_writer_put(writer, loop->like, "bool %s = true; // the first%s of them, so all",
                  loop->inside, alike ? "" : " and the last");
    char *step = ht_format("${%s > 1 ? %s - 1 : 1}", loop->width, loop->width);
    if (alike)
        open_first(loop, writer);
    else
        open_each(loop, step, writer);
    free(step);
    loop->front(loop, writer);
    for (size_t i = 0; i < loop->test_count; ++i) {
        const ht_syntax *test = loop->tests[i], *condition = test->children[0];
        ht_writer_put(writer, loop->like, "%s = %s && %s(", loop->inside, loop->inside,
                      ht_test_skips(test) ? "!" : "");
        ht_writer_source(writer, condition->range.begin, condition->range.end);
        ht_writer_printf(writer, ");");
    }
    ht_writer_close(writer, loop->like, "}");
}

static void write_together(const ht_vector_loop *loop, ht_writer *writer) {
    ht_vectors_declare(loop->vectors, loop->width, loop->like, writer);
    write_accesses(loop, false, writer);
    open_each(loop, NULL, writer);
    loop->body(loop, writer);
    ht_writer_close(writer, loop->like, "}");
    write_accesses(loop, true, writer);
}

void ht_vectors_loop(const ht_vector_loop *loop, ht_writer *writer) {
    char *width = ht_format("${%s}", loop->width);
    ht_writer_unrolled(writer, loop->like, loop->begin, loop->factor, width, " {");
    free(width);
    bool alike = all_alike(writer->c, loop);
    if (loop->test_count) {
        write_tests(loop, alike, writer);
        ht_writer_open(writer, loop->like, "if (%s) {", loop->inside);
    }
    write_together(loop, writer);
    if (loop->test_count && alike)
        ht_writer_close(writer, loop->like, "}");
    else if (loop->test_count) {
        ht_writer_close(writer, loop->like, "} else {");
        ++writer->depth;
        open_each(loop, NULL, writer);
        loop->tested(loop, writer);
        ht_writer_close(writer, loop->like, "}");
        ht_writer_close(writer, loop->like, "}");
    }
    ht_writer_close(writer, loop->like, "}");
}

/* Writes if (CONDITION) { this loop } else { the usual one } */
static void write_both(const ht_vector_loop *loop, const char *condition, ht_writer *writer) {
    ht_writer_open(writer, loop->like, "if (%s) {", condition);
    loop->whole(loop, writer);
    --writer->depth;
    ht_writer_open(writer, loop->like, "} else {");
    loop->usual(loop, writer);
    ht_writer_close(writer, loop->like, "}");
}

void ht_vectors_write(const ht_vector_loop *given, ht_writer *writer) {
    ht_vector_loop loop = *given;
    loop.whole = given->whole ? given->whole : ht_vectors_loop;
    char *chosen = loop.condition ? ht_format("%s > 1 && %s", loop.width, loop.condition)
                                  : ht_format("%s > 1", loop.width);
    ht_writer_printf(writer, "$?{%s > 1}{", loop.width);
    write_both(&loop, chosen, writer);
    ht_writer_printf(writer, "}{");
    if (loop.condition)
        write_both(&loop, loop.condition, writer);
    else
        loop.whole(&loop, writer);
    ht_writer_printf(writer, "}$?{%s == 1}{}{", loop.width);
    loop.usual(&loop, writer);
    ht_writer_printf(writer, "}");
    free(chosen);
}

/* ---- for vector-width ---- */

void ht_vectors_begin(ht_coarsen *c) {
    char *begin = ht_format("%s_first", c->names.counter),
         *each = ht_format("%s_each", c->names.counter);
    c->vector.param = ht_plan_name(c->plan, "VECTOR_OUTPUTS");
    c->vector.aligned = ht_plan_name(c->plan, "VECTOR_ALIGNED");
    c->vector.begin = ht_plan_name(c->plan, begin);
    c->vector.each = ht_plan_name(c->plan, each);
    free(begin);
    free(each);
}

void ht_vectors_offer(ht_coarsen *c, ht_range range, const char *text) {
    c->plan->forms.wide = (ht_wide_edit){.range = range,
                                         .text = text ? ht_strdup(text) : NULL,
                                         .param = c->vector.param,
                                         .aligned = c->vector.aligned,
                                         .alignable = c->vector.alignable,
                                         .factor = c->names.factor,
                                         .strided = c->names.strided,
                                         .jam = c->names.jam,
                                         .rows = c->has_rows ? c->names.rows : NULL,
                                         .bytes = c->vector.bytes,
                                         .why = c->vector.why,
                                         .at = c->vector.at};
}

/* ---- reasons against it ---- */

const char ht_vector_not_next[] = "the next output's element is not the next one";

void ht_vector_why_merge(const char **why, ht_position *at, const char *more, ht_position more_at) {
    if (!more || (*why && *why != ht_vector_not_next))
        return;
    *why = more;
    *at = more_at;
}
