/* Arguments for libclang. A folder of headers parsed before saves most of the time that a small
 * file takes: HIP's own header is a hundred times its length. */
#include "refactor/source/arguments.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIXED_ARGUMENTS = 16 };

static const char *const with_value[] = {"-isystem", "-iquote", "-idirafter", "-include"};

static bool takes_value(const char *argument) {
    for (size_t i = 0; i < sizeof with_value / sizeof *with_value; ++i)
        if (strcmp(argument, with_value[i]) == 0)
            return true;
    return false;
}

/* ---- what the parsed header depends on
 * ----------------------------------------------------------------------------------- */

/* Macros of names that HIP's and the system's headers may ask for. */
static bool is_asked_for(const char *name) {
    static const char *const starts[] = {"_", "HIP", "ROC", "NDEBUG", "AMD", "CUDA"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static void relevant_add(ht_arguments *list, char *const *items, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const char *item = items[i];
        if (takes_value(item)) {
            ++i;
            continue;
        }
        if (strncmp(item, "-I", 2) == 0)
            continue;
        bool macro = strncmp(item, "-D", 2) == 0 || strncmp(item, "-U", 2) == 0;
        if (!macro || is_asked_for(item + 2))
            list->items[list->count++] = item;
    }
}

/* A folder of the user's may hold a HIP header of its own. */
static bool has_own_header(char *const *items, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!items[i])
            continue;
        const char *folder = strncmp(items[i], "-I", 2) == 0          ? items[i] + 2
                             : takes_value(items[i]) && i + 1 < count ? items[i + 1]
                                                                      : NULL;
        char *path = folder ? ht_path_join(folder, "hip/hip_runtime.h") : NULL;
        bool found = path && ht_file_exists(path);
        free(path);
        if (found)
            return true;
    }
    return false;
}

static void fixed_add(ht_arguments *list, const char *resource_dir, bool standard) {
    static const char *const fixed[] = {
        "-x", "hip", "--cuda-device-only", "--offload-arch=gfx90a", "-nogpulib", "-resource-dir"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; ++i)
        list->items[list->count++] = fixed[i];
    list->items[list->count++] = resource_dir;
    list->items[list->count++] = "-D__HIP_PLATFORM_AMD__";
    if (!standard)
        list->items[list->count++] = "-std=c++17";
    list->items[list->count++] = "-ferror-limit=0";
}

static bool names_standard(const ht_call *call) {
    bool standard = false;
    for (size_t i = 0; i < call->own_count; ++i)
        standard = standard || strncmp(call->own[i], "-std=", 5) == 0;
    return standard;
}

/* ---- the parsed header
 * ---------------------------------------------------------------------------------------------------
 */

/* Parses a text of which only the arguments lead to something. NULL: clang has something to say.
 */
static CXTranslationUnit empty_parse(CXIndex index, const char *const *arguments, size_t count,
                                     unsigned options) {
    static const char text[] = "\n";
    struct CXUnsavedFile unsaved = {"hiptemper-prefix.hip", text, 1};
    CXTranslationUnit unit = NULL;
    enum CXErrorCode code =
        clang_parseTranslationUnit2(index, unsaved.Filename, arguments, (int)count, &unsaved, 1,
                                    options | CXTranslationUnit_KeepGoing, &unit);
    if (unit && (code != CXError_Success || clang_getNumDiagnostics(unit) > 0)) {
        clang_disposeTranslationUnit(unit);
        unit = NULL;
    }
    return unit;
}

/* Parses the header and keeps it. Other processes may do the same: the last one wins. */
static bool prefix_write(const ht_arguments *relevant, const char *path) {
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit =
        empty_parse(index, relevant->items, relevant->count,
                    CXTranslationUnit_ForSerialization | CXTranslationUnit_Incomplete |
                        CXTranslationUnit_DetailedPreprocessingRecord);
    char *temporary = ht_format("%s.%ld", path, (long)getpid());
    bool done = unit && clang_saveTranslationUnit(unit, temporary, 0) == CXSaveError_None &&
                rename(temporary, path) == 0;
    if (!done)
        unlink(temporary);
    free(temporary);
    if (unit)
        clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    return done;
}

/* The file as it is now, in words that change with it; free(). */
static char *prefix_state(const char *path) {
    struct stat now = {0};
    (void)stat(path, &now);
    return ht_format("%s %lld %lld.%ld", path, (long long)now.st_size,
                     (long long)now.st_mtim.tv_sec, now.st_mtim.tv_nsec);
}

