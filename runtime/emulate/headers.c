/* The headers of a build, from the rules for make that clang writes. */
#include "runtime/emulate/headers.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { RULE_MAX = 1 << 30 };

/* Takes the names after the colon of a rule for make: "a.ll: main.hip my\\ kernel.h \\\n b.h". */
static void take_names(const char *at, const char *file, char ***names, size_t *count) {
    ht_text name = {0};
    at = strchr(at, ':') ? strstr(at, ": ") : NULL;
    for (at = at ? at + 1 : ""; *at || name.length > 0; at += *at != '\0') {
        bool space = *at == '\0' || *at == ' ' || *at == '\n';
        if (*at == '\\' && at[1] == '\n') {
            ++at;
            space = true;
        } else if (*at == '\\' && at[1] != '\0') {
            ++at;
        } else if (*at == '$' && at[1] == '$') {
            ++at;
        }
        if (!space) {
            ht_text_append_n(&name, at, 1);
        } else if (name.length > 0) {
            /* /dev/null is the file that a parsed header was made of. */
            if (strcmp(name.data, file) != 0 && strcmp(name.data, "/dev/null") != 0) {
                HT_GROW(*names, *count);
                (*names)[(*count)++] = ht_strdup(name.data);
            }
            ht_text_free(&name);
        }
    }
}

size_t ht_emulate_headers(const ht_emulate_build *build, char ***out_names) {
    size_t count = 0, length;
    *out_names = NULL;
    for (size_t i = 0; i < build->file_count; ++i) {
        char *path = ht_format("%s/%zu.d", build->folder, i), *rule = NULL;
        if (ht_file_exists(path) && ht_file_read(path, RULE_MAX, &rule, &length, NULL) == HT_OK)
            take_names(rule, build->files[i], out_names, &count);
        free(rule);
        free(path);
    }
    return count;
}
