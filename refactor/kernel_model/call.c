#include "refactor/kernel_model/call.h"
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"
#include "refactor/kernel/callees.h"
#include "refactor/kernel_model/environment.h"
#include "refactor/kernel_model/object.h"
#include "refactor/kernel_model/place.h"
#include "refactor/kernel_model/value.h"

#include <stdlib.h>
#include <string.h>

/* The most arguments of a call that are looked at. */
enum { ARGUMENTS_MAX = 64 };

typedef struct arguments {
    ht_km_value values[ARGUMENTS_MAX];
    size_t count;
} arguments;

static size_t argument_count(const ht_syntax *call) {
    return (size_t)call->op - call->call->has_object;
}

static const ht_syntax *argument_of(const ht_syntax *call, size_t index) {
    return call->children[index + call->call->has_object];
}

static void arguments_read(ht_scan *scan, const ht_syntax *call, arguments *out) {
    size_t count = argument_count(call);
    for (out->count = 0; out->count < count && out->count < ARGUMENTS_MAX; ++out->count)
        out->values[out->count] = ht_scan_value(scan, argument_of(call, out->count));
}

static ht_km_value unknown_result(ht_scan *scan, const ht_syntax *call, const char *name) {
    if (call->type == HT_TYPE_POINTER && !call->is_array)
        return (ht_km_value){true, SIZE_MAX, NULL};
    return call->is_whole ? ht_scan_opaque(scan, call, HT_SCOPE_THREAD, "what %s returns", name)
                          : (ht_km_value){0};
}

/* ---- known by name ---- */

static void touch(ht_scan *scan, const ht_km_value *pointer, bool read, bool write, bool atomic,
                  const ht_syntax *at) {
    ht_km_target target = {.array = pointer->is_pointer ? pointer->array : SIZE_MAX, .count = 1};
    target.subscripts[0] =
        pointer->is_pointer && pointer->value
            ? pointer->value
            : ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "pointer not followed").value;
    ht_scan_record(scan, &target, read, write, atomic, at);
}

/* Returns true for functions that multiply 24-bit numbers. Such products are taken not to overflow,
 * like all others. */
static bool is_product(const char *name) {
    return strcmp(name, "__mul24") == 0 || strcmp(name, "__umul24") == 0 ||
           strcmp(name, "mul24") == 0 || strcmp(name, "umul24") == 0;
}

/* Evaluates min, max and products of numbers. Returns false for other calls. */
static bool known_number(ht_scan *scan, const ht_syntax *call, const char *name, ht_km_value *out) {
    arguments given = {0};
    bool least = strcmp(name, "min") == 0, most = strcmp(name, "max") == 0;
    if ((!least && !most && !is_product(name)) || argument_count(call) != 2)
        return false;
    arguments_read(scan, call, &given);
    const ht_poly *a = given.values[0].value, *b = given.values[1].value;
    if (given.values[0].is_pointer || given.values[1].is_pointer || !a || !b)
        *out = (ht_km_value){0};
    else if (least || most)
        *out = ht_scan_derived(scan, call, least ? HT_KM_MIN : HT_KM_MAX, a, b, NULL);
    else
        *out = ht_km_number(ht_scan_times(scan, call, a, b));
    return true;
}

