/* No prediction is shorter than what cannot be done faster: the bytes that have to be moved at the
 * memory's rate, and the arithmetic at the peak of all units. Kernels are compiled by hiprtc, and
 * skipped without ROCm. */
#include "base/random.h"
#include "runtime/amd/target.h"
#include "runtime/measure/predicted.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A matrix times vectors, of which the blocks at every TOGETHER-th vector have those after theirs
 * to compute, and the others nothing; SKIP lets whole columns of blocks go, too, where COLUMNS of
 * them are one's. So of a large grid few blocks work. */
static const char products[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(products)\n"
    "#pragma tune problem(shape : rows, vectors, length)\n"
    "#pragma tune param(TOGETHER : 1, 8, 16 = 1)\n"
    "#pragma tune param(COLUMNS : 1, 16 = 1)\n"
    "#pragma tune param(BLOCK : 64, 256 = 64)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.rows, BLOCK), problem.vectors)\n"
    "#pragma tune arg(m : in float[problem.length * problem.rows])\n"
    "#pragma tune arg(v : in float[problem.length * problem.vectors])\n"
    "#pragma tune arg(out : out float[problem.vectors * problem.rows])\n"
    "#pragma tune arg(rows : int = problem.rows)\n"
    "#pragma tune arg(vectors : int = problem.vectors)\n"
    "#pragma tune arg(length : int = problem.length)\n"
    "template <int TOGETHER, int COLUMNS, int BLOCK>\n"
    "__global__ void products(const float *m, const float *v, float *out, int rows, int vectors,\n"
    "                         int length) {\n"
    "    const int first = blockIdx.y;\n"
    "    if (first % TOGETHER != 0 || blockIdx.x % COLUMNS != 0) return;\n"
    "    for (int column = 0; column < COLUMNS; ++column) {\n"
    "        const int row = (blockIdx.x + column) * BLOCK + threadIdx.x;\n"
    "        if (row >= rows) return;\n"
    "        float sum[TOGETHER] = {};\n"
    "        for (int i = 0; i < length; ++i) {\n"
    "            const float x = m[i * rows + row];\n"
    "            for (int k = 0; k < TOGETHER; ++k)\n"
    "                if (first + k < vectors) sum[k] += x * v[(first + k) * length + i];\n"
    "        }\n"
    "        for (int k = 0; k < TOGETHER; ++k)\n"
    "            if (first + k < vectors) out[(first + k) * rows + row] = sum[k];\n"
    "    }\n"
    "}\n";

enum { TOGETHER = 3, COLUMNS = 2, BLOCKS = 2, CONFIGS = TOGETHER * COLUMNS * BLOCKS };

typedef struct fixture {
    ht_template *templates;
    size_t count;
    ht_problem problem;
    const ht_gpu *gpu;
    ht_device device;
    ht_config configs[CONFIGS];
    ht_inspection found[CONFIGS];
} fixture;

static void fixture_open(fixture *f, const char *model, const char *fields) {
    static const char *const together[] = {"1", "8", "16"}, *const columns[] = {"1", "16"};
    ht_error error = {0};
    *f = (fixture){0};
    ht_status status = ht_model_device_find(model, &f->gpu, &f->device, &error);
    if (status == HT_ERROR_MISSING)
        cr_skip_test("no hiprtc: %s", error.message);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    status = ht_template_parse(products, "products.hip", &f->templates, &f->count, &error);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    status = ht_problem_parse(&f->templates->problem, fields, &f->problem, &error);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    for (size_t i = 0; i < CONFIGS; i++) {
        char text[64];
        snprintf(text, sizeof text, "TOGETHER=%s COLUMNS=%s BLOCK=%s", together[i % TOGETHER],
                 columns[i / TOGETHER % COLUMNS], i / TOGETHER / COLUMNS ? "256" : "64");
        status = ht_config_parse(f->templates, text, &f->configs[i], &error);
        cr_assert_eq(status, HT_OK, "%s", error.message);
    }
}

static void fixture_close(fixture *f) {
    for (size_t i = 0; i < CONFIGS; i++)
        ht_inspection_free(&f->found[i]);
    ht_problem_free(&f->problem);
    ht_template_free(f->templates, f->count);
}

/* Operations on float32 a second by vector instructions, packed ones among them. */
static double peak_of(const ht_gpu *gpu) {
    const ht_amd_target target = ht_gpu_target(gpu);
    double lanes = target.wavefront / gpu->vector_cycles * target.simds * (target.has_wgp ? 2 : 1);
    return 2 * 2 * lanes * gpu->units * gpu->mhz * 1e6;
}

/* Of few blocks that are drawn from all, none might be one that works. */
static void expect_working(const ht_inspection_launch *launch, double share, double outputs) {
    const ht_accesses *accesses = &launch->accesses;
    double working = (double)accesses->blocks / share;
    double found = ht_accesses_share(accesses) * (double)accesses->counts.outputs;
    cr_expect_float_eq(accesses->working, working, 0.3 * working + 1, "%g of %g", accesses->working,
                       working);
    cr_expect_leq(accesses->counts.blocks, 4);
    cr_expect_float_eq(found, outputs, 0.3 * outputs, "%g of %g outputs", found, outputs);
}

Test(amd_bounds, no_prediction_is_shorter_than_the_bytes_and_the_arithmetic_take) {
    static const char *const models[] = {"model:mi250x", "model:mi50"};
    static const char *const shapes[] = {"rows=4096 vectors=64 length=96",
                                         "rows=8192 vectors=208 length=17"};
    static const double shares[] = {1, 8, 16}, columns[] = {1, 16};
    static const double sizes[][3] = {{4096, 64, 96}, {8192, 208, 17}};
    for (size_t s = 0; s < 2; s++) {
        fixture f;
        const double rows = sizes[s][0], vectors = sizes[s][1], length = sizes[s][2];
        fixture_open(&f, models[s], shapes[s]);
        double bytes = 4 * (rows * length + vectors * length + rows * vectors);
        double least =
            fmax(bytes / f.gpu->memory_rate, 2 * rows * vectors * length / peak_of(f.gpu));
        const ht_binding binding = {f.templates, &f.problem, &f.device.fields};
        const ht_inspect_options options = {.count = true, .blocks_max = 4};
        ht_error error = {0};
        cr_assert_eq(
            ht_inspect(&f.device, &binding, f.configs, CONFIGS, &options, NULL, f.found, &error),
            HT_OK, "%s", error.message);
        for (size_t i = 0; i < CONFIGS; i++) {
            ht_gpu_time time;
            char *config = ht_config_string(f.templates, &f.configs[i]);
            cr_assert_eq(ht_inspection_predict(f.gpu, &f.found[i], 1, &time, &error), HT_OK,
                         "%s: %s", config, error.message);
            double terms = fmax(time.terms[HT_GPU_MEMORY], time.terms[HT_GPU_VECTOR]);
            cr_expect_geq(terms, 0.99 * least, "%s: %g s, of which %g at least", config, terms,
                          least);
            cr_expect_geq(time.seconds, terms);
            expect_working(&f.found[i].launches[0],
                           shares[i % TOGETHER] * columns[i / TOGETHER % COLUMNS], rows * vectors);
            free(config);
        }
        fixture_close(&f);
    }
}

static double between(ht_random *random, double low, double high) {
    return low * pow(high / low, (double)ht_random_below(random, 1000001) / 1e6);
}

/* The same of the formula, whatever the launch is. */
Test(amd_bounds, the_formula_spreads_work_over_no_more_than_all_units) {
    ht_random random;
    ht_random_seed(&random, 5);
    for (size_t round = 0; round < 2000; round++) {
        const ht_gpu *gpu = &ht_gpus[round % ht_gpu_count];
        const ht_amd_target target = ht_gpu_target(gpu);
        const ht_gpu_work work = {.blocks = floor(between(&random, 1, 1e6)),
                                  .resident = floor(between(&random, 1, 32)),
                                  .input_bytes = between(&random, 1, 1e9),
                                  .waves = floor(between(&random, 1, 16)),
                                  .vector = between(&random, 1, 1e6),
                                  .instructions = between(&random, 1, 1e6),
                                  .lines_bytes = between(&random, 1, 1e6),
                                  .store_bytes = between(&random, 1, 1e6)};
        double simds = target.simds * (target.has_wgp ? 2.0 : 1.0) * gpu->units;
        double cycles = work.blocks * work.vector * gpu->vector_cycles / simds;
        double bytes =
            work.blocks * work.store_bytes + fmin(work.input_bytes, work.blocks * work.lines_bytes);
        double seconds = ht_gpu_time_compute(gpu, &work).seconds;
        cr_expect_geq(seconds, cycles / (gpu->mhz * 1e6) * (1 - 1e-12));
        cr_expect_geq(seconds, bytes / gpu->memory_rate * (1 - 1e-12));
    }
}
