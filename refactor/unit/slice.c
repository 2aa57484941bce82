/* Finds the code that a kernel reaches: the closure over references. */
#include "refactor/unit/slice.h"
#include "refactor/source/names.h"
#include "refactor/unit/chunks.h"
#include "refactor/unit/slice_extern.h"
#include "refactor/unit/slice_host.h"
#include "refactor/unit/slice_macros.h"
#include "refactor/unit/slice_named.h"
#include "refactor/unit/slice_params.h"

#include "base/memory.h"
#include "refactor/kernel/named.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ht_slice_refuse(ht_slice *slice, int line, const char *format, ...) {
    if (slice->reason)
        return;
    va_list args;
    va_start(args, format);
    slice->reason = ht_format_list(format, args);
    va_end(args);
    slice->reason_line = line;
}

/* ---- system headers ---- */

typedef struct header_rule {
    const char *part;    /* end of the path */
    const char *include; /* "": none is needed; NULL: it is refused */
} header_rule;

static const header_rule rules[] = {
    {"hip_fp16.h", "<hip/hip_fp16.h>"},
    {"hip_fp16_gcc.h", "<hip/hip_fp16.h>"},
    {"hip_fp16_math_fwd.h", "<hip/hip_fp16.h>"},
    {"hip_bfloat16.h", "<hip/hip_bfloat16.h>"},
    {"hip_complex.h", "<hip/hip_complex.h>"},
    {"hip_cooperative_groups.h", "<hip/hip_cooperative_groups.h>"},
    {"hip_cooperative_groups_helper.h", "<hip/hip_cooperative_groups.h>"},
    {"texture_fetch_functions.h", NULL},
    {"texture_indirect_functions.h", NULL},
    {"surface_functions.h", NULL},
    {"stdint.h", "<cstdint>"},
    {"stdint-intn.h", "<cstdint>"},
    {"stdint-uintn.h", "<cstdint>"},
    {"stdint-least.h", "<cstdint>"},
    {"bits/types.h", "<cstdint>"},
    {"/cstdint", "<cstdint>"},
    {"float.h", "<cfloat>"},
    {"/cfloat", "<cfloat>"},
    {"limits.h", "<climits>"},
    {"/climits", "<climits>"},
    {"/math.h", "<cmath>"},
    {"/cmath", "<cmath>"},
    {"mathcalls.h", "<cmath>"},
    {"mathcalls-helper-functions.h", "<cmath>"},
    {"std_abs.h", "<cmath>"},
    {"/limits", "<limits>"},
    {"/type_traits", "<type_traits>"},
    {"/cassert", "<cassert>"},
    {"assert.h", "<cassert>"},
    {"stdlib.h", "<cmath>"},
    {"stddef.h", ""},
    {"c++config.h", HT_SLICE_SIZES},
    {"stdbool.h", ""},
    {"stdio.h", ""},
    {"new", ""},
};

static bool ends(const char *path, const char *part) {
    size_t length = strlen(path), size = strlen(part);
    return length >= size && strcmp(path + length - size, part) == 0;
}

static void header_add(ht_slice *slice, const char *include) {
    for (size_t i = 0; i < slice->header_count; ++i)
        if (strcmp(slice->headers[i], include) == 0)
            return;
    if (include[0] && slice->header_count < sizeof slice->headers / sizeof *slice->headers)
        slice->headers[slice->header_count++] = include;
}

/* Returns true if the unit also has what this system header declares, and notes the include for
 * it. */
