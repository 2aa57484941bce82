/* Training one predictor: what `hiptemper train` does between its options and its report. */
#ifndef HT_PIPELINE_TRAINING_H
#define HT_PIPELINE_TRAINING_H

#include "base/text.h"
#include "pipeline/option_list.h"
#include "pipeline/predictor_input.h"
#include "pipeline/progress.h"
#include "predictor/forests/distil.h"
#include "predictor/math/blas.h"
#include "predictor/predictor.h"
#include "predictor/transfer.h"

#include <jansson.h>

/* The options of the command. 0 and NULL: the architecture's default. */
typedef struct ht_train_options {
    const char *schema, *params;
    const char *architecture;
    const char *out, *json;
    const char *tokens;
    const char *distil_from;   /* a model whose networks are the teachers */
    const char *networks_from; /* a model whose networks are kept: only trees are grown */
    const char *start_from;    /* a model of another kernel, whose networks are where these begin */
    const char *database, *template_path, *kernel, *device;
    ht_fold_options fold;
    double valid_split, share, rate;
    uint64_t seed, epochs, batch, hidden, threads, members;
    bool distil, unconstrained, halves;
    ht_option_list set; /* NAME=VALUE */
} ht_train_options;

/* The settings of network and training that can be given by name. */
typedef struct ht_recipe {
    ht_network_settings network;
    ht_training_settings training;
    ht_distil_settings distil;
    ht_chain_settings chain;
    float balance; /* ht_training_balance */
} ht_recipe;

/* train_settings.c: the architecture's defaults with what the options change. */
ht_status ht_recipe_make(const ht_train_options *given, ht_recipe *out_recipe, ht_error *error);
/* All of them by name, but for threads. New reference. */
json_t *ht_recipe_json(const ht_recipe *recipe);
/* "dropout, smoothing, ...": the names that --set knows; free(). */
char *ht_recipe_names(void);

/* The result of one network. */
typedef struct ht_trained {
    uint64_t seed;
    uint32_t epochs; /* done */
    ht_epoch best;   /* the one whose weights were kept; .epoch 0: none was complete */
    double seconds;
    bool student;
} ht_trained;

/* The fields, tokens and rules that every network of a training is made for. */
typedef struct ht_training_basis {
    ht_schema *schema; /* owned until the predictor takes it, like the tokenizer */
    char *schema_from; /* owned */
    ht_tokenizer *tokenizer;
    ht_rules *rules; /* owned; NULL when unconstrained */
} ht_training_basis;

/* The examples to learn from, and the records that they were made of. */
typedef struct ht_training_data {
    size_t records, skipped, train_count, valid_count;
    ht_illegal refused;       /* of the records to train on */
    ht_dataset train_records; /* what `train` was made of */
    ht_examples train, valid;
    json_t *read; /* what was read */
    json_t *seen; /* of each field, in the records to train on */
} ht_training_data;

/* The models that the options name. */
typedef struct ht_training_models {
    ht_predictor *teacher; /* of --distil-from or --networks-from; owned */
    ht_predictor *start;   /* of --start-from; owned */
    ht_transfer transfer;  /* what `start` gave the last network */
} ht_training_models;

/* The result so far. Forests and networks are owned until the predictor takes them. */
typedef struct ht_training_made {
    ht_chain *chain; /* NULL: none */
    ht_network **networks;
    size_t network_count;
    ht_trained *trained; /* one for each network ever trained; owned */
    size_t trained_count;
} ht_training_made;

typedef struct ht_loss_file {
    ht_text text; /* the loss curves so far */
    char *path;
    double written; /* when; 0: never */
} ht_loss_file;

/* A training under way. */
typedef struct ht_training {
    const ht_train_options *given;
    ht_recipe recipe;
    ht_training_basis basis;
    ht_training_data data;
    ht_training_models models;
    ht_training_made made;
    ht_loss_file losses;
    FILE *out; /* of the report */
    ht_progress *progress;
} ht_training;

/* train_database.c: problems and their best configurations from the tuning database. Sets the
 * schema and what was read. */
ht_status ht_training_read_database(ht_training *training, ht_dataset *out_dataset,
                                    ht_error *error);
/* train_run.c: all networks, one after the other, and the student that learns from them, if asked
 * for. Interrupted, those that are there are kept. */
ht_status ht_training_run(ht_training *training, ht_error *error);
/* Writes the loss curves as they are now; does nothing before they begin. */
ht_status ht_training_losses_write(ht_training *training, ht_error *error);
/* Trains a network on these examples and adds it; one that was stopped before its first epoch was
 * over is kept only when there is no other. */
ht_status ht_training_add(ht_training *training, const ht_examples *examples, uint64_t seed,
                          bool student, ht_error *error);

/* train_distil.c: schema and tokens of the model to learn from, or to take the networks of. */
ht_status ht_training_open_teacher(ht_training *training, ht_error *error);
/* One network that learns what the teachers answer together, or those trained so far when there is
 * no --distil-from; it takes their place. Stopped, the teachers stay. */
ht_status ht_training_distil(ht_training *training, ht_error *error);

/* train_weights.c: multiplies each record's weight by the number of records of its architecture and
 * precision to the power of -`balance` (0: all records count alike; 1: all groups do). */
void ht_training_balance(ht_dataset *records, float balance);

/* train_trees.c: the chain of forests, if the settings ask for one. Stopped, there is none. */
ht_status ht_training_grow(ht_training *training, ht_error *error);

/* train_report.c */
void ht_training_report_data(const ht_training *training);
void ht_training_report_network(const ht_training *training, const ht_trained *trained);
/* Makes the note for the model file: nothing in it differs from run to run or by thread count. */
json_t *ht_training_note(const ht_training *training);
int ht_training_report(const ht_training *training, const ht_predictor *predictor, double seconds);

#endif
