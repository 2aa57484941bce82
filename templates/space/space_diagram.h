/* The legal configurations as a decision diagram: a level for each parameter, a node for each
 * different set of demands that earlier choices leave, an edge for each value that has legal
 * configurations below it. Counts, finds and draws configurations without listing them.
 *
 * The construction goes down the levels depth first and meets each node once (Bergman, Cire, van
 * Hoeve and Hooker, "Decision Diagrams for Optimization", 2016, compilation by exact states).
 * Private to templates/. */
#ifndef HT_TEMPLATES_SPACE_SPACE_DIAGRAM_H
#define HT_TEMPLATES_SPACE_SPACE_DIAGRAM_H

#include "templates/space/space_constraint.h"

typedef struct ht_diagram {
    size_t params;
    size_t levels;                /* only of parameters with several values */
    uint64_t single;              /* the others, as bits */
    uint32_t order[HT_PARAM_MAX]; /* the parameter of each level */
    size_t widths[HT_PARAM_MAX];  /* its values */
    /* Nodes: 0 has nothing legal below it; 1 is the end. */
    uint32_t *first; /* a node's first edge; owned */
    uint64_t *total; /* the configurations below a node, UINT64_MAX when more; owned */
    double *weight;  /* the same as reals, only when the root's total is UINT64_MAX; owned */
    uint32_t node_count;
    uint32_t *child;  /* of an edge; owned */
    uint64_t *before; /* the configurations below smaller values of the same node; owned */
    uint32_t edge_count, edge_capacity;
    uint32_t root;
} ht_diagram;

typedef enum ht_diagram_end {
    HT_DIAGRAM_DONE,
    HT_DIAGRAM_FAULT,    /* a configuration that nothing excludes cannot be judged */
    HT_DIAGRAM_TOO_LARGE /* more work than allowed */
} ht_diagram_end;

typedef struct ht_diagram_request {
    const ht_space_model *model;
    const ht_space_constraint *const *constraints;
    size_t constraint_count;
    const uint32_t *order; /* a permutation of the parameters */
    uint64_t work;         /* values tried at most */
    bool first_only;       /* stop at the first legal configuration; the diagram has no use */
    bool faults_reject;    /* what cannot be judged is left out, like what is illegal */
} ht_diagram_request;

/* On HT_DIAGRAM_FAULT, `out_config` is that configuration; with `first_only`, the legal one. The
 * diagram is filled (free it) only on HT_DIAGRAM_DONE. */
ht_diagram_end ht_diagram_make(const ht_diagram_request *request, ht_diagram *out_diagram,
                               ht_config *out_config);
/* space_relist.c: the same configurations with the parameters in their declared order, by way of a
 * list of them all. */
void ht_diagram_reorder(const ht_diagram *diagram, const ht_space_model *model,
                        ht_diagram *out_diagram);
void ht_diagram_free(ht_diagram *diagram);

uint64_t ht_diagram_count(const ht_diagram *diagram);
/* By rank in the diagram's order. */
ht_config ht_diagram_at(const ht_diagram *diagram, uint64_t index);
/* Those from `first` on, at most `room`; returns how many. */
size_t ht_diagram_list(const ht_diagram *diagram, uint64_t first, ht_config *out, size_t room);
bool ht_diagram_find(const ht_diagram *diagram, const ht_config *config, uint64_t *out_index);
/* Each with the same probability. The diagram must not be empty. */
ht_config ht_diagram_sample(const ht_diagram *diagram, ht_random *random);

/* space_order.c: an order in which few choices must be remembered at a time. */
void ht_space_order(const ht_space_model *model, const ht_space_constraint *const *constraints,
                    size_t count, uint32_t *out_order);

/* Appends a node with these edges; 0 when they lead nowhere. */
uint32_t ht_diagram_add(ht_diagram *diagram, const uint32_t *children, size_t width);
/* Ready for nodes. */
void ht_diagram_start(ht_diagram *diagram, const ht_space_model *model, const uint32_t *order);
/* Makes the weights when they are needed. */
void ht_diagram_finish(ht_diagram *diagram, uint32_t root);

#endif
