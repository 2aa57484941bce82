#include "refactor/source/missing.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/arguments.h"
#include "refactor/source/host_names.h"
#include "refactor/source/names.h"
#include "refactor/source/tile_names.h"

#include <stdlib.h>
#include <string.h>

static unsigned of_message(CXDiagnostic diagnostic) {
    CXString words = clang_getDiagnosticSpelling(diagnostic);
    unsigned missed = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error
                          ? ht_host_libraries_missed(clang_getCString(words))
                          : 0;
    clang_disposeString(words);
    return missed;
}

unsigned ht_missing_libraries(const ht_source *source) {
    unsigned missed = 0;
    for (unsigned i = 0; source->unit && i < clang_getNumDiagnostics(source->unit); ++i) {
        CXDiagnostic diagnostic = clang_getDiagnostic(source->unit, i);
        missed |= of_message(diagnostic);
        clang_disposeDiagnostic(diagnostic);
    }
    const char *const paths[] = {source->unit_path, source->path};
    for (size_t i = 0; source->unit && i < sizeof paths / sizeof *paths; ++i) {
        CXFile file = clang_getFile(source->unit, paths[i]);
        size_t length;
        const char *text = file ? clang_getFileContents(source->unit, file, &length) : NULL;
        missed |= text ? ht_host_libraries_mentioned(text) : 0;
        if (text && (missed & 1U << HT_HOST_GROUPS) && ht_tiles_suffice(text))
            missed ^= 1U << HT_HOST_GROUPS | 1U << HT_HOST_TILES;
    }
    return missed;
}

size_t ht_missing_errors(const ht_source *source) {
    size_t errors = 0;
    for (unsigned i = 0; source->unit && i < clang_getNumDiagnostics(source->unit); ++i) {
        CXDiagnostic diagnostic = clang_getDiagnostic(source->unit, i);
        CXString words = clang_getDiagnosticSpelling(diagnostic);
        errors += clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error &&
                  !strstr(clang_getCString(words), "file not found");
        clang_disposeString(words);
        clang_disposeDiagnostic(diagnostic);
    }
    return errors;
}

/* ---- macros of a build for a GPU ---- */

typedef struct line {
    const char *begin, *end;
} line;

static bool line_next(const char **at, line *out) {
    if (!**at)
        return false;
    const char *end = strchr(*at, '\n');
    *out = (line){*at, end ? end : *at + strlen(*at)};
    *at = end ? end + 1 : out->end;
    return true;
}

/* Returns what follows '#' and a directive's name; NULL: the line is another one. */
static const char *after_directive(line of, const char *name) {
    const char *at = of.begin + strspn(of.begin, " \t");
    if (*at++ != '#')
        return NULL;
    at += strspn(at, " \t");
    size_t length = strlen(name);
    return strncmp(at, name, length) == 0 && !ht_name_has(at[length]) ? at + length : NULL;
}

/* Returns the one name that a line's condition asks for: #ifdef A, #if A, #if defined(A); NULL: it
 * is another line. free(). */
static char *asked_for(line of) {
    const char *at = after_directive(of, "ifdef");
    at = at ? at : after_directive(of, "if");
    if (!at)
        return NULL;
    at += strspn(at, " \t");
    if (strncmp(at, "defined", 7) == 0 && !ht_name_has(at[7]))
        at += 7 + strspn(at + 7, " \t(");
    size_t length = 0;
    while (at + length < of.end && ht_name_has(at[length]))
        ++length;
    const char *rest = at + length + strspn(at + length, " \t\r)");
    return length && rest >= of.end ? ht_strndup(at, length) : NULL;
}

/* Returns true for GPU, USE_CUDA, WITH_HIP, CUDA_ENABLED: a build with it is one for a GPU. Names
 * that compilers and HIP's headers ask for are theirs. */
