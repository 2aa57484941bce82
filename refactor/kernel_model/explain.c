#include "refactor/kernel_model/explain.h"
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel_model/build.h"
#include "refactor/kernel_model/kernel_model.h"
#include "refactor/launch/extent.h"
#include "refactor/source/source.h"

#include <isl/map.h>
#include <isl/set.h>
#include <stdlib.h>
#include <string.h>

static const char axes[] = "xyz";

static const char *answer_word(ht_answer answer) {
    return answer == HT_YES ? "yes" : answer == HT_NO ? "no" : "unknown";
}

static const char *file_of(const ht_kernel_model *km, ht_km_place place) {
    const ht_source *source = km->facts->facts->source;
    return place.file < source->file_count ? source->files[place.file].path
                                           : km->facts->facts->source->path;
}

static void write_place(const ht_kernel_model *km, ht_km_place place, ht_text *out) {
    ht_text_printf(out, "%s:%d:%d", file_of(km, place), place.line, place.column);
}

static const char *space_name(ht_memory_space space) {
    static const char *const names[] = {"global", "constant", "shared", "dynamic shared",
                                        "private"};
    return names[space];
}

/* ---- conditions ---- */

/* Writes value >= 0 with the negative terms on the right-hand side. */
static void write_comparison(const ht_kernel_model *km, const ht_poly *value, const char *op,
                             ht_text *out) {
    ht_poly_pool *pool =
        (ht_poly_pool *)(size_t)&km->pool; /* writing text does not change the pool */
    ht_term *left = ht_alloc(value->count + 1, sizeof *left);
    ht_term *right = ht_alloc(value->count + 1, sizeof *right);
    size_t left_count = 0, right_count = 0;
    for (size_t i = 0; i < value->count; ++i)
        if (value->terms[i].coefficient > 0)
            left[left_count++] = value->terms[i];
        else {
            right[right_count] = value->terms[i];
            right[right_count++].coefficient = -value->terms[i].coefficient;
        }
    bool strict = false; /* b - a - 1 >= 0 is a < b */
    for (size_t i = 0; i < right_count && strcmp(op, ">=") == 0; ++i)
        if (right[i].count == 0 && right[i].coefficient == 1) {
            right[i] = right[--right_count];
            strict = true;
        }
    const ht_poly *a = ht_poly_make(pool, left, left_count);
    const ht_poly *b = ht_poly_make(pool, right, right_count);
    char *a_text = ht_poly_text(pool, a), *b_text = ht_poly_text(pool, b);
    bool order = strcmp(op, ">=") == 0;
    ht_text_printf(out, "%s %s %s", order ? b_text : a_text,
                   strict  ? "<"
                   : order ? "<="
                           : op,
                   order ? a_text : b_text);
    free(a_text);
    free(b_text);
    free(left);
    free(right);
}

static void write_test(const ht_kernel_model *km, const ht_km_test *test, bool inner,
                       ht_text *out) {
    switch (test->kind) {
    case HT_TEST_TRUE:
    case HT_TEST_FALSE:
        ht_text_append(out, test->kind == HT_TEST_TRUE ? "true" : "false");
        return;
    case HT_TEST_UNKNOWN:
        ht_text_printf(out, "unknown (%s, line %d)", test->reason, test->place.line);
        return;
    case HT_TEST_AND:
    case HT_TEST_OR:
        ht_text_append(out, inner ? "(" : "");
        write_test(km, test->left, true, out);
        ht_text_append(out, test->kind == HT_TEST_AND ? " and " : " or ");
        write_test(km, test->right, true, out);
        ht_text_append(out, inner ? ")" : "");
        return;
    case HT_TEST_NOT_NEGATIVE:
        write_comparison(km, test->value, ">=", out);
        return;
    case HT_TEST_ZERO:
    case HT_TEST_NOT_ZERO:
        write_comparison(km, test->value, test->kind == HT_TEST_ZERO ? "==" : "!=", out);
        return;
    }
}

