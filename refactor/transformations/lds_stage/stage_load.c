#include "refactor/transformations/lds_stage/stage_load.h"
#include "refactor/plan/plan.h"
#include "refactor/staging/print.h"
#include "refactor/transformations/lds_stage/stage_write.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

/* Appends a factor; sums get parentheses. */
static void append_factor(ht_text *out, const char *text) {
    if (out->length)
        ht_text_append(out, " * ");
    ht_text_printf(out, strpbrk(text, "+-") ? "(%s)" : "%s", text);
}

/* Returns the number of loads in a row, as a template expression. Elements that a thread loads at
 * once lie along the last dimension. free(). */
static char *row(const ht_staging *in) {
    const char *extent = in->stage.dimensions[ht_staging_last(&in->stage)].extent;
    return in->printing.wide
               ? ht_format("(%s + %s - 1) / %s", extent, in->printing.vector, in->printing.vector)
               : ht_strdup(extent);
}

/* Returns the number of loads in the dimensions from `from` on (0: in all), as a template
 * expression. free(). */
static char *loads(const ht_staging *in, size_t from) {
    const ht_stage *stage = &in->stage;
    ht_text text = {0};
    size_t count = 0;
    char *along = row(in), *only = NULL;
    for (size_t d = from; d < stage->dimension_count; ++d)
        if (!stage->dimensions[d].uniform) {
            const char *extent = d == ht_staging_last(stage) ? along : stage->dimensions[d].extent;
            append_factor(&text, extent);
            free(only);
            only = ht_strdup(extent);
            ++count;
        }
    free(along);
    if (count != 1) {
        free(only);
        return ht_text_take(&text);
    }
    ht_text_free(&text);
    return only;
}

/* Returns this thread's number in its block, and the number of threads. */
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

/* ---- the load ---- */

/* The loop around the load. */
const ht_km_loop *ht_staging_loop(const ht_stage *stage) {
    return &stage->km->loops[stage->outer[stage->outer_count - 1]];
}

/* Returns the polynomial for the iteration that the load is for, which may be a later one. */
static const ht_poly *ahead(const ht_staging *in, const ht_poly *poly) {
    const ht_stage *stage = &in->stage;
    if (!in->printing.looped)
        return poly;
    ht_poly_pool *pool = &stage->km->pool;
    size_t symbol = ht_staging_loop(stage)->symbol;
    const ht_poly *later =
        ht_poly_add(pool, ht_poly_of(pool, symbol),
                    ht_poly_of(pool, ht_stage_coordinate(stage->km, HT_STAGE_AHEAD)), 1);
    return ht_stage_replace(stage->km, poly, symbol, later);
}

bool ht_staging_print(const ht_staging *in, const ht_poly *poly, ht_text *out) {
    poly = ahead(in, poly);
    return poly && ht_stage_print(&in->stage, poly, out);
}

bool ht_staging_print_more(const ht_staging *in, const ht_poly *poly, ht_text *out) {
    poly = ahead(in, poly);
    return poly && ht_stage_print_more(&in->stage, poly, out);
}

/* Writes e / (18 * 34), e / 34 % 18, e % 34; or e / (18 * 9), e / 9 % 18, e % 9 * 4. */
static void write_places(const ht_staging *in, const char *indent, ht_text *out) {
    const ht_stage *stage = &in->stage;
    size_t last = ht_staging_last(stage);
    ht_text_printf(out, "%sconst int ", indent);
    for (size_t d = 0, seen = 0; d < stage->dimension_count; ++d) {
        if (stage->dimensions[d].uniform)
            continue;
        char *below = loads(in, d + 1), *count = d == last ? row(in) : NULL;
        ht_text_printf(out, "%s%s = %s", seen ? ", " : "", in->load.place[d], in->load.element);
        if (d != last)
            ht_text_printf(out, " / ${%s}", below);
        if (seen)
            ht_text_printf(out, " %% ${%s}", count ? count : stage->dimensions[d].extent);
        if (d == last && in->printing.wide)
            ht_text_printf(out, " * ${%s}", in->printing.vector);
        free(below);
        free(count);
        ++seen;
    }
    ht_text_append(out, ";");
}

