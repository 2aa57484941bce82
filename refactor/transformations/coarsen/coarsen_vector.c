/* Which accesses of neighbouring outputs can be one, and the loop in which they are. */
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/plan/plan.h"

#include "base/memory.h"
#include "refactor/transformations/coarsen/elements.h"

#include <stdlib.h>
#include <string.h>

void ht_vectors_note(ht_coarsen *c) {
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *node = c->nodes[i];
        node->next = ht_node_steps(c, node);
        node->convex = node->kind == HT_NODE_IF && !node->children[2] && ht_test_is_convex(c, node);
        node->alike = node->convex && ht_node_share(c, node->children[0]) == HT_SHARE_SAME;
    }
}

/* ---- which
 * ------------------------------------------------------------------------------------------- */

typedef struct finding {
    ht_coarsen *c;
    ht_node **items;
    size_t count;
    ht_vectors_free_node *is_free;
    const void *context;
    const bool *again;
    ht_vectors *out;
    bool changes; /* of the variable looked at */
    size_t variable;
} finding;

/* In a group, the first place of any reason is told. */
static void refuse(finding *in, const ht_node *node, const char *why) {
    if (!in->out->why || why != ht_vector_not_next)
        ht_vector_why_merge(&in->out->why, &in->out->at, why, node->cursor);
}

static void on_change(ht_coarsen *c, ht_node *name, ht_node *change, void *context) {
    (void)c;
    (void)change;
    finding *in = context;
    in->changes |= name->variable == in->variable;
}

/* Has the variable at the start of the group the value that it has in it? Declarations in it are
 * written where they are needed (constants made of indices) or stand in front (what is the same for
 * all outputs, or steps with them). */
static bool is_settled(finding *in, size_t variable) {
    const ht_node *declaration = in->c->variables[variable].declaration;
    bool again = in->again && in->again[variable];
    in->changes = false;
    in->variable = variable;
    for (size_t i = 0; i < in->count; ++i) {
        ht_node_changes(in->c, in->items[i], on_change, in);
        in->changes |= declaration && declaration->apart && !again &&
                       ht_node_within(declaration, in->items[i]);
    }
    return !in->changes;
}

static bool on_address(ht_node *node, void *context) {
    finding *in = ((void **)context)[0];
    bool *fits = ((void **)context)[1];
    switch (node->kind) {
    case HT_NODE_NAME:
        *fits = *fits && is_settled(in, node->variable);
        break;
    case HT_NODE_SUBSCRIPT:
    case HT_NODE_DEREFERENCE:
    case HT_NODE_CALL:
    case HT_NODE_ASSIGN:
    case HT_NODE_STEP:
        *fits = false;
        break;
    case HT_NODE_MEMBER:
        *fits = *fits && !node->arrow;
        break;
    default:
        break;
    }
    return *fits;
}

static bool is_node_settled(finding *in, ht_node *node) {
    bool fits = true;
    void *context[] = {in, &fits};
    ht_node_walk(node, on_address, context);
    return fits;
}

/* May its address be computed ahead of, and behind, the group? */
static bool is_address_settled(finding *in, ht_node *node) {
    bool fits = true;
    for (size_t i = 0; i < node->count; ++i)
        fits = fits && is_node_settled(in, node->children[i]);
    return fits;
}

bool ht_vectors_settled(ht_coarsen *c, ht_node **items, size_t count, const bool *again,
                        ht_node *node) {
    finding in = {.c = c, .items = items, .count = count, .again = again};
    return is_node_settled(&in, node);
}

char *ht_node_type_text(const ht_node *node) {
    CXType type = ht_type_unqualified(clang_getCursorType(node->cursor));
    CXString spelling = clang_getTypeSpelling(type);
    const char *text = clang_getCString(spelling);
    bool writable = text && *text && !strpbrk(text, "([&") && !strstr(text, "auto") &&
                    !strstr(text, "decltype") && !strstr(text, "unnamed") && !strstr(text, "std::");
    char *copy = writable ? ht_strdup(text) : NULL;
    clang_disposeString(spelling);
    return copy;
}

static bool is_at(const ht_node *a, const ht_node *b) {
    return a->range.begin == b->range.begin && a->range.end == b->range.end;
}

