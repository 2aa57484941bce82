/* Parses a unit with other texts in place of its files, for clang's messages. */
#include "refactor/source/source_try.h"

#include "base/file.h"
#include "base/memory.h"
#include "refactor/source/arguments.h"
#include "refactor/source/forms.h"

#include <stdlib.h>
#include <string.h>

/* Returns the message; with `places`, "FILE:LINE: message" with places as #line directives give
 * them. free(). */
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

/* Parses with these texts in place of files, and returns the number of error messages. */
static size_t try(const ht_source *source, const char *name, const ht_call *call,
                  const ht_file_text *files, size_t count, bool places, char ***out_messages) {
    struct CXUnsavedFile *unsaved = ht_alloc(count + 1, sizeof *unsaved);
    const size_t given = count;
    for (size_t i = 0; i < count; ++i) {
        const char *text = ht_forms_plain(files[i].text, &source->launch_names);
        unsaved[i] = (struct CXUnsavedFile){files[i].path, text, strlen(text)};
    }
    if (source->joined.text)
        unsaved[count++] = (struct CXUnsavedFile){source->unit_path, source->joined.text,
                                                  strlen(source->joined.text)};
    CXTranslationUnit unit;
    enum CXErrorCode code =
        ht_call_parse(call, source->index, name, unsaved, (unsigned)count, 0, &unit);
    for (size_t i = 0; i < given; ++i)
        free((char *)(size_t)unsaved[i].Contents);
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
    ht_call call = source->call;
    call.extra = extra;
    call.extra_count = extra_count;
    if (!own_arguments) {
        call.own_count = 0;
        call.libraries = 0;
    }
    const ht_file_text file = {(char *)(size_t)(path ? path : source->path), (char *)(size_t)text};
    return try(source, path ? path : source->unit_path, &call, &file, 1, true, out_messages);
}

size_t ht_source_try_files(const ht_source *source, const ht_file_text *files, size_t count,
                           char ***out_messages) {
    return try(source, source->unit_path, &source->call, files, count, false, out_messages);
}

ht_status ht_source_check(const ht_source *source, const ht_file_text *files, size_t count,
                          ht_error *error) {
    for (const ht_file_text *changed = files; changed < files + count; ++changed) {
        size_t file = 0;
        while (file < source->file_count && !ht_file_same(source->files[file].path, changed->path))
            ++file;
        if (file == source->file_count ||
            !ht_forms_same(source->files[file].text, changed->text, &source->launch_names))
            return ht_error_set_at(error, HT_ERROR_INTERNAL, changed->path, 0, 0,
                                   "%s: its new text is not what clang reads", changed->path);
    }
    return HT_OK;
}
