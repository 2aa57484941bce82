/* The range of each result. Wide where it is not worth being exact, never too narrow. */
#include "templates/expr/code.h"

#include <math.h>

#define ALL_WHOLE                                                                                  \
    (ht_range) {                                                                                   \
        {.whole = INT64_MIN}, {.whole = INT64_MAX}, false                                          \
    }
#define ALL_REAL                                                                                   \
    (ht_range) {                                                                                   \
        {.real = -INFINITY}, {.real = INFINITY}, true                                              \
    }

static ht_range whole(int64_t low, int64_t high) {
    return (ht_range){{.whole = low}, {.whole = high}, false};
}

static ht_range failing(ht_range range) {
    range.may_fault = true;
    return range;
}

static void widen(ht_range *range, int64_t value) {
    if (value < range->low.whole)
        range->low.whole = value;
    if (value > range->high.whole)
        range->high.whole = value;
}

/* Returns the range over the corners, where sums, differences and products have their extremes. */
static ht_range corners(ht_code_op op, ht_range a, ht_range b) {
    ht_range out = whole(INT64_MAX, INT64_MIN);
    for (int i = 0; i < 4; ++i) {
        int64_t x = i & 1 ? a.high.whole : a.low.whole, y = i & 2 ? b.high.whole : b.low.whole;
        int64_t value;
        bool bad = op == HT_CODE_ADD        ? __builtin_add_overflow(x, y, &value)
                   : op == HT_CODE_SUBTRACT ? __builtin_sub_overflow(x, y, &value)
                                            : __builtin_mul_overflow(x, y, &value);
        if (bad)
            return failing(ALL_WHOLE);
        widen(&out, value);
    }
    return out;
}

static bool has_zero(ht_range range) {
    return range.low.whole <= 0 && range.high.whole >= 0;
}

static ht_range quotient(ht_code_op op, ht_range a, ht_range b) {
    if (a.low.whole == INT64_MIN || b.low.whole == INT64_MIN)
        return failing(ALL_WHOLE);
    if (has_zero(b)) {
        int64_t most = a.high.whole > -a.low.whole ? a.high.whole : -a.low.whole;
        return failing(whole(-most, most));
    }
    ht_range out = whole(INT64_MAX, INT64_MIN);
    for (int i = 0; i < 4; ++i) {
        int64_t x = i & 1 ? a.high.whole : a.low.whole, y = i & 2 ? b.high.whole : b.low.whole;
        widen(&out, x / y);
        if (x % y && op == HT_CODE_FLOOR_DIVIDE && (x < 0) != (y < 0))
            widen(&out, x / y - 1);
        if (x % y && op == HT_CODE_CEIL_DIVIDE && (x < 0) == (y < 0))
            widen(&out, x / y + 1);
    }
    return out;
}

static ht_range rest(ht_code_op op, ht_range a, ht_range b) {
    if (b.low.whole == INT64_MIN || a.low.whole == INT64_MIN)
        return failing(ALL_WHOLE);
    int64_t most = b.high.whole > -b.low.whole ? b.high.whole : -b.low.whole;
    most = most ? most - 1 : 0;
    ht_range out = whole(-most, most);
    ht_range sign = op == HT_CODE_REMAINDER ? a : b;
    if (sign.low.whole >= 0)
        out.low.whole = 0;
    if (sign.high.whole <= 0)
        out.high.whole = 0;
    out.may_fault = has_zero(b);
    return out;
}

static bool negative(ht_range range) {
    return range.low.whole < 0;
}

static ht_range bits(ht_code_op op, ht_range a, ht_range b) {
    if (negative(a) || negative(b))
        return ALL_WHOLE;
    int64_t most = a.high.whole > b.high.whole ? a.high.whole : b.high.whole;
    if (op == HT_CODE_BIT_AND)
        return whole(0, a.high.whole < b.high.whole ? a.high.whole : b.high.whole);
    return whole(0, most ? INT64_MAX >> (__builtin_clzll((unsigned long long)most) - 1) : 0);
}

static ht_range shifted(ht_code_op op, ht_range a, ht_range b) {
    if (negative(b) || b.high.whole > 62)
        return failing(ALL_WHOLE);
    if (op == HT_CODE_SHIFT_RIGHT)
        return negative(a) ? ALL_WHOLE : whole(0, a.high.whole);
    if (negative(a) || a.high.whole > INT64_MAX >> b.high.whole)
        return failing(ALL_WHOLE);
    return whole(a.low.whole << b.low.whole, a.high.whole << b.high.whole);
}

