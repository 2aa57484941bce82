#include "runtime/host/clocks.h"
#include "tests/runtime/job/fake_device.h"

#include "base/file.h"
#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(timing, .init = fake_reset, .timeout = 60);

static ht_timer make_timer(bool emulated, bool cold) {
    static ht_device device;
    device.emulated = emulated;
    ht_timer timer;
    ht_error error = {0};
    cr_assert_eq(ht_timer_create(&fake_hip, &fake_provider, &device, cold, &timer, &error), HT_OK,
                 "%s", error.message);
    return timer;
}

static ht_samples measure(ht_timer *timer, const fake_variant *variant, const ht_measuring *how) {
    ht_samples samples;
    ht_error error = {0};
    cr_assert_eq(ht_timer_measure(timer, variant->variant, how, &samples, &error), HT_OK, "%s",
                 error.message);
    return samples;
}

Test(timing, short_launches_are_batched) {
    const double times[] = {0.0005, 0.01, 0.3, 0.9, 5};
    const double steps[] = {0, 0.001, 0.05};
    for (size_t s = 0; s < 3; ++s) {
        for (size_t t = 0; t < 5; ++t) {
            fake_reset();
            fake.step = steps[s];
            fake_kernel kernel = {.ms = times[t]};
            fake_variant variant;
            fake_load(&variant, &kernel, false);
            ht_timer timer = make_timer(false, false);
            timer.resolution_ms = fmax(steps[s], 1e-6);
            ht_samples samples = measure(
                &timer, &variant, &(ht_measuring){.budget = 0.01, .relative_interval = 0.02});
            double wanted = fmax(1, 20 * steps[s]), length = samples.launches * times[t];
            cr_assert_geq(length, 0.65 * wanted, "%g ms, steps of %g: %u", times[t], steps[s],
                          samples.launches);
            cr_assert_leq(length, 3 * wanted + times[t]);
            cr_assert_float_eq(ht_stats_median(samples.ms, samples.count), times[t],
                               times[t] * (steps[s] / length + 1e-3));
            free(samples.ms);
            ht_timer_destroy(&timer);
            fake_unload(&variant);
        }
    }
}

Test(timing, kernels_that_feed_on_their_results_run_few_times_a_sample) {
    fake_kernel kernel = {.ms = 0.001};
    fake_variant variant;
    fake_load(&variant, &kernel, true);
    ht_timer timer = make_timer(false, false);
    ht_samples samples = measure(&timer, &variant, &(ht_measuring){.relative_interval = 0.02});
    cr_assert_leq(samples.launches, 8);
    free(samples.ms);
    ht_timer_destroy(&timer);
    fake_unload(&variant);
}

Test(timing, a_time_that_is_not_positive_is_an_error) {
    const double times[] = {0, -1, NAN};
    for (size_t i = 0; i < 3; ++i) {
        fake_kernel kernel = {.ms = times[i]};
        fake_variant variant;
        fake_load(&variant, &kernel, false);
        ht_timer timer = make_timer(false, false);
        double ms = 0;
        ht_error error = {0};
        cr_assert_eq(ht_timer_sample(&timer, variant.variant, 3, &ms, &error), HT_ERROR_LAUNCH);
        cr_assert(strstr(error.message, "the timer gave") != NULL);
        ht_timer_destroy(&timer);
        fake_unload(&variant);
    }
}

Test(timing, samples_of_a_throttled_device_are_taken_again) {
    fake_kernel kernel = {.ms = 2};
    fake_variant variant;
    fake_load(&variant, &kernel, false);
    ht_timer timer = make_timer(true, false);
    fake.throttled = 5;
    fake.throttle_end = fake.clock + 12; /* one or two samples */
    double ms = 0;
    ht_error error = {0};
    cr_assert_eq(ht_timer_sample(&timer, variant.variant, 1, &ms, &error), HT_OK);
    cr_assert_float_eq(ms, 2, 1e-4, "%g", ms);
    cr_assert_gt(timer.discarded, 0);
    cr_assert_eq(timer.throttled, 0);
    /* One that never recovers is measured as it is, and that is reported. */
    fake.throttle_end = INFINITY;
    ht_samples samples =
        measure(&timer, &variant, &(ht_measuring){.budget = 0.01, .relative_interval = 0.02});
    cr_assert_float_eq(samples.ms[0], 6, 1e-3);
    cr_assert_gt(timer.throttled, 0);
    free(samples.ms);
    ht_timer_destroy(&timer);
    fake_unload(&variant);
}

Test(timing, a_clock_that_fell_is_throttling_on_a_device_but_not_on_emulated_cores) {
    for (int emulated = 0; emulated < 2; ++emulated) {
        fake_reset();
        fake_kernel kernel = {.ms = 2};
        fake_variant variant;
        fake_load(&variant, &kernel, false);
        ht_timer timer = make_timer(emulated, false);
        double ms = 0;
        fake.mhz = 1700;
        cr_assert_eq(ht_timer_sample(&timer, variant.variant, 1, &ms, NULL), HT_OK);
        cr_assert_eq(timer.discarded, 0);
        fake.mhz = 1200;
        cr_assert_eq(ht_timer_sample(&timer, variant.variant, 1, &ms, NULL), HT_OK);
        cr_assert_eq(timer.throttled, emulated ? 0 : 1);
        cr_assert_eq(timer.mhz_lo, 1200);
        cr_assert_eq(timer.mhz_hi, 1700);
        ht_timer_destroy(&timer);
        fake_unload(&variant);
    }
}

