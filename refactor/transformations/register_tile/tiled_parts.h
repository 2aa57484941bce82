/* Private to the tiled form (tiled*.c). The tree of the kernel's body, and what is known of its
 * calls and effects, is that of coarsening (coarsen.h); docs/tiling.md explains the form. */
#ifndef HT_REFACTOR_TILED_PARTS_H
#define HT_REFACTOR_TILED_PARTS_H

#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen.h"
#include "refactor/transformations/register_tile/tiled.h"

enum { HT_TILED_AXES_MAX = 4 };

/* What only register-tile needs to know of an output axis. */
typedef struct ht_tile_axis {
    size_t variable; /* the index */
    char *type;      /* of the index, as text that a name can follow; owned */
    const char *step;
    const char *low, *high; /* names for these variables */
    bool has_low, has_high; /* guards bound it so */
    ht_node *count;         /* plain: n of blockIdx % n; NULL: blockIdx itself */
} ht_tile_axis;

/* One comparison of a guard with an index, which must hold: index OP bound. */
typedef struct ht_tile_bound {
    size_t axis; /* of form.axes; SIZE_MAX: the same for all outputs */
    ht_node *node, *index, *bound;
    bool negated; /* `node` must not hold */
    int op;       /* the comparison that must hold, index on the left */
} ht_tile_bound;

/* A statement or variable in front of the last guard, or a guard. */
typedef struct ht_tile_item {
    ht_node *node;
    bool guard;
    bool front;            /* written in front of the work */
    ht_tile_bound *bounds; /* owned */
    size_t bound_count;
} ht_tile_item;

typedef struct ht_tile_swap {
    ht_node *node;
    char *text; /* owned */
} ht_tile_swap;

/* A read ahead of the outputs' tests (tiled_once.c). */
typedef struct ht_tile_once {
    ht_node *node;
    const char *name;
    char *type, *place; /* what stands for it: "w_once[tx]"; owned */
    bool active;        /* in the segment that is written */
} ht_tile_once;

typedef struct ht_tile_insert {
    long place;      /* a loop, HT_TILED_TOP or HT_TILED_FRONT */
    char *text;      /* owned */
    ht_node *each;   /* run for each output that this expression tells apart; NULL: once */
    char *condition; /* under which; owned */
    char *wide;      /* what may stand there instead; NULL: nothing; owned */
    size_t vector;   /* of form.vectors: what it belongs to */
} ht_tile_insert;

typedef struct ht_tiled {
    ht_tiled_form form;
    ht_coarsen c;
    ht_tiled_axis *tiled[HT_TILED_AXES_MAX]; /* all axes of the form, outermost first */
    ht_tile_axis axes[HT_TILED_AXES_MAX];    /* the same */
    size_t axis_count;
    ht_tile_item *items; /* in front of the work; owned */
    size_t item_count;
    ht_region all;  /* everything but guards and indices */
    ht_region work; /* what is written after the guards */
    bool *part;     /* by variable: serves nothing but an index; owned */
    bool *again;    /* by variable: computed anew in each segment that needs it; owned */
    bool *along;    /* by node: depends on the plain index; owned */
    bool leaves;    /* outputs outside run no segment at all */
    const char *edge, *whole, *tile;
    ht_tile_swap *swaps; /* what others replaced; owned */
    size_t swap_count;
    ht_tile_insert *inserts; /* owned */
    size_t insert_count;
    ht_tile_once *onces; /* owned */
    size_t once_count;
    const char *once_any;
    const char *vector; /* the parameter of outputs whose elements are one access; NULL: none */
    const char *vector_begin, *vector_each, *vector_inside;
    size_t vector_count;    /* accesses written so */
    const char *vector_why; /* the first that is not; NULL: none; static */
    CXCursor vector_at;
    /* A way of its own for threads in whose outputs' windows some comparisons always come out the
     * same: the parameter, a name for `it is taken`, and the condition for a thread's outputs and
     * for the block's. NULL: there is none; texts owned. */
    const char *within, *inner;
    char *within_thread, *within_block;
    char *meets; /* the condition under which threads meet inside; NULL: never; owned */
    /* An axis along which a thread walks; names are NULL where it does not. */
    size_t walked;
    const char *steps, *fresh, *last;
} ht_tiled;

