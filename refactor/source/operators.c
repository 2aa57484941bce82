/* How operators are written, and comparisons turned. */
#include "refactor/source/operators.h"

#include <stddef.h>
#include <string.h>

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

int ht_operator_of(const char *text) {
    for (int kind = HT_BINARY_MUL; kind <= HT_BINARY_OR; ++kind)
        if (ht_operator_text(kind) && strcmp(ht_operator_text(kind), text) == 0)
            return kind;
    return HT_BINARY_INVALID;
}

bool ht_operator_compute(int kind, int64_t a, int64_t b, int64_t *out) {
    bool shifts = b >= 0 && b < 63, divides = b != 0 && !(a == INT64_MIN && b == -1);
    switch (kind) {
    case HT_BINARY_ADD:
        return !__builtin_add_overflow(a, b, out);
    case HT_BINARY_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case HT_BINARY_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case HT_BINARY_DIV:
        *out = divides ? a / b : 0;
        return divides;
    case HT_BINARY_REM:
        *out = divides ? a % b : 0;
        return divides;
    case HT_BINARY_SHL:
        *out = shifts ? (int64_t)((uint64_t)a << b) : 0;
        return shifts && a >= 0;
    case HT_BINARY_SHR:
        *out = shifts ? a >> b : 0;
        return shifts;
    case HT_BINARY_LT:
        *out = a < b;
        return true;
    case HT_BINARY_GT:
        *out = a > b;
        return true;
    case HT_BINARY_LE:
        *out = a <= b;
        return true;
    case HT_BINARY_GE:
        *out = a >= b;
        return true;
    case HT_BINARY_EQ:
        *out = a == b;
        return true;
    case HT_BINARY_NE:
        *out = a != b;
        return true;
    case HT_BINARY_BIT_AND:
        *out = a & b;
        return true;
    case HT_BINARY_BIT_OR:
        *out = a | b;
        return true;
    case HT_BINARY_BIT_XOR:
        *out = a ^ b;
        return true;
    default:
        return false;
    }
}

/* Returns what stands across from a comparison in a row of < > <= >=. */
static int across(int kind, const int from[4], const int to[4]) {
    for (int i = 0; i < 4; ++i)
        if (from[i] == kind)
            return to[i];
    return HT_BINARY_INVALID;
}

bool ht_operator_compares(int kind) {
    return kind >= HT_BINARY_LT && kind <= HT_BINARY_NE;
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
