/* The suites' own judge of tuned texts sees errors on either side. */
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL "#include <hip/hip_runtime.h>\n__global__ void k(float *p) { p[threadIdx.x] = 1; }\n"

static void expect_error(const char *text, const char *words) {
    char *output;
    cr_expect_not(clang_parses(text, &output), "%s", text);
    cr_expect_not_null(strstr(output, words), "%s", output);
    free(output);
}

Test(support, texts_are_parsed_for_the_host_and_for_a_gpu) {
    char *output;
    cr_expect(clang_parses(KERNEL "void run(float *p) { k<<<1, 64>>>(p); }\n", &output), "%s",
              output);
    cr_expect_str_eq(output, "");
    free(output);
    expect_error(KERNEL "void run(float *p) { k<<<1, 64>>>(p, 2); }\n", "host, line 3: too many");
    expect_error(KERNEL "#ifdef __HIP_DEVICE_COMPILE__\nint x = y;\n#endif\n", "device, line 4: ");
    expect_error(KERNEL "#ifndef __HIP_DEVICE_COMPILE__\nint x = y;\n#endif\n", "host, line 4: ");
    expect_error(KERNEL "void host();\n__global__ void l() { host(); }\n",
                 "device, line 4: no matching function for call to 'host'");
}