static bool write_coordinates(const ht_staging *in, const char *indent, ht_text *out) {
    const ht_stage *stage = &in->stage;
    bool done = true;
    for (size_t d = 0; d < stage->dimension_count && done; ++d) {
        const ht_stage_dimension *of = &stage->dimensions[d];
        ht_text_printf(out, "%sconst %s %s = ", indent, stage->type, in->load.at[d]);
        for (int axis = 0; axis < 3 && !of->uniform; ++axis) {
            if (!of->factor[axis])
                continue;
            ht_staging_origin(in, axis, out);
            if (of->factor[axis] != 1)
                ht_text_printf(out, " * %lld", (long long)of->factor[axis]);
            ht_text_append(out, " + ");
        }
        if (of->uniform)
            done = ht_staging_print(in, of->low, out);
        else {
            ht_text_append(out, in->load.place[d]);
            done = ht_staging_print_more(in, of->low, out);
        }
        ht_text_append(out, ";");
    }
    return done;
}

/* Returns a coordinate whose factor in the bound is 1 or -1, so that it can be alone on one side;
 * SIZE_MAX: there is none. */
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

/* Returns the negative of a constant below 0, which reads better on the other side; else 0. */
static int64_t deficit(const ht_poly *value) {
    for (size_t i = 0; i < value->count; ++i)
        if (value->terms[i].count == 0 && value->terms[i].coefficient < 0)
            return -value->terms[i].coefficient;
    return 0;
}

/* Writes "at1 >= -pad" or "at1 < W + pad"; otherwise "W - 2 * at1 >= 3". */
static bool write_bound(const ht_staging *in, const ht_poly *value, ht_text *out) {
    const ht_stage *stage = &in->stage;
    ht_poly_pool *pool = &stage->km->pool;
    int64_t factor = 0;
    size_t d = alone(stage, value, &factor);
    if (d == SIZE_MAX) {
        int64_t least = deficit(value);
        const ht_poly *sum = ht_poly_plus(pool, value, least);
        bool done = sum && ht_staging_print(in, sum, out);
        ht_text_printf(out, " >= %lld", (long long)least);
        return done;
    }
    const ht_poly *own = ht_poly_of(pool, stage->coordinates[d]);
    const ht_poly *rest = ht_poly_add(pool, value, own, -factor);
    /* rest - v >= 0: v < rest + 1 */
    rest = factor == -1 ? ht_poly_plus(pool, rest, 1) : ht_poly_negate(pool, rest);
    ht_text_printf(out, "%s %s ", stage->coordinate_names[d], factor == 1 ? ">=" : "<");
    return rest && ht_staging_print(in, rest, out);
}

/* Returns 1 if a bound requires the last coordinate to be large enough, -1 for small enough, 0 if
 * that is not known or it does not depend on it. */
static int direction(const ht_stage *stage, const ht_poly *value) {
    int64_t factor;
    size_t last = stage->coordinates[ht_staging_last(stage)];
    return ht_poly_coefficient(value, last, &factor) ? (factor > 0) - (factor < 0) : 0;
}

/* Writes a test of the current element of the row; with `behind`, of all elements up to the one of
 * this name. Bounds are affine, so the first or the last of them decides for all. */
static bool write_test(ht_staging *in, const ht_poly *value, const char *behind, ht_text *out) {
    ht_stage *stage = &in->stage;
    size_t last = ht_staging_last(stage);
    const char **names = stage->coordinate_names, *usual = names[last];
    bool asks = behind && ht_poly_mentions(value, stage->coordinates[last]);
    int way = asks ? direction(stage, value) : 1;
    bool done = way < 0 || write_bound(in, value, out);
    if (way > 0)
        return done;
    ht_text_append(out, way == 0 ? " && " : "");
    names[last] = behind;
    done = done && write_bound(in, value, out);
    names[last] = usual;
    return done;
}

