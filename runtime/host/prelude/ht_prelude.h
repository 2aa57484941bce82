/* Included in front of every unit. Half precision comes with <hip/hip_fp16.h>. */
#ifndef HT_PRELUDE_H
#define HT_PRELUDE_H
#include "ht_atomic.h"
#include "ht_core.h"
#include "ht_check.h"
#include "ht_math.h"
#include "ht_vector.h"
#endif
