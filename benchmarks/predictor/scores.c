#include "benchmarks/predictor/scores.h"

const size_t ht_top[HT_TOP_COUNT] = {1, 3, 5, 10};

static size_t same_count(const int64_t *a, const int64_t *b, size_t count) {
    size_t same = 0;
    for (size_t i = 0; i < count; ++i)
        same += a[i] == b[i];
    return same;
}

/* Adds counts. `first` is the first answer's number of matches, `at` the first answer that matches
 * in all. */
static void counts_add(ht_match_counts *counts, size_t first, size_t steps, size_t at) {
    counts->parameters += (double)first / (double)steps;
    for (size_t i = 0; i < HT_TOP_COUNT; ++i)
        counts->top[i] += at < ht_top[i];
}

void ht_scores_add(const ht_table *table, ht_completion *completion, size_t row,
                   const ht_answers *answers, ht_scores *scores) {
    size_t steps = table->output.steps;
    const uint16_t *target = table->targets + row * steps;
    int64_t truth[HT_PARAM_MAX], answer[HT_PARAM_MAX];
    size_t first = 0, first_canonical = 0, at = HT_ANSWERS, at_canonical = HT_ANSWERS;
    ht_completion_start(completion, table->fields[row]);
    ht_completion_canonical(completion, target, truth);
    for (size_t i = answers->count; i-- > 0;) {
        size_t same = 0;
        for (size_t t = 0; t < steps; ++t)
            same += answers->choice[i][t] == target[t];
        ht_completion_canonical(completion, answers->choice[i], answer);
        size_t same_canonical = same_count(answer, truth, steps);
        at = same == steps ? i : at;
        at_canonical = same_canonical == steps ? i : at_canonical;
        first = same;
        first_canonical = same_canonical;
        scores->legal += ht_completion_legal(completion, answers->choice[i]);
    }
    if (!ht_completion_legal(completion, target)) {
        ++scores->refused;
        for (size_t i = 0; i < HT_TOP_COUNT; ++i)
            scores->refused_top[i] += at < ht_top[i];
    }
    ++scores->records;
    scores->answers += answers->count;
    counts_add(&scores->exact, first, steps, at);
    counts_add(&scores->canonical, first_canonical, steps, at_canonical);
}
