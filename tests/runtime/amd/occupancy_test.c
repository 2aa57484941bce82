/* The occupancy tables against LLVM's AMDGPU backend, which computes its own for every kernel it
 * compiles. */
#include "tools.h"

#include "base/file.h"
#include "base/text.h"
#include "runtime/amd/occupancy.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int vgpr_counts[] = {1,  8,  24, 25, 28,  32,  36,  40,  41,  48,  52,  64,  65,  72,
                                  80, 84, 96, 97, 104, 128, 129, 144, 168, 169, 192, 224, 248, 256};
static const int agpr_counts[] = {1, 4, 40, 63, 100, 128, 200, 256};
static const int sgpr_counts[] = {20, 72, 74, 75, 78, 82, 83, 84, 90, 94, 95, 96, 100};
static const int block_sizes[] = {32, 64, 96, 128, 192, 256, 320, 512, 768, 1024};
static const int lds_sizes[] = {1024, 4096, 6144, 8192, 11264, 16384, 21504, 32768, 40960, 65536};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void add_kernel(ht_text *source, int *number, int block, int vgprs, int agprs, int sgprs,
                       int lds) {
    ht_text_printf(source,
                   "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(1, %d))) void "
                   "k%d(float *p) {\n",
                   block, (*number)++);
    if (vgprs)
        ht_text_printf(source, "  asm volatile(\"; use\" ::: \"v%d\");\n", vgprs - 1);
    if (agprs)
        ht_text_printf(source, "  asm volatile(\"; use\" ::: \"a%d\");\n", agprs - 1);
    if (sgprs)
        ht_text_printf(source, "  asm volatile(\"; use\" ::: \"s%d\");\n", sgprs - 1);
    if (lds)
        ht_text_printf(source,
                       "  __attribute__((shared)) static char l[%d];\n"
                       "  asm volatile(\"; use\" ::\"v\"(l));\n",
                       lds);
    ht_text_append(source, "  p[0] = 1;\n}\n");
}

/* Writes kernels of each resource over its range, and of blocks against LDS and registers; returns
 * their number. */
static int write_kernels(const char *path, const ht_amd_target *target) {
    ht_text source = {0};
    int count = 0;
    bool has_agprs = target->unified_agprs || strcmp(target->arch, "gfx908") == 0;
    for (size_t v = 0; v < COUNT(vgpr_counts); v++)
        add_kernel(&source, &count, 64, vgpr_counts[v], 0, 0, 0);
    for (size_t a = 0; has_agprs && a < COUNT(agpr_counts); a++)
        for (size_t v = 0; v < COUNT(vgpr_counts); v += 5)
            add_kernel(&source, &count, 64, vgpr_counts[v], agpr_counts[a], 0, 0);
    for (size_t s = 0; s < COUNT(sgpr_counts); s++)
        add_kernel(&source, &count, 64, 0, 0, sgpr_counts[s], 0);
    for (size_t b = 0; b < COUNT(block_sizes); b++)
        for (size_t l = 0; l < COUNT(lds_sizes); l++)
            add_kernel(&source, &count, block_sizes[b], l % 3 ? 0 : 40, 0, 0, lds_sizes[l]);
    cr_assert_eq(ht_file_write(path, source.data, source.length, NULL), HT_OK);
    ht_text_free(&source);
    return count;
}

/* Reads clang's numbers of one kernel, as the metadata would have them (see docs/amd-provider.md on
 * .vgpr_count). */
static ht_amd_usage parse_usage(const ht_amd_target *target, const char *remarks, int threads,
                                int wavefront, bool wgp) {
    int vgprs = number_after(remarks, " VGPRs: ");
    int agprs = number_after(remarks, " AGPRs: ");
    if (agprs < 0)
        agprs = 0;
    if (target->unified_agprs && agprs > 0)
        vgprs = (vgprs + 3) / 4 * 4 + agprs;
    return (ht_amd_usage){.vgprs = vgprs,
                          .agprs = agprs,
                          .sgprs = number_after(remarks, " SGPRs: "),
                          .lds = number_after(remarks, "LDS Size [bytes/block]: "),
                          .threads = threads,
                          .wavefront = wavefront,
                          .wgp = wgp};
}

static int block_of_kernel(const char *source, int number) {
    char name[32];
    snprintf(name, sizeof name, " k%d(float", number);
    const char *at = strstr(source, name);
    cr_assert_not_null(at);
    while (strncmp(at, "size(1, ", 8) != 0)
        at--;
    return atoi(at + 8);
}

