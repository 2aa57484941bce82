/* Expressions of the kernel as polynomials and pointers. Each is walked once: the accesses inside
 * are recorded on the way. */
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ht_km_value ht_scan_opaque(ht_scan *scan, CXCursor at, ht_km_scope scope, const char *format, ...) {
    char words[200];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    int line = ht_ast_line(at);
    char *name = ht_format("{%s, line %d}", words, line);
    ht_km_symbol symbol = {
        .kind = HT_KM_OPAQUE, .scope = scope, .name = name, .cursor = at, .line = line};
    size_t index = ht_poly_symbol(&scan->km->pool, &symbol);
    free(name);
    return (ht_km_value){false, 0, ht_poly_of(&scan->km->pool, index)};
}

const ht_poly *ht_scan_named(ht_scan *scan, const char *name, CXCursor cursor) {
    ht_km_symbol symbol = {.kind = HT_KM_ARGUMENT,
                           .scope = HT_SCOPE_LAUNCH,
                           .name = (char *)(size_t)name,
                           .cursor = cursor,
                           .line = ht_ast_line(cursor)};
    return ht_poly_of(&scan->km->pool, ht_poly_symbol(&scan->km->pool, &symbol));
}

const ht_poly *ht_scan_sum(ht_scan *scan, CXCursor at, const ht_poly *a, const ht_poly *b,
                           int64_t factor) {
    const ht_poly *sum = ht_poly_add(&scan->km->pool, a, b, factor);
    return sum ? sum : ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "too long a sum").value;
}

/* A sum of arguments that multiplies something is a pitch: one symbol, so that it can be a stride.
 */
static const ht_poly *as_pitch(ht_scan *scan, const ht_poly *poly, const ht_poly *other) {
    ht_poly_pool *pool = &scan->km->pool;
    if (poly->count < 2 || ht_poly_scope(pool, poly) != HT_SCOPE_LAUNCH ||
        ht_poly_scope(pool, other) == HT_SCOPE_LAUNCH)
        return poly;
    ht_km_symbol symbol = {.kind = HT_KM_SUM, .scope = HT_SCOPE_LAUNCH, .operands = {poly}};
    return ht_poly_of(pool, ht_poly_symbol(pool, &symbol));
}

const ht_poly *ht_scan_times(ht_scan *scan, CXCursor at, const ht_poly *a, const ht_poly *b) {
    const ht_poly *left = as_pitch(scan, a, b), *right = as_pitch(scan, b, a);
    const ht_poly *product = ht_poly_multiply(&scan->km->pool, left, right);
    return product ? product
                   : ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "too long a product").value;
}

bool ht_scan_is_unsigned(CXCursor expression) {
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(expression)).kind;
    return kind == CXType_UInt || kind == CXType_ULong || kind == CXType_ULongLong ||
           kind == CXType_UInt128 || kind == CXType_Record;
}

bool ht_scan_may_be_negative(const ht_scan *scan, const ht_poly *poly) {
    const ht_poly_pool *pool = &scan->km->pool;
    for (size_t i = 0; i < poly->count; ++i) {
        if (poly->terms[i].coefficient < 0)
            return true;
        for (size_t j = 0; j < poly->terms[i].count; ++j) {
            ht_km_symbol_kind kind = pool->symbols[poly->terms[i].symbols[j]].kind;
            if (kind >= HT_KM_MIN)
                return true;
        }
    }
    return false;
}

ht_km_value ht_scan_derived(ht_scan *scan, CXCursor at, ht_km_symbol_kind kind, const ht_poly *a,
                            const ht_poly *b, const ht_km_test *test) {
    ht_poly_pool *pool = &scan->km->pool;
    ht_km_scope scope = ht_poly_scope(pool, a), other = ht_poly_scope(pool, b);
    scope = other > scope ? other : scope;
    other = test ? ht_test_scope(pool, test) : HT_SCOPE_LAUNCH;
    scope = other > scope ? other : scope;
    if (test && (test->kind == HT_TEST_TRUE || test->kind == HT_TEST_FALSE))
        return (ht_km_value){false, 0, test->kind == HT_TEST_TRUE ? a : b};
    if (a == b && kind != HT_KM_QUOTIENT && kind != HT_KM_REMAINDER)
        return (ht_km_value){false, 0, a};
    ht_km_symbol symbol = {.kind = kind,
                           .scope = scope,
                           .operands = {a, b},
                           .test = test,
                           .cursor = at,
                           .line = ht_ast_line(at)};
    return (ht_km_value){false, 0, ht_poly_of(pool, ht_poly_symbol(pool, &symbol))};
}

