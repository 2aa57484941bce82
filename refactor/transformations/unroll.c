/* unroll: the factors of `#pragma unroll` for loops whose trip count is a constant, of literal
 * factors that stand there already, and of innermost loops whose trip count is known at run time
 * only, which compilers for GPUs leave as they are: 1. */
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/loops.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/source/conditional.h"

#include <stdlib.h>
#include <string.h>

enum { LOOPS_MAX = 4, RUNTIME_MAX = 2, TRIP_MAX = 64, DEPTH_MAX = 4 };

/* NVRTC unrolls loops that nobody asked it to, clang for GPUs hardly any. A default factor says "as
 * it was", so it must leave that choice where it was; clang knows no factor of 0. */
static const char helper[] =
    "// Leaves a loop whose factor is its own to the compiler: to NVRTC by 0, which clang "
    "refuses.\n"
    "#ifdef __clang__\n"
    "#define UNROLL_UNLESS(own, factor) (factor)\n"
    "#else\n"
    "#define UNROLL_UNLESS(own, factor) ((factor) == (own) ? 0 : (factor))\n"
    "#endif\n";

typedef struct pragma {
    bool found, bare, literal;
    int64_t factor;
    ht_range range;
} pragma;

/* Does a statement end with this token, so that the next one may have a pragma? Else a macro may
 * stand there that is one. */
static bool ends_statement(const ht_tokens *tokens, size_t index) {
    static const char *const ends[] = {";", "{", "}", ")", "else", "do", ":", NULL};
    return ht_tokens_is_any(tokens, index, ends);
}

/* Why no pragma can be put in front of a loop; NULL: it can. Compilers take one alone, and another
 * one may come to stand there in another build, or by a macro. */
static const char *place_obstacle(const ht_model *model, ht_range loop) {
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    int depth = 0;
    bool crossed = false, branch_ends = false;
    for (size_t i = ht_tokens_at(tokens, loop.begin); i > 0; --i) {
        ht_directive kind = ht_directive_kind(tokens, i - 1);
        if (kind == HT_DIRECTIVE_PRAGMA && crossed && (depth == 0 || branch_ends))
            return "a conditional right before it has a pragma for it";
        if (tokens->items[i - 1].kind != HT_TOKEN_DIRECTIVE) {
            if ((depth == 0 || branch_ends) && !ends_statement(tokens, i - 1))
                return "a macro stands right before it, and may be a pragma";
            branch_ends = false;
            if (depth == 0)
                return NULL;
        } else if (kind == HT_DIRECTIVE_IF || kind == HT_DIRECTIVE_ELSE ||
                   kind == HT_DIRECTIVE_ENDIF) {
            crossed = true;
            branch_ends = kind != HT_DIRECTIVE_IF;
            depth += (kind == HT_DIRECTIVE_ENDIF) - (kind == HT_DIRECTIVE_IF);
            depth += kind == HT_DIRECTIVE_ELSE && depth == 0; /* the loop stands in this branch */
            depth = depth < 0 ? 0 : depth;
        }
    }
    return NULL;
}

typedef struct context {
    const ht_model *model;
    ht_plan *plan;
    int count, runtime_count;
    bool helped; /* UNROLL_UNLESS is defined */
} context;

/* An `#pragma unroll` line right before the loop. */
static pragma pragma_before(const ht_model *model, size_t begin) {
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    pragma found = {0};
    size_t index = ht_tokens_at(tokens, begin);
    if (index == 0 || tokens->items[index - 1].kind != HT_TOKEN_DIRECTIVE)
        return found;
    ht_token directive = tokens->items[index - 1];
    ht_tokens line;
    ht_tokens_read(model->text, (ht_range){directive.begin, directive.end}, false, &line);
    if (ht_tokens_is(&line, 1, "pragma")) {
        size_t at = ht_tokens_is(&line, 2, "clang") || ht_tokens_is(&line, 2, "GCC") ? 3 : 2;
        found.found = true;
        found.range = (ht_range){directive.begin, directive.end};
        if (at == 2 && ht_tokens_is(&line, 2, "unroll")) {
            size_t last = line.count - 1;
            bool parens = ht_tokens_is(&line, 3, "(");
            size_t value = parens ? 4 : 3;
            found.bare = last == 2;
            found.literal = !found.bare &&
                            line.items[value < line.count ? value : 0].kind == HT_TOKEN_NUMBER &&
                            last == value + parens;
            if (found.literal)
                found.factor = strtoll(model->text + line.items[value].begin, NULL, 0);
        }
    }
    ht_tokens_free(&line);
    return found;
}