/* ---- tiled_front.c: guards, and what stands in front of the work ---- */

/* Cuts the body up, and finds what differs between outputs. Refuses (c.refused) with a remark. */
void ht_tiled_cut(ht_tiled *t);
void ht_tiled_uncut(ht_tiled *t); /* forgets all of that */
/* Writes what stands in front: tile origins, bounds, statements, the test for empty blocks. */
void ht_tiled_write_front(ht_tiled *t, ht_writer *writer, size_t like);

/* ---- tiled_share.c: which variables are computed anew, and which become arrays ---- */

void ht_tiled_share(ht_tiled *t, const ht_region *region);
/* Sets `again` and the variables' `array`. Refuses what cannot be written. */
void ht_tiled_settle(ht_tiled *t);
bool ht_tiled_any_apart(const ht_node *node);
/* Returns true if the variable is the index of an output. */
bool ht_tiled_is_index(const ht_tiled *t, size_t variable);
/* Returns true if what differs in it between outputs is an index, or computed anew of such. */
bool ht_tiled_is_known(const ht_tiled *t, ht_node *expression);
/* Marks in `needed` (by variable) what is computed anew for the statements list[begin..end):
 * indices and variables with `again`. False when one of their names means something else there. */
bool ht_tiled_needs(ht_tiled *t, ht_node **list, size_t begin, size_t end, bool *needed);
/* Returns true if the statement only declares variables that are computed anew where they are
 * needed. */
bool ht_tiled_is_skipped(const ht_tiled *t, const ht_node *item);
/* The same for the tests that a statement is to ask for (coarsen_carry.c). */
void ht_tiled_needs_tests(ht_tiled *t, const ht_node *statement, bool *needed);
/* Returns true if there is nothing in it but what is computed, or asked for, where it is needed. */
bool ht_tiled_is_idle(const ht_tiled *t, ht_node **list, size_t begin, size_t end);
/* Returns true if the variable is an array of nothing but zeros at first. */
bool ht_tiled_is_zero(const ht_tiled *t, const ht_node *variable);
/* The variables that a statement declares. */
size_t ht_tiled_declared(ht_node *item, ht_node ***out_list);

/* Cuts and settles the body anew, as it was after other questions had been asked of it. */
void ht_tiled_cut_again(ht_tiled *t);

/* ---- tiled_write.c: the form as text ---- */

/* Notes the places that read differently in `node`. `vectors`: accesses that have their own text;
 * NULL: none. */
void ht_tiled_collect_swaps(ht_tiled *t, ht_node *node, ht_writer *writer,
                            const struct ht_vectors *vectors);

/* The whole form, with its braces; NULL when it cannot be written. free(). */
char *ht_tiled_text(ht_tiled *t);
/* The output's index, not clamped: "x0 + tx * x_step". free(). */
char *ht_tiled_place(const ht_tiled *t, size_t axis);
/* In front of which statement of the work the text for HT_TILED_TOP stands: that, or the segment
 * that it begins, may be the first that reads what is staged. */
size_t ht_tiled_top(const ht_tiled *t);
/* Runs the work for all outputs of the thread. `walk`: they are walked along an axis. */
typedef enum ht_tile_walk {
    HT_WALK_NOT,
    HT_WALK_MAY, /* a parameter says whether */
    HT_WALK_DOES
} ht_tile_walk;
void ht_tiled_write_calls(ht_tiled *t, ht_tile_walk walk, ht_writer *writer, size_t like);

/* ---- tiled_plain.c: an axis whose index is blockIdx itself ---- */

/* Adds such an axis where that leaves the loops outside of the segments where they are, and reads
 * inside of loops are the same along it. The body must be cut and settled before, and is after. */
void ht_tiled_add_plain(ht_tiled *t);
/* The block's part of it, where the index is declared in the source. */
void ht_tiled_write_plain(ht_tiled *t, const ht_node *declaration, ht_writer *writer, size_t like);

/* ---- tiled_meet.c: kernels whose threads meet at barriers, with nothing but a plain axis ---- */

