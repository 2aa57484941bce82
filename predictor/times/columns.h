/* Configurations of one problem on one device as numbers that say why one is faster than another:
 *
 *   param NAME         a value; of what has no order, its place in the list
 *   term TEXT          a subexpression of the constraints (ht_space_term): threads, bytes of LDS
 *   threads, block_x, block_y, block_z, lds     of the first launch's block
 *   blocks, grid_x, grid_y, grid_z, waves       of its grid; waves of a block
 *   rounds, tail       blocks of the busiest unit; the share of the units that the last round uses
 *   all, each, cover   threads of all blocks; outputs of a thread; what is covered over what there
 *                      is, of all quotients in the grid together
 *   gain, kept         outputs of a wave with work, next to those where a thread has one output
 *                      along x; gain over the outputs of a thread along x
 *   left NAME FIELD    of a parameter that does not shape the launch and is named after a field of
 *                      the problem (UNROLL_C): its steps through that size together, over the size
 *   limit I            of the I-th comparison in the constraints that limits something of the
 *                      configuration: how much of the limit is used
 *   waste I, pieces I  of the I-th quotient in the grid: how much what is covered is larger than
 *                      what there is; its pieces
 *   fact I             search/launch_facts.h
 *   field NAME         of the problem, and what its family derives
 *   device NAME        numbers of the device
 *
 * A column that is not there, or not known, is NaN. Columns go by name from one problem to the
 * next. */
#ifndef HT_PREDICTOR_TIMES_COLUMNS_H
#define HT_PREDICTOR_TIMES_COLUMNS_H

#include "search/launch_facts.h"
#include "templates/space/space.h"

/* The numbers that make a GPU fast; 0: not known. */
typedef struct ht_time_device {
    double wavefront;   /* lanes */
    double units;       /* that hold blocks */
    double lanes;       /* vector lanes of all units together */
    double mhz;         /* of the shader clock */
    double memory_rate; /* bytes a second */
    double cache;       /* bytes of the last cache */
    double lds;         /* bytes of LDS a unit */
} ht_time_device;

typedef struct ht_columns ht_columns;

/* `extents` of the problem of a space that comes from a T1 file, as JSON ("[4096, 4096]"; NULL or
 * "": not known). Space and device are borrowed. */
ht_columns *ht_columns_new(const ht_space *space, const ht_time_device *device,
                           const char *extents);
void ht_columns_free(ht_columns *columns);
size_t ht_columns_count(const ht_columns *columns);
const char *ht_columns_name(const ht_columns *columns, size_t index); /* borrowed */
/* Writes one column after the other: count values each. `wanted`: those to write, the others are
 * left as they are; NULL: all. */
void ht_columns_fill(const ht_columns *columns, const ht_config *configs, size_t count,
                     const bool *wanted, float *out_values);

#endif
