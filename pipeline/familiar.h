/* The values that a model has seen of each field: kept in its note by training, printed by
 * predict. */
#ifndef HT_PIPELINE_FAMILIAR_H
#define HT_PIPELINE_FAMILIAR_H

#include "predictor/predictor.h"

#include <jansson.h>

/* {"in_c": {"least": 1, "most": 2048}, "precision": {"least": 0, "most": 1, "values": [0, 1]}}: the
 * values themselves when they are few. New reference. */
json_t *ht_familiar_json(const ht_dataset *dataset);
/* A sentence for each field whose value is unlike those the model was trained on. `problem` is the
 * text that the fields come from: names that the schema lacks are quoted from there, and what does
 * not stand there is said to be worked out. New reference. */
json_t *ht_familiar_warnings(const ht_predictor *predictor, const int64_t *fields,
                             const char *problem);
/* The text of NAME in "in_c=64 in_h=56", or NULL; free(). */
char *ht_problem_given(const char *problem, const char *name);

/* The parts of a problem that are unlike all training data: fields of the device, and others. */
typedef struct ht_familiarity {
    bool device_new, size_new;
    const char *gpu; /* the problem's, as the model's schema names it; NULL: it does not */
} ht_familiarity;
ht_familiarity ht_familiar_look(const ht_predictor *predictor, const int64_t *fields);

#endif
