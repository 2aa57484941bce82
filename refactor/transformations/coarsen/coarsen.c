/* coarsen-x: thread coarsening over the output's x. Each thread computes COARSEN_X neighbouring
 * outputs, and the grid has that many times fewer threads along x. docs/coarsening.md says when
 * this is done and why it is right. */
#include "refactor/transformations/coarsen/coarsen_state.h"

#include "base/memory.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_again.h"
#include "refactor/transformations/coarsen/coarsen_checks.h"
#include "refactor/transformations/coarsen/coarsen_each.h"
#include "refactor/transformations/coarsen/coarsen_front.h"
#include "refactor/transformations/coarsen/coarsen_jam.h"
#include "refactor/transformations/coarsen/coarsen_layout.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_rows.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

#include <stdlib.h>
#include <string.h>

/* ---- reasons against it ---- */

static bool has_feature(ht_coarsen *c, ht_feature feature, const char *what) {
    if (!c->model->feature[feature])
        return false;
    int line = c->model->feature_line[feature];
    ht_coarsen_refuse(c, ht_syntax_line(ht_syntax_of(c->model), line), "%s (line %d)", what, line);
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
    if (c->plan->launches.renumbered)
        ht_coarsen_refuse(c, (ht_position){0},
                          "threads already compute their places in the original's blocks");
    else if (!axis->uses_global)
        ht_coarsen_refuse(c, (ht_position){0},
                          "no global index over x (blockIdx.x * blockDim.x + threadIdx.x)");
    else if (ht_syntax_index_variable(ht_syntax_of(c->model), 0) == SIZE_MAX)
        ht_coarsen_refuse(c, (ht_position){0},
                          "no variable holds the global index over x unchanged");
    else if (!c->model->launch_known || !ht_plan_block(c->plan, 0))
        ht_coarsen_refuse(c, (ht_position){0}, "the block of its launch is not known");
    return c->refused;
}

static bool is_x_index(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_INDEX && node->axis == 0 &&
           (node->op == HT_INDEX_THREAD || node->op == HT_INDEX_BLOCK ||
            node->op == HT_INDEX_GRID_DIM);
}

static const ht_syntax *declared_by(const ht_syntax *node) {
    while (node && node->kind != HT_SYNTAX_VARIABLE && node->kind > HT_SYNTAX_EMPTY)
        node = node->parent;
    return node && node->kind == HT_SYNTAX_VARIABLE ? node : NULL;
}

/* Checks that threadIdx.x, blockIdx.x and variables made of them are used for the global index
 * only. */
static void check_indices(ht_coarsen *c) {
    bool *part = ht_alloc(c->tree->variable_count + 1, sizeof *part);
    for (size_t i = 0; i < c->tree->count && !c->refused; ++i) { /* in the order of the source */
        const ht_syntax *node = c->tree->nodes[i];
        bool named = node->kind == HT_SYNTAX_NAME && part[node->variable];
        if (!is_x_index(node) && !named)
            continue;
        const ht_syntax *variable = declared_by(node);
        if (!named && node->op == HT_INDEX_GRID_DIM)
            ht_coarsen_refuse(c, node->at, "gridDim.x is used");
        else if (variable && variable->variable != c->x)
            part[variable->variable] = true;
        else
            ht_coarsen_refuse(c, node->at,
                              "threadIdx.x or blockIdx.x is used outside of the global index");
    }
    free(part);
    const ht_axis *axis = &c->model->axes[0];
    if (!c->refused && (axis->uses_thread || axis->uses_block || axis->uses_grid_dim))
        ht_coarsen_refuse(
            c, (ht_position){0},
            "threadIdx.x, blockIdx.x or gridDim.x is used outside of the global index");
}

static void check_x(ht_coarsen *c) {
    c->x = ht_syntax_index_variable(c->tree, 0);
    const ht_syntax *declaration = c->x == SIZE_MAX ? NULL : c->tree->variables[c->x].declaration;
    if (!declaration || !declaration->count) {
        c->x = 0;
        ht_coarsen_refuse(c, (ht_position){0}, "no variable holds the global index over x");
        return;
    }
    const ht_syntax *init = ht_syntax_strip(declaration->children[0]);
    if (init->kind != HT_SYNTAX_GLOBAL || !declaration->begins ||
        declaration->children[0]->range.begin < c->tree->variables[c->x].name_end)
        ht_coarsen_refuse(c, declaration->at,
                          "the declaration of the global index is not understood");
    if (declaration->type != HT_TYPE_INTEGER || declaration->bits < 32)
        ht_coarsen_refuse(c, declaration->at, "the global index has a type of less than 32 bits");
    if (c->tree->variables[c->x].changed)
        ht_coarsen_refuse(c, c->tree->variables[c->x].changed->at,
                          "`%s` is changed, or its address is taken",
                          c->tree->variables[c->x].name);
}