static char *test_text(const ht_kernel_model *km, const ht_km_test *test) {
    ht_text text = {0};
    write_test(km, test, false, &text);
    return ht_text_take(&text);
}

/* ---- parts ---- */

static void write_poly(const ht_kernel_model *km, const ht_poly *poly, ht_text *out) {
    char *text = poly ? ht_poly_text(&km->pool, poly) : ht_strdup("unknown");
    ht_text_append(out, text);
    free(text);
}

static void print_launch(const ht_kernel_model *km, ht_text *out) {
    const ht_kernel_facts *facts = km->facts->facts;
    ht_text_append(out, "  launch:\n");
    if (facts->launches.count == 0)
        ht_text_append(out, "    none found\n");
    for (size_t i = 0; i < facts->launches.count; ++i) {
        const ht_launch_site *site = &facts->launches.items[i];
        ht_text_printf(out, "    %s:%d: block", facts->source->files[site->file].path, site->line);
        for (int axis = 0; axis < 3; ++axis) {
            int64_t value = 1;
            const ht_symbol *symbol = site->block.axis[axis];
            bool known = site->block.known && (!symbol || ht_symbol_value(symbol, &value));
            ht_text_printf(out, known ? " %lld" : " unknown", (long long)value);
        }
        ht_text_append(out, "\n");
    }
    if (facts->assumed.text)
        ht_text_printf(out, "    line %d: %s\n", facts->assumed.line, facts->assumed.text);
    for (int axis = 0; axis < 3; ++axis)
        if (km->tied[axis])
            ht_text_printf(out, "    blockDim.%c is taken as %lld: %s\n", axes[axis],
                           (long long)km->facts->axes[axis].block,
                           km->facts->axes[axis].fixed_pitch
                               ? "a constant stands for it in the kernel's indices"
                               : "shared arrays of constant shape go with it");
}

static void print_loop(const ht_kernel_model *km, const ht_km_loop *loop, ht_text *out) {
    ht_text_append(out, "    ");
    write_place(km, loop->place, out);
    char *symbol = ht_km_symbol_text(&km->pool, loop->symbol);
    if (loop->normal) {
        ht_text_printf(out, ": %s from ", loop->counter);
        write_poly(km, loop->first, out);
        ht_text_append(out, loop->bound ? " to below " : ", while ");
        int64_t step;
        bool down = ht_poly_is_constant(loop->step, &step) && step < 0;
        if (loop->bound && down)
            ht_text_append(out, "(downwards) ");
        if (loop->bound)
            write_poly(km, loop->bound, out);
        else
            write_test(km, loop->condition, false, out);
        ht_text_append(out, ", step ");
        write_poly(km, loop->step, out);
        if (strcmp(symbol, loop->counter) != 0)
            ht_text_printf(out, "; %s counts %s", symbol,
                           ht_poly_is_constant(loop->step, &step) ? "iterations" : "steps in sum");
    } else
        ht_text_printf(out, ": not in normal form: %s; %s counts iterations", loop->problem,
                       symbol);
    ht_text_append(out, loop->leaves ? "; may end early\n" : "\n");
    free(symbol);
}

