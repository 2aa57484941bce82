#include "refactor/unit/slice_print.h"
#include "refactor/source/ast.h"
#include "refactor/unit/slice.h"
#include "refactor/unit/slice_params.h"

#include <stdlib.h>
#include <string.h>

void ht_line_directive(const ht_source *source, size_t file, int line, ht_text *out) {
    ht_text_printf(out, "#line %d \"", line);
    for (const char *at = source->files[file].path; *at; ++at) {
        if (*at == '\\' || *at == '"')
            ht_text_append(out, "\\");
        ht_text_append_n(out, *at == '\n' ? "\\n" : at, *at == '\n' ? 2 : 1);
    }
    ht_text_append(out, "\"\n");
}

static const char algorithm[] = "#ifdef __HIPCC_RTC__\n"
                                "namespace std {\n"
                                "template <typename T> __device__ constexpr const T &min(const T "
                                "&a, const T &b) { return b < a "
                                "? b : a; }\n"
                                "template <typename T> __device__ constexpr const T &max(const T "
                                "&a, const T &b) { return a < b "
                                "? b : a; }\n"
                                "}\n"
                                "#else\n"
                                "#include <algorithm>\n"
                                "#endif\n";

/* The same types as a library's, which may be declared twice. */
static const char sizes[] = "namespace std {\n"
                            "typedef decltype(sizeof(0)) size_t;\n"
                            "typedef decltype((char *)0 - (char *)0) ptrdiff_t;\n"
                            "}\n";

static void print_definitions(const ht_source *source, ht_text *out) {
    for (size_t i = 0; i < source->call.own_count; ++i) {
        const char *argument = source->call.own[i];
        if (strncmp(argument, "-D", 2) != 0)
            continue;
        const char *body = argument[2]                      ? argument + 2
                           : i + 1 < source->call.own_count ? source->call.own[i + 1]
                                                            : "";
        size_t length = strcspn(body, "=(");
        if (!body[0])
            continue;
        const char *value = strchr(body, '=');
        size_t head = value ? (size_t)(value - body) : strlen(body);
        ht_text_printf(out, "#ifndef %.*s\n#define %.*s %s\n#endif\n", (int)length, body, (int)head,
                       body, value ? value + 1 : "1");
    }
}

/* Prints using namespace x; as namespace x {} using namespace x; since x may be empty in the
 * slice. */
static bool print_using(const ht_slice *slice, const ht_slice_item *item, ht_text *out) {
    const ht_chunk *chunk = item->chunk;
    if (chunk->cursor_count != 1 || chunk->scope_count > 0 ||
        clang_getCursorKind(chunk->cursors[0]) != CXCursor_UsingDirective)
        return false;
    const char *text = slice->source->files[item->file].text;
    ht_tokens tokens;
    ht_tokens_read(text, item->range, false, &tokens);
    if (tokens.count >= 4 && ht_tokens_is(&tokens, 1, "namespace")) {
        size_t begin = tokens.items[2].begin, end = tokens.items[tokens.count - 2].end;
        if (!ht_tokens_is(&tokens, 2, "::"))
            ht_text_printf(out, "namespace %.*s {} ", (int)(end - begin), text + begin);
    }
    ht_tokens_free(&tokens);
    return false;
}

/* Prints the text, with a declaration in place of each body that is cut. */
static void print_text(const ht_slice *slice, const ht_slice_item *item, ht_text *out) {
    const char *text = slice->source->files[item->file].text;
    size_t at = item->range.begin;
    for (;;) {
        const ht_slice_cut *next = NULL;
        for (size_t i = 0; i < slice->cut_count; ++i) {
            const ht_slice_cut *cut = &slice->cuts[i];
            if (cut->file == item->file && cut->range.begin >= at &&
                cut->range.end <= item->range.end &&
                (!next || cut->range.begin < next->range.begin))
                next = cut;
        }
        size_t end = next ? next->range.begin : item->range.end;
        ht_text_printf(out, "%.*s%s", (int)(end - at), text + at, next ? ";" : "\n");
        if (!next)
            return;
        for (at = next->range.begin; at < next->range.end; ++at) /* lines keep their numbers */
            ht_text_append(out, text[at] == '\n' ? "\n" : "");
    }
}

/* Prints namespace x {} ahead of namespace y { using namespace x; }: inside of y it would be
 * another namespace, y::x. */
static void print_used(const ht_chunk *chunk, ht_text *out) {
    CXCursor used = clang_getNullCursor();
    ht_cursors list = {0};
    if (chunk->cursor_count == 1 && chunk->scope_count > 0 &&
        clang_getCursorKind(chunk->cursors[0]) == CXCursor_UsingDirective)
        list = ht_ast_children(chunk->cursors[0]);
    for (size_t i = 0; i < list.count; ++i)
        if (clang_getCursorKind(list.items[i]) == CXCursor_NamespaceRef)
            used = clang_getCursorReferenced(list.items[i]);
    free(list.items);
    if (clang_getCursorKind(used) != CXCursor_Namespace)
        return;
    char *name = ht_cursor_qualified_name(used);
    int depth = 0;
    for (char *at = name, *end; at && *at; at = end ? end + 2 : NULL, ++depth) {
        end = strstr(at, "::");
        ht_text_printf(out, "namespace %.*s {", end ? (int)(end - at) : (int)strlen(at), at);
    }
    for (; depth > 0; --depth)
        ht_text_append(out, "}");
    ht_text_append(out, "\n");
    free(name);
}

static void print_item(const ht_slice *slice, const ht_slice_item *item,
                       bool (*replace)(void *, const ht_slice_item *, ht_text *), void *context,
                       ht_text *out) {
    if (item->conditional) {
        ht_slice_conditional_print(slice, item->conditional, out);
        return;
    }
    if (!item->chunk) {
        if (!replace || !replace(context, item, out))
            ht_slice_directive_print(slice, item->file, item->range, out);
        return;
    }
    print_used(item->chunk, out);
    for (size_t i = 0; i < item->chunk->scope_count; ++i)
        ht_text_printf(out, "%s\n", item->chunk->scopes[i]);
    if (!replace || !replace(context, item, out)) {
        ht_line_directive(slice->source, item->file, item->line, out);
        print_using(slice, item, out);
        print_text(slice, item, out);
    }
    for (size_t i = 0; i < item->chunk->scope_count; ++i)
        ht_text_append(out, "}\n");
}

void ht_slice_print(const ht_slice *slice,
                    bool (*replace)(void *context, const ht_slice_item *item, ht_text *out),
                    void *context, ht_text *out) {
    ht_text_append(out, "#include <hip/hip_runtime.h>\n");
    for (size_t i = 0; i < slice->header_count; ++i)
        if (strcmp(slice->headers[i], HT_SLICE_ALGORITHM) == 0)
            ht_text_append(out, algorithm);
        else if (strcmp(slice->headers[i], HT_SLICE_SIZES) == 0)
            ht_text_append(out, sizes);
        else
            ht_text_printf(out, "#include %s\n", slice->headers[i]);
    for (size_t i = 0; i < slice->number_count; ++i)
        ht_text_printf(out, "%s\n", slice->numbers[i]);
    print_definitions(slice->source, out);
    for (size_t i = 0; i < slice->item_count; ++i)
        print_item(slice, &slice->items[i], replace, context, out);
}
