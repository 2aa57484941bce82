/* Builds the syntax tree of a kernel's body: nodes, variables and statements. Only constructs with
 * a kind of their own are analysed. All others are noted as unknown, so that ht_syntax_unknown can
 * vouch for every effect and every jump of a tree without any. */
#include "refactor/kernel/syntax_build.h"
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_expression.h"
#include "refactor/kernel/syntax_variable.h"
#include "refactor/source/lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

static bool offset_of(const ht_syntax_builder *b, CXSourceLocation location, size_t *out_offset) {
    CXFile file, spelled;
    unsigned offset, spelling;
    clang_getFileLocation(location, &file, NULL, NULL, &offset);
    clang_getSpellingLocation(location, &spelled, NULL, NULL, &spelling);
    *out_offset = offset;
    return file && spelled &&
           clang_File_isEqual(file, b->tree.model->facts->source->files[0].file) &&
           clang_File_isEqual(file, spelled) && offset == spelling;
}

/* ---- nodes ---- */

ht_syntax_trouble *ht_syntax_note(ht_syntax_builder *b, CXCursor place, const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    HT_GROW(b->troubles, b->trouble_count);
    ht_syntax_trouble *trouble = &b->troubles[b->trouble_count++];
    *trouble =
        (ht_syntax_trouble){.why = ht_strdup(message), .at = ht_syntax_place(&b->tree, place)};
    return trouble;
}

ht_syntax *ht_syntax_add(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor,
                         ht_syntax_kind kind) {
    ht_syntax *node = ht_alloc(1, sizeof *node);
    *node = (ht_syntax){.kind = kind,
                        .tree = &b->tree,
                        .parent = parent,
                        .index = b->tree.count,
                        .variable = SIZE_MAX,
                        .at = ht_syntax_place(&b->tree, cursor)};
    CXSourceRange extent = clang_getCursorExtent(cursor);
    bool ends = offset_of(b, clang_getRangeEnd(extent), &node->range.end);
    node->begins = offset_of(b, clang_getRangeStart(extent), &node->range.begin);
    node->plain = node->begins && ends;
    node->start = node->range.begin;
    if (clang_isExpression(clang_getCursorKind(cursor)) || kind == HT_SYNTAX_VARIABLE)
        ht_syntax_set_type(node, clang_getCursorType(cursor));
    HT_GROW(b->nodes, b->tree.count);
    HT_GROW(b->from, b->tree.count);
    b->nodes[b->tree.count] = node;
    b->from[b->tree.count] = cursor;
    ++b->tree.count;
    return node;
}

void ht_syntax_add_child(ht_syntax *node, const ht_syntax *child) {
    const ht_syntax **list = (const ht_syntax **)node->children;
    HT_GROW(list, node->count);
    list[node->count++] = child;
    node->children = list;
}

void ht_syntax_add_below(ht_syntax_builder *b, ht_syntax *node, CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    for (size_t i = 0; i < list.count; ++i) {
        enum CXCursorKind kind = clang_getCursorKind(list.items[i]);
        if (clang_isExpression(kind) || clang_isStatement(kind))
            ht_syntax_add_child(node, ht_syntax_build(b, node, list.items[i]));
        else if (kind == CXCursor_VarDecl)
            ht_syntax_add_child(node, ht_syntax_build_variable(b, node, list.items[i]));
        else if (b->whole)
            ht_syntax_add_below(b, node, list.items[i]);
    }
    free(list.items);
}

void ht_syntax_add_children(ht_syntax_builder *b, ht_syntax *node) {
    ht_syntax_add_below(b, node, b->from[node->index]);
}

/* ---- variables ---- */

ht_syntax *ht_syntax_build_variable(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    ht_syntax *node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_VARIABLE);
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(cursor);
    bool shared = ht_ast_is_shared(cursor) && storage != CX_SC_Extern;
    if (shared || (storage != CX_SC_None && storage != CX_SC_Auto && storage != CX_SC_Register))
        ht_syntax_note(b, cursor, "a static or shared variable inside the kernel")->shared = shared;
    node->variable = ht_syntax_note_variable(b, cursor);
    ht_syntax_variable *variable = &b->variables[node->variable];
    variable->declaration = node;
    variable->is_local = parent && !shared;
    variable->is_shared = shared;
    CXCursor initialiser = clang_Cursor_getVarDeclInitializer(cursor);
    bool none = clang_Cursor_isNull(initialiser);
    if (!none || b->whole)
        ht_syntax_add_child(node, none ? NULL : ht_syntax_build(b, node, initialiser));
    ht_cursors list = b->whole ? ht_ast_children(cursor) : (ht_cursors){0};
    for (size_t i = 0; i < list.count; ++i)
        if (clang_isExpression(clang_getCursorKind(list.items[i])) &&
            !clang_equalCursors(list.items[i], initialiser))
            ht_syntax_add_child(node, ht_syntax_build(b, node, list.items[i]));
    free(list.items);
    return node;
}

