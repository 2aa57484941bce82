/* Calls of libclang: arguments, HIP's header parsed once for many files, and names of
 * libraries that host code needs. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_ARGUMENTS_H
#define HT_REFACTOR_SOURCE_ARGUMENTS_H

#include "refactor/source/source.h"

typedef struct ht_arguments {
    const char **items;
    size_t count;
    char *prefix; /* file of the parsed header; NULL: the header is included as text */
} ht_arguments;

void ht_arguments_make(const ht_call *call, ht_arguments *out_arguments);
void ht_arguments_free(ht_arguments *arguments);
/* Parses a file, with these texts in place of others. `options` are libclang's. */
enum CXErrorCode ht_call_parse(const ht_call *call, CXIndex index, const char *path,
                               const struct CXUnsavedFile *texts, unsigned count, unsigned options,
                               CXTranslationUnit *out_unit);

/* Returns a call with arguments and a cache of its own; free with ht_call_free. */
ht_call ht_call_copy(ht_call call);
void ht_call_free(ht_call *call);

/* Returns true if an argument of the user's has this name in it. */
bool ht_call_names(const ht_call *call, const char *name);
/* Appends an argument to a call that owns its own, which takes it over; ht_call_drop takes the last
 * one away. */
void ht_call_add(ht_call *call, char *argument);
void ht_call_drop(ht_call *call);

/* Returns how often clang has parsed a text in this process, the header kept for all aside. */
size_t ht_source_parses(void);

#endif
