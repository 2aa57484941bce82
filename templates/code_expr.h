/* From a template's expressions to code. Private to templates/. */
#ifndef HT_TEMPLATES_CODE_EXPR_H
#define HT_TEMPLATES_CODE_EXPR_H

#include "templates/bind.h"
#include "templates/code.h"
#include "templates/expr_node.h"

/* Scalar arguments are made once; a plain value, start with {binding, code}. */
typedef struct ht_code_scope {
    const ht_binding *binding;
    ht_code *code;
    bool known[HT_ARG_MAX];
    uint32_t scalars[HT_ARG_MAX];
} ht_code_scope;

/* The same value as ht_binding_evaluate, or a fault where that is an error. */
uint32_t ht_code_expr(ht_code_scope *scope, const ht_node *node);

#endif
