/* A kernel's body as a tree of what it says: kinds, places in the text, types, operators, names.
 * Read-only, built once for a model (ht_syntax_of) and the same for all that ask. What is decided
 * of a node or a variable is kept in tables of one's own, by its `index`.
 *
 * Building refuses nothing. What is not analysed is a node of kind HT_SYNTAX_UNKNOWN (or
 * HT_SYNTAX_UNKNOWN_STATEMENT), with its parts below it as far as they are understood; who cannot
 * do without it asks ht_syntax_unknown for the first, and refuses. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_SYNTAX_H
#define HT_REFACTOR_KERNEL_SYNTAX_H

#include "refactor/kernel/callees.h"
#include "refactor/kernel/model.h"

typedef enum ht_syntax_kind {
    /* statements */
    HT_SYNTAX_UNKNOWN_STATEMENT,
    HT_SYNTAX_COMPOUND,
    HT_SYNTAX_DECLARATION, /* children: VARIABLE; in a whole tree, what else it consists of */
    HT_SYNTAX_IF,          /* condition, then, else or NULL */
    HT_SYNTAX_FOR,         /* init, condition, increment (each or NULL), body */
    HT_SYNTAX_WHILE,       /* condition, body */
    HT_SYNTAX_DO,          /* body, condition */
    HT_SYNTAX_SWITCH,      /* condition, body */
    HT_SYNTAX_CASE,        /* case or default; children: constants and the first statement */
    HT_SYNTAX_RETURN,      /* in a whole tree: the value or none */
    HT_SYNTAX_BREAK,
    HT_SYNTAX_CONTINUE,
    HT_SYNTAX_EMPTY,
    /* declarations and expressions */
    HT_SYNTAX_VARIABLE, /* children: initialiser or none; in a whole tree initialiser or NULL, then
                           the extents of an array */
    HT_SYNTAX_CONSTANT, /* literals, sizeof, names of constants */
    HT_SYNTAX_NAME,     /* a variable or parameter */
    HT_SYNTAX_INDEX,    /* threadIdx.a, blockIdx.a, ...; `axis` and `op` (ht_index_kind) */
    HT_SYNTAX_GLOBAL,   /* the whole global index over x */
    HT_SYNTAX_SUBSCRIPT,
    HT_SYNTAX_DEREFERENCE,
    HT_SYNTAX_ADDRESS,
    HT_SYNTAX_BINARY, /* `op` is an ht_binary */
    HT_SYNTAX_ASSIGN, /* = and compound assignments; `op` */
    HT_SYNTAX_STEP,   /* ++ and --; `op` is an ht_unary */
    HT_SYNTAX_UNARY,
    HT_SYNTAX_CONDITIONAL,
    HT_SYNTAX_PAREN,
    HT_SYNTAX_CAST,
    HT_SYNTAX_CALL, /* children: arguments, the object first for methods, `op` of them; in a whole
                       tree, then the arguments of a template */
    HT_SYNTAX_MEMBER,
    HT_SYNTAX_LIST,
    HT_SYNTAX_UNKNOWN
} ht_syntax_kind;

/* What is known of an HT_SYNTAX_UNKNOWN or HT_SYNTAX_UNKNOWN_STATEMENT: its `op`. */
typedef enum ht_unknown {
    HT_UNKNOWN_OTHER,
    HT_UNKNOWN_NAME,  /* of a function, or of what a template's arguments decide */
    HT_UNKNOWN_FIELD, /* of the object whose method it stands in */
    HT_UNKNOWN_LAMBDA,
    HT_UNKNOWN_IF,
    HT_UNKNOWN_LOOP, /* or a switch: what is below it runs any number of times */
    HT_UNKNOWN_JUMP, /* goto, label, try */
    HT_UNKNOWN_ASSEMBLY
} ht_unknown;

/* Of a value; that of a reference is what it refers to. */
typedef enum ht_type_kind {
    HT_TYPE_OTHER,
    HT_TYPE_BOOL,
    HT_TYPE_INTEGER,
    HT_TYPE_REAL,   /* float, double */
    HT_TYPE_POINTER /* arrays, too */
} ht_type_kind;

/* The memory that a variable lies in. */
typedef enum ht_memory_space {
    HT_SPACE_GLOBAL, /* of the device; parameters, too, and what they point to */
    HT_SPACE_CONSTANT,
    HT_SPACE_SHARED,
    HT_SPACE_DYNAMIC_SHARED,
    HT_SPACE_PRIVATE /* a function's own */
} ht_memory_space;

/* Where a remark points to. `file` NULL: at the kernel; else borrowed from the tree. */
typedef struct ht_position {
    const char *file;
    int line, column; /* of the expansion where a macro wrote it */
} ht_position;