static bool add(finding *in, ht_node *node, bool load, bool store) {
    ht_vectors *out = in->out;
    for (size_t i = 0; i < out->count; ++i) /* a macro's argument that stands in it twice */
        if (is_at(out->items[i].node, node)) {
            out->items[i].load |= load;
            out->items[i].store |= store;
            return true;
        }
    const char *why = NULL;
    char *type = NULL;
    if (!node->next)
        why = ht_vector_not_next;
    else if (!ht_node_is_whole(in->c, node))
        why = "a macro writes the access";
    else if (!in->is_free(in->context, node))
        why = "another transformation writes the access";
    else if (!is_address_settled(in, node))
        why = "its place is computed where it is accessed";
    else
        why = ht_vector_unfit(clang_getCursorType(node->cursor));
    if (!why && !(type = ht_node_type_text(node)))
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

static bool reads_memory(ht_coarsen *c, ht_node *node) {
    ht_effects effects;
    ht_effects_collect(c, node, &effects);
    bool any = effects.reads.unknown;
    for (size_t i = 0; i < c->variable_count; ++i)
        any |= effects.reads.variables[i];
    ht_effects_free(&effects);
    return any;
}

static bool is_memory(ht_coarsen *c, ht_node *node) {
    bool element = node->kind == HT_NODE_SUBSCRIPT || node->kind == HT_NODE_DEREFERENCE;
    return element && reads_memory(c, node);
}

static bool on_read(ht_node *node, void *context) {
    finding *in = context;
    switch (node->kind) {
    case HT_NODE_IF:
    case HT_NODE_FOR:
    case HT_NODE_WHILE:
    case HT_NODE_DO:
    case HT_NODE_SWITCH:
    case HT_NODE_COMPOUND:
    case HT_NODE_CONDITIONAL:
    case HT_NODE_ADDRESS:
    case HT_NODE_MEMBER:
        return false; /* under a condition, or not a whole element */
    case HT_NODE_BINARY:
        return node->op != CXBinaryOperator_LAnd && node->op != CXBinaryOperator_LOr;
    case HT_NODE_SUBSCRIPT:
    case HT_NODE_DEREFERENCE:
        if (is_memory(in->c, node) && !node->is_array)
            return !add(in, node, true, false);
        return true;
    default:
        return true;
    }
}

static bool on_jump(ht_node *node, void *context) {
    *(bool *)context |= node->kind == HT_NODE_RETURN || node->kind == HT_NODE_CONTINUE ||
                        node->kind == HT_NODE_BREAK;
    return true;
}

static bool has_jump(ht_node *node) {
    bool found = false;
    ht_node_walk(node, on_jump, &found);
    return found;
}

static void drop_stores(finding *in, const ht_node *because) {
    ht_vectors *out = in->out;
    size_t kept = 0;
    for (size_t i = 0; i < out->count; ++i) {
        if (!out->items[i].store) {
            out->items[kept++] = out->items[i];
            continue;
        }
        refuse(in, because, "memory is accessed after a store, and may be the same");
        free(out->items[i].type);
    }
    out->count = kept;
}

/* out[x] = value, out[x] += value; with nothing else that shows in the value. */
static bool is_store(ht_coarsen *c, const ht_node *item) {
    if (item->kind != HT_NODE_ASSIGN)
        return false;
    const ht_node *target = ht_node_strip(item->children[0]);
    return (target->kind == HT_NODE_SUBSCRIPT || target->kind == HT_NODE_DEREFERENCE) &&
           !ht_node_has_change(c, item->children[1]) && !ht_node_has_change(c, item->children[0]);
}

static bool is_compound(const ht_node *item) {
    return item->kind == HT_NODE_ASSIGN && item->op != CXBinaryOperator_Assign;
}

void ht_vectors_find(ht_coarsen *c, ht_node **items, size_t count, ht_vectors_free_node *is_free,
                     const void *context, const bool *again, ht_vectors *out_vectors) {
    *out_vectors = (ht_vectors){.at = clang_getNullCursor()};
    finding in = {c, items, count, is_free, context, again, out_vectors, false, SIZE_MAX};
    bool stored = false, certain = true;
    for (size_t i = 0; i < count; ++i) {
        ht_node *item = items[i]->kind > HT_NODE_VARIABLE ? ht_node_strip(items[i]) : items[i];
        bool effect = ht_node_has_effect(c, item);
        bool store = effect && is_store(c, item);
        certain = certain && !has_jump(item);
        if (!stored && certain && (!effect || store))
            ht_node_walk(store ? item->children[1] : item, on_read, &in);
        if (stored &&
            (reads_memory(c, store ? item->children[1] : item) || !certain || (effect && !store)))
            drop_stores(&in, item);
        if (effect && !store)
            refuse(&in, item, "it is written in a way of its own");
        bool added =
            store && certain && add(&in, ht_node_strip(item->children[0]), is_compound(item), true);
        if (store && !added)
            drop_stores(&in, item); /* they would come behind it */
        stored = stored || effect;
    }
}

static bool on_root(ht_node *node, void *context) {
    const char **name = ((void **)context)[0];
    const ht_coarsen *c = ((void **)context)[1];
    if (!*name && node->kind == HT_NODE_NAME)
        *name = c->variables[node->variable].name;
    return !*name;
}

/* Once for each access, however often it is written. */
void ht_vectors_name(ht_coarsen *c, ht_vectors *vectors) {
    for (size_t i = 0; i < vectors->count; ++i) {
        ht_vector_access *access = &vectors->items[i];
        const char *root = NULL;
        void *context[] = {&root, c};
        ht_node_walk(access->node->children[0], on_root, context);
        char *pack = ht_format("%s_pack", root ? root : "some");
        char *name = ht_format("%s_row", root ? root : "some");
        if (!access->node->pack) {
            access->node->pack = ht_plan_name(c->plan, pack);
            access->node->row = ht_plan_name(c->plan, name);
        }
        access->pack = access->node->pack;
        access->name = access->node->row;
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

/* ---- writing
 * ----------------------------------------------------------------------------------------- */

char *ht_vectors_element(const ht_vectors *vectors, const ht_node *node, const char *each) {
    for (size_t i = 0; vectors && i < vectors->count; ++i)
        if (is_at(vectors->items[i].node, node) && node->kind == vectors->items[i].node->kind)
            return ht_format("%s.element[%s]", vectors->items[i].name, each);
    return NULL;
}

/* { const int cx = first; */
static void open_first(const ht_vector_loop *loop, ht_writer *writer) {
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "{");
    ++writer->depth;
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "const int %s = %s;", loop->counter, loop->begin);
}

/* { const int cx = first; ... *(pack *)&out[x0 + cx] = values; } */
static void write_accesses(const ht_vector_loop *loop, bool store, ht_writer *writer) {
    const ht_vectors *vectors = loop->vectors;
    bool any = false;
    for (size_t i = 0; i < vectors->count; ++i)
        any |= store ? vectors->items[i].store : vectors->items[i].load;
    if (!any)
        return;
    open_first(loop, writer);
    loop->front(loop, writer);
    for (size_t i = 0; i < vectors->count; ++i) {
        const ht_vector_access *access = &vectors->items[i];
        if (store ? !access->store : !access->load)
            continue;
        ht_writer_line(writer, loop->like);
        if (store)
            ht_writer_printf(writer, "*(%s *)&", access->pack);
        else
            ht_writer_printf(writer, "%s = *(const %s *)&", access->name, access->pack);
        ht_writer_source(writer, access->node->range.begin, access->node->range.end);
        ht_writer_printf(writer, store ? " = %s;" : ";", access->name);
    }
    --writer->depth;
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "}");
}