static bool system_take(ht_slice *slice, const char *path, const char *name) {
    if ((strcmp(name, "min") == 0 || strcmp(name, "max") == 0) &&
        (ends(path, "/stl_algobase.h") || ends(path, "/algorithm"))) {
        header_add(slice, HT_SLICE_ALGORITHM);
        return true;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
        if (ends(path, rules[i].part)) {
            if (rules[i].include)
                header_add(slice, rules[i].include);
            return rules[i].include;
        }
    bool texture = strstr(path, "texture") || strstr(path, "surface");
    return !texture &&
           (strstr(path, "/hip/") || strstr(path, "__clang_hip") || strstr(path, "__clang_cuda") ||
            strstr(path, "__stddef") || strstr(path, "__stdarg") || strstr(path, "hip_"));
}

static void system_refuse(ht_slice *slice, const char *path, const char *name, int line) {
    const char *file = strrchr(path, '/');
    ht_slice_refuse(slice, line,
                    "the kernel reaches '%s' of <%s>, which device code cut out of its "
                    "file cannot use",
                    name, file ? file + 1 : path);
}

void ht_slice_system(ht_slice *slice, const char *path, const char *name, int line) {
    if (!system_take(slice, path, name))
        system_refuse(slice, path, name, line);
}

/* Declares a system header's name for a plain number again in the unit (`u_char` of
 * <sys/types.h>). */
static bool number_take(ht_slice *slice, CXCursor declaration, const char *name) {
    CXType type = clang_getCanonicalType(clang_getTypedefDeclUnderlyingType(declaration));
    enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(declaration));
    bool global = parent == CXCursor_TranslationUnit || parent == CXCursor_LinkageSpec ||
                  parent == CXCursor_UnexposedDecl; /* extern "C" */
    if (clang_getCursorKind(declaration) != CXCursor_TypedefDecl || !global ||
        type.kind < CXType_Bool || type.kind > CXType_Double)
        return false;
    CXString spelled = clang_getTypeSpelling(type);
    char *line = ht_format("typedef %s %s;", clang_getCString(spelled), name);
    bool known = false;
    for (size_t i = 0; i < slice->number_count && !known; ++i)
        known = strcmp(slice->numbers[i], line) == 0;
    if (known)
        free(line);
    else {
        HT_GROW(slice->numbers, slice->number_count);
        slice->numbers[slice->number_count++] = line;
    }
    clang_disposeString(spelled);
    return true;
}

void ht_slice_type(ht_slice *slice, const char *name) {
    static const char *const types[][2] = {{"half", "<hip/hip_fp16.h>"},
                                           {"__half", "<hip/hip_fp16.h>"},
                                           {"half2", "<hip/hip_fp16.h>"},
                                           {"__half2", "<hip/hip_fp16.h>"},
                                           {"hip_bfloat16", "<hip/hip_bfloat16.h>"},
                                           {"__hip_bfloat16", "<hip/hip_bf16.h>"},
                                           {"int8_t", "<cstdint>"},
                                           {"uint8_t", "<cstdint>"},
                                           {"int16_t", "<cstdint>"},
                                           {"uint16_t", "<cstdint>"},
                                           {"int32_t", "<cstdint>"},
                                           {"uint32_t", "<cstdint>"},
                                           {"int64_t", "<cstdint>"},
                                           {"uint64_t", "<cstdint>"}};
    for (size_t i = 0; name && i < sizeof types / sizeof *types; ++i)
        if (strcmp(types[i][0], name) == 0)
            header_add(slice, types[i][1]);
}

/* ---- references ---- */

ht_chunk *ht_slice_chunk(const ht_slice *slice, size_t file, size_t offset) {
    for (size_t i = 0; i < slice->chunk_count; ++i)
        if (slice->chunks[i].file == file && ht_range_holds(slice->chunks[i].range, offset))
            return &slice->chunks[i];
    return NULL;
}

static void need_declaration(ht_slice *slice, CXCursor declaration, int line) {
    CXFile file;
    unsigned offset;
    CXSourceLocation location = clang_getCursorLocation(declaration);
    clang_getExpansionLocation(location, &file, NULL, NULL, &offset);
    if (!file)
        return;
    size_t index = ht_source_file(slice->source, file);
    if (index == SIZE_MAX) {
        enum CXCursorKind kind = clang_getCursorKind(declaration);
        if (kind == CXCursor_Namespace || kind == CXCursor_ParmDecl ||
            kind == CXCursor_TemplateTypeParameter || kind == CXCursor_NonTypeTemplateParameter)
            return;
        CXString path = clang_getFileName(file);
        char *name = ht_cursor_name(declaration);
        if (strncmp(name, "__builtin_", 10) !=
                0 && /* the compiler's own, wherever they are first named */
            !system_take(slice, clang_getCString(path), name) &&
            !number_take(slice, declaration, name))
            system_refuse(slice, clang_getCString(path), name, line);
        free(name);
        clang_disposeString(path);
        return;
    }
    ht_chunk *chunk = ht_slice_chunk(slice, index, offset);
    if (chunk)
        chunk->needed = true;
}