static bool is_for_gpu(const char *name) {
    static const char *const devices[] = {"GPU", "CUDA", "HIP", "ROCM"};
    static const char *const ends[] = {"", "_ENABLED", "_SUPPORT", "_FOUND", "_AVAILABLE"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; ++i)
        for (size_t j = 0; j < sizeof ends / sizeof *ends; ++j) {
            char *word = ht_format("%s%s", devices[i], ends[j]);
            size_t size = strlen(word);
            bool found = length >= size && strcmp(name + length - size, word) == 0 &&
                         (length == size || name[length - size - 1] == '_');
            free(word);
            if (found)
                return name[0] != '_' && strncmp(name, "HIP", 3) != 0 &&
                       strncmp(name, "ROC", 3) != 0;
        }
    return false;
}

/* Returns true if the lines up to the end of this branch have something of a GPU's program. */
static bool guards_device_code(const char *at) {
    static const char *const words[] = {"<<<", "__global__", "__device__", "hipLaunchKernelGGL"};
    line of;
    for (int depth = 0; line_next(&at, &of);) {
        bool opens = after_directive(of, "if") || after_directive(of, "ifdef") ||
                     after_directive(of, "ifndef");
        bool closes = after_directive(of, "endif") != NULL;
        if (depth == 0 && (closes || after_directive(of, "else") || after_directive(of, "elif")))
            return false;
        depth += opens - closes;
        if (after_directive(of, "include"))
            return true;
        char *text = ht_strndup(of.begin, (size_t)(of.end - of.begin));
        bool found = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
            found = found || strstr(text, words[i]);
        free(text);
        if (found)
            return true;
    }
    return false;
}

static bool is_defined(const char *text, const char *name) {
    line of;
    size_t length = strlen(name);
    bool defined = false;
    while (!defined && line_next(&text, &of)) {
        const char *at = after_directive(of, "define");
        at = at ? at + strspn(at, " \t") : NULL;
        defined = at && strncmp(at, name, length) == 0 && !ht_name_has(at[length]);
    }
    return defined;
}

/* Returns "-DNAME" for such a macro of a file; NULL: it has none. free(). */
static char *macro_of(const ht_source *source, CXFile file) {
    line of;
    size_t length;
    const char *text = file ? clang_getFileContents(source->unit, file, &length) : NULL;
    for (const char *at = text ? text : ""; line_next(&at, &of);) {
        char *name = asked_for(of);
        bool found = name && is_for_gpu(name) && guards_device_code(at) &&
                     !is_defined(text, name) && !ht_call_names(&source->call, name);
        char *argument = found ? ht_format("-D%s", name) : NULL;
        free(name);
        if (argument)
            return argument;
    }
    return NULL;
}

typedef struct header_search {
    const ht_source *source;
    char *found;
} header_search;

static void on_header(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
    header_search *in = data;
    (void)stack;
    CXSourceLocation begin = clang_getLocationForOffset(in->source->unit, file, 0);
    if (depth && !in->found && !clang_Location_isInSystemHeader(begin))
        in->found = macro_of(in->source, file);
}

static char *header_macro(const ht_source *source) {
    header_search in = {source, NULL};
    clang_getInclusions(source->unit, on_header, &in);
    return in.found;
}

/* Returns "-D__CUDACC__=1" for a CUDA source, where no argument names it: its headers may ask for
 * CUDA's compiler, and leave out what they declare for kernels. NULL: it is another source. */
static char *compiler_macro(const ht_source *source) {
    const char *end = strrchr(source->path, '.');
    bool cuda = end && (strcmp(end, ".cu") == 0 || strcmp(end, ".cuh") == 0);
    return cuda && !ht_call_names(&source->call, "__CUDACC__") ? ht_strdup("-D__CUDACC__=1") : NULL;
}

char *ht_missing_macro(const ht_source *source, size_t way, size_t errors) {
    if (way == 0)
        return macro_of(source, clang_getFile(source->unit, source->path));
    if (errors == 0)
        return NULL;
    return way == 1 ? header_macro(source) : compiler_macro(source);
}
