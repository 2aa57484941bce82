/* Names in launches that clang cannot follow, as their declarations stand in headers that are not
 * there: it drops such a launch as a whole. They are written as calls of a function that is not
 * declared, which it keeps, before the source is analysed. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_LAUNCH_NAMES_H
#define HT_REFACTOR_SOURCE_LAUNCH_NAMES_H

#include "refactor/source/libclang.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_lost_name {
    char *name;
    bool is_field; /* of a class, which may stand after a dot */
} ht_lost_name;

typedef struct ht_launch_names {
    ht_lost_name *items;
    size_t count;
} ht_launch_names;

/* Finds the names in a file of the unit for which clang drops launches. Those that a launch which
 * clang keeps has, too, are left out: they mean something there. */
void ht_launch_names_find(CXTranslationUnit unit, CXFile file, ht_launch_names *out_names);
/* Returns the text with those names in launches as calls, on the same lines. Takes over `text`;
 * free(). */
char *ht_launch_names_write(char *text, const ht_launch_names *names);
/* Returns the text with the names as their author wrote them. Takes over `text`; free(). */
char *ht_launch_names_restore(char *text, const ht_launch_names *names);
ht_launch_names ht_launch_names_copy(const ht_launch_names *names);
void ht_launch_names_free(ht_launch_names *names);

#endif