static bool prefix_parses(const ht_arguments *relevant, const char *path) {
    const char **items = ht_alloc(relevant->count + 2, sizeof *items);
    memcpy(items, relevant->items, relevant->count * sizeof *items);
    items[relevant->count] = "-include-pch";
    items[relevant->count + 1] = path;
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = empty_parse(index, items, relevant->count + 2, 0);
    bool fits = unit != NULL;
    if (unit)
        clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    free(items);
    return fits;
}

/* Returns true if clang still accepts a header that an earlier run left: it refuses one that is
 * damaged or whose sources changed. Asked once a process for one state of the file. */
static bool prefix_fits(const ht_arguments *relevant, const char *path) {
    static char *fitting;
    char *state = prefix_state(path);
    if (fitting && strcmp(fitting, state) == 0) {
        free(state);
        return true;
    }
    bool fits = prefix_parses(relevant, path);
    if (fits) {
        free(fitting);
        fitting = state;
    } else {
        free(state);
    }
    return fits;
}

/* Where the header that these arguments lead to is kept: another clang or another header has
 * another name. free(). */
static char *prefix_path(const ht_arguments *relevant, const char *cache) {
    ht_text key = {0};
    for (size_t i = 0; i < relevant->count; ++i)
        ht_text_printf(&key, "%s\n", relevant->items[i]);
    struct stat header = {0};
    (void)stat("/usr/include/hip/hip_runtime.h", &header);
    CXString version = clang_getClangVersion();
    ht_text_printf(&key, "%s\n%lld", clang_getCString(version), (long long)header.st_mtime);
    clang_disposeString(version);
    char *path = ht_format("%s/hip-%016llx.pch", cache,
                           (unsigned long long)ht_hash_short(key.data, key.length));
    ht_text_free(&key);
    return path;
}

/* `kept`: the folder outlives this run, and so may not fit any more. */
static bool prefix_have(ht_arguments *relevant, const char *path, bool kept) {
    if (ht_file_exists(path) && (!kept || prefix_fits(relevant, path)))
        return true;
    char *failed = ht_format("%s.failed", path);
    bool found = false;
    if (!ht_file_exists(failed)) {
        relevant->items[relevant->count++] = "-include";
        relevant->items[relevant->count++] = "hip/hip_runtime.h";
        found = prefix_write(relevant, path);
        if (!found && !kept)
            ht_file_write(failed, "", 0, NULL);
    }
    free(failed);
    return found;
}

static char *prefix_find(const ht_call *call) {
    const char *cache = call->cache ? call->cache : ht_cache_folder();
    if (!cache || has_own_header(call->own, call->own_count))
        return NULL;
    ht_arguments relevant = {.items =
                                 ht_alloc(FIXED_ARGUMENTS + call->own_count + call->extra_count,
                                          sizeof *relevant.items)};
    fixed_add(&relevant, call->resource_dir, names_standard(call));
    relevant_add(&relevant, call->own, call->own_count);
    relevant_add(&relevant, (char *const *)call->extra, call->extra_count);
    char *path = prefix_path(&relevant, cache);
    bool found = prefix_have(&relevant, path, !call->cache);
    free(relevant.items);
    if (found)
        return path;
    free(path);
    return NULL;
}

void ht_arguments_make(const ht_call *call, ht_arguments *out_arguments) {
    ht_arguments *list = out_arguments;
    *list = (ht_arguments){.items = ht_alloc(FIXED_ARGUMENTS + call->own_count + call->extra_count,
                                             sizeof *list->items),
                           .prefix = prefix_find(call)};
    fixed_add(list, call->resource_dir, names_standard(call));
    list->items[list->count++] = list->prefix ? "-include-pch" : "-include";
    list->items[list->count++] = list->prefix ? list->prefix : "hip/hip_runtime.h";
    if (call->cuda) {
        list->items[list->count++] = "-include";
        list->items[list->count++] = ht_cuda_path;
    }
    for (size_t i = 0; i < call->own_count; ++i)
        list->items[list->count++] = call->own[i];
    for (size_t i = 0; i < call->extra_count; ++i)
        list->items[list->count++] = call->extra[i];
}

void ht_arguments_free(ht_arguments *arguments) {
    free(arguments->items);
    free(arguments->prefix);
    *arguments = (ht_arguments){0};
}