void ht_scan_children(ht_scan *scan, CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    for (size_t i = 0; i < list.count; ++i) {
        enum CXCursorKind kind = clang_getCursorKind(list.items[i]);
        if (clang_isExpression(kind))
            ht_scan_value(scan, list.items[i]);
        else if (clang_isStatement(kind))
            ht_scan_statement(scan, list.items[i]);
    }
    free(list.items);
}

/* ---- operators
 * -------------------------------------------------------------------------------------- */

static const ht_poly *divide(ht_scan *scan, CXCursor at, bool quotient, const ht_poly *a,
                             const ht_poly *b, bool is_unsigned) {
    int64_t x, y;
    ht_poly_pool *pool = &scan->km->pool;
    if (ht_poly_is_constant(b, &y)) {
        if (y == 0)
            return ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "division by zero").value;
        if (ht_poly_is_constant(a, &x) && y != -1)
            return ht_poly_constant(pool, quotient ? x / y : x % y);
        if (y == 1)
            return quotient ? a : ht_poly_constant(pool, 0);
    }
    if (is_unsigned && ht_scan_may_be_negative(scan, a))
        return ht_scan_opaque(scan, at, ht_poly_scope(pool, a), "unsigned difference divided")
            .value;
    return ht_scan_derived(scan, at, quotient ? HT_KM_QUOTIENT : HT_KM_REMAINDER, a, b, NULL).value;
}

static ht_km_value unknown_of(ht_scan *scan, CXCursor at, const ht_poly *a, const ht_poly *b) {
    ht_km_scope first = ht_poly_scope(&scan->km->pool, a);
    ht_km_scope second = ht_poly_scope(&scan->km->pool, b);
    return ht_scan_opaque(scan, at, first > second ? first : second, "not affine");
}

static ht_km_value operate(ht_scan *scan, CXCursor at, enum CXBinaryOperatorKind kind,
                           const ht_poly *a, const ht_poly *b, bool is_unsigned) {
    ht_poly_pool *pool = &scan->km->pool;
    int64_t by;
    bool constant = ht_poly_is_constant(b, &by);
    switch (kind) {
    case CXBinaryOperator_Add:
    case CXBinaryOperator_AddAssign:
        return (ht_km_value){false, 0, ht_scan_sum(scan, at, a, b, 1)};
    case CXBinaryOperator_Sub:
    case CXBinaryOperator_SubAssign:
        return (ht_km_value){false, 0, ht_scan_sum(scan, at, a, b, -1)};
    case CXBinaryOperator_Mul:
    case CXBinaryOperator_MulAssign:
        return (ht_km_value){false, 0, ht_scan_times(scan, at, a, b)};
    case CXBinaryOperator_Div:
    case CXBinaryOperator_DivAssign:
    case CXBinaryOperator_Rem:
    case CXBinaryOperator_RemAssign:
        return (ht_km_value){
            false, 0,
            divide(scan, at, kind == CXBinaryOperator_Div || kind == CXBinaryOperator_DivAssign, a,
                   b, is_unsigned)};
    case CXBinaryOperator_Shl:
    case CXBinaryOperator_ShlAssign:
        if (constant && by >= 0 && by < 31)
            return (ht_km_value){
                false, 0, ht_scan_times(scan, at, a, ht_poly_constant(pool, (int64_t)1 << by))};
        break;
    case CXBinaryOperator_Shr:
    case CXBinaryOperator_ShrAssign:
        if (constant && by >= 0 && by < 31 && !ht_scan_may_be_negative(scan, a))
            return (ht_km_value){
                false, 0,
                divide(scan, at, true, a, ht_poly_constant(pool, (int64_t)1 << by), is_unsigned)};
        break;
    case CXBinaryOperator_And:
        if (constant && by >= 0 && (by & (by + 1)) == 0 && !ht_scan_may_be_negative(scan, a))
            return (ht_km_value){
                false, 0, divide(scan, at, false, a, ht_poly_constant(pool, by + 1), is_unsigned)};
        break;
    default:
        break;
    }
    return unknown_of(scan, at, a, b);
}

