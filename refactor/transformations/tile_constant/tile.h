/* The named constants that tie a kernel to its block, for block_tile.c and its parts. Private to
 * refactor/. */
#ifndef HT_REFACTOR_TILE_H
#define HT_REFACTOR_TILE_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"

typedef enum ht_tile_kind {
    HT_TILE_MACRO,    /* #define TILE 16 */
    HT_TILE_VARIABLE, /* constexpr int kTile = 16; or an enumerator */
    HT_TILE_TEMPLATE  /* template <int TILE> of the kernel */
} ht_tile_kind;

typedef struct ht_tile {
    ht_tile_kind kind;
    char *name;
    CXCursor declaration; /* of variables and template parameters */
    const ht_macro *macro;
    int64_t value;
    bool axis[3];       /* the axes whose block it is */
    bool in_functions;  /* used in device functions that the kernel calls */
    bool in_conditions; /* used in preprocessor conditionals of the unit */
    bool by_macro;      /* bound to the macro, not to a template parameter */
} ht_tile;

typedef struct ht_tiles {
    const ht_model *model;
    ht_tile items[3];
    size_t count;
} ht_tiles;

/* The constant that an expression's leaf is; NULL when it is none of them. */
const ht_tile *ht_tiles_leaf(const ht_tiles *tiles, CXCursor leaf);
/* Returns true if anything in the expression, or in the constants it names, comes from one of them.
 */
bool ht_tiles_mention(const ht_tiles *tiles, CXCursor expression);
/* As a template expression in which they stand by name, scalar arguments too; NULL when it is
 * anything else. free(). */
char *ht_tiles_expression(const ht_tiles *tiles, CXCursor expression);

/* What the accesses to global memory say about the number of threads along each axis. */
typedef struct ht_access_facts {
    char *store_bound[3];  /* all stores lie after `global index < bound`; NULL: not; owned */
    bool loads_bounded[3]; /* all loads that depend on the axis lie after an upper bound */
} ht_access_facts;
void ht_tile_accesses(const ht_tiles *tiles, ht_access_facts *out_facts);

/* The value of an expression over the constants in the original; false when it depends on more. */
bool ht_tile_original(const ht_tiles *tiles, const char *text, int64_t *out_value);

/* Conditionals that the constants take part in must go on to choose the same branches: adds
 * requires, and notes which constants the preprocessor must know. False, with a remark, when a
 * condition is not understood. */
bool ht_tile_conditions_fit(ht_tiles *tiles, ht_plan *plan);

/* Returns true if functions that the kernel calls write to memory. */
bool ht_tile_functions_store(const ht_tiles *tiles);

/* Checks that take a single look at the kernel; false with a remark that says why not. */
bool ht_tile_literals_fit(const ht_tiles *tiles, ht_plan *plan);
/* The constants shape where threads read and write, never what they compute. */
bool ht_tile_values_fit(const ht_tiles *tiles, ht_plan *plan);
/* Along the axes of the block blockIdx only tells where a tile begins; *out_exact: the number of
 * threads along an axis takes part, too. */
bool ht_tile_indices_fit(const ht_tiles *tiles, ht_plan *plan, bool out_exact[3]);
/* Adds requires for comparisons with thread indices and for divisions, so that what was right for
 * some size stays right for it; *out_only_larger: the constants, as bits, of which smaller values
 * are not proved. */
bool ht_tile_relations_fit(const ht_tiles *tiles, ht_plan *plan, const ht_access_facts *facts,
                           unsigned *out_only_larger);
/* for (counter = first; counter < first + range; counter += step) */
typedef struct ht_tile_loop {
    CXCursor counter, step;
    char *range; /* as a template expression; NULL: not known; free() */
} ht_tile_loop;
/* False when the statement is no such loop. */
bool ht_tile_loop_read(const ht_tiles *tiles, CXCursor statement, ht_tile_loop *out_loop);
/* Returns true if `dividend` is `items` + `divisor` - 1, whatever the constants' values. */
bool ht_tile_rounds_up(const ht_tiles *tiles, CXCursor dividend, CXCursor items,
                       const char *divisor);
/* Returns true if a shared array's element that a condition keeps from being loaded is written all
 * the same. */
bool ht_tile_fills(const ht_tiles *tiles);
/* The macro whose body holds a literal's text; NULL when none does. */
const ht_macro *ht_tile_writing_macro(const ht_source *source, CXCursor literal);
/* Returns true if a literal in the kernel may be the constant, or computed from it. */
bool ht_tile_suspicious(int64_t literal, int64_t value);
/* Returns true if a thread index stands in the expression, by itself or inside of a global index.
 */
bool ht_tile_mentions_thread(const ht_model *model, CXCursor expression);
/* Bytes of all shared arrays as a template expression; NULL when not known. free(). */
char *ht_tile_lds_bytes(const ht_tiles *tiles);

/* Returns true if the kernel, what it reaches and its launches are all that uses the constant's
 * name. */
bool ht_tile_alone(const ht_tiles *tiles, const ht_tile *tile, const ht_plan *plan);
/* Edits that bring the constants' new values into applied sources; false when it cannot be done. */
bool ht_tile_apply_edits(const ht_tiles *tiles, ht_plan *plan);

#endif
