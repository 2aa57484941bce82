/* Names in text that only other builds compile, and the definitions that such text has. Private to
 * refactor/. */
#ifndef HT_REFACTOR_KERNEL_BRANCH_NAMES_H
#define HT_REFACTOR_KERNEL_BRANCH_NAMES_H

#include "refactor/source/names.h"
#include "refactor/source/source.h"

/* Adds the names in a range of a file, without the language's keywords and without text that the
 * parse skipped. */
void ht_names_read(ht_names *names, const ht_source *source, size_t file, ht_range range);
/* Adds the names in the bodies of the macros among the names. */
void ht_names_expand(ht_names *names, const ht_source *source);

/* A name that skipped text outside of functions defines. */
typedef struct ht_alternative {
    char *name;
    size_t file;
    ht_range range; /* of the definition */
    bool directive; /* a macro */
    bool function_like;
    bool function;
} ht_alternative;

typedef struct ht_alternatives {
    ht_alternative *items;
    size_t count;
} ht_alternatives;

void ht_alternatives_find(const ht_source *source, ht_alternatives *out_list);
void ht_alternatives_free(ht_alternatives *list);

/* Returns true if the name at a token is assigned or declared there, or has its address taken. */
bool ht_tokens_is_written(const ht_tokens *tokens, size_t index);

#endif
