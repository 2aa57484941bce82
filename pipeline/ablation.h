/* The worth of each transformation of a template, reported after a search: the best that was found
 * with all of its parameters at their defaults, next to the best of all. And spaces cut down so
 * that a search can handle them. */
#ifndef HT_PIPELINE_ABLATION_H
#define HT_PIPELINE_ABLATION_H

#include "search/strategy.h"

typedef struct ht_ablation_row {
    char *transformation;    /* owned */
    bool used;               /* the best configuration changes one of its parameters */
    bool found;              /* `config` and `cost` are there: something ran without it */
    ht_config config;        /* the best without it */
    double cost, ratio;      /* its median ms; that over the best's */
    uint64_t seen, measured; /* configurations without it that ran; those of them run for this */
} ht_ablation_row;

typedef struct ht_ablation {
    ht_ablation_row *rows; /* in the order of the template's parameters; owned */
    size_t count;
} ht_ablation;

typedef struct ht_ablation_options {
    uint64_t evaluations; /* further ones for each transformation; 0: only what was measured */
    double deadline;      /* clock; 0: none. Nothing further is measured after it */
    uint64_t seed;
    const volatile int *interrupted;
} ht_ablation_options;

/* Parameters without an origin count for none. Nothing that ran, or no origins: no rows.
 * Configurations that cannot be measured are left out, so this never fails. Free the result. */
void ht_ablation_run(const ht_binding *binding, const ht_search_result *searched,
                     ht_evaluator *evaluator, const ht_ablation_options *options,
                     ht_ablation *out_ablation);
void ht_ablation_free(ht_ablation *ablation);

/* A copy of the template in which these parameters keep their defaults (`fixed` as long as its
 * parameters). Configurations of one are configurations of the other. NULL: it has too many
 * constraints already. Free with ht_template_free(, 1). */
ht_template *ht_template_fix(const ht_template *template, const bool *fixed);

enum { HT_SPACE_MOST = 1000000 }; /* configurations that a search handles well */

/* Why parameters keep their defaults: names, ", " between. */
typedef struct ht_space_cut {
    ht_text idle;      /* they do nothing on the device */
    ht_text too_large; /* the space would be, with them */
} ht_space_cut;

/* Which parameters are to keep their defaults: those that do nothing on the device (`emulated`: the
 * host, which has no registers to share out), and as many others that the space has at most `most`
 * legal configurations: docs/optimize.md has the order. *out_template: the template with those
 * fixed, whose space *out_space is; NULL: nothing had to be left out, and *out_space is the whole.
 */
ht_status ht_space_cap(const ht_binding *binding, bool emulated, uint64_t most,
                       ht_template **out_template, ht_space **out_space, ht_space_cut *out_cut,
                       ht_error *error);
void ht_space_cut_free(ht_space_cut *cut);

#endif
