/* Python expressions, as far as T1 files use them: conditions and lists of values.
 *
 *   or, and, not, x if c else y; chained comparisons, in, not in (of a list or tuple written
 * there);
 *   + - * / // % **, unary + -; whole and real numbers, strings, True, False; min, max, abs, int,
 *   float, bool; in values also lists, list + list, list * n, range, list, tuple, sorted and
 *   [x for n in list if condition].
 *
 * Whole numbers have 64 bits; what goes beyond has no value. Everything else of Python is refused
 * by name. Private to templates/. */
#ifndef HT_TEMPLATES_T1_PYTHON_H
#define HT_TEMPLATES_T1_PYTHON_H

#include "templates/expr/code.h"

#include "base/error.h"
#include "base/text.h"

enum { HT_PYTHON_DEPTH_MAX = 400, HT_PYTHON_LIST_MAX = 65536 };

typedef enum ht_python_kind {
    HT_PYTHON_NUMBER, /* number of type `type` */
    HT_PYTHON_BOOLEAN,
    HT_PYTHON_TEXT,
    HT_PYTHON_NAME,
    HT_PYTHON_UNARY,
    HT_PYTHON_BINARY,      /* AND and OR: of two or more */
    HT_PYTHON_COMPARE,     /* operand, LINK, LINK, ... */
    HT_PYTHON_LINK,        /* op; one operand, or the elements for in and not in */
    HT_PYTHON_CONDITIONAL, /* value, condition, other */
    HT_PYTHON_CALL,        /* name */
    HT_PYTHON_LIST,
    HT_PYTHON_COMPREHENSION /* value, list and perhaps a condition; name is the variable */
} ht_python_kind;

typedef enum ht_python_op {
    HT_PYTHON_OR,
    HT_PYTHON_AND,
    HT_PYTHON_NOT,
    HT_PYTHON_IN,
    HT_PYTHON_NOT_IN,
    HT_PYTHON_EQUAL,
    HT_PYTHON_NOT_EQUAL,
    HT_PYTHON_LESS,
    HT_PYTHON_LESS_EQUAL,
    HT_PYTHON_GREATER,
    HT_PYTHON_GREATER_EQUAL,
    HT_PYTHON_ADD,
    HT_PYTHON_SUBTRACT,
    HT_PYTHON_MULTIPLY,
    HT_PYTHON_DIVIDE,
    HT_PYTHON_FLOOR_DIVIDE,
    HT_PYTHON_MODULO,
    HT_PYTHON_POWER,
    HT_PYTHON_MINUS,
    HT_PYTHON_PLUS
} ht_python_op;

typedef struct ht_python_node ht_python_node;
struct ht_python_node {
    ht_python_kind kind;
    ht_python_op op;
    ht_code_type type;
    ht_number number;
    char *text;                /* name, or a string's characters; owned */
    ht_python_node **children; /* owned */
    size_t child_count;
    int depth;
    size_t begin, end; /* in the parsed text, without the parentheses around it */
};

/* python_parse.c. Errors have the column within the text. */
ht_status ht_python_parse(const char *text, ht_python_node **out_node, ht_error *error);
void ht_python_free(ht_python_node *node);
bool ht_python_equal(const ht_python_node *a, const ht_python_node *b);

/* The meaning of names. Texts are numbered in sorted order, so that comparing numbers compares
 * texts. */
typedef struct ht_python_scope {
    ht_code *code;
    bool (*lookup)(const void *context, const char *name, uint32_t *out_instruction);
    int64_t (*ordinal)(const void *context, const char *text);
    const void *context;
    bool unordered; /* the numbers of texts have no order: < and > of texts are refused */
} ht_python_scope;

/* python_code.c. Errors have the column within the text. */
ht_status ht_python_code(const ht_python_scope *scope, const ht_python_node *node,
                         uint32_t *out_instruction, ht_error *error);
/* The same as 0 or 1 for Python's idea of true. */
ht_status ht_python_condition(const ht_python_scope *scope, const ht_python_node *node,
                              uint32_t *out_instruction, ht_error *error);

/* One value of a list. */
typedef struct ht_python_value {
    ht_code_type type;
    bool boolean; /* True or False, of type WHOLE */
    ht_number number;
    char *text; /* of type TEXT; owned */
} ht_python_value;

/* python_list.c. Computes a list of values from text such as "[2**i for i in range(4)]". */
ht_status ht_python_list(const char *text, ht_python_value **out_values, size_t *out_count,
                         ht_error *error);
void ht_python_list_free(ht_python_value *values, size_t count);
/* As Python's str() writes it: "True", "16", "0.5", "a b". */
void ht_python_value_print(const ht_python_value *value, ht_text *out);

#endif
