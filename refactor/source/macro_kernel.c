#include "refactor/source/macro_kernel.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/ast.h"
#include "refactor/source/lexer.h"

#include <stdlib.h>
#include <string.h>

/* A call of a macro in the file. */
typedef struct call {
    ht_range range; /* from the name to the parenthesis that closes it */
    CXCursor definition;
    char *written; /* NULL: it writes no kernel and no launch, or is not understood */
} call;

typedef struct reader {
    CXTranslationUnit unit;
    CXFile file;
    const char *text;
    size_t length;
    call *calls;
    size_t count;
} reader;

static unsigned offset_of(CXSourceLocation location, CXFile *out_file) {
    unsigned offset;
    clang_getExpansionLocation(location, out_file, NULL, NULL, &offset);
    return offset;
}

/* ---- the definition ---- */

typedef struct definition {
    char *text;          /* of the directive, without its continued lines' backslashes; owned */
    ht_tokens tokens;    /* of `text` */
    size_t first, count; /* parameters: every second token from the first */
    size_t body;         /* index of the body's first token */
} definition;

static void definition_close(definition *of) {
    ht_tokens_free(&of->tokens);
    free(of->text);
}

/* Copies a directive from the macro's name to its end, with its lines joined. */
static char *directive_text(const char *text, size_t begin, size_t end) {
    ht_text line = {0};
    ht_text_append(&line, "");
    for (size_t i = begin; i < end && text[i] && text[i] != '\n'; ++i) {
        size_t next = i + 1 + (text[i] == '\\' && text[i + 1] == '\r');
        if (text[i] == '\\' && text[next] == '\n') {
            ht_text_append(&line, " ");
            i = next;
        } else
            ht_text_append_n(&line, text + i, 1);
    }
    return ht_text_take(&line);
}

/* Returns true if the file defines this name once: with more than one definition, other builds, or
 * the host's side, may have another. */
static bool is_only(const char *text, const char *name) {
    ht_tokens tokens;
    size_t found = 0;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        ht_tokens line;
        if (tokens.items[i].kind != HT_TOKEN_DIRECTIVE)
            continue;
        ht_tokens_read_line(&tokens, i, &line);
        found += ht_tokens_is(&line, 1, "define") && ht_tokens_is(&line, 2, name);
        ht_tokens_free(&line);
    }
    ht_tokens_free(&tokens);
    return found == 1;
}

/* Returns true if the body defines a kernel or launches one. */
static bool is_wanted(const definition *of) {
    bool found = false;
    for (size_t i = of->body; i < of->tokens.count && !found; ++i)
        found = ht_tokens_is(&of->tokens, i, "__global__") ||
                ht_tokens_is(&of->tokens, i, "hipLaunchKernelGGL") ||
                ht_tokens_is(&of->tokens, i, "<<<") ||
                (ht_tokens_is(&of->tokens, i, "<<") && ht_tokens_is(&of->tokens, i + 1, "<"));
    return found;
}

/* Reads NAME(a, b) body. Returns false for one that is not plain: its own name in its body, a
 * variable number of arguments, another definition in the same file; or writes neither a kernel nor
 * a launch. */
static bool definition_read(const reader *in, CXCursor cursor, definition *out) {
    CXFile file;
    size_t length = 0, begin = offset_of(clang_getCursorLocation(cursor), &file);
    const char *text = file ? clang_getFileContents(in->unit, file, &length) : NULL;
    *out = (definition){.first = 2};
    if (!text || begin >= length || strlen(text) != length)
        return false;
    out->text = directive_text(text, begin, length);
    ht_tokens_read(out->text, (ht_range){0, strlen(out->text)}, false, &out->tokens);
    size_t close = ht_tokens_close(&out->tokens, 1);
    bool good = ht_tokens_is(&out->tokens, 1, "(") && close < out->tokens.count &&
                out->tokens.items[1].begin == out->tokens.items[0].end && close % 2 == 1;
    out->count = close > 2 ? (close - 1) / 2 : 0;
    out->body = close + 1;
    for (size_t i = 0; i < out->count && good; ++i)
        good = out->tokens.items[2 + 2 * i].kind == HT_TOKEN_NAME &&
               (i + 1 == out->count || ht_tokens_is(&out->tokens, 3 + 2 * i, ","));
    char *name = ht_tokens_text(&out->tokens, 0);
    good = good && is_wanted(out) && is_only(text, name);
    for (size_t i = out->body; i < out->tokens.count && good; ++i)
        good = !ht_tokens_is(&out->tokens, i, name) &&
               !ht_tokens_is(&out->tokens, i, "__VA_ARGS__") &&
               !ht_tokens_is(&out->tokens, i, "__VA_OPT__");
    free(name);
    if (!good)
        definition_close(out);
    return good;
}

/* ---- the arguments ---- */

/* Parts the arguments of a call whose tokens these are: name ( ... ). Returns their number; more
 * than `most`: too many. */
