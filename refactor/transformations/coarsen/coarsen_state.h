/* The state of thread coarsening over x: facts about the values of a kernel's body, its begin, its
 * end, and reasons against it. Private. docs/coarsening.md explains the terms. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_STATE_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_STATE_H

#include "refactor/kernel/syntax.h"
#include "refactor/plan/transform.h"

/* Difference of a value between the outputs of one thread. */
typedef enum ht_share {
    HT_SHARE_SAME, /* none */
    HT_SHARE_STEP, /* output c has the first one's value plus c (elements, for pointers) */
    HT_SHARE_OWN   /* each output has its own */
} ht_share;

/* Notes of coarsening about a node. */
typedef struct ht_mark {
    bool entered; /* IF: the work is inside */
    bool apart;   /* statement: runs once for each output */
    bool skips;   /* IF, apart: statements after it have the test themselves (coarsen_carry.c) */
    bool enters;  /* IF: so do those inside it, unless it is apart */
    bool next;    /* an access: the next output's is the next element (coarsen_vector.h) */
    bool convex;  /* an IF that holds for a contiguous range of outputs */
    bool alike;   /* such an IF that holds for all or none of them */
    const char *pack, *row; /* names for it as a part of one access; NULL: none yet */
} ht_mark;

/* Notes of coarsening about a variable. */
typedef struct ht_value {
    ht_share share;
    bool own;   /* share can only be HT_SHARE_OWN */
    bool array; /* written as an array with an element for each output */
    bool moved; /* declared for each output (or path) instead of in front of all */
} ht_value;

/* Names in a coarsened kernel, of its parameters and variables. */
typedef struct ht_coarsen_names {
    const char *factor;     /* COARSEN_X, or a free name in its place */
    const char *strided;    /* COARSEN_X_STRIDED: outputs of a thread are a block apart */
    const char *jam;        /* COARSEN_X_JAM: outputs are computed side by side */
    const char *rows;       /* COARSEN_X_ROWS: and lie in one row */
    const char *first;      /* x0 */
    const char *counter;    /* cx */
    const char *step;       /* x_step: the distance of a thread's outputs, in the template */
    char *apart;            /* " * x_step" unless it is 1; owned */
    char *offset;           /* the distance of the counter's output: cx * x_step; owned */
    const char *label;      /* next_x */
    const char *label_each; /* next_x_2 */
    const char *inside;     /* inside */
} ht_coarsen_names;

/* Accesses to neighbouring outputs' elements written as one: their names, and how it went. */
typedef struct ht_vector_use {
    const char *param;        /* VECTOR_OUTPUTS: the outputs in one access; NULL: not written */
    const char *begin, *each; /* cx_first, cx_each */
    const char *inside;       /* of tests ahead of them; only the tiled form has it */
    const char *aligned;      /* VECTOR_ALIGNED, or a free name in its place; NULL: no such form */
    bool alignable;           /* an access has that form */
    size_t count;             /* accesses written so */
    size_t bytes;             /* of the largest element of these; 0: one is not known */
    const char *why;          /* the first reason why one is not; NULL: none; static */
    ht_position at;           /* of that */
} ht_vector_use;

/* A kernel whose threads are to compute several outputs each. */
typedef struct ht_coarsen {
    const ht_model *model;
    ht_plan *plan;
    const ht_syntax_tree *tree; /* the kernel's; NULL: not asked for yet, or refused */
    ht_mark *marks;             /* by node; owned */
    ht_value *values;           /* by variable; owned */
    size_t x;                   /* the variable that holds the global index */
    const ht_syntax *atomic;    /* a call of an atomic function, if any */
    ht_coarsen_names names;
    ht_vector_use vector;
    bool carries;       /* tests may move into the loops after them */
    bool has_rows;      /* there is text for outputs in one row */
    bool in_rows;       /* a thread's outputs lie in one row (coarsen_rows.h) */
    bool meets;         /* threads may meet at barriers and share arrays */
    bool refused;       /* a remark was added */
    char *apart_reason; /* why outputs must be computed one at a time; NULL: they need not; owned */
    ht_position apart_place;
} ht_coarsen;

/* A list of statements. Variables of a declaration may be in it by themselves, as VARIABLE
 * nodes. */
typedef struct ht_region {
    const ht_syntax **statements; /* owned */
    size_t count;
} ht_region;

/* Takes the kernel's tree. If a part of it is not analysed, adds a remark and sets `refused`. */
void ht_coarsen_tree(ht_coarsen *c);
void ht_coarsen_free(ht_coarsen *c);
void ht_coarsen_refuse(ht_coarsen *c, ht_position place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets apart_reason: why the outputs of one thread cannot be computed together. */
void ht_coarsen_set_reason(ht_coarsen *c, ht_position place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns true if the kernel has #if and the like: branches that are not compiled now
 * may be later. */
bool ht_coarsen_has_directives(const ht_model *model);

#endif
