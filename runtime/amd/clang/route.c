#include "runtime/amd/clang/route.h"

#include "base/file.h"
#include "base/fingerprint.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tool.h"
#include "runtime/amd/code_object/symbols.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const builtins_names[] = {"libhiprtc-builtins.so.7", "libhiprtc-builtins.so.6",
                                             "libhiprtc-builtins.so.5", "libhiprtc-builtins.so",
                                             NULL};

/* Returns where clang's own linker is, in the folder that clang itself is in; free(); NULL. */
static char *linker_of(const char *clang) {
    char *real = realpath(clang, NULL);
    char *folder = real ? ht_path_folder(real) : NULL;
    char *linker = folder ? ht_path_join(folder, "ld.lld") : NULL;
    char *found = linker ? ht_tool_find(linker) : NULL;
    free(linker);
    free(folder);
    free(real);
    return found;
}

static char *bitcode_find(void) {
    const char *rocm = getenv("ROCM_PATH");
    const char *folders[] = {rocm && *rocm ? rocm : "/opt/rocm", "/opt/rocm",
                             "/usr/lib/x86_64-linux-gnu"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
        char *folder = ht_path_join(folders[i], "amdgcn/bitcode");
        char *library = ht_path_join(folder, "ocml.bc");
        bool found = ht_file_exists(library);
        free(library);
        if (found)
            return folder;
        free(folder);
    }
    return NULL;
}

/* Returns "19.1.7"; free(). NULL: it says none. */
static char *version_ask(const char *clang, ht_error *error) {
    enum { SECONDS = 10 };
    const char *arguments[] = {clang, "--version", NULL};
    const ht_tool_call call = {.arguments = arguments, .seconds = SECONDS};
    ht_text said = {0};
    int code = -1;
    ht_status status = ht_tool_run(&call, &said, &code, error);
    char *version = status == HT_OK && code == 0 ? ht_fingerprint_clang(said.data) : NULL;
    if (!version && status == HT_OK)
        ht_error_set(error, HT_ERROR_MISSING, "%s does not say its version", clang);
    ht_text_free(&said);
    return version;
}

/* Returns a copy of the library's text, which may end without a zero, or with several; NULL. */
static char *header_find(void) {
    void *library = ht_amd_library_open(builtins_names);
    const char *text = library ? dlsym(library, "__hipRTC_header") : NULL;
    const unsigned *size = library ? dlsym(library, "__hipRTC_header_size") : NULL;
    return text && size ? ht_strndup(text, strnlen(text, *size)) : NULL;
}

static ht_status missing(ht_error *error, const char *piece, const char *package) {
    return ht_error_set(error, HT_ERROR_MISSING,
                        "compiling for it by clang takes %s: install the Debian package %s", piece,
                        package);
}

static ht_status pieces_find(ht_amd_clang *found, ht_error *error) {
    found->linker = linker_of(found->clang);
    if (!found->linker)
        return missing(error, "ld.lld of the same LLVM", "lld-19");
    found->bitcode = bitcode_find();
    if (!found->bitcode)
        return missing(error, "ROCm's device libraries", "rocm-device-libs");
    found->header = header_find();
    if (!found->header)
        return missing(error, "hiprtc's own header", "libhiprtc-builtins5");
    return HT_OK;
}

static ht_status search(ht_amd_clang *found, ht_error *error) {
    const char *wanted = getenv("HIPTEMPER_CLANG");
    char hash[HT_HASH_SIZE];
    *found = (ht_amd_clang){.clang = ht_tool_find(wanted && *wanted ? wanted : "clang++-19")};
    if (!found->clang)
        return missing(error, "clang++", "clang-19");
    char *version = version_ask(found->clang, error);
    if (!version)
        return error->status;
    found->version = (int)strtol(version, NULL, 10);
    ht_status status = pieces_find(found, error);
    if (status == HT_OK) {
        ht_hash_bytes(found->header, strlen(found->header), hash);
        snprintf(found->compiler, sizeof found->compiler,
                 "clang %s in place of hiprtc, header %.16s", version, hash);
    }
    free(version);
    return status;
}

ht_status ht_amd_clang_find(const ht_amd_clang **out_clang, ht_error *error) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static ht_amd_clang found;
    static ht_error reason;
    static bool done;
    pthread_mutex_lock(&lock);
    if (!done)
        (void)search(&found, &reason);
    done = true;
    pthread_mutex_unlock(&lock);
    *out_clang = reason.status ? NULL : &found;
    if (reason.status && error)
        *error = reason;
    return reason.status;
}

ht_status ht_amd_clang_for(const char *arch, int version, const ht_amd_clang **out_clang,
                           ht_error *error) {
    ht_status status = ht_amd_clang_find(out_clang, error);
    if (status == HT_OK && (*out_clang)->version < version)
        status = ht_error_set(error, HT_ERROR_MISSING, "%s is too old for %s, which takes clang %d",
                              (*out_clang)->clang, arch, version);
    return status;
}
