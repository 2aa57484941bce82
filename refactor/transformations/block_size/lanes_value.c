#include "refactor/transformations/block_size/lanes_value.h"

#include "base/memory.h"
#include "refactor/kernel/steady.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/block_size/lanes_call.h"
#include "refactor/transformations/block_size/lanes_scaled.h"
#include "refactor/transformations/block_size/lanes_shared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

void ht_lanes_fail(ht_lanes *lanes, const ht_syntax *at, const char *why) {
    if (lanes->why)
        return;
    lanes->why = why;
    lanes->at = at->at;
}

ht_lane_value ht_lanes_number(int64_t value) {
    return (ht_lane_value){.kind = HT_LANE_NUMBER, .number = value};
}

ht_lane_value *ht_lanes_values_new(const ht_lanes *lanes) {
    return ht_alloc(lanes->threads, sizeof(ht_lane_value));
}

/* ---- parts ---- */

static uint64_t *set_new(ht_lanes *lanes) {
    HT_GROW(lanes->sets, lanes->set_count);
    uint64_t *set = ht_alloc(lanes->words, sizeof *set);
    lanes->sets[lanes->set_count++] = set;
    return set;
}

ht_lane_value ht_lanes_own(ht_lanes *lanes, size_t variable, size_t thread) {
    uint64_t *set = set_new(lanes);
    set[thread / 64] = UINT64_C(1) << thread % 64;
    bool scaled = lanes->variables[variable].op == HT_COMBINE_SCALED;
    return (ht_lane_value){scaled ? HT_LANE_SCALED : HT_LANE_PART, .source = variable, .part = set,
                           .against = scaled ? set : NULL};
}

const uint64_t *ht_lanes_union(ht_lanes *lanes, const uint64_t *a, const uint64_t *b, bool apart) {
    uint64_t *set = set_new(lanes);
    for (size_t w = 0; w < lanes->words; ++w) {
        if (apart && (a[w] & b[w]))
            return NULL;
        set[w] = a[w] | b[w];
    }
    return set;
}

bool ht_lanes_is_neutral(const ht_lanes *lanes, size_t source, ht_combine op,
                         const ht_lane_value *value) {
    const ht_lane_value *floor = &lanes->variables[source].floor;
    if (value->kind != HT_LANE_NUMBER && value->kind != HT_LANE_REAL)
        return false;
    double real = value->kind == HT_LANE_REAL ? value->real : (double)value->number;
    double least = floor->kind == HT_LANE_REAL     ? floor->real
                   : floor->kind == HT_LANE_NUMBER ? (double)floor->number
                                                   : NAN;
    switch (op) {
    case HT_COMBINE_SUM:
        return real == 0.0;
    case HT_COMBINE_MAX:
        return (isinf(real) && real < 0) || real <= least;
    case HT_COMBINE_MIN:
        return (isinf(real) && real > 0) || real >= least;
    default:
        return false;
    }
}

/* Combines two constants. */
static ht_lane_value join_constants(ht_combine op, const ht_lane_value *a, const ht_lane_value *b) {
    if (a->kind != HT_LANE_REAL || b->kind != HT_LANE_REAL)
        return (ht_lane_value){0};
    double real = op == HT_COMBINE_SUM   ? a->real + b->real
                  : op == HT_COMBINE_MAX ? fmax(a->real, b->real)
                                         : fmin(a->real, b->real);
    return (ht_lane_value){.kind = HT_LANE_REAL, .real = real};
}

/* Combines what two values have of a seeded variable. */
ht_lane_value ht_lanes_join(ht_lanes *lanes, ht_combine op, const ht_lane_value *a,
                            const ht_lane_value *b) {
    const ht_lane_value *part = a->kind == HT_LANE_PART ? a : b, *other = part == a ? b : a;
    if (op == HT_COMBINE_SUM && (a->kind == HT_LANE_SCALED || b->kind == HT_LANE_SCALED))
        return ht_lanes_scaled_sum(lanes, a, b);
    if (part->kind != HT_LANE_PART)
        return join_constants(op, a, b);
    if (lanes->variables[part->source].op != op)
        return (ht_lane_value){0};
    if (other->kind != HT_LANE_PART)
        return ht_lanes_is_neutral(lanes, part->source, op, other) ? *part : (ht_lane_value){0};
    if (other->source != part->source)
        return (ht_lane_value){0};
    /* in a sum no value counts twice */
    const uint64_t *set = ht_lanes_union(lanes, part->part, other->part, op == HT_COMBINE_SUM);
    return set ? (ht_lane_value){.kind = HT_LANE_PART, .source = part->source, .part = set}
               : (ht_lane_value){0};
}