static void print_array(const ht_kernel_model *km, const ht_km_array *array, ht_text *out) {
    ht_text_printf(out, "    %s: %s, %s", array->name, space_name(array->space),
                   array->element[0] ? array->element : "elements unknown");
    for (size_t d = 0; d < array->extent_count; ++d) {
        ht_text_append(out, "[");
        char *value = array->extents[d] ? ht_poly_text(&km->pool, array->extents[d]) : NULL;
        if (array->extent_texts[d] && (!value || strcmp(value, array->extent_texts[d]) != 0))
            ht_text_printf(out, "%s = ", array->extent_texts[d]);
        ht_text_append(out, value ? value : "unknown");
        free(value);
        ht_text_append(out, "]");
    }
    ht_text_append(out, array->read && array->written ? "; read and written"
                        : array->written              ? "; written"
                        : array->read                 ? "; read only"
                                                      : "; not used");
    ht_text_append(out, array->atomic ? ", atomically" : "");
    ht_text_append(out, array->escapes ? "; passed to a function that is not followed" : "");
    ht_text_append(out, array->mixed ? "; accessed in units of different size" : "");
    if (array->space == HT_SPACE_GLOBAL && (array->read || array->written)) {
        size_t own = (size_t)(array - km->arrays);
        bool first = true;
        for (size_t i = 0; i < km->array_count; ++i) {
            const ht_km_array *other = &km->arrays[i];
            if (i == own || (!array->written && !other->written) ||
                (!other->read && !other->written) ||
                ht_kernel_model_alias(km, own, i) != HT_UNKNOWN)
                continue;
            ht_text_printf(out, "%s%s", first ? "; not proved apart from " : ", ", other->name);
            first = false;
        }
    }
    ht_text_append(out, "\n");
}

static void print_control(const ht_kernel_model *km, const ht_km_control *control, ht_text *out) {
    for (size_t i = 0; i < control->loop_count; ++i) {
        char *symbol = ht_km_symbol_text(&km->pool, km->loops[control->loops[i]].symbol);
        ht_text_printf(out, "%s%s", i ? ", " : " in ", symbol);
        free(symbol);
    }
    for (size_t i = 0; i < control->guard_count; ++i) {
        ht_text_append(out, i ? " and " : " where ");
        write_test(km, control->guards[i].test, true, out);
    }
}

static void print_access(const ht_kernel_model *km, const ht_km_access *access, ht_text *out) {
    ht_text_append(out, "    ");
    write_place(km, access->place, out);
    ht_text_printf(out, ": %s %s",
                   access->atomic                  ? "atomic"
                   : access->read && access->write ? "updates"
                   : access->write                 ? "writes"
                                                   : "reads",
                   km->arrays[access->array].name);
    for (size_t d = 0; d < access->dimension_count; ++d) {
        ht_text_append(out, "[");
        write_poly(km, access->dimensions[d].index, out);
        ht_text_append(out, "]");
    }
    bool strides = false;
    for (size_t d = 0; d + 1 < access->dimension_count && access->subscript_count == 1; ++d) {
        ht_text_append(out, strides ? ", " : " strides ");
        write_poly(km, access->dimensions[d].stride, out);
        strides = true;
    }
    if (!access->aligned)
        ht_text_append(out, " (that dimensions do not run into each other is not proved)");
    if (!access->affine)
        ht_text_printf(out, "; not affine: %s", access->problem ? access->problem : "unknown");
    print_control(km, &access->control, out);
    ht_text_append(out, access->exact ? "\n" : "; domain over-approximated\n");
}

static void print_dependence(const ht_kernel_model *km, const ht_km_dependence *of, ht_text *out) {
    bool shared = ht_km_is_shared(km, of->array);
    ht_text_printf(
        out, "    %s: does another thread%s touch what one writes? %s", km->arrays[of->array].name,
        shared ? " of the block, with no barrier between," : "", answer_word(of->answer));
    if (of->has_pair) {
        ht_text_append(out, ": ");
        write_place(km, km->accesses[of->first].place, out);
        ht_text_append(out, " and ");
        write_place(km, km->accesses[of->second].place, out);
    }
    if (of->reason)
        ht_text_printf(out, of->answer == HT_YES ? "\n      for instance %s" : ": %s", of->reason);
    ht_text_append(out, "\n");
}

