/* The model of the GPU: what must hold whatever its numbers are, and its numbers against those that
 * data sheets give in other words. */
#include "base/random.h"
#include "runtime/amd/model/time.h"
#include "runtime/amd/occupancy.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>

enum { ROUNDS = 200 };

static double between(ht_random *random, double low, double high) {
    return low * pow(high / low, (double)ht_random_below(random, 1000001) / 1e6);
}

/* A launch in which any term may be the largest. */
static ht_gpu_work any_work(ht_random *random) {
    ht_gpu_work work = {.blocks = floor(between(random, 1, 1e6)),
                        .resident = floor(between(random, 1, 32)),
                        .input_bytes = between(random, 1, 1e9),
                        .scratch = between(random, 1, 1e6)};
#define FILL(field, meaning) work.field = between(random, 1, 1e6);
    HT_GPU_BLOCK_FIELDS(FILL)
#undef FILL
    work.waves = floor(between(random, 1, 16));
    work.l1_bytes *= between(random, 1, 100);
    return work;
}

Test(amd_model, more_work_is_never_faster) {
    static const size_t fields[] = {
#define PLACE(field, meaning) offsetof(ht_gpu_work, field),
        HT_GPU_BLOCK_FIELDS(PLACE)
#undef PLACE
            offsetof(ht_gpu_work, blocks),
        offsetof(ht_gpu_work, input_bytes), offsetof(ht_gpu_work, scratch)};
    ht_random random;
    ht_random_seed(&random, 1);
    for (size_t g = 0; g < ht_gpu_count; g++)
        for (size_t round = 0; round < ROUNDS; round++) {
            ht_gpu_work work = any_work(&random);
            double before = ht_gpu_time_compute(&ht_gpus[g], &work).seconds;
            for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
                ht_gpu_work more = work;
                if (fields[i] == offsetof(ht_gpu_work, waves)) /* the same work, shared by more */
                    continue;
                *(double *)((char *)&more + fields[i]) *= between(&random, 1, 10);
                double after = ht_gpu_time_compute(&ht_gpus[g], &more).seconds;
                cr_expect_geq(after, before * (1 - 1e-12), "%s, field %zu: %g and %g s",
                              ht_gpus[g].name, i, before, after);
            }
        }
}

Test(amd_model, a_part_that_does_more_in_a_cycle_is_never_slower) {
    static const size_t rates[] = {offsetof(ht_gpu, mhz),        offsetof(ht_gpu, scalar_rate),
                                   offsetof(ht_gpu, lds_rate),   offsetof(ht_gpu, l1_rate),
                                   offsetof(ht_gpu, l1_size),    offsetof(ht_gpu, l2_rate),
                                   offsetof(ht_gpu, cache_size), offsetof(ht_gpu, memory_rate)};
    ht_random random;
    ht_random_seed(&random, 2);
    for (size_t round = 0; round < ROUNDS; round++) {
        ht_gpu_work work = any_work(&random);
        const ht_gpu *gpu = &ht_gpus[round % ht_gpu_count];
        double before = ht_gpu_time_compute(gpu, &work).seconds;
        for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
            ht_gpu better = *gpu;
            *(double *)((char *)&better + rates[i]) *= 2;
            double after = ht_gpu_time_compute(&better, &work).seconds;
            cr_expect_leq(after, before * (1 + 1e-12), "%s, rate %zu: %g and %g s", gpu->name, i,
                          before, after);
        }
    }
}

Test(amd_model, a_block_more_than_units_costs_as_much_as_one_more_for_each) {
    const ht_gpu *gpu = ht_gpu_find("MI250X");
    ht_gpu_work work = {.resident = 1, .waves = 4, .vector = 1e6, .instructions = 1e6};
    double terms[4];
    const double blocks[4] = {gpu->units, gpu->units + 1, 2 * gpu->units, 2 * gpu->units + 1};
    for (size_t i = 0; i < 4; i++) {
        work.blocks = blocks[i];
        terms[i] = ht_gpu_time_compute(gpu, &work).terms[HT_GPU_VECTOR];
    }
    cr_expect_float_eq(terms[1], 2 * terms[0], 1e-9);
    cr_expect_float_eq(terms[2], terms[1], 1e-12);
    cr_expect_float_eq(terms[3], 3 * terms[0], 1e-9);
}

