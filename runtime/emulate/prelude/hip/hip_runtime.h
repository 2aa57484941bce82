/* HIP's own header, then what newer ones have. */
#include_next <hip/hip_runtime.h>
#ifdef __HIP_DEVICE_COMPILE__
#include "../ht_after.h"
#endif