/* Refuses where there is anything of the kind in a function that the kernel calls.
 */
void ht_tiled_check_reached(ht_tiled *t);
/* Refuses where an output would reach a barrier, or write what the block shares, by itself. */
void ht_tiled_check_meeting(ht_tiled *t);

/* ---- tiled.c ---- */

/* Names of an axis's variables; its factor is set. */
void ht_tiled_name_axis(ht_tiled *t, size_t axis);

/* Puts the form's text into the plan, in place of what it has of it. */
bool ht_tiled_put(ht_tiled *t, const char *form);

/* ---- tiled_stage.c ---- */

/* Returns true if it, a part of it or what it is a part of was replaced. */
bool ht_tiled_is_replaced(const ht_tiled *t, const ht_node *node);
/* What others replaced and inserted. */
void ht_tiled_forget(ht_tiled *t);

/* ---- tiled_vector.c: accesses of outputs side by side as one ---- */

/* The loops of a segment, `usual` where nothing of it can be one access. */
typedef void ht_tiled_usual(ht_tiled *t, ht_node **list, size_t begin, size_t end,
                            ht_writer *writer);
void ht_tiled_write_vectors(ht_tiled *t, ht_node **list, size_t begin, size_t end,
                            ht_tiled_usual *usual, ht_writer *writer);

/* ---- tiled_segment.c: loops over a thread's outputs ---- */

/* An array with an element for each output that the needed axes tell apart, "[${COARSEN_X}]", and
 * the one of the output at hand, "[tx]". free(). */
void ht_tiled_write_places(const ht_tiled *t, const bool *needed, char **out_dimensions,
                           char **out_place);

/* Parts of it: loops over all axes (or those that are `needed`) but the last `inner`, and how many;
 * an output's index; what is computed anew; the statements. */
int ht_tiled_write_loops(ht_tiled *t, const bool *needed, size_t inner, ht_writer *writer,
                         size_t like);
void ht_tiled_write_index(ht_tiled *t, size_t axis, bool clamped, ht_writer *writer, size_t like);
void ht_tiled_write_again(ht_tiled *t, ht_node **list, size_t begin, size_t end, const bool *needed,
                          ht_writer *writer, size_t like);
/* The loops over the axes that are needed, with the indices inside and what is computed of them;
 * how many, for the end of them. */
int ht_tiled_begin_loops(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like);
void ht_tiled_end_loops(int loops, ht_writer *writer, size_t like);
void ht_tiled_write_tests(const ht_node *statement, ht_writer *writer, size_t like);
void ht_tiled_write_items(ht_tiled *t, ht_node **list, size_t begin, size_t end, const bool *needed,
                          ht_writer *writer, size_t like);

void ht_tiled_write_segment(ht_tiled *t, ht_node **list, size_t begin, size_t end,
                            ht_writer *writer);
/* One of somebody else's statements. */
void ht_tiled_write_each(ht_tiled *t, const ht_tile_insert *insert, ht_writer *writer, size_t like);

/* ---- tiled_once.c: reads that outputs share though tests tell them apart ---- */

/* Writes them ahead of a segment's loops; false: there are none. Until the end the swaps that are
 * collected have them. */
bool ht_tiled_once_begin(ht_tiled *t, ht_node **list, size_t begin, size_t end, ht_writer *writer,
                         size_t like);
void ht_tiled_once_end(ht_tiled *t, ht_writer *writer, size_t like);
/* What stands for it now; NULL: it stands for itself. Borrowed. */
const char *ht_tiled_once_text(const ht_tiled *t, const ht_node *node);
void ht_tiled_once_free(ht_tiled *t);

/* ---- tiled_stage.c, tiled_stream.c ---- */

/* The expression's node in the work; NULL: there is none, or it depends on the plain index. */
ht_node *ht_tiled_find(const ht_tiled *t, CXCursor expression);
/* This thread's first output along an axis. */
void ht_tiled_write_first(ht_tiled *t, size_t axis, ht_writer *writer, size_t like);
/* ht_tiled_write_calls, in a loop where outputs are walked. */
void ht_tiled_write_walk(ht_tiled *t, ht_writer *writer, size_t like);

#endif
