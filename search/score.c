#include "search/score.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static const double cutoff = 0.95;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const double *sorted, size_t count) {
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* Returns the cost at a rank between 0 and count - 1, between two ranks linearly. */
static double cost_at(const ht_score *score, double rank) {
    if (rank <= 0)
        return score->costs[0];
    size_t below = (size_t)rank;
    if (below + 1 >= score->count)
        return score->costs[score->count - 1];
    return score->costs[below] +
           (rank - (double)below) * (score->costs[below + 1] - score->costs[below]);
}

/* Returns the expected rank (from 0) of the best of `draws` different ones of `count`. */
static double expected_rank(const ht_score *score, double draws) {
    return ((double)score->count + 1) / (draws + 1) - 1;
}

double ht_score_baseline(const ht_score *score, double draws) {
    return cost_at(score, expected_rank(score, draws));
}

/* Returns the last rank whose cost is not above `cost`; inverse of cost_at. */
static double rank_at(const ht_score *score, double cost) {
    size_t above = 0;
    while (above < score->count && score->costs[above] <= cost)
        ++above;
    if (above == 0 || above == score->count)
        return above ? (double)(above - 1) : 0;
    double step = score->costs[above] - score->costs[above - 1];
    return (double)(above - 1) + (cost - score->costs[above - 1]) / step;
}

/* Returns the time of a draw: random search meets as many failures per success as there are in the
 * space. */
static double time_of_draw(const ht_replay *replay) {
    ht_replay_counts counts = ht_replay_count(replay);
    double sum = 0;
    uint64_t successes = counts.recorded - counts.failed;
    for (uint64_t i = 0; i < counts.space; ++i)
        sum += ht_replay_spent(replay, i);
    return sum / (double)successes;
}

void ht_score_make(const ht_replay *replay, ht_score *out_score) {
    ht_replay_counts counts = ht_replay_count(replay);
    *out_score = (ht_score){.costs = ht_alloc(counts.recorded, sizeof(double))};
    for (uint64_t i = 0; i < counts.space; ++i) {
        const ht_record *record = ht_replay_record(replay, i);
        if (record && record->status == HT_OK)
            out_score->costs[out_score->count++] = record->cost;
    }
    qsort(out_score->costs, out_score->count, sizeof(double), ascending);
    out_score->optimum = out_score->costs[0];
    out_score->median = median_of(out_score->costs, out_score->count);
    out_score->draw_ms = time_of_draw(replay);
    double target = out_score->median + cutoff * (out_score->optimum - out_score->median);
    double rank = rank_at(out_score, target);
    out_score->budget_draws = fmax(1, ((double)out_score->count + 1) / (rank + 1) - 1);
    out_score->budget_ms = out_score->budget_draws * out_score->draw_ms;
}

void ht_score_free(ht_score *score) {
    free(score->costs);
    *score = (ht_score){0};
}

/* Returns the index after the last evaluation that was over at `time`. */
static size_t evaluations_at(const ht_replay_trace *trace, double time) {
    size_t low = 0, high = trace->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (trace->spent[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t rank_of(const ht_score *score, double cost) {
    size_t low = 0, high = score->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (score->costs[middle] < cost)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the rank at `time`. Without a success yet a search is credited with one draw, as the
 * baseline is. */
static double rank_by(const ht_score *score, const ht_replay_trace *trace, double time) {
    size_t done = evaluations_at(trace, time);
    if (!done || !isfinite(trace->best[done - 1]))
        return expected_rank(score, 1);
    return (double)rank_of(score, trace->best[done - 1]);
}

double ht_score_performance(const ht_score *score, const ht_replay_trace *traces, size_t count) {
    double sum = 0;
    size_t complete = 0;
    for (size_t r = 0; r < count; ++r)
        complete += traces[r].complete;
    if (!complete || score->median <= score->optimum)
        return NAN;
    for (int point = 0; point < HT_SCORE_POINTS; ++point) {
        double draws = 1 + (score->budget_draws - 1) * point / (HT_SCORE_POINTS - 1);
        double rank = 0;
        for (size_t r = 0; r < count; ++r)
            if (traces[r].complete)
                rank += rank_by(score, &traces[r], draws * score->draw_ms);
        double baseline = ht_score_baseline(score, draws);
        double reached = cost_at(score, rank / (double)complete);
        sum += (baseline - reached) / (baseline - score->optimum);
    }
    return sum / HT_SCORE_POINTS;
}

/* Returns the standard error of the mean of some numbers. */
static double error_of(const double *numbers, size_t count, double mean) {
    double squares = 0;
    for (size_t i = 0; i < count; ++i)
        squares += (numbers[i] - mean) * (numbers[i] - mean);
    return count > 1 ? sqrt(squares / (double)(count - 1) / (double)count) : 0;
}

ht_score_share ht_score_at(const ht_score *score, const ht_replay_trace *traces, size_t count,
                           uint64_t evaluations) {
    double *shares = ht_alloc(count, sizeof *shares);
    size_t complete = 0;
    double sum = 0;
    for (size_t r = 0; r < count; ++r) {
        const ht_replay_trace *trace = &traces[r];
        if (!trace->complete)
            continue;
        size_t done = evaluations < trace->count ? (size_t)evaluations : trace->count;
        double best = done ? trace->best[done - 1] : INFINITY;
        shares[complete] = score->optimum / best; /* 0 for infinity */
        sum += shares[complete++];
    }
    ht_score_share share = {0};
    if (complete) {
        qsort(shares, complete, sizeof *shares, ascending);
        share.mean = sum / (double)complete;
        share.median = median_of(shares, complete);
        share.tenth = shares[(complete - 1) / 10];
        share.error = error_of(shares, complete, share.mean);
    }
    free(shares);
    return share;
}
