/* The identity of the compiler that made a program: not by what it says of itself, which a wrapper
 * with other flags says too, but by what it is and does. */
#include "runtime/host/toolchain.h"

#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/tool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Lists what the compiler would start, with every flag, of a compile like ours; in a folder of its
 * own, since the lines name it. */
static ht_status describe(const char *clang, ht_text *out, ht_error *error) {
    const char *arguments[] = {clang, "-###",          "-x",    "c++", "-std=c++17",
                               "-O3", "-march=native", "-fPIC", "-c",  "/dev/null",
                               "-o",  "/dev/null",     NULL};
    const ht_tool_call call = {.arguments = arguments, .seconds = HT_PROBE_SECONDS, .folder = "/"};
    int code = -1;
    ht_status status = ht_toolchain_probe(&call, out, &code, error);
    if (status == HT_OK)
        ht_text_printf(out, "exit code %d\n", code);
    return status;
}

/* Returns the text in quotes that follows `mark`; free(). NULL: there is none. */
static char *quoted_after(const char *text, const char *mark) {
    const char *at = strstr(text, mark);
    at = at ? strchr(at + strlen(mark), '"') : NULL;
    return at ? ht_format("%.*s", (int)strcspn(at + 1, "\""), at + 1) : NULL;
}

/* Returns the program of the line that compiles: clang itself, whatever wraps it. */
static char *real_compiler(const char *text) {
    const char *at = strstr(text, "\"-cc1\"");
    while (at && at > text && at[-1] != '\n')
        --at;
    return at ? quoted_after(at, "") : NULL;
}

/* Appends the libraries that the loader gives a program: "libLLVM.so => /usr/lib/libLLVM.so
 * (0x7f..)". */
static ht_status append_libraries(const char *program, ht_text *out, ht_error *error) {
    const char *arguments[] = {program, NULL};
    const ht_tool_call call = {.arguments = arguments,
                               .seconds = HT_PROBE_SECONDS,
                               .variable = "LD_TRACE_LOADED_OBJECTS",
                               .value = "1",
                               .no_errors = true};
    ht_text lines = {0};
    int code = -1;
    ht_status status = ht_toolchain_probe(&call, &lines, &code, error);
    if (status == HT_OK)
        for (const char *at = lines.data; (at = strstr(at, "=> /")) != NULL;) {
            at += strlen("=> ");
            char *path = ht_format("%.*s", (int)strcspn(at, " \n"), at);
            ht_fingerprint_file(path, out);
            free(path);
        }
    ht_text_free(&lines);
    return status;
}

static ht_status make(char out_hash[HT_HASH_SIZE], ht_error *error) {
    const ht_toolchain *toolchain;
    ht_text text = {0};
    ht_status status = ht_toolchain_find(&toolchain, error);
    if (status == HT_OK)
        status = describe(toolchain->clang, &text, error);
    if (status != HT_OK) {
        ht_text_free(&text);
        return status;
    }
    char *compiler = real_compiler(text.data);
    char *resources = quoted_after(text.data, "\"-resource-dir\" ");
    const char *programs[] = {compiler ? compiler : toolchain->clang, toolchain->assembler,
                              toolchain->linker};
    ht_fingerprint_file(toolchain->clang, &text);
    for (size_t i = 0; i < sizeof programs / sizeof *programs && status == HT_OK; ++i) {
        ht_fingerprint_file(programs[i], &text);
        status = append_libraries(programs[i], &text, error);
    }
    if (resources && status == HT_OK)
        ht_fingerprint_folder(resources, "lib", &text);
    if (status == HT_OK)
        ht_hash_bytes(text.data, text.length, out_hash);
    ht_text_free(&text);
    free(resources);
    free(compiler);
    return status;
}

ht_status ht_toolchain_hash(char out_hash[HT_HASH_SIZE], ht_error *error) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char hash[HT_HASH_SIZE];
    ht_status status = HT_OK;
    pthread_mutex_lock(&lock);
    if (!hash[0])
        status = make(hash, error);
    memcpy(out_hash, hash, sizeof hash);
    pthread_mutex_unlock(&lock);
    return status;
}

/* Appends the name and features of the processor, on which -march=native depends. */
static void append_processor(ht_text *to) {
    FILE *file = fopen("/proc/cpuinfo", "re");
    char *line = NULL;
    size_t size = 0;
    while (file && getline(&line, &size, file) > 0 && strncmp(line, "processor\t: 1", 13) != 0)
        if (strncmp(line, "model", 5) == 0 || strncmp(line, "flags", 5) == 0)
            ht_text_append(to, line);
    free(line);
    if (file)
        fclose(file);
}

void ht_toolchain_describe(const ht_toolchain *toolchain, ht_text *to) {
    const char *programs[] = {toolchain->clang, toolchain->assembler, toolchain->linker};
    ht_text_printf(to, "%s\n", toolchain->version);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i) {
        struct stat file = {0};
        (void)stat(programs[i], &file);
        ht_text_printf(to, "%s %lld %lld.%ld\n", programs[i], (long long)file.st_size,
                       (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
    }
    append_processor(to);
}
