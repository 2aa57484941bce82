/* Preprocessor conditionals as text: the branch that a place is in, and the option that selects it.
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

/* Returns the kind of a token; HT_DIRECTIVE_OTHER also if it is not a directive. */
ht_directive ht_directive_kind(const ht_tokens *tokens, size_t index);
/* Returns the name that a #define or #undef is for; free(). NULL: it is another token. */
char *ht_directive_defines(const ht_tokens *tokens, size_t index);
/* Returns "stands under '#ifdef A' (line 3), which this build does not take: compile with -DA to
 * tune that branch", for an offset of a file that clang skipped; free(). */
char *ht_conditional_words(const ht_source *source, size_t file, size_t offset);

/* Returns true for a place that no build takes: under '#if 0', or in another branch of '#if 1'. */
bool ht_conditional_never(const ht_source *source, size_t file, size_t offset);

/* Returns true if a preprocessor conditional begins, ends or changes to another branch in this
 * range of a file. */
bool ht_source_has_conditional(const ht_source *source, size_t file, ht_range range);
/* Returns true if the place is in a branch of a conditional that begins inside of `around`. */
bool ht_source_in_conditional(const ht_source *source, size_t file, ht_range around, size_t offset);
/* Returns the 1-based line of an offset. */
int ht_source_line(const ht_source *source, size_t file, size_t offset);

#endif
