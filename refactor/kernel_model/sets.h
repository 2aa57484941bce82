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

/* The symbols that are dimensions of a set, and those that are its parameters. */
typedef struct ht_km_layout {
    ht_kernel_model *km;
    size_t *dims;
    size_t dim_count;
    size_t *params;
    size_t param_count;
    bool block_given; /* the block's index and origin are parameters */
    /* Returns true for further symbols that are parameters of any value; NULL: there are none. */
    bool (*given)(const void *context, size_t symbol);
    const void *given_context;
    bool exact; /* nothing was left out so far */
} ht_km_layout;

void ht_km_layout_init(ht_km_layout *layout, ht_kernel_model *km, bool block_given);
/* Starts a layout whose parameters include the symbols for which `given` returns true. */
void ht_km_layout_init_given(ht_km_layout *layout, ht_kernel_model *km,
                             bool (*given)(const void *context, size_t symbol),
                             const void *context);
void ht_km_layout_free(ht_km_layout *layout);
/* Adds the symbols of a polynomial, or of a place in the control flow (with its guards if
 * `guards`), and all symbols that those are computed from. */
void ht_km_layout_reach(ht_km_layout *layout, const ht_poly *poly);
void ht_km_layout_reach_control(ht_km_layout *layout, const ht_km_control *control, bool guards);

isl_space *ht_km_layout_space(const ht_km_layout *layout);
/* Returns NULL if the polynomial is not affine. */
isl_aff *ht_km_layout_affine(const ht_km_layout *layout, const ht_poly *poly);
/* Returns the map from a domain's points to the values that affine polynomials have there. */
isl_map *ht_km_layout_map(const ht_km_layout *layout, const ht_poly *const *values, size_t count,
                          isl_set *domain);
/* The same of an access's dimensions, all affine. */
isl_map *ht_km_layout_access(const ht_km_layout *layout, const ht_km_access *access,
                             isl_set *domain);
/* Returns the points that reach a place, without its guards unless `guards`. Clears `exact` if a
 * condition could not be expressed. */
isl_set *ht_km_layout_domain(ht_km_layout *layout, const ht_km_control *control, bool guards);

/* Returns true if a polynomial may be affine for isl. A product of arguments counts as a single
 * argument. */
bool ht_poly_is_affine(const ht_poly_pool *pool, const ht_poly *poly);
/* Returns true if the kernel uses this axis at all. An unused axis is taken to be 1 wide, and so is
 * the block along an axis whose threadIdx is unused. */
bool ht_axis_used(const ht_kernel_model *km, int axis);
/* Returns the symbol of threadIdx and the like, adding it if there is none. */
size_t ht_builtin_symbol(ht_kernel_model *km, ht_km_symbol_kind kind, int axis);

#endif
