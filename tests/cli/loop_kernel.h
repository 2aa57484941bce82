/* A small kernel for loops. */
#ifndef HT_TESTS_CLI_LOOP_KERNEL_H
#define HT_TESTS_CLI_LOOP_KERNEL_H

/* The block is far too small, so that something is faster on any machine. */
static const char loop_source[] =
    "#include <hip/hip_runtime.h>\n"
    "__global__ void blur(float *out, const float *in, int w, int h) {\n"
    "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    int y = blockIdx.y;\n"
    "    if (x >= w || y >= h) return;\n"
    "    float sum = 0;\n"
    "    for (int i = -2; i <= 2; ++i) {\n"
    "        int at = x + i;\n"
    "        if (at >= 0 && at < w) sum += in[y * w + at];\n"
    "    }\n"
    "    out[y * w + x] = sum;\n"
    "}\n"
    "void launch(float *out, const float *in, int w, int h) {\n"
    "    blur<<<dim3((w + 1) / 2, h), 2>>>(out, in, w, h);\n"
    "}\n";

static const char loop_problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"blur\",\n"
    " \"problem\": \"image : W, H\", \"args\": [\"out : out float[problem.W * problem.H]\",\n"
    " \"in : in float[problem.W * problem.H]\", \"w : int = problem.W\", \"h : int = "
    "problem.H\"],\n"
    " \"host\": {\"w\": \"problem.W\", \"h\": \"problem.H\"},\n"
    " \"instances\": [{\"name\": \"small\", \"fields\": {\"W\": 1000, \"H\": 40}}]}]}\n";

#endif
