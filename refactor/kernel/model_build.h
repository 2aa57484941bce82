/* Builds the model of one kernel: its parameters and local variables, and what writes to them.
 * Private to refactor/. */
#ifndef HT_REFACTOR_MODEL_BUILD_H
#define HT_REFACTOR_MODEL_BUILD_H

#include "refactor/kernel/model.h"
#include "refactor/source/source.h"

/* Builds the model of a kernel definition. `entry` may be NULL. */
void ht_model_build(const ht_source *source, CXCursor kernel, const ht_problem_entry *entry,
                    ht_model *out_model);
/* The same with the kernel's entry, if the problems (may be NULL) have one. `supposes`: without one
 * and without a launch, block and grid are chosen where guards suffice (supposed.h). */
void ht_model_build_of(const ht_source *source, CXCursor kernel, const ht_problem_file *problems,
                       bool supposes, ht_model *out_model);
/* Builds the model of a kernel whose launches are not followed, as if there were none, with block
 * and grid that are chosen. Returns false, without a model, if guards do not suffice. */
bool ht_model_build_alone(const ht_source *source, CXCursor kernel, ht_model *out_model);
/* Builds the model of a kernel as if those of its launches were all that have the first one's
 * block. Returns false, without a model, if that makes no difference. */
bool ht_model_build_alike(const ht_source *source, CXCursor kernel, ht_model *out_model);
/* Returns how often models have been built in this process. */
size_t ht_model_built(void);
void ht_model_free(ht_model *model);

#endif
