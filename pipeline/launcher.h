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

#endif
