/* The walk over a kernel's body that fills the model: an environment of values, and the loops and
 * guards around. Private to refactor/kernel_model/. */
#ifndef HT_REFACTOR_SCAN_H
#define HT_REFACTOR_SCAN_H

#include "refactor/kernel_model/kernel_model.h"

enum { HT_SCAN_NEST_MAX = 32, HT_SCAN_GUARDS_MAX = 256, HT_SCAN_INLINE_MAX = 6 };

/* The value of an expression or a variable. */
typedef struct ht_km_value {
    bool is_pointer;
    size_t array;         /* of a pointer; SIZE_MAX: unknown */
    const ht_poly *value; /* an integer, or a pointer's offset in elements; NULL: neither */
} ht_km_value;

static inline ht_km_value ht_km_number(const ht_poly *value) {
    return (ht_km_value){.value = value};
}

typedef struct ht_binding {
    size_t variable; /* of the whole tree */
    ht_km_value value;
} ht_binding;

typedef struct ht_environment {
    ht_binding *items;
    size_t count;
} ht_environment;

/* A function that is walked in place of its call. */
typedef struct ht_frame {
    size_t guard_base;
    struct {
        const ht_km_test *test;
        ht_km_value value;
    } returns[16];
    size_t return_count;
    bool lost; /* more returns than fit */
} ht_frame;

typedef struct ht_scan {
    ht_kernel_model *km;
    const ht_model *facts;
    const ht_syntax_tree *tree; /* of all that the kernel reaches */
    ht_environment environment;
    size_t loops[HT_SCAN_NEST_MAX];
    size_t loop_count;
    ht_km_guard guards[HT_SCAN_GUARDS_MAX];
    size_t guard_count;
    unsigned dry; /* above 0: nothing is recorded */
    int depth, inlined;
    long budget;
    size_t order;
    ht_frame *frame; /* NULL: the kernel itself */
    size_t *escaped; /* variables */
    size_t escaped_count;
} ht_scan;

void ht_scan_kernel(ht_scan *scan);
/* Conditions under which control leaves a statement other than by its end. NULL: never. */
typedef struct ht_leaves {
    const ht_km_test *returns, *breaks, *continues;
} ht_leaves;
ht_leaves ht_scan_statement(ht_scan *scan, const ht_syntax *statement);
void ht_scan_incomplete(ht_scan *scan, const ht_syntax *at, const char *reason);
ht_km_place ht_scan_where(const ht_scan *scan, ht_position at);
ht_km_control ht_scan_control(ht_scan *scan);
void ht_scan_effect(ht_scan *scan, const char *kind, const ht_syntax *at, const char *name);
void ht_scan_barrier(ht_scan *scan, const ht_syntax *at);
bool ht_scan_tick(ht_scan *scan); /* false: the budget is used up */

#endif