/* Marks a declaration with its redeclarations, its template and that template's specialisations as
 * needed. */
static void need(ht_slice *slice, CXCursor declaration, int line) {
    need_declaration(slice, declaration, line);
    CXCursor definition = clang_getCursorDefinition(declaration);
    if (!clang_Cursor_isNull(definition))
        need_declaration(slice, definition, line);
    CXCursor primary = clang_getSpecializedCursorTemplate(declaration);
    if (!clang_Cursor_isNull(primary))
        need(slice, primary, line);
}

/* Returns true for functions that accept only types of their own header. In a template, `exp(x)`
 * also names the complex numbers' function if a header declares it, but a unit without complex
 * numbers cannot call that. */
static bool takes_own_types(CXCursor declaration) {
    static const char *const headers[] = {"/complex", "/valarray", "/valarray_after.h"};
    CXCursor definition = clang_getCursorDefinition(
        declaration); /* `using std::exp` is not a definition; this looks past it */
    CXSourceLocation location =
        clang_getCursorLocation(clang_Cursor_isNull(definition) ? declaration : definition);
    CXFile file;
    clang_getExpansionLocation(location, &file, NULL, NULL, NULL);
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name);
    bool found = false;
    for (size_t i = 0; path && i < sizeof headers / sizeof *headers; ++i)
        found = found || ends(path, headers[i]);
    clang_disposeString(name);
    return found;
}

/* Returns true for operators of headers. In a template, `a + b` also names the `+` of iterators,
 * strings and streams under `using namespace std`. A unit without such a header has no values of
 * these types, so the operator is the language's own. */
static bool is_foreign_operator(const ht_slice *slice, CXCursor declaration) {
    CXFile file;
    char *name = ht_cursor_name(declaration);
    bool is_operator = strncmp(name, "operator", 8) == 0 && name[8] &&
                       !isalnum((unsigned char)name[8]) && name[8] != '_';
    free(name);
    clang_getExpansionLocation(clang_getCursorLocation(declaration), &file, NULL, NULL, NULL);
    return is_operator && ht_source_file(slice->source, file) == SIZE_MAX;
}

/* Marks all functions that the name may stand for as needed. Those that accept only types of their
 * own header count only if there are no others. */
static void need_overloads(ht_slice *slice, CXCursor cursor) {
    unsigned count = clang_getNumOverloadedDecls(cursor), others = 0;
    for (unsigned i = 0; i < count; ++i)
        others += !takes_own_types(clang_getOverloadedDecl(cursor, i));
    for (unsigned i = 0; i < count; ++i) {
        CXCursor one = clang_getOverloadedDecl(cursor, i);
        if ((!others || !takes_own_types(one)) && !is_foreign_operator(slice, one))
            need(slice, one, ht_ast_line(cursor));
    }
}

/* Notes the header of std::uint8_t and the like: libclang's tree does not have what a type of a
 * using-declaration refers to. `space` is the reference to the namespace. */
static void need_std_type(ht_slice *slice, CXCursor space) {
    CXFile file;
    unsigned offset;
    clang_getFileLocation(clang_getCursorLocation(space), &file, NULL, NULL, &offset);
    size_t index = file ? ht_source_file(slice->source, file) : SIZE_MAX;
    if (index == SIZE_MAX || offset >= slice->source->files[index].length)
        return;
    const char *at = slice->source->files[index].text + offset;
    at += strncmp(at, "std", 3) == 0 ? 3 : 0;
    at += strspn(at, " \t\n");
    if (strncmp(at, "::", 2) != 0)
        return;
    at += 2 + strspn(at + 2, " \t\n");
    size_t length = 0;
    while (ht_name_has(at[length]))
        ++length;
    char *name = ht_strndup(at, length);
    ht_slice_type(slice, name);
    free(name);
}

/* Notes <cmath> for std::sqrt and the like, which clang's own headers for devices declare before
 * the library's. */
static void need_std(ht_slice *slice, CXCursor use) {
    CXFile file;
    CXCursor named = clang_getCursorReferenced(use);
    if (clang_getCursorKind(named) == CXCursor_OverloadedDeclRef)
        named = clang_getOverloadedDecl(named, 0);
    clang_getExpansionLocation(clang_getCursorLocation(named), &file, NULL, NULL, NULL);
    CXString path = clang_getFileName(file);
    if (file && strstr(clang_getCString(path), "__clang_"))
        header_add(slice, "<cmath>");
    clang_disposeString(path);
}