static void print_footprint(const ht_kernel_model *km, const ht_km_footprint *of, ht_text *out) {
    ht_text_printf(out, "    %s, %s:", km->arrays[of->array].name,
                   of->written ? "written" : "read");
    if (!of->known) {
        ht_text_printf(out, " unknown: %s, ", of->problem ? of->problem : "");
        write_place(km, of->problem_place, out);
        ht_text_append(out, "\n");
        return;
    }
    ht_text_append(out, "\n");
    for (size_t d = 0; d < of->dimension_count; ++d) {
        ht_text_printf(out, "      [%s .. %s], %s wide, stride ", of->low_text[d], of->high_text[d],
                       of->extent_text[d]);
        write_poly(km, of->strides[d], out);
        if (of->before[d] && of->behind[d]) {
            ht_text_append(out, "; halo ");
            write_poly(km, of->before[d], out);
            ht_text_append(out, " before, ");
            write_poly(km, of->behind[d], out);
            ht_text_append(out, " after");
        }
        ht_text_append(out, "\n");
    }
}

static void print_barrier(const ht_kernel_model *km, const ht_km_barrier *barrier, ht_text *out) {
    ht_text_append(out, "    ");
    write_place(km, barrier->place, out);
    ht_text_append(out, barrier->uniform == HT_YES ? ": reached by all threads of a block alike"
                        : barrier->uniform == HT_NO
                            ? ": the condition depends on the thread: "
                            : ": whether all threads reach it alike is unknown: ");
    if (barrier->uniform != HT_YES)
        write_place(km, barrier->reason, out);
    print_control(km, &barrier->control, out);
    ht_text_append(out, "\n");
}

static void print_effect(const ht_kernel_model *km, const ht_km_effect *effect, ht_text *out) {
    ht_text_append(out, "    ");
    write_place(km, effect->place, out);
    ht_text_printf(out, ": %s %s", effect->kind, effect->name);
    print_control(km, &effect->control, out);
    ht_text_append(out, "\n");
}

/* Prints a list of the model under its heading. */
#define PRINT_LIST(heading, items, count, print)                                                   \
    do {                                                                                           \
        if (count)                                                                                 \
            ht_text_append(out, "  " heading ":\n");                                               \
        for (size_t i = 0; i < (count); ++i)                                                       \
            print(km, &(items)[i], out);                                                           \
    } while (0)

void ht_kernel_model_print(const ht_kernel_model *km, ht_text *out) {
    ht_text_printf(out, "kernel %s, ", km->facts->qualified);
    write_place(km, (ht_km_place){km->facts->definition.file, km->facts->definition.line, 1}, out);
    ht_text_append(out, "\n");
    if (!km->complete) {
        ht_text_printf(out, "  not complete: %s: ", km->incomplete);
        write_place(km, km->incomplete_place, out);
        ht_text_append(out, "\n");
    }
    print_launch(km, out);
    PRINT_LIST("loops", km->loops, km->loop_count, print_loop);
    PRINT_LIST("arrays", km->arrays, km->array_count, print_array);
    PRINT_LIST("accesses", km->accesses, km->access_count, print_access);
    PRINT_LIST("barriers", km->barriers, km->barrier_count, print_barrier);
    PRINT_LIST("effects", km->effects, km->effect_count, print_effect);
    PRINT_LIST("between threads", km->dependences, km->dependence_count, print_dependence);
    PRINT_LIST("a block touches (guards left out)", km->footprints, km->footprint_count,
               print_footprint);
}

/* ---- JSON, which docs/kernel-model.md describes ---- */

static json_t *owned(char *text) {
    json_t *value = text ? json_string(text) : json_null();
    free(text);
    return value ? value : json_null(); /* it is not UTF-8 */
}

static json_t *poly_json(const ht_kernel_model *km, const ht_poly *poly) {
    return poly ? owned(ht_poly_text(&km->pool, poly)) : json_null();
}

static json_t *answer_json(ht_answer answer) {
    return json_string(answer_word(answer));
}

static json_t *place_json(const ht_kernel_model *km, ht_km_place place) {
    return json_pack("{s:s, s:i, s:i}", "file", file_of(km, place), "line", place.line, "column",
                     place.column);
}

