/* One tuning job again and again: whether the same configuration wins, or one as fast.
 *
 *     repeat_job [--repeats 10] [--load 0] [--seconds 2] [--device host] [--sizes n=20000]
 *
 * --load N keeps N other processes computing, N = -1 a number that changes from repeat to repeat
 * (0, 1, 2, 0, ...). Two repeats agree when the same configuration won, or when the intervals of
 * the winners' speedups overlap. Fails when fewer than 9 of 10 agree with the most agreeable one.
 */
#include "benchmarks/timing_job.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS_MAX = 100, LOAD_MAX = 64 };

static bool agree(const bench_winner *a, const bench_winner *b) {
    return ht_config_equal(&a->config, &b->config) || (a->final.speedup_lo <= b->final.speedup_hi &&
                                                       b->final.speedup_lo <= a->final.speedup_hi);
}

static void report(const bench *bench, size_t repeat, size_t load, const bench_winner *winner) {
    char *config = ht_config_string(bench->binding.template, &winner->config);
    printf("%3zu  load %zu  %-18s %.3f [%.3f, %.3f]", repeat + 1, load, config,
           winner->final.speedup, winner->final.speedup_lo, winner->final.speedup_hi);
    for (size_t i = 0; i < BENCH_FINALISTS; ++i) {
        if (ht_config_equal(&winner->finalists[i], &winner->config))
            continue;
        char *other = ht_config_string(bench->binding.template, &winner->finalists[i]);
        printf("  %s takes %.3f [%.3f, %.3f] times as long", other, winner->finals[i].over_best,
               winner->finals[i].over_best_lo, winner->finals[i].over_best_hi);
        free(other);
    }
    printf("\n");
    free(config);
}

int main(int argc, char **argv) {
    bench_worker(argc, argv);
    size_t repeats = (size_t)atoi(bench_option(argc, argv, "repeats", "10"));
    int load = atoi(bench_option(argc, argv, "load", "0"));
    double seconds = atof(bench_option(argc, argv, "seconds", "2"));
    static bench_winner winners[REPEATS_MAX];
    static bench bench;
    repeats = repeats > REPEATS_MAX ? REPEATS_MAX : repeats;
    bench_open(&bench, bench_option(argc, argv, "device", "host"),
               bench_option(argc, argv, "sizes", "n=20000"));
    for (size_t i = 0; i < repeats; ++i) {
        pid_t burners[LOAD_MAX];
        size_t burning = bench_burn(burners, load < 0 ? i % 3 : (size_t)load % LOAD_MAX);
        ht_job_options options = {.seed = 1};
        ht_job *job = bench_start(&bench, &options);
        bench_tune(&bench, job, 1, seconds, NULL, NULL, &winners[i]);
        ht_job_free(job);
        bench_burn_end(burners, burning);
        report(&bench, i, burning, &winners[i]);
    }
    size_t most = 0, same = 0;
    for (size_t i = 0; i < repeats; ++i) {
        size_t agreeing = 0, equal = 0;
        for (size_t j = 0; j < repeats; ++j) {
            agreeing += agree(&winners[i], &winners[j]);
            equal += ht_config_equal(&winners[i].config, &winners[j].config);
        }
        most = agreeing > most ? agreeing : most;
        same = equal > same ? equal : same;
    }
    printf("%zu repeats: the same configuration won in %zu; the same or one whose interval "
           "overlaps in %zu\n",
           repeats, same, most);
    bench_close(&bench);
    return 10 * most >= 9 * repeats ? 0 : 1;
}
