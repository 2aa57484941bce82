/* Parses a file with libclang and collects what the AST does not have. */

#include "refactor/source/arguments.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/read_log.h"
#include "base/result.h"
#include "refactor/source/ast.h"
#include "refactor/source/forms.h"
#include "refactor/source/host_names.h"
#include "refactor/source/macro_kernel.h"
#include "refactor/source/missing.h"
#include "refactor/source/names.h"
#include "refactor/source/place.h"
#include "refactor/source/resource_dir.h"
#include "refactor/source/source_try.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const hip_header = "/usr/include/hip/hip_runtime.h";

/* ---- files ---- */

static bool is_named(CXFile file, const char *path) {
    CXString name = clang_getFileName(file);
    bool same = strcmp(clang_getCString(name), path) == 0;
    clang_disposeString(name);
    return same;
}

size_t ht_source_file(const ht_source *source, CXFile file) {
    if (!file)
        return SIZE_MAX;
    for (size_t i = 0; i < source->file_count; ++i)
        if (clang_File_isEqual(source->files[i].file, file) &&
            (!source->files[i].in_memory || is_named(file, source->files[i].path)))
            return i;
    return SIZE_MAX;
}

static void file_add(ht_source *source, CXFile file) {
    if (ht_source_file(source, file) != SIZE_MAX)
        return;
    size_t size = 0;
    const char *contents = clang_getFileContents(source->unit, file, &size);
    CXString name = clang_getFileName(file);
    ht_user_file added = {.path = ht_strdup(clang_getCString(name)),
                          .file = file,
                          .text = ht_strndup(contents ? contents : "", contents ? size : 0),
                          .parent = SIZE_MAX};
    added.in_memory = ht_host_library_of(added.path) != NULL;
    added.length = strlen(added.text); /* text after a NUL is ignored */
    clang_disposeString(name);
    CXSourceRangeList *skipped = clang_getSkippedRanges(source->unit, file);
    for (unsigned i = 0; skipped && i < skipped->count; ++i) {
        unsigned begin, end;
        clang_getExpansionLocation(clang_getRangeStart(skipped->ranges[i]), NULL, NULL, NULL,
                                   &begin);
        clang_getExpansionLocation(clang_getRangeEnd(skipped->ranges[i]), NULL, NULL, NULL, &end);
        HT_GROW(added.skipped, added.skipped_count);
        added.skipped[added.skipped_count++] = (ht_range){begin, end};
    }
    if (skipped)
        clang_disposeSourceRangeList(skipped);
    HT_GROW(source->files, source->file_count);
    source->files[source->file_count++] = added;
}

static void on_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
    ht_source *source = data;
    CXSourceLocation start = clang_getLocationForOffset(source->unit, file, 0);
    size_t known = source->file_count;
    CXString name = clang_getFileName(file);
    const ht_host_library *library = ht_host_library_of(clang_getCString(name));
    bool own = library && !library->in_kernels;
    bool made = source->joined.text && strcmp(clang_getCString(name), source->unit_path) == 0;
    if (!library && !made)
        ht_read_log_add(clang_getCString(name));
    clang_disposeString(name);
    if (own || (depth != 0 && clang_Location_isInSystemHeader(start)))
        return;
    file_add(source, file);
    if (source->file_count > known && depth > 0 && !library)
        ht_input_add(source->files[known].path);
    if (source->file_count == known || depth == 0)
        return;
    CXFile parent;
    unsigned offset;
    clang_getExpansionLocation(stack[0], &parent, NULL, NULL, &offset);
    size_t includes = ht_source_file(source, parent);
    /* one that an option includes is read ahead of the main file, which is the first */
    source->files[known].parent = includes == SIZE_MAX ? 0 : includes;
    source->files[known].parent_offset = includes == SIZE_MAX ? 0 : offset;
}

bool ht_source_skipped(const ht_source *source, size_t file, size_t offset) {
    const ht_user_file *of = &source->files[file];
    for (size_t i = 0; i < of->skipped_count; ++i)
        if (ht_range_holds(of->skipped[i], offset))
            return true;
    return false;
}