/* Writes the alternatives, each for all elements. */
bool ht_staging_tests(ht_staging *in, const char *behind, ht_text *out) {
    const ht_stage *stage = &in->stage;
    size_t count = stage->bound_count;
    bool several = count && stage->bounds[count - 1].alternative > 0, done = true;
    for (size_t i = 0; i < count && done;) {
        size_t begin = i;
        ht_text_append(out, i == 0 ? "" : " || ");
        ht_text_append(out, several ? "(" : "");
        for (;
             i < count && done && stage->bounds[i].alternative == stage->bounds[begin].alternative;
             ++i) {
            ht_text_append(out, i == begin ? "" : " && ");
            done = write_test(in, stage->bounds[i].value, behind, out);
        }
        ht_text_append(out, several ? ")" : "");
    }
    return done;
}

/* Returns the iteration's number as a factor: "c", "(z - 1)"; NULL: it cannot be printed.
 * free(). */
static char *iteration(const ht_staging *in) {
    ht_text past = {0};
    size_t symbol = ht_staging_loop(&in->stage)->symbol;
    bool done = ht_staging_print(in, ht_poly_of(&in->stage.km->pool, symbol), &past);
    char *number = done ? ht_format(strchr(past.data, ' ') ? "(%s)" : "%s", past.data) : NULL;
    ht_text_free(&past);
    return number;
}

/* Writes "[c % 2]", the iteration's place in the tile. */
bool ht_staging_slot(const ht_staging *in, ht_text *out) {
    if (!in->params.chunk)
        return true;
    char *number = iteration(in);
    if (!number)
        return false;
    ht_text_printf(out, "$?{%s * %s > 1}{[%s %% (%s * %s)]}{[%s %% ${%s * %s}]}", in->params.chunk,
                   in->params.buffers, number, in->params.chunk, in->params.buffers, number,
                   in->params.chunk, in->params.buffers);
    free(number);
    return true;
}

static bool write_address(const ht_staging *in, ht_text *out) {
    const ht_stage *stage = &in->stage;
    const ht_poly *one = ht_poly_constant(&stage->km->pool, 1);
    bool done = true;
    ht_text_append(out, "[");
    for (size_t d = 0; d < stage->dimension_count && done; ++d) {
        ht_text_printf(out, d ? " + %s" : "%s", stage->coordinate_names[d]);
        if (stage->dimensions[d].stride == one)
            continue;
        bool sum = stage->dimensions[d].stride->count > 1;
        ht_text_append(out, sum ? " * (" : " * ");
        done = ht_staging_print(in, stage->dimensions[d].stride, out);
        ht_text_append(out, sum ? ")" : "");
    }
    ht_text_append(out, "]");
    return done;
}

/* Writes tile_x[i2][i3], or the element `offset` after it. */
static bool write_place(const ht_staging *in, const char *offset, ht_text *out) {
    const ht_stage *stage = &in->stage;
    ht_text_append(out, in->tile);
    bool done = ht_staging_slot(in, out);
    for (size_t d = 0; d < stage->dimension_count; ++d)
        if (!stage->dimensions[d].uniform)
            ht_text_printf(out, "[%s%s]", in->load.place[d],
                           d == ht_staging_last(stage) ? offset : "");
    return done;
}

static bool write_element(const ht_staging *in, const char *offset, ht_text *out) {
    bool done = write_place(in, offset, out);
    ht_text_printf(out, " = %s", in->stage.km->arrays[in->stage.array].name);
    done = done && write_address(in, out);
    ht_text_append(out, ";");
    return done;
}

static bool write_one(ht_staging *in, const char *indent, ht_text *out) {
    bool tests = in->stage.bound_count > 0;
    if (tests)
        ht_text_printf(out, "%sif (", indent);
    bool done = ht_staging_tests(in, NULL, out);
    ht_text_printf(out, tests ? ")%s    " : "%s", indent);
    return done && write_element(in, "", out);
}

