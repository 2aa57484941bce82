/* One source compiled for families of GPUs: lanes do the same, whatever the instructions are called
 * and however many of them a wave has. Skipped without clang-19 and lld. */
#include "tools.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/provider/provider.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, ROUNDS = 7, ARGUMENTS = 5 };

static const char source[] =
    "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(128, 128)))\n"
    "void rounds(const float *in, const float *w, float *out, int n, int c) {\n"
    "    __attribute__((shared)) static float tile[128];\n"
    "    int t = __builtin_amdgcn_workitem_id_x();\n"
    "    int i = __builtin_amdgcn_workgroup_id_x() * 128 + t;\n"
    "    tile[t] = i < n ? in[i] : 0;\n"
    "    __builtin_amdgcn_s_barrier();\n"
    "    if (i >= n) return;\n"
    "    float sum = 0, other = 1;\n"
    "#pragma unroll 1\n"
    "    for (int k = 0; k < c; k++) {\n"
    "        sum += w[k * n + i] * tile[(t + k) % 128];\n"
    "        other = other * 3.0f + in[i + k];\n"
    "    }\n"
    "    out[i] = sum + other;\n"
    "}\n";

/* Compiles for an architecture, in the steps in which no linker as new as the compiler is needed.
 */
static char *compile(const char *arch, size_t *out_size) {
    char *folder, *code;
    cr_assert_eq(ht_dir_temporary("families", &folder, NULL), HT_OK);
    char *path = ht_path_join(folder, "k.hip");
    cr_assert_eq(ht_file_write(path, source, strlen(source), NULL), HT_OK);
    char *said = tool_output("cd '%s' && clang-19 -x hip --cuda-device-only --offload-arch=%s "
                             "-nogpulib -nogpuinc -O3 -mcode-object-version=4 -S k.hip -o k.s && "
                             "clang-19 -target amdgcn-amd-amdhsa -mcpu=%s -mcode-object-version=4 "
                             "-c k.s -o k.o && ld.lld -shared k.o -o k.co",
                             folder, arch, arch);
    free(path);
    path = ht_path_join(folder, "k.co");
    cr_assert_eq(ht_file_read(path, 0, &code, out_size, NULL), HT_OK, "%s", said);
    ht_dir_remove(folder);
    free(said);
    free(path);
    free(folder);
    return code;
}

static ht_access_counts count(const char *arch) {
    static const int n = N, c = ROUNDS;
    const ht_kernel_argument arguments[ARGUMENTS] = {
        {.size = 4 * (N + ROUNDS)},
        {.size = sizeof(float) * N * ROUNDS},
        {.size = sizeof(float) * N, .output_unit = sizeof(float)},
        {.value = &n, .size = sizeof n},
        {.value = &c, .size = sizeof c},
    };
    ht_counted_launch launch = {.geometry = {.block = {128, 1, 1}, .grid = {8, 1, 1}},
                                .arguments = arguments,
                                .argument_count = ARGUMENTS};
    ht_device device = {.provider = "amd"};
    ht_accesses accesses;
    ht_error error = {0};
    size_t size;
    char *code = compile(arch, &size);
    snprintf(device.arch, sizeof device.arch, "%s", arch);
    ht_status status =
        ht_provider_amd.accesses(&device, code, size, "rounds", &launch, &accesses, &error);
    free(code);
    if (status == HT_ERROR_MISSING)
        cr_skip_test("%s", error.message);
    cr_assert_eq(status, HT_OK, "%s: %s", arch, error.message);
    return accesses.counts;
}

Test(amd_families, lanes_of_each_do_what_the_source_says) {
    static const char *const archs[] = {"gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"};
    if (!tool_exists("clang-19") || !tool_exists("ld.lld"))
        cr_skip_test("needs clang-19 and ld.lld (Debian: apt-get install clang-19 lld)");
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        ht_access_counts counts = count(archs[i]);
        cr_expect_eq(counts.outputs, N, "%s", archs[i]);
        cr_expect_eq(counts.global_load_bytes, 4 * (N + 2 * ROUNDS * N), "%s", archs[i]);
        cr_expect_eq(counts.global_store_bytes, 4 * N, "%s", archs[i]);
        cr_expect_eq(counts.lds_writes, 8 * 128, "%s", archs[i]);
        cr_expect_eq(counts.lds_reads, ROUNDS * N, "%s", archs[i]);
        cr_expect_eq(counts.products, 2 * ROUNDS * N, "%s", archs[i]);
        cr_expect_eq(counts.waves, strstr(archs[i], "gfx1") ? 32 : 16, "%s", archs[i]);
        cr_expect_gt(counts.vector_instructions, ROUNDS * 8, "%s", archs[i]);
        cr_expect_gt(counts.memory_waits, 0, "%s", archs[i]);
    }
}