#define HT_AT_KERNEL ((ht_position){0})

typedef struct ht_syntax ht_syntax;

/* Nodes in the order of the source. */
typedef const ht_syntax *const *ht_syntax_list;

struct ht_syntax {
    ht_syntax_kind kind;
    ht_type_kind type;
    const struct ht_syntax_tree *tree;
    const ht_syntax *parent;
    ht_syntax_list children; /* entries may be NULL where the kind says so */
    size_t count;
    size_t index;    /* among the tree's nodes */
    size_t variable; /* NAME, VARIABLE, in a whole tree names of constants: index; else SIZE_MAX */
    ht_range range;  /* without the `;`; with the pragma of an attributed loop */
    size_t start;    /* without that pragma */
    ht_position at;
    int op, axis;
    unsigned bits; /* of integers */
    int64_t step;  /* of pointers: the bytes of an element; not above 0: not known */
    bool is_signed;
    bool is_whole; /* a whole number of any width, a bool or an enumerator */
    bool is_open;  /* a template's arguments decide its type */
    bool is_record;
    bool is_array; /* its type is an array */
    unsigned rank; /* of so many dimensions */
    bool is_volatile;
    bool begins;                       /* begins as text of its own, not inside a macro's body */
    bool plain;                        /* begins and ends so */
    bool arrow;                        /* MEMBER through a pointer */
    bool written;                      /* CAST that stands in the text */
    const struct ht_syntax_call *call; /* CALL: of what */
};

/* What a call may do, but for arguments that it changes; the last is the worst. */
typedef enum ht_call_effect {
    HT_CALL_PURE,    /* nothing */
    HT_CALL_ATOMIC,  /* an atomic operation that commutes */
    HT_CALL_GLOBALS, /* reaches global variables */
    HT_CALL_UNKNOWN
} ht_call_effect;

typedef struct ht_syntax_call {
    char *name; /* of what is called; of a type, it makes a value of that; "" where unknown */
    ht_callee_class class;
    ht_call_effect effect;
    bool of_user;            /* one that the user wrote may be called */
    bool is_barrier;         /* the block's threads meet here */
    bool is_open;            /* a template's arguments decide which of several is called */
    bool has_object;         /* the first child is the object of a method */
    bool is_method;          /* not a static one */
    bool makes_value;        /* of a type, which is what is called */
    bool is_defined;         /* in the user's files */
    size_t function;         /* among those that the kernel reaches; SIZE_MAX: none, or not known */
    unsigned char changes[]; /* by argument: 1, the argument, a reference; 2, what it points to; 4,
                                with 1: its type is not known */
} ht_syntax_call;

typedef struct ht_syntax_variable {
    char *name;
    const struct ht_syntax_tree *tree;
    size_t index;
    const ht_syntax *declaration; /* VARIABLE node; NULL for parameters and globals. In a whole tree
                                     constants outside of functions have one, too */
    const ht_local *local;        /* the model's record of it; NULL: there is none */
    const ht_parameter *parameter; /* the same, of the kernel's parameters */
    ht_position at;
    size_t name_end; /* in the text of its file */
    ht_type_kind type;
    ht_memory_space space;
    bool is_const;
    bool is_whole, is_open; /* as of a node */
    bool is_undeduced;      /* `auto` that a template's arguments decide */
    bool is_int;            /* converts to int without a change */
    bool is_static;
    bool is_constant_name; /* of an enumerator or a template's parameter: not a variable */
    bool is_template_parameter;
    bool is_written_through;     /* a reference that is not to const */
    unsigned rank;               /* dimensions of an array; 0 for references */
    bool is_local, is_parameter; /* neither: a global, or the block's */
    bool is_shared;              /* the block's: an array in shared memory */
    bool is_array, is_reference;
    bool is_record;           /* a structure */
    bool measured;            /* named in a sizeof */
    const ht_syntax *changed; /* the first change after its declaration, references that are bound
                                 to it among them; NULL: it is constant */
} ht_syntax_variable;

/* A function that the kernel reaches. */
typedef struct ht_syntax_function {
    const ht_syntax *body; /* NULL: it has none that can be run in place of a call */
    const size_t *parameters;
    size_t parameter_count;
} ht_syntax_function;

typedef struct ht_syntax_tree {
    const ht_model *model;
    const ht_syntax *body; /* of the kernel */
    const ht_syntax *all;  /* in a whole tree, all that the kernel reaches; else the body */
    ht_syntax_list nodes;  /* each before its children */
    size_t count;
    const ht_syntax_variable *variables; /* in the order in which they are first named */
    size_t variable_count;
    const ht_syntax_function *functions; /* in a whole tree: those below `all`, in the same order */
    size_t function_count;
    struct ht_syntax_origin *origin; /* syntax_origin.h */
} ht_syntax_tree;

