/* The tree of an expression, for the files that parse, evaluate, print and check it. Private to
 * templates/ and predictor/'s schemas. */
#ifndef HT_TEMPLATES_EXPR_EXPR_NODE_H
#define HT_TEMPLATES_EXPR_EXPR_NODE_H

#include "templates/expr/expr.h"

/* Deeper trees are an error, so that no walk over one can exhaust the stack. */
enum { HT_EXPR_DEPTH_MAX = 400 };

typedef enum ht_node_kind {
    HT_NODE_NUMBER,
    HT_NODE_BOOLEAN, /* true or false, kept apart from 1 and 0 for the print's sake */
    HT_NODE_NAME,
    HT_NODE_SIZEOF,
    HT_NODE_UNARY,
    HT_NODE_BINARY,
    HT_NODE_CONDITIONAL,
    HT_NODE_CALL
} ht_node_kind;

typedef enum ht_operator {
    HT_OP_OR,
    HT_OP_AND,
    HT_OP_BIT_OR,
    HT_OP_BIT_XOR,
    HT_OP_BIT_AND,
    HT_OP_EQUAL,
    HT_OP_NOT_EQUAL,
    HT_OP_LESS_EQUAL,
    HT_OP_GREATER_EQUAL,
    HT_OP_SHIFT_LEFT,
    HT_OP_SHIFT_RIGHT,
    HT_OP_LESS,
    HT_OP_GREATER,
    HT_OP_ADD,
    HT_OP_SUBTRACT,
    HT_OP_MULTIPLY,
    HT_OP_DIVIDE,
    HT_OP_REMAINDER,
    HT_OP_COUNT,
    /* unary */
    HT_OP_MINUS = HT_OP_COUNT,
    HT_OP_PLUS,
    HT_OP_NOT,
    HT_OP_COMPLEMENT
} ht_operator;

/* Precedences as printed and parsed: 1 is ?:, 2..11 the binary operators, then unary and primary.
 */
enum {
    HT_PRECEDENCE_CONDITIONAL = 1,
    HT_PRECEDENCE_RELATIONAL = 8,
    HT_PRECEDENCE_ADDITIVE = 10,
    HT_PRECEDENCE_MULTIPLICATIVE = 11,
    HT_PRECEDENCE_UNARY = 12,
    HT_PRECEDENCE_PRIMARY = 13
};

typedef struct ht_operator_info {
    const char *text;
    int precedence;
} ht_operator_info;
extern const ht_operator_info ht_operators[]; /* by ht_operator */

typedef enum ht_function {
    HT_FN_MIN,
    HT_FN_MAX,
    HT_FN_CEIL_DIV,
    HT_FN_ROUND_UP,
    HT_FN_ABS,
    HT_FN_CLAMP,
    HT_FN_IS_POW2,
    HT_FN_LOG2,
    HT_FN_POW2,
    HT_FN_GCD,
    HT_FN_COUNT
} ht_function;

typedef struct ht_function_info {
    const char *name;
    size_t arguments;  /* the fewest */
    bool more_allowed; /* min(a, b, c) */
} ht_function_info;
extern const ht_function_info ht_functions[HT_FN_COUNT];

typedef struct ht_node ht_node;
struct ht_node {
    ht_node_kind kind;
    int op; /* ht_operator or ht_function */
    int64_t number;
    char *name;         /* the name, or the type inside sizeof; owned */
    ht_node **children; /* owned */
    size_t child_count;
    int depth;
    int line, column;
};

struct ht_expr {
    char *file; /* owned; may be NULL */
    int line, column;
    ht_node *root; /* owned */
};

ht_node *ht_node_new(ht_node_kind kind, int line, int column);
/* Takes the child. */
void ht_node_add(ht_node *node, ht_node *child);
void ht_node_free(ht_node *node);

/* Returns true if this word is taken by the language: a function, true, false, sizeof, problem or
 * device. */
bool ht_expr_reserved(const char *name);

/* Calls `visit` for each name and sizeof with its place until it returns a status that is not
 * HT_OK. */
typedef ht_status (*ht_node_visit)(void *context, const ht_node *node, ht_place place);
ht_status ht_expr_walk_names(const ht_expr *expr, ht_node_visit visit, void *context);

#endif
