#include "refactor/kernel/runtime_block.h"
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/launch/extent.h"
#include "refactor/launch/symbol.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_THREADS = 256 };

/* Returns the variable or field that sets an axis's extent, past variables that only pass it on. */
static ht_symbol *chooser(ht_symbol *symbol) {
    int64_t value;
    while (symbol && symbol->kind == HT_SYMBOL_VARIABLE && symbol->value_of &&
           symbol->value_of->kind == HT_SYMBOL_VARIABLE)
        symbol = symbol->value_of;
    return symbol && symbol->kind == HT_SYMBOL_VARIABLE && !ht_symbol_value(symbol, &value) ? symbol
                                                                                            : NULL;
}

static bool same_variable(const ht_symbol *a, const ht_symbol *b) {
    return a->name && b->name && strcmp(a->name, b->name) == 0 &&
           clang_equalCursors(a->declaration, b->declaration) &&
           clang_equalCursors(a->base, b->base);
}

/* ---- whether one value may stand for it ---- */

/* Returns the variable whose changes matter: for a field, its structure. */
static CXCursor changing(const ht_symbol *symbol) {
    return clang_Cursor_isNull(symbol->base) ? symbol->declaration : symbol->base;
}

/* Returns true if an argument is computed from the block: it would have to change with it. */
static bool in_arguments(const ht_launch_site *site, const ht_symbol *symbol) {
    for (size_t i = 0; i < site->argument_count; ++i)
        if (ht_ast_mentions(site->arguments[i], symbol->declaration))
            return true;
    return false;
}

/* Returns true if a variable computed from the block still fits the block where it is used: within
 * the statements in which the variable lives, nothing changes the block after its declaration.
 * Control that comes back to the declaration computes the variable anew. */
static bool keeps_up(CXCursor function, CXCursor variable, CXCursor block) {
    CXCursor scope = ht_variable_block(function, variable);
    return clang_getCursorKind(scope) == CXCursor_CompoundStmt &&
           ht_variable_writes_in(scope, block, (unsigned)ht_ast_offset(variable)) == 0;
}

static bool mentions(const ht_symbol *symbol, const ht_symbol *target) {
    if (!symbol)
        return false;
    for (int i = 0; i < 3; ++i)
        if (mentions(symbol->arguments[i], target))
            return true;
    return (symbol->kind == HT_SYMBOL_VARIABLE && same_variable(symbol, target)) ||
           mentions(symbol->value_of, target);
}

/* Returns true if the variable has the same value wherever this extent is computed from it. */
static bool is_steady(const ht_launch_site *site, const ht_symbol *symbol,
                      const ht_symbol *target) {
    if (!symbol)
        return true;
    for (int i = 0; i < 3; ++i)
        if (!is_steady(site, symbol->arguments[i], target))
            return false;
    if (!symbol->value_of)
        return true;
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(symbol->declaration);
    bool element = clang_getCursorType(symbol->declaration).kind == CXType_ConstantArray;
    bool computed = element ? mentions(symbol->value_of, target) /* perhaps by an assignment */
                            : !clang_Cursor_isNull(initializer) &&
                                  ht_ast_mentions(initializer, target->declaration);
    return (!computed || keeps_up(site->function, symbol->declaration, changing(target))) &&
           is_steady(site, symbol->value_of, target);
}

static bool extent_steady(const ht_launch_site *site, const ht_extent3 *extent,
                          const ht_symbol *target) {
    if (ht_extent_is_record(extent->variable) &&
        !clang_equalCursors(extent->variable, changing(target)) &&
        !keeps_up(site->function, extent->variable, changing(target)))
        return false;
    for (int axis = 0; axis < 3; ++axis)
        if (!is_steady(site, extent->axis[axis], target))
            return false;
    return true;
}

static bool is_named_by_problem(const ht_model *model, const char *name) {
    const ht_problem_entry *entry = model->entry;
    for (size_t i = 0; entry && i < entry->host_count; ++i)
        if (strcmp(entry->host[i].name, name) == 0)
            return true;
    for (size_t i = 0; entry && i < entry->spec.field_count; ++i)
        if (strcmp(entry->spec.fields[i].name, name) == 0)
            return true;
    return false;
}

static bool may_stand(const ht_model *model, const ht_launch_site *site, const ht_symbol *target) {
    if (is_named_by_problem(model, target->name) || in_arguments(site, target))
        return false;
    return ht_variable_writes(changing(target)) == 0 ||
           (extent_steady(site, &site->block, target) && extent_steady(site, &site->grid, target) &&
            is_steady(site, site->lds, target));
}

/* ---- blocks that are not followed ---- */

typedef struct uses {
    CXCursor
        named[16]; /* functions that the block's expression calls; if it calls none, variables */
    size_t count;
    int depth;
    bool calls, too_many, found;
} uses;