static bool known_call(ht_scan *scan, const ht_syntax *call, const char *name, ht_km_value *out) {
    arguments given;
    *out = (ht_km_value){0};
    switch (ht_callee_class_of(name)) {
    case HT_CALLEE_BARRIER:
        arguments_read(scan, call, &given);
        ht_scan_barrier(scan, call);
        break;
    case HT_CALLEE_FENCE:
        ht_scan_effect(scan, "fence", call, name);
        break;
    case HT_CALLEE_ATOMIC:
        arguments_read(scan, call, &given);
        ht_scan_effect(scan, "atomic", call, name);
        if (given.count)
            touch(scan, &given.values[0], true, true, true, call);
        for (size_t i = 1; i < given.count; ++i)
            ht_scan_escape(scan, &given.values[i], call);
        break;
    case HT_CALLEE_WAVEFRONT:
        arguments_read(scan, call, &given);
        ht_scan_effect(scan, "wavefront", call, name);
        break;
    case HT_CALLEE_LOADS:
        arguments_read(scan, call, &given);
        if (given.count)
            touch(scan, &given.values[0], true, false, false, argument_of(call, 0));
        if (given.count && call->is_whole && given.values[0].is_pointer &&
            given.values[0].array != SIZE_MAX) {
            *out = ht_scan_opaque(scan, call, HT_SCOPE_THREAD, "loaded from %s",
                                  scan->km->arrays[given.values[0].array].name);
            return true;
        }
        break;
    case HT_CALLEE_STORES: {
        bool nontemporal = strcmp(name, "__builtin_nontemporal_store") == 0;
        arguments_read(scan, call, &given);
        if (given.count > 1)
            touch(scan, &given.values[nontemporal ? 1 : 0], false, true, false, call);
        break;
    }
    default:
        return known_number(scan, call, name, out);
    }
    *out = unknown_result(scan, call, name);
    return true;
}

/* ---- functions of the user ---- */

/* Binds the parameters to the arguments of a call. Returns false if one is a reference that the
 * function may write through. */
static bool bind(ht_scan *scan, const ht_syntax_function *function, const arguments *given) {
    for (size_t i = 0; i < function->parameter_count && i < given->count; ++i) {
        size_t parameter = function->parameters[i];
        const ht_km_value *value = &given->values[i];
        if (scan->tree->variables[parameter].is_written_through)
            return false;
        if (value->value || value->is_pointer)
            ht_environment_set(scan, parameter, *value);
    }
    return given->count == function->parameter_count;
}

static ht_km_value returned(ht_scan *scan, const ht_frame *frame, const ht_syntax *call) {
    if (frame->lost || frame->return_count == 0)
        return unknown_result(scan, call, "call");
    size_t last = frame->return_count - 1;
    ht_km_value value = frame->returns[last].value;
    for (size_t i = last; i-- > 0;) {
        const ht_km_value *one = &frame->returns[i].value;
        if (one->is_pointer || value.is_pointer) {
            if (one->is_pointer != value.is_pointer || one->array != value.array ||
                one->value != value.value)
                return (ht_km_value){true, SIZE_MAX, NULL};
        } else if (one->value && value.value)
            value = ht_scan_derived(scan, call, HT_KM_CHOICE, one->value, value.value,
                                    frame->returns[i].test);
        else
            return unknown_result(scan, call, "call");
    }
    return value;
}

static bool walk_in_place(ht_scan *scan, const ht_syntax *call, const arguments *given,
                          ht_km_value *out) {
    const ht_syntax_function *function =
        call->call->function == SIZE_MAX ? NULL : &scan->tree->functions[call->call->function];
    size_t escaped = scan->escaped_count;
    if (!function || !function->body || scan->inlined >= HT_SCAN_INLINE_MAX)
        return false;
    ht_environment kept = ht_environment_copy(scan);
    if (!bind(scan, function, given)) {
        ht_environment_free(&scan->environment);
        scan->environment = kept;
        return false;
    }
    ht_scan_find_escaped(scan, function->body);
    ht_frame frame = {.guard_base = scan->guard_count}, *outer = scan->frame;
    scan->frame = &frame;
    ++scan->inlined;
    ht_scan_statement(scan, function->body);
    --scan->inlined;
    scan->frame = outer;
    scan->guard_count = frame.guard_base;
    scan->escaped_count = escaped;
    *out = returned(scan, &frame, call);
    ht_environment_free(&scan->environment); /* drops the function's own variables; those of the
                                                caller were not written */
    scan->environment = kept;
    return true;
}