static char *factors(int64_t trip, int64_t factor) {
    ht_text text = {0};
    bool placed = false;
    for (int64_t value = 1; value <= trip; ++value) {
        bool power = (value & (value - 1)) == 0 && trip % value == 0 && value <= 16;
        if (value != factor && value != trip && !power)
            continue;
        placed = placed || value == factor;
        ht_text_printf(&text, text.length ? ", %lld" : "%lld", (long long)value);
    }
    if (!placed)
        ht_text_printf(&text, ", %lld", (long long)factor);
    return ht_text_take(&text);
}

static const char *factor_name(context *in, const ht_syntax *loop) {
    const ht_syntax_variable *counter = ht_loop_declared(loop);
    return ht_plan_name_upper(in->plan, "UNROLL_", counter ? counter->name : "LOOP");
}

/* The pragma, without a number in an applied source where that is the trip count: then an author's
 * own stays as it is. `trip` 0: it is not known. */
static char *pragma_text(const pragma *before, const char *name, int64_t trip) {
    if (before->literal)
        return ht_format("#pragma unroll ${%s}", name);
    if (before->bare)
        return ht_format("$?{%s == %lld}{#pragma unroll %s}{$[%zu,%zu]}"
                         "$?{%s != %lld}{}{#pragma unroll ${%s}}",
                         name, (long long)trip, name, before->range.begin, before->range.end, name,
                         (long long)trip, name);
    /* the default factor of a loop without a pragma */
    return ht_format("$?{1}{#pragma unroll UNROLL_UNLESS(%lld, %s)}{#pragma unroll ${%s}}",
                     (long long)(trip ? trip : 1), name, name);
}

/* `param`: while it has its default, an applied source is left as it is, as is a loop for which its
 * author wrote no pragma; NULL: it is written. */
static void place_pragma(context *in, ht_range loop, const pragma *before, const char *name,
                         const char *param, int64_t trip) {
    const char *text = in->model->text;
    char *pragma = pragma_text(before, name, trip);
    if (before->found) {
        ht_plan_edit(in->plan, before->range, param, pragma);
        free(pragma);
        return;
    }
    if (!in->helped)
        ht_plan_help(in->plan, helper);
    in->helped = true;
    size_t line = ht_blank_begin(text, loop.begin);
    bool first = line == 0 || text[line - 1] == '\n';
    ht_range at = {loop.begin, loop.begin};
    ht_plan_editf(in->plan, at, param, first ? "%s\n$^" : "\n%s\n", pragma);
    free(pragma);
}

/* ---- loops that are bounded at run time */

/* A `for` of which a part is left out has no kind of its own. */
static bool is_for(const ht_syntax *node) {
    const ht_tokens *tokens = ht_source_tokens(node->tree->model->facts->source, 0);
    if (node->kind != HT_SYNTAX_UNKNOWN_STATEMENT || !node->begins)
        return node->kind == HT_SYNTAX_FOR;
    size_t at = ht_tokens_at(tokens, node->start);
    bool counts = ht_tokens_is(tokens, at, "for") && ht_tokens_is(tokens, at + 1, "(");
    size_t close = counts ? ht_tokens_close(tokens, at + 1) : at;
    while (at < close && !ht_tokens_is(tokens, at, ";"))
        ++at;
    return at < close; /* not one over a range */
}

/* Further loops, and what keeps compilers from unrolling. */
static bool is_inner(const ht_syntax *node, const void *data) {
    (void)data;
    static const char *const harmless[] = {"if", "switch", NULL}; /* that declare a variable */
    const ht_tokens *tokens = ht_source_tokens(node->tree->model->facts->source, 0);
    bool other = node->kind == HT_SYNTAX_UNKNOWN_STATEMENT &&
                 !ht_tokens_is_any(tokens, ht_tokens_at(tokens, node->start), harmless);
    bool lambda = node->kind == HT_SYNTAX_COMPOUND && ht_syntax_is_expression(node->parent);
    return ht_syntax_is_loop(node) || other || lambda || ht_syntax_calls(node, "__syncthreads");
}

/* Does an argument that has become a constant bound the loop? Then compilers unroll it as it is. */
static bool is_fixed(const context *in, const ht_syntax *expression, int depth) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    const ht_syntax_variable *variable = ht_syntax_named(node);
    const ht_parameter *parameter = variable ? variable->parameter : NULL;
    for (size_t i = 0; parameter && i < in->plan->params.count; ++i)
        if (in->plan->params.items[i].stands_for &&
            strcmp(in->plan->params.items[i].stands_for, parameter->name) == 0)
            return true;
    if (variable && variable->local) {
        const ht_syntax *value = ht_syntax_initializer(variable);
        return depth < DEPTH_MAX && value && is_fixed(in, value, depth + 1);
    }
    for (size_t i = 0; i < node->count; ++i)
        if (is_fixed(in, node->children[i], depth))
            return true;
    return false;
}

