/* The learning rate: linear warm-up, then half a cosine (Loshchilov and Hutter 2017). */
#ifndef HT_LAYERS_SCHEDULE_H
#define HT_LAYERS_SCHEDULE_H

#include <stdint.h>

typedef struct ht_schedule {
    double rate;     /* the highest */
    double end;      /* share of it at the last step */
    uint64_t warmup; /* steps */
    uint64_t total;  /* steps, warm-up included */
} ht_schedule;

/* Of step 0, 1, ... Behind the last step: as at the last. */
double ht_schedule_rate(const ht_schedule *schedule, uint64_t step);
#endif
