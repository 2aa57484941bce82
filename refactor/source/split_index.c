/* In `int i = blockIdx.x * blockDim.x + threadIdx.x + 1;` no variable holds the global index, which
 * transformations that give a thread several outputs need. So the declaration is read as
 *
 *     int i_thread = blockIdx.x * blockDim.x + threadIdx.x, i = i_thread + 1;
 *
 * which computes the same: both are sums of whole numbers modulo 2^32, whose order does not matter.
 * Variables of other widths are left alone, since there the place of an overflow would matter. */
#include "refactor/source/split_index.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/ast.h"
#include "refactor/source/names.h"
#include "refactor/source/range.h"
#include "refactor/source/variable.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS_MAX = 8 };

typedef struct term {
    CXCursor cursor;
    bool minus;
    ht_range range;
} term;

typedef struct sum {
    term terms[TERMS_MAX];
    size_t count;
    bool known; /* whole numbers, and not too many */
} sum;

typedef struct edit {
    ht_range range;
    char *text;
} edit;

typedef struct splitter {
    CXFile file;
    const char *text;
    size_t length;
    ht_index_splits *splits;
    edit *edits;
    size_t edit_count;
} splitter;

/* ---- the sum ---- */

static void terms_of(CXCursor expression, bool minus, sum *out) {
    CXCursor cursor = ht_ast_strip(expression, false), left, right;
    enum CXBinaryOperatorKind kind;
    out->known =
        out->known &&
        ht_type_is_integer(clang_getCursorType(expression)); /* a conversion counts as well */
    if (ht_ast_binary(cursor, &kind, &left, &right) &&
        (kind == CXBinaryOperator_Add || kind == CXBinaryOperator_Sub)) {
        terms_of(left, minus, out);
        terms_of(right, kind == CXBinaryOperator_Sub ? !minus : minus, out);
        return;
    }
    if (out->count < TERMS_MAX)
        out->terms[out->count++] = (term){.cursor = cursor, .minus = minus};
    else
        out->known = false;
}

/* Returns the value of a local variable that is set once, else the expression itself. */
static CXCursor resolved(CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, true);
    for (int depth = 0; depth < 4; ++depth) {
        CXCursor variable = ht_ast_variable(cursor);
        if (clang_getCursorKind(variable) != CXCursor_VarDecl || ht_variable_writes(variable) > 0)
            break;
        CXCursor initializer = clang_Cursor_getVarDeclInitializer(variable);
        if (clang_Cursor_isNull(initializer))
            break;
        cursor = ht_ast_strip(initializer, true);
    }
    return cursor;
}

/* Returns the axis of threadIdx.x or blockIdx.x; -1: another expression. */
static int axis_of(CXCursor expression, const char *builtin) {
    CXCursor cursor = resolved(expression);
    if (clang_getCursorKind(cursor) != CXCursor_MemberRefExpr ||
        !ht_cursor_named(ht_ast_strip(ht_ast_child(cursor, 0), false), builtin))
        return -1;
    return ht_cursor_axis(cursor);
}

static int origin_axis(CXCursor expression) {
    CXCursor left, right;
    enum CXBinaryOperatorKind kind;
    if (!ht_ast_binary(resolved(expression), &kind, &left, &right) || kind != CXBinaryOperator_Mul)
        return -1;
    int axis = axis_of(left, "blockIdx");
    return axis >= 0 ? axis : axis_of(right, "blockIdx");
}

/* Returns true if the sum has the first index of the block and the thread's index, both of one
 * axis, and other terms. */
static bool is_offset_index(const sum *of, size_t *out_origin, size_t *out_thread) {
    size_t origins = 0, threads = 0;
    for (size_t i = 0; i < of->count; ++i) {
        if (origin_axis(of->terms[i].cursor) >= 0) {
            *out_origin = i;
            ++origins;
        } else if (axis_of(of->terms[i].cursor, "threadIdx") >= 0) {
            *out_thread = i;
            ++threads;
        }
    }
    return origins == 1 && threads == 1 && of->count > 2 && !of->terms[*out_origin].minus &&
           !of->terms[*out_thread].minus &&
           origin_axis(of->terms[*out_origin].cursor) ==
               axis_of(of->terms[*out_thread].cursor, "threadIdx");
}

/* ---- its text ---- */

static bool range_of(const splitter *in, CXCursor cursor, ht_range *out_range) {
    CXFile file;
    return ht_ast_extent(cursor, &file, out_range) && clang_File_isEqual(file, in->file) &&
           out_range->begin < out_range->end && out_range->end <= in->length;
}

