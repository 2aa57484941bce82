/* A kernel whose staging takes isl most of what its analysis does. */
#ifndef HT_TEST_BLUR_H
#define HT_TEST_BLUR_H

#define BLUR_KERNEL                                                                                \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "__global__ void blur(const float *in, float *out, int w, int h) {\n"                          \
    "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "            \
    "threadIdx.y;\n"                                                                               \
    "    if (x >= w || y >= h) return;\n"                                                          \
    "    float sum = 0;\n"                                                                         \
    "    for (int j = -2; j <= 2; ++j)\n"                                                          \
    "        for (int i = -2; i <= 2; ++i)\n"                                                      \
    "            sum += in[min(max(y + j, 0), h - 1) * w + min(max(x + i, 0), w - 1)];\n"          \
    "    out[y * w + x] = sum;\n"                                                                  \
    "}\n"

#endif