bool ht_source_range(const ht_source *source, CXCursor cursor, size_t *out_file,
                     ht_range *out_range) {
    CXFile in;
    ht_range range;
    size_t file = ht_ast_extent(cursor, &in, &range) ? ht_source_file(source, in) : SIZE_MAX;
    if (file == SIZE_MAX)
        return false;
    *out_file = file;
    *out_range = range;
    return true;
}

/* ---- macros ---- */

static void macro_add(ht_source *source, CXCursor cursor) {
    size_t file;
    ht_range name;
    if (!ht_source_range(source, cursor, &file, &name))
        return;
    const char *text = source->files[file].text;
    size_t hash = name.begin;
    while (hash > 0 && text[hash] != '#')
        --hash;
    ht_tokens line;
    ht_tokens_read(text, (ht_range){hash, source->files[file].length}, true, &line);
    ht_macro macro = {.file = file, .function_like = clang_Cursor_isMacroFunctionLike(cursor)};
    if (line.count == 0 || line.items[0].kind != HT_TOKEN_DIRECTIVE) {
        ht_tokens_free(&line);
        return;
    }
    macro.range = (ht_range){hash, line.items[0].end};
    ht_tokens_free(&line);
    ht_tokens_read(text, (ht_range){name.begin, macro.range.end}, false, &line);
    macro.body = (ht_range){macro.range.end, macro.range.end};
    size_t first = 1;
    if (macro.function_like)
        first = ht_tokens_close(&line, 1) + 1;
    if (first < line.count)
        macro.body = (ht_range){line.items[first].begin, line.items[line.count - 1].end};
    ht_tokens_free(&line);
    macro.name = ht_cursor_name(cursor);
    unsigned number;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, &number, NULL, NULL);
    macro.line = (int)number;
    HT_GROW(source->macros.items, source->macros.count);
    source->macros.items[source->macros.count++] = macro;
}

static void expansion_add(ht_source *source, CXCursor cursor) {
    ht_expansion expansion = {.definition = clang_getCursorReferenced(cursor)};
    if (!ht_source_range(source, cursor, &expansion.file, &expansion.range))
        return;
    size_t file;
    ht_range range;
    expansion.system = clang_Cursor_isNull(expansion.definition) ||
                       !ht_source_range(source, expansion.definition, &file, &range);
    if (expansion.system && !clang_Cursor_isNull(expansion.definition)) {
        CXFile where;
        clang_getExpansionLocation(clang_getCursorLocation(expansion.definition), &where, NULL,
                                   NULL, NULL);
        CXString name = clang_getFileName(where);
        if (where && clang_getCString(name))
            expansion.system_file = ht_strdup(clang_getCString(name));
        clang_disposeString(name);
    }
    expansion.name = ht_cursor_name(cursor);
    HT_GROW(source->expansions.items, source->expansions.count);
    source->expansions.items[source->expansions.count++] = expansion;
}

static enum CXChildVisitResult on_preprocessing(CXCursor cursor, CXCursor parent,
                                                CXClientData data) {
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_MacroDefinition)
        macro_add(data, cursor);
    else if (kind == CXCursor_MacroExpansion)
        expansion_add(data, cursor);
    return CXChildVisit_Continue;
}

/* A later definition of a name replaces an earlier one, in the order of translation. */
const ht_macro *ht_source_macro(const ht_source *source, const char *name, size_t file,
                                size_t offset) {
    const ht_macro *found = NULL;
    for (size_t i = 0; i < source->macros.count; ++i) {
        const ht_macro *macro = &source->macros.items[i];
        if (strcmp(macro->name, name) != 0 ||
            ht_place_compare(source, macro->file, macro->range.begin, file, offset) > 0)
            continue;
        found = macro;
    }
    return found;
}

/* ---- errors ---- */