Test(amd_model, the_bottleneck_is_the_largest_term_and_no_time_is_shorter) {
    ht_random random;
    bool seen[HT_GPU_TERM_COUNT] = {false};
    ht_random_seed(&random, 3);
    for (size_t round = 0; round < 50 * ROUNDS; round++) {
        ht_gpu_work work = any_work(&random);
        ht_gpu_time time = ht_gpu_time_compute(&ht_gpus[round % ht_gpu_count], &work);
        double sum = 5e-6;
        for (size_t i = 0; i < HT_GPU_TERM_COUNT; i++) {
            cr_expect_leq(time.terms[i], time.terms[time.bottleneck]);
            sum += time.terms[i];
        }
        cr_expect_geq(time.seconds, time.terms[time.bottleneck]);
        cr_expect_leq(time.seconds, sum * (1 + 1e-12));
        seen[time.bottleneck] = true;
    }
    for (size_t i = 0; i < HT_GPU_TERM_COUNT; i++)
        cr_expect(seen[i], "%s decided in no launch", ht_gpu_term_words((ht_gpu_term)i));
}

/* Teraflops of float32 by vector instructions, as data sheets have them; of RDNA 3 and 4 half,
 * which is without dual issue, and of CDNA 2 to 4 that of float64, which has no packed form. */
Test(amd_model, its_numbers_give_the_data_sheets_speeds) {
    static const struct {
        const char *name;
        double teraflops;
    } sheets[] = {{"mi50", 13.3},      {"mi100", 23.1},      {"mi250x", 47.9 / 2},
                  {"mi300x", 81.7},    {"mi355x", 78.6},     {"w6600", 10.4},
                  {"w7800", 45.2 / 2}, {"rx7900", 61.4 / 2}, {"rx9070", 36.1 / 2}};
    cr_assert_eq(sizeof sheets / sizeof *sheets, ht_gpu_count);
    for (size_t i = 0; i < ht_gpu_count; i++) {
        const ht_gpu *gpu = ht_gpu_find(sheets[i].name);
        cr_assert_not_null(gpu, "%s", sheets[i].name);
        ht_amd_target target = ht_gpu_target(gpu);
        double simds = gpu->units * target.simds * (target.has_wgp ? 2.0 : 1.0);
        double flops = simds * target.wavefront / gpu->vector_cycles * 2 * gpu->mhz * 1e6;
        cr_expect_float_eq(flops / 1e12, sheets[i].teraflops, 0.01 * sheets[i].teraflops,
                           "%s: %g TFLOPS", gpu->name, flops / 1e12);
        cr_expect(strstr(gpu->source, "data sheet"), "%s has no source", gpu->name);
    }
}

static ht_amd_usage any_usage(ht_random *random, const ht_amd_target *target) {
    return (ht_amd_usage){.vgprs = (int)ht_random_below(random, (uint64_t)target->registers) + 1,
                          .sgprs = (int)ht_random_below(random, 104) + 1,
                          .lds = (int)ht_random_below(random, (uint64_t)target->lds + 1),
                          .threads = (int)ht_random_below(random, 1024) + 1,
                          .wavefront = target->wavefront,
                          .wgp = target->has_wgp};
}

/* The blocks fill the waves that the occupancy has, as far as whole blocks do. */
Test(amd_model, resident_blocks_agree_with_the_occupancy) {
    ht_random random;
    ht_random_seed(&random, 4);
    for (size_t t = 0; t < ht_amd_target_count; t++)
        for (size_t round = 0; round < 5 * ROUNDS; round++) {
            const ht_amd_target *target = &ht_amd_targets[t];
            ht_amd_usage usage = any_usage(&random, target);
            int simds = target->simds * (usage.wgp ? 2 : 1);
            int each = (usage.threads + usage.wavefront - 1) / usage.wavefront;
            int waves = ht_amd_occupancy_compute(target, &usage).waves * simds;
            int blocks = ht_amd_groups_resident(target, &usage);
            cr_expect_leq(blocks * each, waves, "%s: %d blocks of %d waves", target->arch, blocks,
                          each);
            cr_expect_gt((blocks + 1) * each + simds, waves, "%s: %d blocks of %d waves",
                         target->arch, blocks, each);
        }
}

Test(amd_model, a_block_that_no_unit_holds_is_refused) {
    ht_accesses accesses = {.blocks = 1, .working = 1, .counts = {.blocks = 1}};
    ht_resources resources = {.vgprs = 32, .sgprs = 16, .lds = 65537, .wavefront = 64};
    ht_geometry geometry = {.block = {64, 1, 1}, .grid = {1, 1, 1}};
    ht_gpu_work work;
    ht_error error = {0};
    cr_expect_eq(
        ht_gpu_work_make(ht_gpu_find("mi250x"), &accesses, &resources, &geometry, &work, &error),
        HT_ERROR_UNSUPPORTED);
    cr_expect(strstr(error.message, "65537 bytes of LDS"), "%s", error.message);
    cr_expect_eq(
        ht_gpu_work_make(ht_gpu_find("mi355x"), &accesses, &resources, &geometry, &work, &error),
        HT_OK, "its LDS has 160 KiB: %s", error.message);
}
