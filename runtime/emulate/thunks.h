/* The HIP functions that a program calls. Each gets a few instructions under its own name: a jump
 * to this program's function, or, where there is none, to what notes the call and returns
 * hipErrorNotSupported. So this program itself exports no name of HIP, which a GPU's runtime that
 * it loads would take for its own. */
#ifndef HT_RUNTIME_EMULATE_THUNKS_H
#define HT_RUNTIME_EMULATE_THUNKS_H

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>

typedef struct ht_thunks ht_thunks;

ht_thunks *ht_thunks_new(void);
void ht_thunks_free(ht_thunks *thunks);
/* Takes the undefined names of HIP in an object, each once. */
ht_status ht_thunks_add(ht_thunks *thunks, void *object, size_t length, ht_error *error);
/* Appends the assembly. */
void ht_thunks_write(const ht_thunks *thunks, ht_text *out);

#endif
