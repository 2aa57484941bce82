/* Private to templates/. */
#ifndef HT_TEMPLATES_EXPR_REAL_PRINT_H
#define HT_TEMPLATES_EXPR_REAL_PRINT_H

#include "base/text.h"

/* The fewest digits that read back as the same number. */
void ht_real_print(double value, ht_text *out);

#endif
