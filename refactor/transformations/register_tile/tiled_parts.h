/* The tiled form, private (tiled*.c). The tree of the kernel's body, and the facts about its calls
 * and effects, are those of coarsening (coarsen_state.h); docs/tiling.md explains the form. */
#ifndef HT_REFACTOR_TILED_PARTS_H
#define HT_REFACTOR_TILED_PARTS_H

#include "refactor/transformations/coarsen/coarsen_state.h"
#include "refactor/transformations/register_tile/tiled.h"

enum { HT_TILED_AXES_MAX = 4 };

/* Facts about an output axis that only register-tile needs. */
typedef struct ht_tile_axis {
    ht_tiled_axis *form; /* the same axis in the form */
    size_t variable;     /* the index */
    char *type;          /* of the index, as text that a name can follow; owned */
    const char *step;
    const char *low, *high; /* names for these variables */
    bool has_low, has_high; /* guards bound the index in this direction */
    const ht_syntax *count; /* plain: n of blockIdx % n; NULL: blockIdx itself */
    bool repeats;      /* the author's loops have outputs need the nearest index inside again */
    const char *kept;  /* an array of it (tiled_nearest.h); NULL: there is none */
    const char *tiles; /* joined blocks: variable for their number; NULL: they are not */
} ht_tile_axis;

/* A comparison of a guard with an index, which must hold: index OP bound. */
typedef struct ht_tile_bound {
    size_t axis; /* index in form.axes; SIZE_MAX: it is the same for all outputs */
    const ht_syntax *node, *index, *bound;
    bool negated; /* `node` must not hold */
    int op;       /* the comparison that must hold, index on the left */
} ht_tile_bound;

/* A statement or variable before the last guard, or a guard. */
typedef struct ht_tile_item {
    const ht_syntax *node;
    bool guard;
    bool front;            /* written in front of the work */
    ht_tile_bound *bounds; /* owned */
    size_t bound_count;
} ht_tile_item;

typedef struct ht_tile_swap {
    const ht_syntax *node;
    char *text; /* owned */
} ht_tile_swap;

/* A read moved before the outputs' tests (tiled_once.c). */
typedef struct ht_tile_once {
    const ht_syntax *node;
    const char *name;
    char *type, *place; /* `place`: text in place of the read: "w_once[tx]"; owned */
    bool active;        /* it is in the segment being written */
} ht_tile_once;

typedef struct ht_tile_insert {
    long place;            /* a loop, HT_TILED_TOP or HT_TILED_FRONT */
    char *text;            /* owned */
    const ht_syntax *each; /* runs for each output for which this may differ; NULL: once */
    char *condition;       /* condition for it; owned */
    char *wide;            /* alternative text; NULL: none; owned */
    size_t vector;         /* index in form.vectors of the offer it belongs to */
} ht_tile_insert;

/* The kernel's body, divided: what stands before the work, and the work. */
typedef struct ht_tile_body {
    ht_tile_item *items; /* items before the work; owned */
    size_t item_count;
    ht_region all;  /* everything but guards and indices */
    ht_region work; /* statements written after the guards */
    bool leaves;    /* outputs outside run no segment at all */
} ht_tile_body;

/* Names in the form. */
typedef struct ht_tile_names {
    const char *tile;  /* the function that computes a thread's outputs */
    const char *edge;  /* its argument: some outputs may lie outside */
    const char *whole; /* variable: none does */
    const char
        *inside; /* the same where the text has one body (tiled_nearest.h); NULL: not asked */
} ht_tile_names;

/* Parts that other transformations put into the form. */
typedef struct ht_tile_additions {
    ht_tile_swap *swaps; /* replacements; owned */
    size_t swap_count;
    ht_tile_insert *inserts; /* owned */
    size_t insert_count;
    char *meets; /* condition under which threads meet inside; NULL: never; owned */
} ht_tile_additions;

/* Reads that outputs share although tests distinguish them. */
typedef struct ht_tile_onces {
    ht_tile_once *items; /* owned */
    size_t count;
    const char *any; /* variable: some output needs them */
} ht_tile_onces;

/* The inner path, for threads for whose outputs some comparisons always have the same result. */
typedef struct ht_tile_inner {
    const char *param, *name; /* the parameter, and a name that says that the path is taken; NULL:
                                 there is no such path */
    char *thread, *block;     /* conditions for a thread's outputs, and for the block's; owned */
} ht_tile_inner;

/* An axis along which a thread walks; names are NULL if there is none. */
typedef struct ht_tile_walked {
    size_t axis;
    const char *steps, *fresh, *last;
} ht_tile_walked;

/* The texts of the form. The template has the first, and an applied source one of them. */
typedef enum ht_tile_text {
    HT_TILE_APART, /* a function that is called in one way where all outputs are inside, and in
                      another where some may lie outside */
    HT_TILE_BLOCK, /* one body for all; threads may meet in it */
    HT_TILE_THREAD /* the same where threads do not meet: a thread without outputs returns, and the
                      author's declarations and guards stay */
} ht_tile_text;

/* The tiled form while it is made and written. */
typedef struct ht_tiled {
    ht_tiled_form form;
    ht_tile_text text; /* that is being written */
    bool is_apart[3];  /* by text: it cannot be written, and the parameter is required */
    int entered;       /* guards around the work in the text being written */
    char **conditions; /* of levels of indentation; owned */
    size_t condition_count;
    ht_coarsen c;
    ht_tile_axis axes[HT_TILED_AXES_MAX]; /* all axes of the form, outermost first */
    size_t axis_count;
    ht_tile_body body;
    ht_tile_bound count; /* joined blocks: the plain index is less than their number */
    bool *part;          /* by variable: used for an index only; owned */
    bool *again;         /* by variable: computed anew in each segment that needs it; owned */
    bool *led; /* by variable: its declaration's comments stand in the text being written; owned */
    bool *along; /* by node: depends on the plain index; owned */
    ht_tile_names names;
    ht_tile_additions added;
    ht_tile_onces once;
    ht_tile_onces ahead; /* reads ahead of the loops over outputs (tiled_ahead.c) */
    ht_vector_use vector;
    ht_tile_inner inner;
    ht_tile_walked walk;
} ht_tiled;

#endif