/* for (int each = 0; each < WIDTH; each += STEP) { const int cx = first + each; */
static void open_each(const ht_vector_loop *loop, const char *step, ht_writer *writer) {
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "#pragma unroll");
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "for (int %s = 0; %s < ${%s}; %s) {", loop->each, loop->each,
                     loop->width, step);
    ++writer->depth;
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "const int %s = %s + %s;", loop->counter, loop->begin, loop->each);
}

static void close(const ht_vector_loop *loop, const char *text, ht_writer *writer) {
    --writer->depth;
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "%s", text);
}

static bool all_alike(const ht_vector_loop *loop) {
    bool alike = true;
    for (size_t i = 0; i < loop->test_count; ++i)
        alike = alike && loop->tests[i]->alike;
    return alike;
}

/* bool inside = (the tests hold for the first and the last of them, so for all); */
static void write_tests(const ht_vector_loop *loop, bool alike, ht_writer *writer) {
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "bool %s = true; // the first%s of them, so all", loop->inside,
                     alike ? "" : " and the last");
    char *step = ht_format("%s += ${%s > 1 ? %s - 1 : 1}", loop->each, loop->width, loop->width);
    if (alike)
        open_first(loop, writer);
    else
        open_each(loop, step, writer);
    free(step);
    loop->front(loop, writer);
    for (size_t i = 0; i < loop->test_count; ++i) {
        const ht_node *test = loop->tests[i], *condition = test->children[0];
        ht_writer_line(writer, loop->like);
        ht_writer_printf(writer, "%s = %s && %s(", loop->inside, loop->inside,
                         ht_test_skips(test) ? "!" : "");
        ht_writer_source(writer, condition->range.begin, condition->range.end);
        ht_writer_printf(writer, ");");
    }
    close(loop, "}", writer);
}

