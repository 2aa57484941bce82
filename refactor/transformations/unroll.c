/* unroll: the factors of `#pragma unroll` for loops whose trip count is a constant, of literal
 * factors that stand there already, and of innermost loops whose trip count is known at run time
 * only, which compilers for GPUs leave as they are: 1. */
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/source/conditional.h"

#include <stdlib.h>
#include <string.h>

enum { LOOPS_MAX = 4, RUNTIME_MAX = 2, TRIP_MAX = 64, DEPTH_MAX = 4 };

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
    const ht_tokens *tokens = &model->facts->source->tokens;
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
} context;

/* An `#pragma unroll` line right before the loop. */
static pragma pragma_before(const ht_model *model, size_t begin) {
    const ht_tokens *tokens = &model->facts->source->tokens;
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

static const char *factor_name(context *in, CXCursor loop) {
    CXCursor init, condition, increment, body;
    ht_ast_for(loop, &init, &condition, &increment, &body);
    CXCursor variable = ht_ast_child(init, 0);
    char *counter = clang_getCursorKind(variable) == CXCursor_VarDecl ? ht_cursor_name(variable)
                                                                      : ht_strdup("LOOP");
    const char *name = ht_plan_name_upper(in->plan, "UNROLL_", counter);
    free(counter);
    return name;
}

/* `param`: while it has its default, an applied source is left as it is; NULL: it is written. */
static void place_pragma(context *in, ht_range loop, const pragma *before, const char *name,
                         const char *param) {
    const char *text = in->model->text;
    if (before->found) {
        ht_plan_editf(in->plan, before->range, param, "#pragma unroll ${%s}", name);
        return;
    }
    size_t line = loop.begin;
    while (line > 0 && (text[line - 1] == ' ' || text[line - 1] == '\t'))
        --line;
    bool first = line == 0 || text[line - 1] == '\n';
    ht_range at = {loop.begin, loop.begin};
    if (first)
        ht_plan_editf(in->plan, at, param, "#pragma unroll ${%s}\n%.*s", name,
                      (int)(loop.begin - line), text + line);
    else
        ht_plan_editf(in->plan, at, param, "\n#pragma unroll ${%s}\n", name);
}

/* ---- loops that are bounded at run time */

/* Further loops, and what keeps compilers from unrolling. */
static bool on_inner(CXCursor cursor, CXCursor parent, void *data) {
    (void)parent;
    bool *found = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool loop = kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
                kind == CXCursor_CXXForRangeStmt;
    bool other = kind == CXCursor_LambdaExpr || kind == CXCursor_GotoStmt ||
                 kind == CXCursor_LabelStmt || kind == CXCursor_GCCAsmStmt;
    bool barrier = kind == CXCursor_CallExpr && ht_cursor_named(cursor, "__syncthreads");
    *found = *found || loop || other || barrier;
    return !*found;
}

/* Does an argument that has become a constant bound the loop? Then compilers unroll it as it is. */
static bool is_fixed(const context *in, CXCursor expression, int depth) {
    CXCursor cursor = ht_ast_strip(expression, true), declaration = ht_ast_variable(cursor);
    const ht_parameter *parameter = ht_model_parameter(in->model, declaration);
    const ht_local *local = ht_model_local(in->model, declaration);
    for (size_t i = 0; parameter && i < in->plan->param_count; ++i)
        if (in->plan->params[i].stands_for &&
            strcmp(in->plan->params[i].stands_for, parameter->name) == 0)
            return true;
    if (local)
        return depth < DEPTH_MAX && !clang_Cursor_isNull(local->initializer) &&
               is_fixed(in, local->initializer, depth + 1);
    ht_cursors list = ht_ast_children(cursor);
    bool found = false;
    for (size_t i = 0; i < list.count && !found; ++i)
        found = clang_isExpression(clang_getCursorKind(list.items[i])) &&
                is_fixed(in, list.items[i], depth);
    free(list.items);
    return found;
}

/* From constant to constant, if not in equal steps: halves down to 0, say. */
static bool is_bounded_by_constants(const context *in, CXCursor init, CXCursor condition) {
    enum CXBinaryOperatorKind kind;
    CXCursor left, right, variable = ht_ast_child(init, 0);
    int64_t value;
    CXCursor start = clang_getCursorKind(variable) == CXCursor_VarDecl
                         ? clang_Cursor_getVarDeclInitializer(variable)
                         : clang_getNullCursor();
    return !clang_Cursor_isNull(start) && ht_model_constant(in->model, start, &value) &&
           ht_ast_binary(ht_ast_strip(condition, false), &kind, &left, &right) &&
           ht_model_constant(in->model, right, &value);
}

/* An innermost loop that counts up to, or down from, what is not known before the launch. Kernels
 * whose lanes exchange values are left alone. */
static bool is_runtime(const context *in, CXCursor cursor) {
    CXCursor init, condition, increment, body;
    bool other = in->model->feature[HT_FEATURE_WAVEFRONT] ||
                 in->model->feature[HT_FEATURE_COOPERATIVE] || in->model->feature[HT_FEATURE_ASM];
    if (other || in->runtime_count >= RUNTIME_MAX ||
        !ht_ast_for(cursor, &init, &condition, &increment, &body) ||
        is_bounded_by_constants(in, init, condition))
        return false;
    if (on_inner(body, cursor, &other))
        ht_ast_walk(body, on_inner, &other);
    return !other && !is_fixed(in, condition, 0);
}

static void offer_runtime(context *in, CXCursor cursor, ht_range loop, const pragma *before) {
    const char *name = factor_name(in, cursor);
    if (ht_plan_param(in->plan, name, "1, 2, 4, 8", "1"))
        in->plan->params[in->plan->param_count - 1].loop = loop;
    place_pragma(in, loop, before, name, name);
    ht_plan_remark(in->plan, HT_REMARK_APPLIED, cursor,
                   "the loop is bounded at run time; its unroll factor became %s", name);
    ++in->runtime_count;
    ++in->count;
}

static bool on_loop(CXCursor cursor, CXCursor parent, void *data) {
    (void)parent;
    context *in = data;
    ht_range loop;
    int64_t trip = 0;
    if (clang_getCursorKind(cursor) == CXCursor_LambdaExpr)
        return false;
    if (clang_getCursorKind(cursor) != CXCursor_ForStmt || in->count >= LOOPS_MAX)
        return true;
    if (!ht_ast_statement_range(in->model, cursor, false, &loop))
        return true;
    pragma before = pragma_before(in->model, loop.begin);
    const char *why = place_obstacle(in->model, loop);
    if (why) {
        ht_plan_remark(in->plan, HT_REMARK_MISSED, cursor, "its unroll factor stays: %s", why);
        return true;
    }
    if (before.found && !before.bare && !before.literal)
        return true;
    bool constant = ht_ast_trip_count(in->model, cursor, &trip);
    int64_t factor = before.literal ? before.factor : trip;
    if (!constant && before.literal && factor >= 1 && factor <= 16)
        trip = 16;
    else if (!constant && !before.found && is_runtime(in, cursor)) {
        offer_runtime(in, cursor, loop, &before);
        return true;
    } else if (!constant || trip < 2 || trip > TRIP_MAX || factor < 1 || factor > TRIP_MAX)
        return true;
    char *values = factors(trip, factor), *number = ht_format("%lld", (long long)factor);
    const char *name = factor_name(in, cursor);
    if (ht_plan_param(in->plan, name, values, number))
        in->plan->params[in->plan->param_count - 1].loop = loop;
    place_pragma(in, loop, &before, name, NULL);
    ht_plan_remark(in->plan, HT_REMARK_APPLIED, cursor, "the unroll factor became %s", name);
    ++in->count;
    free(values);
    free(number);
    return true;
}

static void apply(const ht_model *model, ht_plan *plan) {
    context in = {model, plan, 0, 0};
    ht_ast_walk(model->body, on_loop, &in);
}

const ht_transformation ht_transformation_unroll = {
    .name = "unroll",
    .summary = "unroll factors of loops",
    .apply = apply,
    .searched = {.drops = {{80, NULL}},
                 .steps = {{60, {{.prefix = "UNROLL", .values = {4, 8, 2}}}}}},
};
