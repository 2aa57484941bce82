/* A kernel against itself: the share of finals that report a difference.
 *
 *     aa [--runs 200] [--seconds 0.3] [--device host] [--sizes n=20000]
 *
 * Each run compiles the kernel twice, loads both, checks them on fresh inputs and times them in
 * turns for --seconds, as the finals of every job do. Fails when more than 5 % report a difference.
 */
#include "benchmarks/timing_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
    unsigned faster, slower;
    double widest, farthest; /* of the interval; of the ratio from 1 */
    double width_sum;
} tally;

static void count(tally *tally, const ht_final *final) {
    ht_comparison comparison = ht_final_compare(final);
    tally->faster += comparison == HT_COMPARISON_FASTER;
    tally->slower += comparison == HT_COMPARISON_SLOWER;
    double width = final->speedup_hi - final->speedup_lo;
    tally->width_sum += width;
    tally->widest = fmax(tally->widest, width);
    tally->farthest = fmax(tally->farthest, fabs(final->speedup - 1));
}

int main(int argc, char **argv) {
    bench_worker(argc, argv);
    unsigned runs = (unsigned)atoi(bench_option(argc, argv, "runs", "200"));
    double seconds = atof(bench_option(argc, argv, "seconds", "0.3"));
    bench bench;
    bench_open(&bench, bench_option(argc, argv, "device", "host"),
               bench_option(argc, argv, "sizes", "n=20000"));
    ht_config same = ht_config_default(bench.binding.template);
    tally tally = {0};
    size_t rounds = 0;
    for (unsigned run = 0; run < runs;) {
        ht_job_options options = {.seed = 1 + run};
        ht_job *job = bench_start(&bench, &options);
        for (int part = 0; part < 20 && run < runs; ++part, ++run) {
            ht_timing original;
            ht_final final;
            ht_error error = {0};
            bench_check(ht_job_finals(job, &same, 1, seconds, &original, &final, &error), &error);
            bench_check(final.status, &(ht_error){.message = "the kernel fails"});
            count(&tally, &final);
            rounds += final.timing.samples;
            if (ht_final_compare(&final) != HT_COMPARISON_UNCLEAR)
                printf("run %u: %s, %.4f [%.4f, %.4f], %zu rounds\n", run,
                       ht_comparison_name(ht_final_compare(&final)), final.speedup,
                       final.speedup_lo, final.speedup_hi, final.timing.samples);
        }
        ht_job_free(job);
    }
    unsigned differ = tally.faster + tally.slower;
    printf("%u runs on %s, %.1f rounds each: %u report a difference (%.1f %%): %u faster, %u "
           "slower\n",
           runs, bench.device.name, (double)rounds / runs, differ, 100.0 * differ / runs,
           tally.faster, tally.slower);
    printf("mean width of the interval %.2f %%, widest %.2f %%; farthest ratio %.2f %% from 1\n",
           100 * tally.width_sum / runs, 100 * tally.widest, 100 * tally.farthest);
    bench_close(&bench);
    return 20 * differ <= runs ? 0 : 1;
}