static bool is_balanced(const splitter *in, ht_range range) {
    int depth = 0;
    for (size_t at = range.begin; at < range.end && depth >= 0; ++at)
        depth += in->text[at] == '(' ? 1 : in->text[at] == ')' ? -1 : 0;
    return depth == 0;
}

/* Returns true if the text consists of the terms and the signs between them, and no macro writes
 * any of it. */
static bool is_spelled(const splitter *in, ht_range whole, sum *of) {
    size_t signs = 0, at = whole.begin;
    for (size_t i = 0; i <= of->count; ++i) {
        size_t next = whole.end;
        if (i < of->count) {
            if (!range_of(in, of->terms[i].cursor, &of->terms[i].range) ||
                of->terms[i].range.begin < at || !is_balanced(in, of->terms[i].range))
                return false;
            next = of->terms[i].range.begin;
        }
        for (; at < next; ++at) {
            char c = in->text[at];
            signs += c == '+' || c == '-';
            if (!isspace((unsigned char)c) && !strchr("()+-", c))
                return false;
        }
        at = i < of->count ? of->terms[i].range.end : at;
    }
    return signs + 1 == of->count;
}

static void write_term(const splitter *in, const term *of, ht_text *out) {
    bool plain = true;
    for (size_t at = of->range.begin; at < of->range.end; ++at)
        plain = plain && ht_name_has(in->text[at]);
    ht_text_append(out, plain ? "" : "(");
    ht_text_append_n(out, in->text + of->range.begin, of->range.end - of->range.begin);
    ht_text_append(out, plain ? "" : ")");
}

/* Returns true if the name occurs in the file, or was given to another declaration, for which this
 * one would be mistaken later. */
static bool is_taken(const splitter *in, const char *name, ht_range whole) {
    bool taken = strstr(in->text, name) != NULL;
    for (size_t i = 0; i < in->splits->count && !taken; ++i)
        taken = strcmp(in->splits->items[i].name, name) == 0 &&
                (strlen(in->splits->items[i].whole) != whole.end - whole.begin ||
                 strncmp(in->splits->items[i].whole, in->text + whole.begin,
                         whole.end - whole.begin) != 0);
    return taken;
}

static char *fresh_name(const splitter *in, const char *variable, ht_range whole) {
    char *name = ht_format("%s_thread", variable);
    for (int i = 2; is_taken(in, name, whole); ++i) {
        free(name);
        name = ht_format("%s_thread_%d", variable, i);
    }
    return name;
}

static char *write_parts(const splitter *in, const char *variable, const char *name, const sum *of,
                         size_t origin, size_t thread) {
    ht_text out = {0};
    ht_range a = of->terms[origin].range, b = of->terms[thread].range;
    ht_text_printf(&out, "%s = %.*s + %.*s, %s = %s", name, (int)(a.end - a.begin),
                   in->text + a.begin, (int)(b.end - b.begin), in->text + b.begin, variable, name);
    for (size_t i = 0; i < of->count; ++i) {
        if (i == origin || i == thread)
            continue;
        ht_text_append(&out, of->terms[i].minus ? " - " : " + ");
        write_term(in, &of->terms[i], &out);
    }
    return ht_text_take(&out);
}

/* ---- declarations ---- */

static bool is_32_bits(CXCursor variable) {
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    return (type.kind == CXType_Int || type.kind == CXType_UInt) &&
           !clang_isVolatileQualifiedType(type) &&
           clang_Cursor_getStorageClass(variable) != CX_SC_Static;
}

/* Returns true if the text is `name = ` up to the initialiser. *out_name: its begin. */
static bool is_assigned(const splitter *in, CXCursor variable, const char *name, size_t value,
                        size_t *out_name) {
    unsigned begin;
    CXFile file;
    clang_getExpansionLocation(clang_getCursorLocation(variable), &file, NULL, NULL, &begin);
    size_t at = begin + strlen(name);
    if (!file || !clang_File_isEqual(file, in->file) || at >= value || value > in->length ||
        strncmp(in->text + begin, name, strlen(name)) != 0)
        return false;
    at += strspn(in->text + at, " \t\r\n");
    if (in->text[at] != '=')
        return false;
    ++at;
    *out_name = begin;
    return at + strspn(in->text + at, " \t\r\n") == value;
}