/* ---- arithmetic ---- */

/* Brings a whole number into the range of a node's type. */
static ht_lane_value fit(const ht_syntax *node, ht_lane_value value) {
    if (value.kind != HT_LANE_NUMBER || !node->bits || node->bits >= 64 || !node->is_whole)
        return value;
    uint64_t mask = (UINT64_C(1) << node->bits) - 1, low = (uint64_t)value.number & mask;
    bool negative = node->is_signed && low >> (node->bits - 1);
    value.number = (int64_t)(negative ? low | ~mask : low);
    return value;
}

static ht_lane_value binary(ht_lanes *lanes, const ht_syntax *node, int op, const ht_lane_value *a,
                            const ht_lane_value *b) {
    int64_t result;
    if (a->kind == HT_LANE_NUMBER && b->kind == HT_LANE_NUMBER)
        return ht_operator_compute(op, a->number, b->number, &result)
                   ? fit(node, ht_lanes_number(result))
                   : (ht_lane_value){0};
    return op == HT_BINARY_ADD   ? ht_lanes_join(lanes, HT_COMBINE_SUM, a, b)
           : op == HT_BINARY_SUB ? ht_lanes_difference(lanes, a, b)
           : op == HT_BINARY_MUL ? ht_lanes_product(lanes, a, b)
                                 : (ht_lane_value){0};
}

static void evaluate_binary(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                            ht_lane_value *out) {
    bool both = node->op == HT_BINARY_AND || node->op == HT_BINARY_OR;
    ht_lane_value *right = ht_lanes_values_new(lanes);
    bool *narrow = ht_alloc(lanes->threads, sizeof *narrow);
    ht_lanes_evaluate(lanes, node->children[0], mask, out);
    memcpy(narrow, mask, lanes->threads * sizeof *narrow);
    for (size_t t = 0; t < lanes->threads && both; ++t)
        narrow[t] = mask[t] && out[t].kind == HT_LANE_NUMBER &&
                    (out[t].number != 0) == (node->op == HT_BINARY_AND);
    ht_lanes_evaluate(lanes, node->children[1], narrow, right);
    for (size_t t = 0; t < lanes->threads; ++t) {
        if (!mask[t])
            continue;
        if (!both)
            out[t] = node->op == HT_BINARY_COMMA
                         ? right[t]
                         : binary(lanes, node, node->op, &out[t], &right[t]);
        else if (out[t].kind == HT_LANE_NUMBER && !narrow[t])
            out[t] = ht_lanes_number(out[t].number != 0);
        else
            out[t] = narrow[t] && right[t].kind == HT_LANE_NUMBER
                         ? ht_lanes_number(right[t].number != 0)
                         : (ht_lane_value){0};
    }
    free(right);
    free(narrow);
}

bool ht_lanes_choose(ht_lanes *lanes, const ht_choice *choice, const bool *mask,
                     ht_lane_value *out) {
    ht_lane_value *a = ht_lanes_values_new(lanes), *b = ht_lanes_values_new(lanes);
    bool parts = false;
    ht_lanes_evaluate(lanes, choice->a, mask, a);
    ht_lanes_evaluate(lanes, choice->b, mask, b);
    for (size_t t = 0; t < lanes->threads; ++t)
        parts |= mask[t] && (a[t].kind == HT_LANE_PART || b[t].kind == HT_LANE_PART);
    for (size_t t = 0; t < lanes->threads && parts; ++t)
        out[t] = mask[t] ? ht_lanes_join(lanes, choice->op, &a[t], &b[t]) : (ht_lane_value){0};
    free(a);
    free(b);
    return parts;
}

