/* Tests of which each is there in some configurations, in one condition. Private to the
 * transformation register-tile. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_JOINED_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_JOINED_H

#include "base/text.h"

#include <stdbool.h>

typedef struct ht_tiled_joined {
    ht_text text; /* with the conditions of a plan's text */
    ht_text any;  /* when one of them is there: a template expression */
    ht_text many; /* when several are */
} ht_tiled_joined;

/* Appends a test that is there when `when` is not 0. `several`: it is more than one. */
void ht_tiled_join(ht_tiled_joined *of, const char *joint, const char *when, const char *test,
                   bool several);
void ht_tiled_joined_free(ht_tiled_joined *of);

#endif
