#include "refactor/transformations/register_tile/tiled_plain.h"
#include "base/memory.h"
#include "refactor/kernel/reach.h"
#include "refactor/kernel/steady.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/launch_tiles.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_front.h"
#include "refactor/transformations/register_tile/tiled_gain.h"
#include "refactor/transformations/register_tile/tiled_parts.h"
#include "refactor/transformations/register_tile/tiled_share.h"
#include "refactor/transformations/register_tile/tiled_single.h"

#include <stdlib.h>
#include <string.h>

/* ---- candidates ---- */

typedef struct candidate {
    const ht_syntax *declaration;
    const ht_syntax *count; /* n; NULL: none */
    int axis;
} candidate;

/* Returns the axis whose blockIdx the expression is, through variables that hold it; -1: none. */
static int block_axis(ht_tiled *t, const ht_syntax *node, int depth) {
    node = ht_syntax_strip(node);
    if (node->kind == HT_SYNTAX_INDEX && node->op == HT_INDEX_BLOCK)
        return node->axis;
    if (node->kind != HT_SYNTAX_NAME || depth > 4)
        return -1;
    const ht_syntax_variable *variable = &t->c.tree->variables[node->variable];
    const ht_syntax *declaration = variable->declaration;
    if (!declaration || declaration->count != 1 || declaration->type != HT_TYPE_INTEGER ||
        declaration->bits < 32 || t->c.tree->variables[node->variable].changed)
        return -1;
    return block_axis(t, declaration->children[0], depth + 1);
}

static bool is_made(const ht_syntax *node, const void *context) {
    (void)context;
    return !node->plain;
}

/* Returns true if everything else that depends on this blockIdx is the same for the joined
 * blocks. */
static bool serves_alone(ht_tiled *t, const candidate *of) {
    ht_coarsen *c = &t->c;
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        bool leaf = (node->kind == HT_SYNTAX_INDEX && node->op == HT_INDEX_BLOCK) ||
                    node->kind == HT_SYNTAX_NAME;
        if (!leaf || block_axis(t, node, 0) != of->axis || ht_syntax_within(node, of->declaration))
            continue;
        const ht_syntax *up = node;
        while (up->parent->kind == HT_SYNTAX_PAREN || up->parent->kind == HT_SYNTAX_CAST)
            up = up->parent;
        bool renames = up->parent->kind == HT_SYNTAX_VARIABLE &&
                       !c->tree->variables[up->parent->variable].changed &&
                       up->parent->type == HT_TYPE_INTEGER && up->parent->bits >= 32;
        bool named = !of->count && node->kind == HT_SYNTAX_NAME &&
                     node->variable == of->declaration->variable;
        bool divides = of->count && up->parent->kind == HT_SYNTAX_BINARY &&
                       up->parent->op == HT_BINARY_DIV && up->parent->children[0] == up &&
                       up->parent->children[1]->plain &&
                       ht_syntax_is_same_text(of->count, up->parent->children[1]);
        if (!renames && !named && !divides)
            return false;
    }
    return true;
}

static bool read_candidate(ht_tiled *t, const ht_syntax *node, candidate *out) {
    ht_coarsen *c = &t->c;
    *out = (candidate){.declaration = node, .axis = -1};
    if (node->kind != HT_SYNTAX_VARIABLE || node->count != 1 || !node->plain ||
        node->parent->parent != c->tree->body || node->type != HT_TYPE_INTEGER || node->bits < 32 ||
        t->part[node->variable] || c->tree->variables[node->variable].changed ||
        c->tree->variables[node->variable].measured)
        return false;
    const ht_syntax *init = ht_syntax_strip(node->children[0]);
    if (init->kind == HT_SYNTAX_BINARY && init->op == HT_BINARY_REM) {
        out->count = init->children[1];
        if (!ht_syntax_is_steady(out->count, &(ht_steady){0}) ||
            ht_syntax_first(out->count, is_made, NULL))
            return false;
        init = init->children[0];
    }
    out->axis = block_axis(t, init, 0);
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->axes[i].form->axis == out->axis)
            return false;
    return out->axis >= 0 && !c->model->axes[out->axis].uses_thread && serves_alone(t, out);
}

/* ---- benefit ---- */

static size_t loops_inside(const ht_tiled *t) {
    size_t count = 0;
    for (size_t i = 0; i < t->c.tree->count; ++i)
        count += ht_syntax_is_loop(t->c.tree->nodes[i]) &&
                 ht_node_apart_root(&t->c, t->c.tree->nodes[i]);
    return count;
}

