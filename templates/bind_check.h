/* The single conditions of legality, for the construction of spaces and the check of launches. */
#ifndef HT_TEMPLATES_BIND_CHECK_H
#define HT_TEMPLATES_BIND_CHECK_H

#include "templates/bind.h"

/* Says whether the launch geometry is positive and within the device's limits. *out_reason (free();
 * may be NULL to not ask) is set when not. Errors are evaluation errors. */
ht_status ht_binding_launch_fits(const ht_binding *binding, const ht_config *config,
                                 const ht_launch *launch, bool *out_fits, char **out_reason,
                                 ht_error *error);

#endif
