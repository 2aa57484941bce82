/* Counting the accesses of kernels that hiprtc compiles for gfx90a, against what their source says.
 * Skipped without ROCm. */
#include "base/memory.h"
#include "runtime/measure/access_rates.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* One output a thread from C rounds of two loads; ITEMS outputs a thread share the second. */
static const char rounds[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(rounds)\n"
    "#pragma tune problem(line : n, C)\n"
    "#pragma tune param(ITEMS : 1, 2, 4 = 1)\n"
    "#pragma tune param(WAY : 0..3 = 0)\n"
    "#pragma tune block(128)\n"
    "#pragma tune grid(ceil_div(problem.n, 128 * ITEMS))\n"
    "#pragma tune arg(in : in float[problem.n + problem.C])\n"
    "#pragma tune arg(w : in float[problem.C * problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "#pragma tune arg(C : int = problem.C)\n"
    "#pragma tune reference(rounds_plain) block(64) grid(ceil_div(problem.n, 64))\n"
    "#pragma tune baseline(rounds_plain) block(64) grid(ceil_div(problem.n, 64))\n"
    "__global__ void rounds_plain(const float *in, const float *w, float *out, int n, int C) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i >= n) return;\n"
    "    float sum = 0;\n"
    "#pragma unroll 1\n"
    "    for (int c = 0; c < C; ++c) sum += in[i + c] * w[c * n + i];\n"
    "    out[i] = sum;\n"
    "}\n"
    "template <int ITEMS, int WAY>\n"
    "__global__ void rounds(const float *in, const float *w, float *out, int n, int C) {\n"
    "    __shared__ float tile[128];\n"
    "    int first = (blockIdx.x * 128 + threadIdx.x) * ITEMS;\n"
    "    float sum[ITEMS] = {};\n"
    "    if (WAY == 1) {\n" /* the data decide how often */
    "        for (int c = 0; in[c] > 0; ++c) sum[0] += in[c];\n"
    "    } else if (WAY == 2) {\n" /* through LDS: one load from memory for each thread */
    "        tile[threadIdx.x] = first < n ? in[first] : 0;\n"
    "        __syncthreads();\n"
    "#pragma unroll 1\n"
    "        for (int c = 0; c < C; ++c) sum[0] += tile[(threadIdx.x + c) % 128];\n"
    "    } else {\n"
    "#pragma unroll 1\n"
    "        for (int c = 0; c < C; ++c) {\n"
    "            float x = w[c * n + first / ITEMS];\n"
    "            for (int k = 0; k < ITEMS; ++k)\n"
    "                if (first + k < n) sum[k] += in[first + k + c] * x;\n"
    "        }\n"
    "    }\n"
    "    for (int k = 0; k < ITEMS; ++k)\n"
    "        if (first + k < n) out[first + k] = sum[k];\n"
    "}\n";

enum { N = 1000, C = 7 };

typedef struct fixture {
    ht_template *templates;
    size_t count;
    ht_problem problem;
    ht_device device;
    ht_binding binding;
    ht_inspection found;
} fixture;

static void fixture_open_text(fixture *f, const char *arch, const char *text, const char *problem) {
    ht_error error;
    *f = (fixture){0};
    ht_status status = ht_device_find(arch, &f->device, &error);
    if (status == HT_ERROR_MISSING)
        cr_skip_test("no hiprtc: %s", error.message);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    cr_assert_eq(ht_template_parse(text, "text.hip", &f->templates, &f->count, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_problem_parse(&f->templates->problem, problem, &f->problem, &error), HT_OK,
                 "%s", error.message);
    f->binding = (ht_binding){f->templates, &f->problem, &f->device.fields};
}

static void fixture_open(fixture *f, const char *arch) {
    fixture_open_text(f, arch, rounds, "n=1000 C=7");
}

static const ht_inspection_launch *count(fixture *f, const char *config_text,
                                         const ht_inspect_options *options) {
    ht_config config;
    ht_error error;
    cr_assert_eq(ht_config_parse(f->templates, config_text, &config, &error), HT_OK, "%s",
                 error.message);
    ht_inspection_free(&f->found);
    cr_assert_eq(ht_inspect(&f->device, &f->binding, &config, 1, options, NULL, &f->found, &error),
                 HT_OK, "%s", error.message);
    cr_assert_eq(f->found.status, HT_OK, "%s", f->found.reason);
    return f->found.launches;
}

static void fixture_close(fixture *f) {
    ht_inspection_free(&f->found);
    ht_problem_free(&f->problem);
    ht_template_free(f->templates, f->count);
}

static const ht_inspect_options counting = {.count = true};

Test(amd_accesses, loops_and_guards_are_counted_as_the_source_has_them) {
    fixture f;
    fixture_open(&f, "amd:gfx90a");
    const ht_inspection_launch *launch = count(&f, "ITEMS=1", &counting);
    const ht_access_counts *counts = &launch->accesses.counts;
    cr_assert(launch->counted, "%s", launch->uncounted);
    cr_expect_eq(counts->outputs, N);
    cr_expect_eq(launch->accesses.output_size, N);
    cr_expect_eq(counts->global_stores, N);
    cr_expect_eq(counts->global_load_bytes, 4 * 2 * C * N);
    cr_expect_eq(counts->products, C * N);
    cr_expect_eq(counts->blocks, 8);
    cr_expect_eq(counts->threads, 8 * 128);
    cr_expect_eq(counts->lds_reads + counts->scratch + counts->atomics, 0);
    fixture_close(&f);
}

Test(amd_accesses, outputs_of_one_thread_share_what_it_loads) {
    fixture f;
    ht_access_rates rates;
    fixture_open(&f, "amd:gfx90a");
    const ht_inspection_launch *launch = count(&f, "ITEMS=4", &counting);
    cr_assert(launch->counted, "%s", launch->uncounted);
    cr_assert(ht_access_rates_make(launch, 1, &rates));
    cr_expect_eq(launch->accesses.counts.outputs, N);
    cr_expect_float_eq(rates.load_words, C * (1 + 2 * 128 / (double)N), 1e-9,
                       "one word of `in` for each output, one of `w` for each thread");
    fixture_close(&f);
}

Test(amd_accesses, lds_takes_the_place_of_memory) {
    fixture f;
    fixture_open(&f, "amd:gfx90a");
    const ht_inspection_launch *launch = count(&f, "WAY=2", &counting);
    const ht_access_counts *counts = &launch->accesses.counts;
    cr_assert(launch->counted, "%s", launch->uncounted);
    cr_expect_eq(counts->global_load_bytes, 4 * N);
    cr_expect_eq(counts->lds_writes, 8 * 128);
    cr_expect_eq(counts->lds_reads, C * 8 * 128);
    cr_expect_eq(counts->barriers, 8 * 2, "of two waves in each of eight blocks");
    fixture_close(&f);
}

Test(amd_accesses, the_original_is_the_baseline_kernel_with_its_own_grid) {
    fixture f;
    fixture_open(&f, "amd:gfx90a");
    ht_inspect_options options = {.count = true, .original = true};
    const ht_inspection_launch *launch = count(&f, "ITEMS=4", &options);
    cr_assert(launch->counted, "%s", launch->uncounted);
    cr_expect_eq(launch->accesses.blocks, 16);
    cr_expect_eq(launch->accesses.counts.outputs, N);
    cr_expect_eq(launch->accesses.counts.global_load_bytes, 4 * 2 * C * N);
    fixture_close(&f);
}

Test(amd_accesses, a_sample_of_blocks_has_the_rates_of_all) {
    fixture f;
    ht_access_rates all, some;
    fixture_open(&f, "amd:gfx90a");
    cr_assert(ht_access_rates_make(count(&f, "ITEMS=1", &counting), 1, &all));
    ht_inspect_options options = {.count = true, .blocks_max = 3};
    const ht_inspection_launch *launch = count(&f, "ITEMS=1", &options);
    cr_assert(ht_access_rates_make(launch, 1, &some));
    cr_expect_eq(launch->accesses.counts.blocks, 3);
    cr_expect_eq(launch->accesses.blocks, 8);
    cr_expect_float_eq(some.load_words, all.load_words, 1e-9);
    fixture_close(&f);
}

/* A row of blocks ends with one that is nearly empty. */
static const char rows[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(rows)\n"
    "#pragma tune problem(line : n, C)\n"
    "#pragma tune param(ITEMS : 1, 2 = 1)\n"
    "#pragma tune block(64)\n"
    "#pragma tune grid(ceil_div(problem.n, 64 * ITEMS), problem.C)\n"
    "#pragma tune arg(in : in float[problem.C * problem.n])\n"
    "#pragma tune arg(out : out float[problem.C * problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "#pragma tune reference(rows<1>) block(64) grid(ceil_div(problem.n, 64), problem.C)\n"
    "#pragma tune baseline(rows<1>) block(64) grid(ceil_div(problem.n, 64), problem.C)\n"
    "template <int ITEMS> __global__ void rows(const float *in, float *out, int n) {\n"
    "    for (int k = 0; k < ITEMS; ++k) {\n"
    "        int i = (blockIdx.x * 64 + threadIdx.x) * ITEMS + k;\n"
    "        if (i < n) out[blockIdx.y * n + i] = in[blockIdx.y * n + i];\n"
    "    }\n"
    "}\n";

Test(amd_accesses, a_sample_has_its_share_of_the_blocks_at_the_ends_of_rows) {
    static const char *const problems[] = {"n=196 C=67", "n=260 C=300", "n=68 C=64"};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        fixture f;
        fixture_open_text(&f, "amd:gfx90a", rows, problems[i]);
        ht_inspect_options options = {.count = true, .blocks_max = 24};
        const ht_accesses *found = &count(&f, "ITEMS=1", &options)->accesses;
        double outputs = ht_accesses_share(found) * (double)found->counts.outputs;
        double all = (double)found->output_size;
        cr_expect_eq(found->counts.blocks, 24);
        cr_expect_float_eq(outputs, all, 0.04 * all, "%s: %g of %g", problems[i], outputs, all);
        fixture_close(&f);
    }
}

Test(amd_accesses, what_data_decides_is_not_counted_and_the_instruction_is_named) {
    fixture f;
    fixture_open(&f, "amd:gfx90a");
    const ht_inspection_launch *launch = count(&f, "WAY=1", &counting);
    cr_expect_not(launch->counted);
    cr_expect(strstr(launch->uncounted, "instruction at 0x"), "%s", launch->uncounted);
    cr_expect(strstr(launch->uncounted, "depends on data"), "%s", launch->uncounted);
    cr_expect_gt(launch->resources.vgprs, 0, "the rest is there");
    fixture_close(&f);
}

/* Waves of 32 lanes and other instructions, the same source: lanes do the same. */
Test(amd_accesses, lanes_of_gfx1030_do_what_those_of_gfx90a_do) {
    static const char *const configs[] = {"ITEMS=1", "ITEMS=2", "ITEMS=4", "WAY=2"};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        ht_access_counts counts[2];
        for (size_t a = 0; a < 2; a++) {
            fixture f;
            fixture_open(&f, a ? "amd:gfx1030" : "amd:gfx90a");
            const ht_inspection_launch *launch = count(&f, configs[i], &counting);
            cr_assert(launch->counted, "%s", launch->uncounted);
            counts[a] = launch->accesses.counts;
            fixture_close(&f);
        }
        cr_expect_eq(counts[1].outputs, N);
        cr_expect_eq(counts[1].global_load_bytes, counts[0].global_load_bytes, "%s", configs[i]);
        cr_expect_eq(counts[1].global_store_bytes, counts[0].global_store_bytes);
        cr_expect_eq(counts[1].products, counts[0].products);
        cr_expect_eq(counts[1].lds_reads, counts[0].lds_reads);
        cr_expect_eq(counts[1].lds_writes, counts[0].lds_writes);
        cr_expect_eq(counts[1].block_lines, counts[0].block_lines);
        cr_expect_eq(counts[1].waves, 2 * counts[0].waves, "half the lanes");
    }
}

Test(amd_accesses, other_families_are_refused) {
    ht_device device = {.arch = "gfx803"};
    ht_counted_launch launch = {0};
    ht_accesses accesses;
    ht_error error = {0};
    static const unsigned char elf[] = "\177ELF\2\1\1";
    cr_expect_neq(
        ht_provider_amd.accesses(&device, elf, sizeof elf, "k", &launch, &accesses, &error), HT_OK);
    cr_expect(strstr(error.message, "not for gfx803"), "%s", error.message);
}

Test(amd_accesses, all_of_gfx9_is_counted) {
    static const char *const archs[] = {"amd:gfx906", "amd:gfx908"};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        fixture f;
        fixture_open(&f, archs[i]);
        const ht_inspection_launch *launch = count(&f, "ITEMS=1", &counting);
        cr_assert(launch->counted, "%s", launch->uncounted);
        cr_expect_eq(launch->accesses.counts.outputs, N);
        cr_expect_eq(launch->accesses.counts.global_load_bytes, 4 * 2 * C * N);
        fixture_close(&f);
    }
}
