/* Parts of the host's expressions that a launch is computed from. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_SYMBOL_PARTS_H
#define HT_REFACTOR_KERNEL_SYMBOL_PARTS_H

#include "refactor/kernel/facts.h"

/* Returns true for a name or a number. */
bool ht_symbol_is_leaf(const ht_symbol *symbol);
bool ht_symbol_is_binary(const ht_symbol *symbol, const char *op);
bool ht_symbol_is_number(const ht_symbol *symbol, int64_t wanted);
/* Returns the n % b in (n % b != 0), (n % b > 0) or (n % b ? 1 : 0); NULL: the symbol has another
 * form. */
const ht_symbol *ht_symbol_asks_rest(const ht_symbol *symbol);
/* Returns the value of a variable that is set once, through further ones; other symbols as they
 * are. *out_through: the last variable; NULL: there is none. */
const ht_symbol *ht_symbol_value_through(const ht_model *model, const ht_symbol *symbol,
                                         const ht_symbol **out_through);
/* Returns the divisor of a quotient, or of a call that rounds one up; NULL: it is neither. */
const ht_symbol *ht_symbol_divisor(const ht_symbol *symbol);

/* One of the summands of a sum, or of the factors of a product. */
typedef struct ht_symbol_term {
    const ht_symbol *symbol;
    int sign;
} ht_symbol_term;
/* Adds the summands of a sum to `count` others, of which no more than `most` are written. Returns
 * how many there are. */
size_t ht_symbol_summands(const ht_symbol *symbol, int sign, ht_symbol_term *terms, size_t count,
                          size_t most);

#endif
