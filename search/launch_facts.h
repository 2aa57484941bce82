/* Facts of a launch, known before a configuration is compiled: tiles that do not divide the
 * problem, wavefronts that are not full, blocks that are narrow or large. A prior
 * (search/prior.h) for searches on GPUs; the cores that emulate one know nothing of wavefronts. */
#ifndef HT_SEARCH_LAUNCH_FACTS_H
#define HT_SEARCH_LAUNCH_FACTS_H

#include "search/prior.h"

#include <stdbool.h>

enum { HT_LAUNCH_AXES = HT_SPACE_AXES };

typedef enum ht_launch_fact {
    HT_FACT_PARTIAL_X,    /* 1: block times tile does not divide the problem along x */
    HT_FACT_PARTIAL_YZ,   /* 1: nor along y or z */
    HT_FACT_PARTIAL_WAVE, /* 1: the last wavefront of a block is not full */
    HT_FACT_IDLE_LANES,   /* log(lanes / threads) */
    HT_FACT_LARGE_BLOCK,  /* how often the block has twice the threads of 256 */
    HT_FACT_NARROW_BLOCK, /* how often a wavefront is twice as wide as the block along x */
    HT_LAUNCH_FACTS,
    /* Not of one launch alone: */
    HT_FACT_WIDE_TILE = HT_LAUNCH_FACTS, /* log2 of a thread's outputs along x, 0 where it has no
                                            choice of having them along y or z, and where what a
                                            block covers is not its size times a tile */
    HT_FACTS
} ht_launch_fact;

typedef struct ht_launch_facts {
    const ht_space *space;
    ht_space_launch launch[HT_LAUNCH_AXES];
    bool choice;                   /* of a thread's outputs along x or along y and z */
    double extent[HT_LAUNCH_AXES]; /* of the problem, in outputs; 0: not known */
    double wavefront;
} ht_launch_facts;

/* Takes the launch that the space declares (ht_space_declared_launch); else finds the parameters by
 * the names that Kernel Tuner's scripts give them: block_size_x, tile_size_x (or block_size,
 * tile_size), and so on for y and z. `problem`: its extents as JSON, "[4096, 4096]" or "4096"; ""
 * when not known. `device`: a name, for the wavefront's width. Returns false when the space has no
 * block. The space is borrowed. */
bool ht_launch_facts_of_space(const ht_space *space, const char *problem, const char *device,
                              ht_launch_facts *out_facts);
/* Writes the threads of a block along each axis, and what of the problem it computes. */
void ht_launch_facts_sizes(const ht_launch_facts *facts, const ht_config *config,
                           double out_block[HT_LAUNCH_AXES], double out_covered[HT_LAUNCH_AXES]);
/* Writes HT_LAUNCH_FACTS values of one launch: the block's size along each axis, and whether what
 * blocks cover sticks out of the problem. */
void ht_launch_facts_of(const double block[HT_LAUNCH_AXES], const bool partial[HT_LAUNCH_AXES],
                        double wavefront, double *out_values);
/* Returns a prior that has the facts' weights, and their values from elsewhere. */
ht_prior ht_launch_facts_weighted(void (*values)(const void *context, const ht_config *config,
                                                 double *out_values),
                                  const void *context);
/* Writes HT_FACTS values. */
void ht_launch_facts_values(const ht_launch_facts *facts, const ht_config *config,
                            double *out_values);
/* The prior borrows the facts. */
ht_prior ht_launch_facts_prior(const ht_launch_facts *facts);

/* Returns 64 for GPUs of GCN and CDNA (Instinct MI, Vega, Radeon VII, gfx9), else 32. */
double ht_wavefront_of_name(const char *device);

#endif
