/* Writes the text of a tile in shared memory: its declaration and reads (stage_load.c: its
 * load). */
#include "refactor/transformations/lds_stage/stage_write.h"

#include "base/memory.h"
#include "refactor/transformations/lds_stage/stage_load.h"
#include "refactor/transformations/register_tile/tiled_stage.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_ELEMENT = 16 }; /* bytes of a type that is a template's argument */

/* ---- parts ---- */

static const ht_tiled_axis *axis_of(const ht_staging *in, int axis) {
    for (size_t i = 0; i < in->form->axis_count; ++i)
        if (in->form->axes[i].axis == axis)
            return &in->form->axes[i];
    return NULL;
}

/* 0u - 1 would not be a long long below 0 */
void ht_staging_origin(const ht_staging *in, int axis, ht_text *out) {
    const ht_tiled_axis *along = axis_of(in, axis);
    const ht_syntax *index = along->variable->declaration;
    if (!index->is_signed && index->bits == 32 && strcmp(in->stage.type, "int") != 0)
        ht_text_printf(out, "(%s)", in->stage.type);
    ht_text_append(out, along->origin);
}

size_t ht_staging_last(const ht_stage *stage) {
    size_t last = 0;
    for (size_t d = 0; d < stage->dimension_count; ++d)
        if (!stage->dimensions[d].uniform)
            last = d;
    return last;
}

static size_t moving_count(const ht_stage *stage) {
    size_t count = 0;
    for (size_t d = 0; d < stage->dimension_count; ++d)
        count += !stage->dimensions[d].uniform;
    return count;
}

static bool moves_with_outputs(const ht_stage *stage) {
    for (size_t d = 0; d < stage->dimension_count; ++d)
        for (int axis = 0; axis < 3; ++axis)
            if (stage->dimensions[d].factor[axis])
                return true;
    return false;
}

/* Writes "[18][34 + PAD]" as template expressions, with 1 in place of each if nothing is staged. */
static void shape(const ht_staging *in, ht_text *out) {
    const ht_stage *stage = &in->stage;
    size_t last = ht_staging_last(stage);
    if (in->params.chunk)
        ht_text_printf(out, "$?{%s * %s > 1}{[%s * %s]}{[${%s * %s}]}", in->params.chunk,
                       in->params.buffers, in->params.chunk, in->params.buffers, in->params.chunk,
                       in->params.buffers);
    for (size_t d = 0; d < stage->dimension_count; ++d) {
        const ht_stage_dimension *of = &stage->dimensions[d];
        char *extent = d == last && in->padded ? ht_format("%s + %s", of->extent, in->params.pad)
                                               : ht_strdup(of->extent);
        if (!of->uniform)
            ht_text_printf(out, "$?{%s}{[${%s ? %s : 1}]}{[${%s}]}", in->params.stage,
                           in->params.stage, extent, extent);
        free(extent);
    }
}

static void add_bytes(ht_staging *in) {
    const ht_stage *stage = &in->stage;
    long long size = stage->km->arrays[stage->array].element_bytes;
    size = size > 0 ? size : LARGEST_ELEMENT;
    ht_text_printf(&in->bytes, "%s(%s ? %lld", in->bytes.length ? " + " : "", in->params.stage,
                   size);
    if (in->params.chunk)
        ht_text_printf(&in->bytes, " * %s * %s", in->params.chunk, in->params.buffers);
    for (size_t d = 0; d < stage->dimension_count; ++d)
        if (!stage->dimensions[d].uniform && d == ht_staging_last(stage) && in->padded)
            ht_text_printf(&in->bytes, " * (%s + %s)", stage->dimensions[d].extent, in->params.pad);
        else if (!stage->dimensions[d].uniform)
            ht_text_printf(&in->bytes, " * (%s)", stage->dimensions[d].extent);
    ht_text_append(&in->bytes, " : 0)");
}

/* ---- reads ---- */