static void errors_collect(ht_source *source) {
    for (unsigned i = 0; i < clang_getNumDiagnostics(source->unit); ++i) {
        CXDiagnostic diagnostic = clang_getDiagnostic(source->unit, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            CXFile file;
            unsigned line, column, offset;
            clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &file, &line,
                                       &column, &offset);
            CXString words = clang_getDiagnosticSpelling(diagnostic);
            HT_GROW(source->errors.items, source->errors.count);
            source->errors.items[source->errors.count++] =
                (ht_source_error){.file = ht_source_file(source, file),
                                  .offset = offset,
                                  .line = (int)line,
                                  .column = (int)column,
                                  .message = ht_strdup(clang_getCString(words))};
            clang_disposeString(words);
        }
        clang_disposeDiagnostic(diagnostic);
    }
}

/* ---- opening ---- */

/* Makes the file at `path` the first one of the unit. */
static bool subject_choose(ht_source *source) {
    size_t subject = 0;
    while (subject < source->file_count && !ht_file_same(source->files[subject].path, source->path))
        ++subject;
    if (subject == source->file_count)
        return false;
    ht_user_file chosen = source->files[subject];
    source->files[subject] = source->files[0];
    source->files[0] = chosen;
    for (size_t i = 0; i < source->file_count; ++i) {
        size_t *parent = &source->files[i].parent;
        *parent = *parent == 0 ? subject : *parent == subject ? 0 : *parent;
    }
    free(source->files[0].path);
    source->files[0].path = ht_strdup(source->path);
    return true;
}

/* Moves the texts of all files into one. */
static void texts_join(ht_source *source) {
    for (size_t i = 0; i < source->file_count; ++i) {
        source->files[i].base = source->text_length;
        source->text_length += source->files[i].length + 1;
    }
    source->text = ht_alloc(source->text_length, 1);
    for (size_t i = 0; i < source->file_count; ++i) {
        ht_user_file *of = &source->files[i];
        memcpy(source->text + of->base, of->text, of->length + 1);
        free(of->text);
        of->text = source->text + of->base;
    }
}

size_t ht_source_at(const ht_source *source, size_t offset) {
    size_t file = source->file_count - 1;
    while (file > 0 && source->files[file].base > offset)
        --file;
    return file;
}

const ht_tokens *ht_source_tokens(const ht_source *source, size_t file) {
    ht_user_file *of = &source->files[file];
    if (!of->has_tokens)
        ht_tokens_read(of->text, (ht_range){0, of->length}, true, &of->tokens);
    of->has_tokens = true;
    return &of->tokens;
}

bool ht_source_names(const ht_source *source, size_t file, const char *name) {
    const ht_user_file *of = &source->files[file];
    const ht_tokens *tokens = strstr(of->text, name) ? ht_source_tokens(source, file) : NULL;
    for (size_t i = 0; tokens && i < tokens->count; ++i) {
        const ht_token token = tokens->items[i];
        bool directive = token.kind == HT_TOKEN_DIRECTIVE;
        if (directive ? ht_name_stands(of->text + token.begin, token.end - token.begin, name)
                      : token.kind == HT_TOKEN_NAME && ht_tokens_is(tokens, i, name))
            return true;
    }
    return false;
}

/* Parses the unit, with these texts in place of files. */
static enum CXErrorCode unit_parse(ht_source *source, const ht_file_text *files, size_t count) {
    struct CXUnsavedFile *texts = ht_alloc(count + 1, sizeof *texts);
    unsigned used = 0;
    if (source->joined.text)
        texts[used++] = (struct CXUnsavedFile){source->unit_path, source->joined.text,
                                               strlen(source->joined.text)};
    const unsigned first = used;
    for (size_t i = 0; i < count; ++i) {
        const char *text = ht_forms_plain(files[i].text, &source->launch_names);
        texts[used++] = (struct CXUnsavedFile){files[i].path, text, strlen(text)};
    }
    if (source->unit)
        clang_disposeTranslationUnit(source->unit);
    enum CXErrorCode code =
        ht_call_parse(&source->call, source->index, source->unit_path, texts, used,
                      CXTranslationUnit_DetailedPreprocessingRecord, &source->unit);
    while (used > first)
        free((char *)(size_t)texts[--used].Contents);
    free(texts);
    return code;
}

