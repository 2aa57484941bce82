/* A kernel model in words. */
#include "refactor/kernel_model/explain.h"
#include "refactor/kernel_model/kernel_model.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const char axes[] = "xyz";

static const char *answer_word(ht_answer answer) {
    return answer == HT_YES ? "yes" : answer == HT_NO ? "no" : "unknown";
}

static const char *file_of(const ht_kernel_model *km, ht_km_place place) {
    const ht_source *source = km->facts->facts->source;
    return place.file < source->file_count ? source->files[place.file].path : km->facts->path;
}

static void write_place(const ht_kernel_model *km, ht_km_place place, ht_text *out) {
    ht_text_printf(out, "%s:%d:%d", file_of(km, place), place.line, place.column);
}

const char *ht_km_space_name(ht_km_space space) {
    static const char *const names[] = {"global", "constant", "shared", "dynamic shared",
                                        "private"};
    return names[space];
}

/* ---- conditions
 * ----------------------------------------------------------------------------------- */

/* value >= 0 with the negative terms on the right-hand side. */
static void write_comparison(const ht_kernel_model *km, const ht_poly *value, const char *op,
                             ht_text *out) {
    ht_poly_pool *pool = (ht_poly_pool *)(size_t)&km->pool; /* text only */
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

char *ht_km_test_text(const ht_kernel_model *km, const ht_km_test *test) {
    ht_text text = {0};
    write_test(km, test, false, &text);
    return ht_text_take(&text);
}

/* ---- parts
 * ------------------------------------------------------------------------------------------ */

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
    if (facts->assumed)
        ht_text_printf(out, "    line %d: %s\n", facts->assumed_line, facts->assumed);
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
    ht_text_printf(out, "    %s: %s, %s", array->name, ht_km_space_name(array->space),
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
    ht_text_append(out, array->escapes ? "; handed to a function that is not followed" : "");
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
    bool shared = km->arrays[of->array].space == HT_SPACE_SHARED ||
                  km->arrays[of->array].space == HT_SPACE_DYNAMIC_SHARED;
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
            ht_text_append(out, " behind");
        }
        ht_text_append(out, "\n");
    }
}

static void print_events(const ht_kernel_model *km, ht_text *out) {
    if (km->barrier_count)
        ht_text_append(out, "  barriers:\n");
    for (size_t i = 0; i < km->barrier_count; ++i) {
        const ht_km_barrier *barrier = &km->barriers[i];
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
    if (km->effect_count)
        ht_text_append(out, "  effects:\n");
    for (size_t i = 0; i < km->effect_count; ++i) {
        ht_text_append(out, "    ");
        write_place(km, km->effects[i].place, out);
        ht_text_printf(out, ": %s %s", km->effects[i].kind, km->effects[i].name);
        print_control(km, &km->effects[i].control, out);
        ht_text_append(out, "\n");
    }
}

void ht_kernel_model_print(const ht_kernel_model *km, ht_text *out) {
    ht_text_printf(out, "kernel %s, ", km->facts->qualified);
    write_place(km, (ht_km_place){km->facts->facts->file, ht_ast_line(km->facts->kernel), 1}, out);
    ht_text_append(out, "\n");
    if (!km->complete) {
        ht_text_printf(out, "  not complete: %s: ", km->incomplete);
        write_place(km, km->incomplete_place, out);
        ht_text_append(out, "\n");
    }
    print_launch(km, out);
    if (km->loop_count)
        ht_text_append(out, "  loops:\n");
    for (size_t i = 0; i < km->loop_count; ++i)
        print_loop(km, &km->loops[i], out);
    if (km->array_count)
        ht_text_append(out, "  arrays:\n");
    for (size_t i = 0; i < km->array_count; ++i)
        print_array(km, &km->arrays[i], out);
    if (km->access_count)
        ht_text_append(out, "  accesses:\n");
    for (size_t i = 0; i < km->access_count; ++i)
        print_access(km, &km->accesses[i], out);
    print_events(km, out);
    if (km->dependence_count)
        ht_text_append(out, "  between threads:\n");
    for (size_t i = 0; i < km->dependence_count; ++i)
        print_dependence(km, &km->dependences[i], out);
    if (km->footprint_count)
        ht_text_append(out, "  a block touches (guards left out):\n");
    for (size_t i = 0; i < km->footprint_count; ++i)
        print_footprint(km, &km->footprints[i], out);
}
