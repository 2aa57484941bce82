/* Thread coarsening over the output's x: each thread computes COARSEN_X neighbouring outputs, and
 * the grid has that many times fewer threads along x. docs/coarsening.md says when this is done and
 * why it is right. */
#include "refactor/transformations/coarsen/coarsen.h"

#include "base/memory.h"
#include "refactor/plan/plan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- what rules it out ---- */

typedef struct line_walk {
    unsigned line;
    CXCursor found;
} line_walk;

static bool on_line(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    line_walk *walk = context;
    if (clang_Cursor_isNull(walk->found) && (unsigned)ht_ast_line(cursor) == walk->line &&
        !clang_isReference(clang_getCursorKind(cursor)))
        walk->found = cursor;
    return clang_Cursor_isNull(walk->found);
}

static bool has_feature(ht_coarsen *c, ht_feature feature, const char *what) {
    if (!c->model->feature[feature])
        return false;
    line_walk walk = {(unsigned)c->model->feature_line[feature], clang_getNullCursor()};
    ht_ast_walk(c->model->body, on_line, &walk);
    ht_coarsen_refuse(c, walk.found, "%s (line %d)", what, c->model->feature_line[feature]);
    return true;
}

static bool is_ruled_out(ht_coarsen *c) {
    const ht_axis *axis = &c->model->axes[0];
    if (has_feature(c, HT_FEATURE_BARRIER, "threads meet at a barrier") ||
        has_feature(c, HT_FEATURE_SHARED, "threads share memory") ||
        has_feature(c, HT_FEATURE_DYNAMIC_LDS, "threads share memory") ||
        has_feature(c, HT_FEATURE_WAVEFRONT, "the lanes of a wavefront exchange values") ||
        has_feature(c, HT_FEATURE_COOPERATIVE, "threads form cooperative groups") ||
        has_feature(c, HT_FEATURE_ASM, "there is inline assembly") ||
        has_feature(c, HT_FEATURE_INDEX_ESCAPE, "thread or block indices are used as a whole"))
        return true;
    if (c->plan->renumbered)
        ht_coarsen_refuse(c, c->model->kernel, "threads compute their places for another block");
    else if (!axis->uses_global)
        ht_coarsen_refuse(c, c->model->kernel,
                          "no global index over x (blockIdx.x * blockDim.x + threadIdx.x)");
    else if (clang_Cursor_isNull(axis->index_variable))
        ht_coarsen_refuse(c, c->model->kernel,
                          "no variable holds the global index over x unchanged");
    else if (!c->model->launch_known || !ht_plan_block(c->plan, 0))
        ht_coarsen_refuse(c, c->model->kernel, "the block of its launch is not known");
    return c->refused;
}

typedef struct index_walk {
    ht_coarsen *c;
    bool *alias;
} index_walk;

static bool is_x_index(const ht_node *node) {
    return node->kind == HT_NODE_INDEX && node->axis == 0 &&
           (node->op == HT_INDEX_THREAD || node->op == HT_INDEX_BLOCK ||
            node->op == HT_INDEX_GRID_DIM);
}

static ht_node *declared_by(ht_node *node) {
    while (node && node->kind != HT_NODE_VARIABLE && node->kind > HT_NODE_EMPTY)
        node = node->parent;
    return node && node->kind == HT_NODE_VARIABLE ? node : NULL;
}

/* threadIdx.x, blockIdx.x and variables made of them may serve nothing but the global index. */
static void check_indices(ht_coarsen *c) {
    bool *part = ht_alloc(c->variable_count + 1, sizeof *part);
    for (size_t i = 0; i < c->node_count && !c->refused; ++i) { /* in the order of the source */
        ht_node *node = c->nodes[i];
        bool named = node->kind == HT_NODE_NAME && part[node->variable];
        if (!is_x_index(node) && !named)
            continue;
        ht_node *variable = declared_by(node);
        if (!named && node->op == HT_INDEX_GRID_DIM)
            ht_coarsen_refuse(c, node->cursor, "gridDim.x is used");
        else if (variable && variable->variable != c->x)
            part[variable->variable] = true;
        else
            ht_coarsen_refuse(c, node->cursor,
                              "threadIdx.x or blockIdx.x is used outside of the global index");
    }
    free(part);
    const ht_axis *axis = &c->model->axes[0];
    if (!c->refused && (axis->uses_thread || axis->uses_block || axis->uses_grid_dim))
        ht_coarsen_refuse(
            c, c->model->kernel,
            "threadIdx.x, blockIdx.x or gridDim.x is used outside of the global index");
}