/* Parses the unit, again if it names what is not there, and then with declarations of it. */
static enum CXErrorCode unit_read(ht_source *source, const ht_file_text *files, size_t count) {
    source->call.libraries = 0;
    enum CXErrorCode code = unit_parse(source, files, count);
    source->call.libraries = code == CXError_Success ? ht_missing_libraries(source) : 0;
    return source->call.libraries ? unit_parse(source, files, count) : code;
}

/* Parses the unit as a build for a GPU, if it asks for one and no more errors come of it; if its
 * headers do, or as CUDA's compiler does, if fewer come of that. */
static enum CXErrorCode gpu_unit_read(ht_source *source, const ht_file_text *files, size_t count) {
    enum CXErrorCode code = unit_read(source, files, count);
    for (size_t step = 0; step < HT_MISSING_WAYS && code == CXError_Success; ++step) {
        size_t errors = ht_missing_errors(source);
        char *macro = ht_missing_macro(source, step, errors);
        if (macro)
            ht_call_add(&source->call, macro);
        code = macro ? unit_read(source, files, count) : code;
        if (!macro || (code == CXError_Success && ht_missing_errors(source) + !!step <= errors))
            continue;
        ht_call_drop(&source->call);
        code = unit_read(source, files, count);
    }
    return code;
}

/* Parses the unit again with this text in place of the file; NULL: not. Takes over `text`. */
static enum CXErrorCode text_replace(ht_source *source, CXFile file, char *text) {
    if (!text)
        return CXError_Success;
    CXString name = clang_getFileName(file);
    const ht_file_text changed = {ht_strdup(clang_getCString(name)), text};
    clang_disposeString(name);
    enum CXErrorCode code = unit_parse(source, &changed, 1);
    free(changed.path);
    free(text);
    return code;
}

/* Returns the file being analysed; NULL: the unit could not be read. */
static CXFile own_file(const ht_source *source, enum CXErrorCode code) {
    return code == CXError_Success && source->unit ? clang_getFile(source->unit, source->path)
                                                   : NULL;
}

/* Writes out the kernels that macros write, if the compiler then sees the same code. */
static enum CXErrorCode macros_write(ht_source *source) {
    CXFile file = own_file(source, CXError_Success);
    char *text = file ? ht_macro_kernel_text(source->unit, file, &source->macro_kernels) : NULL;
    if (!text)
        return CXError_Success;
    char *before = ht_unit_code(source->unit);
    enum CXErrorCode code = text_replace(source, file, text);
    char *after = code == CXError_Success && source->unit ? ht_unit_code(source->unit) : NULL;
    bool same = after && strcmp(before, after) == 0;
    free(before);
    free(after);
    if (same)
        return code;
    ht_whole_blocks_free(&source->macro_kernels);
    return unit_parse(source, NULL, 0);
}

/* Writes names for which clang drops launches as calls. */
static enum CXErrorCode names_write(ht_source *source, CXFile file) {
    size_t length = 0;
    ht_launch_names_find(source->unit, file, &source->launch_names);
    const char *text = clang_getFileContents(source->unit, file, &length);
    return text_replace(source, file, source->launch_names.count ? ht_strndup(text, length) : NULL);
}

/* Parses the unit again if parts of the file being analysed are to be read in another form. */
static enum CXErrorCode forms_change(ht_source *source) {
    size_t length = 0;
    enum CXErrorCode code = macros_write(source);
    CXFile file = own_file(source, code);
    const char *given = file ? clang_getFileContents(source->unit, file, &length) : NULL;
    if (given && strlen(given) == length)
        code = text_replace(source, file, ht_forms_text(given, &source->macro_kernels));
    if ((file = own_file(source, code)) != NULL)
        code = names_write(source, file);
    if ((file = own_file(source, code)) != NULL)
        code = text_replace(source, file,
                            ht_whole_block_text(source->unit, file, &source->whole_blocks));
    if ((file = own_file(source, code)) != NULL)
        code = text_replace(source, file, ht_index_split_text(source->unit, file, &source->splits));
    return code;
}

