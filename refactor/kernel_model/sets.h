/* Polynomials, tests and places in the control flow as isl's affine functions and sets. Private to
 * refactor/kernel_model/. */
#ifndef HT_REFACTOR_SETS_H
#define HT_REFACTOR_SETS_H

#include "refactor/kernel_model/kernel_model.h"

#include <isl/aff.h>
#include <isl/id.h>
#include <isl/local_space.h>
#include <isl/space.h>
#include <isl/val.h>

/* The first dimensions of every domain: threadIdx, blockIdx and the block's origin along x, y, z.
 */
enum { HT_DIM_THREAD = 0, HT_DIM_BLOCK = 3, HT_DIM_ORIGIN = 6, HT_DIM_FIXED = 9 };

/* Which symbols are dimensions of a set, and which its parameters. */
typedef struct ht_km_layout {
    ht_kernel_model *km;
    size_t *dims;
    size_t dim_count;
    size_t *params;
    size_t param_count;
    bool block_given; /* the block's index and origin are parameters */
    /* Which further symbols are parameters, of which nothing is known; NULL: none. */
    bool (*given)(const void *context, size_t symbol);
    const void *given_context;
    bool exact; /* nothing was left out so far */
} ht_km_layout;

void ht_km_layout_init(ht_km_layout *layout, ht_kernel_model *km, bool block_given);
/* With what `given` says as parameters; they may have any value. */
void ht_km_layout_init_given(ht_km_layout *layout, ht_kernel_model *km,
                             bool (*given)(const void *context, size_t symbol),
                             const void *context);
void ht_km_layout_free(ht_km_layout *layout);
/* Takes in the symbols of a polynomial, of a place in the control flow (its guards when `guards`),
 * and of all that those are computed from. */
void ht_km_layout_reach(ht_km_layout *layout, const ht_poly *poly);
void ht_km_layout_reach_control(ht_km_layout *layout, const ht_km_control *control, bool guards);

isl_space *ht_km_layout_space(const ht_km_layout *layout);
/* NULL when it is not affine. */
isl_aff *ht_km_layout_affine(const ht_km_layout *layout, const ht_poly *poly);
/* The points that get to a place; `exact` becomes false where something could not be said. Guards
 * are left out unless `guards`. */
isl_set *ht_km_layout_domain(ht_km_layout *layout, const ht_km_control *control, bool guards);

/* Returns true if a polynomial may be affine for isl. A product of arguments counts as one
 * argument. */
bool ht_poly_is_affine(const ht_poly_pool *pool, const ht_poly *poly);
/* Returns true if the kernel uses this axis at all. One that it does not use is taken as 1 wide; so
 * is a block along an axis whose threadIdx it does not use. */
bool ht_axis_used(const ht_kernel_model *km, int axis);
/* The symbol of threadIdx and so on; added when there is none. */
size_t ht_builtin_symbol(ht_kernel_model *km, ht_km_symbol_kind kind, int axis);
/* The symbol that an isl parameter or dimension of the layout stands for. */
char *ht_km_layout_aff_text(const ht_km_layout *layout, isl_aff *aff);

#endif
