/* Tuned problems: what the predictor learns from. Read from TSV files (plain or gzipped), or from
 * the tuning database; all records of one kernel, over one schema. */
#ifndef HT_PREDICTOR_DATA_DATASET_H
#define HT_PREDICTOR_DATA_DATASET_H

#include "predictor/rules/completion.h"
#include "predictor/schema/shape.h"

typedef struct ht_dataset {
    const ht_schema *schema; /* borrowed */
    size_t count;
    int64_t *fields;   /* [count][field_count]; owned, like all below */
    uint16_t *targets; /* [count][param_count]: value indices */
    float *weights;    /* [count]; NULL: all 1 */
    uint64_t *groups;  /* [count]: hash of the fields that make the problem */
    size_t skipped;    /* records with a value that the schema does not have */
    size_t capacity;
} ht_dataset;

/* The kernel that a data file is about: what stands before the first '.' of its name. free(). */
char *ht_dataset_kernel(const char *path);
/* A schema from the header and the values of these files: columns up to `src` (or before the first
 * column named in `params`, a comma-separated list) are fields, those after it are parameters with
 * the values that occur. No constraints. */
ht_status ht_schema_from_tsv(const char *const *paths, size_t path_count, const char *params,
                             ht_schema **out_schema, ht_error *error);
/* Reads and joins files. Columns that the schema does not name are errors unless ignored; a record
 * with a parameter value that the schema lacks is skipped and counted. Errors name file, line and
 * column. */
ht_status ht_dataset_read(const ht_schema *schema, const char *const *paths, size_t path_count,
                          ht_dataset *out_dataset, ht_error *error);
/* The same of one file's bytes in memory; `name` is what errors call it. */
ht_status ht_dataset_parse(const ht_schema *schema, const void *data, size_t length,
                           const char *name, ht_dataset *out_dataset, ht_error *error);
/* Adds a record to a data set ({.schema = ...} is an empty one): fields [field_count], targets
 * [param_count]. Several good configurations of one problem are several records, each with its
 * weight. */
void ht_dataset_append(ht_dataset *dataset, const int64_t *fields, const uint16_t *targets,
                       float weight);
void ht_dataset_free(ht_dataset *dataset); /* leaves {0} */
/* The index of the value that a text names: a number of integers and booleans, else the value's
 * text. */
bool ht_param_value_find(const ht_param *param, const char *text, uint16_t *out_index);
/* Leaves out fields (by name, comma-separated) of what makes a group: folds grouped by shape
 * without precision. */
ht_status ht_dataset_regroup(ht_dataset *dataset, const char *without, ht_error *error);

/* Records whose configuration the rules do not allow. */
typedef struct ht_illegal {
    size_t records;
    int by; /* the requirement that most of them break first; -1: none, or only `admit` lines */
    size_t by_records;
} ht_illegal;
/* Counts them. `broken` ([require_count], may be NULL) is added to: of each requirement the records
 * that break it first. */
ht_illegal ht_dataset_illegal(const ht_dataset *dataset, const ht_rules *rules, size_t *broken);
/* "12 break RULE", or NULL where no requirement is broken; free(). */
char *ht_illegal_text(const ht_illegal *refused, const ht_schema *schema);

/* The fold (0..folds-1) of a group: a hash of group and seed, so the same everywhere. */
uint32_t ht_group_fold(uint64_t group, uint32_t folds, uint64_t seed);

/* Tokens: how a problem becomes an input sequence. Made from a schema and the training data (its
 * vocabulary), kept in the model file. */
typedef struct ht_tokenizer ht_tokenizer;
/* `kinds` is a comma-separated choice of what a field's place carries: "onehot" (the value itself,
 * when the training data has it often enough), "digits", "factors" (prime factors with their
 * powers), "divisibility" (by powers of two and small numbers), "buckets" (of the logarithm), "log"
 * and "remainders" (reals); or "default" (docs/schema-format.md says what is in it). Fields that
 * are constant in the data, or always equal to an earlier one, have no place. */
ht_status ht_tokenizer_make(const ht_dataset *dataset, const char *kinds,
                            ht_tokenizer **out_tokenizer, ht_error *error);
/* Self-describing JSON text, for the model file. */
void ht_tokenizer_print(const ht_tokenizer *tokenizer, ht_text *out);
ht_status ht_tokenizer_parse(const ht_schema *schema, const char *text,
                             ht_tokenizer **out_tokenizer, ht_error *error);
void ht_tokenizer_free(ht_tokenizer *tokenizer);
const ht_input_shape *ht_tokenizer_shape(const ht_tokenizer *tokenizer);
/* [positions][ids] and [positions][features] of one problem. */
void ht_tokenizer_encode(const ht_tokenizer *tokenizer, const int64_t *fields, uint32_t *out_ids,
                         float *out_features);
/* A field that has no place in the input sequence, since in the training data it is constant, or
 * always equal to an earlier field. */
typedef struct ht_unseen {
    size_t field;
    bool constant;
    int64_t value;  /* when constant */
    size_t same_as; /* else that field */
} ht_unseen;
/* Those fields that are not so in this problem, which the network cannot know; returns how many.
 * out_unseen has room for [field_count]. */
size_t ht_tokenizer_unseen(const ht_tokenizer *tokenizer, const int64_t *fields,
                           ht_unseen *out_unseen);

void ht_schema_output(const ht_schema *schema, ht_output_shape *out_shape);
/* All records as examples. With `rules`, what is allowed is worked out too (in parallel; a label
 * that is not legal allows everything after it). */
void ht_examples_make(const ht_dataset *dataset, const ht_tokenizer *tokenizer,
                      const ht_rules *rules, ht_examples *out_examples);

#endif
