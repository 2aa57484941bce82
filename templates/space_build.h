/* Construction of the legal configurations, apart from what a finished space can do. Private to
 * templates/. */
#ifndef HT_TEMPLATES_SPACE_BUILD_H
#define HT_TEMPLATES_SPACE_BUILD_H

#include "templates/space.h"

/* Configurations as rows of bytes that sort like the configurations: one byte for a parameter of up
 * to 256 values, two (high first) for others. */
typedef struct ht_space_rows {
    unsigned char *data; /* owned */
    uint64_t count;
    size_t width; /* bytes a row, at least 1 */
} ht_space_rows;

void ht_space_pack(const ht_template *template, const ht_config *config, unsigned char *out_row);
size_t ht_space_row_width(const ht_template *template);

/* All legal configurations in order. */
ht_status ht_space_enumerate(const ht_binding *binding, uint64_t max_legal, ht_space_rows *out_rows,
                             ht_error *error);

/* One condition of legality: a require (launch NULL) or a launch's limits (expr NULL). */
typedef struct ht_space_constraint {
    const ht_expr *expr;
    const ht_launch *launch;
    uint64_t params;   /* bit i: depends on parameter i */
    uint64_t rejected; /* how often it was the first to fail */
} ht_space_constraint;

ht_space_constraint *ht_space_constraints(const ht_template *template, size_t *out_count);
ht_status ht_space_constraint_holds(const ht_binding *binding,
                                    const ht_space_constraint *constraint, const ht_config *config,
                                    bool *out_holds, ht_error *error);
/* The error for a space without legal configurations: names the constraints that leave nothing. */
ht_status ht_space_explain_empty(const ht_binding *binding, const ht_space_constraint *constraints,
                                 size_t count, ht_error *error);

#endif
