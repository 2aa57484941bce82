/* The effect on the winner of a load that starts in the middle of a job.
 *
 *     drift [--repeats 5] [--load 4] [--seconds 2] [--device host] [--sizes n=20000]
 *
 * Each repeat tunes the same job with configurations in an order of its own, four times: quiet and
 * with --load processes that begin to compute once half of the configurations are evaluated; each
 * with every variant timed next to the best so far, as the tuner does, and each timed alone.
 * Printed are how much slower the load made the original, how many finalists the two searches have
 * in common, and how much longer the job's winner takes than the quiet one's, by one more final of
 * the two on the machine as it is then.
 */
#include "benchmarks/timing_job.h"

#include <stdio.h>
#include <stdlib.h>

enum { LOAD_MAX = 64 };

typedef struct load {
    size_t wanted, burning;
    pid_t burners[LOAD_MAX];
} load;

static void begin_load(void *context) {
    load *load = context;
    load->burning = bench_burn(load->burners, load->wanted);
}

static void tune(const bench *bench, uint64_t order, double seconds, bool unpaired, size_t wanted,
                 bench_winner *out_winner) {
    load load = {.wanted = wanted};
    ht_job_options options = {.seed = 1, .unpaired = unpaired};
    ht_job *job = bench_start(bench, &options);
    bench_tune(bench, job, order, seconds, begin_load, &load, out_winner);
    ht_job_free(job);
    bench_burn_end(load.burners, load.burning);
}

/* Returns how many of the quiet job's finalists the other chose too. */
static size_t shared_finalists(const bench_winner *a, const bench_winner *b) {
    size_t shared = 0;
    for (size_t i = 0; i < BENCH_FINALISTS; ++i)
        for (size_t j = 0; j < BENCH_FINALISTS; ++j)
            shared += ht_config_equal(&a->finalists[i], &b->finalists[j]);
    return shared;
}

/* Returns true if the job itself said that this configuration may be as fast as its winner. */
static bool left_open(const bench_winner *winner, const ht_config *config) {
    for (size_t i = 0; i < BENCH_FINALISTS; ++i)
        if (ht_config_equal(&winner->finalists[i], config))
            return winner->finals[i].over_best_lo <= 1;
    return false;
}

/* Times the winners next to each other. */
static ht_final duel(const bench *bench, const ht_config *quiet, const ht_config *drifted,
                     double seconds) {
    ht_job_options options = {.seed = 2};
    ht_job *job = bench_start(bench, &options);
    ht_config configs[2] = {*quiet, *drifted};
    ht_final finals[2];
    ht_timing original;
    ht_error error = {0};
    bench_check(ht_job_finals(job, configs, 2, seconds, &original, finals, &error), &error);
    ht_job_free(job);
    return finals[finals[0].over_best > finals[1].over_best ? 0 : 1];
}

static bool report(const bench *bench, const char *way, const bench_winner *quiet,
                   const bench_winner *drifted, double seconds) {
    char *one = ht_config_string(bench->binding.template, &quiet->config);
    char *two = ht_config_string(bench->binding.template, &drifted->config);
    bool same = ht_config_equal(&quiet->config, &drifted->config);
    printf("  %-7s %5.2fx %4zu of %d  %-18s %-18s ", way,
           drifted->original.median_ms / quiet->original.median_ms,
           shared_finalists(quiet, drifted), BENCH_FINALISTS, one, two);
    bool kept = same;
    if (same) {
        printf("same\n");
    } else {
        ht_final final = duel(bench, &quiet->config, &drifted->config, seconds);
        bool open = left_open(drifted, &quiet->config), equal = final.over_best_lo <= 1;
        kept = equal || open;
        printf("%s: the slower takes %.3f [%.3f, %.3f]\n",
               equal  ? "equal"
               : open ? "reported as unclear"
                      : "CHANGED",
               final.over_best, final.over_best_lo, final.over_best_hi);
    }
    free(one);
    free(two);
    return kept;
}

int main(int argc, char **argv) {
    bench_worker(argc, argv);
    unsigned repeats = (unsigned)atoi(bench_option(argc, argv, "repeats", "5"));
    size_t wanted = (size_t)atoi(bench_option(argc, argv, "load", "4")) % LOAD_MAX;
    double seconds = atof(bench_option(argc, argv, "seconds", "2"));
    static bench bench;
    bench_open(&bench, bench_option(argc, argv, "device", "host"),
               bench_option(argc, argv, "sizes", "n=20000"));
    unsigned kept[2] = {0};
    printf("  way     slower finalists  winner, quiet      winner, load in the middle\n");
    for (unsigned i = 0; i < repeats; ++i)
        for (int unpaired = 0; unpaired < 2; ++unpaired) {
            static bench_winner quiet, drifted;
            tune(&bench, 1 + i, seconds, unpaired, 0, &quiet);
            tune(&bench, 1 + i, seconds, unpaired, wanted, &drifted);
            kept[unpaired] +=
                report(&bench, unpaired ? "alone" : "next to", &quiet, &drifted, seconds);
        }
    printf("the same won, or one as fast, or the job reported it as unclear, in %u of %u (timed "
           "next to the best so far), %u "
           "of %u (timed alone)\n",
           kept[0], repeats, kept[1], repeats);
    bench_close(&bench);
    return kept[0] == repeats ? 0 : 1;
}
