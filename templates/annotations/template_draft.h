/* A template while its directives are being read. Private to templates/. */
#ifndef HT_TEMPLATES_ANNOTATIONS_TEMPLATE_DRAFT_H
#define HT_TEMPLATES_ANNOTATIONS_TEMPLATE_DRAFT_H

#include "templates/annotations/template.h"
#include "templates/expr/span.h"

typedef struct ht_draft {
    ht_template template; /* reference launches hold every reference(...), built-ins too, until
                             ht_draft_finish */
    bool implicit;        /* launches[0] comes from kernel(...), not from launch(...) */
    bool kernel_arguments_used; /* kernel(k<...>)'s template arguments found their launch */
    ht_launch kernel;           /* kernel(...) as written */
    ht_launch_set set;          /* block, grid and lds belong to the latest launch of this */
    bool has_tolerance;
} ht_draft;

/* Applies one directive to the draft: its name, and the inside of its parentheses. */
ht_status ht_draft_kernel(ht_draft *draft, ht_span inside, ht_error *error);
ht_status ht_draft_apply(ht_draft *draft, ht_span name, ht_span inside, ht_error *error);
/* Names of the directives that a draft takes; NULL past the last. */
const char *ht_draft_directive(size_t index);
bool ht_draft_knows(ht_span name);
/* Completes and checks the draft's template. */
ht_status ht_draft_finish(ht_draft *draft, ht_error *error);
void ht_draft_free(ht_draft *draft);

/* The inside of tolerance(...): a number or "exact". */
ht_status ht_tolerance_parse_span(ht_span inside, bool *out_exact, double *out_tolerance,
                                  ht_error *error);

/* Releases what the template holds, not the struct itself; leaves {0}. */
void ht_template_clear(ht_template *template);

#endif
