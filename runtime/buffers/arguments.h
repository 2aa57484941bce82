/* The arguments of a launch: those of the template's that it passes, and the scalars' bytes. */
#ifndef HT_RUNTIME_BUFFERS_ARGUMENTS_H
#define HT_RUNTIME_BUFFERS_ARGUMENTS_H

#include "runtime/buffers/layout.h"

typedef union ht_scalar {
    char bytes[64]; /* four components of the widest kind */
    double align;
} ht_scalar;

ht_status ht_scalar_fill(const ht_binding *binding, const ht_config *config,
                         const ht_layout_arg *arg, ht_scalar *out, ht_error *error);

/* Indices of the template's arguments in the order of the kernel's parameters; free(). */
ht_status ht_launch_arguments(const ht_template *template, const ht_launch *launch,
                              size_t **out_indices, size_t *out_count, ht_error *error);

#endif