Test(timing, what_is_clearly_slower_than_the_control_is_dropped_after_three_samples) {
    const double times[] = {1, 1.05, 1.15, 1.6, 20, 0.5};
    const bool dropped[] = {false, false, false, true, true, false};
    for (size_t i = 0; i < 6; ++i) {
        fake_reset();
        fake.noise = 0.1;
        fake_kernel best = {.ms = 1}, other = {.ms = times[i]};
        fake_variant control, variant;
        fake_load(&control, &best, false);
        fake_load(&variant, &other, false);
        ht_timer timer = make_timer(false, false);
        ht_measuring how = {.budget = 0.01,
                            .relative_interval = 0.02,
                            .control = control.variant,
                            .control_launches = 1,
                            .control_ms = 1,
                            .race = true};
        ht_samples samples = measure(&timer, &variant, &how);
        cr_assert_eq(samples.stop == HT_STOP_RACE, dropped[i], "%g", times[i]);
        if (dropped[i])
            cr_assert_eq(samples.count, 3);
        else
            cr_assert_geq(samples.count, 5);
        cr_assert_float_eq(ht_stats_median(samples.ms, samples.count), times[i], 0.12 * times[i]);
        cr_assert_eq(fake.last, &other, "what is checked next must be the variant's own results");
        free(samples.ms);
        ht_timer_destroy(&timer);
        fake_unload(&variant);
        fake_unload(&control);
    }
}

/* The same two kernels on a machine that becomes half as fast at any moment: next to its control a
 * variant costs the same, alone up to twice as much. */
Test(timing, a_machine_that_becomes_slow_does_not_change_a_cost) {
    double worst_alone = 0;
    for (double slow_from = 0; slow_from < 60; slow_from += 3) {
        for (int beside = 0; beside < 2; ++beside) {
            fake_reset();
            fake.noise = 0.02;
            fake.slow_from = slow_from;
            fake_kernel best = {.ms = 2}, other = {.ms = 1.5};
            fake_variant control, variant;
            fake_load(&control, &best, false);
            fake_load(&variant, &other, false);
            ht_timer timer = make_timer(false, false);
            ht_measuring how = {.relative_interval = 0.005,
                                .control = beside ? control.variant : NULL,
                                .control_launches = 1,
                                .control_ms = 2,
                                .race = true};
            ht_samples samples = measure(&timer, &variant, &how);
            double cost = ht_stats_median(samples.ms, samples.count);
            if (beside)
                cr_assert_float_eq(cost, 1.5, 0.05, "%g: %g", slow_from, cost);
            else
                worst_alone = fmax(worst_alone, cost);
            free(samples.ms);
            ht_timer_destroy(&timer);
            fake_unload(&variant);
            fake_unload(&control);
        }
    }
    cr_assert_gt(worst_alone, 2.9);
}

enum { SEARCHED = 24, TAKEN = 3 };

/* Searches in a random order on a machine that becomes half as fast in the middle, as a job does:
 * with the best so far as the control, or without any. Returns true if the fastest is among the
 * best three. */
static bool finds_fastest(uint64_t seed, bool beside) {
    ht_random random;
    ht_random_seed(&random, seed);
    fake_reset();
    fake.noise = 0.03;
    fake_kernel kernels[SEARCHED + 1] = {{.ms = 2}}; /* the original first */
    fake_variant variants[SEARCHED + 1];
    double costs[SEARCHED + 1], control_ms = 2;
    size_t control = 0, fastest = 1, faster = 0;
    fake_load(&variants[0], &kernels[0], false);
    ht_timer timer = make_timer(false, false);
    for (size_t i = 1; i <= SEARCHED; ++i) {
        kernels[i].ms = 1 + ht_random_unit(&random);
        fastest = kernels[i].ms < kernels[fastest].ms ? i : fastest;
        fake_load(&variants[i], &kernels[i], false);
        fake.slow_from = i > SEARCHED / 2 ? fmin(fake.slow_from, fake.clock + 3) : INFINITY;
        ht_measuring how = {.relative_interval = 0.02,
                            .control = beside ? variants[control].variant : NULL,
                            .control_launches = 1,
                            .control_ms = control_ms,
                            .race = true};
        ht_samples samples = measure(&timer, &variants[i], &how);
        costs[i] = ht_stats_median(samples.ms, samples.count);
        if (costs[i] < 0.97 * control_ms && samples.stop != HT_STOP_RACE) {
            control = i;
            control_ms = costs[i];
        }
        free(samples.ms);
    }
    for (size_t i = 1; i <= SEARCHED; ++i)
        faster += costs[i] < costs[fastest];
    ht_timer_destroy(&timer);
    for (size_t i = 0; i <= SEARCHED; ++i)
        fake_unload(&variants[i]);
    return faster < TAKEN;
}

