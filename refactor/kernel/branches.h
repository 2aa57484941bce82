/* The parts of branches.c: text of a user's files that this build does not take. Private to
 * refactor/. */
#ifndef HT_REFACTOR_KERNEL_BRANCHES_H
#define HT_REFACTOR_KERNEL_BRANCHES_H

#include "refactor/kernel/pins.h"
#include "refactor/source/conditional.h"

typedef struct ht_names {
    char **items; /* owned, each once */
    size_t count;
} ht_names;

void ht_names_add(ht_names *names, const char *name);
bool ht_names_has(const ht_names *names, const char *name);
void ht_names_free(ht_names *names);
/* Adds those in the file's text of a range that clang took, but for words of the language. */
void ht_names_read(ht_names *names, const ht_source *source, size_t file, ht_range range);
/* Adds those in the bodies of macros that are named. */
void ht_names_expand(ht_names *names, const ht_source *source);

/* A name that text outside of functions defines where this build does not look. */
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

/* Returns true if the name at a token is given a value there or declared, or its address is taken.
 */
bool ht_tokens_is_written(const ht_tokens *tokens, size_t index);

/* A pin of text that other builds take: "'NAME'WHO stands under ...". */
void ht_branch_pin(ht_model *model, unsigned what, size_t file, size_t offset, const char *name,
                   const char *who);
/* branches_host.c: pins of launches. */
void ht_branches_of_launches(ht_model *model, const ht_alternatives *alternatives);

#endif
