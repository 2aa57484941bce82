/* Private to the thread coarsening over x (coarsen*.c): a kernel's body as a typed tree, what is
 * known about its values, and how it is cut up. docs/coarsening.md explains the words used here. */
#ifndef HT_REFACTOR_COARSEN_H
#define HT_REFACTOR_COARSEN_H

#include "base/text.h"
#include "refactor/plan/transform.h"

#include <stdint.h>

typedef enum ht_node_kind {
    /* statements */
    HT_NODE_COMPOUND,
    HT_NODE_DECLARATION, /* children: VARIABLE */
    HT_NODE_IF,          /* condition, then, else or NULL */
    HT_NODE_FOR,         /* init, condition, increment (each or NULL), body */
    HT_NODE_WHILE,       /* condition, body */
    HT_NODE_DO,          /* body, condition */
    HT_NODE_SWITCH,      /* condition, body */
    HT_NODE_CASE,        /* case or default; children: constants and the first statement */
    HT_NODE_RETURN,
    HT_NODE_BREAK,
    HT_NODE_CONTINUE,
    HT_NODE_EMPTY,
    /* declarations and expressions */
    HT_NODE_VARIABLE, /* children: initialiser or none */
    HT_NODE_CONSTANT, /* literals, sizeof, names of constants */
    HT_NODE_NAME,     /* a variable or parameter */
    HT_NODE_INDEX,    /* threadIdx.a, blockIdx.a, ...; `axis` and `op` (ht_index_kind) */
    HT_NODE_GLOBAL,   /* the whole global index over x */
    HT_NODE_SUBSCRIPT,
    HT_NODE_DEREFERENCE,
    HT_NODE_ADDRESS,
    HT_NODE_BINARY, /* `op` is a CXBinaryOperatorKind */
    HT_NODE_ASSIGN, /* = and compound assignments; `op` */
    HT_NODE_STEP,   /* ++ and --; `op` is a CXUnaryOperatorKind */
    HT_NODE_UNARY,
    HT_NODE_CONDITIONAL,
    HT_NODE_PAREN,
    HT_NODE_CAST,
    HT_NODE_CALL, /* children: arguments, the object first for methods */
    HT_NODE_MEMBER,
    HT_NODE_LIST
} ht_node_kind;

/* How the value of something differs between the outputs that one thread computes. */
typedef enum ht_share {
    HT_SHARE_SAME, /* not at all */
    HT_SHARE_STEP, /* output c has the first one's value plus c (elements, for pointers) */
    HT_SHARE_OWN   /* each output has its own */
} ht_share;

typedef enum ht_type_kind { HT_TYPE_OTHER, HT_TYPE_INTEGER, HT_TYPE_POINTER } ht_type_kind;

typedef struct ht_node {
    ht_node_kind kind;
    CXCursor cursor;
    struct ht_node *parent;
    struct ht_node **children; /* entries may be NULL where the kind says so */
    size_t count;
    ht_range range; /* without the `;`; with the pragma of an attributed loop */
    bool begins;    /* begins as text of its own, not inside a macro's body */
    bool plain;     /* begins and ends so */
    int op, axis;
    size_t variable; /* NAME, VARIABLE: index; SIZE_MAX otherwise */
    ht_type_kind type;
    unsigned bits; /* of integers */
    bool is_signed;
    bool is_array;   /* its type is an array */
    bool arrow;      /* MEMBER through a pointer */
    bool written;    /* CAST that stands in the text */
    CXCursor callee; /* CALL: what is called; null for T(value) of a dependent type */
    bool entered;    /* IF: the work lies inside */
    bool unresolved; /* CALL: by a name that nothing is known about */
    bool apart;      /* statement: runs once for each output */
    bool skips;      /* IF, apart: statements after it ask for themselves (coarsen_carry.c) */
    bool enters;     /* IF: so do those in it, unless it is apart */
    bool kept;       /* x in a macro's body: stays, as the first output's */
    bool next;       /* an access: the next output's is the next element (coarsen_vector.h) */
    const char *pack, *row; /* names for it as a part of one access; NULL: none yet */
    bool convex;            /* an IF that lets outputs through that lie side by side */
    bool alike;             /* and all of them or none */
} ht_node;

