/* unroll: the factors of `#pragma unroll` for loops whose trip count is a constant, and of literal
 * factors that stand there already. */
#include "base/memory.h"
#include "refactor/plan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPS_MAX = 4, TRIP_MAX = 64 };

typedef struct pragma {
    bool found, bare, literal;
    int64_t factor;
    ht_range range;
} pragma;

typedef struct context {
    const ht_model *model;
    ht_plan *plan;
    int count;
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

static char *wanted_name(CXCursor loop) {
    CXCursor init, condition, increment, body;
    ht_ast_for(loop, &init, &condition, &increment, &body);
    CXCursor variable = ht_ast_child(init, 0);
    char *name = clang_getCursorKind(variable) == CXCursor_VarDecl ? ht_cursor_name(variable)
                                                                   : ht_strdup("LOOP");
    char *wanted = ht_format("UNROLL_%s", name);
    for (char *at = wanted; *at; ++at)
        *at = (char)toupper((unsigned char)*at);
    free(name);
    return wanted;
}

static void place_pragma(context *in, ht_range loop, const pragma *before, const char *name) {
    const char *text = in->model->text;
    if (before->found) {
        ht_plan_editf(in->plan, before->range, NULL, "#pragma unroll ${%s}", name);
        return;
    }
    size_t line = loop.begin;
    while (line > 0 && (text[line - 1] == ' ' || text[line - 1] == '\t'))
        --line;
    bool first = line == 0 || text[line - 1] == '\n';
    ht_range at = {loop.begin, loop.begin};
    if (first)
        ht_plan_editf(in->plan, at, NULL, "#pragma unroll ${%s}\n%.*s", name,
                      (int)(loop.begin - line), text + line);
    else
        ht_plan_editf(in->plan, at, NULL, "\n#pragma unroll ${%s}\n", name);
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
    if (before.found && !before.bare && !before.literal)
        return true;
    bool constant = ht_ast_trip_count(in->model, cursor, &trip);
    int64_t factor = before.literal ? before.factor : trip;
    if (!constant && before.literal && factor >= 1 && factor <= 16)
        trip = 16;
    else if (!constant || trip < 2 || trip > TRIP_MAX || factor < 1 || factor > TRIP_MAX)
        return true;
    char *wanted = wanted_name(cursor);
    char *values = factors(trip, factor), *number = ht_format("%lld", (long long)factor);
    const char *name = ht_plan_name(in->plan, wanted);
    ht_plan_param(in->plan, name, values, number);
    place_pragma(in, loop, &before, name);
    ht_plan_remark(in->plan, HT_REMARK_APPLIED, cursor, "the unroll factor became %s", name);
    ++in->count;
    free(wanted);
    free(values);
    free(number);
    return true;
}

static void apply(const ht_model *model, ht_plan *plan) {
    context in = {model, plan, 0};
    ht_ast_walk(model->body, on_loop, &in);
}

const ht_transformation ht_transformation_unroll = {
    "unroll", "unroll factors of loops with a constant trip count", apply};