static bool on_called(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    uses *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor named =
        kind == CXCursor_CallExpr || kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr
            ? clang_getCursorReferenced(cursor)
            : clang_getNullCursor();
    bool wanted = !clang_Cursor_isNull(named) && (kind == CXCursor_CallExpr) == in->calls;
    in->too_many = in->too_many || (wanted && in->count == sizeof in->named / sizeof *in->named);
    if (wanted && !in->too_many)
        in->named[in->count++] = clang_getCanonicalCursor(named);
    return true;
}

enum { DEPTH_MAX = 6 };

/* Returns true if an expression names one of these, or what a variable of it begins with, or a
 * function that it calls. */
static bool uses_any(CXCursor expression, uses *of);

static bool on_use(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    uses *in = context;
    CXCursor named = clang_getCursorReferenced(cursor), further = clang_getNullCursor();
    for (size_t i = 0; i < in->count && !clang_Cursor_isNull(named); ++i)
        in->found = in->found || clang_equalCursors(clang_getCanonicalCursor(named), in->named[i]);
    if (clang_getCursorKind(named) == CXCursor_VarDecl)
        further = clang_Cursor_getVarDeclInitializer(named);
    else if (clang_getCursorKind(cursor) == CXCursor_CallExpr)
        further = clang_getCursorDefinition(named);
    if (!in->found && !clang_Cursor_isNull(further) && in->depth < DEPTH_MAX)
        in->found = uses_any(further, in);
    return !in->found;
}

static bool uses_any(CXCursor expression, uses *of) {
    of->found = false;
    ++of->depth;
    if (on_use(expression, expression, of))
        ht_ast_walk(expression, on_use, of);
    --of->depth;
    return of->found;
}

/* Returns an expression in a symbol that is not followed; null: there is none. */
static CXCursor unfollowed(const ht_symbol *symbol) {
    CXCursor found =
        symbol && symbol->kind == HT_SYMBOL_UNKNOWN ? symbol->written : clang_getNullCursor();
    for (int i = 0; symbol && i < 3 && clang_Cursor_isNull(found); ++i)
        found = unfollowed(symbol->arguments[i]);
    return symbol && clang_Cursor_isNull(found) ? unfollowed(symbol->value_of) : found;
}

/* Returns true if the grid, as far as it is followed, is computed from any of these. */
static bool grid_uses(const ht_symbol *symbol, uses *of) {
    if (!symbol)
        return false;
    for (int i = 0; i < 3; ++i)
        if (grid_uses(symbol->arguments[i], of))
            return true;
    for (size_t i = 0; i < of->count; ++i)
        if (clang_equalCursors(clang_getCanonicalCursor(symbol->declaration), of->named[i]))
            return true;
    return (!clang_Cursor_isNull(symbol->written) && uses_any(symbol->written, of)) ||
           grid_uses(symbol->value_of, of);
}

/* Returns true if a value may stand for an axis of the block that is computed in a way that is not
 * followed: neither arguments nor a grid that is followed are computed from it. */
static bool may_be_any(const ht_launch_site *site, const ht_symbol *axis) {
    CXCursor expression =
        axis && axis->kind != HT_SYMBOL_VARIABLE ? unfollowed(axis) : clang_getNullCursor();
    uses of = {.calls = true};
    if (clang_Cursor_isNull(expression))
        return false;
    on_called(expression, expression, &of);
    ht_ast_walk(expression, on_called, &of);
    if (!of.count) {
        of.calls = false;
        on_called(expression, expression, &of);
        ht_ast_walk(expression, on_called, &of);
    }
    bool may = of.count > 0 && !of.too_many;
    for (size_t i = 0; i < site->argument_count && may; ++i)
        may = !uses_any(site->arguments[i], &of);
    for (int k = 0; k < 3 && may; ++k)
        may = !grid_uses(site->grid.axis[k], &of) ||
              !clang_Cursor_isNull(unfollowed(site->grid.axis[k]));
    return may;
}

/* ---- the value ---- */

/* Returns the number that a variable begins with, or 0. Example: int threads = 256; if (argc > 1)
 * threads = ... */
static int64_t initial_value(const ht_symbol *target) {
    int64_t value = 0;
    CXCursor declaration = target->declaration;
    if (clang_getCursorKind(declaration) != CXCursor_VarDecl)
        return 0;
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(declaration);
    bool good = !clang_Cursor_isNull(initializer) && ht_ast_constant(initializer, &value);
    return good && value > 0 && value <= USUAL_THREADS * 4 ? value : 0;
}

/* Returns true if the kernel's text names threadIdx or blockDim along the axis. */
static bool asks_along(const ht_model *model, int axis) {
    static const char *const asked[][2] = {{"threadIdx", "hipThreadIdx_"},
                                           {"blockDim", "hipBlockDim_"}};
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    const char letter[2] = {(char)('x' + axis), 0};
    bool found = false;
    for (int k = 0; k < 2; ++k) {
        char *old = ht_format("%s%s", asked[k][1], letter);
        for (size_t i = ht_tokens_at(tokens, model->definition.range.begin);
             i < tokens->count && tokens->items[i].begin < model->definition.range.end && !found;
             ++i)
            found = ht_tokens_is(tokens, i, old) ||
                    (ht_tokens_is(tokens, i, asked[k][0]) && ht_tokens_is(tokens, i + 1, ".") &&
                     ht_tokens_is(tokens, i + 2, letter));
        free(old);
    }
    return found;
}