/* Copies neighbours of a row in one access. */
static bool write_pack(const ht_staging *in, ht_text *out) {
    ht_text_printf(out, "*(%s *)&", in->pack);
    bool done = write_place(in, "", out);
    ht_text_printf(out, " = *(const %s *)&%s", in->pack,
                   in->stage.km->arrays[in->stage.array].name);
    done = done && write_address(in, out);
    ht_text_append(out, ";");
    return done;
}

/* Copies one of them in a loop whose head ends with `more`, if it passes the tests written so
 * far. */
static bool write_each(ht_staging *in, const char *indent, const char *more, bool asks,
                       ht_text *out) {
    ht_stage *stage = &in->stage;
    size_t last = ht_staging_last(stage);
    const char *at = in->load.at[last], *each = in->load.each;
    char *offset = ht_format(" + %s", each);
    ht_text_printf(out, "%sfor (int %s = 0; %s; ++%s) {%s    const %s %s = %s + %s;%s    ", indent,
                   each, more, each, indent, stage->type, in->load.here, at, each, indent);
    stage->coordinate_names[last] = in->load.here;
    bool done = true;
    if (asks) {
        ht_text_printf(out, "if (%s + %s < ${%s} && (", in->load.place[last], each,
                       stage->dimensions[last].extent);
        done = ht_staging_tests(in, NULL, out);
        ht_text_printf(out, "))%s        ", indent);
    }
    done = done && write_element(in, offset, out);
    stage->coordinate_names[last] = at;
    ht_text_printf(out, "%s}", indent);
    free(offset);
    return done;
}

/* Copies neighbours between which no test distinguishes: at once unless the box ends before the
 * last. */
static bool write_alike(ht_staging *in, const char *indent, ht_text *out) {
    const ht_stage *stage = &in->stage;
    size_t last = ht_staging_last(stage);
    const char *place = in->load.place[last], *extent = stage->dimensions[last].extent;
    bool tests = stage->bound_count > 0, done = true;
    char *inner = ht_format("%s%s", indent, tests ? "    " : "");
    char *deeper = ht_format("%s    ", inner),
         *more = ht_format("%s + %s < ${%s}", place, in->load.each, extent);
    if (tests) {
        ht_text_printf(out, "%sif (", indent);
        done = ht_staging_tests(in, NULL, out);
        ht_text_append(out, ") {");
    }
    ht_text_printf(out, "%sif (%s + ${%s} <= ${%s})%s", inner, place, in->printing.vector, extent,
                   deeper);
    done = done && write_pack(in, out);
    ht_text_printf(out, "%selse", inner);
    done = done && write_each(in, deeper, more, false, out);
    ht_text_printf(out, "%s%s", tests ? indent : "", tests ? "}" : "");
    free(more);
    free(deeper);
    free(inner);
    return done;
}

static bool asks_last(const ht_stage *stage) {
    size_t symbol = stage->coordinates[ht_staging_last(stage)];
    for (size_t i = 0; i < stage->bound_count; ++i)
        if (ht_poly_mentions(stage->bounds[i].value, symbol))
            return true;
    return false;
}

/* Copies neighbours in a row at once if all may be loaded, else one by one. */
static bool write_several(ht_staging *in, const char *indent, ht_text *out) {
    const ht_stage *stage = &in->stage;
    size_t last = ht_staging_last(stage);
    if (!asks_last(stage))
        return write_alike(in, indent, out);
    char *deeper = ht_format("%s    ", indent),
         *more = ht_format("%s < ${%s}", in->load.each, in->printing.vector);
    ht_text_printf(out, "%sconst %s %s = %s + ${%s - 1};", indent, stage->type, in->load.end,
                   in->load.at[last], in->printing.vector);
    ht_text_printf(out, "%sif (%s + ${%s} <= ${%s} && (", indent, in->load.place[last],
                   in->printing.vector, stage->dimensions[last].extent);
    bool done = ht_staging_tests(in, in->load.end, out);
    ht_text_printf(out, "))%s", deeper);
    done = done && write_pack(in, out);
    ht_text_printf(out, "%selse", indent);
    done = done && write_each(in, deeper, more, true, out);
    free(more);
    free(deeper);
    return done;
}