typedef struct ht_variable {
    CXCursor cursor; /* its declaration */
    char *name;
    ht_node *declaration;        /* VARIABLE node; NULL for parameters and globals */
    bool is_local, is_parameter; /* neither: a global, or the block's */
    bool is_shared;              /* the block's: an array in shared memory */
    bool is_array, is_reference;
    ht_share share;
    bool own;      /* share can only be HT_SHARE_OWN */
    bool array;    /* written as an array with an element for each output */
    bool measured; /* named in a sizeof */
    bool moved;    /* declared per output (or per path) instead of in front of all */
} ht_variable;

typedef struct ht_coarsen {
    const ht_model *model;
    ht_plan *plan;
    ht_node *body;
    ht_variable *variables;
    size_t variable_count;
    ht_node **nodes; /* every node, owned */
    size_t node_count;
    size_t x;               /* the variable that holds the global index */
    const ht_node *atomic;  /* a call of an atomic function, if any */
    const char *factor;     /* COARSEN_X, or what it had to be called */
    const char *first;      /* x0 */
    const char *counter;    /* cx */
    const char *strided;    /* COARSEN_X_STRIDED: outputs of a thread are a block apart */
    const char *step;       /* x_step: how far apart, in the template */
    char *apart;            /* " * x_step" where it is not 1; owned */
    char *offset;           /* the distance of the counter's output: cx * x_step; owned */
    const char *label;      /* next_x */
    const char *label_each; /* next_x_2 */
    const char *inside;     /* inside */
    const char *vector;     /* VECTOR_OUTPUTS: how many outputs' elements are one access; NULL: this
                               is not written */
    const char *vector_begin, *vector_each; /* cx_first, cx_each */
    size_t vector_count;                    /* accesses written so */
    const char *vector_why;                 /* the first that is not; NULL: none; static */
    CXCursor vector_at;
    bool carries;       /* tests may be carried into the loops after them */
    bool meets;         /* threads may meet at barriers and share arrays */
    bool refused;       /* a remark has been made */
    char *apart_reason; /* why outputs have to be computed one after the other; NULL: no reason;
                           owned */
    CXCursor apart_place;
} ht_coarsen;

/* A list of statements; a declaration's variables may stand alone as VARIABLE nodes. */
typedef struct ht_region {
    ht_node **statements; /* owned */
    size_t count;
} ht_region;

/* ---- coarsen_tree.c: building and walking ---- */

/* coarsen.c. Returns true if there are #if and the like in the kernel. Branches that are not
 * compiled now could be later. */
