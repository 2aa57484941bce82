/* Calls, by all threads of a block at once: barriers, shuffles, functions of the user's. */
#include "refactor/transformations/block_size/lanes_call.h"

#include "base/text.h"
#include "refactor/transformations/block_size/lanes_scaled.h"
#include "refactor/transformations/block_size/lanes_value.h"
#include "refactor/transformations/block_size/online.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

/* ---- shuffles ---- */

/* Returns the lane that lane `self` of a shuffle reads, as HIP defines it; below 0: not defined. */
static int64_t lane_read(const char *kind, int64_t self, int64_t by, int64_t width) {
    if (width <= 0 || (width & (width - 1)) != 0)
        return -1;
    int64_t first = self & ~(width - 1), index;
    if (strcmp(kind, "down") == 0) {
        index = self + by;
        return by < 0 ? -1 : (self & (width - 1)) + by >= width ? self : index;
    }
    if (strcmp(kind, "up") == 0) {
        index = self - by;
        return by < 0 ? -1 : index < first ? self : index;
    }
    if (strcmp(kind, "xor") == 0) {
        index = self ^ by;
        return by < 0 ? -1 : index >= first + width ? self : index;
    }
    return by < 0 ? -1 : (by & (width - 1)) + first;
}

/* Which shuffle a name is: "down", "" for __shfl itself; NULL: it is not one. *out_masked: its
 * first argument is a mask of lanes. */
static const char *shuffle_of(const char *name, bool *out_masked) {
    static const struct {
        const char *name, *kind;
    } shuffles[] = {{"__shfl", ""},           {"__shfl_down", "down"},
                    {"__shfl_up", "up"},      {"__shfl_xor", "xor"},
                    {"__shfl_sync", ""},      {"__shfl_down_sync", "down"},
                    {"__shfl_up_sync", "up"}, {"__shfl_xor_sync", "xor"}};
    for (size_t i = 0; i < sizeof shuffles / sizeof *shuffles; ++i)
        if (strcmp(shuffles[i].name, name) == 0) {
            *out_masked = i >= 4;
            return shuffles[i].kind;
        }
    return NULL;
}

/* Returns true if a mask names all lanes of a wavefront. */
static bool names_all(const ht_lanes *lanes, const ht_lane_value *mask) {
    uint64_t full = lanes->wavefront >= 64 ? UINT64_MAX : (UINT64_C(1) << lanes->wavefront) - 1;
    return mask->kind == HT_LANE_NUMBER && ((uint64_t)mask->number & full) == full;
}

static void evaluate_shuffle(ht_lanes *lanes, const ht_syntax *node, const char *kind, bool masked,
                             const bool *mask, ht_lane_value *out) {
    size_t first = masked ? 1 : 0, count = (size_t)node->op;
    ht_lane_value *values = ht_lanes_values_new(lanes), *by = ht_lanes_values_new(lanes),
                  *width = ht_lanes_values_new(lanes), *named = ht_lanes_values_new(lanes);
    for (size_t t = 0; t < lanes->threads; ++t)
        width[t] = ht_lanes_number((int64_t)lanes->wavefront);
    bool known = count >= first + 2 && count <= first + 3;
    if (known && masked)
        ht_lanes_evaluate(lanes, node->children[0], mask, named);
    if (known) {
        ht_lanes_evaluate(lanes, node->children[first], mask, values);
        ht_lanes_evaluate(lanes, node->children[first + 1], mask, by);
    }
    if (known && count == first + 3 && node->children[first + 2])
        ht_lanes_evaluate(lanes, node->children[first + 2], mask, width);
    int64_t wavefront = (int64_t)lanes->wavefront;
    for (size_t t = 0; t < lanes->threads; ++t) {
        int64_t self = (int64_t)t % wavefront, from = -1;
        if (known && mask[t] && by[t].kind == HT_LANE_NUMBER && width[t].kind == HT_LANE_NUMBER &&
            width[t].number <= wavefront && (!masked || names_all(lanes, &named[t])))
            from = lane_read(kind, self, by[t].number, width[t].number);
        size_t lane = (size_t)((int64_t)t - self + from);
        bool read = from >= 0 && from < wavefront && lane < lanes->threads && mask[lane];
        out[t] = read ? values[lane] : (ht_lane_value){0};
    }
    free(values);
    free(by);
    free(width);
    free(named);
}