/* Lets the block's threads copy the box, neighbouring threads neighbouring elements. */
static bool write_loop(ht_staging *in, const char *indent, ht_text *out) {
    ht_text number = {0};
    char *count = NULL, *all = loads(in, 0), *deeper = ht_format("%s    ", indent);
    bool done = threads(in, &number, &count);
    ht_text_printf(out, "%sfor (int %s = %s; %s < ${%s}; %s += ${%s}) {", indent, in->load.element,
                   done ? number.data : "", in->load.element, all, in->load.element,
                   done ? count : "1");
    write_places(in, deeper, out);
    done = done && write_coordinates(in, deeper, out);
    done =
        done && (in->printing.wide ? write_several(in, deeper, out) : write_one(in, deeper, out));
    ht_text_printf(out, "%s}", indent);
    ht_text_free(&number);
    free(all);
    free(count);
    free(deeper);
    return done;
}

static bool write_copy(ht_staging *in, const char *indent, ht_text *out) {
    if (!in->printing.vector)
        return write_loop(in, indent, out);
    ht_text one = {0}, several = {0};
    char *deeper = ht_format("%s    ", indent);
    ht_text deeper_one = {0}, deeper_several = {0};
    bool done = write_loop(in, indent, &one) && write_loop(in, deeper, &deeper_one);
    in->printing.wide = true;
    done = done && write_loop(in, indent, &several) && write_loop(in, deeper, &deeper_several);
    in->printing.wide = false;
    if (done)
        ht_text_printf(out, "$?{%s > 1}{%sif (%s > 1) {%s%s} else {%s%s}}{%s}$?{%s == 1}{}{%s}",
                       in->printing.vector, indent, in->printing.vector, deeper_several.data,
                       indent, deeper_one.data, indent, several.data, in->printing.vector,
                       one.data);
    ht_text_free(&one);
    ht_text_free(&several);
    ht_text_free(&deeper_one);
    ht_text_free(&deeper_several);
    free(deeper);
    return done;
}

bool ht_staging_load(ht_staging *in, ht_text *out) {
    ht_text_append(out, in->stage.outer_count ? "{\n    __syncthreads();" : "{");
    bool done = write_copy(in, "\n    ", out);
    ht_text_append(out, "\n    __syncthreads();\n}");
    return done;
}

bool ht_staging_load_ahead(ht_staging *in, ht_text *out) {
    const ht_km_loop *loop = ht_staging_loop(&in->stage);
    char *past = iteration(in);
    if (!past)
        return false;
    ht_text_printf(out,
                   "$?{%s > 1}{if (%s %% %s == 0) }{if (%s %% ${%s} == 0) }{\n"
                   "    for (int %s = ",
                   in->params.chunk, past, in->params.chunk, past, in->params.chunk,
                   in->load.ahead);
    ht_text_printf(out, "$?{%s > 1}{%s > 1 && %s > 0}{%s > 0}$?{%s == 1}{}{0}; ",
                   in->params.buffers, in->params.buffers, past, past, in->params.buffers);
    ht_text_printf(out,
                   "%s < ${%s * %s}; ++%s) {\n"
                   "        $?{%s > 1}{if (%s > 1 || %s == 0)\n            }{}"
                   "$?{%s == 1}{}{if (%s == 0)\n            }__syncthreads();\n"
                   "        if (%s + %s < ",
                   in->load.ahead, in->params.chunk, in->params.buffers, in->load.ahead,
                   in->params.buffers, in->params.buffers, in->load.ahead, in->params.buffers,
                   in->load.ahead, loop->counter, in->load.ahead);
    bool done = ht_staging_print(in, loop->bound, out);
    ht_text_append(out, ")");
    in->printing.looped = true;
    done = done && write_copy(in, "\n            ", out);
    in->printing.looped = false;
    ht_text_printf(out,
                   "\n    }$?{%s == 1}{\n    if (%s == 1)\n        __syncthreads();}{\n    "
                   "__syncthreads();}\n}",
                   in->params.buffers, in->params.buffers);
    free(past);
    return done;
}