/* Adds the members of `more`, which it releases. */
static json_t *joined(json_t *out, json_t *more) {
    json_object_update(out, more);
    json_decref(more);
    return out;
}

static json_t *control_json(const ht_kernel_model *km, const ht_km_control *control) {
    json_t *loops = json_array(), *guards = json_array();
    for (size_t i = 0; i < control->loop_count; ++i)
        json_array_append_new(loops, json_integer((json_int_t)control->loops[i]));
    for (size_t i = 0; i < control->guard_count; ++i)
        json_array_append_new(guards, owned(test_text(km, control->guards[i].test)));
    return json_pack("{s:o, s:o}", "loops", loops, "guards", guards);
}

static json_t *loop_json(const ht_kernel_model *km, const ht_km_loop *loop) {
    json_t *what = json_pack(
        "{s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:b, s:s*}", "counter", loop->counter, "symbol",
        owned(ht_km_symbol_text(&km->pool, loop->symbol)), "normal", loop->normal, "first",
        poly_json(km, loop->first), "step", poly_json(km, loop->step), "bound",
        poly_json(km, loop->bound), "condition", owned(test_text(km, loop->condition)),
        "may_end_early", loop->leaves, "problem", loop->problem);
    return joined(place_json(km, loop->place), what);
}

static json_t *array_json(const ht_kernel_model *km, size_t index) {
    const ht_km_array *array = &km->arrays[index];
    json_t *out = place_json(km, array->place), *shape = json_array(), *apart = json_array();
    for (size_t d = 0; d < array->extent_count; ++d)
        json_array_append_new(shape, array->extent_texts[d]
                                         ? owned(ht_strdup(array->extent_texts[d]))
                                         : poly_json(km, array->extents[d]));
    for (size_t i = 0; i < km->array_count; ++i)
        if (i != index && ht_kernel_model_alias(km, index, i) == HT_UNKNOWN)
            json_array_append_new(apart, json_string(km->arrays[i].name));
    return joined(out,
                  json_pack("{s:s, s:s, s:s, s:o, s:b, s:b, s:b, s:b, s:b, s:o}", "name",
                            array->name, "memory", space_name(array->space), "element",
                            array->element, "shape", shape, "read", array->read, "written",
                            array->written, "atomic", array->atomic, "restrict", array->is_restrict,
                            "followed", !array->escapes && !array->mixed, "may_alias", apart));
}

static json_t *access_json(const ht_kernel_model *km, const ht_km_access *access) {
    json_t *subscripts = json_array(), *strides = json_array(), *written = json_array();
    for (size_t i = 0; i < access->subscript_count; ++i)
        json_array_append_new(written, poly_json(km, access->subscripts[i]));
    for (size_t i = 0; i < access->dimension_count; ++i) {
        json_array_append_new(subscripts, poly_json(km, access->dimensions[i].index));
        json_array_append_new(strides, poly_json(km, access->dimensions[i].stride));
    }
    json_t *what =
        json_pack("{s:I, s:b, s:b, s:b, s:o, s:o, s:o, s:b, s:b, s:b, s:o*, s:o, s:o}", "array",
                  (json_int_t)access->array, "read", access->read, "write", access->write, "atomic",
                  access->atomic, "written_as", written, "subscripts", subscripts, "strides",
                  strides, "affine", access->affine, "aligned", access->aligned, "exact",
                  access->exact, "problem", access->problem ? json_string(access->problem) : NULL,
                  "domain", owned(access->domain ? isl_set_to_str(access->domain) : NULL),
                  "relation", owned(access->relation ? isl_map_to_str(access->relation) : NULL));
    return joined(joined(place_json(km, access->place), what), control_json(km, &access->control));
}

