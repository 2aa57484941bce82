/* From a template's expressions to code; or from those of another owner of names (the predictor's
 * schemas). */
#ifndef HT_TEMPLATES_SPACE_CODE_EXPR_H
#define HT_TEMPLATES_SPACE_CODE_EXPR_H

#include "templates/bind.h"
#include "templates/expr/code.h"
#include "templates/expr/expr_node.h"

/* Names that are not a template's: the instruction of a name, or of the size of the types that it
 * stands for; false when there is none. */
typedef struct ht_code_names {
    bool (*find)(const struct ht_code_names *names, const char *name, bool size,
                 uint32_t *out_instruction);
} ht_code_names;

/* Scalar arguments are made once; a plain value, start with {binding, code}. */
typedef struct ht_code_scope {
    const ht_binding *binding; /* not looked at with `names` */
    ht_code *code;
    const ht_code_names *names; /* NULL: those of the binding */
    bool known[HT_ARG_MAX];
    uint32_t scalars[HT_ARG_MAX];
} ht_code_scope;

/* The same value as ht_binding_evaluate, or a fault where that is an error. */
uint32_t ht_code_expr(ht_code_scope *scope, const ht_node *node);

#endif
