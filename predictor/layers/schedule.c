#include "predictor/layers/schedule.h"

#include <math.h>

double ht_schedule_rate(const ht_schedule *schedule, uint64_t step) {
    if (step < schedule->warmup)
        return schedule->rate * (double)(step + 1) / (double)schedule->warmup;
    if (step + 1 >= schedule->total)
        return schedule->rate * schedule->end;
    const double share =
        (double)(step - schedule->warmup) / (double)(schedule->total - 1 - schedule->warmup);
    const double cosine = 0.5 * (1 + cos(acos(-1.0) * share));
    return schedule->rate * (schedule->end + (1 - schedule->end) * cosine);
}
