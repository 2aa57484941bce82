/* Memory that each access reads anew: nothing of it is kept, in shared memory or in registers. */
#include "tree_support.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(volatile_memory, .init = tree_folder_make, .fini = tree_folder_remove);

/* Returns true if the template of a kernel that reads neighbours of `in` along x, y and z has this
 * parameter. */
static bool keeps(const char *types, const char *in, const char *ahead, const char *name) {
    char *text = ht_format(
        "#include <hip/hip_runtime.h>\n%s\n"
        "__global__ void k(%s, float *__restrict__ out, int n, int m, int d) {\n"
        "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (x >= n || y >= m) return;\n"
        "    %s\n"
        "    for (int z = 1; z < d - 1; ++z)\n"
        "        out[(z * m + y) * n + x] = in[(z * m + y) * n + x] +\n"
        "            in[((z - 1) * m + y) * n + x] + in[((z + 1) * m + y) * n + x];\n"
        "}\n"
        "void run(float *in, float *out, int n, int m, int d) {\n"
        "    k<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(in, out, n, m, d);\n}\n",
        types, in, ahead);
    char *path = tree_put("k.hip", text);
    ht_refactor *refactor = tree_read(path, NULL, NULL);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    bool found = false;
    for (size_t i = 0; i < kernel->template->param_count; ++i)
        found = found || ht_text_begins(kernel->template->params[i].name, name);
    ht_refactor_free(refactor);
    free(path);
    free(text);
    return found;
}

Test(volatile_memory, is_not_kept_however_its_type_is_written) {
    static const char *const plain = "const float *__restrict__ in";
    cr_expect(keeps("", plain, "", "STREAM_"), "without it elements are kept");
    cr_expect(keeps("", plain, "", "COARSEN_"));
    static const struct {
        const char *types, *in, *ahead;
    } kernels[] = {
        {"", "const volatile float *__restrict__ in", ""},
        {"", "float volatile *__restrict__ in", ""},
        {"typedef volatile float number;", "const number *__restrict__ in", ""},
        {"typedef const volatile float *pointer;", "pointer __restrict__ in", ""},
        {"", "const float *__restrict__ in", "const volatile float &first = *in; out[x] = first;"},
        {"", "const float *__restrict__ from", "const volatile float *in = from;"},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i)
        for (int k = 0; k < 3; ++k) {
            static const char *const names[] = {"STREAM_", "COARSEN_", "STAGE_"};
            cr_expect(!keeps(kernels[i].types, kernels[i].in, kernels[i].ahead, names[k]),
                      "%s, %s: %s", kernels[i].in, kernels[i].ahead, names[k]);
        }
}
