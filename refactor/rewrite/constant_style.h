/* The style in which a file declares its constants, for those that are added to it. */
#ifndef HT_REFACTOR_REWRITE_CONSTANT_STYLE_H
#define HT_REFACTOR_REWRITE_CONSTANT_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ht_name_case {
    HT_CASE_K,      /* kOutputsPerThread */
    HT_CASE_UPPER,  /* OUTPUTS_PER_THREAD */
    HT_CASE_SNAKE,  /* outputs_per_thread */
    HT_CASE_CAMEL,  /* outputsPerThread */
    HT_CASE_PASCAL, /* OutputsPerThread */
    HT_CASE_COUNT
} ht_name_case;

typedef struct ht_constant_style {
    bool macro;        /* #define NAME 4 */
    const char *front; /* else "static constexpr int"; static */
    ht_name_case name;
} ht_constant_style;

/* Reads the style of most constants that stand at the begin of a line; without one it is constexpr
 * int kName. */
ht_constant_style ht_constant_style_of(const char *text);
/* Returns a name made of words: "outputs per thread", or "blurRows block x"; free(). */
char *ht_constant_name(const ht_constant_style *style, const char *words);
/* Returns its declaration, a line with its end; free(). */
char *ht_constant_declaration(const ht_constant_style *style, const char *name, int64_t value);
/* Returns the name that a line without its end declares as a whole number, if it does so as the
 * declaration does: both by #define, or both not, at the begin of the line; NULL: it does not.
 * free(). */
char *ht_constant_alike(const char *line, size_t length, const char *declaration);

#endif
