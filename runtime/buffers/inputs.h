/* Random contents of buffers. */
#ifndef HT_RUNTIME_BUFFERS_INPUTS_H
#define HT_RUNTIME_BUFFERS_INPUTS_H

#include "runtime/buffers/element.h"
#include "templates/annotations/template.h"

/* Fills `count` elements (not components) at `data`, each buffer from its own stream: (seed, index
 * of the argument). */
void ht_inputs_fill(ht_element element, void *data, size_t count, const ht_init *init,
                    uint64_t seed, size_t argument);
/* The same buffer in another element type of as many components, value by value; with `absolute`,
 * |value|. */
void ht_inputs_convert(ht_element from, const void *data, ht_element to, void *out, size_t count,
                       bool absolute);

#endif
