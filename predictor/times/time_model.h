/* A model of time: how long configurations of a kernel take, next to each other, on problems and
 * devices that it may not have seen. An ensemble of boosted trees (boost.h), whose members have
 * each left out other jobs or another device: where they agree, it is known; where not, a few
 * proposals cover what each of them expects.
 *
 * docs/time-model.md */
#ifndef HT_PREDICTOR_TIMES_TIME_MODEL_H
#define HT_PREDICTOR_TIMES_TIME_MODEL_H

#include "predictor/times/boost.h"
#include "predictor/times/time_data.h"

enum { HT_TIME_MEMBERS_MOST = 32 };

typedef struct ht_time_settings {
    size_t members;
    ht_boost_settings boost;
} ht_time_settings;

extern const ht_time_settings ht_time_defaults;

/* How good a first choice was, as the best time over its own, on jobs that members had left out. */
typedef struct ht_time_check {
    size_t jobs;      /* 0: the others are not valid */
    double mean, low; /* low: the tenth percentile */
} ht_time_check;

/* The values that a field of the problem had. */
typedef struct ht_time_seen {
    char *name; /* owned */
    double least, most;
} ht_time_seen;

typedef struct ht_time_facts {
    char *kernel;      /* owned, like all below */
    char *annotations; /* of the template, as ht_template_print writes them; "" for none */
    char *code;        /* the template's hash in the database; "" for none */
    char **devices;
    size_t device_count;
    ht_time_seen *seen;
    size_t seen_count;
    size_t jobs, rows;
    ht_time_check problems; /* unseen, on devices that were seen */
    ht_time_check machines; /* devices unseen */
} ht_time_facts;

typedef struct ht_time_model ht_time_model;

/* Learns from the data, with OpenMP over the members; the same whatever the threads. The data must
 * have a job. `kernel`, `annotations` and `code` are kept as they
 * are. */
ht_time_model *ht_time_model_fit(const ht_time_data *data, const char *kernel,
                                 const char *annotations, const char *code,
                                 const ht_time_settings *settings);
void ht_time_model_free(ht_time_model *model);
const ht_time_facts *ht_time_model_facts(const ht_time_model *model);
size_t ht_time_model_members(const ht_time_model *model);
/* Returns true if it has seen times of that device. */
bool ht_time_model_knows(const ht_time_model *model, const char *device);

/* Writes what each member says of each configuration, as a logarithm of its time up to a constant
 * of the member's: [members][count]. */
void ht_time_model_ask(const ht_time_model *model, const ht_columns *columns,
                       const ht_config *configs, size_t count, float *out_logs);

typedef struct ht_time_choice {
    ht_config config;
    double over;   /* predicted time over that of the predicted fastest */
    double spread; /* deviation of its logarithm among the members */
} ht_time_choice;

/* Chooses legal configurations: the one with the least predicted time first, then those that
 * together leave the least expected time of the best of them. At most `want`, all different;
 * returns how many. All legal configurations are looked at where they are at most 4096, else a
 * sample and what is near its best. A device that was not seen (ht_time_model_knows) has proposals
 * of more kinds. */
size_t ht_time_model_choose(const ht_time_model *model, const ht_space *space,
                            const ht_columns *columns, bool device_seen, size_t want,
                            ht_time_choice *out_choices);
/* The same among given configurations. */
size_t ht_time_model_choose_among(const ht_time_model *model, const ht_columns *columns,
                                  const ht_config *configs, size_t count, bool device_seen,
                                  size_t want, ht_time_choice *out_choices);

/* Returns true for a file that begins like a time model. */
bool ht_time_model_is(const char *path);
/* Replaces the file at once. */
ht_status ht_time_model_save(const ht_time_model *model, const char *path, ht_error *error);
ht_status ht_time_model_open(const char *path, ht_time_model **out_model, ht_error *error);
/* The same from bytes; `name` is what errors call them. */
ht_status ht_time_model_parse(const uint8_t *data, size_t length, const char *name,
                              ht_time_model **out_model, ht_error *error);

#endif