static void split(splitter *in, CXCursor variable) {
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(variable);
    sum of = {.known = true};
    size_t origin = 0, thread = 0, begin;
    ht_range whole;
    if (!is_32_bits(variable) || clang_Cursor_isNull(initializer))
        return;
    terms_of(initializer, false, &of);
    if (!of.known || !is_offset_index(&of, &origin, &thread) ||
        !range_of(in, initializer, &whole) || !is_spelled(in, whole, &of))
        return;
    char *spelling = ht_cursor_name(variable);
    if (is_assigned(in, variable, spelling, whole.begin, &begin)) {
        char *name = fresh_name(in, spelling, (ht_range){begin, whole.end});
        char *parts = write_parts(in, spelling, name, &of, origin, thread);
        HT_GROW(in->edits, in->edit_count);
        in->edits[in->edit_count++] = (edit){{begin, whole.end}, ht_strdup(parts)};
        HT_GROW(in->splits->items, in->splits->count);
        in->splits->items[in->splits->count++] =
            (ht_index_split){ht_strndup(in->text + begin, whole.end - begin), parts, name};
    }
    free(spelling);
}

static bool on_statement(CXCursor cursor, CXCursor parent, void *context) {
    if (clang_getCursorKind(cursor) != CXCursor_DeclStmt ||
        clang_getCursorKind(parent) != CXCursor_CompoundStmt)
        return true;
    ht_cursors list = ht_ast_children(cursor);
    for (size_t i = 0; i < list.count; ++i)
        if (clang_getCursorKind(list.items[i]) == CXCursor_VarDecl)
            split(context, list.items[i]);
    free(list.items);
    return true;
}

static bool on_declaration(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    splitter *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
        return true;
    ht_range range;
    if ((kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate) &&
        range_of(in, cursor, &range) && ht_ast_has(cursor, CXCursor_CUDAGlobalAttr))
        ht_ast_walk(cursor, on_statement, in);
    return false;
}

static int compare(const void *a, const void *b) {
    const edit *first = a, *second = b;
    return first->range.begin < second->range.begin ? -1 : first->range.begin > second->range.begin;
}

char *ht_index_split_text(CXTranslationUnit unit, CXFile file, ht_index_splits *splits) {
    splitter in = {.file = file, .splits = splits};
    in.text = clang_getFileContents(unit, file, &in.length);
    if (!in.text || strlen(in.text) != in.length || strstr(in.text, "#pragma tune"))
        return NULL; /* declarations with annotations are not split */
    ht_ast_walk(clang_getTranslationUnitCursor(unit), on_declaration, &in);
    if (in.edit_count == 0)
        return NULL;
    qsort(in.edits, in.edit_count, sizeof *in.edits, compare);
    ht_text out = {0};
    size_t at = 0;
    for (size_t i = 0; i < in.edit_count; ++i) {
        ht_text_append_n(&out, in.text + at, in.edits[i].range.begin - at);
        ht_text_append(&out, in.edits[i].text);
        at = in.edits[i].range.end;
        free(in.edits[i].text);
    }
    ht_text_append(&out, in.text + at);
    free(in.edits);
    return ht_text_take(&out);
}

static size_t occurrences(const char *begin, const char *end, const char *name) {
    size_t count = 0;
    for (const char *at = begin; (at = strstr(at, name)) != NULL && at < end; at += strlen(name))
        ++count;
    return count;
}

char *ht_index_join_text(char *text, const ht_index_splits *splits) {
    for (size_t i = 0; i < splits->count; ++i) {
        const ht_index_split *split = &splits->items[i];
        size_t length = strlen(split->parts);
        size_t from = 0;
        for (const char *at; (at = strstr(text + from, split->parts)) != NULL;) {
            from = (size_t)(at - text) + length;
            const char *end = strstr(at, "__global__"); /* the kernel ends before the next one */
            if (occurrences(at, end ? end : at + strlen(at), split->name) > 2)
                continue;
            ht_text out = {0};
            ht_text_append_n(&out, text, (size_t)(at - text));
            ht_text_append(&out, split->whole);
            ht_text_append(&out, at + length);
            from = (size_t)(at - text) + strlen(split->whole);
            free(text);
            text = ht_text_take(&out);
        }
    }
    return text;
}

void ht_index_splits_free(ht_index_splits *splits) {
    for (size_t i = 0; i < splits->count; ++i) {
        free(splits->items[i].whole);
        free(splits->items[i].parts);
        free(splits->items[i].name);
    }
    free(splits->items);
    *splits = (ht_index_splits){0};
}
