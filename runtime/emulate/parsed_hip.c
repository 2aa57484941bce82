#include "runtime/emulate/parsed_hip.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/emulate/half_header.h"
#include "runtime/emulate/prelude.h"
#include "runtime/host/parsed_prelude.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NESTING = 8 };

/* A reader of the begin of a file. */
typedef struct reader {
    const char *path, *at;
    bool nested;
} reader;

static bool begins_at(const char *path, bool nested, int depth);

static void skip_line(reader *in) {
    while (*in->at && *in->at != '\n')
        ++in->at;
}

/* Skips space and comments. */
static void skip_space(reader *in) {
    for (;;) {
        while (isspace((unsigned char)*in->at))
            ++in->at;
        if (strncmp(in->at, "//", 2) == 0) {
            skip_line(in);
        } else if (strncmp(in->at, "/*", 2) == 0) {
            const char *end = strstr(in->at + 2, "*/");
            in->at = end ? end + 2 : in->at + strlen(in->at);
        } else {
            return;
        }
    }
}

/* Reads past a directive's name, "include" of "#  include". Returns true if it stands there. */
static bool take_directive(reader *in, const char *name) {
    const char *at = in->at;
    if (*at++ != '#')
        return false;
    at += strspn(at, " \t");
    if (!ht_text_begins(at, name) || isalnum((unsigned char)at[strlen(name)]))
        return false;
    at += strlen(name);
    in->at = at + strspn(at, " \t");
    return true;
}

/* Takes "#pragma once", or a guard's "#ifndef NAME" with its "#define NAME". */
static bool take_guard(reader *in) {
    if (take_directive(in, "pragma")) {
        bool once = ht_text_begins(in->at, "once");
        skip_line(in);
        return once;
    }
    if (!take_directive(in, "ifndef"))
        return false;
    const char *name = in->at;
    size_t length = strcspn(name, " \t\r\n");
    in->at += length;
    skip_space(in);
    if (!take_directive(in, "define") || strncmp(in->at, name, length) != 0)
        return false;
    in->at += length + strspn(in->at + length, " \t\r");
    return length > 0 && *in->at == '\n';
}

/* Returns true if the header NAME of "NAME" lies next to the file and begins with HIP's. */
static bool nested_begins(const reader *in, const char *name, size_t length, int depth) {
    char *folder = ht_path_folder(in->path), *own = ht_strndup(name, length);
    char *path = ht_path_join(folder, own);
    bool begins =
        in->nested && depth < NESTING && ht_file_exists(path) && begins_at(path, true, depth + 1);
    free(path);
    free(own);
    free(folder);
    return begins;
}

/* Reads includes up to HIP's. Headers of the C++ library have neither folder nor suffix. */
static bool includes_hip(reader *in, int depth) {
    for (;;) {
        skip_space(in);
        if (!take_directive(in, "include")) {
            if (!take_guard(in))
                return false;
            continue;
        }
        const char *name = in->at + 1;
        size_t length = strcspn(name, ">\"\n");
        if (*in->at == '"')
            return name[length] == '"' && nested_begins(in, name, length, depth);
        if (*in->at != '<' || name[length] != '>')
            return false;
        if (ht_text_begins(name, "hip/hip_runtime.h>"))
            return true;
        if (memchr(name, '/', length) || memchr(name, '.', length))
            return false;
        skip_line(in);
    }
}

static bool begins_at(const char *path, bool nested, int depth) {
    char *text = NULL;
    if (ht_file_read(path, 0, &text, NULL, NULL) != HT_OK)
        return false;
    reader in = {.path = path, .at = text, .nested = nested};
    bool begins = includes_hip(&in, depth);
    free(text);
    return begins;
}

bool ht_begins_with_hip(const char *path, bool nested) {
    return begins_at(path, nested, 0);
}

static bool is_plain(const char *option) {
    static const char *const levels[] = {"-O0", "-O1", "-O2", "-O3", "-Os", "-g"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i)
        if (strcmp(option, levels[i]) == 0)
            return true;
    return (ht_text_begins(option, "-D") && option[2] != '\0') || ht_text_begins(option, "-std=") ||
           (ht_text_begins(option, "-W") && strchr(option, ',') == NULL);
}

bool ht_options_are_plain(const char *const *options, size_t count) {
    static const char *const variables[] = {"CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            return false;
    }
    for (size_t i = 0; i < count; ++i)
        if (!is_plain(options[i]))
            return false;
    return true;
}

ht_status ht_emulate_text_unpack(const char *root, ht_error *error) {
    char *prelude = ht_path_join(root, "prelude"), *changed = ht_path_join(root, "changed");
    ht_status status = ht_emulate_prelude_unpack(prelude, error);
    if (status == HT_OK)
        status = ht_half_header_write(changed, error);
    free(changed);
    free(prelude);
    return status;
}

/* Hashes the prelude, and what HIP's headers were when they were read: their sizes and times. */
static void text_hash(char out_hash[HT_HASH_SIZE]) {
    static const char *const headers[] = {"/usr/include/hip/hip_runtime.h",
                                          "/usr/include/hip/hip_version.h",
                                          "/usr/include/hip/amd_detail/amd_hip_runtime.h",
                                          "/usr/include/hip/amd_detail/amd_hip_fp16.h"};
    ht_text text = {0};
    char prelude[HT_HASH_SIZE];
    ht_emulate_prelude_hash(prelude);
    ht_text_append(&text, prelude);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i) {
        struct stat state = {0};
        (void)stat(headers[i], &state);
        ht_text_printf(&text, " %lld %lld.%09ld", (long long)state.st_size,
                       (long long)state.st_mtim.tv_sec, state.st_mtim.tv_nsec);
    }
    ht_hash_bytes(text.data, text.length, out_hash);
    ht_text_free(&text);
}

char *ht_emulate_text_kept(void) {
    static const ht_parsed_text text = {"emulate", text_hash, ht_emulate_text_unpack};
    return ht_parsed_folder(&text);
}
