/* With
 *
 *     cg::thread_block block = cg::this_thread_block();
 *
 * block.sync() and cg::sync(block) are __syncthreads(), block.thread_index().x is threadIdx.x. A
 * function in which the group is used in these ways alone is read with them in its place; any other
 * use (a tile, an argument of a function, a place that a macro writes or that another build takes)
 * leaves it as it is, and its kernels with cooperative groups. */
#include "refactor/source/whole_block.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/ast.h"
#include "refactor/source/lexer.h"

#include <stdlib.h>
#include <string.h>

/* Methods of a group, and the variables whose fields they return. */
static const char *const members[][2] = {{"thread_index", "threadIdx"},
                                         {"group_index", "blockIdx"},
                                         {"group_dim", "blockDim"},
                                         {"dim_threads", "blockDim"}};
enum { MEMBERS = sizeof members / sizeof *members };

typedef struct edit {
    ht_range range;
    char *text;
} edit;

/* The function being read. */
typedef struct function {
    CXFile file;
    ht_tokens tokens;
    CXCursor group;   /* the variable; null: none yet */
    ht_range decl;    /* its declaration */
    size_t groups;    /* variables of a group's type, parameters too */
    size_t named;     /* names of the variable in the AST */
    size_t called;    /* those in a call that is understood */
    size_t strangers; /* other names of cooperative groups */
    edit *edits;
    size_t edit_count;
} function;

typedef struct reader {
    CXFile file;
    const char *text;
    size_t length;
    ht_whole_blocks *blocks;
    edit *edits; /* of whole functions */
    size_t edit_count;
} reader;

static bool range_of(CXFile in, CXCursor cursor, ht_range *out_range) {
    CXFile file;
    return ht_ast_extent(cursor, &file, out_range) && clang_File_isEqual(file, in) &&
           out_range->begin < out_range->end;
}

/* ---- the AST ---- */

/* Returns true if the type is the block's group; *out_other: another of cooperative groups. */
static bool is_block(CXType type, bool *out_other) {
    CXType plain = ht_type_unqualified(clang_getCanonicalType(type));
    CXString spelling = clang_getTypeSpelling(plain);
    const char *name = clang_getCString(spelling);
    bool block = strcmp(name, "cooperative_groups::thread_block") == 0;
    *out_other = !block && strstr(name, "cooperative_groups::") != NULL;
    clang_disposeString(spelling);
    return block;
}

static bool is_known_call(CXCursor call) {
    bool known = ht_cursor_named(call, "sync");
    for (size_t i = 0; i < MEMBERS; ++i)
        known = known || ht_cursor_named(call, members[i][0]);
    return known && ht_cursor_in_namespace(clang_getCursorReferenced(call), "cooperative_groups");
}

/* Returns the variable that a call is made on, or gets as its one argument. */
static CXCursor object_of(CXCursor call) {
    CXCursor callee = ht_ast_strip(ht_ast_child(call, 0), false);
    if (clang_getCursorKind(callee) == CXCursor_MemberRefExpr)
        return ht_ast_variable(ht_ast_strip(ht_ast_child(callee, 0), false));
    if (clang_Cursor_getNumArguments(call) != 1)
        return clang_getNullCursor();
    return ht_ast_variable(ht_ast_strip(clang_Cursor_getArgument(call, 0), false));
}

static bool on_function(CXCursor cursor, CXCursor parent, void *context) {
    function *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool other;
    if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) {
        bool block = is_block(clang_getCursorType(cursor), &other);
        in->strangers += other;
        in->groups += block;
        if (block && kind == CXCursor_VarDecl && clang_getCursorKind(parent) == CXCursor_DeclStmt &&
            range_of(in->file, parent, &in->decl))
            in->group = cursor;
    }
    if (kind == CXCursor_DeclRefExpr && !clang_Cursor_isNull(in->group) &&
        clang_equalCursors(clang_getCursorReferenced(cursor), in->group))
        ++in->named;
    if (kind == CXCursor_CallExpr && !clang_Cursor_isNull(in->group) && is_known_call(cursor) &&
        clang_equalCursors(object_of(cursor), in->group))
        ++in->called;
    return true;
}