static bool on_reference(CXCursor cursor, CXCursor parent, void *context) {
    ht_slice *slice = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    int line = ht_ast_line(cursor);
    if (slice->without_host && ht_slice_cut_method(slice, cursor))
        return false;
    if (slice->without_host && ht_slice_is_host_member(parent) &&
        (kind == CXCursor_CompoundStmt || clang_isExpression(kind))) {
        if (kind == CXCursor_CompoundStmt)
            ht_slice_cut_body(slice, parent, cursor);
        return false;
    }
    if (kind == CXCursor_NamespaceRef && ht_cursor_named(cursor, "std")) {
        need_std(slice, parent);
        need_std_type(slice, cursor);
    }
    if (kind == CXCursor_OverloadedDeclRef) {
        need_overloads(slice, cursor);
        return true;
    }
    if (!clang_isReference(kind) && !clang_isExpression(kind))
        return true;
    CXCursor referenced = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(referenced) == CXCursor_OverloadedDeclRef)
        need_overloads(slice, referenced);
    else if (!clang_Cursor_isNull(referenced) && !clang_isInvalid(clang_getCursorKind(referenced)))
        need(slice, referenced, line);
    return true;
}

/* Marks constants named in a text, or in macros that it names, as needed. */
static void need_names(ht_slice *slice, size_t file, ht_range range, int line, int depth) {
    ht_tokens tokens;
    ht_tokens_read(slice->source->files[file].text, range, false, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        if (tokens.items[i].kind != HT_TOKEN_NAME)
            continue;
        char *name = ht_tokens_text(&tokens, i);
        const ht_macro *macro = ht_source_macro(slice->source, name, file, tokens.items[i].begin);
        CXCursor constant = macro ? clang_getNullCursor() : ht_source_constant(slice->source, name);
        if (macro && depth < 8)
            need_names(slice, macro->file, macro->body, line, depth + 1);
        else if (!clang_Cursor_isNull(constant))
            need(slice, constant, line);
        free(name);
    }
    ht_tokens_free(&tokens);
}

/* Marks names in __launch_bounds__ as needed, which libclang's tree does not have. */
static void need_bounds(ht_slice *slice, CXCursor function) {
    size_t file;
    ht_range range;
    enum CXCursorKind kind = clang_getCursorKind(function);
    if ((kind != CXCursor_FunctionDecl && kind != CXCursor_FunctionTemplate) ||
        !ht_source_range(slice->source, function, &file, &range))
        return;
    const ht_tokens *tokens = ht_source_tokens(slice->source, file);
    for (size_t i = ht_tokens_at(tokens, range.begin);
         i < tokens->count && tokens->items[i].begin < range.end && !ht_tokens_is(tokens, i, "{");
         ++i) {
        size_t close = ht_tokens_close(tokens, i + 1);
        if (ht_tokens_is(tokens, i, "__launch_bounds__") && close < tokens->count)
            need_names(slice, file,
                       (ht_range){tokens->items[i + 1].end, tokens->items[close].begin},
                       ht_ast_line(function), 0);
    }
}

static bool is_using(CXCursor cursor) {
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_UsingDirective || kind == CXCursor_NamespaceAlias;
}

/* Returns true for a redeclaration or specialisation of something needed. */
static bool belongs(const ht_slice *slice, const ht_chunk *chunk) {
    for (size_t i = 0; i < chunk->cursor_count; ++i) {
        CXCursor cursor = chunk->cursors[i];
        CXCursor canonical = clang_getCanonicalCursor(cursor);
        CXCursor primary = clang_getSpecializedCursorTemplate(cursor);
        for (size_t j = 0; j < slice->chunk_count; ++j) {
            const ht_chunk *other = &slice->chunks[j];
            if (!other->needed)
                continue;
            for (size_t k = 0; k < other->cursor_count; ++k) {
                CXCursor of = clang_getCanonicalCursor(other->cursors[k]);
                if (clang_equalCursors(of, canonical) ||
                    (!clang_Cursor_isNull(primary) &&
                     clang_equalCursors(of, clang_getCanonicalCursor(primary))))
                    return true;
            }
        }
    }
    return false;
}