static void shift(ht_tiled *t) {
    memmove(&t->axes[1], &t->axes[0], t->axis_count * sizeof *t->axes);
    ++t->axis_count;
}

static void unshift(ht_tiled *t) {
    --t->axis_count;
    memmove(&t->axes[0], &t->axes[1], t->axis_count * sizeof *t->axes);
}

void ht_tiled_cut_again(ht_tiled *t) {
    ht_tiled_uncut(t);
    free(t->again);
    t->again = NULL;
    ht_tiled_cut(t);
    if (!t->c.refused)
        ht_tiled_settle(t);
}

/* Removes the remarks of an attempt that failed. */
static void forget_remarks(ht_plan *plan, size_t count) {
    while (plan->remarks.count > count) {
        ht_remark *remark = &plan->remarks.items[--plan->remarks.count];
        free(remark->file);
        free(remark->message);
    }
}

static bool attempt(ht_tiled *t, const candidate *of) {
    ht_coarsen *c = &t->c;
    size_t remarks = c->plan->remarks.count, loops = loops_inside(t);
    char *type = ht_syntax_variable_type(&c->tree->variables[of->declaration->variable], false);
    if (!type)
        return false;
    shift(t);
    t->axes[0] = (ht_tile_axis){.form = &t->form.plain,
                                .variable = of->declaration->variable,
                                .type = type,
                                .count = of->count};
    t->form.plain = (ht_tiled_axis){.axis = of->axis,
                                    .variable = &c->tree->variables[of->declaration->variable],
                                    .name = c->tree->variables[of->declaration->variable].name};
    t->form.has_plain = true;
    ht_tiled_cut_again(t);
    bool done = !c->refused && loops_inside(t) == loops && ht_tiled_gains(t, 0, t->along);
    if (!done) {
        c->refused = false;
        forget_remarks(c->plan, remarks);
        free(type);
        t->form.has_plain = false;
        memset(t->along, 0, c->tree->count);
        unshift(t);
    }
    ht_tiled_cut_again(t);
    return done;
}

/* Gives the joined blocks' launch fewer of them, where it has the number of indices as a factor:
 * then all that the kernel divides by it is divided by the number of tiles. */
static void join_blocks(ht_tiled *t, const candidate *of) {
    ht_coarsen *c = &t->c;
    const ht_tiled_axis *axis = &t->form.plain;
    const ht_syntax *count = of->count ? ht_syntax_strip(of->count) : NULL;
    const ht_syntax_variable *named =
        count && count->kind == HT_SYNTAX_NAME ? ht_syntax_named(count) : NULL;
    bool direct = named && named->is_parameter && of->count->plain &&
                  ht_syntax_strip(of->declaration->children[0])->plain;
    if (!direct || !ht_launch_tiles_plan(c->plan, axis->axis, named->name, axis->factor))
        return;
    t->axes[0].tiles = ht_tiled_name_like(c->plan, "_tiles", axis->name);
    t->count = (ht_tile_bound){.axis = 0,
                               .node = of->count,
                               .index = of->declaration,
                               .bound = of->count,
                               .op = HT_BINARY_LT};
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        if (node->kind != HT_SYNTAX_BINARY || node->op != HT_BINARY_DIV ||
            block_axis(t, node->children[0], 0) != of->axis)
            continue;
        ht_range range = node->children[1]->range;
        char *tiles = ht_launch_tiles_text(axis->axis, range, axis->factor);
        bool named = range.begin > of->declaration->range.end; /* in a tuned source */
        ht_plan_editf(c->plan, range, axis->factor, named ? "$?{1}{%s}{%s}" : "%s", tiles,
                      t->axes[0].tiles);
        free(tiles);
    }
}

static void add_param(ht_tiled *t) {
    ht_plan *plan = t->c.plan;
    ht_tiled_axis *axis = &t->form.plain;
    axis->factor = ht_strdup(ht_plan_name_upper(plan, "TILE_", axis->name));
    axis->extent = ht_strdup(axis->factor);
    ht_plan_param(plan, axis->factor, "1, 2, 4, 8", "1");
    char *words = ht_format("%s per thread", axis->name);
    ht_plan_call(plan, axis->factor, words);
    free(words);
    ht_plan_require(plan, "%s || %s == 1", t->form.param, axis->factor);
    ht_tiled_name_axis(t, 0);
    axis->low = t->axes[0].has_low ? t->axes[0].low : NULL;
    axis->high = t->axes[0].high;
}

