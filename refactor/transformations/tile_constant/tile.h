/* The named constants that tie a kernel to its block, for block_tile.c and this folder. Private to
 * refactor/. */
#ifndef HT_REFACTOR_TILE_H
#define HT_REFACTOR_TILE_H

#include "refactor/kernel/syntax.h"
#include "refactor/source/source.h"

typedef enum ht_tile_kind {
    HT_TILE_MACRO,    /* #define TILE 16 */
    HT_TILE_VARIABLE, /* constexpr int kTile = 16; or an enumerator */
    HT_TILE_TEMPLATE  /* template <int TILE> of the kernel */
} ht_tile_kind;

typedef struct ht_tile {
    ht_tile_kind kind;
    char *name;
    const ht_syntax_variable
        *variable;    /* of variables and template parameters, in the whole tree */
    size_t parameter; /* index of a template parameter */
    const ht_macro *macro;
    int64_t value;
    bool axis[3];       /* axes whose block it is */
    bool in_functions;  /* used in device functions that the kernel calls */
    bool in_conditions; /* used in preprocessor conditionals of the unit */
    bool by_macro;      /* bound to the macro, not to a template parameter */
} ht_tile;

typedef struct ht_tiles {
    const ht_model *model;
    ht_tile items[3];
    size_t count;
} ht_tiles;

#endif
