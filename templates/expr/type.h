/* Type names as written in annotations. Private to templates/; ht_type_size is public in expr.h. */
#ifndef HT_TEMPLATES_EXPR_TYPE_H
#define HT_TEMPLATES_EXPR_TYPE_H

#include <stdbool.h>
#include <stddef.h>

/* The type text with canonical spacing ("unsigned int", "vec<float, 4>", "float*"); NULL when the
 * text cannot be a type. free(). */
char *ht_type_normalise(const char *text, size_t length);
/* Components of a vector type (float4: 4, dim3: 3); 1 for scalar types; 0 when unknown. */
size_t ht_type_components(const char *type_name);
/* Returns true for a known scalar integer (or bool) type. */
bool ht_type_integral(const char *type_name);

#endif
