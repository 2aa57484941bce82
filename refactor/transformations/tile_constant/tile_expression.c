/* Kernel expressions in terms of the constants that are about to become parameters. */
#include "base/memory.h"
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 24, BUDGET = 20000, LENGTH_MAX = 2000 };

const ht_macro *ht_tile_writing_macro(const ht_source *source, CXCursor literal) {
    CXFile file;
    unsigned offset;
    CXSourceLocation begin = clang_getRangeStart(clang_getCursorExtent(literal));
    clang_getSpellingLocation(begin, &file, NULL, NULL, &offset);
    size_t index = ht_source_file(source, file);
    for (size_t i = 0; i < source->macro_count; ++i)
        if (source->macros[i].file == index && offset >= source->macros[i].body.begin &&
            offset < source->macros[i].body.end)
            return &source->macros[i];
    return NULL;
}

static const ht_tile *of_declaration(const ht_tiles *tiles, CXCursor declaration) {
    for (size_t i = 0; i < tiles->count; ++i)
        if (tiles->items[i].kind != HT_TILE_MACRO &&
            clang_equalCursors(tiles->items[i].declaration, declaration))
            return &tiles->items[i];
    return NULL;
}

const ht_tile *ht_tiles_leaf(const ht_tiles *tiles, CXCursor leaf) {
    CXCursor cursor = ht_ast_strip(leaf, true);
    if (clang_getCursorKind(cursor) == CXCursor_IntegerLiteral) {
        const ht_macro *macro = ht_tile_writing_macro(tiles->model->facts->source, cursor);
        for (size_t i = 0; macro && i < tiles->count; ++i)
            if (tiles->items[i].kind == HT_TILE_MACRO && tiles->items[i].macro == macro)
                return &tiles->items[i];
        return NULL;
    }
    CXCursor declaration = ht_ast_variable(cursor);
    return clang_Cursor_isNull(declaration) ? NULL : of_declaration(tiles, declaration);
}

typedef struct mention {
    const ht_tiles *tiles;
    bool found;
    int depth;
    int budget; /* cursors that may still be looked at; none left counts as found */
} mention;

static bool on_mention(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    mention *in = context;
    int axis;
    in->found = in->found || --in->budget < 0;
    if (in->found || !clang_isExpression(clang_getCursorKind(cursor)))
        return !in->found;
    if (ht_tiles_leaf(in->tiles, cursor))
        in->found = true;
    else if (ht_index_plain(in->tiles->model, cursor, false, &axis) == HT_INDEX_BLOCK_DIM)
        in->found = true;
    else if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr && in->depth < DEPTH_MAX) {
        CXCursor variable = clang_getCursorReferenced(cursor);
        CXCursor initializer = clang_getCursorKind(variable) == CXCursor_VarDecl
                                   ? clang_Cursor_getVarDeclInitializer(variable)
                                   : clang_getNullCursor();
        const ht_local *local = ht_model_local(in->tiles->model, variable);
        bool follow = !clang_Cursor_isNull(initializer) &&
                      (local ? local->writes == 0
                             : clang_isConstQualifiedType(clang_getCursorType(variable)) != 0);
        if (follow) {
            ++in->depth;
            on_mention(initializer, variable, in);
            ht_ast_walk(initializer, on_mention, in);
            --in->depth;
        }
    }
    return !in->found;
}

bool ht_tiles_mention(const ht_tiles *tiles, CXCursor expression) {
    mention in = {tiles, false, 0, BUDGET};
    on_mention(expression, expression, &in);
    if (!in.found)
        ht_ast_walk(expression, on_mention, &in);
    return in.found;
}

/* ---- writing
 * -------------------------------------------------------------------------------------------------------
 */

static bool write(const ht_tiles *tiles, CXCursor expression, int depth, ht_text *out);

/* Not shifts: tile proofs know nothing of them. */
static bool is_written(enum CXBinaryOperatorKind kind) {
    return kind >= CXBinaryOperator_Mul && kind <= CXBinaryOperator_Sub;
}

