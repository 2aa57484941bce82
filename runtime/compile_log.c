#include "runtime/compile_log.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

enum { ERRORS_SHOWN = 3, LINES_SHOWN = 24 };

static bool line_has(const char *line, size_t length, const char *words) {
    return memmem(line, length, words, strlen(words)) != NULL;
}

ht_status ht_compile_log_error(const char *log, const char *otherwise, ht_error *error) {
    ht_text text = {0};
    int errors = 0, lines = 0;
    for (const char *line = log; *line && lines < LINES_SHOWN;) {
        size_t length = strcspn(line, "\n");
        errors += line_has(line, length, "error: ");
        if (errors > ERRORS_SHOWN)
            break;
        if (errors > 0) {
            ht_text_append(&text, lines++ ? "\n" : "");
            ht_text_append_n(&text, line, length);
        }
        line += length + (line[length] == '\n');
    }
    ht_status status = ht_error_set(error, HT_ERROR_COMPILE, "%s",
                                    errors > 0 ? text.data
                                    : *log     ? log
                                               : otherwise);
    ht_text_free(&text);
    return status;
}