static void on_x_change(ht_coarsen *c, ht_node *name, ht_node *change, void *context) {
    (void)context;
    if (name->variable == c->x)
        ht_coarsen_refuse(c, change->cursor, "`%s` is changed, or its address is taken",
                          c->variables[c->x].name);
}

static void check_x(ht_coarsen *c) {
    c->x = SIZE_MAX;
    for (size_t i = 0; i < c->variable_count; ++i)
        if (clang_equalCursors(c->variables[i].cursor, c->model->axes[0].index_variable))
            c->x = i;
    const ht_node *declaration = c->x == SIZE_MAX ? NULL : c->variables[c->x].declaration;
    if (!declaration || !declaration->count) {
        c->x = 0;
        ht_coarsen_refuse(c, c->model->kernel, "no variable holds the global index over x");
        return;
    }
    const ht_node *init = ht_node_strip(declaration->children[0]);
    if (init->kind != HT_NODE_GLOBAL || !declaration->begins ||
        declaration->children[0]->range.begin <
            ht_variable_name_end(declaration, &c->variables[c->x]))
        ht_coarsen_refuse(c, declaration->cursor,
                          "the declaration of the global index is not understood");
    if (declaration->type != HT_TYPE_INTEGER || declaration->bits < 32)
        ht_coarsen_refuse(c, declaration->cursor,
                          "the global index has a type of less than 32 bits");
    ht_node_changes(c, c->body, on_x_change, NULL);
}

bool ht_coarsen_has_directives(const ht_model *model) {
    const char *text = model->text;
    for (size_t at = model->body_range.begin; at < model->body_range.end; ++at) {
        if (text[at] != '#')
            continue;
        size_t line = at;
        while (line > 0 && (text[line - 1] == ' ' || text[line - 1] == '\t'))
            --line;
        size_t word = at + 1 + strspn(text + at + 1, " \t");
        if (text[line - 1] == '\n' && isalpha((unsigned char)text[word]) &&
            strncmp(text + word, "pragma", 6) != 0)
            return true;
    }
    return false;
}

/* ---- writing ---- */

static size_t indent_like(const ht_coarsen *c, const ht_layout *layout) {
    for (size_t i = 0; i < layout->count; ++i)
        if (layout->parts[i].kind == HT_PART_X)
            return layout->parts[i].node->parent->range.begin;
    return c->body->range.begin;
}

static void write_tail(ht_coarsen *c, ht_writer *writer) {
    ht_writer_swaps_clear(writer);
    ht_writer_source(writer, ht_statement_tail(c, c->body->children[c->body->count - 1]),
                     c->body->range.end - 1);
}

/* All outputs side by side where all are inside, one after the other elsewhere. */
static bool write_jammed(ht_coarsen *c, ht_writer *writer) {
    ht_layout layout;
    ht_layout_build(c, true, &layout);
    bool done = !c->refused && ht_jam_prepare(c, &layout);
    if (done) {
        size_t like = indent_like(c, &layout);
        int open = ht_jam_front(c, &layout, writer);
        writer->depth += open;
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "// all outputs of this thread are inside: side by side");
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "if (");
        ht_jam_condition(c, &layout, writer);
        ht_writer_printf(writer, ") {");
        ++writer->depth;
        ht_jam_write(c, &layout, writer);
        --writer->depth;
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "} else { // at the edge: one by one");
        ++writer->depth;
        done = !writer->failed;
        ht_each_write(c, &layout, writer, like);
        --writer->depth;
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "}");
        for (; open > 0; --open) {
            --writer->depth;
            ht_writer_line(writer, like);
            ht_writer_printf(writer, "}");
        }
        done = done && !writer->failed && !c->apart_reason;
        write_tail(c, writer);
    }
    ht_layout_release(&layout);
    return done && !c->refused;
}

static bool write_each(ht_coarsen *c, ht_writer *writer) {
    ht_layout layout;
    ht_layout_build(c, false, &layout);
    if (!c->refused) {
        ht_share_reset(c);
        ht_region_share(c, &layout.region);
        ht_layout_settle(c, &layout, false);
    }
    if (!c->refused) {
        size_t like = indent_like(c, &layout);
        for (size_t i = 0; i < layout.count; ++i) /* guards stay in the loop */
            layout.parts[i].guard.only_known = false;
        ht_jam_front(c, &layout, writer);
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "// the outputs of this thread, one after the other");
        ht_each_write(c, &layout, writer, like);
        write_tail(c, writer);
    }
    ht_layout_release(&layout);
    return !c->refused && !writer->failed;
}

