/* Elements of outputs that the original never writes: usually a grid that is too small, which no
 * comparison with that same original shows. Private to runtime/. */
#ifndef HT_RUNTIME_REFERENCE_UNWRITTEN_H
#define HT_RUNTIME_REFERENCE_UNWRITTEN_H

#include "runtime/buffers/variant.h"

#include <jansson.h>

/* In the worker: looks for poison in what a run of the original left (`data`, by argument), runs it
 * once more on other poison where there is some, and adds what stayed poisoned both times to the
 * reply. Arguments that say `partial` are not looked at. */
ht_status ht_unwritten_find(ht_variant *variant, void *const *data, json_t *reply, ht_error *error);
/* In the tuner: HT_ERROR_INPUT, at the argument's line, when the reply names any. */
ht_status ht_unwritten_check(const ht_template *template, const json_t *reply, ht_error *error);

#endif
