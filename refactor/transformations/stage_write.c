/* The text of a tile in shared memory: declaration, load, reads. */
#include "refactor/transformations/stage_write.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_ELEMENT = 16 }; /* bytes of a type that is a template's argument */

/* ---- parts
 * ------------------------------------------------------------------------------------------- */

static const ht_tiled_axis *axis_of(const ht_staging *in, int axis) {
    for (size_t i = 0; i < in->form->axis_count; ++i)
        if (in->form->axes[i].axis == axis)
            return &in->form->axes[i];
    return NULL;
}

/* The last dimension that is not uniform: rows lie along it. */
static size_t last_of(const ht_stage *stage) {
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

/* Sums in parentheses. */
static void append_factor(ht_text *out, const char *text) {
    if (out->length)
        ht_text_append(out, " * ");
    ht_text_printf(out, strpbrk(text, "+-") ? "(%s)" : "%s", text);
}

/* The elements of the box in the dimensions behind (all: from 0), a template expression. */
static char *elements(const ht_stage *stage, size_t from) {
    ht_text text = {0};
    size_t count = 0, only = 0;
    for (size_t d = from; d < stage->dimension_count; ++d)
        if (!stage->dimensions[d].uniform) {
            append_factor(&text, stage->dimensions[d].extent);
            only = d;
            ++count;
        }
    if (count != 1)
        return ht_text_take(&text);
    ht_text_free(&text);
    return ht_strdup(stage->dimensions[only].extent);
}

static bool moves_with_outputs(const ht_stage *stage) {
    for (size_t d = 0; d < stage->dimension_count; ++d)
        for (int axis = 0; axis < 3; ++axis)
            if (stage->dimensions[d].factor[axis])
                return true;
    return false;
}

/* This thread's number in its block, and how many there are. */
static bool threads(const ht_staging *in, ht_text *number, char **count) {
    const ht_plan *plan = in->plan;
    ht_text product = {0};
    for (int axis = 0; axis < 3; ++axis)
        if (!ht_plan_block(plan, axis))
            return false;
    const char *x = ht_plan_block(plan, 0), *y = ht_plan_block(plan, 1),
               *z = ht_plan_block(plan, 2);
    bool deep = strcmp(z, "1") != 0, high = deep || strcmp(y, "1") != 0;
    if (deep)
        ht_text_printf(number, "(threadIdx.z * ${%s} + threadIdx.y) * ${%s} + ", y, x);
    else if (high)
        ht_text_printf(number, "threadIdx.y * ${%s} + ", x);
    ht_text_append(number, "threadIdx.x");
    append_factor(&product, x);
    if (high)
        append_factor(&product, y);
    if (deep)
        append_factor(&product, z);
    *count = ht_text_take(&product);
    return true;
}

/* "[18][34 + PAD]" as template expressions, 1 where it is not staged. */
static void shape(const ht_staging *in, ht_text *out) {
    const ht_stage *stage = &in->stage;
    size_t last = last_of(stage);
    if (in->chunk)
        ht_text_printf(out, "$?{%s * %s > 1}{[%s * %s]}{[${%s * %s}]}", in->chunk, in->buffers,
                       in->chunk, in->buffers, in->chunk, in->buffers);
    for (size_t d = 0; d < stage->dimension_count; ++d) {
        const ht_stage_dimension *of = &stage->dimensions[d];
        char *extent = d == last && in->padded ? ht_format("%s + %s", of->extent, in->pad)
                                               : ht_strdup(of->extent);
        if (!of->uniform)
            ht_text_printf(out, "[$?{%s}{%s ? %s : 1}{${%s}}]", in->param, in->param, extent,
                           extent);
        free(extent);
    }
}

static void add_bytes(ht_staging *in) {
    const ht_stage *stage = &in->stage;
    long long size = stage->km->arrays[stage->array].element_bytes;
    size = size > 0 ? size : LARGEST_ELEMENT;
    ht_text_printf(&in->bytes, "%s(%s ? %lld", in->bytes.length ? " + " : "", in->param, size);
    if (in->chunk)
        ht_text_printf(&in->bytes, " * %s * %s", in->chunk, in->buffers);
    for (size_t d = 0; d < stage->dimension_count; ++d)
        if (!stage->dimensions[d].uniform && d == last_of(stage) && in->padded)
            ht_text_printf(&in->bytes, " * (%s + %s)", stage->dimensions[d].extent, in->pad);
        else if (!stage->dimensions[d].uniform)
            ht_text_printf(&in->bytes, " * (%s)", stage->dimensions[d].extent);
    ht_text_append(&in->bytes, " : 0)");
}

/* ---- the load
 * ---------------------------------------------------------------------------------------- */

/* The loop around the load. */
static const ht_km_loop *loop_around(const ht_stage *stage) {
    return &stage->km->loops[stage->outer[stage->outer_count - 1]];
}

/* In a load that may be ahead, of the iteration that it is for. */
static const ht_poly *ahead(const ht_staging *in, const ht_poly *poly) {
    const ht_stage *stage = &in->stage;
    if (!in->looped)
        return poly;
    ht_poly_pool *pool = &stage->km->pool;
    size_t symbol = loop_around(stage)->symbol;
    const ht_poly *later =
        ht_poly_add(pool, ht_poly_of(pool, symbol),
                    ht_poly_of(pool, ht_stage_coordinate(stage->km, HT_STAGE_AHEAD)), 1);
    return ht_stage_replace(stage->km, poly, symbol, later);
}

static bool print(const ht_staging *in, const ht_poly *poly, ht_text *out) {
    poly = ahead(in, poly);
    return poly && ht_stage_print(&in->stage, poly, out);
}

static bool print_more(const ht_staging *in, const ht_poly *poly, ht_text *out) {
    poly = ahead(in, poly);
    return poly && ht_stage_print_more(&in->stage, poly, out);
}

/* e / (18 * 34), e / 34 % 18, e % 34 */
static void write_places(const ht_staging *in, const char *indent, ht_text *out) {
    const ht_stage *stage = &in->stage;
    size_t last = last_of(stage);
    ht_text_printf(out, "%sconst int ", indent);
    for (size_t d = 0, seen = 0; d < stage->dimension_count; ++d) {
        if (stage->dimensions[d].uniform)
            continue;
        char *below = elements(stage, d + 1);
        ht_text_printf(out, "%s%s = %s", seen ? ", " : "", in->place[d], in->element);
        if (d != last)
            ht_text_printf(out, " / ${%s}", below);
        if (seen)
            ht_text_printf(out, " %% ${%s}", stage->dimensions[d].extent);
        free(below);
        ++seen;
    }
    ht_text_append(out, ";");
}

static bool write_coordinates(const ht_staging *in, const char *indent, ht_text *out) {
    const ht_stage *stage = &in->stage;
    bool done = true;
    for (size_t d = 0; d < stage->dimension_count && done; ++d) {
        const ht_stage_dimension *of = &stage->dimensions[d];
        ht_text_printf(out, "%sconst %s %s = ", indent, stage->type, in->at[d]);
        for (int axis = 0; axis < 3 && !of->uniform; ++axis)
            if (of->factor[axis] == 1)
                ht_text_printf(out, "%s + ", axis_of(in, axis)->origin);
            else if (of->factor[axis])
                ht_text_printf(out, "%s * %lld + ", axis_of(in, axis)->origin,
                               (long long)of->factor[axis]);
        if (of->uniform)
            done = print(in, of->low, out);
        else {
            ht_text_append(out, in->place[d]);
            done = print_more(in, of->low, out);
        }
        ht_text_append(out, ";");
    }
    return done;
}

/* A coordinate that stands alone in the bound, with a factor of 1 or -1; else SIZE_MAX. */
static size_t alone(const ht_stage *stage, const ht_poly *value, int64_t *out_factor) {
    for (size_t d = 0; d < stage->dimension_count; ++d)
        for (size_t i = 0; i < value->count; ++i) {
            const ht_term *term = &value->terms[i];
            *out_factor = term->coefficient;
            if (term->count == 1 && term->symbols[0] == stage->coordinates[d] &&
                (*out_factor == 1 || *out_factor == -1))
                return d;
        }
    return SIZE_MAX;
}

/* "at1 >= -pad", "at1 < W + pad"; else "W - 2 * at1 >= 0". */
static bool write_bound(const ht_staging *in, const ht_poly *value, ht_text *out) {
    const ht_stage *stage = &in->stage;
    ht_poly_pool *pool = &stage->km->pool;
    int64_t factor = 0;
    size_t d = alone(stage, value, &factor);
    if (d == SIZE_MAX) {
        bool done = print(in, value, out);
        ht_text_append(out, " >= 0");
        return done;
    }
    const ht_poly *own = ht_poly_of(pool, stage->coordinates[d]);
    const ht_poly *rest = ht_poly_add(pool, value, own, -factor);
    if (rest && factor == -1) /* rest - v >= 0: v < rest + 1 */
        rest = ht_poly_add(pool, rest, ht_poly_constant(pool, 1), 1);
    else if (rest)
        rest = ht_poly_add(pool, ht_poly_constant(pool, 0), rest, -1);
    ht_text_printf(out, "%s %s ", in->at[d], factor == 1 ? ">=" : "<");
    return rest && print(in, rest, out);
}

static bool write_tests(const ht_staging *in, const char *indent, ht_text *out) {
    const ht_stage *stage = &in->stage;
    size_t count = stage->bound_count;
    bool several = count && stage->bounds[count - 1].alternative > 0, done = true;
    for (size_t i = 0; i < count && done; ++i) {
        bool first = i == 0 || stage->bounds[i].alternative != stage->bounds[i - 1].alternative;
        ht_text_printf(out, i == 0 ? "%sif (" : first ? ")%s    || " : " && ", indent);
        ht_text_append(out, first && several ? "(" : "");
        done = write_bound(in, stage->bounds[i].value, out);
    }
    ht_text_append(out, count ? (several ? "))" : ")") : "");
    return done;
}

/* "[c % 2]": the iteration's place in the tile. */
static bool write_slot(const ht_staging *in, ht_text *out) {
    ht_text past = {0};
    if (!in->chunk)
        return true;
    bool done = print(in, ht_poly_of(&in->stage.km->pool, loop_around(&in->stage)->symbol), &past);
    const char *whole = past.data && strpbrk(past.data, " ") ? "(%s)" : "%s";
    char *number = ht_format(whole, past.data);
    ht_text_printf(out, "$?{%s * %s > 1}{[%s %% (%s * %s)]}{[%s %% ${%s * %s}]}", in->chunk,
                   in->buffers, number, in->chunk, in->buffers, number, in->chunk, in->buffers);
    free(number);
    ht_text_free(&past);
    return done;
}

static bool write_address(const ht_staging *in, ht_text *out) {
    const ht_stage *stage = &in->stage;
    const ht_poly *one = ht_poly_constant(&stage->km->pool, 1);
    bool done = true;
    ht_text_append(out, "[");
    for (size_t d = 0; d < stage->dimension_count && done; ++d) {
        ht_text_printf(out, d ? " + %s" : "%s", in->at[d]);
        if (stage->dimensions[d].stride == one)
            continue;
        bool sum = stage->dimensions[d].stride->count > 1;
        ht_text_append(out, sum ? " * (" : " * ");
        done = print(in, stage->dimensions[d].stride, out);
        ht_text_append(out, sum ? ")" : "");
    }
    ht_text_append(out, "]");
    return done;
}

/* The block's threads copy the box, neighbours what lies side by side. */
static bool write_copy(const ht_staging *in, const char *indent, ht_text *out) {
    const ht_stage *stage = &in->stage;
    ht_text number = {0};
    char *count = NULL, *all = elements(stage, 0), *deeper = ht_format("%s    ", indent);
    bool done = threads(in, &number, &count);
    ht_text_printf(out, "%sfor (int %s = %s; %s < ${%s}; %s += ${%s}) {", indent, in->element,
                   done ? number.data : "", in->element, all, in->element, done ? count : "1");
    write_places(in, deeper, out);
    done = done && write_coordinates(in, deeper, out) && write_tests(in, deeper, out);
    ht_text_printf(out, "%s%s%s", deeper, stage->bound_count ? "    " : "", in->tile);
    done = done && write_slot(in, out);
    for (size_t d = 0; d < stage->dimension_count; ++d)
        if (!stage->dimensions[d].uniform)
            ht_text_printf(out, "[%s]", in->place[d]);
    ht_text_printf(out, " = %s", stage->km->arrays[stage->array].name);
    done = done && write_address(in, out);
    ht_text_printf(out, ";%s}", indent);
    ht_text_free(&number);
    free(all);
    free(count);
    free(deeper);
    return done;
}

static bool write_load(const ht_staging *in, ht_text *out) {
    ht_text_append(out, in->stage.outer_count ? "{\n    __syncthreads();" : "{");
    bool done = write_copy(in, "\n    ", out);
    ht_text_append(out, "\n    __syncthreads();\n}");
    return done;
}

/* For several iterations together, or for the next one while this one is worked on: its place in
 * the tile was read last before the barrier. */
static bool write_load_ahead(ht_staging *in, ht_text *out) {
    const ht_km_loop *loop = loop_around(&in->stage);
    ht_text past = {0};
    bool done = print(in, ht_poly_of(&in->stage.km->pool, loop->symbol), &past);
    ht_text_printf(out,
                   "$?{%s > 1}{if (%s %% %s == 0) }{if (%s %% ${%s} == 0) }{\n"
                   "    for (int %s = ${%s} > 1 && %s > 0; %s < ${%s * %s}; ++%s) {\n"
                   "        if (${%s} > 1 || %s == 0)\n            __syncthreads();\n"
                   "        if (%s + %s < ",
                   in->chunk, past.data, in->chunk, past.data, in->chunk, in->ahead, in->buffers,
                   past.data, in->ahead, in->chunk, in->buffers, in->ahead, in->buffers, in->ahead,
                   loop->counter, in->ahead);
    done = done && print(in, loop->bound, out);
    ht_text_append(out, ")");
    in->looped = true;
    done = done && write_copy(in, "\n            ", out);
    in->looped = false;
    ht_text_printf(out, "\n    }\n    if (${%s} == 1)\n        __syncthreads();\n}", in->buffers);
    ht_text_free(&past);
    return done;
}

/* ---- reads
 * ------------------------------------------------------------------------------------------- */

/* "(y - y_tile) * 2", outputs' places in their tile; whether there are any. */
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

/* The index less the box's begin: "min(max((int)(x + k), 0), width - 1) - (x_tile - 4)". */
static bool write_held(const ht_staging *in, const ht_stage_read *read, size_t d, ht_text *out) {
    const ht_stage_dimension *of = &in->stage.dimensions[d];
    bool done = print(in, read->access->dimensions[d].index, out), first = true;
    ht_text_append(out, " - (");
    for (int axis = 0; axis < 3; ++axis) {
        if (!of->factor[axis])
            continue;
        ht_text_printf(out, first ? "%s" : " + %s", axis_of(in, axis)->origin);
        if (of->factor[axis] != 1)
            ht_text_printf(out, " * %lld", (long long)of->factor[axis]);
        first = false;
    }
    done = done && (first ? print(in, of->low, out) : print_more(in, of->low, out));
    ht_text_append(out, ")");
    return done;
}

static bool write_read(const ht_staging *in, const ht_stage_read *read, ht_text *out) {
    const ht_stage *stage = &in->stage;
    bool done = true;
    ht_text_append(out, in->tile);
    done = write_slot(in, out);
    for (size_t d = 0; d < stage->dimension_count && done; ++d) {
        const ht_stage_dimension *of = &stage->dimensions[d];
        if (of->uniform)
            continue;
        ht_text_append(out, "[");
        if (read->held[d])
            done = write_held(in, read, d, out);
        else
            done = write_outputs(in, of, out) ? print_more(in, read->inside[d], out)
                                              : print(in, read->inside[d], out);
        ht_text_append(out, "]");
    }
    return done;
}

static bool replace_reads(ht_staging *in) {
    bool done = true;
    for (size_t i = 0; i < in->stage.read_count && done; ++i) {
        ht_text read = {0};
        CXCursor at = in->stage.reads[i].access->cursor;
        done = write_read(in, &in->stage.reads[i], &read);
        char *text = ht_format("$?{%s}{(%s ? %s : $@)}{%s}$?{!%s}{}{$@}", in->param, in->param,
                               read.data, read.data, in->param);
        done = done && ht_tiled_replace(in->form, at, text);
        free(text);
        ht_text_free(&read);
    }
    return done;
}

/* Declares the tile and inserts its load. */
static void insert(ht_staging *in, long place, const char *load, const char *load_ahead) {
    ht_text dims = {0}, text = {0};
    shape(in, &dims);
    char *tile =
        ht_format("\n// the elements of %s that this block reads\n__shared__ %s %s%s;",
                  in->stage.km->arrays[in->stage.array].name, in->type, in->tile, dims.data);
    ht_text_printf(&text, "$?{%s}{%s}{%s}", in->param, tile, tile);
    ht_tiled_insert(in->form, HT_TILED_TOP, text.data);
    ht_text_free(&text);
    if (in->chunk)
        ht_text_printf(&text,
                       "$?{%s}{\nif (%s) {\n%s\n}}{$?{%s * %s == 1}{}{\n%s}$?{%s * %s > "
                       "1}{}{\n%s}}",
                       in->param, in->param, load_ahead, in->chunk, in->buffers, load, in->chunk,
                       in->buffers, load_ahead);
    else
        ht_text_printf(&text, "$?{%s}{\nif (%s) %s}{\n%s}", in->param, in->param, load, load);
    ht_tiled_insert(in->form, place, text.data);
    ht_tiled_meet(in->form, in->param);
    free(tile);
    ht_text_free(&text);
    ht_text_free(&dims);
}

bool ht_staging_write(ht_staging *in) {
    ht_text load = {0}, load_ahead = {0};
    ht_stage *stage = &in->stage;
    long place = HT_TILED_TOP;
    if (stage->outer_count)
        place = (long)ht_tiled_loop_of(in->form,
                                       stage->km->pool.symbols[loop_around(stage)->symbol].cursor);
    in->padded = moving_count(stage) > 1 && moves_with_outputs(stage);
    in->why = "a read depends on an index that the tiled form writes in a way of its own";
    bool done = true;
    for (size_t i = 0; i < stage->read_count; ++i)
        done = done && ht_tiled_has(in->form, stage->reads[i].access->cursor);
    if (done)
        in->why = "what it is read by has no name at the place of the load";
    done = done && write_load(in, &load) && (!in->chunk || write_load_ahead(in, &load_ahead));
    if (done)
        in->why = "a macro writes a read of it";
    done = done && replace_reads(in);
    if (done) {
        insert(in, place, load.data, load_ahead.data);
        add_bytes(in);
    }
    ht_text_free(&load);
    ht_text_free(&load_ahead);
    return done;
}