static json_t *barrier_json(const ht_kernel_model *km, const ht_km_barrier *barrier) {
    json_t *out = place_json(km, barrier->place);
    json_object_set_new(out, "uniform", answer_json(barrier->uniform));
    if (barrier->uniform != HT_YES)
        json_object_set_new(out, "because_of", place_json(km, barrier->reason));
    return joined(out, control_json(km, &barrier->control));
}

static json_t *effect_json(const ht_kernel_model *km, const ht_km_effect *effect) {
    json_t *what = json_pack("{s:s, s:s}", "kind", effect->kind, "name", effect->name);
    return joined(joined(place_json(km, effect->place), what), control_json(km, &effect->control));
}

static json_t *dependence_json(const ht_kernel_model *km, const ht_km_dependence *of) {
    json_t *out =
        json_pack("{s:I, s:o}", "array", (json_int_t)of->array, "answer", answer_json(of->answer));
    if (of->has_pair) {
        json_object_set_new(out, "first", place_json(km, km->accesses[of->first].place));
        json_object_set_new(out, "second", place_json(km, km->accesses[of->second].place));
    }
    if (of->reason)
        json_object_set_new(out, "reason", json_string(of->reason));
    return out;
}

static json_t *footprint_json(const ht_kernel_model *km, const ht_km_footprint *of) {
    json_t *out = json_pack("{s:I, s:b, s:b}", "array", (json_int_t)of->array, "written",
                            of->written, "known", of->known);
    json_t *dimensions = json_array();
    for (size_t d = 0; d < of->dimension_count && of->known; ++d)
        json_array_append_new(dimensions,
                              json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "low", of->low_text[d],
                                        "high", of->high_text[d], "extent", of->extent_text[d],
                                        "stride", poly_json(km, of->strides[d]), "halo_before",
                                        poly_json(km, of->before[d]), "halo_behind",
                                        poly_json(km, of->behind[d])));
    json_object_set_new(out, "dimensions", dimensions);
    if (!of->known) {
        json_object_set_new(out, "problem", json_string(of->problem ? of->problem : "unknown"));
        json_object_set_new(out, "place", place_json(km, of->problem_place));
    }
    return out;
}

#define JSON_LIST(out, key, count, make)                                                           \
    do {                                                                                           \
        json_t *list = json_array();                                                               \
        for (size_t i = 0; i < (count); ++i)                                                       \
            json_array_append_new(list, (make));                                                   \
        json_object_set_new((out), (key), list);                                                   \
    } while (0)

json_t *ht_kernel_model_json(const ht_kernel_model *km) {
    json_t *out = json_pack("{s:s, s:b}", "name", km->facts->qualified, "complete", km->complete);
    json_t *block = json_array(), *taken = json_array();
    if (!km->complete) {
        json_object_set_new(out, "incomplete", json_string(km->incomplete));
        json_object_set_new(out, "incomplete_at", place_json(km, km->incomplete_place));
    }
    for (int axis = 0; axis < 3; ++axis) {
        int64_t size = km->facts->axes[axis].block;
        json_array_append_new(block, size ? json_integer(size) : json_null());
        json_array_append_new(taken, json_boolean(km->tied[axis]));
    }
    json_object_set_new(out, "block", block);
    json_object_set_new(out, "block_is_constant_in_kernel", taken);
    JSON_LIST(out, "loops", km->loop_count, loop_json(km, &km->loops[i]));
    JSON_LIST(out, "arrays", km->array_count, array_json(km, i));
    JSON_LIST(out, "accesses", km->access_count, access_json(km, &km->accesses[i]));
    JSON_LIST(out, "barriers", km->barrier_count, barrier_json(km, &km->barriers[i]));
    JSON_LIST(out, "effects", km->effect_count, effect_json(km, &km->effects[i]));
    JSON_LIST(out, "dependences", km->dependence_count, dependence_json(km, &km->dependences[i]));
    JSON_LIST(out, "footprints", km->footprint_count, footprint_json(km, &km->footprints[i]));
    return out;
}
