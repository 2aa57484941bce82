/* How operators are written, and comparisons turned. */
#include "refactor/source/operators.h"

#include <stddef.h>

bool ht_operator_assigns(int kind) {
    return kind >= HT_BINARY_ASSIGN && kind <= HT_BINARY_OR_ASSIGN;
}

const char *ht_operator_text(int kind) {
    static const char *const texts[] = {
        [HT_BINARY_MUL] = "*",    [HT_BINARY_DIV] = "/",     [HT_BINARY_REM] = "%",
        [HT_BINARY_ADD] = "+",    [HT_BINARY_SUB] = "-",     [HT_BINARY_SHL] = "<<",
        [HT_BINARY_SHR] = ">>",   [HT_BINARY_LT] = "<",      [HT_BINARY_GT] = ">",
        [HT_BINARY_LE] = "<=",    [HT_BINARY_GE] = ">=",     [HT_BINARY_EQ] = "==",
        [HT_BINARY_NE] = "!=",    [HT_BINARY_BIT_AND] = "&", [HT_BINARY_BIT_XOR] = "^",
        [HT_BINARY_BIT_OR] = "|", [HT_BINARY_AND] = "&&",    [HT_BINARY_OR] = "||"};
    return (size_t)kind < sizeof texts / sizeof *texts ? texts[kind] : NULL;
}

/* Returns what stands across from a comparison in a row of < > <= >=. */
static int across(int kind, const int from[4], const int to[4]) {
    for (int i = 0; i < 4; ++i)
        if (from[i] == kind)
            return to[i];
    return HT_BINARY_INVALID;
}

static const int comparisons[] = {HT_BINARY_LT, HT_BINARY_GT, HT_BINARY_LE, HT_BINARY_GE};

int ht_operator_mirrored(int kind) {
    static const int mirrored[] = {HT_BINARY_GT, HT_BINARY_LT, HT_BINARY_GE, HT_BINARY_LE};
    return across(kind, comparisons, mirrored);
}

int ht_operator_negated(int kind) {
    static const int negated[] = {HT_BINARY_GE, HT_BINARY_LE, HT_BINARY_GT, HT_BINARY_LT};
    return across(kind, comparisons, negated);
}
