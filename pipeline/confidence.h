/* The confidence that `predict` prints: how often a model's first proposals were right on records
 * that it has not learnt from, by how sure it was. `evaluate --calibrate` keeps it in a file next
 * to the model, MODEL.reliability.json (docs/predict.md#confidence). */
#ifndef HT_PIPELINE_CONFIDENCE_H
#define HT_PIPELINE_CONFIDENCE_H

#include "pipeline/familiar.h"

enum { HT_CALIBRATION_GPUS = 16, HT_CALIBRATION_NAME = 24 };

typedef struct ht_calibration {
    ht_reliability known;  /* the records as they are */
    ht_reliability hidden; /* the same with the GPU's name withheld from the model */
    /* Those of `known` that are of one GPU. */
    struct {
        char name[HT_CALIBRATION_NAME];
        ht_reliability of;
    } gpus[HT_CALIBRATION_GPUS];
    size_t gpu_count;
} ht_calibration;

/* Adds what was measured on records, and to their GPU's when all are of one. */
void ht_calibration_add(ht_calibration *calibration, const ht_dataset *dataset,
                        const ht_reliability *known);

/* Withholds the device's names from the records. False: the schema has none. */
bool ht_calibration_hide(ht_dataset *dataset);

/* The bins: "least", "most", "records", "right", "among_ten", "probabilities". New reference. */
json_t *ht_reliability_json(const ht_reliability *reliability);

/* Writes the file next to the model's. `data`: what it was measured on, an array. */
ht_status ht_calibration_write(const ht_predictor *predictor, const ht_calibration *calibration,
                               const json_t *data, ht_error *error);
/* False when there is no file. One that is damaged, or of another model, is HT_ERROR_INPUT. */
ht_status ht_calibration_read(const ht_predictor *predictor, bool *out_found,
                              ht_calibration *out_calibration, ht_error *error);

/* The confidence in a first proposal of this probability: a sentence (free()), and members of a
 * JSON object (new reference). */
char *ht_confidence_words(const ht_calibration *calibration, ht_familiarity familiarity,
                          double probability);
json_t *ht_confidence_json(const ht_calibration *calibration, ht_familiarity familiarity,
                           double probability);

#endif
