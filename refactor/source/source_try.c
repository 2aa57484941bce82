/* Parsing a unit with other texts in place of its files, for what clang says of them. */
#include "refactor/source/source_try.h"

#include "base/memory.h"
#include "refactor/source/arguments.h"

#include <stdlib.h>
#include <string.h>

/* `places`: "FILE:LINE: words", as #line directives have it. */
static char *words_of(CXDiagnostic diagnostic, bool places) {
    CXString words = clang_getDiagnosticSpelling(diagnostic), file;
    unsigned line;
    clang_getPresumedLocation(clang_getDiagnosticLocation(diagnostic), &file, &line, NULL);
    const char *name = clang_getCString(file);
    char *copy = places && name && *name && line
                     ? ht_format("%s:%u: %s", name, line, clang_getCString(words))
                     : ht_strdup(clang_getCString(words));
    clang_disposeString(words);
    clang_disposeString(file);
    return copy;
}

/* Parses with these texts in place of files; the error messages. */
static size_t try(const ht_source *source, const char *name, const ht_call *call,
                  const ht_file_text *files, size_t count, bool places, char ***out_messages) {
    ht_arguments arguments;
    ht_arguments_make(call, &arguments);
    struct CXUnsavedFile *unsaved = ht_alloc(count + 2, sizeof *unsaved);
    for (size_t i = 0; i < count; ++i)
        unsaved[i] = (struct CXUnsavedFile){files[i].path, files[i].text, strlen(files[i].text)};
    if (source->join)
        unsaved[count++] =
            (struct CXUnsavedFile){source->unit_path, source->join, strlen(source->join)};
    unsaved[count] = (struct CXUnsavedFile){ht_cuda_path, ht_cuda_text, strlen(ht_cuda_text)};
    CXTranslationUnit unit = NULL;
    enum CXErrorCode code = clang_parseTranslationUnit2(
        source->index, name, arguments.items, (int)arguments.count, unsaved,
        (unsigned)count + (call->cuda ? 1 : 0), CXTranslationUnit_KeepGoing, &unit);
    ht_arguments_free(&arguments);
    free(unsaved);
    char **messages = NULL;
    size_t message_count = 0;
    if (code != CXError_Success || !unit) {
        HT_GROW(messages, message_count);
        messages[message_count++] = ht_format("libclang could not read it (code %d)", (int)code);
    }
    for (unsigned i = 0; unit && i < clang_getNumDiagnostics(unit); ++i) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            HT_GROW(messages, message_count);
            messages[message_count++] = words_of(diagnostic, places);
        }
        clang_disposeDiagnostic(diagnostic);
    }
    if (unit)
        clang_disposeTranslationUnit(unit);
    *out_messages = messages;
    return message_count;
}

size_t ht_source_try(const ht_source *source, const char *path, const char *text,
                     bool own_arguments, const char *const *extra, size_t extra_count,
                     char ***out_messages) {
    ht_call call = {.resource_dir = source->resource_dir,
                    .cache = source->cache,
                    .own = source->arguments,
                    .own_count = own_arguments ? source->argument_count : 0,
                    .extra = extra,
                    .extra_count = extra_count,
                    .cuda = own_arguments && source->cuda};
    const ht_file_text file = {(char *)(size_t)(path ? path : source->path), (char *)(size_t)text};
    return try(source, path ? path : source->unit_path, &call, &file, 1, true, out_messages);
}

size_t ht_source_try_files(const ht_source *source, const ht_file_text *files, size_t count,
                           char ***out_messages) {
    ht_call call = {.resource_dir = source->resource_dir,
                    .cache = source->cache,
                    .own = source->arguments,
                    .own_count = source->argument_count,
                    .cuda = source->cuda};
    return try(source, source->unit_path, &call, files, count, false, out_messages);
}
