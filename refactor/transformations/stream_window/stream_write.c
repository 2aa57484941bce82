/* Writes the text of a window: its variables, its moves, its reads. */
#include "refactor/transformations/stream_window/stream_write.h"
#include "refactor/plan/plan.h"

#include "base/memory.h"
#include "refactor/staging/bounds.h"
#include "refactor/staging/place.h"
#include "refactor/staging/print.h"
#include "refactor/transformations/lds_stage/stage_load.h"
#include "refactor/transformations/lds_stage/stage_write.h"
#include "refactor/transformations/register_tile/tiled_each.h"
#include "refactor/transformations/register_tile/tiled_stage.h"

#include <stdlib.h>
#include <string.h>

void ht_streaming_name(ht_streaming *in) {
    for (size_t d = 0; d < HT_STAGE_DIMENSIONS_MAX; ++d) {
        char *at = ht_format("index%zu", d);
        in->at[d] = ht_plan_name(in->plan, at);
        free(at);
    }
}

void ht_streaming_release(ht_streaming *in) {
    free(in->condition);
    free(in->fresh);
    in->condition = in->fresh = NULL;
}

/* One window being written. */
typedef struct writing {
    ht_streaming *in;
    const ht_window *window;
    bool tested;      /* elements that may not be read are left out */
    ht_staging loads; /* its stage has the tests for that */
    char *array;      /* "in_window[ty][tx]"; owned */
    char *dimensions; /* "[COARSEN_Y][COARSEN_X]"; owned */
} writing;

/* ---- elements ---- */

/* Writes the array's element at a place of the window. */
static bool write_element(writing *of, size_t slot, ht_text *out) {
    const ht_window *window = of->window;
    size_t near = slot;
    while (!window->reads[near])
        --near;
    char *source = ht_tiled_source(of->in->form, window->reads[near]->node);
    bool done = source != NULL;
    if (done && near == slot)
        ht_text_append(out, source);
    else if (done) {
        const ht_poly *stride = window->reads[near]->dimensions[window->dimension].stride;
        const ht_stage printing = {.km = of->in->km, .type = "long long"};
        ht_text_printf(out, slot - near > 1 ? "(&%s)[%zu * (" : "(&%s)[(", source, slot - near);
        done = ht_stage_print(&printing, stride, out);
        ht_text_append(out, ")]");
    }
    free(source);
    return done;
}

/* Writes the coordinates for the tests. */
static bool write_places(writing *of, size_t slot, const char *indent, ht_text *out) {
    const ht_stage *stage = &of->loads.stage;
    bool done = true;
    for (size_t d = 0; d < stage->dimension_count && done; ++d) {
        if (stage->dimensions[d].uniform)
            continue;
        const ht_poly *index = ht_window_index(of->window, of->in->km, d, slot);
        ht_text_printf(out, "%sconst %s %s = ", indent, stage->type, of->in->at[d]);
        done = index && ht_stage_print(stage, index, out);
        ht_text_append(out, ";");
    }
    return done;
}

static bool write_load(writing *of, size_t slot, const char *indent, ht_text *out) {
    bool asked = of->tested && of->loads.stage.bound_count > 0, done = true;
    char *deeper = ht_format("%s    ", indent);
    if (asked) {
        ht_text_printf(out, "%s{", indent);
        done = write_places(of, slot, deeper, out);
        ht_text_printf(out, "%sif (", deeper);
        done = done && ht_staging_tests(&of->loads, NULL, out);
        ht_text_append(out, ")");
    }
    ht_text_printf(out, "%s%s%s[%zu] = ", asked ? deeper : indent, asked ? "    " : "", of->array,
                   slot);
    done = done && write_element(of, slot, out);
    ht_text_append(out, ";");
    if (asked)
        ht_text_printf(out, "%s}", indent);
    free(deeper);
    return done;
}

/* Writes the move: the first load fills the window; later ones shift it and load the last
 * element. */