static ht_range raised(ht_range a, ht_range b) {
    int64_t most = 1;
    if (negative(a) || negative(b) || b.high.whole > 63)
        return failing(ALL_WHOLE);
    for (int64_t i = 0; i < b.high.whole; ++i)
        if (__builtin_mul_overflow(most, a.high.whole, &most))
            return failing(ALL_WHOLE);
    return whole(0, most > 1 ? most : 1);
}

static ht_range one_whole(ht_code_op op, ht_range a) {
    int64_t low = a.low.whole, high = a.high.whole;
    switch (op) {
    case HT_CODE_NEGATE:
        return low == INT64_MIN ? failing(ALL_WHOLE) : whole(-high, -low);
    case HT_CODE_ABS:
        if (low == INT64_MIN)
            return failing(ALL_WHOLE);
        return whole(low > 0 ? low : high < 0 ? -high : 0, high > -low ? high : -low);
    case HT_CODE_LOG2:
        return (ht_range){{.whole = 0}, {.whole = 63}, low <= 0};
    case HT_CODE_POW2:
        return (ht_range){{.whole = 1}, {.whole = (int64_t)1 << 62}, low < 0 || high > 62};
    case HT_CODE_COMPLEMENT:
        return whole(~high, ~low);
    case HT_CODE_NOT:
        return whole(low == 0 && high == 0, has_zero(a));
    case HT_CODE_TRUTH:
        return whole(!has_zero(a), low != 0 || high != 0);
    default: /* HT_CODE_IS_POW2 */
        return whole(0, 1);
    }
}

static ht_range compared(bool always, bool never) {
    return whole(always, !never);
}

static ht_range two_whole(ht_code_op op, ht_range a, ht_range b) {
    int64_t al = a.low.whole, ah = a.high.whole, bl = b.low.whole, bh = b.high.whole;
    bool same = al == ah && bl == bh && al == bl, apart = ah < bl || bh < al;
    switch (op) {
    case HT_CODE_ADD:
    case HT_CODE_SUBTRACT:
    case HT_CODE_MULTIPLY:
        return corners(op, a, b);
    case HT_CODE_DIVIDE:
    case HT_CODE_FLOOR_DIVIDE:
    case HT_CODE_CEIL_DIVIDE:
        return quotient(op, a, b);
    case HT_CODE_REMAINDER:
    case HT_CODE_MODULO:
        return rest(op, a, b);
    case HT_CODE_BIT_AND:
    case HT_CODE_BIT_OR:
    case HT_CODE_BIT_XOR:
        return bits(op, a, b);
    case HT_CODE_SHIFT_LEFT:
    case HT_CODE_SHIFT_RIGHT:
        return shifted(op, a, b);
    case HT_CODE_POWER:
        return raised(a, b);
    case HT_CODE_MIN:
        return whole(al < bl ? al : bl, ah < bh ? ah : bh);
    case HT_CODE_MAX:
        return whole(al > bl ? al : bl, ah > bh ? ah : bh);
    case HT_CODE_EQUAL:
        return compared(same, apart);
    case HT_CODE_NOT_EQUAL:
        return compared(apart, same);
    case HT_CODE_LESS:
        return compared(ah < bl, al >= bh);
    case HT_CODE_LESS_EQUAL:
        return compared(ah <= bl, al > bh);
    default: /* HT_CODE_ROUND_UP, HT_CODE_GCD */
        return failing(ALL_WHOLE);
    }
}

static ht_range real_corners(ht_code_op op, ht_range a, ht_range b) {
    ht_range out = {{.real = INFINITY}, {.real = -INFINITY}, false};
    for (int i = 0; i < 4; ++i) {
        double x = i & 1 ? a.high.real : a.low.real, y = i & 2 ? b.high.real : b.low.real;
        double value = op == HT_CODE_REAL_ADD        ? x + y
                       : op == HT_CODE_REAL_SUBTRACT ? x - y
                       : op == HT_CODE_REAL_MULTIPLY ? x * y
                                                     : x / y;
        if (!isfinite(value))
            return ALL_REAL;
        out.low.real = fmin(out.low.real, value);
        out.high.real = fmax(out.high.real, value);
    }
    return out;
}

