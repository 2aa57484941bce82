/* Types of arguments as problem files have them. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_TYPE_H
#define HT_REFACTOR_INFER_INFER_TYPE_H

#include "refactor/kernel/model.h"

/* The type of the parts of a structure whose fields have several types. */
#define HT_INFER_BYTES "unsigned char"

/* Returns the type of a parameter's element, or of a scalar, as problem files have it; NULL: they
 * have no such type. A structure whose fields all have one type counts as that type; *out_parts
 * (may be NULL) is the number of fields, else 1. One with fields of several types, none of them a
 * pointer, counts as its bytes, of which there are 0 where their number is not known. free(). */
char *ht_infer_type(const ht_model *model, const ht_parameter *parameter, long long *out_parts);

/* Returns true if a pointer's elements are structures whose fields have several types: any bytes
 * are no such structures. */
bool ht_infer_type_mixed(const ht_model *model, const ht_parameter *parameter);

/* Returns contents for such structures, "records(16, 0 float[3], 12 int)"; NULL: their fields are
 * not known, or hold what any number need not be. free(). */
char *ht_infer_type_records(const ht_model *model, const ht_parameter *parameter);

/* Finds a value of an enumeration, one that is not 0 if there is one. Returns false if it names
 * none.
 */
bool ht_infer_enumerator(CXType type, int64_t *out_value);

/* Returns the type of the parts that a structure is made of: that of its fields, or HT_INFER_BYTES
 * where they have several. NULL: it is no structure, or leads elsewhere. free(). */
char *ht_infer_record_parts(CXType type, long long *out_parts);
/* The contents of such a structure, as above. */
char *ht_infer_record_contents(CXType type);

#endif
