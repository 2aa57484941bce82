/* In place of the toolkit's header of this name. */
#include "cuda_runtime.h"
