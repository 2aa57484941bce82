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
    bool lanes; /* the trees say what is left when ht_time_lanes is taken out of a time */
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
    float *lanes;   /* [rows]: ht_time_lanes */
    float *targets; /* without the lanes */
    float *weights;
    uint32_t *groups;
};

/* The column of the share of a wave's outputs that are left, and the logarithms of the time that
 * its idle lanes take, as if time followed the lanes that are issued; 0 where it is not known.
 * Trees cannot say what lies past all that they saw, and a row shorter than a wave often does. */
extern const char ht_time_lanes_column[];
void ht_time_lanes(const float *kept, size_t count, float *out_logs);

/* Returns true if that one of `members` has not seen the job. */
bool ht_time_leaves_out(const ht_time_data *data, size_t members, size_t member, size_t job);
/* Says whether a member leaves out devices, each in turn, or jobs. */
ht_time_left_out ht_time_left_of(const ht_time_data *data, size_t member);

void ht_time_facts_free(ht_time_facts *facts);

#endif
