/* Pins: reasons in a kernel's source not to change a part of it, even if a transformation is legal
 * for the text that the parse took. They come from code of other builds and from blocks that wait
 * for each other. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_PINS_H
#define HT_REFACTOR_KERNEL_PINS_H

#include "refactor/kernel/facts.h"

typedef enum ht_pin_origin {
    HT_PIN_KERNEL, /* the kernel as this build has it */
    HT_PIN_BUILDS  /* text that only other builds compile */
} ht_pin_origin;

struct ht_pin {
    unsigned what; /* of ht_pinned */
    ht_pin_origin origin;
    size_t file; /* index in the source's files */
    int line;
    char *words; /* "'threadIdx' stands under '#ifdef A', ...: compile with -DA ..." */
};

/* Adds a pin. Takes over `words`. Bits of `what` that earlier pins of this origin hold are
 * dropped. */
void ht_pin_add(ht_model *model, ht_pin_origin origin, unsigned what, size_t file, size_t offset,
                char *words);
/* Returns the first pin that holds any of these; NULL: there is none. */
const ht_pin *ht_pin_find(const ht_model *model, unsigned what);
/* Returns the first of this origin. */
const ht_pin *ht_pin_find_of(const ht_model *model, ht_pin_origin origin, unsigned what);
void ht_pins_free(ht_kernel_facts *facts);

#endif