/* ---- writing ---- */

static size_t indent_like(const ht_coarsen *c, const ht_layout *layout) {
    for (size_t i = 0; i < layout->count; ++i)
        if (layout->parts[i].kind == HT_PART_X)
            return layout->parts[i].node->parent->range.begin;
    return c->tree->body->range.begin;
}

static void write_tail(ht_coarsen *c, ht_writer *writer) {
    ht_writer_swaps_clear(writer);
    ht_writer_source(writer,
                     ht_statement_tail(c, c->tree->body->children[c->tree->body->count - 1]),
                     c->tree->body->range.end - 1);
}

static void close_braces(ht_writer *writer, int open, size_t like) {
    for (; open > 0; --open) {
        ht_writer_close(writer, like, "}");
    }
}

/* The ways of a body that has several: for outputs in one row, for outputs that are all inside, and
 * one by one. */
typedef struct ways {
    const char *row; /* the text of the first way; NULL: there is none */
    bool jams;       /* there is the second */
    bool asks;       /* each has its parameter as a condition, as in the template */
} ways;

static void open_way(ht_coarsen *c, const ht_layout *layout, const char *param, ht_writer *writer) {
    ht_writer_printf(writer, "if (%s%s", param, *param ? " && " : "");
    ht_jam_condition(c, layout, writer);
}

/* Writes the work for all outputs together if all are inside, and for one output at a time
 * elsewhere. */
static void write_together(ht_coarsen *c, const ht_layout *layout, const ways *of,
                           ht_writer *writer, size_t like) {
    int open = ht_jam_front(c, layout, NULL, writer);
    writer->depth += open;
    ht_writer_put(writer, like, "// all outputs of this thread are inside: side by side");
    ht_writer_line(writer, like);
    if (of->row) {
        ht_rows rows;
        (void)ht_rows_find(c, &rows);
        open_way(c, layout, of->asks ? c->names.rows : "", writer);
        ht_writer_printf(writer, " && ");
        ht_rows_condition(c, &rows, writer);
        ht_writer_printf(writer, ") { // and in one row%s", of->row);
        ht_writer_put(writer, like, "} else ");
    }
    if (of->jams) {
        open_way(c, layout, of->asks ? c->names.jam : "", writer);
        ht_writer_printf(writer, ") {");
        ++writer->depth;
        ht_jam_write(c, layout, writer);
        ht_writer_close(writer, like, "} else ");
    }
    ht_writer_printf(writer, "{ // at the edge: one by one");
    ++writer->depth;
    ht_each_write(c, layout, NULL, writer, like);
    close_braces(writer, open + 1, like);
}

/* Returns true if what each output computes again is needed ahead of the loop, too. */
static bool is_needed_ahead(const ht_layout *layout, const ht_part *part) {
    for (size_t i = 0; i < layout->count; ++i)
        if (layout->parts[i].front && !layout->parts[i].again &&
            ht_syntax_mentions(layout->parts[i].node, part->node->variable))
            return true;
    return false;
}

/* Writes the work for one output at a time. */
static void write_alone(ht_coarsen *c, ht_layout *layout, ht_writer *writer, size_t like) {
    const ht_each_front of = ht_each_front_find(c, layout);
    for (size_t i = 0; i < layout->count; ++i) {
        ht_part *part = &layout->parts[i];
        part->front = part->front && !(part->again && !is_needed_ahead(layout, part));
    }
    int open = ht_jam_front(c, layout, of.guard, writer);
    writer->depth += open;
    ht_each_write(c, layout, &of, writer, like);
    close_braces(writer, open, like);
    for (size_t i = 0; i < layout->count; ++i)
        layout->parts[i].front = layout->parts[i].front || layout->parts[i].again;
}

/* Returns the text in front of the work, and the condition that all outputs are inside. */
static char *front_of(ht_coarsen *c, const ht_layout *layout, int *out_open) {
    ht_writer front = {.c = c};
    *out_open = ht_jam_front(c, layout, NULL, &front);
    ht_jam_condition(c, layout, &front);
    char *text = front.failed || !front.text.data ? NULL : ht_strdup(front.text.data);
    ht_writer_free(&front);
    return text;
}

/* Returns the work for a thread's outputs where they lie in one row. NULL: there are no rows, or
 * the text around the work would be another one. */