/* Writes "(y - y_tile) * 2", outputs' places in their tile. Returns true if there are any. */
static bool write_outputs(const ht_staging *in, const ht_stage_dimension *of, ht_text *out) {
    bool first = true;
    for (int axis = 0; axis < 3; ++axis) {
        const ht_tiled_axis *along = of->factor[axis] ? axis_of(in, axis) : NULL;
        if (!along)
            continue;
        ht_text_append(out, first ? "" : " + ");
        ht_text_printf(out, of->factor[axis] == 1 ? "%s - %s" : "(%s - %s)", along->name,
                       along->origin);
        if (of->factor[axis] != 1)
            ht_text_printf(out, " * %lld", (long long)of->factor[axis]);
        first = false;
    }
    return !first;
}

/* Writes the index less the box's begin: "min(max((int)(x + k), 0), width - 1) - (x_tile - 4)". */
static bool write_held(const ht_staging *in, const ht_stage_read *read, size_t d, ht_text *out) {
    const ht_stage_dimension *of = &in->stage.dimensions[d];
    bool done = ht_staging_print(in, read->access->dimensions[d].index, out), first = true;
    ht_text_append(out, " - (");
    for (int axis = 0; axis < 3; ++axis) {
        if (!of->factor[axis])
            continue;
        ht_text_append(out, first ? "" : " + ");
        ht_staging_origin(in, axis, out);
        if (of->factor[axis] != 1)
            ht_text_printf(out, " * %lld", (long long)of->factor[axis]);
        first = false;
    }
    done = done &&
           (first ? ht_staging_print(in, of->low, out) : ht_staging_print_more(in, of->low, out));
    ht_text_append(out, ")");
    return done;
}

static bool write_read(const ht_staging *in, const ht_stage_read *read, ht_text *out) {
    const ht_stage *stage = &in->stage;
    bool done = true;
    ht_text_append(out, in->tile);
    done = ht_staging_slot(in, out);
    for (size_t d = 0; d < stage->dimension_count && done; ++d) {
        const ht_stage_dimension *of = &stage->dimensions[d];
        if (of->uniform)
            continue;
        ht_text_append(out, "[");
        if (read->held[d])
            done = write_held(in, read, d, out);
        else
            done = write_outputs(in, of, out) ? ht_staging_print_more(in, read->inside[d], out)
                                              : ht_staging_print(in, read->inside[d], out);
        ht_text_append(out, "]");
    }
    return done;
}

static const ht_syntax *read_node(const ht_staging *in, size_t read) {
    return in->stage.reads[read].access->node;
}

/* Returns the loop in which the tile is loaded. */
static const ht_syntax *loop_node(const ht_staging *in) {
    const ht_stage *stage = &in->stage;
    return ht_staging_loop(stage)->node;
}

static bool replace_reads(ht_staging *in) {
    bool done = true;
    for (size_t i = 0; i < in->stage.read_count && done; ++i) {
        ht_text read = {0};
        const ht_syntax *at = read_node(in, i);
        done = write_read(in, &in->stage.reads[i], &read);
        char *text = ht_format("$?{%s}{(${%s} ? %s : $@)}{%s}$?{!%s}{}{$@}", in->params.stage,
                               in->params.stage, read.data, read.data, in->params.stage);
        done = done && ht_tiled_replace(in->form, at, text);
        free(text);
        ht_text_free(&read);
    }
    return done;
}

static void insert_tile(ht_staging *in, const ht_text *type) {
    ht_text dims = {0}, text = {0}, wide = {0};
    shape(in, &dims);
    char *tile =
        ht_format("\n// the elements of %s that this block reads\n__shared__ %s %s%s;",
                  in->stage.km->arrays[in->stage.array].name, in->type, in->tile, dims.data);
    ht_text_printf(&text, "$?{%s}{%s}{%s}", in->params.stage, tile, tile);
    ht_text_printf(&wide, "%s%s", type->data, text.data);
    ht_tiled_insert(in->form, HT_TILED_TOP, text.data, wide.data);
    free(tile);
    ht_text_free(&text);
    ht_text_free(&wide);
    ht_text_free(&dims);
}

