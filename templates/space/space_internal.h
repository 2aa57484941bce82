/* The parts of a space. Private to templates/. */
#ifndef HT_TEMPLATES_SPACE_SPACE_INTERNAL_H
#define HT_TEMPLATES_SPACE_SPACE_INTERNAL_H

#include "templates/space/space_diagram.h"

struct ht_space {
    ht_space_model model;
    ht_binding binding; /* template NULL: from a T1 file */
    ht_space_constraints constraints;
    ht_diagram diagram;
    bool exact;     /* the diagram holds the legal configurations, else some more than those */
    bool listed;    /* and in declared order, few enough */
    bool descends;  /* too little of the diagram is legal to draw from it and reject */
    ht_config some; /* a legal one, when not exact */
    uint64_t cartesian;
};

/* Takes the model, also when it fails. `binding` is NULL for a T1 file. */
ht_status ht_space_from_model(const ht_space_model *model, const ht_binding *binding,
                              uint64_t max_legal, ht_space **out_space, ht_error *error);

/* space_empty.c: the error for a space with nothing legal in it: the smallest set of constraints,
 * in the sense that none can be left out, that leaves nothing. `order` is one in which the diagram
 * was made. */
ht_status ht_space_explain_empty(const ht_space_model *model, const uint32_t *order,
                                 ht_error *error);
/* space_sample.c: makes ready for sampling a space that is not exact; false when no legal
 * configuration was found. */
bool ht_space_sample_prepare(ht_space *space);

#endif
