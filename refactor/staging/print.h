/* Prints polynomials as C. Private to refactor/. */
#ifndef HT_REFACTOR_STAGING_PRINT_H
#define HT_REFACTOR_STAGING_PRINT_H

#include "base/text.h"
#include "refactor/staging/stage.h"

/* Prints a polynomial as C, over arguments, loops' counters and built-in indices.
 * Arguments that are not int are converted to stage->type. Returns false if a part has no name
 * there. */
bool ht_stage_print(const ht_stage *stage, const ht_poly *poly, ht_text *out);
/* Prints it after other text: " + 3", " - pad"; nothing for 0. */
bool ht_stage_print_more(const ht_stage *stage, const ht_poly *poly, ht_text *out);
/* Prints it as a template expression, with arguments as their constants, which it notes as
 * needed. */
bool ht_stage_print_constant(ht_stage *stage, const ht_poly *poly, ht_text *out);
bool ht_stage_print_constant_more(ht_stage *stage, const ht_poly *poly, ht_text *out);
size_t ht_stage_coordinate(ht_kernel_model *km, size_t which);
/* Replaces outputs' indices along an axis by their name, with the block's part that belongs to
 * them. */
const ht_poly *ht_stage_name_output(const ht_stage *stage, const ht_poly *poly, int axis);
/* Returns the polynomial with another one in place of a symbol; NULL: it has too many terms. */
const ht_poly *ht_stage_replace(ht_kernel_model *km, const ht_poly *poly, size_t symbol,
                                const ht_poly *by);

#endif