static size_t arguments_read(const ht_tokens *tokens, size_t close, size_t most, char **out) {
    size_t count = 0, first = 2;
    int depth = 0;
    for (size_t i = 2; i <= close; ++i) {
        bool open = ht_tokens_is(tokens, i, "(") || ht_tokens_is(tokens, i, "[") ||
                    ht_tokens_is(tokens, i, "{");
        bool shut = i < close && (ht_tokens_is(tokens, i, ")") || ht_tokens_is(tokens, i, "]") ||
                                  ht_tokens_is(tokens, i, "}"));
        depth += open - shut;
        if (i < close && (depth || !ht_tokens_is(tokens, i, ",")))
            continue;
        if (count < most)
            out[count] = i > first
                             ? ht_strndup(tokens->text + tokens->items[first].begin,
                                          tokens->items[i - 1].end - tokens->items[first].begin)
                             : ht_strdup("");
        ++count;
        first = i + 1;
    }
    return count;
}

/* ---- what is written ---- */

/* Returns the number of the parameter that a token of the body names; count: it names none. */
static size_t parameter_of(const definition *of, size_t token) {
    size_t i = 0;
    char *name = ht_tokens_text(&of->tokens, token);
    while (i < of->count && !ht_tokens_is(&of->tokens, of->first + 2 * i, name))
        ++i;
    free(name);
    return i;
}

/* Appends #name. Returns false where quotes would have to be escaped. */
static bool put_string(const char *argument, ht_text *out) {
    if (strpbrk(argument, "\"\\'\n"))
        return false;
    ht_text_printf(out, "\"%s\"", argument);
    return true;
}

static bool is_joined(const definition *of, size_t token) {
    return ht_tokens_is(&of->tokens, token, "##") ||
           (token + 1 < of->tokens.count && ht_tokens_is(&of->tokens, token + 1, "##"));
}

/* Writes the body with the arguments in it. Returns NULL where it is not understood; free(). */
static char *body_write(const definition *of, char *const *arguments) {
    const ht_tokens *tokens = &of->tokens;
    ht_text out = {0};
    bool good = true;
    ht_text_append(&out, "");
    for (size_t i = of->body; i < tokens->count && good; ++i) {
        const ht_token *token = &tokens->items[i];
        bool apart = i > of->body && token->begin > tokens->items[i - 1].end;
        bool after = i > of->body && ht_tokens_is(tokens, i - 1, "##");
        if (ht_tokens_is(tokens, i, "##"))
            continue;
        if (apart && !after)
            ht_text_append(&out, " ");
        size_t parameter = parameter_of(of, i);
        if (ht_tokens_is(tokens, i, "#")) {
            parameter = i + 1 < tokens->count ? parameter_of(of, ++i) : of->count;
            good = parameter < of->count && !is_joined(of, i) &&
                   put_string(arguments[parameter], &out);
        } else if (parameter < of->count) {
            good = !strpbrk(arguments[parameter], "#") &&
                   (arguments[parameter][0] || !(after || is_joined(of, i)));
            ht_text_append(&out, arguments[parameter]);
        } else
            ht_text_append_n(&out, tokens->text + token->begin, token->end - token->begin);
    }
    if (good)
        return ht_text_take(&out);
    ht_text_free(&out);
    return NULL;
}

static size_t lines_in(const char *text, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; ++i)
        count += text[i] == '\n';
    return count;
}

/* Puts line ends after a text until it has as many as the call. */
static char *lines_keep(char *written, const char *author, size_t length) {
    ht_text out = {0};
    ht_text_append(&out, written);
    size_t had = lines_in(written, strlen(written));
    for (size_t i = had, wanted = lines_in(author, length); i < wanted; ++i)
        ht_text_append(&out, "\n");
    free(written);
    return ht_text_take(&out);
}

/* Writes out a call of a macro, and sets the call's range. */
static void macro_write(const reader *in, const definition *macro, call *of) {
    enum { ARGUMENTS = 64 };
    char *arguments[ARGUMENTS] = {NULL};
    ht_tokens tokens;
    ht_tokens_read(in->text, (ht_range){of->range.begin, in->length}, true, &tokens);
    size_t close = ht_tokens_is(&tokens, 1, "(") ? ht_tokens_close(&tokens, 1) : tokens.count;
    bool good = close < tokens.count;
    for (size_t i = 0; i < close && good; ++i)
        good = tokens.items[i].kind != HT_TOKEN_DIRECTIVE;
    if (good) {
        of->range.end = tokens.items[close].end;
        size_t given = arguments_read(&tokens, close, ARGUMENTS, arguments);
        if (given == macro->count || (given == 1 && macro->count == 0 && !arguments[0][0]))
            of->written = body_write(macro, arguments);
    }
    if (of->written)
        of->written =
            lines_keep(of->written, in->text + of->range.begin, of->range.end - of->range.begin);
    for (size_t i = 0; i < ARGUMENTS; ++i)
        free(arguments[i]);
    ht_tokens_free(&tokens);
}