static ht_syntax *build_declaration(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    ht_syntax *node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_DECLARATION);
    ht_cursors list = ht_ast_children(cursor);
    for (size_t i = 0; i < list.count; ++i)
        switch (clang_getCursorKind(list.items[i])) {
        case CXCursor_VarDecl:
            ht_syntax_add_child(node, ht_syntax_build_variable(b, node, list.items[i]));
            break;
        case CXCursor_TypedefDecl:
        case CXCursor_TypeAliasDecl:
        case CXCursor_StaticAssert:
        case CXCursor_UsingDeclaration:
        case CXCursor_UsingDirective:
        case CXCursor_EnumDecl:
            break;
        default:
            ht_syntax_note(b, list.items[i], "a local declaration of a kind that is not analysed");
        }
    for (size_t i = 0; i < list.count && b->whole; ++i)
        if (clang_getCursorKind(list.items[i]) != CXCursor_VarDecl)
            ht_syntax_add_below(b, node, list.items[i]);
    free(list.items);
    return node;
}

/* ---- statements ---- */

static ht_syntax *build_unknown(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor,
                                ht_unknown kind, const char *why) {
    ht_syntax_note(b, cursor, "%s", why);
    ht_syntax *node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_UNKNOWN_STATEMENT);
    node->op = (int)kind;
    ht_syntax_add_children(b, node);
    return node;
}

static ht_syntax *build_if(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    bool known = list.count >= 2 && list.count <= 3 &&
                 clang_isExpression(clang_getCursorKind(list.items[0]));
    ht_syntax *node =
        known ? ht_syntax_add(b, parent, cursor, HT_SYNTAX_IF)
              : build_unknown(b, parent, cursor, HT_UNKNOWN_IF, "an `if` that declares a variable");
    for (size_t i = 0; i < list.count && known; ++i)
        ht_syntax_add_child(node, ht_syntax_build(b, node, list.items[i]));
    free(list.items);
    if (known && node->count == 2)
        ht_syntax_add_child(node, NULL);
    return node;
}

/* Finds which of the three header parts are written, from the tokens between the parentheses. */
static bool header_parts(const ht_model *model, CXCursor statement, bool parts[3]) {
    const ht_tokens *tokens = ht_source_tokens(model->facts->source, 0);
    CXFile file;
    unsigned offset, spelling;
    CXSourceLocation start = clang_getRangeStart(clang_getCursorExtent(statement));
    clang_getExpansionLocation(start, &file, NULL, NULL, &offset);
    clang_getSpellingLocation(start, NULL, NULL, NULL, &spelling);
    if (!file || !clang_File_isEqual(file, model->facts->source->files[0].file) ||
        offset != spelling)
        return false;
    size_t at = ht_tokens_at(tokens, offset);
    if (!ht_tokens_is(tokens, at, "for") || !ht_tokens_is(tokens, at + 1, "("))
        return false;
    size_t close = ht_tokens_close(tokens, at + 1), part = 0, depth = 0;
    for (size_t i = at + 2; i < close; ++i) {
        if (ht_tokens_is(tokens, i, "(") || ht_tokens_is(tokens, i, "{") ||
            ht_tokens_is(tokens, i, "["))
            ++depth;
        else if (ht_tokens_is(tokens, i, ")") || ht_tokens_is(tokens, i, "}") ||
                 ht_tokens_is(tokens, i, "]"))
            --depth;
        if (depth == 0 && ht_tokens_is(tokens, i, ";")) {
            if (++part > 2)
                return false;
        } else
            parts[part] = true;
    }
    return part == 2;
}

/* Like ht_ast_for, but parts of the header may be missing: null cursors. */
static bool for_parts(const ht_model *model, CXCursor statement, CXCursor out_parts[4]) {
    bool written[3] = {false};
    if (!header_parts(model, statement, written))
        return false;
    ht_cursors list = ht_ast_children(statement);
    size_t at = 0;
    for (size_t i = 0; i < 3; ++i)
        out_parts[i] = written[i] && at < list.count ? list.items[at++] : clang_getNullCursor();
    bool whole = at + 1 == list.count;
    out_parts[3] = whole ? list.items[at] : clang_getNullCursor();
    free(list.items);
    return whole;
}

