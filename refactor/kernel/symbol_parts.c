#include "refactor/kernel/symbol_parts.h"

#include "refactor/kernel/symbol_expression.h"
#include "refactor/launch/extent.h"

#include <string.h>

bool ht_symbol_is_leaf(const ht_symbol *symbol) {
    return symbol->kind == HT_SYMBOL_CONSTANT || symbol->kind == HT_SYMBOL_VARIABLE;
}

bool ht_symbol_is_binary(const ht_symbol *symbol, const char *op) {
    return symbol->kind == HT_SYMBOL_BINARY && strcmp(symbol->op, op) == 0;
}

bool ht_symbol_is_number(const ht_symbol *symbol, int64_t wanted) {
    int64_t value;
    return ht_symbol_value(symbol, &value) && value == wanted;
}

const ht_symbol *ht_symbol_asks_rest(const ht_symbol *symbol) {
    if (symbol->kind == HT_SYMBOL_CHOICE && ht_symbol_is_number(symbol->arguments[1], 1) &&
        ht_symbol_is_number(symbol->arguments[2], 0))
        symbol = symbol->arguments[0];
    if ((ht_symbol_is_binary(symbol, "!=") || ht_symbol_is_binary(symbol, ">")) &&
        ht_symbol_is_number(symbol->arguments[1], 0))
        symbol = symbol->arguments[0];
    else if (symbol->kind == HT_SYMBOL_BINARY && strcmp(symbol->op, "%") != 0)
        return NULL;
    return ht_symbol_is_binary(symbol, "%") ? symbol : NULL;
}

const ht_symbol *ht_symbol_value_through(const ht_model *model, const ht_symbol *symbol,
                                         const ht_symbol **out_through) {
    enum { DEPTH_MAX = 16 };
    *out_through = NULL;
    for (int depth = 0; depth < DEPTH_MAX && symbol->kind == HT_SYMBOL_VARIABLE &&
                        symbol->value_of && !ht_symbol_host_value(model, symbol->name);
         ++depth) {
        *out_through = symbol;
        symbol = symbol->value_of;
    }
    return symbol;
}

const ht_symbol *ht_symbol_divisor(const ht_symbol *symbol) {
    bool call = symbol->kind == HT_SYMBOL_CALL && strcmp(symbol->name, "ceil_div") == 0;
    if (ht_symbol_is_binary(symbol, "+")) /* n / 4 + (n % 4 != 0) */
        symbol = symbol->arguments[0];
    return call || ht_symbol_is_binary(symbol, "/") ? symbol->arguments[1] : NULL;
}

size_t ht_symbol_summands(const ht_symbol *symbol, int sign, ht_symbol_term *terms, size_t count,
                          size_t most) {
    if (ht_symbol_is_binary(symbol, "+") || ht_symbol_is_binary(symbol, "-")) {
        count = ht_symbol_summands(symbol->arguments[0], sign, terms, count, most);
        return ht_symbol_summands(symbol->arguments[1], symbol->op[0] == '-' ? -sign : sign, terms,
                                  count, most);
    }
    if (count < most)
        terms[count] = (ht_symbol_term){symbol, sign};
    return count + 1;
}