/* Returns the load as it is inserted; NULL: a part of it cannot be printed. free(). */
static char *load_text(ht_staging *in) {
    ht_text load = {0}, ahead = {0}, text = {0};
    bool done =
        ht_staging_load(in, &load) && (!in->params.chunk || ht_staging_load_ahead(in, &ahead));
    if (done && in->params.chunk)
        ht_text_printf(&text,
                       "$?{%s}{\nif (${%s}) {\n%s\n}}{$?{%s * %s == 1}{}{\n%s}$?{%s * %s > "
                       "1}{}{\n%s}}",
                       in->params.stage, in->params.stage, ahead.data, in->params.chunk,
                       in->params.buffers, load.data, in->params.chunk, in->params.buffers,
                       ahead.data);
    else if (done)
        ht_text_printf(&text, "$?{%s}{\nif (${%s}) %s}{\n%s}", in->params.stage, in->params.stage,
                       load.data, load.data);
    ht_text_free(&load);
    ht_text_free(&ahead);
    return done ? ht_text_take(&text) : NULL;
}

/* Returns the load of several neighbours at once, with the parameter that vector-width may add.
 * free(). */
static char *wide_text(ht_staging *in) {
    in->printing.vector = in->params.vector;
    char *text = load_text(in);
    in->printing.vector = NULL;
    return text;
}

/* Describes the load for vector-width. */
static void offer(ht_staging *in) {
    const ht_stage *stage = &in->stage;
    const ht_stage_dimension *last = &stage->dimensions[ht_staging_last(stage)];
    const ht_km_array *array = &stage->km->arrays[stage->array];
    bool side_by_side = last->stride == ht_poly_constant(&stage->km->pool, 1);
    ht_tiled_offer(in->form, &(ht_tiled_vector){.param = in->params.vector,
                                                .when = in->params.stage,
                                                .array = array->parameter,
                                                .row = last->extent,
                                                .at = read_node(in, 0)->at,
                                                .apart = !side_by_side});
}

static bool insert(ht_staging *in, long place) {
    char *load = load_text(in), *wide = load ? wide_text(in) : NULL;
    ht_text type = {0};
    ht_text_printf(&type,
                   "$?{%s > 1}{\nstruct %s { %s element[%s]; };}{\nstruct %s { %s "
                   "element[${%s}]; };}",
                   in->params.vector, in->pack, in->type, in->params.vector, in->pack, in->type,
                   in->params.vector);
    if (wide && replace_reads(in)) {
        insert_tile(in, &type);
        ht_tiled_insert(in->form, place, load, wide);
        ht_tiled_meet(in->form, in->params.stage);
        offer(in);
        in->why = NULL;
    } else if (wide)
        in->why = "a macro writes a read of it";
    ht_text_free(&type);
    free(load);
    free(wide);
    return !in->why;
}

bool ht_staging_write(ht_staging *in) {
    ht_stage *stage = &in->stage;
    long place = HT_TILED_TOP;
    if (stage->outer_count)
        place = (long)ht_tiled_loop_of(in->form, loop_node(in));
    in->padded = moving_count(stage) > 1 && moves_with_outputs(stage);
    in->why =
        "a read's subscript depends on blockIdx itself, along which several blocks become one";
    for (size_t i = 0; i < stage->read_count; ++i)
        if (!ht_tiled_has(in->form, read_node(in, i)))
            return false;
    in->why = "a subscript cannot be written at the place of the load";
    if (!insert(in, place))
        return false;
    if (stage->outer_count)
        ht_plan_keep_order(in->plan, loop_node(in), in->params.stage);
    add_bytes(in);
    return true;
}

ht_fixed_steps ht_staging_steps(const ht_plan *plan) {
    ht_fixed_steps steps = {.count = 0};
    for (size_t i = 0; i < plan->params.count && steps.count < HT_STAGING_FIXED_MAX; ++i) {
        const ht_planned_param *param = &plan->params.items[i];
        if (!param->step)
            continue;
        steps.values[steps.count] = (ht_km_fixed){param->stands_for, param->step};
        steps.names[steps.count++] = param->name;
    }
    return steps;
}
