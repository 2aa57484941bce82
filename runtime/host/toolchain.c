#include "runtime/host/toolchain.h"

#include "base/file.h"
#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/sanitizer.h"
#include "base/tool.h"
#include "runtime/host/kept_answer.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { TOOL_SECONDS = 600 };

void (*ht_toolchain_killed)(int signal);

int ht_toolchain_run(const char *const *arguments, ht_text *log) {
    ht_error error = {0};
    int code = -1;
    /* The tuner has a tighter limit for the worker that this runs in. */
    ht_tool_call call = {.arguments = arguments, .seconds = TOOL_SECONDS};
    ht_tool_want_large_pages(&call);
    if (ht_tool_run(&call, log, &code, &error) != HT_OK)
        ht_text_printf(log, "%s\n", error.message);
    int signal = code - 128;
    if (ht_toolchain_killed && (signal == SIGKILL || signal == SIGTERM))
        ht_toolchain_killed(signal);
    return code;
}

ht_status ht_toolchain_probe(const ht_tool_call *call, ht_text *out, int *out_code,
                             ht_error *error) {
    enum { TRIES = 5, STOPS = 2 };
    ht_status status = HT_OK;
    for (int tries = 0, stops = 0; tries < TRIES && stops < STOPS; ++tries) {
        ht_text_free(out);
        ht_text_append(out, "");
        status = ht_tool_run(call, out, out_code, error);
        stops += *out_code == 128 + SIGSTOP;
        if (*out_code != 128 + SIGKILL && *out_code != 128 + SIGSTOP)
            break;
    }
    return status;
}

/* Takes "clang 19.1.7" from "Debian clang version 19.1.7 (3~deb12u1)". */
static ht_status read_version(const char *clang, char **out_version, ht_error *error) {
    const char *arguments[] = {clang, "--version", NULL};
    ht_text text = {0};
    int code = -1;
    *out_version = NULL;
    const ht_tool_call call = {.arguments = arguments, .seconds = HT_PROBE_SECONDS};
    bool kept = ht_kept_answer_take(arguments, &text);
    ht_status status = kept ? HT_OK : ht_toolchain_probe(&call, &text, &code, error);
    char *number = kept || (status == HT_OK && code == 0) ? ht_fingerprint_clang(text.data) : NULL;
    if (number && !kept)
        ht_kept_answer_put(arguments, &text);
    if (status == HT_ERROR_TIMEOUT) {
        status = HT_ERROR_MISSING;
        if (error)
            error->status = status;
    }
    if (number) {
        *out_version = ht_format("clang %s", number);
        free(number);
    } else if (status == HT_OK) {
        status = ht_error_set(error, HT_ERROR_MISSING,
                              "%s is not a working clang: install the Debian package clang-19, or "
                              "set HIPTEMPER_CLANG",
                              clang);
    }
    ht_text_free(&text);
    return status;
}

static char *known_version;

void ht_toolchain_know(const char *version) {
    pthread_mutex_lock(&lock);
    free(known_version);
    known_version = ht_strdup(version);
    pthread_mutex_unlock(&lock);
}

static ht_status search(ht_toolchain *found, ht_error *error) {
    const char *wanted = getenv("HIPTEMPER_CLANG");
    char *clang = NULL;
    if (wanted && *wanted) {
        clang = ht_tool_find(wanted);
        if (!clang)
            return ht_error_set(error, HT_ERROR_MISSING,
                                "HIPTEMPER_CLANG names %s, which cannot be run", wanted);
    } else {
        clang = ht_tool_find("clang++-19");
        if (!clang)
            clang = ht_tool_find("clang++");
    }
    if (!clang) {
        const char *path = getenv("PATH");
        return ht_error_set(error, HT_ERROR_MISSING,
                            "the host provider needs clang++: install the Debian package clang-19, "
                            "or set HIPTEMPER_CLANG to a clang++ (PATH is %s)",
                            path ? path : "not set");
    }
    char *assembler = ht_tool_find("as");
    char *linker = ht_tool_find("ld");
    char *version = known_version ? ht_strdup(known_version) : NULL;
    ht_status status = HT_OK;
    if (!assembler || !linker)
        status =
            ht_error_set(error, HT_ERROR_MISSING,
                         "the host provider needs as and ld: install the Debian package binutils");
    else if (!version)
        status = read_version(clang, &version, error);
    if (status == HT_OK) {
        *found = (ht_toolchain){clang, assembler, linker, version, ht_tool_find("addr2line")};
        return HT_OK;
    }
    free(version);
    free(clang);
    free(assembler);
    free(linker);
    return status;
}