static void close_over(ht_slice *slice) {
    for (bool again = true; again && !slice->reason;) {
        again = false;
        for (size_t i = 0; i < slice->chunk_count && !slice->reason; ++i) {
            ht_chunk *chunk = &slice->chunks[i];
            if (!chunk->needed && belongs(slice, chunk))
                chunk->needed = true;
            if (!chunk->needed || chunk->visited)
                continue;
            chunk->visited = again = true;
            for (size_t j = 0; j < chunk->cursor_count; ++j) {
                ht_ast_walk(chunk->cursors[j], on_reference, slice);
                need_bounds(slice, chunk->cursors[j]);
            }
        }
    }
}

/* Marks `using namespace` lines of the user's and std's namespaces as needed. */
static void need_usings(ht_slice *slice) {
    for (size_t i = 0; i < slice->chunk_count; ++i) {
        ht_chunk *chunk = &slice->chunks[i];
        if (chunk->cursor_count == 1 && is_using(chunk->cursors[0])) {
            char *text = ht_strndup(slice->source->files[chunk->file].text + chunk->range.begin,
                                    chunk->range.end - chunk->range.begin);
            chunk->needed = clang_getCursorKind(chunk->cursors[0]) == CXCursor_UsingDirective;
            chunk->visited = true;
            free(text);
        }
    }
}

static bool build(const ht_source *source, const CXCursor *kernels, size_t kernel_count,
                  const ht_template *template, const ht_template_parameter_list *launched,
                  bool without_host, ht_slice *out) {
    *out = (ht_slice){.source = source, .without_host = without_host};
    ht_chunks_collect(out);
    need_usings(out);
    for (size_t i = 0; i < kernel_count; ++i)
        need(out, kernels[i], ht_ast_line(kernels[i]));
    for (size_t i = 0; launched && i < launched->count; ++i)
        if (launched->items[i].argument)
            ht_slice_type_text(out, launched->items[i].argument);
    if (template) {
        ht_slice_named(out, template);
        ht_slice_params(out, template);
    }
    do {
        close_over(out);
        ht_slice_macros_need(out);
    } while (!out->reason && ht_slice_unseen(out));
    ht_slice_params_check(out);
    ht_slice_define_externs(out);
    if (!out->reason)
        ht_slice_order(out);
    return !out->reason;
}

/* Tries first to keep classes of host and device whole (an accessor of tensors, with std::copy in
 * its constructors); if that fails, the host's member functions lose their bodies. */
static const char *build_either(const ht_source *source, const CXCursor *kernels,
                                size_t kernel_count, const ht_template *template,
                                const ht_template_parameter_list *launched, ht_slice *out_slice) {
    if (build(source, kernels, kernel_count, template, launched, false, out_slice))
        return NULL;
    ht_slice less;
    bool done = build(source, kernels, kernel_count, template, launched, true, &less);
    ht_slice_free(done ? out_slice : &less);
    if (done)
        *out_slice = less;
    return out_slice->reason;
}

const char *ht_slice_build(const ht_source *source, const CXCursor *kernels, size_t kernel_count,
                           const ht_template *template, ht_slice *out_slice) {
    return build_either(source, kernels, kernel_count, template, NULL, out_slice);
}

const char *ht_slice_build_launched(const ht_kernel_facts *facts, CXCursor kernel,
                                    ht_slice *out_slice) {
    return build_either(facts->source, &kernel, 1, NULL, &facts->template_parameters, out_slice);
}

void ht_slice_free(ht_slice *slice) {
    for (size_t i = 0; i < slice->chunk_count; ++i) {
        ht_strings_free(slice->chunks[i].scopes, slice->chunks[i].scope_count);
        free(slice->chunks[i].cursors);
    }
    for (size_t i = 0; i < slice->macro_count; ++i)
        free(slice->macros[i]);
    for (size_t i = 0; i < slice->number_count; ++i)
        free(slice->numbers[i]);
    ht_slice_params_free(slice);
    free(slice->numbers);
    free(slice->cuts);
    free(slice->chunks);
    free(slice->macros);
    free(slice->items);
    free(slice->reason);
    *slice = (ht_slice){0};
}