/* Evaluates a method that returns an object's data: input.data(). Returns false for other calls. */
static bool field_call(ht_scan *scan, const ht_syntax *call, ht_km_value *out) {
    if (!call->call->has_object || argument_count(call) != 0)
        return false;
    size_t object = ht_scan_variable(call->children[0]);
    const ht_parameter *parameter =
        object == SIZE_MAX ? NULL : scan->tree->variables[object].parameter;
    if (!parameter || parameter->is_assigned || parameter->is_pointer)
        return false;
    bool pointer = (call->type == HT_TYPE_POINTER && !call->is_array) || call->is_open;
    char *name = ht_format("%s.%s()", parameter->name, call->call->name);
    if (pointer)
        *out = (ht_km_value){true, ht_scan_array_named(scan, name, call->at),
                             ht_poly_constant(&scan->km->pool, 0)};
    else if (call->is_whole)
        *out = ht_km_number(ht_scan_named(scan, name, ht_scan_is_int(call), call->at.line));
    free(name);
    return pointer || call->is_whole;
}

/* Returns true for an element that a callee may write through a reference: out[i] = v of a vector
 * type, add(out[i]). */
static bool is_place(const ht_syntax *argument) {
    const ht_syntax *node = ht_syntax_strip_implicit(argument);
    while (node->kind == HT_SYNTAX_MEMBER)
        node = ht_syntax_strip_implicit(node->children[0]);
    return ht_syntax_is_element(node);
}

/* Records elements that a call may write: its object, and arguments bound to references. */
static void places_written(ht_scan *scan, const ht_syntax *call) {
    const ht_syntax_call *of = call->call;
    for (size_t i = 0; i < (size_t)call->op; ++i) {
        const ht_syntax *argument = call->children[i];
        bool object = i == 0 && of->has_object;
        bool written = (of->changes[i] & 1) || (!object && of->is_open);
        ht_km_target target;
        if (written && is_place(argument) && ht_scan_target(scan, argument, &target))
            ht_scan_record(scan, &target, strcmp(of->name, "operator=") != 0, true, false,
                           argument);
    }
}

static void unknown_call(ht_scan *scan, const ht_syntax *call, const char *name,
                         const arguments *given) {
    bool pointers = false, defined = call->call->is_defined;
    places_written(scan, call);
    for (size_t i = 0; i < given->count; ++i) {
        pointers = pointers || given->values[i].is_pointer;
        ht_scan_escape(scan, &given->values[i], call);
    }
    if (defined || pointers || strcmp(name, "printf") == 0 || strncmp(name, "__assert", 8) == 0)
        ht_scan_effect(scan, "call", call, name);
    if (defined || !name[0])
        ht_scan_incomplete(scan, call, "a function's body is not followed");
    else if (!call->call->is_open)
        ht_scan_bound_arguments(scan, call);
}

/* Evaluates a call of a function of the user's, or of one of which nothing is known. */
static ht_km_value other_call(ht_scan *scan, const ht_syntax *call, const char *name) {
    ht_km_value value = {0};
    arguments given;
    if (ht_scan_calls_method(scan, call))
        return unknown_result(scan, call, name);
    arguments_read(scan, call, &given);
    if (!walk_in_place(scan, call, &given, &value)) {
        unknown_call(scan, call, name, &given);
        value = unknown_result(scan, call, name);
    }
    if (given.count == 0 && call->call->has_object)
        ht_scan_value(scan, call->children[0]);
    return value;
}

ht_km_value ht_scan_call(ht_scan *scan, const ht_syntax *call) {
    const ht_syntax_call *of = call->call;
    /* which of the user's overloads is called may not be known */
    const char *name = of->is_open && of->of_user ? "" : of->name;
    ht_km_value value = {0};
    arguments given;
    if (of->makes_value)
        arguments_read(scan, call, &given);
    else if (!ht_scan_assigns_object(scan, call, name) && !known_call(scan, call, name, &value) &&
             !field_call(scan, call, &value))
        return other_call(scan, call, name);
    return value;
}
