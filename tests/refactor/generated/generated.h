/* Random convolution and stencil kernels as people write them: one kernel with its host launch and,
 * mostly, a problem file. A choice is drawn first (generated_choice.c), then printed: the kernel
 * (generated_kernel.c, with its loops in generated_loops.c) and what surrounds it
 * (generated_host.c). The same number gives the same source. */
#ifndef HT_TESTS_REFACTOR_GENERATED_H
#define HT_TESTS_REFACTOR_GENERATED_H

#include "base/random.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct generated {
    char *source;  /* owned */
    char *problem; /* a problem file; NULL: it is to be inferred. Owned */
    char *about;   /* the choices in words. Owned */
} generated;

void generated_make(uint64_t number, generated *out);
void generated_free(generated *made);

/* ---- the parts ---- */

typedef enum gen_operation {
    GEN_CONVOLUTION,
    GEN_DEPTHWISE,
    GEN_FILTER,
    GEN_MAXIMUM,
    GEN_STAR
} gen_operation;
typedef enum gen_padding {
    GEN_VALID,
    GEN_TESTED,
    GEN_CLAMPED,
    GEN_PADDED,
    GEN_INTERIOR
} gen_padding;
typedef enum gen_guard { GEN_RETURN, GEN_WRAPPED, GEN_PER_AXIS, GEN_EXACT } gen_guard;

/* A number of the kernel that may be a literal, a macro, a constant, a template argument or an
 * argument. */
typedef enum gen_form {
    GEN_LITERAL,
    GEN_MACRO,
    GEN_CONSTEXPR,
    GEN_TEMPLATE,
    GEN_ARGUMENT
} gen_form;

typedef struct gen_number {
    gen_form form;
    int value;
    char name[16]; /* of a number that has one */
} gen_number;

/* Where a coordinate of the output comes from. */
typedef enum gen_source {
    GEN_GLOBAL,   /* blockIdx * blockDim + threadIdx */
    GEN_BLOCK,    /* blockIdx */
    GEN_COMBINED, /* blockIdx.z, taken apart with the coordinate that follows it */
    GEN_LOOP,     /* a loop over all of its values */
    GEN_ROWS,     /* a loop over a few values a block apart, with a test */
    GEN_FLAT      /* of the flattened index, by division and remainder */
} gen_source;

enum { GEN_COORDINATES = 5, GEN_DIMENSIONS = 3, GEN_ROWS_A_THREAD = 4 };

typedef struct gen_coordinate {
    const char *name;   /* "ox" */
    const char *extent; /* "OW" */
    gen_source from;
    int axis;    /* of the grid */
    int spatial; /* which dimension; -1: n or k */
} gen_coordinate;

typedef struct gen_choice {
    uint64_t number;
    ht_random random; /* for what is drawn while printing */
    gen_operation operation;
    gen_padding padding;
    gen_guard guard;
    const char *type; /* of elements */
    int dimensions;
    bool batch, channels, nhwc;
    gen_number window[GEN_DIMENSIONS];
    int stride, dilation, pad[GEN_DIMENSIONS];
    bool same; /* output and input have the same extents, one name */
    const char *out_extent[GEN_DIMENSIONS], *in_extent[GEN_DIMENSIONS], *out_name[GEN_DIMENSIONS];
    gen_coordinate coordinates[GEN_COORDINATES]; /* outermost of the layout first */
    int coordinate_count;
    bool flat, window_first, unrolled; /* unrolled: a star's terms are written out */
    int block[3], block_axes;
    gen_form block_form;
    bool block_constant; /* the kernel uses the constant, not blockDim */
    bool horner, address_macro, address_function, temporaries, bias, relu, old_spelling;
    bool inferred, arrows;
    bool weights;           /* else constants, or none */
    bool centred;           /* window loops run from -radius to radius */
    bool from_outputs;      /* the host knows the output's extents, and computes the input's */
    int test_form;          /* how padding is tested or clamped */
    const char *index_type; /* of coordinates that are global indices */
} gen_choice;

void gen_choose(uint64_t number, gen_choice *out);
/* A random number below `bound`, one in `bound`. */
int gen_below(gen_choice *choice, int bound);

/* How the kernel writes a number. */
const char *gen_number_text(const gen_number *number, char buffer[16]);
/* How many of its windows have numbers of their own: a star has one radius. */
int gen_windows(const gen_choice *choice);
/* Radius of the window along a dimension, in elements of the input. */
int gen_radius(const gen_choice *choice, int dimension);
/* The extent of the input along a dimension, as the kernel calls it. */
const char *gen_input_extent(const gen_choice *choice, int dimension, char buffer[48]);
/* The type of the input's coordinates: that of the output's where none is below 0. */
const char *gen_input_index_type(const gen_choice *choice);
void gen_print_kernel(gen_choice *choice, ht_text *out);
/* The loops over channels and window, with what they add up into `acc`. */
void gen_print_sum(gen_choice *choice, int depth, ht_text *out);
/* A subscript: coordinates, outermost first, and the extents of all but the first. */
void gen_print_subscript(bool horner, const char *const *coordinates, const char *const *extents,
                         int count, ht_text *out);
/* The element of the input at these spatial coordinates (x first), as the kernel reads it. */
void gen_print_input(const gen_choice *choice, const char *const *spatial, ht_text *out);
/* Extents of the input in the order of its layout, as the kernel calls them, in `buffers`. */
int gen_input_extents(const gen_choice *choice, const char **out, char buffers[][48]);
/* The function or macro that input elements are addressed with, where there is one. */
void gen_print_helpers(const gen_choice *choice, ht_text *out);
void gen_print_line(ht_text *out, int depth, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void gen_print_constants(const gen_choice *choice, ht_text *out);
void gen_print_host(gen_choice *choice, ht_text *out);
void gen_print_problem(const gen_choice *choice, ht_text *out);
/* The kernel's arguments, in order: calls `each` with what an argument is called, its type in the
 * kernel, and what the problem file says of it. */
typedef void (*gen_argument)(void *context, const char *name, const char *type,
                             const char *problem);
void gen_arguments(const gen_choice *choice, gen_argument each, void *context);

#endif
