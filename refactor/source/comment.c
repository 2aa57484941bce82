#include "refactor/source/comment.h"
#include "base/text.h"

#include <string.h>

static const char byte_order_mark[] = "\xEF\xBB\xBF";

/* Returns true if the line ends in the two characters, blanks apart. */
static bool ends_in(const char *text, size_t begin, size_t end, const char *close) {
    while (end > begin && strchr(" \t\r\n", text[end - 1]))
        --end;
    return end >= begin + 2 && memcmp(text + end - 2, close, 2) == 0;
}

size_t ht_comment_begin(const char *text, size_t line) {
    size_t at = line;
    while (at > 0) {
        size_t begin = ht_line_begin(text, at - 1);
        const char *word = text + begin + strspn(text + begin, " \t");
        if (strncmp(word, "//", 2) == 0) {
            at = begin;
            continue;
        }
        if (!ends_in(text, begin, at, "*/"))
            return at;
        while (begin > 0 && strncmp(word, "/*", 2) != 0) {
            begin = ht_line_begin(text, begin - 1);
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

size_t ht_comment_above(const char *text, size_t definition) {
    return ht_comment_begin(text, ht_line_begin(text, definition));
}

/* ---- the comment of a tuned kernel ---- */

/* Returns the words of a comment's line, without the characters that begin it. */
static const char *words_of(const char *line) {
    line += strncmp(line, byte_order_mark, 3) == 0 ? 3 : 0;
    line += strspn(line, " \t");
    if (strncmp(line, "//", 2) == 0 || strncmp(line, "/*", 2) == 0)
        line += 2;
    else if (line[0] == '*' && line[1] != '/')
        ++line;
    return line + strspn(line, " \t");
}

static bool begins(const char *line) {
    return strncmp(words_of(line), HT_COMMENT_FRONT, strlen(HT_COMMENT_FRONT)) == 0;
}

static bool is_comment(const char *text, size_t begin, size_t end) {
    const char *line = text + begin + strspn(text + begin, " \t");
    line += strncmp(line, byte_order_mark, 3) == 0 ? 3 : 0;
    return strncmp(line, "//", 2) == 0 || strncmp(line, "/*", 2) == 0 || line[0] == '*' ||
           ends_in(text, begin, end, "*/");
}

bool ht_comment_find(const char *text, size_t line, ht_range *out_lines) {
    for (size_t at = line; at > 0;) {
        size_t begin = ht_line_begin(text, at - 1);
        if (!is_comment(text, begin, at))
            return false;
        if (begins(text + begin)) {
            bool marked = strncmp(text + begin, byte_order_mark, 3) == 0;
            *out_lines = (ht_range){begin + (marked ? 3 : 0), line};
            return true;
        }
        at = begin;
    }
    return false;
}

char *ht_comment_pairs(const char *text, size_t line) {
    ht_range lines;
    ht_text pairs = {0};
    if (!ht_comment_find(text, line, &lines))
        return NULL;
    ht_text_append(&pairs, "");
    bool open = false, done = false;
    for (size_t at = lines.begin; at < lines.end && !done; at += strcspn(text + at, "\n") + 1) {
        const char *word = words_of(text + at);
        const char *colon = strchr(word, ':');
        word = !open && colon ? colon + 1 : word;
        open = true;
        while (!done && *word && *word != '\n') {
            word += strspn(word, " \r");
            size_t length = strcspn(word, " ;,\r\n");
            if (memchr(word, '=', length))
                ht_text_printf(&pairs, "%s%.*s", pairs.length ? " " : "", (int)length, word);
            word += length;
            done = *word == ';';
        }
    }
    return ht_text_take(&pairs);
}

/* Returns the length to which the file's lines are wrapped. */
static size_t width_of(const char *file) {
    size_t longest = 0;
    for (const char *line = file; *line;) {
        size_t length = strcspn(line, "\r\n");
        longest = length > longest ? length : longest;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return longest <= 80 ? 80 : longest <= 100 ? 100 : 120;
}

/* Returns true if all of the file's comments are as C has them. */
static bool is_block_style(const char *file) {
    bool lines = false, blocks = false;
    for (const char *line = file; *line;) {
        const char *word = line + strspn(line, " \t");
        lines = lines || strncmp(word, "//", 2) == 0 || strstr(word, "  //") == word;
        blocks = blocks || strncmp(word, "/*", 2) == 0;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return blocks && !lines;
}

char *ht_comment_write(const char *file, const char *words, size_t indent) {
    size_t width = width_of(file), used = 0;
    bool block = is_block_style(file);
    ht_text text = {0};
    ht_text_append(&text, "");
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ");
        bool fits = used > 0 && indent + used + 1 + length + (block ? 3 : 0) <= width;
        const char *front = !text.length ? (block ? "/* " : "// ") : block ? "\n * " : "\n// ";
        ht_text_printf(&text, "%s%.*s", fits ? " " : front, (int)length, at);
        used = fits ? used + 1 + length : 3 + length;
        at += length + strspn(at + length, " ");
    }
    ht_text_append(&text, block ? " */\n" : "\n");
    return ht_text_take(&text);
}
