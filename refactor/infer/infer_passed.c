#include "refactor/infer/infer_passed.h"
#include "refactor/source/ast.h"
#include "refactor/source/variable.h"

#include <stdlib.h>

enum { CALLERS_MAX = 6 };

typedef struct calling {
    const ht_source *source;
    CXCursor function;
    CXCursor found; /* the first call; null: none yet */
} calling;

static bool on_call(CXCursor cursor, CXCursor parent, void *context) {
    calling *in = context;
    size_t file;
    ht_range range;
    if (!clang_Cursor_isNull(in->found))
        return false;
    if (clang_getCursorKind(parent) == CXCursor_TranslationUnit &&
        !ht_source_range(in->source, cursor, &file, &range))
        return false; /* a header of the system's */
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
        return true;
    CXCursor called = clang_getCursorReferenced(cursor);
    if (!clang_Cursor_isNull(called) &&
        clang_equalCursors(ht_ast_canonical(called), clang_getCanonicalCursor(in->function)))
        in->found = cursor;
    return true;
}

/* Returns the argument of the first call for this parameter. */
static CXCursor argument_of(const ht_source *source, CXCursor parameter) {
    calling in = {source, clang_getCursorSemanticParent(parameter), clang_getNullCursor()};
    ht_cursors list = ht_ast_children(in.function);
    unsigned index = 0;
    bool named = false;
    for (size_t i = 0; i < list.count && !named; ++i) {
        if (clang_getCursorKind(list.items[i]) != CXCursor_ParmDecl)
            continue;
        named = clang_equalCursors(list.items[i], parameter);
        index += !named;
    }
    free(list.items);
    if (named)
        ht_ast_walk(clang_getTranslationUnitCursor(source->unit), on_call, &in);
    if (clang_Cursor_isNull(in.found) || clang_Cursor_getNumArguments(in.found) <= (int)index)
        return clang_getNullCursor();
    return clang_Cursor_getArgument(in.found, index);
}

CXCursor ht_infer_passed(const ht_source *source, CXCursor parameter) {
    CXCursor argument = argument_of(source, parameter);
    for (int depth = 0; depth < CALLERS_MAX && !clang_Cursor_isNull(argument); ++depth) {
        CXCursor variable = ht_ast_variable(ht_ast_strip(argument, true));
        enum CXCursorKind kind = clang_getCursorKind(variable);
        if (kind == CXCursor_ParmDecl) {
            argument = argument_of(source, variable);
        } else if (kind == CXCursor_VarDecl && ht_variable_writes(variable) == 0 &&
                   !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(variable))) {
            argument = clang_Cursor_getVarDeclInitializer(variable);
        } else {
            break;
        }
    }
    return argument;
}
