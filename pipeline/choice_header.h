/* A C++ header that chooses a template's configuration for a problem, from what was tuned. */
#ifndef HT_PIPELINE_CHOICE_HEADER_H
#define HT_PIPELINE_CHOICE_HEADER_H

#include "templates/bind.h"

/* A problem that was tuned for, and the best configuration found. */
typedef struct ht_choice_row {
    ht_problem problem; /* owned by who made the row */
    ht_config config;
    char *remark; /* for a comment: "0.21 ms, the original 0.61 ms"; owned likewise */
} ht_choice_row;

typedef struct ht_choice_table {
    const ht_template *template;
    const ht_device_fields *device; /* that was tuned on */
    const ht_choice_row *rows;      /* at least one */
    size_t count;
    const char *remark; /* where it is from; one line */
} ht_choice_table;

/* C++ text of NAME_choice: the configurations, `choose(problem, device)` (the one tuned for these
 * sizes, else that of the nearest ones that is legal, else the default, else none) and
 * `is_legal(problem, configuration, device)`: all constraints, extents of buffers and limits of the
 * launches, in checked arithmetic. It needs nothing of HIP. free(). */
char *ht_choice_header(const ht_choice_table *table);

/* The index of a row's configuration among those of the header; of `count`: the default's. */
size_t ht_choice_index(const ht_choice_table *table, size_t row);
/* The configurations in their order; free(). */
ht_config *ht_choice_configs(const ht_choice_table *table, size_t *out_count);

/* Returns "detail::conv2d" as one identifier; free(). */
char *ht_choice_name(const ht_template *template);

#endif