static void write_together(const ht_vector_loop *loop, ht_writer *writer) {
    const ht_vectors *vectors = loop->vectors;
    for (size_t i = 0; i < vectors->count; ++i) {
        const ht_vector_access *access = &vectors->items[i];
        ht_writer_line(writer, loop->like);
        ht_writer_printf(writer, "struct %s { %s element[${%s}]; } %s;", access->pack, access->type,
                         loop->width, access->name);
    }
    write_accesses(loop, false, writer);
    char *step = ht_format("++%s", loop->each);
    open_each(loop, step, writer);
    loop->body(loop, writer);
    close(loop, "}", writer);
    free(step);
    write_accesses(loop, true, writer);
}

void ht_vectors_loop(const ht_vector_loop *loop, ht_writer *writer) {
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "#pragma unroll");
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "for (int %s = 0; %s < ${%s}; %s += ${%s}) {", loop->begin,
                     loop->begin, loop->factor, loop->begin, loop->width);
    ++writer->depth;
    bool alike = all_alike(loop);
    if (loop->test_count) {
        write_tests(loop, alike, writer);
        ht_writer_line(writer, loop->like);
        ht_writer_printf(writer, "if (%s) {", loop->inside);
        ++writer->depth;
    }
    write_together(loop, writer);
    if (loop->test_count && alike)
        close(loop, "}", writer);
    else if (loop->test_count) {
        char *step = ht_format("++%s", loop->each);
        close(loop, "} else {", writer);
        ++writer->depth;
        open_each(loop, step, writer);
        loop->tested(loop, writer);
        close(loop, "}", writer);
        close(loop, "}", writer);
        free(step);
    }
    close(loop, "}", writer);
}

/* if (CONDITION) { this loop } else { the usual one } */
static void write_both(const ht_vector_loop *loop, const char *condition, ht_writer *writer) {
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "if (%s) {", condition);
    ++writer->depth;
    loop->whole(loop, writer);
    --writer->depth;
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "} else {");
    ++writer->depth;
    loop->usual(loop, writer);
    --writer->depth;
    ht_writer_line(writer, loop->like);
    ht_writer_printf(writer, "}");
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

/* ---- for vector-width
 * ------------------------------------------------------------------------------ */

void ht_vectors_begin(ht_coarsen *c) {
    char *begin = ht_format("%s_first", c->counter), *each = ht_format("%s_each", c->counter);
    c->vector = ht_plan_name(c->plan, "VECTOR_OUTPUTS");
    c->vector_begin = ht_plan_name(c->plan, begin);
    c->vector_each = ht_plan_name(c->plan, each);
    free(begin);
    free(each);
}

void ht_vectors_offer(ht_coarsen *c, ht_range range, const char *text) {
    c->plan->wide = (ht_wide_edit){.range = range,
                                   .text = text ? ht_strdup(text) : NULL,
                                   .param = c->vector,
                                   .factor = c->factor,
                                   .strided = c->strided,
                                   .why = c->vector_why,
                                   .at = c->vector_at};
}