static char *row_text(ht_coarsen *c, int depth) {
    ht_rows rows;
    ht_layout layout, usual;
    int open, usual_open;
    char *text = NULL, *front = NULL, *usual_front = NULL;
    if (!ht_rows_find(c, &rows))
        return NULL;
    ht_layout_build(c, true, &usual);
    if (!c->refused && ht_jam_prepare(c, &usual))
        usual_front = front_of(c, &usual, &usual_open);
    ht_layout_build(c, true, &layout);
    c->in_rows = true; /* which guards do not ask */
    if (usual_front && !c->refused && ht_jam_prepare(c, &layout))
        front = front_of(c, &layout, &open);
    if (front && open == usual_open && strcmp(front, usual_front) == 0) {
        ht_writer writer = {.c = c, .depth = depth + open + 1};
        ht_jam_write(c, &layout, &writer);
        /* a label can stand in a kernel once, and the usual work may have it */
        if (!writer.failed && writer.text.data && ht_writer_is_balanced(&writer) &&
            !strstr(writer.text.data, c->names.label))
            text = ht_strdup(writer.text.data);
        ht_writer_free(&writer);
    }
    c->in_rows = false;
    free(front);
    free(usual_front);
    free(c->apart_reason); /* the usual work has reasons of its own */
    c->apart_reason = NULL;
    ht_layout_release(&layout);
    ht_layout_release(&usual);
    return text;
}

/* Writes all ways in the template, and in a tuned source those that it has. */
static void write_ways(ht_coarsen *c, ht_layout *layout, const char *row, ht_writer *writer) {
    size_t like = indent_like(c, layout);
    ht_writer alone = {.c = c, .depth = writer->depth}, both = alone, all = alone, rows = alone;
    write_alone(c, layout, &alone, like);
    write_together(c, layout, &(ways){NULL, true, false}, &both, like);
    bool balanced = ht_writer_is_balanced(&alone) && ht_writer_is_balanced(&both);
    row = balanced ? row : NULL;
    c->has_rows = row != NULL;
    write_together(c, layout, &(ways){row, true, true}, &all, like);
    if (row)
        write_together(c, layout, &(ways){row, false, false}, &rows, like);
    writer->failed |= alone.failed || both.failed || all.failed || rows.failed;
    const char *jam = c->names.jam;
    if (!balanced)
        ht_writer_printf(writer, "%s", all.text.data);
    else if (row)
        ht_writer_printf(writer, "$?{!%s && !%s}{}{%s}$?{%s}{%s}{%s}$?{%s}{}{%s}", jam,
                         c->names.rows, alone.text.data, jam, all.text.data, both.text.data,
                         c->names.rows, rows.text.data);
    else
        ht_writer_printf(writer, "$?{!%s}{}{%s}$?{%s}{%s}{%s}", jam, alone.text.data, jam,
                         all.text.data, both.text.data);
    ht_writer_free(&alone);
    ht_writer_free(&both);
    ht_writer_free(&all);
    ht_writer_free(&rows);
}

static bool write_jammed(ht_coarsen *c, ht_writer *writer) {
    ht_layout layout;
    char *row = row_text(c, writer->depth);
    ht_layout_build(c, true, &layout);
    bool done = !c->refused && ht_jam_prepare(c, &layout);
    if (done) {
        write_ways(c, &layout, row, writer);
        done = !writer->failed && !c->apart_reason;
        write_tail(c, writer);
    }
    free(row);
    ht_layout_release(&layout);
    return done && !c->refused;
}

/* Writes the work for one output at a time, with guards in the loop. */
static void write_guarded(ht_coarsen *c, ht_layout *layout, ht_writer *writer, size_t like) {
    ht_share_reset(c);
    ht_region_share(c, &layout->region);
    ht_layout_settle(c, layout, false);
    for (size_t i = 0; i < layout->count; ++i) /* guards stay in the loop */
        layout->parts[i].guard.only_known = false;
    ht_jam_front(c, layout, NULL, writer);
    ht_writer_printf(writer, "$?{%s > 0}{", c->names.factor); /* for the template's readers */
    ht_writer_put(writer, like, "// the outputs of this thread, one after the other}{}");
    ht_each_write(c, layout, NULL, writer, like);
}

/* Returns true if the work is in a guard's block, in which threads past the end do nothing. */
static bool is_enclosed(const ht_layout *layout) {
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_guard *guard = &layout->parts[i].guard;
        if (layout->parts[i].kind == HT_PART_WORK && guard->term_count)
            return guard->only_known && guard->has_upper && i + 1 == layout->count;
    }
    return false;
}