static void compare_with_clang(const char *arch, const char *options, int wavefront, bool wgp) {
    if (!tool_exists("clang-19"))
        cr_skip_test("clang-19 is not installed (Debian: apt-get install clang-19)");
    const ht_amd_target *target = ht_amd_target_find(arch);
    char *folder, *source;
    cr_assert_eq(ht_dir_temporary("occupancy", &folder, NULL), HT_OK);
    char *path = ht_path_join(folder, "kernels.hip");
    int count = write_kernels(path, target);
    cr_assert_eq(ht_file_read(path, 0, &source, NULL, NULL), HT_OK);
    char *remarks = tool_output(
        "clang-19 -x hip --cuda-device-only --offload-arch=%s -nogpulib -nogpuinc -O1 %s "
        "-Rpass-analysis=kernel-resource-usage -S -o /dev/null '%s'",
        arch, options, path);
    int seen = 0, different_waves = 0, last = -1;
    for (char *at = strstr(remarks, "Function Name: k"); at;) {
        int number = number_after(at, "Function Name: k");
        char *next = strstr(at + 1, "Function Name: k");
        if (next)
            next[-1] = '\0';
        ht_amd_usage usage =
            parse_usage(target, at, block_of_kernel(source, number), wavefront, wgp);
        int expected = number_after(at, "Occupancy [waves/SIMD]: ");
        ht_amd_occupancy got = ht_amd_occupancy_compute(target, &usage);
        cr_expect_eq(got.waves, expected,
                     "%s %s k%d: %d waves, LLVM says %d (V %d, A %d, S %d, LDS %d, block %d)", arch,
                     options, number, got.waves, expected, usage.vgprs, usage.agprs, usage.sgprs,
                     usage.lds, usage.threads);
        different_waves += expected != last;
        last = expected;
        seen++;
        at = next;
    }
    cr_expect_eq(seen, count, "clang told of %d kernels of %d", seen, count);
    cr_expect_gt(different_waves, 20, "the kernels must spread over many occupancies");
    ht_dir_remove(folder);
    free(folder);
    free(path);
    free(source);
    free(remarks);
}

Test(occupancy, gfx906_as_llvm) {
    compare_with_clang("gfx906", "", 64, false);
}
Test(occupancy, gfx908_as_llvm) {
    compare_with_clang("gfx908", "", 64, false);
}
Test(occupancy, gfx90a_as_llvm) {
    compare_with_clang("gfx90a", "", 64, false);
}
Test(occupancy, gfx942_as_llvm) {
    compare_with_clang("gfx942", "", 64, false);
}
Test(occupancy, gfx1030_wgp_mode_as_llvm) {
    compare_with_clang("gfx1030", "", 32, true);
}
Test(occupancy, gfx1030_cu_mode_as_llvm) {
    compare_with_clang("gfx1030", "-mcumode", 32, false);
}
Test(occupancy, gfx1030_wave64_as_llvm) {
    compare_with_clang("gfx1030", "-mwavefrontsize64", 64, true);
}
Test(occupancy, gfx1100_wgp_mode_as_llvm) {
    compare_with_clang("gfx1100", "", 32, true);
}
Test(occupancy, gfx1100_cu_mode_as_llvm) {
    compare_with_clang("gfx1100", "-mcumode", 32, false);
}

/* More of any resource never gives more waves, and a kernel that cannot run has none. */
Test(occupancy, is_monotone) {
    for (size_t t = 0; t < ht_amd_target_count; t++) {
        const ht_amd_target *target = &ht_amd_targets[t];
        ht_amd_usage usage = {.threads = 256, .wavefront = target->wavefront};
        int last = target->max_waves;
        for (usage.vgprs = 0; usage.vgprs <= target->registers; usage.vgprs++) {
            int waves = ht_amd_occupancy_compute(target, &usage).waves;
            cr_assert_leq(waves, last);
            cr_assert_gt(waves, 0);
            last = waves;
        }
        usage.vgprs = 0;
        last = target->max_waves;
        for (usage.lds = 0; usage.lds <= target->lds; usage.lds += 16) {
            int waves = ht_amd_occupancy_compute(target, &usage).waves;
            cr_assert_leq(waves, last);
            cr_assert_gt(waves, 0);
            last = waves;
        }
        usage.lds = target->lds + 1;
        cr_assert_eq(ht_amd_occupancy_compute(target, &usage).waves, 0);
        usage.lds = 0;
        usage.threads = 1025;
        cr_assert_eq(ht_amd_occupancy_compute(target, &usage).waves, 0);
    }
}

/* LDS is handed out in granules: one byte over one takes the next, which LLVM's estimate leaves
 * out. */
Test(occupancy, lds_counts_in_granules) {
    const ht_amd_target *target = ht_amd_target_find("gfx90a");
    ht_amd_usage usage = {.threads = 256, .wavefront = 64, .lds = 65536 / 5 / 512 * 512};
    cr_assert_eq(ht_amd_occupancy_compute(target, &usage).waves, 5);
    usage.lds += 1;
    cr_assert_eq(ht_amd_occupancy_compute(target, &usage).waves, 4);
}

Test(occupancy, targets_are_found_with_and_without_features) {
    cr_assert_not_null(ht_amd_target_find("gfx90a"));
    cr_assert_eq(ht_amd_target_find("gfx90a:sramecc+:xnack-"), ht_amd_target_find("gfx90a"));
    cr_assert_null(ht_amd_target_find("gfx90"));
    cr_assert_null(ht_amd_target_find("gfx90ab"));
    cr_assert_null(ht_amd_target_find(""));
}
