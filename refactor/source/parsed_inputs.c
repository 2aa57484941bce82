#include "refactor/source/parsed_inputs.h"

#include "base/file.h"
#include "base/file_write.h"
#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIST_MAX = 4 << 20 };

char *ht_parsed_state(const char *path) {
    struct stat now = {0};
    (void)stat(path, &now);
    return ht_format("%s %lld %lld.%ld", path, (long long)now.st_size,
                     (long long)now.st_mtim.tv_sec, now.st_mtim.tv_nsec);
}

/* The list is "HASH OF THE HEADER", then a line for the state of each file. */
static char *list_path(const char *path) {
    return ht_format("%s.inputs", path);
}

static void on_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
    (void)stack;
    if (depth == 0) /* the empty text */
        return;
    CXString name = clang_getFileName(file);
    char *state = ht_parsed_state(clang_getCString(name));
    ht_text_printf(data, "%s\n", state);
    free(state);
    clang_disposeString(name);
}

void ht_parsed_inputs_write(const char *path, CXTranslationUnit unit) {
    char hash[HT_HASH_SIZE], *list = list_path(path);
    ht_text text = {0};
    if (ht_fingerprint_whole(path, hash)) {
        ht_text_printf(&text, "%s\n", hash);
        clang_getInclusions(unit, on_inclusion, &text);
        (void)ht_file_replace(list, text.data, text.length, false, NULL);
    }
    ht_text_free(&text);
    free(list);
}

/* Returns true if the state of a file is this line of the list. */
static bool is_state(const char *line, size_t length) {
    size_t end = length;
    for (int words = 0; words < 2; ++words)
        do
            end -= end > 0;
        while (end > 0 && line[end] != ' ');
    char *path = ht_strndup(line, end), *state = ht_parsed_state(path);
    bool same = strlen(state) == length && memcmp(state, line, length) == 0;
    free(state);
    free(path);
    return same;
}

bool ht_parsed_inputs_hold(const char *path) {
    char hash[HT_HASH_SIZE], *list = list_path(path), *text = NULL;
    bool holds = ht_file_read(list, LIST_MAX, &text, NULL, NULL) == HT_OK &&
                 ht_fingerprint_whole(path, hash) && strncmp(text, hash, HT_HASH_SIZE - 1) == 0 &&
                 text[HT_HASH_SIZE - 1] == '\n';
    const char *line = holds ? text + HT_HASH_SIZE : "";
    holds = holds && *line;
    for (size_t length; holds && *line; line += length + (line[length] == '\n')) {
        length = strcspn(line, "\n");
        holds = is_state(line, length);
    }
    free(text);
    free(list);
    return holds;
}
