/* The operators of C, under names that code without libclang uses, too. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_OPERATORS_H
#define HT_REFACTOR_SOURCE_OPERATORS_H

#include "refactor/source/libclang.h"

#include <stdbool.h>
#include <stdint.h>

/* With libclang's values, and in its order: from ASSIGN to OR_ASSIGN are those that assign. */
typedef enum ht_binary {
    HT_BINARY_INVALID = CXBinaryOperator_Invalid,
    HT_BINARY_MUL = CXBinaryOperator_Mul,
    HT_BINARY_DIV = CXBinaryOperator_Div,
    HT_BINARY_REM = CXBinaryOperator_Rem,
    HT_BINARY_ADD = CXBinaryOperator_Add,
    HT_BINARY_SUB = CXBinaryOperator_Sub,
    HT_BINARY_SHL = CXBinaryOperator_Shl,
    HT_BINARY_SHR = CXBinaryOperator_Shr,
    HT_BINARY_LT = CXBinaryOperator_LT,
    HT_BINARY_GT = CXBinaryOperator_GT,
    HT_BINARY_LE = CXBinaryOperator_LE,
    HT_BINARY_GE = CXBinaryOperator_GE,
    HT_BINARY_EQ = CXBinaryOperator_EQ,
    HT_BINARY_NE = CXBinaryOperator_NE,
    HT_BINARY_BIT_AND = CXBinaryOperator_And,
    HT_BINARY_BIT_XOR = CXBinaryOperator_Xor,
    HT_BINARY_BIT_OR = CXBinaryOperator_Or,
    HT_BINARY_AND = CXBinaryOperator_LAnd,
    HT_BINARY_OR = CXBinaryOperator_LOr,
    HT_BINARY_ASSIGN = CXBinaryOperator_Assign,
    HT_BINARY_MUL_ASSIGN = CXBinaryOperator_MulAssign,
    HT_BINARY_DIV_ASSIGN = CXBinaryOperator_DivAssign,
    HT_BINARY_REM_ASSIGN = CXBinaryOperator_RemAssign,
    HT_BINARY_ADD_ASSIGN = CXBinaryOperator_AddAssign,
    HT_BINARY_SUB_ASSIGN = CXBinaryOperator_SubAssign,
    HT_BINARY_SHL_ASSIGN = CXBinaryOperator_ShlAssign,
    HT_BINARY_SHR_ASSIGN = CXBinaryOperator_ShrAssign,
    HT_BINARY_OR_ASSIGN = CXBinaryOperator_OrAssign,
    HT_BINARY_COMMA = CXBinaryOperator_Comma
} ht_binary;

typedef enum ht_unary {
    HT_UNARY_POST_INC = CXUnaryOperator_PostInc,
    HT_UNARY_POST_DEC = CXUnaryOperator_PostDec,
    HT_UNARY_PRE_INC = CXUnaryOperator_PreInc,
    HT_UNARY_PRE_DEC = CXUnaryOperator_PreDec,
    HT_UNARY_ADDRESS = CXUnaryOperator_AddrOf,
    HT_UNARY_DEREFERENCE = CXUnaryOperator_Deref,
    HT_UNARY_PLUS = CXUnaryOperator_Plus,
    HT_UNARY_MINUS = CXUnaryOperator_Minus,
    HT_UNARY_BIT_NOT = CXUnaryOperator_Not,
    HT_UNARY_NOT = CXUnaryOperator_LNot
} ht_unary;

/* Returns true for a binary operator that assigns, also one that computes first (+=). */
bool ht_operator_assigns(int kind);
/* Returns true for a binary operator that compares. */
bool ht_operator_compares(int kind);
/* Returns a binary operator without assignment as it is written; NULL for others. */
const char *ht_operator_text(int kind);
/* The same the other way round; HT_BINARY_INVALID for what none of these is. */
int ht_operator_of(const char *text);
/* The result of a binary operator without assignment on two numbers; false: it is && or ||, or the
 * result is not defined. */
bool ht_operator_compute(int kind, int64_t a, int64_t b, int64_t *out);
/* Return the comparison < > <= >= with its sides exchanged, and its opposite; HT_BINARY_INVALID for
 * others. */
int ht_operator_mirrored(int kind);
int ht_operator_negated(int kind);

#endif