bool ht_coarsen_has_directives(const ht_model *model);
/* Builds the tree; on anything that is not understood adds a remark, sets `refused`. */
void ht_coarsen_tree(ht_coarsen *c);
void ht_coarsen_free(ht_coarsen *c);
void ht_coarsen_refuse(ht_coarsen *c, CXCursor place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Without parentheses and conversions. */
ht_node *ht_node_strip(ht_node *node);
/* Calls visit for the node and all below it, in source order; false skips the children. */
void ht_node_walk(ht_node *node, bool (*visit)(ht_node *node, void *context), void *context);
/* Returns true if its text may be copied out of `root`, an expression around it. Not when one macro
 * makes it and its neighbour. */
bool ht_node_is_separate(const ht_node *node, const ht_node *root);
bool ht_node_within(const ht_node *node, const ht_node *ancestor);
bool ht_node_is_loop(const ht_node *node);
/* Returns true if the node is evaluated whenever `root`, which it is a part of, is run to its end.
 */
bool ht_node_is_certain(const ht_node *node, const ht_node *root);
/* Returns true if it could fault where the original did not run it: it reads memory, divides, calls
 * or loops. */
bool ht_node_is_risky(ht_node *node);
/* Returns true if this return, break or continue leaves the statement `root`. */
bool ht_node_escapes(const ht_node *jump, const ht_node *root);

/* ---- coarsen_place.c: where statements stand in the text ---- */

/* Where a statement ends, its `;` included. */
size_t ht_statement_end(const ht_coarsen *c, const ht_node *node);
/* The same with a comment that follows on the same line. */
size_t ht_statement_tail(const ht_coarsen *c, const ht_node *node);
/* Where the text in front of a statement begins: after the one before, or after the brace. */
size_t ht_statement_lead(const ht_coarsen *c, const ht_node *node);
/* The node that stands in a list of statements: the declaration of a VARIABLE, else the node. */
const ht_node *ht_statement_of(const ht_node *node);

/* Returns true if the text of its range is the whole expression. Not where an argument of a macro
 * begins it. */
bool ht_node_is_whole(const ht_coarsen *c, const ht_node *node);

/* ---- coarsen_calls.c ---- */

/* Refuses calls of functions that could do anything. */
void ht_coarsen_check_calls(ht_coarsen *c);
/* Returns true if the block's threads meet here. */
bool ht_node_is_barrier(const ht_node *node);
/* Returns true if the call may change this argument, a reference (pointers: or what it points to).
 */
bool ht_call_changes(const ht_node *call, size_t argument, bool pointers);
/* Returns true if the callee names global variables that are not constant. */
bool ht_call_touches_globals(const ht_node *call);

/* ---- coarsen_effects.c: what is read and written ---- */

typedef struct ht_access {
    bool unknown;
    bool *variables; /* pointers and objects by index; owned */
} ht_access;

typedef struct ht_effects {
    ht_access reads, writes; /* of memory that other threads see */
    const ht_node *first_write;
} ht_effects;

void ht_effects_collect(ht_coarsen *c, ht_node *node, ht_effects *out_effects);
void ht_effects_free(ht_effects *effects);
/* Returns true if it writes memory, or does something else that shows outside of the thread. */
bool ht_node_has_effect(ht_coarsen *c, ht_node *node);
/* The same, or if it changes a variable. */
bool ht_node_has_change(ht_coarsen *c, ht_node *node);
/* The variable that a store through this lvalue changes; NULL: memory. */
ht_node *ht_lvalue_root(const ht_coarsen *c, ht_node *lvalue);
/* Calls visit with the name of everything that `node` may change after its declaration. */
void ht_node_changes(ht_coarsen *c, ht_node *node,
                     void (*visit)(ht_coarsen *c, ht_node *name, ht_node *change, void *context),
                     void *context);
/* Returns true if the variable has one value while `at` is run. Nothing changes it then but the
 * headers of loops in whose bodies `at` stands. NULL: nothing at all. */
bool ht_variable_is_steady(ht_coarsen *c, size_t variable, const ht_node *at);
void ht_coarsen_set_reason(ht_coarsen *c, CXCursor place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Why the outputs of one thread cannot be computed side by side: sets apart_reason. `at_once`: what
 * is written may be read in the statement that writes it alone. */
void ht_coarsen_check_jam(ht_coarsen *c, bool at_once);

/* ---- coarsen_in_place.c ---- */

/* Returns true if each element of an array, a parameter, is accessed by one output alone. */
bool ht_coarsen_is_in_place(ht_coarsen *c, size_t variable);
/* Returns true if all accesses to it stand in one assignment. */
bool ht_coarsen_is_in_one_statement(const ht_coarsen *c, size_t variable);

/* ---- coarsen_share.c: what differs between outputs ---- */

ht_share ht_node_share(ht_coarsen *c, ht_node *node);
/* Finds the variables' shares and the statements that run `apart`, to a fixed point. */
void ht_region_share(ht_coarsen *c, const ht_region *region);
void ht_share_reset(ht_coarsen *c);
/* The global index, or the variable that holds it. */
bool ht_node_is_x(const ht_coarsen *c, ht_node *node);
/* Returns true if nothing changes it after its declaration. */
bool ht_variable_is_constant(ht_coarsen *c, size_t variable);
/* first value + c * (something that is the same for all outputs), in signed arithmetic. */
bool ht_node_is_linear(ht_coarsen *c, ht_node *node);
/* An access whose address is one element further for each output. */
bool ht_node_steps(ht_coarsen *c, ht_node *node);

/* ---- coarsen_carry.c: tests that differ between outputs, and loops after them that do not ----
 */

/* if (outside) continue; with a loop after it in the list, if (inside) { with a loop in it. */
bool ht_carry_skips(ht_coarsen *c, ht_node **list, size_t at, size_t count);
bool ht_carry_enters(ht_coarsen *c, ht_node *node);
/* A loop that may be run where a test would have kept it from that. */
bool ht_carry_is_loop(ht_coarsen *c, const ht_node *node);
/* The tests that what stands at `node` must ask for, outermost first; `skips`: it is not run where
 * the condition holds, else where it does not. */
typedef void ht_carry_visit(const ht_node *test, bool skips, void *context);
void ht_carried_visit(const ht_node *node, ht_carry_visit *visit, void *context);

/* ---- coarsen_guard.c: conditions in front of the work ---- */

typedef enum ht_term_kind {
    HT_TERM_SAME,
    HT_TERM_INDEX,  /* compares x, or what steps with it, with what is the same for all outputs */
    HT_TERM_LINEAR, /* compares a multiple of it, in arithmetic that does not wrap */
    HT_TERM_OTHER
} ht_term_kind;

typedef struct ht_guard_term {
    ht_term_kind kind;
    ht_node *node; /* the comparison, or any condition */
    bool negated;  /* the work is done when `node` does not hold */
    int op;        /* INDEX: the comparison that must hold, negation applied */
    bool upper;    /* INDEX: fails once x is large enough */
    ht_node *step, *bound;
} ht_guard_term;

typedef struct ht_guard {
    ht_node *statement;   /* the `if` */
    bool leaves;          /* if (outside) return; else: if (inside) { ... } */
    ht_guard_term *terms; /* all must hold for the work to be done; owned */
    size_t term_count;
    bool has_index, has_upper, only_known;
} ht_guard;

/* False when the `if` is no guard: it has an else with work in it, say. */
bool ht_guard_read(ht_coarsen *c, ht_node *statement, ht_guard *out_guard);
/* Adds the terms that must all hold for a condition to hold (negative: not to hold). */
void ht_guard_collect(ht_coarsen *c, ht_node *condition, bool negative, ht_guard *guard);
void ht_guard_free(ht_guard *guard);
/* return; or { return; } */
bool ht_statement_leaves(const ht_node *node);

/* ---- coarsen_layout.c: the kernel cut into what stands in front, guards and work ---- */

typedef enum ht_part_kind {
    HT_PART_X,     /* the declaration of x */
    HT_PART_ITEM,  /* a statement or variable before the last guard, without effects */
    HT_PART_GUARD, /* if (outside) return; */
    HT_PART_ENTER, /* if (inside) { ... }: the parts after it lie inside */
    HT_PART_WORK   /* everything else */
} ht_part_kind;

typedef struct ht_part {
    ht_part_kind kind;
    ht_node *node;
    ht_guard guard; /* owned */
    bool front;     /* ITEM: written once in front of all outputs */
    bool unused;    /* an ITEM that only guards need: not written side by side */
    bool again;     /* a front ITEM that is written once more for each output */
} ht_part;

typedef struct ht_layout {
    ht_part *parts; /* owned */
    size_t count;
    ht_region region; /* items and work in order, as one list */
} ht_layout;

/* Cuts up the body. Refuses when threads after the end are not proved to do nothing. `enter`: look
 * inside if (inside) { ... }. */
void ht_layout_build(ht_coarsen *c, bool enter, ht_layout *out_layout);
void ht_layout_release(ht_layout *layout);
/* Which parts stand in front. `together` false: all outputs one after the other. */
void ht_layout_settle(ht_coarsen *c, ht_layout *layout, bool together);

/* ---- coarsen_write.c: text with replaced places ---- */

typedef struct ht_swap {
    ht_range range; /* begin == end: inserted */
    char *text;     /* in the language of ht_plan_edit; owned */
    size_t order;
} ht_swap;

typedef struct ht_writer {
    ht_coarsen *c;
    ht_text text;
    ht_swap *swaps; /* owned */
    size_t swap_count;
    bool sorted, failed; /* two different texts for one place */
    int depth;           /* levels of indentation in addition to the original's */
} ht_writer;

void ht_writer_swap(ht_writer *writer, ht_range range, char *text); /* takes `text` */
void ht_writer_swaps_clear(ht_writer *writer);
void ht_writer_source(ht_writer *writer, size_t begin, size_t end);
/* Text of our own; `$` only in ${EXPR}. */
void ht_writer_printf(ht_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A new line, indented like the line of `like` and by the writer's depth. */
void ht_writer_line(ht_writer *writer, size_t like);
/* Text of our own that has a newline in front of each line but the first, each indented so. */
void ht_writer_lines(ht_writer *writer, const char *text, size_t like);
void ht_writer_free(ht_writer *writer);
/* Adds what another wrote, with swaps of its own, and frees that. */
void ht_writer_join(ht_writer *writer, ht_writer *inner);
/* "TYPE name[n] = init;" of a variable that shares its declaration with others. */
void ht_writer_variable(ht_writer *writer, const ht_node *variable);
/* The type of a variable (element: of an array's elements) without const, as text that a name can
 * follow; NULL when it cannot be written. free(). */
char *ht_variable_type(const ht_variable *variable, bool element);
size_t ht_variable_name_end(const ht_node *node, const ht_variable *variable);
/* The end of the `[n][m]` after a name. */
size_t ht_variable_dimensions_end(const ht_coarsen *c, const ht_node *node, size_t begin);

/* ---- coarsen_prepare.c: how the work is written side by side ---- */

/* Settles the layout for the work written for all outputs side by side, and sets variables'
 * `array`. False: not possible, apart_reason says why. */
bool ht_jam_prepare(ht_coarsen *c, ht_layout *layout);
/* The parts that make up the work side by side, as a list. Free its `statements`. */
bool ht_part_is_standing(const ht_part *part);
ht_region ht_jam_region(const ht_layout *layout);
/* The statement around a node that runs once per output; NULL when the node runs once for all. */
const ht_node *ht_node_apart_root(const ht_node *node);
/* The end of the group of statements from `begin` on that run once per output. */
size_t ht_jam_group_end(ht_node **list, size_t begin, size_t count);

/* How `+ cx` gets into an access that steps. */
typedef enum ht_step_form {
    HT_STEP_INDEX,   /* p[i + cx] */
    HT_STEP_STAR,    /* *p: p[cx] */
    HT_STEP_ADDRESS, /* (&ACCESS(i))[cx] */
    HT_STEP_NONE
} ht_step_form;

ht_step_form ht_step_form_of(ht_coarsen *c, ht_node *access);
/* The stepping access around a name, in which the name stays the first output's. */
ht_node *ht_node_stepping_access(ht_coarsen *c, const ht_node *node);
/* Without implicit conversions. */
ht_node *ht_node_written(ht_node *node);
bool ht_variable_has_initialiser(const ht_coarsen *c, const ht_node *node);

/* ---- coarsen_swaps.c ---- */

typedef struct ht_jam_swaps {
    ht_coarsen *c;
    ht_writer *writer;
    bool front;                       /* what runs once for all outputs, whatever the nodes say */
    const struct ht_vectors *vectors; /* accesses that have their own text; NULL: none */
    bool label;                       /* a return stands in an inner loop */
    bool keeps_x;                     /* a macro names x: it is declared as the first output's */
} ht_jam_swaps;

/* For a list of statements. */
void ht_jam_swaps_add(ht_jam_swaps *swaps, ht_node **list, size_t count);
/* For the work, or for what stands in front of it. */
ht_jam_swaps ht_jam_swaps_make(ht_coarsen *c, const ht_layout *layout, ht_writer *writer,
                               bool front);

/* ---- coarsen_front.c ---- */

/* What stands in front, up to the opening of the guards; the number of braces to close. */
int ht_jam_front(ht_coarsen *c, const ht_layout *layout, ht_writer *writer);
/* The condition under which all outputs of a thread are inside. False when it cannot be written. */
bool ht_jam_condition(ht_coarsen *c, const ht_layout *layout, ht_writer *writer);

/* ---- coarsen_inside.c: tests that hold for all outputs when they hold for the first and last ----
 */

typedef struct ht_tests {
    ht_guard *guards; /* by statement of the group; term_count 0: no test; owned */
    size_t begin, count;
    bool any;
} ht_tests;

void ht_tests_find(ht_coarsen *c, ht_node **list, size_t begin, size_t end, ht_tests *out_tests);
void ht_tests_free(ht_tests *tests);
/* Returns true if an `if` without else skips the rest of its list. */
bool ht_test_skips(const ht_node *statement);
/* Returns true if its test, where it lets two outputs through, lets all between them. */
bool ht_test_is_convex(ht_coarsen *c, ht_node *statement);
/* Returns true if a test names the variable, or a variable made of it. */
bool ht_tests_need(ht_coarsen *c, const ht_tests *tests, size_t variable);

/* ---- coarsen_jam.c and coarsen_each.c: the two forms ---- */

void ht_jam_write(ht_coarsen *c, const ht_layout *layout, ht_writer *writer);
/* The parts that do not stand in front, in a loop over the outputs. */
void ht_each_write(ht_coarsen *c, const ht_layout *layout, ht_writer *writer, size_t like);

/* ---- coarsen_vector.c: accesses of neighbouring outputs as one (coarsen_vector.h) ---- */

/* From now on coarsen-x writes such loops, with the parameter VECTOR_OUTPUTS. */
void ht_vectors_begin(ht_coarsen *c);
/* What it wrote (NULL: there is none of them), for vector-width, which adds the parameter. */
void ht_vectors_offer(ht_coarsen *c, ht_range range, const char *text);

#endif