bool ht_scan_is_integer(CXCursor cursor) {
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(cursor)).kind;
    return (kind >= CXType_Bool && kind <= CXType_Int128) || kind == CXType_Enum;
}

bool ht_scan_may_be_integer(CXCursor cursor) {
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(cursor)).kind;
    return ht_scan_is_integer(cursor) || kind == CXType_Dependent || kind == CXType_Unexposed ||
           kind == CXType_Record;
}

static ht_km_value pointer_step(ht_scan *scan, CXCursor at, enum CXBinaryOperatorKind kind,
                                ht_km_value pointer, ht_km_value step) {
    bool minus = kind == CXBinaryOperator_Sub || kind == CXBinaryOperator_SubAssign;
    bool plus = kind == CXBinaryOperator_Add || kind == CXBinaryOperator_AddAssign;
    if (step.is_pointer)
        return ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "difference of pointers");
    if (!plus && !minus)
        return (ht_km_value){true, SIZE_MAX, NULL};
    if (!pointer.value || !step.value)
        pointer.value = ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "pointer moved").value;
    else
        pointer.value = ht_scan_sum(scan, at, pointer.value, step.value, minus ? -1 : 1);
    return pointer;
}

static ht_km_value combine(ht_scan *scan, CXCursor at, enum CXBinaryOperatorKind kind,
                           ht_km_value left, ht_km_value right, bool is_unsigned) {
    if (left.is_pointer)
        return pointer_step(scan, at, kind, left, right);
    if (right.is_pointer)
        return pointer_step(scan, at, kind, right, left);
    if (!left.value || !right.value)
        return (ht_km_value){0};
    return operate(scan, at, kind, left.value, right.value, is_unsigned);
}

/* ---- assignments
 * ------------------------------------------------------------------------------------ */

static void store(ht_scan *scan, CXCursor left, ht_km_value value, bool also_read) {
    CXCursor variable = ht_ast_variable(left);
    ht_km_target target;
    CXCursor place = ht_ast_strip(left, false);
    if (clang_getCursorKind(place) == CXCursor_DeclRefExpr) {
        const ht_km_value *old = ht_environment_find(scan, variable);
        if (!old &&
            ht_scan_target(scan, place, &target)) /* a variable of shared or global memory */
            ht_scan_record(scan, &target, also_read, true, false, left);
        if (!old)
            return;
        if (old->is_pointer && !value.is_pointer)
            value = (ht_km_value){true, SIZE_MAX, NULL};
        else if (!old->is_pointer && (!value.value || value.is_pointer))
            value = ht_scan_opaque(scan, left, HT_SCOPE_THREAD, "assigned");
        ht_environment_set(scan, variable, value);
        return;
    }
    if (ht_scan_target(scan, place, &target))
        ht_scan_record(scan, &target, also_read, true, false, left);
    else if (!ht_scan_is_local_object(scan, place))
        ht_scan_incomplete(scan, left, "what is written is not followed");
}

static ht_km_value assign(ht_scan *scan, CXCursor at, enum CXBinaryOperatorKind kind, CXCursor left,
                          CXCursor right) {
    ht_km_value value = ht_scan_value(scan, right);
    bool compound = kind != CXBinaryOperator_Assign;
    CXCursor place = ht_ast_strip(left, false);
    if (compound && clang_getCursorKind(place) == CXCursor_DeclRefExpr) {
        const ht_km_value *old = ht_environment_find(scan, ht_ast_variable(left));
        value = old ? combine(scan, at, kind, *old, value, ht_scan_is_unsigned(left))
                    : (ht_km_value){0};
    } else if (!ht_scan_is_integer(ht_ast_strip(right, false)) && !value.is_pointer &&
               !ht_scan_may_be_integer(ht_ast_strip(right, false)))
        value = (ht_km_value){0}; /* a float put into an integer */
    store(scan, left, value, compound);
    return value;
}

static ht_km_value update(ht_scan *scan, CXCursor at, enum CXUnaryOperatorKind kind,
                          CXCursor operand) {
    bool less = kind == CXUnaryOperator_PostDec || kind == CXUnaryOperator_PreDec;
    bool post = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec;
    const ht_km_value *old = ht_environment_find(scan, ht_ast_variable(operand));
    if (!old) {
        store(scan, operand, (ht_km_value){0}, true);
        return ht_scan_is_integer(operand)
                   ? ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "not followed")
                   : (ht_km_value){0};
    }
    ht_km_value before = *old;
    ht_km_value one = {false, 0, ht_poly_constant(&scan->km->pool, 1)};
    ht_km_value after =
        combine(scan, at, less ? CXBinaryOperator_Sub : CXBinaryOperator_Add, before, one, false);
    store(scan, operand, after, true);
    return post ? before : after;
}