/* ---- the text ---- */

static void edit_add(function *in, size_t first, size_t last, const char *text) {
    HT_GROW(in->edits, in->edit_count);
    in->edits[in->edit_count++] =
        (edit){{in->tokens.items[first].begin, in->tokens.items[last].end}, ht_strdup(text)};
}

/* Returns true if the declaration is written out: `TYPE name = [cg::]this_thread_block();`. */
static bool is_declared(function *in, const char *name) {
    size_t first = ht_tokens_at(&in->tokens, in->decl.begin);
    size_t end = ht_tokens_at(&in->tokens, in->decl.end), at = first;
    while (at < end && !ht_tokens_is(&in->tokens, at, name))
        ++at;
    if (!ht_tokens_is(&in->tokens, at + 1, "=") || end < at + 6 || end >= in->tokens.count ||
        !ht_tokens_is(&in->tokens, end - 1, ";") || !ht_tokens_is(&in->tokens, end - 2, ")") ||
        !ht_tokens_is(&in->tokens, end - 3, "(") ||
        !ht_tokens_is(&in->tokens, end - 4, "this_thread_block"))
        return false;
    for (size_t i = at + 2; i < end - 4; ++i)
        if (in->tokens.items[i].kind != HT_TOKEN_NAME && !ht_tokens_is(&in->tokens, i, "::"))
            return false;
    edit_add(in, first, end - 1, "");
    return true;
}

/* Replaces the call around the group's name at a token. */
static bool replace_at(function *in, size_t at) {
    const ht_tokens *tokens = &in->tokens;
    if (at >= 2 && ht_tokens_is(tokens, at - 1, "(") && ht_tokens_is(tokens, at - 2, "sync") &&
        ht_tokens_is(tokens, at + 1, ")")) {
        size_t first = at - 2;
        while (first >= 2 && ht_tokens_is(tokens, first - 1, "::"))
            first -= tokens->items[first - 2].kind == HT_TOKEN_NAME ? 2 : 1;
        edit_add(in, first, at + 1, "__syncthreads()");
        return true;
    }
    if (!ht_tokens_is(tokens, at + 1, ".") || !ht_tokens_is(tokens, at + 3, "(") ||
        !ht_tokens_is(tokens, at + 4, ")"))
        return false;
    if (ht_tokens_is(tokens, at + 2, "sync")) {
        edit_add(in, at, at + 4, "__syncthreads()");
        return true;
    }
    for (size_t i = 0; i < MEMBERS; ++i)
        if (ht_tokens_is(tokens, at + 2, members[i][0]) && ht_tokens_is(tokens, at + 5, ".")) {
            edit_add(in, at, at + 4, members[i][1]);
            return true;
        }
    return false;
}

/* Makes the edits of a function whose group is only used in ways that are understood. Each name in
 * its text must be one that the AST has: others are in branches that this build does not take, in
 * macros, or hide the variable. */
static bool is_replaced(function *in) {
    if (in->groups != 1 || clang_Cursor_isNull(in->group) || in->strangers ||
        in->named != in->called)
        return false;
    char *name = ht_cursor_name(in->group);
    size_t found = 0;
    bool replaced = is_declared(in, name);
    for (size_t i = 0; i < in->tokens.count && replaced; ++i) {
        if (in->tokens.items[i].kind == HT_TOKEN_DIRECTIVE) {
            char *text = ht_tokens_text(&in->tokens, i);
            replaced = !strstr(text, name);
            free(text);
        } else if (ht_tokens_is(&in->tokens, i, name) &&
                   (in->tokens.items[i].begin < in->decl.begin ||
                    in->tokens.items[i].begin >= in->decl.end)) {
            ++found;
            replaced = replace_at(in, i);
        }
    }
    free(name);
    return replaced && found == in->named;
}

