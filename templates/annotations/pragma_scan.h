/* Finds `#pragma tune` lines in a HIP source text. Private to templates/. */
#ifndef HT_TEMPLATES_ANNOTATIONS_PRAGMA_SCAN_H
#define HT_TEMPLATES_ANNOTATIONS_PRAGMA_SCAN_H

#include "templates/expr/span.h"

/* The text after `#pragma tune` on one logical line: comments and line continuations are blanks,
 * newlines stay, so that places inside are those of the file. */
typedef struct ht_pragma {
    char *text; /* owned */
    int line, column;
} ht_pragma;

/* Comments, strings and raw strings of the text are skipped as a compiler would. Free with
 * ht_pragma_free. */
void ht_pragma_scan(const char *text, ht_pragma **out_pragmas, size_t *out_count);
void ht_pragma_free(ht_pragma *pragmas, size_t count);

/* One token of C++ source, for looking at declarations: identifiers and numbers whole, everything
 * else one character. Preprocessor lines, comments and literals are skipped. */
typedef struct ht_source_token {
    const char *text; /* borrowed */
    size_t length;    /* 0 at the end of the text */
    bool name;
} ht_source_token;

typedef struct ht_source_scanner {
    const char *next;
    bool line_start; /* only white space since the last newline */
} ht_source_scanner;

ht_source_token ht_source_next(ht_source_scanner *scanner);

#endif
