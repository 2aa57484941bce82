/* Tuning parameters and configurations.
 *
 *   #pragma tune param(BLOCK_X : 8, 16, 32, 64 = 16)       integers
 *   #pragma tune param(TILE_X : 1..4 = 1)                   a range; 2..16:2 has a step
 *   #pragma tune param(TILE_K : pow2(1, 16) = 1)            powers of two from 1 to 16
 *   #pragma tune param(USE_LDS : false, true = true)        booleans
 *   #pragma tune param(ORDER : ROWS, COLUMNS = ROWS)        an enumeration; values are 0, 1, ... in
 * expressions #pragma tune param(ACC : type float, double = float)    types (any C++ type text
 * without a comma) Values keep their written order. The pieces of an integer list may be
 * mixed: 1..4, 8, pow2(16, 64). */
#ifndef HT_TEMPLATES_ANNOTATIONS_PARAM_H
#define HT_TEMPLATES_ANNOTATIONS_PARAM_H

#include "templates/expr/expr.h"

#include <stddef.h>

enum { HT_PARAM_MAX = 48, HT_PARAM_VALUES_MAX = 4096 };

typedef enum ht_param_kind {
    HT_PARAM_INTEGER,
    HT_PARAM_BOOLEAN,
    HT_PARAM_ENUMERATION,
    HT_PARAM_TYPE
} ht_param_kind;

/* How a value reaches the compiler. */
typedef enum ht_param_binding {
    HT_BIND_TEMPLATE, /* the template argument of the same name, of the kernel that uses it */
    HT_BIND_MACRO     /* -DNAME=value for the whole unit */
} ht_param_binding;

typedef struct ht_param_value {
    int64_t number; /* the integer; 0 or 1; the enumerator's ordinal; the type's ordinal */
    char *text;     /* as the compiler reads it: "16", "true", "ROWS", "float"; owned */
} ht_param_value;

typedef struct ht_param {
    char *name; /* owned */
    ht_param_kind kind;
    ht_param_binding binding;
    ht_param_value *values; /* owned, at least one, all different */
    size_t value_count;
    size_t default_index;
    char *origin;     /* the transformation that made it; NULL: an author did; owned */
    const char *form; /* a form that nobody writes by hand, which a tuned source has unless this has
                         its default: "a lambda around the body"; NULL: none; static, not printed */
    ht_place place;
} ht_param;

/* A configuration: for each parameter of a template, in its order, the index of the chosen value. A
 * plain value. */
typedef struct ht_config {
    uint16_t count;
    uint16_t choice[HT_PARAM_MAX];
} ht_config;

/* Returns true if the transformation made it; of NULL: if any did. */
bool ht_param_is_from(const ht_param *param, const char *transformation);

bool ht_config_equal(const ht_config *a, const ht_config *b);

#endif