ht_km_value ht_scan_address(ht_scan *scan, CXCursor at, CXCursor operand) {
    ht_km_target target;
    if (!ht_scan_target(scan, operand, &target) || target.count != 1 || target.whole)
        return (ht_km_value){true, target.array,
                             target.array == SIZE_MAX
                                 ? NULL
                                 : ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "address").value};
    return (ht_km_value){true, target.array, target.subscripts[0]};
}

static ht_km_value unary_value(ht_scan *scan, CXCursor cursor, enum CXUnaryOperatorKind kind,
                               CXCursor operand) {
    switch (kind) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreDec:
        return update(scan, cursor, kind, operand);
    case CXUnaryOperator_AddrOf:
        return ht_scan_address(scan, cursor, operand);
    case CXUnaryOperator_Minus: {
        ht_km_value value = ht_scan_value(scan, operand);
        if (!value.value || value.is_pointer)
            return (ht_km_value){0};
        const ht_poly *zero = ht_poly_constant(&scan->km->pool, 0);
        return (ht_km_value){false, 0, ht_scan_sum(scan, cursor, zero, value.value, -1)};
    }
    case CXUnaryOperator_Plus:
        return ht_scan_value(scan, operand);
    default: {
        ht_km_value value = ht_scan_value(scan, operand);
        if (!value.value || value.is_pointer)
            return (ht_km_value){0};
        return ht_scan_opaque(scan, cursor, ht_poly_scope(&scan->km->pool, value.value),
                              "not affine");
    }
    }
}

static ht_km_value binary_value(ht_scan *scan, CXCursor cursor, enum CXBinaryOperatorKind kind,
                                CXCursor left, CXCursor right) {
    if (kind >= CXBinaryOperator_Assign && kind <= CXBinaryOperator_OrAssign)
        return assign(scan, cursor, kind, left, right);
    if ((kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE) ||
        kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr) {
        const ht_km_test *test = ht_scan_test(scan, cursor);
        return ht_scan_derived(scan, cursor, HT_KM_CHOICE, ht_poly_constant(&scan->km->pool, 1),
                               ht_poly_constant(&scan->km->pool, 0), test);
    }
    ht_km_value a = ht_scan_value(scan, left), b = ht_scan_value(scan, right);
    if (kind == CXBinaryOperator_Comma)
        return b;
    if (!a.is_pointer && !b.is_pointer &&
        (!ht_scan_may_be_integer(ht_ast_strip(left, false)) ||
         !ht_scan_may_be_integer(ht_ast_strip(right, false))))
        return (ht_km_value){0};
    return combine(scan, cursor, kind, a, b,
                   ht_scan_is_unsigned(left) || ht_scan_is_unsigned(right));
}

static ht_km_value conditional(ht_scan *scan, CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    ht_km_value result = {0};
    if (list.count == 3) {
        const ht_km_test *test = ht_scan_test(scan, list.items[0]);
        size_t guards = scan->guard_count;
        ht_scan_guard_push(scan, test, list.items[0]);
        ht_km_value a = ht_scan_value(scan, list.items[1]);
        scan->guard_count = guards;
        ht_scan_guard_push(scan, ht_test_not(scan, test), list.items[0]);
        ht_km_value b = ht_scan_value(scan, list.items[2]);
        scan->guard_count = guards;
        if (a.is_pointer || b.is_pointer) {
            bool same = a.is_pointer && b.is_pointer && a.array == b.array;
            result = (ht_km_value){true, same ? a.array : SIZE_MAX, NULL};
            if (same && a.value && b.value)
                result.value =
                    ht_scan_derived(scan, cursor, HT_KM_CHOICE, a.value, b.value, test).value;
            else if (!same) {
                ht_scan_escape(scan, &a, cursor);
                ht_scan_escape(scan, &b, cursor);
            }
        } else if (a.value && b.value)
            result = ht_scan_derived(scan, cursor, HT_KM_CHOICE, a.value, b.value, test);
    } else
        ht_scan_children(scan, cursor);
    free(list.items);
    return result;
}