static int compare(const void *a, const void *b) {
    const edit *first = a, *second = b;
    return first->range.begin < second->range.begin ? -1 : first->range.begin > second->range.begin;
}

/* Appends the text from *at to `end` with the edits made, which are freed. */
static void edits_make(const char *text, edit *edits, size_t count, size_t at, size_t end,
                       ht_text *out) {
    if (count)
        qsort(edits, count, sizeof *edits, compare);
    ht_text_append(out, "");
    for (size_t i = 0; i < count; ++i) {
        ht_text_append_n(out, text + at, edits[i].range.begin - at);
        ht_text_append(out, edits[i].text);
        at = edits[i].range.end;
        free(edits[i].text);
    }
    ht_text_append_n(out, text + at, end - at);
    free(edits);
}

static void function_read(reader *in, CXCursor cursor, ht_range range) {
    function of = {.file = in->file, .group = clang_getNullCursor()};
    ht_ast_walk(cursor, on_function, &of);
    ht_tokens_read(in->text, (ht_range){range.begin, in->length}, true, &of.tokens);
    of.tokens.count = ht_tokens_at(&of.tokens, range.end);
    if (is_replaced(&of)) {
        ht_text plain = {0};
        edits_make(in->text, of.edits, of.edit_count, range.begin, range.end, &plain);
        HT_GROW(in->blocks->items, in->blocks->count);
        in->blocks->items[in->blocks->count++] = (ht_whole_block){
            ht_strndup(in->text + range.begin, range.end - range.begin), ht_strdup(plain.data)};
        HT_GROW(in->edits, in->edit_count);
        in->edits[in->edit_count++] = (edit){range, ht_text_take(&plain)};
    } else {
        for (size_t i = 0; i < of.edit_count; ++i)
            free(of.edits[i].text);
        free(of.edits);
    }
    ht_tokens_free(&of.tokens);
}

static bool on_declaration(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    reader *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
        return true;
    ht_range range;
    if ((kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate) &&
        clang_isCursorDefinition(cursor) && range_of(in->file, cursor, &range) &&
        range.end <= in->length &&
        (ht_ast_has(cursor, CXCursor_CUDAGlobalAttr) ||
         ht_ast_has(cursor, CXCursor_CUDADeviceAttr)))
        function_read(in, cursor, range);
    return false;
}

char *ht_whole_block_text(CXTranslationUnit unit, CXFile file, ht_whole_blocks *blocks) {
    reader in = {.file = file, .blocks = blocks};
    in.text = clang_getFileContents(unit, file, &in.length);
    if (!in.text || strlen(in.text) != in.length || !strstr(in.text, "this_thread_block") ||
        strstr(in.text, "#pragma tune"))
        return NULL;
    ht_ast_walk(clang_getTranslationUnitCursor(unit), on_declaration, &in);
    if (in.edit_count == 0)
        return NULL;
    ht_text out = {0};
    edits_make(in.text, in.edits, in.edit_count, 0, in.length, &out);
    return ht_text_take(&out);
}

char *ht_whole_block_restore(char *text, const ht_whole_blocks *blocks) {
    for (size_t i = 0; i < blocks->count; ++i) {
        const ht_whole_block *block = &blocks->items[i];
        const char *at = strstr(text, block->plain);
        if (!at)
            continue;
        ht_text out = {0};
        ht_text_append_n(&out, text, (size_t)(at - text));
        ht_text_append(&out, block->author);
        ht_text_append(&out, at + strlen(block->plain));
        free(text);
        text = ht_text_take(&out);
    }
    return text;
}

void ht_whole_blocks_free(ht_whole_blocks *blocks) {
    for (size_t i = 0; i < blocks->count; ++i) {
        free(blocks->items[i].author);
        free(blocks->items[i].plain);
    }
    free(blocks->items);
    *blocks = (ht_whole_blocks){0};
}