static ht_syntax *build_for(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    CXCursor parts[4];
    if (!ht_ast_for(cursor, &parts[0], &parts[1], &parts[2], &parts[3])) {
        const char *why = "a `for` whose parts cannot be distinguished";
        if (!for_parts(b->tree.model, cursor, parts))
            return build_unknown(b, parent, cursor, HT_UNKNOWN_LOOP, why);
        ht_syntax_note(b, cursor, "%s", why);
    }
    ht_syntax *node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_FOR);
    for (size_t i = 0; i < 4; ++i)
        ht_syntax_add_child(
            node, clang_Cursor_isNull(parts[i]) ? NULL : ht_syntax_build(b, node, parts[i]));
    return node;
}

static ht_syntax *build_fixed(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor,
                              ht_syntax_kind kind, size_t count) {
    ht_cursors list = ht_ast_children(cursor);
    bool known = list.count == count;
    ht_syntax *node = known ? ht_syntax_add(b, parent, cursor, kind)
                            : build_unknown(b, parent, cursor, HT_UNKNOWN_LOOP,
                                            "a statement that declares a variable in its header");
    for (size_t i = 0; i < list.count && known; ++i)
        ht_syntax_add_child(node, ht_syntax_build(b, node, list.items[i]));
    free(list.items);
    return node;
}

/* Builds the statement below an attribute or a loop pragma. */
static ht_syntax *build_attributed(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    CXCursor inner = list.count ? list.items[list.count - 1] : clang_getNullCursor();
    free(list.items);
    if (clang_Cursor_isNull(inner) || !clang_isStatement(clang_getCursorKind(inner)))
        return build_unknown(b, parent, cursor, HT_UNKNOWN_OTHER,
                             "a statement of a kind that is not analysed");
    ht_syntax *node = ht_syntax_build(b, parent, inner);
    size_t begin;
    bool plain = offset_of(b, clang_getRangeStart(clang_getCursorExtent(cursor)), &begin);
    if (begin < node->range.begin)
        node->range.begin = begin;
    node->plain = node->plain && plain;
    return node;
}

static ht_unknown unknown_of(CXCursor statement) {
    switch (clang_getCursorKind(statement)) {
    case CXCursor_CXXForRangeStmt:
        return HT_UNKNOWN_LOOP;
    case CXCursor_AsmStmt:
    case CXCursor_MSAsmStmt:
        return HT_UNKNOWN_ASSEMBLY;
    case CXCursor_CXXTryStmt:
        return HT_UNKNOWN_JUMP;
    default:
        return HT_UNKNOWN_OTHER;
    }
}

static ht_syntax *build_statement(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    ht_syntax *node;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CompoundStmt:
        node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_COMPOUND);
        ht_syntax_add_children(b, node);
        return node;
    case CXCursor_DeclStmt:
        return build_declaration(b, parent, cursor);
    case CXCursor_IfStmt:
        return build_if(b, parent, cursor);
    case CXCursor_ForStmt:
        return build_for(b, parent, cursor);
    case CXCursor_WhileStmt:
        return build_fixed(b, parent, cursor, HT_SYNTAX_WHILE, 2);
    case CXCursor_DoStmt:
        return build_fixed(b, parent, cursor, HT_SYNTAX_DO, 2);
    case CXCursor_SwitchStmt:
        return build_fixed(b, parent, cursor, HT_SYNTAX_SWITCH, 2);
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_CASE);
        ht_syntax_add_children(b, node);
        return node;
    case CXCursor_ReturnStmt:
        if (b->whole) {
            node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_RETURN);
            ht_syntax_add_children(b, node);
            return node;
        }
        return build_fixed(b, parent, cursor, HT_SYNTAX_RETURN, 0);
    case CXCursor_BreakStmt:
        return ht_syntax_add(b, parent, cursor, HT_SYNTAX_BREAK);
    case CXCursor_ContinueStmt:
        return ht_syntax_add(b, parent, cursor, HT_SYNTAX_CONTINUE);
    case CXCursor_NullStmt:
        return ht_syntax_add(b, parent, cursor, HT_SYNTAX_EMPTY);
    case CXCursor_UnexposedStmt:
        return build_attributed(b, parent, cursor);
    case CXCursor_GotoStmt:
    case CXCursor_LabelStmt:
    case CXCursor_IndirectGotoStmt:
        return build_unknown(b, parent, cursor, HT_UNKNOWN_JUMP, "a goto or a label");
    default:
        return build_unknown(b, parent, cursor, unknown_of(cursor),
                             "a statement of a kind that is not analysed");
    }
}

ht_syntax *ht_syntax_build(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    return clang_isExpression(clang_getCursorKind(cursor))
               ? ht_syntax_build_expression(b, parent, cursor)
               : build_statement(b, parent, cursor);
}