/* Writes the same with the guards' tests ahead of the loop that are the same for all outputs, where
 * no output has a say in them. Returns false if a test stays in the loop. */
static bool write_hoisted(ht_coarsen *c, bool enter, ht_writer *writer, size_t like) {
    ht_layout layout;
    ht_layout_build(c, enter, &layout);
    bool good = !c->refused;
    if (good) {
        ht_share_reset(c);
        ht_region_share(c, &layout.region);
        ht_layout_settle(c, &layout, false);
        good = ht_each_can_ask_ahead(c, &layout);
    }
    if (good)
        write_alone(c, &layout, writer, like);
    ht_layout_release(&layout);
    return good && !writer->failed && ht_writer_is_balanced(writer);
}

static bool write_each(ht_coarsen *c, ht_writer *writer) {
    ht_layout layout;
    ht_layout_build(c, false, &layout);
    if (!c->refused) {
        size_t like = indent_like(c, &layout);
        ht_writer guarded = {.c = c, .depth = writer->depth}, hoisted = guarded;
        bool enter = is_enclosed(&layout);
        write_guarded(c, &layout, &guarded, like);
        bool both = !c->refused && ht_writer_is_balanced(&guarded) &&
                    write_hoisted(c, enter, &hoisted, like);
        ht_writer_printf(writer, both ? "$?{1}{%s}{%s}" : "%s", guarded.text.data,
                         hoisted.text.data);
        writer->failed |= guarded.failed;
        ht_writer_free(&guarded);
        ht_writer_free(&hoisted);
        write_tail(c, writer);
    }
    ht_layout_release(&layout);
    return !c->refused && !writer->failed;
}

/* Returns true if the author has a variable that the index with a 0 after it would be taken for:
 * his x0 next to box_x0. */
static bool has_zeroth(const ht_coarsen *c, const char *x) {
    for (size_t i = 0; i < c->tree->variable_count; ++i) {
        const char *name = c->tree->variables[i].name;
        size_t length = name ? strlen(name) : 0, all = strlen(x);
        if (length > 1 && name[length - 1] == '0' && length - 1 <= all &&
            strncmp(x + all - (length - 1), name, length - 1) == 0)
            return true;
    }
    return false;
}

static void choose_names(ht_coarsen *c) {
    const char *x = c->tree->variables[c->x].name;
    char *first = ht_format(has_zeroth(c, x) ? "%s_first" : "%s0", x);
    char *counter = strlen(x) == 1 ? ht_format("c%s", x) : ht_strdup("cx");
    char *label = ht_format("next_%s", x);
    c->names.factor = ht_plan_name(c->plan, "COARSEN_X");
    c->names.first = ht_plan_name(c->plan, first);
    c->names.counter = ht_plan_name(c->plan, counter);
    c->names.label = ht_plan_name(c->plan, label);
    c->names.inside = ht_plan_name(c->plan, "inside");
    c->names.label_each = ht_plan_name(c->plan, label);
    char *strided = ht_format("%s_STRIDED", c->names.factor);
    char *step = ht_format("%s_step", x);
    c->names.strided = ht_plan_name(c->plan, strided);
    char *jam = ht_format("%s_JAM", c->names.factor);
    c->names.jam = ht_plan_name(c->plan, jam);
    free(jam);
    char *rows = ht_format("%s_ROWS", c->names.factor);
    c->names.rows = ht_plan_name(c->plan, rows);
    free(rows);
    c->names.step = ht_plan_name(c->plan, step);
    c->names.apart = ht_format("$?{%s}{ * %s}{ * ${%s}}", c->names.strided, c->names.step,
                               ht_plan_block(c->plan, 0));
    c->names.offset = ht_format("%s%s", c->names.counter, c->names.apart);
    free(strided);
    free(step);
    free(first);
    free(counter);
    free(label);
}

/* Writes the same with neighbours' accesses in one, for vector-width. */
static void offer_vectors(ht_coarsen *c, ht_range inside) {
    ht_writer writer = {.c = c};
    ht_vectors_begin(c);
    bool done = write_jammed(c, &writer) && c->vector.count;
    ht_vectors_offer(c, inside, done ? writer.text.data : NULL);
    ht_writer_free(&writer);
}

/* Returns true if the source has several outputs a thread already, by a constant that is made a
 * parameter again, or is refused for it. */
static bool is_again(ht_coarsen *c) {
    ht_own_outputs outputs;
    if (c->refused || !ht_own_outputs_find(c->model, 0, &outputs))
        return false;
    ht_coarsen_tree(c);
    if (!c->refused)
        ht_coarsen_again(c, &outputs);
    free(outputs.name);
    return true;
}

