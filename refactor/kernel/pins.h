/* What a kernel's source holds fast, whatever a transformation could prove of the text that the
 * parse took: code of other builds, blocks that wait for each other. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_PINS_H
#define HT_REFACTOR_KERNEL_PINS_H

#include "refactor/kernel/facts.h"

struct ht_pin {
    unsigned what; /* of ht_pinned */
    size_t file;   /* index in the source's files */
    int line;
    char *words; /* "'threadIdx' stands under '#ifdef A', ...: compile with -DA ..." */
};

/* Takes `words` over. What earlier pins hold already is not noted again. */
void ht_pin_add(ht_model *model, unsigned what, size_t file, size_t offset, char *words);
/* The first pin that holds any of these fast; NULL: none does. */
const ht_pin *ht_pin_find(const ht_model *model, unsigned what);
void ht_pins_free(ht_kernel_facts *facts);

/* branches.c: pins of text that other builds take. After indices are known. */
void ht_branches_build(ht_model *model);
/* waits.c: pins of blocks that wait for each other, or count themselves. */
void ht_waits_build(ht_model *model);

/* specialised.c: pins of a template's explicit specialisations. */
void ht_specialised_build(ht_model *model);
/* Returns true if the function is an explicit specialisation of a template. */
bool ht_is_specialised(CXCursor function);
/* "ns::k<float>"; free(). */
char *ht_specialised_name(CXCursor function);

/* The feature that a name stands for; HT_FEATURE_COUNT: none. */
ht_feature ht_feature_of_name(const char *name);

#endif
