#include "refactor/rewrite/comment.h"

#include <stdbool.h>
#include <string.h>

static size_t line_before(const char *text, size_t line) {
    size_t begin = line - 1;
    while (begin > 0 && text[begin - 1] != '\n')
        --begin;
    return begin;
}

/* Returns true if the line ends in the two characters, blanks apart. */
static bool ends_in(const char *text, size_t begin, size_t end, const char *close) {
    while (end > begin && strchr(" \t\r\n", text[end - 1]))
        --end;
    return end >= begin + 2 && memcmp(text + end - 2, close, 2) == 0;
}

size_t ht_comment_begin(const char *text, size_t line) {
    size_t at = line;
    while (at > 0) {
        size_t begin = line_before(text, at);
        const char *word = text + begin + strspn(text + begin, " \t");
        if (strncmp(word, "//", 2) == 0) {
            at = begin;
            continue;
        }
        if (!ends_in(text, begin, at, "*/"))
            return at;
        while (begin > 0 && strncmp(word, "/*", 2) != 0) {
            begin = line_before(text, begin);
            word = text + begin + strspn(text + begin, " \t");
        }
        /* code ahead of the comment's begin: it is that line's */
        if (strncmp(word, "/*", 2) != 0)
            return at;
        const char *close = strstr(word + 2, "*/");
        if (!close || !ends_in(text, begin, (size_t)(close + 2 - text), "*/") ||
            (size_t)(close + 2 - text) > at)
            return at;
        size_t rest = (size_t)(close + 2 - text);
        if (strspn(text + rest, " \t\r\n") < at - rest) /* another comment follows it */
            return at;
        at = begin;
    }
    return at;
}
