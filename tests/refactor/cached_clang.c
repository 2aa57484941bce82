/* cached_clang ARGUMENT...: a compiler that remembers. With it as $HIPTEMPER_CLANG the host
 * provider's compiles of one source with one set of flags are made once: for tests that verify one
 * text many times. HT_CACHED_CLANG_FOLDER: where it keeps what it made; HT_CACHED_CLANG: the
 * compiler. A program of its own, because it is started often. */
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

enum { OBJECT_MAX = 256 << 20 };

/* Sources lie in folders of their own, so that their names say nothing: their bytes do. */
static char *key_of(int argc, char **argv) {
    ht_text text = {0};
    char hex[HT_HASH_SIZE];
    for (int i = 1; i < argc; ++i) {
        const char *name = ht_path_name(argv[i]);
        char *data = NULL;
        size_t length = 0;
        bool input = strcmp(name, "unit.cpp") == 0 || strcmp(name, "unit.bc") == 0;
        bool output = strcmp(argv[i - 1], "-o") == 0;
        if (input && !output && ht_file_read(argv[i], OBJECT_MAX, &data, &length, NULL) == HT_OK)
            ht_text_append_n(&text, data, length);
        else
            ht_text_printf(&text, "\n%s", strncmp(argv[i], "-I", 2) == 0 ? "-I" : name);
        free(data);
    }
    ht_hash_bytes(text.data, text.length, hex);
    ht_text_free(&text);
    return ht_strdup(hex);
}

static const char *output_of(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; ++i)
        if (strcmp(argv[i], "-o") == 0)
            return argv[i + 1];
    return NULL;
}

static int compile(char **argv) {
    pid_t pid;
    int status;
    argv[0] = getenv("HT_CACHED_CLANG");
    if (!argv[0] || posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
        waitpid(pid, &status, 0) < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool copy(const char *from, const char *to) {
    char *data = NULL;
    size_t length = 0;
    bool done = ht_file_read(from, OBJECT_MAX, &data, &length, NULL) == HT_OK &&
                ht_file_write(to, data, length, NULL) == HT_OK;
    free(data);
    return done;
}

int main(int argc, char **argv) {
    const char *folder = getenv("HT_CACHED_CLANG_FOLDER"), *output = output_of(argc, argv);
    int code = 0;
    if (!folder || !output) /* a question, as for its version */
        return compile(argv);
    char *key = key_of(argc, argv), *kept = ht_path_join(folder, key);
    if (!copy(kept, output)) {
        code = compile(argv);
        if (code == 0)
            copy(output, kept);
    }
    free(kept);
    free(key);
    return code;
}
