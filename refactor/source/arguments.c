/* Arguments for libclang. A cache of the parsed HIP header saves most of the time that a small file
 * takes, since that header is a hundred times as long. */
#include "refactor/source/arguments.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/host_names.h"
#include "refactor/source/parsed_header.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static size_t parses;

enum { FIXED_ARGUMENTS = 20 + 2 * HT_HOST_LIBRARIES };

static const char *const with_value[] = {"-isystem", "-iquote", "-idirafter", "-include"};

static bool takes_value(const char *argument) {
    for (size_t i = 0; i < sizeof with_value / sizeof *with_value; ++i)
        if (strcmp(argument, with_value[i]) == 0)
            return true;
    return false;
}

/* ---- dependences of the parsed header ---- */

/* Returns true for names of macros that HIP's and the system's headers may test. */
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

/* Returns true if one of the user's folders has a HIP header of its own. */
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
    /* Templates that the header itself needs are instantiated when it is parsed. If they were
     * instantiated with every file that includes it, a small one took 70 ms of CPU time instead of
     * 15. */
    /* CUDA's compiler only warns of `register`, of narrowed numbers in lists, and of "%s"NAME. */
    static const char *const fixed[] = {"-x",
                                        "hip",
                                        "--cuda-device-only",
                                        "--offload-arch=gfx90a",
                                        "-nogpulib",
                                        "-fpch-instantiate-templates",
                                        "-Wno-register",
                                        "-Wno-c++11-narrowing",
                                        "-Wno-reserved-user-defined-literal",
                                        "-resource-dir"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; ++i)
        list->items[list->count++] = fixed[i];
    list->items[list->count++] = resource_dir;
    list->items[list->count++] = "-D__HIP_PLATFORM_AMD__";
    /* Clang believes that HIP is installed where it finds one of these, or where it is said to be.
     */
    if (!ht_file_exists("/usr/share/hip/version") && !ht_file_exists("/usr/bin/.hipVersion"))
        list->items[list->count++] = "--rocm-path=/usr";
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

/* ---- the parsed header ---- */

/* Returns the path of the parsed header for these arguments: its name differs for another clang or
 * another header. free(). */
static char *prefix_path(const ht_arguments *relevant, const char *cache) {
    ht_text key = {0};
    for (size_t i = 0; i < relevant->count; ++i)
        ht_text_printf(&key, "%s\n", relevant->items[i]);
    struct stat header = {0};
    (void)stat("/usr/include/hip/hip_runtime.h", &header);
    CXString version = clang_getClangVersion();
    ht_text_printf(&key, "%s\n%lld\ntrimmed", clang_getCString(version),
                   (long long)header.st_mtime);
    clang_disposeString(version);
    char *path = ht_format("%s/hip-%016llx.pch", cache,
                           (unsigned long long)ht_hash_short(key.data, key.length));
    ht_text_free(&key);
    return path;
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
    const ht_parsed_header header = {relevant.items, relevant.count, path, !call->cache};
    bool found = ht_parsed_header_have(&header);
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
    for (unsigned i = 0; i < HT_HOST_LIBRARIES; ++i)
        if (call->libraries & 1U << i) {
            list->items[list->count++] = "-include";
            list->items[list->count++] = ht_host_libraries[i].path;
        }
    for (size_t i = 0; i < call->own_count; ++i)
        list->items[list->count++] = call->own[i];
    for (size_t i = 0; i < call->extra_count; ++i)
        list->items[list->count++] = call->extra[i];
}

enum CXErrorCode ht_call_parse(const ht_call *call, CXIndex index, const char *path,
                               const struct CXUnsavedFile *texts, unsigned count, unsigned options,
                               CXTranslationUnit *out_unit) {
    ht_arguments arguments;
    ht_arguments_make(call, &arguments);
    struct CXUnsavedFile *all = ht_alloc(count + HT_HOST_LIBRARIES, sizeof *all);
    if (count)
        memcpy(all, texts, count * sizeof *all);
    for (unsigned i = 0; i < HT_HOST_LIBRARIES; ++i) {
        const ht_host_library *library = &ht_host_libraries[i];
        if (call->libraries & 1U << i)
            all[count++] =
                (struct CXUnsavedFile){library->path, library->text, strlen(library->text)};
    }
    *out_unit = NULL;
    enum CXErrorCode code =
        clang_parseTranslationUnit2(index, path, arguments.items, (int)arguments.count, all, count,
                                    options | CXTranslationUnit_KeepGoing, out_unit);
    ++parses;
    free(all);
    ht_arguments_free(&arguments);
    return code;
}

size_t ht_source_parses(void) {
    return parses;
}

void ht_arguments_free(ht_arguments *arguments) {
    free(arguments->items);
    free(arguments->prefix);
    *arguments = (ht_arguments){0};
}

ht_call ht_call_copy(ht_call call) {
    char **own = ht_alloc(call.own_count + 1, sizeof *own);
    for (size_t i = 0; i < call.own_count; ++i)
        own[i] = ht_strdup(call.own[i]);
    call.own = own;
    call.cache = call.cache ? ht_strdup(call.cache) : NULL;
    return call;
}

void ht_call_free(ht_call *call) {
    for (size_t i = 0; i < call->own_count; ++i)
        free(call->own[i]);
    free((char **)call->own);
    free((char *)call->cache);
    free((char *)call->resource_dir);
}

bool ht_call_names(const ht_call *call, const char *name) {
    bool names = false;
    for (size_t i = 0; i < call->own_count; ++i)
        names = names || strstr(call->own[i], name);
    return names;
}

void ht_call_add(ht_call *call, char *argument) {
    char **own = ht_alloc(call->own_count + 1, sizeof *own);
    if (call->own_count)
        memcpy(own, call->own, call->own_count * sizeof *own);
    free((char **)call->own);
    own[call->own_count++] = argument;
    call->own = own;
}

void ht_call_drop(ht_call *call) {
    free(call->own[--call->own_count]);
}
