/* Faults for the mutation tests of verification: places in a parameterized kernel where a barrier
 * can be missing, a subscript off by one, or a comparison of a guard, either way. All are in one
 * text, and HT_FAULT in the environment says which one is live, so that a configuration is compiled
 * once for all of them. */
#ifndef HT_TESTS_REFACTOR_FAULTS_H
#define HT_TESTS_REFACTOR_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#define HT_FAULT_CHOICE "HT_FAULT"

typedef enum fault_kind {
    FAULT_BARRIER,
    FAULT_SUBSCRIPT,
    FAULT_LOOSE, /* the comparison lets one more through; what is behind it in the list: */
    FAULT_TIGHT  /* the same one lets one less through */
} fault_kind;

typedef struct fault {
    fault_kind kind;
    size_t at;        /* in the unit: what is pointed at */
    size_t open, end; /* a subscript's first character and its closing bracket; where a comparison's
                         side of which there is one more begins, or ends if it is the left one */
} fault;

typedef struct faults {
    fault *items;
    size_t count;
} faults;

/* Those of the body of `kernel` in the template's unit; false when it has no such body. free() the
 * items. *out_body: where the body begins. */
bool faults_find(const char *unit, const char *kernel, faults *out_faults, size_t *out_body);

/* The unit with all of them in it; with `only` >= 0 with that one alone. free(). */
char *faults_compose(const char *unit, const faults *list, long only);

#endif