/* `files`: texts to be read in place of those of files. */
static ht_status source_parse(ht_source *source, const ht_file_text *files, size_t count,
                              ht_error *error) {
    enum CXErrorCode code = gpu_unit_read(source, files, count);
    if (code == CXError_Success && count == 0)
        code = forms_change(source);
    if (code != CXError_Success || !source->unit)
        return ht_error_set_at(error, HT_ERROR_INPUT, source->path, 0, 0,
                               "%s: libclang could not read it (code %d); check the compiler "
                               "arguments",
                               source->unit_path, (int)code);
    CXFile file = clang_getFile(source->unit, source->unit_path);
    if (!file)
        return ht_error_set_at(error, HT_ERROR_INPUT, source->path, 0, 0,
                               "%s: libclang could not read it", source->unit_path);
    file_add(source, file);
    clang_getInclusions(source->unit, on_inclusion, source);
    if (source->unit_path != source->path && !subject_choose(source))
        return ht_error_set_at(error, HT_ERROR_INPUT, source->path, 0, 0, "%s does not include %s",
                               source->unit_path, source->path);
    for (size_t i = 0; source->joined.other && i < source->file_count; ++i)
        if (ht_file_same(source->files[i].path, source->joined.other)) {
            free(source->files[i].path);
            source->files[i].path = ht_strdup(source->joined.other);
        }
    texts_join(source);
    clang_visitChildren(clang_getTranslationUnitCursor(source->unit), on_preprocessing, source);
    errors_collect(source);
    return HT_OK;
}

/* Returns "/dir/a.cu" for "a.cu": the in-memory file that includes it has no folder in which to
 * look for it. */
static char *whole_path(const char *path) {
    char *whole = realpath(path, NULL), *copy = ht_strdup(whole ? whole : path);
    free(whole);
    return copy;
}

/* Chooses the unit that launches the file's kernels. */
static void unit_choose(ht_source *source, const ht_refactor_options *options) {
    ht_input_add(options->through);
    source->unit_path = ht_strdup(options->through);
    if (!options->joined)
        return;
    char *own = whole_path(source->path), *other = whole_path(options->through);
    source->joined.text = ht_format("#include \"%s\"\n#include \"%s\"\n", own, other);
    source->joined.other = source->unit_path;
    source->unit_path = ht_format("%s.joined.hip", own);
    free(other);
    free(own);
}

/* Returns the call that the options (NULL: none) ask for; resource_dir is owned. */
static ht_call call_of(const ht_refactor_options *options) {
    static const ht_refactor_options none = {0};
    const ht_refactor_options *of = options ? options : &none;
    return (ht_call){.resource_dir =
                         of->resource_dir ? ht_strdup(of->resource_dir) : ht_resource_dir_find(),
                     .cache = of->cache,
                     .own = (char *const *)of->arguments,
                     .own_count = of->argument_count};
}

char *ht_source_author_text(const ht_source *source, char *text) {
    text = ht_whole_block_restore(ht_index_join_text(text, &source->splits), &source->whole_blocks);
    text = ht_launch_names_restore(text, &source->launch_names);
    return ht_whole_block_restore(text, &source->macro_kernels);
}

ht_status ht_source_prepare(const ht_refactor_options *options, ht_error *error) {
    ht_status status = ht_libclang_load(error);
    if (status != HT_OK)
        return status;
    ht_call call = call_of(options);
    if (call.resource_dir && ht_file_exists(hip_header)) {
        ht_arguments arguments;
        ht_arguments_make(&call, &arguments);
        ht_arguments_free(&arguments);
    }
    free((char *)call.resource_dir);
    return HT_OK;
}

