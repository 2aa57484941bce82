/* In place of the toolkit's header of this name. */
#include "cuda_runtime.h"

#include <hip/hip_cooperative_groups.h>
