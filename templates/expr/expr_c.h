/* Template expressions as C++ text for launches: the value that the evaluator computes in 64 bits,
 * in whatever types the names have. */
#ifndef HT_TEMPLATES_EXPR_EXPR_C_H
#define HT_TEMPLATES_EXPR_EXPR_C_H

#include "templates/expr/expr.h"

/* The type that a text must have, so that the operation around it is exact. */
typedef enum ht_c_demand {
    HT_C_ANY,   /* any integer that has the value */
    HT_C_MIXED, /* with a long long it makes a long long: no 64 bits without sign */
    HT_C_WIDE   /* long long */
} ht_c_demand;

/* How names are written. */
typedef struct ht_expr_naming {
    /* Appends the text of a name, which binds like a cast or closer. False: it has none. */
    bool (*write)(void *context, const char *name, ht_c_demand demand, ht_text *out);
    ht_name_lookup value; /* names that are numbers; NULL: none */
    /* Gives a variable the value of a text, and appends its name. It is asked for what is needed
     * twice and is computed in any case. NULL: there are no variables, the text stands twice. */
    void (*hold)(void *context, const char *text, ht_text *out);
    void *context;
    bool functions; /* the text around defines the functions of the language for long long; without,
                       calls become plain operators, which our own reader understands */
} ht_expr_naming;

/* In 64 bits no step overflows where the evaluator's does not, and division by a number is exact
 * for every value: n / 256 + (n % 256 > 0), never n + 255. `wide`: the text has to be a long long.
 * False when a name or a function cannot be written, or the text gets too long; what *out has then
 * is of no use. */
bool ht_expr_print_c(const ht_expr *expr, const ht_expr_naming *naming, bool wide, ht_text *out);

#endif