/* Chooses values to stand for unknown extents, from all launches: the extent of another launch,
 * else the variable's initial value, else a share of a usual block for each axis that the kernel
 * uses. */
static void values_choose(const ht_model *model, bool any, int64_t out_values[3]) {
    const ht_launches *launches = &model->facts->launches;
    int64_t known = 1;
    int unknown = 0;
    for (int axis = 0; axis < 3; ++axis) {
        bool asked = false;
        out_values[axis] = 0;
        for (size_t i = 0; i < launches->count; ++i) {
            ht_symbol *symbol = launches->items[i].block.axis[axis];
            int64_t value = 1;
            const ht_symbol *target = chooser(symbol);
            bool open = any && !target && !clang_Cursor_isNull(unfollowed(symbol));
            asked = asked || target || open;
            if (target || open)
                value = !asks_along(model, axis) ? 1 : target ? initial_value(target) : 0;
            else if (symbol && !ht_symbol_value(symbol, &value))
                value = 0;
            if (out_values[axis] == 0 && value > 0 && value <= USUAL_THREADS * 4)
                out_values[axis] = value;
        }
        known *= out_values[axis] ? out_values[axis] : 1;
        unknown += asked && !out_values[axis];
    }
    int64_t rest = USUAL_THREADS / known > 1 ? USUAL_THREADS / known : 1;
    static const int64_t shapes[3][3] = {{256, 256, 256}, {16, 16, 16}, {8, 8, 4}};
    for (int axis = 0; axis < 3; ++axis)
        if (!out_values[axis] && unknown) {
            int64_t usual = shapes[unknown - 1][axis];
            out_values[axis] = usual < rest ? usual : rest;
        }
}

/* Takes the block that the problem file gives. */
static void values_given(const ht_problem_entry *entry, int64_t out_values[3]) {
    for (int axis = 0; entry && entry->block[0] && axis < 3; ++axis) {
        ht_scope scope = {0};
        int64_t value = 1;
        if (entry->block[axis] &&
            ht_expr_evaluate(entry->block[axis], &scope, &value, NULL) != HT_OK)
            continue;
        out_values[axis] = value > 0 && value <= USUAL_THREADS * 4 ? value : out_values[axis];
    }
}

static void substitute(ht_symbol *symbol, const ht_symbol *target, int64_t value) {
    if (!symbol)
        return;
    for (int i = 0; i < 3; ++i)
        substitute(symbol->arguments[i], target, value);
    substitute(symbol->value_of, target, value);
    if (symbol->kind != HT_SYMBOL_VARIABLE || !same_variable(symbol, target))
        return;
    ht_symbol_free(symbol->value_of);
    symbol->value_of = NULL;
    symbol->kind = HT_SYMBOL_CONSTANT;
    symbol->origin = HT_ORIGIN_VARIABLE;
    symbol->value = value;
    symbol->assumed = true;
}

static void tell(ht_kernel_facts *facts, const ht_launch_site *site, const char *name) {
    if (facts->assumed.text)
        return;
    facts->assumed.text = ht_format("the block is chosen at run time, by '%s': it becomes a "
                                    "parameter of the launch",
                                    name);
    facts->assumed.line = site->file == 0 ? site->line : 0;
}

static void assume(ht_model *model, ht_launch_site *site, ht_symbol *found, int64_t value) {
    ht_symbol target = *found; /* `found` itself changes */
    target.name = ht_strdup(found->name);
    tell(model->facts, site, target.name);
    for (int axis = 0; axis < 3; ++axis) {
        substitute(site->block.axis[axis], &target, value);
        substitute(site->grid.axis[axis], &target, value);
    }
    substitute(site->lds, &target, value);
    free(target.name);
}

static void assume_any(ht_model *model, ht_launch_site *site, int axis, int64_t value) {
    CXCursor expression = unfollowed(site->block.axis[axis]);
    char *name = ht_cursor_name(expression);
    tell(model->facts, site, name);
    free(name);
    ht_symbol *constant = ht_symbol_new(HT_SYMBOL_CONSTANT);
    constant->value = value;
    constant->assumed = true;
    ht_symbol_free(site->block.axis[axis]);
    site->block.axis[axis] = constant;
}

void ht_runtime_block_assume(ht_model *model, bool any) {
    ht_launches *launches = &model->facts->launches;
    int64_t values[3];
    values_choose(model, any, values);
    values_given(model->entry, values);
    for (size_t i = 0; i < launches->count; ++i) {
        ht_launch_site *site = &launches->items[i];
        for (int axis = 0; site->block.known && site->grid.known && axis < 3; ++axis) {
            ht_symbol *target = chooser(site->block.axis[axis]);
            if (target && values[axis] > 0 && may_stand(model, site, target))
                assume(model, site, target, values[axis]);
            else if (any && values[axis] > 0 && may_be_any(site, site->block.axis[axis]))
                assume_any(model, site, axis, values[axis]);
        }
    }
}
