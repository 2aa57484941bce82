/* Faults for the mutation tests of verification: places in a parameterized kernel where a barrier
 * can be missing, a subscript off by one, or a comparison, either way. All are in one text, and a
 * board that the kernel's process shares (faults_board.h) says which one is live and which the
 * run came by, so that a configuration is compiled once for all of them. */
#ifndef HT_TESTS_REFACTOR_FAULTS_H
#define HT_TESTS_REFACTOR_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum fault_kind {
    FAULT_BARRIER,
    FAULT_SUBSCRIPT,
    FAULT_LOOSE, /* the comparison lets one more through; the next in the list: */
    FAULT_TIGHT, /* the same one lets one less through */
} fault_kind;

typedef struct fault {
    fault_kind kind;
    size_t at;         /* in the unit: what is pointed at */
    size_t begin, end; /* of the subscript, or of the comparison with its two sides */
    bool plain; /* a comparison that an `if`, `for` or `while` asks: the others may be in what
                   must be known when it is compiled */
} fault;

typedef struct faults {
    fault *items;
    size_t count;
} faults;

/* Those of the body of `kernel` in the template's unit, in the order of their places by kind; false
 * when it has no such body. free() the items. *out_body: where the body begins. */
bool faults_find(const char *unit, const char *kernel, faults *out_faults, size_t *out_body);

/* Leaves out comparisons that are not plain. Returns how many. */
size_t faults_keep_plain(faults *list);

/* The unit with all of them in it. free(). */
char *faults_compose(const char *unit, const faults *list);

#endif
