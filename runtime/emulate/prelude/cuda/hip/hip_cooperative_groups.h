/* HIP's own header, which older versions have only after their runtime's. */
#include <hip/hip_runtime.h>
#include_next <hip/hip_cooperative_groups.h>