/* ---- calls ---- */

static void evaluate_combine(ht_lanes *lanes, const ht_syntax *node, ht_combine op,
                             const bool *mask, ht_lane_value *out) {
    ht_lane_value *right = ht_lanes_values_new(lanes);
    ht_lanes_evaluate(lanes, node->children[0], mask, out);
    ht_lanes_evaluate(lanes, node->children[1], mask, right);
    for (size_t t = 0; t < lanes->threads; ++t) {
        bool numbers = out[t].kind == HT_LANE_NUMBER && right[t].kind == HT_LANE_NUMBER;
        bool left = numbers && (out[t].number > right[t].number) == (op == HT_COMBINE_MAX);
        out[t] = !numbers ? ht_lanes_join(lanes, op, &out[t], &right[t]) : left ? out[t] : right[t];
    }
    free(right);
}

static void evaluate_exponential(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                                 ht_lane_value *out) {
    ht_lanes_evaluate(lanes, node->children[0], mask, out);
    for (size_t t = 0; t < lanes->threads; ++t)
        out[t] = ht_lanes_exponential(lanes, node->call->name, &out[t]);
}

/* Runs a function of the user's in place of its call. */
static void evaluate_function(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                              ht_lane_value *out) {
    const ht_syntax_function *function = &lanes->tree->functions[node->call->function];
    size_t count = (size_t)node->op;
    if (!function->body || count != function->parameter_count || node->call->has_object ||
        lanes->depth >= DEPTH_MAX) {
        ht_lanes_fail(lanes, node, "a function's body is not followed");
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        const ht_syntax_variable *parameter = &lanes->tree->variables[function->parameters[i]];
        const ht_syntax *argument = ht_syntax_strip(node->children[i]);
        const ht_syntax_variable *named =
            argument->kind == HT_SYNTAX_NAME ? ht_syntax_named(argument) : NULL;
        ht_lane_variable *of = &lanes->variables[parameter->index];
        bool refers = parameter->is_written_through || (named && named->rank);
        if (refers && !named) {
            ht_lanes_fail(lanes, node, "a function may write through an argument");
            return;
        }
        of->stands_for =
            refers ? &lanes->tree->variables[ht_lanes_followed(lanes, named->index)] : NULL;
        if (refers)
            continue;
        ht_lane_value *values = ht_lanes_values_new(lanes);
        ht_lanes_evaluate(lanes, node->children[i], mask, values);
        ht_lanes_set(lanes, parameter->index, mask, values);
        free(values);
    }
    ++lanes->depth;
    ht_lanes_call(lanes, function->body, mask, out);
    --lanes->depth;
}

void ht_lanes_evaluate_call(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                            ht_lane_value *out) {
    const char *name = node->call->name;
    bool masked = false;
    const char *shuffle = shuffle_of(name, &masked);
    ht_combine op = node->op == 2 ? ht_combine_of_call(name) : HT_COMBINE_NONE;
    if (strcmp(name, "__syncthreads") == 0 && node->op == 0)
        ht_lanes_meet(lanes, node, mask);
    else if (shuffle)
        evaluate_shuffle(lanes, node, shuffle, masked, mask, out);
    else if (node->call->function != SIZE_MAX)
        evaluate_function(lanes, node, mask, out);
    else if (op != HT_COMBINE_NONE && !node->call->of_user)
        evaluate_combine(lanes, node, op, mask, out);
    else if (node->op == 1 && !node->call->of_user && ht_exponential_base(name))
        evaluate_exponential(lanes, node, mask, out);
    else if (ht_text_begins(name, "__builtin_inf") || ht_text_begins(name, "__builtin_huge_val"))
        for (size_t t = 0; t < lanes->threads; ++t)
            out[t] = (ht_lane_value){.kind = HT_LANE_REAL, .real = INFINITY};
    else if (node->call->class != HT_CALLEE_PURE || node->call->of_user)
        ht_lanes_fail(lanes, node, "a call's effect on other threads is not known");
    else
        ht_lanes_evaluate_parts(lanes, node, mask, out);
}
