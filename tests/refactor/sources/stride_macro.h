#pragma once
#include <hip/hip_runtime.h>

#define STRIDE_LOOP(i, n)                                                                     \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

#ifdef OLD_DEVICE
const int GROUP_THREADS = 256;
#else
const int GROUP_THREADS = 512;
#endif

inline int GROUPS(const int n) { return (n + GROUP_THREADS - 1) / GROUP_THREADS; }