Test(timing, a_machine_that_becomes_slow_in_the_middle_of_a_search_hides_no_winner) {
    enum { SEARCHES = 60 };
    int beside = 0, alone = 0;
    for (uint64_t seed = 1; seed <= SEARCHES; ++seed) {
        beside += finds_fastest(seed, true);
        alone += finds_fastest(seed, false);
    }
    cr_log_info("%d searches: the fastest is among the best three in %d next to the best so far, "
                "in %d alone",
                SEARCHES, beside, alone);
    cr_assert_geq(beside, SEARCHES - 1, "%d of %d", beside, SEARCHES);
    cr_assert_lt(alone, SEARCHES * 3 / 4, "%d of %d: the test shows nothing", alone, SEARCHES);
}

Test(timing, sampling_ends_when_there_is_nothing_new_to_learn) {
    fake_kernel kernel = {.ms = 2};
    fake_variant variant;
    fake_load(&variant, &kernel, false);
    ht_timer timer = make_timer(false, false);
    ht_measuring how = {.budget = 100, .relative_interval = 0.001};
    ht_samples steady = measure(&timer, &variant, &how);
    cr_assert_eq(steady.stop, HT_STOP_INTERVAL);
    cr_assert_eq(steady.count, 6);
    fake.noise = 1; /* no interval becomes narrow, but the histogram does not change any more */
    ht_samples noisy = measure(&timer, &variant, &how);
    cr_assert_eq(noisy.stop, HT_STOP_ENTROPY, "%s", ht_stop_name(noisy.stop));
    cr_assert_lt(noisy.count, HT_SAMPLES_MAX);
    cr_assert_geq(noisy.count, 64);
    how.budget = 0;
    ht_samples hasty = measure(&timer, &variant, &how);
    cr_assert_eq(hasty.stop, HT_STOP_BUDGET);
    free(hasty.ms);
    free(noisy.ms);
    free(steady.ms);
    ht_timer_destroy(&timer);
    fake_unload(&variant);
}

Test(timing, cold_runs_find_emptied_caches) {
    fake_kernel kernel = {.ms = 0.01};
    fake_variant variant;
    fake_load(&variant, &kernel, true);
    ht_timer timer = make_timer(false, true);
    cr_assert_eq(ht_flush_bytes(timer.flush), (size_t)512 << 20);
    double ms = 0;
    cr_assert_eq(ht_timer_sample(&timer, variant.variant, 7, &ms, NULL), HT_OK);
    cr_assert_eq(kernel.launches, 7);
    cr_assert_eq(fake.big_writes, 7, "one before each run");
    cr_assert_float_eq(ms, 0.01, 1e-6);
    ht_samples samples =
        measure(&timer, &variant, &(ht_measuring){.budget = 0.01, .relative_interval = 0.02});
    cr_assert_leq(samples.launches, 64);
    free(samples.ms);
    ht_timer_destroy(&timer);
    fake_unload(&variant);
}

Test(timing, caches_are_emptied_with_what_memory_there_is) {
    ht_flush *flush = NULL;
    ht_error error = {0};
    fake.memory_left = (size_t)200 << 20;
    cr_assert_eq(ht_flush_create(&fake_hip, false, &flush, &error), HT_OK);
    cr_assert_eq(ht_flush_bytes(flush), (size_t)128 << 20);
    ht_flush_free(flush);
    fake.memory_left = (size_t)50 << 20;
    cr_assert_eq(ht_flush_create(&fake_hip, false, &flush, &error), HT_ERROR_LAUNCH);
    cr_assert(strstr(error.message, "--cache hot") != NULL);
}

static void put(const char *folder, int core, const char *name, const char *value) {
    char path[512];
    ht_error error = {0};
    snprintf(path, sizeof path, "%s/cpu%d/%s", folder, core, name);
    char *parent = ht_path_folder(path);
    cr_assert_eq(ht_dir_make(parent, &error), HT_OK, "%s", error.message);
    free(parent);
    cr_assert_eq(ht_file_write(path, value, strlen(value), &error), HT_OK, "%s", error.message);
}

Test(timing, clocks_of_cores_come_from_files) {
    char folder[] = "/tmp/hiptemper-clocks-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    ht_clocks clocks;
    ht_host_clocks_read(folder, &clocks);
    cr_assert_eq(clocks.mhz, -1);
    cr_assert_eq(clocks.throttled, -1);
    for (int core = 0; core < 1024; ++core) {
        cpu_set_t set;
        if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_ISSET(core, &set)) {
            put(folder, core, "cpufreq/scaling_cur_freq", "2345000\n");
            break;
        }
    }
    put(folder, 0, "thermal_throttle/core_throttle_count", "3\n");
    put(folder, 0, "thermal_throttle/package_throttle_count", "4\n");
    ht_host_clocks_read(folder, &clocks);
    cr_assert_eq(clocks.mhz, 2345);
    cr_assert_eq(clocks.throttled, 7);
    ht_dir_remove(folder);
}