static void evaluate_choice(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                            ht_lane_value *out) {
    ht_choice choice;
    if (ht_choice_read(node, &choice) && ht_lanes_choose(lanes, &choice, mask, out))
        return;
    ht_lane_value *condition = ht_lanes_values_new(lanes), *chosen = ht_lanes_values_new(lanes);
    bool *narrow = ht_alloc(lanes->threads, sizeof *narrow);
    ht_lanes_evaluate(lanes, node->children[0], mask, condition);
    for (int arm = 0; arm < 2; ++arm) {
        for (size_t t = 0; t < lanes->threads; ++t)
            narrow[t] = mask[t] && condition[t].kind == HT_LANE_NUMBER &&
                        (condition[t].number != 0) == (arm == 0);
        ht_lanes_evaluate(lanes, node->children[1 + arm], narrow, chosen);
        for (size_t t = 0; t < lanes->threads; ++t)
            if (narrow[t])
                out[t] = fit(node, chosen[t]);
    }
    free(narrow);
    free(condition);
    free(chosen);
}

static void evaluate_unary(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                           ht_lane_value *out) {
    ht_lanes_evaluate(lanes, node->children[0], mask, out);
    for (size_t t = 0; t < lanes->threads; ++t) {
        ht_lane_value *value = &out[t];
        bool whole = value->kind == HT_LANE_NUMBER;
        if (node->op == HT_UNARY_MINUS && value->kind == HT_LANE_REAL)
            value->real = -value->real;
        else if (node->op == HT_UNARY_MINUS && whole && value->number != INT64_MIN)
            *value = fit(node, ht_lanes_number(-value->number));
        else if (node->op == HT_UNARY_NOT && whole)
            value->number = !value->number;
        else if (node->op == HT_UNARY_BIT_NOT && whole)
            *value = fit(node, ht_lanes_number(~value->number));
        else if (node->op != HT_UNARY_PLUS)
            *value = (ht_lane_value){0};
    }
}

static void evaluate_cast(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                          ht_lane_value *out) {
    ht_lanes_evaluate(lanes, node->children[0], mask, out);
    bool real = node->type == HT_TYPE_REAL, whole = node->is_whole || node->is_open;
    for (size_t t = 0; t < lanes->threads; ++t) {
        bool to_real = out[t].kind == HT_LANE_NUMBER && real;
        bool same = out[t].kind == HT_LANE_NUMBER ? whole : real || node->is_open;
        if (to_real)
            out[t] = (ht_lane_value){.kind = HT_LANE_REAL, .real = (double)out[t].number};
        else if (out[t].kind == HT_LANE_PART && whole && node->is_whole)
            same = node->children[0]->is_whole && node->bits == node->children[0]->bits;
        if (!to_real && !same)
            out[t] = (ht_lane_value){0};
        else if (node->type == HT_TYPE_BOOL && out[t].kind == HT_LANE_NUMBER)
            out[t].number = out[t].number != 0;
        else
            out[t] = fit(node, out[t]);
    }
}

/* ---- variables and shared memory ---- */

size_t ht_lanes_followed(const ht_lanes *lanes, size_t variable) {
    const ht_syntax_variable *to = lanes->variables[variable].stands_for;
    return to ? to->index : variable;
}

void ht_lanes_set(ht_lanes *lanes, size_t variable, const bool *mask, const ht_lane_value *values) {
    ht_lane_variable *of = &lanes->variables[ht_lanes_followed(lanes, variable)];
    if (!of->values)
        of->values = ht_lanes_values_new(lanes);
    for (size_t t = 0; t < lanes->threads; ++t)
        if (mask[t])
            of->values[t] = values[t];
    of->touched = true;
}

static bool is_wavefront(const ht_syntax_variable *variable) {
    return strcmp(variable->name, "warpSize") == 0 && !variable->is_local;
}

static bool keeps_value(const ht_syntax_variable *variable, const void *context) {
    const ht_lanes *lanes = context;
    const ht_syntax *kept = ht_syntax_kept(variable);
    return is_wavefront(variable) ||
           (kept && !variable->rank && variable->space != HT_SPACE_SHARED &&
            !lanes->variables[variable->index].values &&
            ht_syntax_is_formula(kept, keeps_value, lanes));
}

/* Returns the value that a variable was declared with ahead of the run, if it follows from what
 * never changes; NULL: it may not. */