void ht_tiled_add_plain(ht_tiled *t) {
    if (t->axis_count >= HT_TILED_AXES_MAX || ht_reach_asks_index(t->c.model))
        return;
    for (int counted = 1; counted >= 0; --counted) /* blockIdx % n before blockIdx */
        for (size_t i = 0; i < t->c.tree->count; ++i) {
            candidate of;
            if (!read_candidate(t, t->c.tree->nodes[i], &of) || (of.count != NULL) != counted ||
                !attempt(t, &of))
                continue;
            add_param(t);
            join_blocks(t, &of);
            return;
        }
}

/* ---- writing ---- */

/* Writes the index of the block's first output where blocks of the original are joined. */
static void write_joined(ht_tiled *t, const ht_syntax *declaration, ht_writer *writer) {
    const ht_syntax *init = ht_syntax_strip(declaration->children[0]);
    ht_range block = init->children[0]->range;
    ht_writer_source(writer, block.begin, block.end);
    ht_writer_printf(writer, " %% %s * ${%s};", t->axes[0].tiles, t->form.plain.factor);
}

/* Writes the number of tiles. */
static void write_tiles(ht_tiled *t, ht_writer *writer, size_t like) {
    const ht_tiled_axis *axis = &t->form.plain;
    char *tiles = ht_launch_tiles_text(axis->axis, t->axes[0].count->range, axis->factor);
    ht_writer_put(writer, like, "const %s%s = %.*s;", t->axes[0].type, t->axes[0].tiles,
                  (int)strlen(tiles) - 2, tiles + 1);
    free(tiles);
}

static void write_several(ht_tiled *t, const ht_syntax *declaration, ht_writer *writer,
                          size_t like) {
    const ht_tiled_axis *axis = &t->form.plain;
    const ht_tile_axis *of = &t->axes[0];
    char letter = (char)('x' + axis->axis);
    const ht_syntax *init = declaration->children[0];
    bool joined = of->tiles != NULL;
    if (joined)
        write_tiles(t, writer, like);
    const char *constant =
        t->text == HT_TILE_APART ? "const " : ht_coarsen_index_const(&t->c, of->variable);
    ht_writer_put(writer, like, "%s%s%s = ", constant, of->type, axis->origin);
    if (joined)
        write_joined(t, declaration, writer);
    else {
        ht_writer_source(writer, init->range.begin, init->range.end);
        ht_writer_printf(writer, ";");
        ht_writer_put(writer, like, "if (%s %% ${%s} != 0) return; // another block computes it",
                      axis->origin, axis->factor);
    }
    if (joined && ht_tiled_limit(t, 0)) /* which has a name */
        return;
    ht_writer_put(writer, like, "%s%s = %s + ${%s - 1};", of->type, axis->high, axis->origin,
                  axis->factor);
    if (axis->low) {
        ht_writer_put(writer, like, "%s%s = %s;", of->type, axis->low, axis->origin);
    }
    if (!joined) {
        ht_writer_line(writer, like);
        ht_writer_printf(writer,
                         "if (gridDim.%c - blockIdx.%c < ${%s}) %s = %s + (gridDim.%c - 1 - "
                         "blockIdx.%c);",
                         letter, letter, axis->factor, axis->high, axis->origin, letter, letter);
    }
    if (of->count) {
        ht_writer_put(writer, like, "if (%s >= $[%zu,%zu]) %s = $[%zu,%zu] - 1;", axis->high,
                      of->count->range.begin, of->count->range.end, axis->high,
                      of->count->range.begin, of->count->range.end);
    }
}

void ht_tiled_write_plain(ht_tiled *t, const ht_syntax *declaration, ht_writer *writer,
                          size_t like) {
    const char *factor = t->form.plain.factor;
    const ht_syntax *statement = ht_statement_of(declaration);
    if (t->text == HT_TILE_APART) {
        write_several(t, declaration, writer, like);
        return;
    }
    ht_writer_printf(writer, "$?{%s == 1}{}{", factor);
    if (statement->count == 1)
        ht_writer_statement(writer, statement);
    else {
        ht_writer_line(writer, like);
        ht_writer_variable(writer, declaration);
    }
    if (t->text == HT_TILE_BLOCK && t->added.meets) { /* the tile's text names where it begins */
        const ht_tiled_axis *axis = &t->form.plain;
        ht_writer_put(writer, like, "const %s%s = %s, %s = %s;", t->axes[0].type, axis->origin,
                      axis->name, axis->high, axis->name);
    }
    ht_writer_printf(writer, "}$?{%s > 1}{}{", factor);
    write_several(t, declaration, writer, like);
    ht_writer_printf(writer, "}");
}