/* ---- walking ---- */

/* Calls visit for the node and all below it, in source order; false skips the children. */
void ht_syntax_walk(const ht_syntax *node, bool (*visit)(const ht_syntax *node, void *context),
                    void *context);
/* Returns the first of the node and all below it, in source order, that `is` accepts; NULL: it
 * accepts none. */
const ht_syntax *ht_syntax_first(const ht_syntax *node,
                                 bool (*is)(const ht_syntax *node, const void *context),
                                 const void *context);
bool ht_syntax_within(const ht_syntax *node, const ht_syntax *ancestor);
/* Returns true if it is in one of these statements, [begin, end). */
bool ht_syntax_within_any(const ht_syntax *node, ht_syntax_list list, size_t begin, size_t end);

/* ---- what a node is ---- */

bool ht_syntax_is_expression(const ht_syntax *node); /* a VARIABLE is not one */
bool ht_syntax_is_loop(const ht_syntax *node);
/* A return, break or continue. */
bool ht_syntax_is_jump(const ht_syntax *node);
/* a[i] or *p: an element of an array, or of memory. */
bool ht_syntax_is_element(const ht_syntax *node);
/* Without parentheses and conversions. */
const ht_syntax *ht_syntax_strip(const ht_syntax *node);
/* Without parentheses and implicit conversions, calls of conversion functions among them. */
const ht_syntax *ht_syntax_strip_implicit(const ht_syntax *node);
/* Without implicit conversions. */
const ht_syntax *ht_syntax_written(const ht_syntax *node);
/* Without parentheses and conversions that are implicit or to whole numbers. */
const ht_syntax *ht_syntax_strip_whole(const ht_syntax *node);
/* The variable that it is the name of, parentheses and conversions aside, or declares; NULL: none.
 */
const ht_syntax_variable *ht_syntax_named(const ht_syntax *node);
/* Returns true if it, or something in it, is the variable's name. NULL: false. */
bool ht_syntax_mentions(const ht_syntax *node, size_t variable);
/* Returns true if it is a call of what has this name. */
bool ht_syntax_calls(const ht_syntax *node, const char *name);
/* The variables that a statement, or a VARIABLE alone, declares: how many there are. */
size_t ht_syntax_variables(const ht_syntax *statement, ht_syntax_list *out_list);
/* Returns true if no other variable of the tree has its name: it means the same everywhere. */
bool ht_syntax_is_only(const ht_syntax_variable *variable);
/* What a variable of the body begins with; NULL: nothing, or it is not one. */
const ht_syntax *ht_syntax_initializer(const ht_syntax_variable *variable);
/* The value that a variable of the body keeps: what it begins with, if nothing writes it; NULL: it
 * keeps none, or is not one. */
const ht_syntax *ht_syntax_kept(const ht_syntax_variable *variable);
/* The same, of constants outside of functions as well. */
const ht_syntax *ht_syntax_fixed(const ht_syntax_variable *variable);
/* The operands of a binary operator or an assignment (stripped to it); false: it is neither. */
bool ht_syntax_binary(const ht_syntax *node, int *out_op, const ht_syntax **out_left,
                      const ht_syntax **out_right);
/* The same of a unary operator, ++, --, * and & among them. */
bool ht_syntax_unary(const ht_syntax *node, int *out_op, const ht_syntax **out_operand);
/* What is run where an `if`, a loop or a switch says so: the `then` of an if. NULL: it is none of
 * these. */
const ht_syntax *ht_syntax_body(const ht_syntax *node);
/* Returns true if its text may be copied out of `root`, an expression around it. Not when one macro
 * makes it and its neighbour. */
bool ht_syntax_is_separate(const ht_syntax *node, const ht_syntax *root);
/* Returns true if the text of its range is the whole expression. Not where an argument of a macro
 * begins it. */
bool ht_syntax_is_whole(const ht_syntax *node);
/* Returns true if the node is evaluated whenever `root`, which it is a part of, is run to its end.
 */
bool ht_syntax_is_certain(const ht_syntax *node, const ht_syntax *root);
/* Returns true if it could fault where the original did not run it: it reads memory, divides, calls
 * or loops. */
bool ht_syntax_is_risky(const ht_syntax *node);
/* Returns the same, but for quotients of real numbers, which do not fault. */
bool ht_syntax_may_fault(const ht_syntax *node);
/* Returns true if this return, break or continue leaves the statement `root`. */
bool ht_syntax_escapes(const ht_syntax *jump, const ht_syntax *root);

#endif
