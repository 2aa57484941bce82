/* Kernels that have a reason, why there is no template or no gain, in groups: those of one status
 * and one reason, names and places aside. */
#ifndef HT_CLI_REPORTS_REFACTOR_GROUPS_H
#define HT_CLI_REPORTS_REFACTOR_GROUPS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct ht_reason_group {
    const char *status; /* borrowed from the rows */
    char *reason;       /* without what distinguishes one kernel from another; owned */
    const char *next;   /* a step that may help; NULL: none is known */
    const json_t **rows;
    size_t count;
} ht_reason_group;

typedef struct ht_reason_groups {
    ht_reason_group *items; /* largest first */
    size_t count;
} ht_reason_groups;

void ht_reason_groups_make(const json_t *rows, ht_reason_groups *out_groups);
void ht_reason_groups_free(ht_reason_groups *groups);

/* Prints the groups; briefly the largest, and the next steps. */
void ht_reason_groups_print(const json_t *rows, bool brief, FILE *out);

/* Returns the part of a reason after the words that its status says, too; borrowed. */
const char *ht_reason_core(const char *reason);

/* Returns a reason without the names, numbers and places that distinguish one kernel from another.
 * free(). */
char *ht_reason_class(const char *reason);

#endif
