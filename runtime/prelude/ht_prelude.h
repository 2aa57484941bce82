/* Put in front of every unit that a runtime compiler (hiprtc, NVRTC) reads: docs/prelude.md. The
 * order is fixed; ht_core.h, ht_vector.h, ht_half.h and ht_wave.h are the provider's own. */
#ifndef HT_PRELUDE_H
#define HT_PRELUDE_H

#include "ht_core.h"
#include "ht_names.h"
#include "ht_types.h"

#include "ht_vector.h"

#include "ht_half.h"

#include "ht_wave.h"

#include "ht_std.h"

#endif
