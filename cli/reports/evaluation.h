/* The measures of `hiptemper evaluate` for one data file, and their printing. */
#ifndef HT_CLI_REPORTS_EVALUATION_H
#define HT_CLI_REPORTS_EVALUATION_H

#include "pipeline/option_list.h"
#include "pipeline/predictor_input.h"
#include "pipeline/report.h"
#include "predictor/predictor.h"

typedef struct ht_evaluated {
    const char *path;  /* of the data; borrowed */
    const char *model; /* as given; borrowed */
    char *kernel;      /* owned */
    char **params;     /* their names; owned */
    size_t param_count;
    size_t skipped;   /* records that could not be read by the model's schema */
    char *refused_by; /* ht_illegal_text; owned */
    ht_assessment assessment;
} ht_evaluated;

typedef struct ht_evaluated_list {
    ht_evaluated *items;
    size_t count;
    size_t beam;
    bool constrained;
    const ht_option_list *dropped; /* constraints left out, as given */
    const ht_fold_options *fold;
} ht_evaluated_list;

void ht_evaluated_print(const ht_evaluated_list *list, FILE *out);
/* One object, or an array for several. New reference. */
json_t *ht_evaluated_json(const ht_evaluated_list *list);
void ht_evaluated_free(ht_evaluated_list *list);

#endif
