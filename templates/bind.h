/* Binding: a template with a problem and a device, so that its expressions have values for any
 * configuration. */
#ifndef HT_TEMPLATES_BIND_H
#define HT_TEMPLATES_BIND_H

#include "templates/annotations/device_fields.h"
#include "templates/annotations/template.h"

/* A template, problem and device seen together. All pointers borrowed; a plain value. */
typedef struct ht_binding {
    const ht_template *template;
    const ht_problem *problem; /* NULL: names problem.* are unknown */
    const ht_device_fields *device;
} ht_binding;

/* Evaluates with the parameters of `config`; scalar arguments (integers) are names too. */
ht_status ht_binding_evaluate(const ht_binding *binding, const ht_config *config,
                              const ht_expr *expr, int64_t *out_value, ht_error *error);

/* Says whether all `require` constraints are true and the launch geometry is within the device's
 * limits.
 * `*out_legal` false with *out_reason (free(); may be NULL to not ask) naming the first that is
 * not. Errors are evaluation errors. */
ht_status ht_binding_legal(const ht_binding *binding, const ht_config *config, bool *out_legal,
                           char **out_reason, ht_error *error);

/* Finds the first legal configuration, in the order of the parameters' values: the only one of a
 * template that was made of a launch. Returns false if there is none. For templates of few
 * configurations. */
bool ht_binding_first(const ht_binding *binding, ht_config *out_config);

/* HT_ERROR_INPUT, at the constraint's or the launch's line, when the default configuration is not
 * legal, or its reference's or baseline's launch does not fit the device: there is nothing to begin
 * with then. */
ht_status ht_binding_check_default(const ht_binding *binding, ht_error *error);
/* The same of a template whose sizes and device are not known: only constraints that hang on
 * neither are looked at. */
ht_status ht_template_check_default(const ht_template *template, ht_error *error);

typedef struct ht_geometry {
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t lds; /* dynamic bytes */
} ht_geometry;

/* Geometry of one launch (of template->launches or ->reference_launches). Non-positive or huge
 * values are errors. */
ht_status ht_binding_geometry(const ht_binding *binding, const ht_config *config,
                              const ht_launch *launch, ht_geometry *out_geometry, ht_error *error);

/* Elements of a buffer argument: positive, and elements times type size at most 2^40. */
ht_status ht_binding_extent(const ht_binding *binding, const ht_config *config, const ht_arg *arg,
                            int64_t *out_elements, ht_error *error);

/* "-DNAME=value" for every macro-bound parameter; both levels owned by the caller (free each, then
 * the array). */
void ht_binding_macros(const ht_binding *binding, const ht_config *config, char ***out_options,
                       size_t *out_count);
/* The message for a name expression for which the compiler finds no one function. */
#define HT_NO_SUCH_KERNEL                                                                          \
    "no kernel of this name takes these template arguments, or more than one does"
/* Name expression of a launch's kernel under this configuration: "conv2d<16, true, float>" or
 * "conv2d"; free(). */
char *ht_binding_name_expression(const ht_binding *binding, const ht_config *config,
                                 const ht_launch *launch);

#endif