ht_status ht_toolchain_find(const ht_toolchain **out_toolchain, ht_error *error) {
    static ht_toolchain toolchain;
    ht_status status = HT_OK;
    pthread_mutex_lock(&lock);
    if (!toolchain.clang)
        status = search(&toolchain, error);
    pthread_mutex_unlock(&lock);
    *out_toolchain = &toolchain;
    return status;
}

static char *resources;

/* Takes clang's folder of headers out of its answer. Returns true if there is one. */
static bool take_resources(const ht_text *answer) {
    char *folder = ht_strdup(answer->data ? answer->data : "");
    folder[strcspn(folder, "\n")] = 0;
    if (*folder && ht_dir_exists(folder)) {
        resources = folder;
        return true;
    }
    free(folder);
    return false;
}

static ht_status ask_for_resources(const ht_toolchain *toolchain, ht_error *error) {
    const char *arguments[] = {toolchain->clang, "-print-resource-dir", NULL};
    const ht_tool_call call = {.arguments = arguments, .seconds = HT_PROBE_SECONDS};
    ht_text text = {0};
    int code = -1;
    ht_status status = HT_OK;
    if (!ht_kept_answer_take(arguments, &text) || !take_resources(&text)) {
        status = ht_toolchain_probe(&call, &text, &code, error);
        if (status == HT_OK && code == 0 && take_resources(&text))
            ht_kept_answer_put(arguments, &text);
        else if (status == HT_OK)
            status = ht_error_set(error, HT_ERROR_MISSING, "%s does not say where its headers are",
                                  toolchain->clang);
    }
    ht_text_free(&text);
    return status;
}

ht_status ht_toolchain_resources(const char **out_folder, ht_error *error) {
    const ht_toolchain *toolchain;
    ht_status status = ht_toolchain_find(&toolchain, error);
    pthread_mutex_lock(&lock);
    if (status == HT_OK && !resources)
        status = ask_for_resources(toolchain, error);
    *out_folder = resources;
    pthread_mutex_unlock(&lock);
    return status;
}

#if HT_ADDRESS_SANITIZED
/* Finds AddressSanitizer's library; two of them do not live in one process. */
const char *ht_toolchain_sanitizer(void) {
    return NULL;
}
#else
static char *sanitizer_path;

/* Takes the path in clang's answer, which is the bare name when there is no such file. Returns true
 * if it can be read. */
static bool take_sanitizer(const ht_text *answer) {
    char *path = answer->data && answer->data[0] == '/' ? ht_strdup(answer->data) : NULL;
    if (path)
        path[strcspn(path, "\n")] = 0;
    if (path && access(path, R_OK) == 0) {
        sanitizer_path = path;
        return true;
    }
    free(path);
    return false;
}

/* Asks clang for the library, unless an earlier answer still holds. */
static void find_sanitizer(void) {
    const ht_toolchain *toolchain;
    ht_text text = {0};
    int code = -1;
    if (ht_toolchain_find(&toolchain, NULL) != HT_OK)
        return;
    const char *arguments[] = {toolchain->clang, "-print-file-name=libclang_rt.asan-x86_64.so",
                               NULL};
    const ht_tool_call call = {.arguments = arguments, .seconds = HT_PROBE_SECONDS};
    bool kept = ht_kept_answer_take(arguments, &text) && take_sanitizer(&text);
    if (!kept && ht_toolchain_probe(&call, &text, &code, NULL) == HT_OK && code == 0 &&
        take_sanitizer(&text))
        ht_kept_answer_put(arguments, &text);
    ht_text_free(&text);
}

const char *ht_toolchain_sanitizer(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_sanitizer);
    return sanitizer_path;
}
#endif
