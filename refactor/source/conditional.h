/* Preprocessor conditionals as text: which branch a place lies in, and what it takes to build it.
 * Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_CONDITIONAL_H
#define HT_REFACTOR_SOURCE_CONDITIONAL_H

#include "refactor/source/source.h"

typedef enum ht_directive {
    HT_DIRECTIVE_OTHER,
    HT_DIRECTIVE_IF,   /* #if, #ifdef, #ifndef */
    HT_DIRECTIVE_ELSE, /* #else, #elif and its kind */
    HT_DIRECTIVE_ENDIF,
    HT_DIRECTIVE_DEFINE, /* #define, #undef */
    HT_DIRECTIVE_INCLUDE,
    HT_DIRECTIVE_PRAGMA
} ht_directive;

/* Of a token: HT_DIRECTIVE_OTHER too where it is no directive. */
ht_directive ht_directive_kind(const ht_tokens *tokens, size_t index);
/* The name that a #define or #undef is for; free(). NULL: none. */
char *ht_directive_defines(const ht_tokens *tokens, size_t index);
/* "stands under '#ifdef A' (line 3), which this build does not take: compile with -DA to tune that
 * branch", for an offset of a file that clang skipped; free(). */
char *ht_conditional_words(const ht_source *source, size_t file, size_t offset);

/* Returns true if a preprocessor conditional begins or ends in this range of a file, or goes on to
 * another branch.
 */
bool ht_source_has_conditional(const ht_source *source, size_t file, ht_range range);
/* Returns true if the place lies in a branch of one that begins inside of `around`. */
bool ht_source_in_conditional(const ht_source *source, size_t file, ht_range around, size_t offset);
/* 1-based line of an offset. */
int ht_source_line(const ht_source *source, size_t file, size_t offset);

#endif