static void choose_names(ht_coarsen *c) {
    char *first = ht_format("%s0", c->variables[c->x].name);
    char *counter = strlen(c->variables[c->x].name) == 1 ? ht_format("c%s", c->variables[c->x].name)
                                                         : ht_strdup("cx");
    char *label = ht_format("next_%s", c->variables[c->x].name);
    c->factor = ht_plan_name(c->plan, "COARSEN_X");
    c->first = ht_plan_name(c->plan, first);
    c->counter = ht_plan_name(c->plan, counter);
    c->label = ht_plan_name(c->plan, label);
    c->inside = ht_plan_name(c->plan, "inside");
    c->label_each = ht_plan_name(c->plan, label);
    char *strided = ht_format("%s_STRIDED", c->factor);
    char *step = ht_format("%s_step", c->variables[c->x].name);
    c->strided = ht_plan_name(c->plan, strided);
    c->step = ht_plan_name(c->plan, step);
    c->apart = ht_format("$?{%s}{ * %s}{ * ${%s}}", c->strided, c->step, ht_plan_block(c->plan, 0));
    c->offset = ht_format("%s%s", c->counter, c->apart);
    free(strided);
    free(step);
    free(first);
    free(counter);
    free(label);
}

/* The same with neighbours' accesses as one, for vector-width. */
static void offer_vectors(ht_coarsen *c, ht_range inside) {
    ht_writer writer = {.c = c};
    ht_vectors_begin(c);
    bool done = write_jammed(c, &writer) && c->vector_count;
    ht_vectors_offer(c, inside, done ? writer.text.data : NULL);
    ht_writer_free(&writer);
}

static void coarsen(ht_coarsen *c) {
    if (ht_coarsen_has_directives(c->model))
        ht_coarsen_refuse(c, c->model->kernel, "a preprocessor directive inside the kernel");
    if (c->refused || is_ruled_out(c))
        return;
    ht_coarsen_tree(c);
    if (!c->refused)
        ht_coarsen_check_calls(c);
    if (!c->refused)
        check_x(c);
    if (!c->refused)
        check_indices(c);
    if (c->refused)
        return;
    if (c->model->feature[HT_FEATURE_ATOMIC] && !c->atomic) {
        has_feature(c, HT_FEATURE_ATOMIC, "a called function uses an atomic operation");
        return;
    }
    choose_names(c);
    ht_writer writer = {.c = c};
    bool jammed = write_jammed(c, &writer);
    bool done = jammed;
    if (!jammed && !c->refused) {
        ht_coarsen_set_reason(c, c->model->kernel, "a macro stands in the way");
        ht_plan_remark(c->plan, HT_REMARK_NOTE, c->apart_place,
                       "outputs are computed one after the other, not side by side: %s",
                       c->apart_reason);
        ht_writer_free(&writer);
        writer = (ht_writer){.c = c};
        done = write_each(c, &writer);
        if (!done && !c->refused)
            ht_coarsen_refuse(c, c->model->kernel, "its declarations cannot be written apart");
    }
    if (done) {
        ht_range inside = {c->body->range.begin + 1, c->body->range.end - 1};
        ht_plan_param(c->plan, c->factor, "1, 2, 4, 8", "1");
        ht_plan_param(c->plan, c->strided, "false, true", "false");
        ht_plan_require(c->plan, "(%s > 1 && %s > 1) || !%s", c->factor, ht_plan_block(c->plan, 0),
                        c->strided);
        ht_plan_cover(c->plan, 0, c->factor);
        ht_plan_edit(c->plan, inside, c->factor, writer.text.data);
        ht_plan_remark(c->plan, HT_REMARK_APPLIED, c->variables[c->x].cursor,
                       "each thread computes %s outputs along `%s`%s; %s: a block apart", c->factor,
                       c->variables[c->x].name, jammed ? ", side by side" : "", c->strided);
        if (jammed)
            offer_vectors(c, inside);
    }
    ht_writer_free(&writer);
}

static void apply(const ht_model *model, ht_plan *plan) {
    ht_coarsen c = {.model = model, .plan = plan};
    coarsen(&c);
    ht_coarsen_free(&c);
}

const ht_transformation ht_transformation_coarsen_x = {
    .name = "coarsen-x",
    .summary = "each thread computes several neighbouring outputs along x",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_REPEATS | HT_PINNED_FORMS,
    .searched = {.exports = {"COARSEN_X"},
                 .drops = {{50, "COARSEN_X_STRIDED"}, {210, NULL}},
                 .steps = {{10, {{.prefix = "COARSEN_X", .values = {4, 2}}}},
                           {90,
                            {{.prefix = "COARSEN_X", .values = {2, 4}},
                             {.prefix = "COARSEN_X_STRIDED", .values = {1}}}}}},
};