static const ht_syntax *steady_value(const ht_lanes *lanes, const ht_syntax_variable *variable) {
    const ht_syntax *kept = ht_syntax_kept(variable);
    bool steady = lanes->depth < DEPTH_MAX && ht_syntax_is_formula(kept, keeps_value, lanes);
    return steady ? kept : NULL;
}

static void evaluate_name(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                          ht_lane_value *out) {
    const ht_syntax_variable *variable =
        &lanes->tree->variables[ht_lanes_followed(lanes, node->variable)];
    const ht_lane_variable *of = &lanes->variables[variable->index];
    const ht_syntax *kept = of->values ? NULL : steady_value(lanes, variable);
    int64_t value;
    if (is_wavefront(variable)) {
        for (size_t t = 0; t < lanes->threads; ++t)
            out[t] = ht_lanes_number((int64_t)lanes->wavefront);
    } else if (of->values) {
        for (size_t t = 0; t < lanes->threads; ++t)
            if (mask[t])
                out[t] = of->values[t];
    } else if (ht_syntax_constant(node, &value)) {
        for (size_t t = 0; t < lanes->threads; ++t)
            out[t] = fit(node, ht_lanes_number(value));
    } else if (kept) {
        ++lanes->depth;
        ht_lanes_evaluate(lanes, kept, mask, out);
        --lanes->depth;
    }
}

static void evaluate_index(ht_lanes *lanes, const ht_syntax *node, ht_lane_value *out) {
    for (size_t t = 0; t < lanes->threads; ++t)
        switch ((ht_index_kind)node->op) {
        case HT_INDEX_THREAD:
            out[t] = ht_lanes_number(node->axis == 0 ? (int64_t)t : 0);
            break;
        case HT_INDEX_BLOCK_DIM:
            out[t] = ht_lanes_number(node->axis == 0 ? (int64_t)lanes->threads : 1);
            break;
        default:
            break;
        }
}

static void evaluate_place(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                           ht_lane_value *out) {
    ht_lane_value *places = ht_lanes_values_new(lanes);
    ht_lane_variable *of = ht_lanes_place(lanes, node, mask, places);
    if (of)
        ht_lanes_load(lanes, node, of, mask, places, out);
    else if (node->kind == HT_SYNTAX_NAME)
        evaluate_name(lanes, node, mask, out);
    free(places);
}

/* ---- assignments ---- */

static int plain_op(int op) {
    switch (op) {
    case HT_BINARY_ADD_ASSIGN:
        return HT_BINARY_ADD;
    case HT_BINARY_SUB_ASSIGN:
        return HT_BINARY_SUB;
    case HT_BINARY_MUL_ASSIGN:
        return HT_BINARY_MUL;
    case HT_BINARY_DIV_ASSIGN:
        return HT_BINARY_DIV;
    case HT_BINARY_REM_ASSIGN:
        return HT_BINARY_REM;
    case HT_BINARY_SHL_ASSIGN:
        return HT_BINARY_SHL;
    case HT_BINARY_SHR_ASSIGN:
        return HT_BINARY_SHR;
    case HT_BINARY_OR_ASSIGN:
        return HT_BINARY_BIT_OR;
    default:
        return HT_BINARY_INVALID;
    }
}

void ht_lanes_assign(ht_lanes *lanes, const ht_syntax *target, const bool *mask,
                     const ht_lane_value *values) {
    const ht_syntax *place = ht_syntax_strip(target);
    ht_lane_value *places = ht_lanes_values_new(lanes);
    ht_lane_variable *of = ht_lanes_place(lanes, place, mask, places);
    const ht_syntax_variable *variable = ht_syntax_named(place);
    if (of)
        ht_lanes_store(lanes, place, of, mask, places, values);
    else if (place->kind == HT_SYNTAX_NAME && variable->is_local && !variable->rank)
        ht_lanes_set(lanes, place->variable, mask, values);
    else if (place->kind == HT_SYNTAX_NAME && variable->is_parameter && !variable->parameter)
        ht_lanes_set(lanes, place->variable, mask, values);
    else
        ht_lanes_fail(lanes, target, "memory other than shared arrays is written meanwhile");
    free(places);
}

