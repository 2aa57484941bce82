/* What a block may keep of an input in shared memory: for reads of one array that differ by
 * constants only, the box of elements that the block's outputs and the loops inside read, the place
 * where that box is loaded, and which of its elements the original reads at all. Private to
 * refactor/.
 *
 * A dimension of a read is a sum of multiples of the outputs' indices, of multiples of loops'
 * symbols, and of a rest that is the same for the block at the place of the load (`given`). The box
 * in the dimension begins at `low` plus the multiples of the origins of the block's outputs. */
#ifndef HT_REFACTOR_STAGE_H
#define HT_REFACTOR_STAGE_H

#include "base/text.h"
#include "refactor/kernel_model/kernel_model.h"

enum { HT_STAGE_DIMENSIONS_MAX = 6, HT_STAGE_LOOPS_MAX = 8, HT_STAGE_BOUNDS_MAX = 24 };

/* How the outputs of a block lie, and what is constant. */
typedef struct ht_stage_frame {
    bool axis[3];          /* a thread's index along it is that of outputs */
    const char *tile[3];   /* outputs of a block along it, template expressions */
    int64_t tile_usual[3]; /* as many as to judge by whether staging may pay */
    /* Returns true if a loop's control is the same for all threads of a block, with that of all
     * around it. */
    bool (*is_uniform)(const void *context, CXCursor loop);
    /* The template constant that an argument is, with 0 for any value; NULL: it is none. */
    const char *(*constant)(const void *context, const char *argument);
    const void *context;
} ht_stage_frame;

/* A test for elements that are loaded: `value`, over what is given and the element's coordinates
 * (ht_stage.coordinates), is not negative. An element is loaded where all tests of one alternative
 * hold; they are in the order of alternatives. */
typedef struct ht_stage_bound {
    size_t alternative;
    const ht_poly *value;
} ht_stage_bound;

typedef struct ht_stage_dimension {
    const ht_poly *stride;
    bool uniform;        /* one element wide, the same for all that is loaded at once */
    int64_t factor[3];   /* of the outputs' indices */
    const ht_poly *low;  /* of the box, without the outputs' origins; over what is given */
    const ht_poly *span; /* what loops and neighbours add to the outputs': constants, arguments */
    char *extent;        /* template expression; owned */
    int64_t extent_usual;
} ht_stage_dimension;

typedef struct ht_stage_read {
    const ht_km_access *access;
    /* Its place in the box without the outputs' part: over loops' symbols and what is given. */
    const ht_poly *inside[HT_STAGE_DIMENSIONS_MAX];
    bool held[HT_STAGE_DIMENSIONS_MAX]; /* by min and max: the index itself is to be printed */
} ht_stage_read;

typedef struct ht_stage {
    ht_kernel_model *km;
    const ht_stage_frame *frame;
    size_t array;
    const char *type;                 /* in which coordinates are computed: "int", "long long" */
    size_t outer[HT_STAGE_LOOPS_MAX]; /* the loops around the load, outermost first */
    size_t outer_count;
    ht_stage_dimension dimensions[HT_STAGE_DIMENSIONS_MAX];
    size_t dimension_count;
    ht_stage_read *reads; /* owned */
    size_t read_count;
    ht_stage_bound bounds[HT_STAGE_BOUNDS_MAX];
    size_t bound_count;
    size_t coordinates[HT_STAGE_DIMENSIONS_MAX]; /* symbols that stand for an element's index */
    /* Set ahead of printing; borrowed: of coordinates, and of the outputs' indices. */
    const char *coordinate_names[HT_STAGE_DIMENSIONS_MAX], *output_names[3];
    const char *ahead_name;
    const char *constants[HT_STAGE_LOOPS_MAX]; /* template constants that must not be 0; borrowed */
    size_t constant_count;
    char *wide; /* a template expression that must hold, so that windows leave no gaps between them;
                   NULL: none; owned */
    const char *problem; /* why there is none; owned by the model or static */
    ht_km_place problem_place;
    CXCursor problem_cursor;
} ht_stage;

/* The reads of an array that a tile can serve. False: `problem` says why. ht_stage_free either way.
 */
bool ht_stage_find(ht_stage *stage, ht_kernel_model *km, size_t array, const ht_stage_frame *frame);
void ht_stage_free(ht_stage *stage);

/* Returns true if what later iterations of the loop around the load read may be loaded ahead. */
bool ht_stage_may_run_ahead(const ht_stage *stage);

/* "int" where all subscripts are, else what holds any index. */
const char *ht_stage_index_type(const ht_km_access *const *reads, size_t count);
/* Returns true if each of the loops around can be known by its counter's name. */
bool ht_stage_counters_differ(const ht_kernel_model *km, const ht_km_control *control);
/* Returns true if the symbol is the same for all threads of the block at the place of the load. */
bool ht_stage_is_given(const ht_stage *stage, size_t symbol);
/* Returns true if a loop is inside of that place. */
bool ht_stage_is_inner(const ht_stage *stage, size_t loop);
/* Says why not; always false. */
bool ht_stage_fail(ht_stage *stage, CXCursor at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* clamp.c: the index without min and max around what moves. */
const ht_poly *ht_stage_core(const ht_stage *stage, const ht_poly *index);
/* The index of an output along an axis. */
const ht_poly *ht_stage_output(const ht_stage *stage, int axis);
/* Returns true if an index that is held by min and max lies in the box. */
bool ht_stage_stays_inside(ht_stage *stage, const ht_km_access *access, size_t dimension);

/* box.c: how often a loop runs, a sum of constants of the template; NULL: it is none. */
const ht_poly *ht_stage_trips(ht_stage *stage, const ht_km_loop *loop);
/* Dimensions and places in the box of the reads that are found. */
bool ht_stage_box(ht_stage *stage);
/* bounds.c: which elements may be loaded. */
bool ht_stage_bounds(ht_stage *stage);
/* Returns true if the tests depend on the block's own place along an axis, other than by a
 * division. */
bool ht_stage_asks_block(const ht_stage *stage, int axis);

/* print.c: a polynomial as C, over arguments, loops' counters and built-in indices. Arguments that
 * are not int are converted to stage->type. False: it holds something that cannot be named there.
 */
bool ht_stage_print(const ht_stage *stage, const ht_poly *poly, ht_text *out);
/* The same after something else: " + 3", " - pad"; nothing for 0. */
bool ht_stage_print_more(const ht_stage *stage, const ht_poly *poly, ht_text *out);
/* As a template expression, arguments by their constants (which are noted to be needed). */
bool ht_stage_print_constant(ht_stage *stage, const ht_poly *poly, ht_text *out);
bool ht_stage_print_constant_more(ht_stage *stage, const ht_poly *poly, ht_text *out);
/* Symbols that print as names: of an element's coordinate (by dimension), of an output's index (by
 * axis), of how many iterations ahead a load is, of a loop's counter. */
enum {
    HT_STAGE_OUTPUT = HT_STAGE_DIMENSIONS_MAX,
    HT_STAGE_AHEAD = HT_STAGE_OUTPUT + 3,
    HT_STAGE_COUNTER
};
size_t ht_stage_coordinate(ht_kernel_model *km, size_t which);
/* Outputs' indices along an axis by name, with the part of the block that belongs to them. */
const ht_poly *ht_stage_name_output(const ht_stage *stage, const ht_poly *poly, int axis);
/* The polynomial with another in place of a symbol; NULL when it gets out of hand. */
const ht_poly *ht_stage_replace(ht_kernel_model *km, const ht_poly *poly, size_t symbol,
                                const ht_poly *by);

#endif
