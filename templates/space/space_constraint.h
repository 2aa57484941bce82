/* The conditions of a space as constraints, each with the parameters that it sees, and how much of
 * it is left when some of those are chosen. Private to templates/. */
#ifndef HT_TEMPLATES_SPACE_SPACE_CONSTRAINT_H
#define HT_TEMPLATES_SPACE_SPACE_CONSTRAINT_H

#include "templates/expr/intern.h"
#include "templates/space/space_model.h"

/* The verdict of a constraint on a configuration; also the numbers of the residuals that say it of
 * every configuration that is left. */
typedef enum ht_condition_verdict {
    HT_CONDITION_FALSE,
    HT_CONDITION_TRUE,
    HT_CONDITION_FAULT
} ht_condition_verdict;

typedef struct ht_space_constraint {
    uint64_t params; /* as bits */
    uint32_t *scope; /* the same in order; owned */
    size_t *strides; /* in the table; owned */
    size_t scope_count;
    uint32_t *conditions; /* of the model; owned */
    size_t condition_count;
    ht_routine *routine; /* owned; a result for each condition */
    uint8_t *table;      /* verdicts of every combination, last parameter fastest; owned; NULL when
                            there are too many */
} ht_space_constraint;

typedef struct ht_space_constraints {
    ht_space_constraint *items; /* owned */
    size_t count;
    const ht_space_model *model; /* borrowed */
} ht_space_constraints;

/* Conditions on the same parameters become one constraint, but with `by_source` only those of one
 * source do. */
void ht_space_constraints_make(const ht_space_model *model, bool by_source,
                               ht_space_constraints *out);
void ht_space_constraints_free(ht_space_constraints *constraints);
/* `choices` by parameter. */
ht_condition_verdict ht_space_constraint_check(const ht_space_constraint *constraint,
                                               const uint16_t *choices);
/* The verdicts on all values of one parameter, the others as chosen. */
void ht_space_constraint_check_values(const ht_space_constraint *constraint,
                                      const uint16_t *choices, uint32_t param, size_t value_count,
                                      uint8_t *out_verdicts);

/* space_residual.c: a constraint under an order of the parameters. A residual is what it still asks
 * once its first `stage` parameters are chosen; equal demands are one residual. Made from the
 * table, or, when there is none, as it is asked for, from the values of subexpressions. */
typedef struct ht_residual_maker ht_residual_maker;
typedef struct ht_residuals {
    const ht_space_constraint *constraint;
    uint32_t *params; /* the scope in the given order; owned */
    size_t *widths;   /* owned */
    uint32_t root;
    uint32_t *children; /* owned */
    size_t *first;      /* of a residual's children, by residual; owned */
    size_t count;
    size_t child_count, child_capacity;
    ht_residual_maker *maker; /* NULL with a table */
} ht_residuals;

enum { HT_RESIDUAL_UNKNOWN = -1 };

/* `rank[p]` is the place of parameter p in the order. */
void ht_residuals_make(const ht_space_constraint *constraint, const ht_space_model *model,
                       const uint32_t *rank, ht_residuals *out);
void ht_residuals_free(ht_residuals *residuals);
/* Returns what is left of `residual`, of `stage` parameters chosen, with a value for the next
 * one. */
uint32_t ht_residual_next(ht_residuals *residuals, uint32_t residual, size_t stage, size_t value);

#endif
