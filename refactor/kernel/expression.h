/* Integer expressions of the kernel as template expressions. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_EXPRESSION_H
#define HT_REFACTOR_KERNEL_EXPRESSION_H

#include "base/text.h"
#include "refactor/kernel/syntax.h"

/* Returns the name of the index-th passed argument in template expressions; NULL: it is not an
 * integer scalar. */
const char *ht_argument_name(const ht_model *model, size_t index);
/* An integer expression over constants and unassigned scalar arguments as a template expression;
 * free(). NULL when it is anything else. */
char *ht_syntax_expression(const ht_syntax *node);

/* A caller's answer for a node, which has no parentheses or conversions to whole numbers around it.
 */
typedef enum ht_word {
    HT_WORD_NONE,    /* nothing of its own */
    HT_WORD_WRITTEN, /* it is written */
    HT_WORD_PARTS,   /* it is no constant, whatever value it has: its parts are written */
    HT_WORD_UNKNOWN  /* the expression cannot be written */
} ht_word;
typedef ht_word ht_word_of(const ht_syntax *node, const void *context, ht_text *out);

/* The same with a caller's words for some of the nodes. */
char *ht_syntax_expression_with(const ht_syntax *node, ht_word_of *word, const void *context);

#endif
