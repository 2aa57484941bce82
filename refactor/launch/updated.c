#include "refactor/launch/updated.h"
#include "refactor/source/ast.h"
#include "refactor/source/variable_reach.h"

#include <stdio.h>

static void places_forget(ht_symbol *symbol) {
    if (!symbol)
        return;
    symbol->has_place = false;
    for (int i = 0; i < 3; ++i)
        places_forget(symbol->arguments[i]);
    places_forget(symbol->value_of);
}

/* Reads what a branch leaves; one that changes nothing, the value before the whole `if`. */
static ht_symbol *branch_value(const ht_symbol_frame *in, CXCursor variable, CXCursor statement,
                               const ht_update *update, int part, ht_value_before before) {
    if (clang_Cursor_isNull(update->at))
        return before(in, variable, statement, part);
    if (!update->op)
        return ht_symbol_read_in(in, update->value);
    ht_symbol *earlier = before(in, variable, update->at, part);
    if (!earlier)
        return NULL;
    ht_symbol *symbol = ht_symbol_new(HT_SYMBOL_BINARY);
    snprintf(symbol->op, sizeof symbol->op, "%s", update->op);
    symbol->line = ht_ast_line(update->at);
    symbol->arguments[0] = earlier;
    symbol->arguments[1] =
        clang_Cursor_isNull(update->value) ? ht_symbol_one() : ht_symbol_read_in(in, update->value);
    symbol->bits = earlier->bits;
    symbol->is_unsigned = earlier->is_unsigned;
    return symbol;
}

ht_symbol *ht_symbol_updated(const ht_symbol_frame *in, CXCursor variable, CXCursor statement,
                             int part, ht_value_before before) {
    CXCursor condition;
    ht_update branches[2];
    ht_symbol_frame deeper = *in;
    ++deeper.depth;
    if (in->depth >= HT_SYMBOL_DEPTH_MAX)
        return NULL;
    ht_variable_update(variable, statement, part, &condition, branches);
    ht_symbol *symbol = branch_value(&deeper, variable, statement, &branches[0], part, before);
    if (symbol && !clang_Cursor_isNull(condition)) {
        ht_symbol *choice = ht_symbol_new(HT_SYMBOL_CHOICE);
        choice->line = ht_ast_line(statement);
        choice->bits = symbol->bits;
        choice->is_unsigned = symbol->is_unsigned;
        choice->arguments[1] = symbol;
        choice->arguments[0] = ht_symbol_read_in(&deeper, condition);
        choice->arguments[2] =
            branch_value(&deeper, variable, statement, &branches[1], part, before);
        symbol = choice;
        if (!choice->arguments[2]) {
            ht_symbol_free(choice);
            symbol = NULL;
        }
    }
    places_forget(symbol);
    return symbol;
}