/* From constant to constant, if not in equal steps: halves down to 0, say. */
static bool is_bounded_by_constants(const ht_syntax *loop) {
    const ht_syntax_variable *counter = ht_loop_declared(loop);
    const ht_syntax *start = counter ? ht_syntax_initializer(counter) : NULL, *left, *right;
    int64_t value;
    int op;
    return start && ht_syntax_constant(start, &value) &&
           ht_syntax_binary(loop->children[1], &op, &left, &right) &&
           ht_syntax_constant(right, &value);
}

/* An innermost loop that counts up to, or down from, what is not known before the launch. Kernels
 * whose lanes exchange values are left alone. */
static bool is_runtime(const context *in, const ht_syntax *loop) {
    bool other = in->model->feature[HT_FEATURE_WAVEFRONT] ||
                 in->model->feature[HT_FEATURE_COOPERATIVE] || in->model->feature[HT_FEATURE_ASM];
    if (other || in->runtime_count >= RUNTIME_MAX || loop->kind != HT_SYNTAX_FOR ||
        !loop->children[1] || is_bounded_by_constants(loop))
        return false;
    return !ht_syntax_first(ht_syntax_body(loop), is_inner, NULL) &&
           !is_fixed(in, loop->children[1], 0);
}

/* Adds the parameter of a loop's factor. Returns its name. `whole`: as ht_planned_param. */
static const char *add_factor(context *in, const ht_syntax *node, ht_range loop, const char *values,
                              const char *factor, bool whole) {
    const char *name = factor_name(in, node);
    if (ht_plan_param(in->plan, name, values, factor)) {
        ht_planned_param *param = &in->plan->params.items[in->plan->params.count - 1];
        param->loop = loop;
        param->whole = whole;
    }
    ++in->count;
    return name;
}

static void offer_runtime(context *in, const ht_syntax *node, ht_range loop, const pragma *before) {
    const char *name = add_factor(in, node, loop, "1, 2, 4, 8", "1", false);
    place_pragma(in, loop, before, name, name, 0);
    ht_plan_remark_place(in->plan, HT_REMARK_APPLIED, node->at,
                         "the loop is bounded at run time; its unroll factor became %s", name);
    ++in->runtime_count;
}

/* ---- loops */

static void offer(context *in, const ht_syntax *node, ht_range loop, const pragma *before,
                  int64_t trip, int64_t factor, bool constant) {
    char *values = factors(trip, factor), *number = ht_format("%lld", (long long)factor);
    const char *name = add_factor(in, node, loop, values, number, constant && !before->found);
    place_pragma(in, loop, before, name, before->found ? NULL : name, constant ? trip : 0);
    ht_plan_remark_place(in->plan, HT_REMARK_APPLIED, node->at, "the unroll factor became %s",
                         name);
    free(values);
    free(number);
}

static bool on_loop(const ht_syntax *node, void *data) {
    context *in = data;
    ht_range loop = {node->start, node->range.end};
    int64_t trip = 0;
    if (ht_syntax_is_expression(node)) /* a lambda */
        return false;
    if (!is_for(node) || in->count >= LOOPS_MAX || !node->begins ||
        !ht_model_is_plain(in->model, node->start))
        return true;
    pragma before = pragma_before(in->model, loop.begin);
    const char *why = place_obstacle(in->model, loop);
    if (why) {
        ht_plan_remark_place(in->plan, HT_REMARK_MISSED, node->at, "its unroll factor stays: %s",
                             why);
        return true;
    }
    if (before.found && !before.bare && !before.literal)
        return true;
    bool constant = ht_syntax_trip_count(node, &trip);
    int64_t factor = before.literal ? before.factor : trip;
    if (!constant && before.literal && factor >= 1 && factor <= 16)
        offer(in, node, loop, &before, 16, factor, false);
    else if (!constant && !before.found && is_runtime(in, node))
        offer_runtime(in, node, loop, &before);
    else if (constant && trip >= 2 && trip <= TRIP_MAX && factor >= 1 && factor <= TRIP_MAX)
        offer(in, node, loop, &before, trip, factor, true);
    return true;
}

static void apply(const ht_model *model, ht_plan *plan) {
    context in = {.model = model, .plan = plan};
    ht_syntax_walk(ht_syntax_of(model)->body, on_loop, &in);
}

const ht_transformation ht_transformation_unroll = {
    .name = "unroll",
    .summary = "unroll factors of loops",
    .apply = apply,
    .searched = {.drops = {{80, NULL}},
                 .steps = {{60, {{.prefix = "UNROLL", .values = {4, 8, 2}}}}}},
};