ht_status ht_source_open(const char *path, const ht_refactor_options *options,
                         ht_source **out_source, ht_error *error) {
    *out_source = NULL;
    char *text;
    ht_status status = ht_file_read_text(path, "HIP source", &text, error);
    if (status != HT_OK) {
        if (error && !strstr(error->message, path))
            ht_error_prefix(error, "%s: ", path);
        return status;
    }
    free(text);
    if (!ht_file_exists(hip_header))
        return ht_error_set(error, HT_ERROR_MISSING,
                            "HIP's headers are missing (%s): install the package libamdhip64-dev",
                            hip_header);
    status = ht_libclang_load(error);
    if (status != HT_OK)
        return status;
    ht_source *source = ht_alloc(1, sizeof *source);
    source->path = ht_strdup(path);
    source->unit_path = source->path;
    if (options && options->through)
        unit_choose(source, options);
    source->call = ht_call_copy(call_of(options));
    if (!source->call.resource_dir) {
        ht_source_free(source);
        return ht_error_set(error, HT_ERROR_MISSING,
                            "clang's own headers were not found: install the package clang-19");
    }
    source->operations = options ? options->limits.operations : 0;
    source->index = clang_createIndex(1, 0); /* declarations of the parsed header are not visited */
    status = source_parse(source, NULL, 0, error);
    if (status != HT_OK) {
        ht_source_free(source);
        return status;
    }
    *out_source = source;
    return HT_OK;
}

static char *copy_of(const char *text) {
    return text ? ht_strdup(text) : NULL;
}

ht_status ht_source_reopen(const ht_source *source, const ht_file_text *files, size_t count,
                           ht_source **out_source, ht_error *error) {
    ht_source *again = ht_alloc(1, sizeof *again);
    *out_source = NULL;
    again->path = ht_strdup(source->path);
    again->unit_path =
        source->unit_path == source->path ? again->path : ht_strdup(source->unit_path);
    again->joined.text = copy_of(source->joined.text);
    again->joined.other = copy_of(source->joined.other);
    again->call = source->call;
    again->call.resource_dir = copy_of(source->call.resource_dir);
    again->call = ht_call_copy(again->call);
    again->operations = source->operations;
    again->launch_names = ht_launch_names_copy(&source->launch_names);
    again->index = clang_createIndex(1, 0);
    ht_status status = source_parse(again, files, count, error);
    if (status == HT_OK)
        status = ht_source_check(again, files, count, error);
    if (status == HT_OK)
        *out_source = again;
    else
        ht_source_free(again);
    return status;
}

void ht_source_free(ht_source *source) {
    if (!source)
        return;
    for (size_t i = 0; i < source->file_count; ++i) {
        free(source->files[i].path);
        if (!source->text) /* not joined yet */
            free(source->files[i].text);
        free(source->files[i].skipped);
        free(source->files[i].never);
        if (source->files[i].has_tokens)
            ht_tokens_free(&source->files[i].tokens);
    }
    for (size_t i = 0; i < source->macros.count; ++i)
        free(source->macros.items[i].name);
    for (size_t i = 0; i < source->expansions.count; ++i) {
        free(source->expansions.items[i].name);
        free(source->expansions.items[i].system_file);
    }
    for (size_t i = 0; i < source->errors.count; ++i)
        free(source->errors.items[i].message);
    ht_call_free(&source->call);
    ht_index_splits_free(&source->splits);
    ht_whole_blocks_free(&source->whole_blocks);
    ht_launch_names_free(&source->launch_names);
    ht_whole_blocks_free(&source->macro_kernels);
    free(source->files);
    free(source->text);
    free(source->macros.items);
    free(source->expansions.items);
    free(source->errors.items);
    if (source->unit_path != source->path)
        free(source->unit_path);
    free(source->joined.text);
    free(source->joined.other);
    free(source->path);
    if (source->unit)
        clang_disposeTranslationUnit(source->unit);
    if (source->index)
        clang_disposeIndex(source->index);
    free(source);
}
