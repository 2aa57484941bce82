/* Launches of a kernel, and the integer expressions of their geometry with the place of every
 * constant in them. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_LAUNCH_H
#define HT_REFACTOR_LAUNCH_LAUNCH_H

#include "refactor/source/place.h"
#include "refactor/source/variable.h"

typedef enum ht_symbol_kind {
    HT_SYMBOL_CONSTANT, /* `value`; a literal, or named by `name` */
    HT_SYMBOL_VARIABLE, /* `declaration` */
    HT_SYMBOL_UNARY,    /* `op` arguments[0] */
    HT_SYMBOL_BINARY,   /* arguments[0] `op` arguments[1] */
    HT_SYMBOL_CHOICE,   /* arguments[0] ? arguments[1] : arguments[2] */
    HT_SYMBOL_CALL,     /* min, max, ceil_div over arguments */
    HT_SYMBOL_UNKNOWN   /* `name` says what */
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
    CXCursor declaration; /* of the variable or named constant; of the field in base.field */
    CXCursor base;        /* the variable in front of a field, or null */
    bool has_place;       /* `place` is text of a user's file that may be replaced */
    ht_range place;
    int line;
    ht_symbol *arguments[3];
    bool assumed;        /* a constant that stands for what is known at run time alone */
    ht_symbol *value_of; /* of a variable: its only initialiser; NULL when there is none */
    unsigned bits;       /* of the integer type it is computed in; 0: another type, or unknown */
    bool is_unsigned;
    bool is_float; /* ceil_div: of a quotient with 24 bits */
};

/* With no declaration, no base and no place. */
ht_symbol *ht_symbol_new(ht_symbol_kind kind);
ht_symbol *ht_symbol_read(const ht_source *source, CXCursor expression);
/* Returns true if the expression or variable is a dim3. */
bool ht_cursor_is_dim3(CXCursor cursor);
/* The axes of a dim3 (or integer) expression, each a symbol; false when it cannot be read.
 * `out_variable`: the dim3 variable it names, or null. */
bool ht_symbol_read3(const ht_source *source, CXCursor expression, ht_symbol *out_axes[3],
                     size_t *out_written, CXCursor *out_variable);
/* shape.width: a field of an argument or a structure; without `field`, block.x of a dim3 variable.
 * The same part has the same symbol, wherever it is read. */
ht_symbol *ht_symbol_part(CXCursor variable, CXCursor field, const char *member);
/* A dim3 that the program makes elsewhere (an argument, or set by a function), as three parts of
 * which nothing is known; false: it names no variable. */
bool ht_symbol_parts3(CXCursor expression, ht_symbol *out_axes[3], CXCursor *out_variable);
/* Where something is read: in a function of the host that is walked in place of its call, or (no
 * `outer`) where it stands. */
typedef struct ht_symbol_frame {
    const ht_source *source;
    const struct ht_symbol_frame *outer;
    CXCursor function;
    CXCursor call;
    int depth;
    int *budget; /* symbols that may still be read: initialisers can multiply */
} ht_symbol_frame;
enum { HT_SYMBOL_DEPTH_MAX = 48 };
/* The same inside another reading. */
ht_symbol *ht_symbol_read_in(const ht_symbol_frame *frame, CXCursor expression);
bool ht_symbol_read3_in(const ht_symbol_frame *frame, CXCursor expression, ht_symbol *out_axes[3],
                        size_t *out_written, CXCursor *out_variable);
/* What a call of a function returns that does nothing but set variables once and return; null
 * cursor when it is another. `out_frame`: where it is to be read. */
CXCursor ht_symbol_returned(const ht_symbol_frame *frame, CXCursor call,
                            ht_symbol_frame *out_frame);
/* Returns true if the dim3 expression is a call of a function that returns one. */
bool ht_extent_is_call(CXCursor expression);
void ht_symbol_free(ht_symbol *symbol);
/* Value when every leaf is constant. */
bool ht_symbol_value(const ht_symbol *symbol, int64_t *out_value);

typedef struct ht_extent3 {
    ht_symbol *axis[3]; /* NULL: not written, 1 */
    size_t written;     /* how many are written */
    ht_range argument;  /* the launch's argument text; in the source's whole text */
    bool has_argument;
    CXCursor variable; /* the dim3 (or integer) variable it names, or null */
    bool is_call;      /* a dim3 that a function of the user's returns, which does nothing else */
    bool exclusive; /* written for this kernel's launches alone: its parts may be edited where they
                       stand */
    bool known;     /* axes could be read */
} ht_extent3;

typedef struct ht_launch_site {
    CXCursor kernel;   /* the declaration that is named */
    CXCursor callee;   /* what is called: the kernel's name, or a choice between instances */
    CXCursor function; /* the host function around it */
    ht_range range;    /* of the whole call, from the kernel's name */
    size_t file;       /* where it stands: 0, the file looked at */
    int line;
    ht_extent3 grid, block;
    ht_symbol *lds; /* NULL: none */
    CXCursor *arguments;
    size_t argument_count;
    CXCursor *template_arguments; /* expressions and types as written; may be empty */
    ht_range *template_ranges;    /* in `file` */
    size_t template_argument_count;
    bool in_macro;   /* inside another macro's expansion: must not be edited */
    bool macro_form; /* hipLaunchKernelGGL */
} ht_launch_site;

typedef struct ht_launches {
    ht_launch_site *items;
    size_t count;
    int other_use_line; /* the kernel's name is used otherwise (address taken, macro): its line; 0:
                           not */
    size_t other_use_file;
} ht_launches;

/* The template arguments that are written after a kernel's name in a launch; free(items). */
typedef struct ht_launch_arguments {
    CXCursor *items;  /* null: a type */
    ht_range *ranges; /* in the site's file */
    size_t count;
} ht_launch_arguments;
void ht_launch_arguments_read(const ht_source *source, const ht_launch_site *site, CXCursor name,
                              ht_launch_arguments *out);
void ht_launch_arguments_free(ht_launch_arguments *arguments);
/* The cursor that names the kernel in a part of the callee; null when none does. */
CXCursor ht_launch_name(const ht_launch_site *site, CXCursor callee);

/* All launches of `kernel` in the user's files, those of the file looked at first. */
void ht_launches_find(const ht_source *source, CXCursor kernel, ht_launches *out_launches);
void ht_launches_free(ht_launches *launches);

#endif
