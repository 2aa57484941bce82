/* A growable string. `data` is always NUL-terminated once anything was appended; {0} is a valid
 * empty text. */
#ifndef HT_BASE_TEXT_H
#define HT_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ht_text {
    char *data; /* owned; may be NULL while length is 0 */
    size_t length;
    size_t capacity;
} ht_text;

void ht_text_append(ht_text *text, const char *part);
void ht_text_append_n(ht_text *text, const char *part, size_t length);
void ht_text_printf(ht_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `text` with `by` in place of each `mark`; free(). */
char *ht_text_replaced(const char *text, const char *mark, const char *by);
bool ht_text_begins(const char *text, const char *prefix);
/* Returns true if the text ends with another. */
bool ht_text_ends(const char *text, const char *end);
/* Returns true if it starts with one of these, which NULL ends. */
bool ht_text_starts(const char *text, const char *const *prefixes);
/* Returns true if it is one of these, which NULL ends. */
bool ht_text_is_one(const char *text, const char *const *words);
/* Letters in capitals, in place. */
void ht_text_upper(char *text);
/* Control characters become '?', but for those in `kept`, in place; with `ascii` so do all bytes
 * above ASCII. For words of foreign code that go to a terminal. */
void ht_text_make_printable(char *text, const char *kept, bool ascii);
/* Copies a text to `out`, which takes `size` bytes. Of one that is longer the middle is left out,
 * with "..." in its place: of a path, where it begins and the file's name stay. */
void ht_text_shorten(const char *text, char *out, size_t size);
/* Hands the string to the caller (free()) and empties the text; never NULL. */
char *ht_text_take(ht_text *text);
void ht_text_free(ht_text *text);

#endif