static void evaluate_assign(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                            ht_lane_value *out) {
    int op = plain_op(node->op);
    ht_lanes_evaluate(lanes, node->children[1], mask, out);
    if (node->op != HT_BINARY_ASSIGN) {
        ht_lane_value *left = ht_lanes_values_new(lanes);
        ht_lanes_evaluate(lanes, node->children[0], mask, left);
        for (size_t t = 0; t < lanes->threads; ++t)
            if (mask[t])
                out[t] = binary(lanes, node, op, &left[t], &out[t]);
        free(left);
    }
    for (size_t t = 0; t < lanes->threads; ++t)
        out[t] = fit(node, out[t]);
    ht_lanes_assign(lanes, node->children[0], mask, out);
}

static void evaluate_step(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                          ht_lane_value *out) {
    bool up = node->op == HT_UNARY_PRE_INC || node->op == HT_UNARY_POST_INC;
    bool after = node->op == HT_UNARY_POST_INC || node->op == HT_UNARY_POST_DEC;
    ht_lane_value *stepped = ht_lanes_values_new(lanes), one = ht_lanes_number(1);
    ht_lanes_evaluate(lanes, node->children[0], mask, out);
    for (size_t t = 0; t < lanes->threads; ++t)
        stepped[t] = out[t].kind == HT_LANE_NUMBER
                         ? binary(lanes, node, up ? HT_BINARY_ADD : HT_BINARY_SUB, &out[t], &one)
                         : (ht_lane_value){0};
    ht_lanes_assign(lanes, node->children[0], mask, stepped);
    if (!after)
        memcpy(out, stepped, lanes->threads * sizeof *out);
    free(stepped);
}

static void evaluate_constant(ht_lanes *lanes, const ht_syntax *node, ht_lane_value *out) {
    int64_t whole;
    bool real = node->type == HT_TYPE_REAL && ht_syntax_is_literal(node);
    ht_lane_value value = {0};
    if (real)
        value = (ht_lane_value){.kind = HT_LANE_REAL, .real = ht_syntax_literal(node)};
    else if (ht_syntax_constant(node, &whole))
        value = ht_lanes_number(whole);
    for (size_t t = 0; t < lanes->threads; ++t)
        out[t] = value;
}

void ht_lanes_evaluate_parts(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                             ht_lane_value *out) {
    ht_lane_value *ignored = ht_lanes_values_new(lanes);
    if (node->kind == HT_SYNTAX_ADDRESS || node->kind == HT_SYNTAX_UNKNOWN)
        ht_lanes_fail(lanes, node, "an expression is of a kind that is not followed");
    for (size_t i = 0; i < node->count && !lanes->why; ++i)
        if (node->children[i])
            ht_lanes_evaluate(lanes, node->children[i], mask, ignored);
    free(ignored);
    memset(out, 0, lanes->threads * sizeof *out);
}

void ht_lanes_evaluate(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                       ht_lane_value *out) {
    memset(out, 0, lanes->threads * sizeof *out);
    if (lanes->why)
        return;
    switch (node->kind) {
    case HT_SYNTAX_CONSTANT:
        evaluate_constant(lanes, node, out);
        break;
    case HT_SYNTAX_INDEX:
        evaluate_index(lanes, node, out);
        break;
    case HT_SYNTAX_NAME:
    case HT_SYNTAX_SUBSCRIPT:
        evaluate_place(lanes, node, mask, out);
        break;
    case HT_SYNTAX_PAREN:
        ht_lanes_evaluate(lanes, node->children[0], mask, out);
        break;
    case HT_SYNTAX_CAST:
        evaluate_cast(lanes, node, mask, out);
        break;
    case HT_SYNTAX_BINARY:
        evaluate_binary(lanes, node, mask, out);
        break;
    case HT_SYNTAX_UNARY:
        evaluate_unary(lanes, node, mask, out);
        break;
    case HT_SYNTAX_CONDITIONAL:
        evaluate_choice(lanes, node, mask, out);
        break;
    case HT_SYNTAX_ASSIGN:
        evaluate_assign(lanes, node, mask, out);
        break;
    case HT_SYNTAX_STEP:
        evaluate_step(lanes, node, mask, out);
        break;
    case HT_SYNTAX_CALL:
        ht_lanes_evaluate_call(lanes, node, mask, out);
        break;
    default:
        ht_lanes_evaluate_parts(lanes, node, mask, out);
    }
}
