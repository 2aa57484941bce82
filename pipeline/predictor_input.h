/* The input of the predictor's commands: a schema, data files, a part of them. */
#ifndef HT_PIPELINE_PREDICTOR_INPUT_H
#define HT_PIPELINE_PREDICTOR_INPUT_H

#include "predictor/data/split.h"

/* The kernel that all files are about; free(). Files of several kernels are an error that names
 * them. */
ht_status ht_data_kernel(char *const *paths, size_t count, char **out_kernel, ht_error *error);

/* `given`: a schema file, the name of a built-in schema, "header", or "auto": the built-in schema
 * of the data's kernel when there is one, else from the header. `params` as in ht_schema_from_tsv;
 * NULL for none. *out_told says where it came from; free(). */
ht_status ht_schema_choose(const char *given, const char *params, char *const *paths, size_t count,
                           ht_schema **out_schema, char **out_told, ht_error *error);

/* ht_dataset_read; a file that cannot be read is HT_ERROR_INPUT. */
ht_status ht_data_read(const ht_schema *schema, char *const *paths, size_t count,
                       ht_dataset *out_dataset, ht_error *error);

/* Which records: options of train and evaluate. */
typedef struct ht_fold_options {
    const char *fold;    /* "2/5"; NULL: all records */
    const char *by;      /* "problem" or "record" */
    const char *regroup; /* fields that do not make a problem; NULL: none */
} ht_fold_options;

/* Their lines in a command's table; MEMBER is the ht_fold_options in TYPE. */
#define HT_FOLD_OPTIONS(TYPE, MEMBER, FOLD_HELP)                                                   \
    {"fold", HT_OPTION_TEXT, offsetof(TYPE, MEMBER.fold), "I/K", .help = FOLD_HELP},               \
        {"fold-by",                                                                                \
         HT_OPTION_TEXT,                                                                           \
         offsetof(TYPE, MEMBER.by),                                                                \
         "problem|record",                                                                         \
         .fallback = "problem",                                                                    \
         .help = "What falls into a part as a whole: a problem with all its records, or each "     \
                 "record by itself (which leaks: the same problem may stand in both parts)."},     \
        {"regroup", HT_OPTION_TEXT, offsetof(TYPE, MEMBER.regroup), "FIELD[,FIELD]",               \
         .help = "Fields that do not make a problem of its own: with 'precision' a shape's "       \
                 "half- and single-precision problems fall into the same part."}

ht_status ht_fold_options_check(const ht_fold_options *options, ht_error *error);
/* Groups `dataset` anew as the options say. */
ht_status ht_fold_options_group(const ht_fold_options *options, ht_dataset *dataset,
                                ht_error *error);
/* Keeps the fold's records (`inside`), or the others; everything without a fold. */
ht_status ht_fold_options_keep(const ht_fold_options *options, bool inside, ht_dataset *dataset,
                               ht_error *error);

/* The entry of --consensus in a command's options; `type` has a double of this name. */
#define HT_TEXT_OF(value) #value
#define HT_NUMBER_TEXT(value) HT_TEXT_OF(value)
#define HT_CONSENSUS_OPTION(type)                                                                  \
    {"consensus",                                                                                  \
     HT_OPTION_NUMBER,                                                                             \
     offsetof(type, consensus),                                                                    \
     "WEIGHT",                                                                                     \
     .fallback = HT_NUMBER_TEXT(HT_CONSENSUS_DEFAULT),                                             \
     .help = "How much the first proposal should agree with the others, besides being likely; 0 "  \
             "puts the likeliest first."}

#endif