static bool is_pointer_cast(CXCursor cursor) {
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXReinterpretCastExpr ||
           kind == CXCursor_CXXStaticCastExpr || kind == CXCursor_CXXConstCastExpr ||
           kind == CXCursor_CXXFunctionalCastExpr;
}

static ht_km_value cast_value(ht_scan *scan, CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    ht_km_value value = {0};
    int64_t offset;
    for (size_t i = 0; i < list.count; ++i) {
        if (!clang_isExpression(clang_getCursorKind(list.items[i])))
            continue;
        value = ht_scan_value(scan, list.items[i]);
        CXType from =
            clang_getCanonicalType(clang_getCursorType(ht_ast_strip(list.items[i], false)));
        CXType to = clang_getCanonicalType(clang_getCursorType(cursor));
        bool same = from.kind == CXType_Pointer && to.kind == CXType_Pointer &&
                    clang_Type_getSizeOf(clang_getPointeeType(from)) ==
                        clang_Type_getSizeOf(clang_getPointeeType(to));
        if (value.is_pointer && !same && value.value &&
            !(ht_poly_is_constant(value.value, &offset) && offset == 0))
            value.value = ht_scan_opaque(scan, cursor, HT_SCOPE_THREAD, "another unit").value;
    }
    enum CXTypeKind open = clang_getCanonicalType(clang_getCursorType(cursor)).kind;
    if (!value.is_pointer && (open == CXType_Unexposed || open == CXType_Dependent)) {
        free(list.items); /* a template's type: of whole numbers where an index is made of it */
        return value;
    }
    if (!value.is_pointer)
        value = ht_scan_is_integer(cursor) && value.value
                    ? ht_scan_opaque(scan, cursor, ht_poly_scope(&scan->km->pool, value.value),
                                     "converted")
                    : (ht_km_value){0};
    free(list.items);
    return value;
}

static ht_km_value look(ht_scan *scan, CXCursor cursor) {
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    int axis;
    ht_index_kind index = ht_index_plain(scan->facts, cursor, false, &axis);
    if (index != HT_INDEX_NONE)
        return ht_scan_index(scan, index, axis);
    if (ht_ast_unary(cursor, &unary, &left))
        return unary == CXUnaryOperator_Deref ? ht_scan_load(scan, cursor)
                                              : unary_value(scan, cursor, unary, left);
    if (ht_ast_binary(cursor, &binary, &left, &right))
        return binary_value(scan, cursor, binary, left, right);
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_DeclRefExpr:
        return ht_scan_name(scan, cursor);
    case CXCursor_MemberRefExpr:
        return ht_scan_field(scan, cursor);
    case CXCursor_ArraySubscriptExpr:
        return ht_scan_load(scan, cursor);
    case CXCursor_ConditionalOperator:
        return conditional(scan, cursor);
    case CXCursor_CallExpr:
        return ht_scan_call(scan, cursor);
    case CXCursor_LambdaExpr:
        ht_scan_incomplete(scan, cursor, "a lambda's body is not followed");
        return (ht_km_value){0};
    default:
        break;
    }
    if (is_pointer_cast(cursor))
        return cast_value(scan, cursor);
    ht_scan_children(scan, cursor);
    return (ht_km_value){0};
}

ht_km_value ht_scan_value(ht_scan *scan, CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, true);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    int64_t constant;
    ht_km_value value = {0};
    if (!ht_scan_tick(scan) || scan->depth > 150) {
        ht_scan_incomplete(scan, expression, "the kernel is too long");
        return value;
    }
    ++scan->depth;
    bool literal = kind == CXCursor_IntegerLiteral || kind == CXCursor_CharacterLiteral ||
                   kind == CXCursor_CXXBoolLiteralExpr || kind == CXCursor_UnaryExpr;
    if (literal && ht_ast_constant(cursor, &constant))
        value.value = ht_poly_constant(&scan->km->pool, constant);
    else
        value = look(scan, cursor);
    --scan->depth;
    if (!value.value && !value.is_pointer && ht_scan_is_integer(expression))
        value = ht_scan_opaque(scan, expression, HT_SCOPE_THREAD, "not understood");
    return value;
}

const ht_poly *ht_scan_integer(ht_scan *scan, CXCursor expression) {
    ht_km_value value = ht_scan_value(scan, expression);
    return value.value && !value.is_pointer
               ? value.value
               : ht_scan_opaque(scan, expression, HT_SCOPE_THREAD, "no whole number").value;
}