static bool write_variable(const ht_tiles *tiles, CXCursor variable, int depth, ht_text *out) {
    const ht_model *model = tiles->model;
    const ht_parameter *parameter = ht_model_parameter(model, variable);
    if (parameter) {
        const char *name = ht_argument_name(model, (size_t)(parameter - model->parameters));
        if (!name || parameter->is_assigned)
            return false;
        ht_text_append(out, name);
        return true;
    }
    const ht_local *local = ht_model_local(model, variable);
    if (clang_getCursorKind(variable) != CXCursor_VarDecl || (local && local->writes > 0) ||
        (!local && !clang_isConstQualifiedType(clang_getCursorType(variable))))
        return false;
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(variable);
    return !clang_Cursor_isNull(initializer) && write(tiles, initializer, depth + 1, out);
}

static const char *tile_of_axis(const ht_tiles *tiles, int axis) {
    for (size_t i = 0; i < tiles->count; ++i)
        if (tiles->items[i].axis[axis])
            return tiles->items[i].name;
    return NULL;
}

static bool write(const ht_tiles *tiles, CXCursor expression, int depth, ht_text *out) {
    CXCursor cursor = ht_ast_strip(expression, true), left, right;
    int64_t value;
    int axis;
    if (depth > DEPTH_MAX || out->length > LENGTH_MAX)
        return false;
    const ht_tile *leaf = ht_tiles_leaf(tiles, cursor);
    if (leaf) {
        ht_text_append(out, leaf->name);
        return true;
    }
    if (!ht_tiles_mention(tiles, cursor) && ht_model_constant(tiles->model, cursor, &value)) {
        ht_text_printf(out, value < 0 ? "(%lld)" : "%lld", (long long)value);
        return true;
    }
    if (ht_index_plain(tiles->model, cursor, false, &axis) == HT_INDEX_BLOCK_DIM) {
        const char *name = tile_of_axis(tiles, axis);
        if (name)
            ht_text_append(out, name);
        else
            ht_text_printf(out, "%lld", (long long)tiles->model->axes[axis].block);
        return name || tiles->model->axes[axis].block > 0;
    }
    CXCursor variable = ht_ast_variable(cursor);
    if (!clang_Cursor_isNull(variable))
        return write_variable(tiles, variable, depth, out);
    enum CXBinaryOperatorKind kind;
    if (!ht_ast_binary(cursor, &kind, &left, &right) || !is_written(kind))
        return false;
    ht_text_append(out, "(");
    if (!write(tiles, left, depth + 1, out))
        return false;
    ht_text_printf(out, " %s ", ht_ast_operator(kind));
    if (!write(tiles, right, depth + 1, out))
        return false;
    ht_text_append(out, ")");
    return true;
}

char *ht_tiles_expression(const ht_tiles *tiles, CXCursor expression) {
    ht_text text = {0};
    if (write(tiles, expression, 0, &text) && text.length)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

/* ---- values
 * -------------------------------------------------------------------------------------------------------
 */

static bool lookup_tile(const void *context, const char *name, int64_t *out_value) {
    const ht_tiles *tiles = context;
    for (size_t i = 0; i < tiles->count; ++i)
        if (strcmp(tiles->items[i].name, name) == 0) {
            *out_value = tiles->items[i].value;
            return true;
        }
    return false;
}

bool ht_tile_original(const ht_tiles *tiles, const char *text, int64_t *out_value) {
    ht_expr *expr;
    ht_place nowhere = {0};
    ht_scope scope = {.lookup = lookup_tile, .context = tiles};
    if (ht_expr_parse(text, nowhere, &expr, NULL) != HT_OK)
        return false;
    bool known = ht_expr_evaluate(expr, &scope, out_value, NULL) == HT_OK;
    ht_expr_free(expr);
    return known;
}