/* Refuses what has no meaning, or another one, several times in a thread. */
static void check(ht_coarsen *c) {
    ht_coarsen_tree(c);
    if (!c->refused)
        ht_coarsen_check_calls(c);
    if (!c->refused)
        check_x(c);
    if (!c->refused)
        check_indices(c);
    if (!c->refused && c->model->feature[HT_FEATURE_ATOMIC] && !c->atomic)
        has_feature(c, HT_FEATURE_ATOMIC, "a called function uses an atomic operation");
}

/* Offers the body that was written. `jammed`: its outputs are side by side. */
static void offer(ht_coarsen *c, const char *body, bool jammed) {
    ht_range inside = {c->tree->body->range.begin + 1, c->tree->body->range.end - 1};
    ht_plan_param(c->plan, c->names.factor, "1, 2, 4, 8", "1");
    ht_plan_call(c->plan, c->names.factor, ht_outputs_words);
    ht_plan_param(c->plan, c->names.strided, "false, true", "false");
    ht_plan_require(c->plan, "(%s > 1 && %s > 1) || !%s", c->names.factor,
                    ht_plan_block(c->plan, 0), c->names.strided);
    if (jammed) {
        ht_plan_param(c->plan, c->names.jam, "false, true", "false");
        ht_plan_form(c->plan, c->names.jam, "a second body for the edge");
        ht_plan_require(c->plan, "%s > 1 || !%s", c->names.factor, c->names.jam);
    }
    if (jammed && c->has_rows) {
        ht_plan_param(c->plan, c->names.rows, "false, true", "false");
        ht_plan_require(c->plan, "(%s > 1 && !%s && !%s) || !%s", c->names.factor, c->names.strided,
                        c->names.jam, c->names.rows);
        ht_plan_remark_place(c->plan, HT_REMARK_APPLIED, c->tree->variables[c->x].at,
                             "%s: outputs of a thread that lie in one row share what is computed "
                             "from the row's number",
                             c->names.rows);
    }
    ht_plan_cover(c->plan, 0, c->names.factor);
    ht_plan_edit(c->plan, inside, c->names.factor, body);
    ht_plan_remark_place(c->plan, HT_REMARK_APPLIED, c->tree->variables[c->x].at,
                         "each thread computes %s outputs along `%s`%s%s; %s: a block apart",
                         c->names.factor, c->tree->variables[c->x].name,
                         jammed ? "; side by side: " : "", jammed ? c->names.jam : "",
                         c->names.strided);
    if (jammed)
        offer_vectors(c, inside);
}

static void coarsen(ht_coarsen *c) {
    if (ht_coarsen_has_directives(c->model))
        ht_coarsen_refuse(c, (ht_position){0}, "a preprocessor directive inside the kernel");
    if (is_again(c) || c->refused || is_ruled_out(c))
        return;
    check(c);
    if (c->refused)
        return;
    choose_names(c);
    ht_writer writer = {.c = c};
    bool jammed = write_jammed(c, &writer);
    bool done = jammed;
    if (!jammed && !c->refused) {
        ht_coarsen_set_reason(c, (ht_position){0}, "a macro stands in the way");
        ht_plan_remark_place(c->plan, HT_REMARK_NOTE, c->apart_place,
                             "outputs are computed one after the other, not side by side: %s",
                             c->apart_reason);
        ht_writer_free(&writer);
        writer = (ht_writer){.c = c};
        done = write_each(c, &writer);
        if (!done && !c->refused)
            ht_coarsen_refuse(c, (ht_position){0}, "its declarations cannot be written apart");
    }
    if (done)
        offer(c, writer.text.data, jammed);
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
                 .steps = {{10,
                            {{.prefix = "COARSEN_X", .values = {4, 2}},
                             {.prefix = "COARSEN_X_ROWS", .values = {1}},
                             {.prefix = "COARSEN_X_JAM", .values = {1}}}},
                           {15,
                            {{.prefix = "COARSEN_X_ROWS", .values = {1}},
                             {.prefix = "COARSEN_X", .values = {8, 4, 2}},
                             {.prefix = "VECTOR_OUTPUTS", .values = {4, 2}, .of_others = true},
                             {.prefix = "VECTOR_ALIGNED", .values = {1}, .of_others = true}}},
                           {90,
                            {{.prefix = "COARSEN_X", .values = {2, 4}},
                             {.prefix = "COARSEN_X_STRIDED", .values = {1}},
                             {.prefix = "COARSEN_X_JAM", .values = {1}}}}}},
};
