/* A compiled variant loaded on the device, with its geometry and arguments: ready to launch. */
#ifndef HT_RUNTIME_BUFFERS_VARIANT_H
#define HT_RUNTIME_BUFFERS_VARIANT_H

#include "runtime/buffers/buffers.h"
#include "runtime/buffers/structure.h"
#include "runtime/compile/compile.h"

typedef struct ht_variant ht_variant;

/* Loads `program`. `set`: the launches of the template that it is for. `buffers` is borrowed, must
 * outlive the variant and be filled: constants are set from it. */
ht_status ht_variant_load(const ht_hip *hip, const ht_binding *binding, const ht_config *config,
                          ht_launch_set set, ht_numbers numbers, const ht_program *program,
                          ht_buffers *buffers, ht_variant **out_variant, ht_error *error);
void ht_variant_free(ht_variant *variant);
ht_buffers *ht_variant_buffers(const ht_variant *variant);

/* Scalars given as real numbers take their absolute value (for magnitude runs), or their own again.
 */
void ht_variant_absolute(ht_variant *variant, bool absolute);
/* Sets __constant__ symbols from the buffers' contents. */
ht_status ht_variant_constants(ht_variant *variant, ht_error *error);
/* Makes structures anew of their fields; a launch does. */
ht_status ht_variant_compose(ht_variant *variant, ht_error *error);
/* The structures among the arguments, from 0 on; NULL: there are no more. Borrowed. */
const ht_structure *ht_variant_structure(const ht_variant *variant, size_t index);
/* Enqueues every launch of the sequence once. */
ht_status ht_variant_launch(ht_variant *variant, ht_error *error);
/* Resets the buffers, launches once, waits, and checks guards and inputs. */
ht_status ht_variant_run(ht_variant *variant, ht_error *error);
/* Checks that guards, inputs and structures that pointers lead to were left alone:
 * HT_ERROR_MISMATCH with "guard: ..." when not. */
ht_status ht_variant_check(ht_variant *variant, ht_error *error);
/* Returns the driver's numbers of the first launch's kernel, loaded; all -1 where `provider` does
 * not ask it. */
ht_resources ht_variant_resources(const ht_variant *variant, const ht_provider *provider);
/* Wall-clock seconds that the launches of the last ht_variant_run took; 0 before the first. */
double ht_variant_seconds(const ht_variant *variant);

#endif