static void call_write(const reader *in, call *of) {
    definition macro;
    if (!definition_read(in, of->definition, &macro))
        return;
    macro_write(in, &macro, of);
    definition_close(&macro);
}

/* ---- the calls ---- */

/* Notes calls of the user's macros that take arguments. */
static enum CXChildVisitResult on_expansion(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    reader *in = data;
    if (clang_getCursorKind(cursor) != CXCursor_MacroExpansion)
        return CXChildVisit_Continue;
    CXFile file;
    CXSourceRange extent = clang_getCursorExtent(cursor);
    size_t begin = offset_of(clang_getRangeStart(extent), &file);
    CXCursor definition = clang_getCursorReferenced(cursor);
    if (!file || !clang_File_isEqual(file, in->file) || clang_Cursor_isNull(definition) ||
        !clang_Cursor_isMacroFunctionLike(definition) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(definition)))
        return CXChildVisit_Continue;
    char *name = ht_cursor_name(cursor);
    bool written = begin < in->length && strncmp(in->text + begin, name, strlen(name)) == 0;
    bool inside = in->count && begin < in->calls[in->count - 1].range.end;
    free(name);
    if (!written || inside)
        return CXChildVisit_Continue;
    size_t end = offset_of(clang_getRangeEnd(extent), &file);
    HT_GROW(in->calls, in->count);
    in->calls[in->count++] = (call){.range = {begin, end}, .definition = definition};
    return CXChildVisit_Continue;
}

char *ht_macro_kernel_text(CXTranslationUnit unit, CXFile file, ht_whole_blocks *blocks) {
    reader in = {.unit = unit, .file = file};
    in.text = clang_getFileContents(unit, file, &in.length);
    if (!in.text || strlen(in.text) != in.length || strstr(in.text, "#pragma tune"))
        return NULL;
    CXCursor root = clang_getTranslationUnitCursor(unit);
    clang_visitChildren(root, on_expansion, &in);
    for (size_t i = 0; i < in.count; ++i)
        call_write(&in, &in.calls[i]);
    ht_text out = {0};
    size_t at = 0;
    for (size_t i = 0; i < in.count; ++i) {
        call *of = &in.calls[i];
        if (!of->written)
            continue;
        HT_GROW(blocks->items, blocks->count);
        blocks->items[blocks->count++] = (ht_whole_block){
            ht_strndup(in.text + of->range.begin, of->range.end - of->range.begin), of->written};
        ht_text_append_n(&out, in.text + at, of->range.begin - at);
        ht_text_append(&out, of->written);
        at = of->range.end;
    }
    if (at)
        ht_text_append(&out, in.text + at);
    free(in.calls);
    return at ? ht_text_take(&out) : NULL;
}

/* ---- the code ---- */

static void string_put(ht_text *out, CXString string) {
    const char *text = clang_getCString(string);
    ht_text_printf(out, " %s", text ? text : "");
    clang_disposeString(string);
}

static void literal_put(ht_text *out, CXCursor cursor) {
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    if (!result)
        return;
    if (clang_EvalResult_getKind(result) == CXEval_Float)
        ht_text_printf(out, " %a", clang_EvalResult_getAsDouble(result));
    else if (clang_EvalResult_getKind(result) == CXEval_Int)
        ht_text_printf(out, " %lld", clang_EvalResult_getAsLongLong(result));
    clang_EvalResult_dispose(result);
}

static enum CXChildVisitResult on_any(CXCursor cursor, CXCursor parent, CXClientData data) {
    ht_text *out = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    bool top = clang_getCursorKind(parent) == CXCursor_TranslationUnit;
    if ((kind >= CXCursor_FirstPreprocessing && kind <= CXCursor_LastPreprocessing) ||
        (top && clang_Location_isInSystemHeader(clang_getCursorLocation(cursor))))
        return CXChildVisit_Continue;
    ht_text_printf(out, "(%d", (int)kind);
    if (ht_ast_binary(cursor, &binary, &left, &right))
        ht_text_printf(out, " b%d", (int)binary);
    else if (ht_ast_unary(cursor, &unary, &left))
        ht_text_printf(out, " u%d", (int)unary);
    string_put(out, clang_getCursorSpelling(cursor));
    string_put(out, clang_getTypeSpelling(clang_getCursorType(cursor)));
    if (kind >= CXCursor_IntegerLiteral && kind <= CXCursor_CharacterLiteral)
        literal_put(out, cursor);
    clang_visitChildren(cursor, on_any, data);
    ht_text_append(out, ")\n");
    return CXChildVisit_Continue;
}

char *ht_unit_code(CXTranslationUnit unit) {
    ht_text out = {0};
    ht_text_append(&out, "");
    clang_visitChildren(clang_getTranslationUnitCursor(unit), on_any, &out);
    return ht_text_take(&out);
}
