/* A time model from the inside, for time_*.c. */
#ifndef HT_PREDICTOR_TIMES_TIME_INTERNAL_H
#define HT_PREDICTOR_TIMES_TIME_INTERNAL_H

#include "predictor/times/bins.h"
#include "predictor/times/time_model.h"

/* The parts of the data that members leave out. */
typedef enum ht_time_left_out { HT_LEFT_PROBLEMS, HT_LEFT_MACHINES } ht_time_left_out;

typedef struct ht_time_input {
    char *name; /* of the column; owned */
    ht_bins bins;
} ht_time_input;

struct ht_time_model {
    ht_time_facts facts;
    ht_time_input *inputs; /* owned, like the members */
    size_t input_count;
    ht_boost **members;
    size_t member_count;
};

/* time_check.c: fills the checks of the facts by what members say of the rows that they left out.
 */
typedef struct ht_time_table ht_time_table;
void ht_time_model_check(ht_time_model *model, const ht_time_table *table);

/* The data as trees look at it. */
struct ht_time_table {
    const ht_time_data *data;
    uint8_t **columns; /* [inputs][rows]; owned, like all below */
    size_t *bin_counts;
    float *targets, *weights;
    uint32_t *groups;
};

/* Returns true if that one of `members` has not seen the job. */
bool ht_time_leaves_out(const ht_time_data *data, size_t members, size_t member, size_t job);
/* Says whether a member leaves out devices, each in turn, or jobs. */
ht_time_left_out ht_time_left_of(const ht_time_data *data, size_t member);

void ht_time_facts_free(ht_time_facts *facts);

#endif
