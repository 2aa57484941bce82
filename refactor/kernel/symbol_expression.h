/* The host's values that a launch is computed from, as template expressions. Private to refactor/.
 */
#ifndef HT_REFACTOR_KERNEL_SYMBOL_EXPRESSION_H
#define HT_REFACTOR_KERNEL_SYMBOL_EXPRESSION_H

#include "base/text.h"
#include "refactor/kernel/facts.h"

/* Returns a host symbol as a template expression. NULL: something in it is unknown; its words are
 * added to `missing`. */
char *ht_symbol_expression(const ht_model *model, const ht_launch_site *site,
                           const ht_symbol *symbol, ht_text *missing);
/* The same; adds the names of the host's variables whose values are the problem's, whatever the
 * host computes for them, a line each. */
char *ht_symbol_expression_own(const ht_model *model, const ht_launch_site *site,
                               const ht_symbol *symbol, ht_text *missing, ht_text *own);

/* Returns a launch's argument for the kernel's parameter `name`, an integer of at least an int's
 * width that the kernel does not change, as a template expression; free(). NULL: there is none. */
char *ht_symbol_launched(const ht_model *model, const ht_launch_site *site, const char *name);

/* Returns the value that the problem file gives to a variable of the host; NULL: it gives none. */
const ht_host_value *ht_symbol_host_value(const ht_model *model, const char *name);
/* Returns true if a symbol is a number in every problem: not a name to which the problem, or an
 * argument of the kernel, gives a value. */
bool ht_symbol_number(const ht_model *model, const ht_launch_site *site, const ht_symbol *symbol,
                      int64_t *out_value);

#endif