static bool write_move(writing *of, ht_text *out) {
    size_t last = of->window->slots - 1;
    bool done = true;
    ht_text_printf(out, "\nif (%s) {", of->in->fresh);
    for (size_t slot = 0; slot < last && done; ++slot)
        done = write_load(of, slot, "\n    ", out);
    ht_text_append(out, "\n} else {");
    for (size_t slot = 0; slot < last; ++slot)
        ht_text_printf(out, "\n    %s[%zu] = %s[%zu];", of->array, slot, of->array, slot + 1);
    ht_text_append(out, "\n}");
    return done && write_load(of, last, "\n", out);
}

/* ---- tests of loads ---- */

/* Prepares tests of loads. They are not needed if each output reads the first and the last element:
 * all between them are then in the array. */
static bool prepare_tests(writing *of) {
    ht_streaming *in = of->in;
    const ht_window *window = of->window;
    of->tested = !ht_tiled_always_runs(in->form, window->reads[0]->node, in->place) ||
                 !ht_tiled_always_runs(in->form, window->reads[window->slots - 1]->node, in->place);
    if (!of->tested)
        return true;
    for (size_t slot = 0; slot < window->slots; ++slot)
        if (!window->reads[slot]) {
            in->why = "not every output reads it, and an element between two of its reads is read "
                      "by none";
            return false;
        }
    if (!ht_window_stage(window, in->km, &in->along, &in->frame, &of->loads.stage)) {
        in->why = of->loads.stage.problem;
        return false;
    }
    ht_stage *stage = &of->loads.stage;
    memcpy(of->loads.load.at, in->at, sizeof in->at);
    memcpy(stage->coordinate_names, in->at, sizeof in->at);
    for (size_t i = 0; i < in->form->axis_count; ++i)
        stage->output_names[in->form->axes[i].axis] = in->form->axes[i].name;
    return true;
}

static void replace_reads(writing *of) {
    const ht_streaming *in = of->in;
    for (size_t i = 0; i < of->window->read_count; ++i) {
        char *element = ht_format("%s[%zu]", of->array, of->window->slot_of[i]);
        char *text = ht_format("$?{%s}{(%s ? %s : $@)}{%s}$?{!(%s)}{}{$@}", in->condition,
                               in->condition, element, element, in->condition);
        ht_tiled_replace(in->form, of->window->served[i]->node, text);
        free(element);
        free(text);
    }
}

static void insert(writing *of, const char *name, const char *move) {
    ht_streaming *in = of->in;
    const ht_km_array *array = &in->km->arrays[of->window->array];
    const ht_parameter *parameter = array->parameter;
    char *declared = ht_format("\n// the elements of %s along %s that the next output may read\n"
                               "%s %s%s[%zu]%s;",
                               array->name, in->along_name, parameter->pointee, name,
                               of->dimensions, of->window->slots, of->tested ? " = {}" : "");
    char *text = ht_format("$?{%s}{%s}{%s}", in->condition, declared, declared);
    ht_tiled_insert(in->form, in->declared, text, NULL);
    ht_tiled_insert_each(in->form, in->place, of->window->reads[0]->node, in->condition, move);
    free(declared);
    free(text);
}

bool ht_streaming_write(ht_streaming *in, const ht_window *window) {
    writing of = {.in = in, .window = window};
    ht_text move = {0};
    char *place, *wanted = ht_format("%s_window", in->km->arrays[window->array].name);
    const char *name = ht_plan_name(in->plan, wanted);
    ht_tiled_places(in->form, window->reads[0]->node, &of.dimensions, &place);
    of.array = ht_format("%s%s", name, place);
    bool done = prepare_tests(&of);
    if (done) {
        in->why = "a subscript cannot be written at the place of the load";
        done = write_move(&of, &move);
    }
    const ht_tiled_axis *plain = &in->form->plain;
    if (done && of.tested && in->form->has_plain &&
        ht_stage_asks_block(&of.loads.stage, plain->axis))
        ht_plan_require(in->plan, "!(%s) || %s == 1", in->condition, plain->factor);
    if (done) {
        replace_reads(&of);
        insert(&of, name, move.data);
    }
    ht_stage_free(&of.loads.stage);
    ht_text_free(&move);
    free(of.array);
    free(of.dimensions);
    free(place);
    free(wanted);
    return done;
}
