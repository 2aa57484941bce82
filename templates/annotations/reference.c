/* The one list of references that the runtime computes itself, in float64. */
#include "templates/annotations/reference.h"
#include "templates/annotations/template.h"

#include <string.h>

/* X(first), Y(each further one) */
#define BUILTINS(X, Y) X(conv2d)

bool ht_reference_is_builtin(const char *name) {
#define IS(builtin) !strcmp(name, #builtin)
#define OR_IS(builtin) || IS(builtin)
    return BUILTINS(IS, OR_IS);
}

const char *ht_reference_builtin_names(void) {
#define NAME(builtin) #builtin
#define AND_NAME(builtin) ", " #builtin
    return BUILTINS(NAME, AND_NAME);
}