static ht_range of_reals(ht_code_op op, ht_range a, ht_range b) {
    bool same = a.low.real == a.high.real && b.low.real == b.high.real && a.low.real == b.low.real;
    bool apart = a.high.real < b.low.real || b.high.real < a.low.real;
    switch (op) {
    case HT_CODE_REAL_NEGATE:
        return (ht_range){{.real = -a.high.real}, {.real = -a.low.real}, false};
    case HT_CODE_REAL_ABS:
        return (ht_range){{.real = 0}, {.real = fmax(fabs(a.low.real), fabs(a.high.real))}, false};
    case HT_CODE_REAL_ADD:
    case HT_CODE_REAL_SUBTRACT:
    case HT_CODE_REAL_MULTIPLY:
        return real_corners(op, a, b);
    case HT_CODE_REAL_DIVIDE:
        return b.low.real <= 0 && b.high.real >= 0 ? ALL_REAL : real_corners(op, a, b);
    case HT_CODE_REAL_MIN:
        return (ht_range){{.real = fmin(a.low.real, b.low.real)},
                          {.real = fmin(a.high.real, b.high.real)},
                          false};
    case HT_CODE_REAL_MAX:
        return (ht_range){{.real = fmax(a.low.real, b.low.real)},
                          {.real = fmax(a.high.real, b.high.real)},
                          false};
    case HT_CODE_REAL_EQUAL:
        return compared(same, apart);
    case HT_CODE_REAL_NOT_EQUAL:
        return compared(apart, same);
    case HT_CODE_REAL_LESS:
        return compared(a.high.real < b.low.real, a.low.real >= b.high.real);
    case HT_CODE_REAL_LESS_EQUAL:
        return compared(a.high.real <= b.low.real, a.low.real > b.high.real);
    case HT_CODE_REAL_TRUTH:
        return whole(a.low.real > 0 || a.high.real < 0, a.low.real != 0 || a.high.real != 0);
    default: /* powers and remainders */
        return ALL_REAL;
    }
}

static ht_range converted(ht_code_op op, ht_range a) {
    const int64_t limit = (int64_t)1 << 53;
    if (op == HT_CODE_TO_REAL)
        return (ht_range){{.real = (double)a.low.whole},
                          {.real = (double)a.high.whole},
                          a.low.whole < -limit || a.high.whole > limit};
    if (!(a.low.real > -0x1p62 && a.high.real < 0x1p62))
        return failing(ALL_WHOLE);
    return whole((int64_t)a.low.real, (int64_t)a.high.real);
}

static ht_range united(ht_code_type type, ht_range a, ht_range b) {
    if (type == HT_CODE_REAL)
        return (ht_range){{.real = fmin(a.low.real, b.low.real)},
                          {.real = fmax(a.high.real, b.high.real)},
                          a.may_fault || b.may_fault};
    ht_range out = a;
    widen(&out, b.low.whole);
    widen(&out, b.high.whole);
    out.may_fault |= b.may_fault;
    return out;
}

/* Returns the range of and, or, ?:, which take the faults only of the operands they evaluate. */
static ht_range chosen(const ht_instruction *in, const ht_range *operands) {
    ht_range a = operands[0], b = operands[1];
    ht_range truth = one_whole(HT_CODE_TRUTH, a);
    bool true_there = truth.high.whole, false_there = !truth.low.whole;
    ht_range out;
    if (in->op == HT_CODE_SELECT) {
        out = !false_there ? b
              : true_there ? united((ht_code_type)in->type, b, operands[2])
                           : operands[2];
        out.may_fault |= a.may_fault;
        return out;
    }
    ht_range other = one_whole(HT_CODE_TRUTH, b);
    bool looks = in->op == HT_CODE_BOTH ? true_there : false_there;
    if (in->op == HT_CODE_BOTH)
        out = whole(truth.low.whole && other.low.whole, truth.high.whole && other.high.whole);
    else
        out = whole(truth.low.whole || other.low.whole, truth.high.whole || other.high.whole);
    out.may_fault = a.may_fault || (looks && b.may_fault);
    return out;
}

ht_range ht_code_range(const ht_instruction *in, const ht_range *operands) {
    size_t arity = ht_code_arity(in->op);
    ht_range out;
    if (in->op >= HT_CODE_BOTH)
        return chosen(in, operands);
    if (in->op == HT_CODE_TO_REAL || in->op == HT_CODE_TO_WHOLE)
        out = converted(in->op, operands[0]);
    else if (in->op >= HT_CODE_TO_REAL)
        out = of_reals(in->op, operands[0], arity == 2 ? operands[1] : operands[0]);
    else
        out = arity == 1 ? one_whole(in->op, operands[0])
                         : two_whole(in->op, operands[0], operands[1]);
    for (size_t k = 0; k < arity; ++k)
        out.may_fault |= operands[k].may_fault;
    return out;
}
