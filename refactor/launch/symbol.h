/* The integer expressions of a launch's geometry, with the place of every constant in them. Private
 * to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_SYMBOL_H
#define HT_REFACTOR_LAUNCH_SYMBOL_H

#include "refactor/source/place.h"
#include "refactor/source/variable.h"

typedef enum ht_symbol_kind {
    HT_SYMBOL_CONSTANT, /* `value`; a literal, or named by `name` */
    HT_SYMBOL_VARIABLE, /* the value of `declaration` */
    HT_SYMBOL_UNARY,    /* `op` arguments[0] */
    HT_SYMBOL_BINARY,   /* arguments[0] `op` arguments[1] */
    HT_SYMBOL_CHOICE,   /* arguments[0] ? arguments[1] : arguments[2] */
    HT_SYMBOL_CALL,     /* min, max, ceil_div over arguments */
    HT_SYMBOL_UNKNOWN   /* `name` describes it */
} ht_symbol_kind;

typedef enum ht_constant_origin {
    HT_ORIGIN_LITERAL, /* written as digits */
    HT_ORIGIN_MACRO,   /* an object-like macro `name` */
    HT_ORIGIN_VARIABLE /* a constexpr or const variable, or an enumerator, `name` */
} ht_constant_origin;

/* A tree; arguments owned. */
typedef struct ht_symbol ht_symbol;
struct ht_symbol {
    ht_symbol_kind kind;
    char op[4];
    char *name;
    int64_t value;
    ht_constant_origin origin;
    CXCursor declaration; /* of the variable or named constant; for base.field, of the field */
    CXCursor base;        /* the variable in front of a field, or null */
    CXCursor written;     /* the expression, if it is not understood; else null */
    bool has_place;       /* `place` is text in a user's file that may be replaced */
    ht_range place;
    int line;
    ht_symbol *arguments[3];
    bool of_called;      /* a local variable of a function that is walked in place of its call: one
                            of the same name elsewhere is another */
    bool assumed;        /* a constant that stands for a value known only at run time */
    ht_symbol *value_of; /* a variable's only initialiser; NULL: there is none */
    /* width of the integer type in which it is computed; 0: another type, or unknown */
    unsigned bits;
    bool is_unsigned;
    bool is_float; /* for ceil_div: computed as a float quotient, of 24 bits */
};

/* The place in which an expression is read: inside a function of the host that is walked in place
 * of its call or (no `outer`) where it is written. */
typedef struct ht_symbol_frame {
    const ht_source *source;
    const struct ht_symbol_frame *outer;
    CXCursor function;
    CXCursor call;
    int depth;
    int *budget; /* symbols that may still be read, since initialisers can multiply */
} ht_symbol_frame;
enum { HT_SYMBOL_DEPTH_MAX = 48 };

/* Makes a symbol without a declaration, base or place; _one: the constant 1. */
ht_symbol *ht_symbol_new(ht_symbol_kind kind);
ht_symbol *ht_symbol_one(void);
ht_symbol *ht_symbol_read(const ht_source *source, CXCursor expression);
/* Reads the axes of a dim3 (or integer) expression. Returns false if it cannot be read.
 * *out_variable: the dim3 variable that it names, or null. */
bool ht_symbol_read3(const ht_source *source, CXCursor expression, ht_symbol *out_axes[3],
                     size_t *out_written, CXCursor *out_variable);
/* Makes the symbol of shape.width, a field of an argument or a structure; without `field`, of
 * block.x of a dim3 variable. The same part has equal symbols wherever it is read. */
ht_symbol *ht_symbol_part(CXCursor variable, CXCursor field, const char *member);
ht_symbol *ht_symbol_read_in(const ht_symbol_frame *frame, CXCursor expression);
void ht_symbol_free(ht_symbol *symbol);

#endif
