/* A host function that launches an annotated template in one tuned configuration. */
#ifndef HT_PIPELINE_LAUNCHER_H
#define HT_PIPELINE_LAUNCHER_H

#include "templates/bind.h"

/* C++ text of a header that includes the file `include` (where the template is) and defines
 * NAME_tuned::launch(buffers..., problem, scalars..., stream). Sizes are arguments, the tuned ones
 * their defaults; the configuration is fixed, or, when `config` is NULL, that of the launcher's own
 * template arguments, with the template's requires as assertions. `remark`, a comment, says where
 * the configuration comes from. free(). */
char *ht_launcher_write(const ht_binding *binding, const ht_config *config, const char *include,
                        const char *remark);

/* Appends the parameters of that launch() and their names: "float* out, problem_fields problem =
 * {}, hipStream_t stream = 0" and "out, problem, stream". */
void ht_launcher_signature(const ht_binding *binding, ht_text *out_parameters, ht_text *out_names);

#endif
