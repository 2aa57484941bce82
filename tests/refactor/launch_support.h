/* Kernels of one line of numbers, whose launches are tested, and their problem. */
#ifndef HT_TESTS_REFACTOR_LAUNCH_SUPPORT_H
#define HT_TESTS_REFACTOR_LAUNCH_SUPPORT_H

#include "support.h"

#define HEAD "#include <hip/hip_runtime.h>\n"
#define MAP(name, type)                                                                            \
    "__global__ void " name "(const " type " *in, " type " *out, int n) {\n"                       \
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];\n}\n"

static const char problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : N\", \"args\": [\"in : in float[problem.N]\", "
    "\"out : out float[problem.N]\", \"n : int = problem.N\"], \"host\": {\"n\": \"problem.N\"}, "
    "\"instances\": [{\"name\": \"a\", \"fields\": {\"N\": 1000}}]}]}";

#endif
