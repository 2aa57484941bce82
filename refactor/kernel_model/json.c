/* A kernel model as JSON: docs/kernel-model.md describes it. */
#include "refactor/kernel_model/kernel_model.h"

#include "base/memory.h"

#include <isl/map.h>
#include <isl/set.h>
#include <stdlib.h>
#include <string.h>

static json_t *owned(char *text) {
    json_t *value = text ? json_string(text) : json_null();
    free(text);
    return value ? value : json_null(); /* what is no UTF-8 */
}

static json_t *poly_json(const ht_kernel_model *km, const ht_poly *poly) {
    return poly ? owned(ht_poly_text(&km->pool, poly)) : json_null();
}

static json_t *answer_json(ht_answer answer) {
    return json_string(answer == HT_YES ? "yes" : answer == HT_NO ? "no" : "unknown");
}

static json_t *place_json(const ht_kernel_model *km, ht_km_place place) {
    const ht_source *source = km->facts->facts->source;
    const char *file =
        place.file < source->file_count ? source->files[place.file].path : km->facts->path;
    return json_pack("{s:s, s:i, s:i}", "file", file, "line", place.line, "column", place.column);
}

static void control_json(const ht_kernel_model *km, const ht_km_control *control, json_t *out) {
    json_t *loops = json_array(), *guards = json_array();
    for (size_t i = 0; i < control->loop_count; ++i)
        json_array_append_new(loops, json_integer((json_int_t)control->loops[i]));
    for (size_t i = 0; i < control->guard_count; ++i)
        json_array_append_new(guards, owned(ht_km_test_text(km, control->guards[i].test)));
    json_object_set_new(out, "loops", loops);
    json_object_set_new(out, "guards", guards);
}

static json_t *loop_json(const ht_kernel_model *km, const ht_km_loop *loop) {
    json_t *out = place_json(km, loop->place);
    json_object_set_new(out, "counter", json_string(loop->counter));
    json_object_set_new(out, "symbol", owned(ht_km_symbol_text(&km->pool, loop->symbol)));
    json_object_set_new(out, "normal", json_boolean(loop->normal));
    json_object_set_new(out, "first", poly_json(km, loop->first));
    json_object_set_new(out, "step", poly_json(km, loop->step));
    json_object_set_new(out, "bound", poly_json(km, loop->bound));
    json_object_set_new(out, "condition", owned(ht_km_test_text(km, loop->condition)));
    json_object_set_new(out, "may_end_early", json_boolean(loop->leaves));
    if (loop->problem)
        json_object_set_new(out, "problem", json_string(loop->problem));
    return out;
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
    json_object_set_new(out, "name", json_string(array->name));
    json_object_set_new(out, "memory", json_string(ht_km_space_name(array->space)));
    json_object_set_new(out, "element", json_string(array->element));
    json_object_set_new(out, "shape", shape);
    json_object_set_new(out, "read", json_boolean(array->read));
    json_object_set_new(out, "written", json_boolean(array->written));
    json_object_set_new(out, "atomic", json_boolean(array->atomic));
    json_object_set_new(out, "restrict", json_boolean(array->is_restrict));
    json_object_set_new(out, "followed", json_boolean(!array->escapes && !array->mixed));
    json_object_set_new(out, "may_alias", apart);
    return out;
}

static json_t *access_json(const ht_kernel_model *km, const ht_km_access *access) {
    json_t *out = place_json(km, access->place);
    json_t *subscripts = json_array(), *strides = json_array(), *written = json_array();
    for (size_t i = 0; i < access->subscript_count; ++i)
        json_array_append_new(written, poly_json(km, access->subscripts[i]));
    for (size_t i = 0; i < access->dimension_count; ++i) {
        json_array_append_new(subscripts, poly_json(km, access->dimensions[i].index));
        json_array_append_new(strides, poly_json(km, access->dimensions[i].stride));
    }
    json_object_set_new(out, "array", json_integer((json_int_t)access->array));
    json_object_set_new(out, "read", json_boolean(access->read));
    json_object_set_new(out, "write", json_boolean(access->write));
    json_object_set_new(out, "atomic", json_boolean(access->atomic));
    json_object_set_new(out, "written_as", written);
    json_object_set_new(out, "subscripts", subscripts);
    json_object_set_new(out, "strides", strides);
    json_object_set_new(out, "affine", json_boolean(access->affine));
    json_object_set_new(out, "aligned", json_boolean(access->aligned));
    json_object_set_new(out, "exact", json_boolean(access->exact));
    if (access->problem)
        json_object_set_new(out, "problem", json_string(access->problem));
    json_object_set_new(out, "domain",
                        owned(access->domain ? isl_set_to_str(access->domain) : NULL));
    json_object_set_new(out, "relation",
                        owned(access->relation ? isl_map_to_str(access->relation) : NULL));
    control_json(km, &access->control, out);
    return out;
}

static json_t *barrier_json(const ht_kernel_model *km, const ht_km_barrier *barrier) {
    json_t *out = place_json(km, barrier->place);
    json_object_set_new(out, "uniform", answer_json(barrier->uniform));
    if (barrier->uniform != HT_YES)
        json_object_set_new(out, "because_of", place_json(km, barrier->reason));
    control_json(km, &barrier->control, out);
    return out;
}

static json_t *effect_json(const ht_kernel_model *km, const ht_km_effect *effect) {
    json_t *out = place_json(km, effect->place);
    json_object_set_new(out, "kind", json_string(effect->kind));
    json_object_set_new(out, "name", json_string(effect->name));
    control_json(km, &effect->control, out);
    return out;
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

#define LIST(out, key, count, make)                                                                \
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
    LIST(out, "loops", km->loop_count, loop_json(km, &km->loops[i]));
    LIST(out, "arrays", km->array_count, array_json(km, i));
    LIST(out, "accesses", km->access_count, access_json(km, &km->accesses[i]));
    LIST(out, "barriers", km->barrier_count, barrier_json(km, &km->barriers[i]));
    LIST(out, "effects", km->effect_count, effect_json(km, &km->effects[i]));
    LIST(out, "dependences", km->dependence_count, dependence_json(km, &km->dependences[i]));
    LIST(out, "footprints", km->footprint_count, footprint_json(km, &km->footprints[i]));
    return out;
}
