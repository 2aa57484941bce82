/* The search space: the legal configurations of a set of parameters under constraints. Built once;
 * read by many threads.
 *
 * A space comes from a bound template or from a T1 file. Both have dimensions (the parameters with
 * their values) and constraints; a strategy sees nothing else of them. */
#ifndef HT_TEMPLATES_SPACE_SPACE_H
#define HT_TEMPLATES_SPACE_SPACE_H

#include "base/random.h"
#include "templates/bind.h"

typedef struct ht_space ht_space;

/* One parameter as the search sees it. All pointers are borrowed from the space. */
typedef struct ht_dimension {
    const char *name;
    ht_param_kind kind; /* HT_PARAM_INTEGER also for a T1 file's reals */
    size_t value_count;
    /* The values as numbers, in their written order: integers, a T1 file's reals, 0 and 1 for
     * booleans, ordinals for enumerations and types. */
    const double *numbers;
    const char *const *texts; /* the values as written */
    size_t default_index;
} ht_dimension;

/* Template, problem and device must outlive the space. An empty space is an error that names a
 * smallest set of constraints that leave nothing. So is a constraint that cannot be evaluated for a
 * configuration that no other constraint excludes; both sides of an `&&` count as constraints.
 * `max_legal` 0 means 4,000,000; a space with more legal configurations is built all the same, but
 * is not listed. The work is bounded: docs/space.md says what is left of a space that is too much.
 * / */
ht_status ht_space_build(const ht_binding *binding, uint64_t max_legal, ht_space **out_space,
                         ht_error *error);
/* From a file in the T1 format (docs/space.md): Python expressions. The space owns all it needs. */
ht_status ht_space_read_t1(const char *path, uint64_t max_legal, ht_space **out_space,
                           ht_error *error);
/* The same from text; `file` is for messages. */
ht_status ht_space_parse_t1(const char *text, const char *file, uint64_t max_legal,
                            ht_space **out_space, ht_error *error);
void ht_space_free(ht_space *space);

/* NULL for a space read from a T1 file. */
const ht_binding *ht_space_binding(const ht_space *space);
size_t ht_space_dimension_count(const ht_space *space);
const ht_dimension *ht_space_dimension(const ht_space *space, size_t index);
/* True when the i-th legal configuration can be had: ht_space_count is exact, and ht_space_at and
 * ht_space_find may be called. Spaces too large for that still sample, check and step. */
bool ht_space_listed(const ht_space *space);
uint64_t ht_space_count(const ht_space *space);     /* legal ones; UINT64_MAX when not known */
uint64_t ht_space_cartesian(const ht_space *space); /* all combinations; UINT64_MAX when more */
/* The i-th legal configuration, lexicographic by value index, first parameter slowest. */
ht_config ht_space_at(const ht_space *space, uint64_t index);
/* The legal configurations from the first-th on, at most `room`; returns how many. Faster than one
 * by one. */
size_t ht_space_list(const ht_space *space, uint64_t first, ht_config *out_configs, size_t room);
/* Index of a legal configuration; false when it is not legal. */
bool ht_space_find(const ht_space *space, const ht_config *config, uint64_t *out_index);
bool ht_space_legal(const ht_space *space, const ht_config *config);
/* Uniform over legal configurations (docs/space.md says how for spaces that are not listed). */
ht_config ht_space_sample(const ht_space *space, ht_random *random);

typedef enum ht_neighbourhood {
    HT_NEIGHBOURS_HAMMING, /* one parameter has any other value */
    HT_NEIGHBOURS_ADJACENT /* one parameter has the next or previous value; any other value where
                              values have no order (enumerations, types) */
} ht_neighbourhood;

/* The legal neighbours of a configuration (itself legal or not), by parameter, then by value. Fills
 * at most `room` of them; returns how many there are. */
size_t ht_space_neighbours(const ht_space *space, const ht_config *config, ht_neighbourhood kind,
                           ht_config *out_configs, size_t room);

/* The constraints as their authors wrote them: "require(A < 3) in line 2", "\"a < 3\"", "the
 * device's limits on the launch of k". */
size_t ht_space_constraint_count(const ht_space *space);
const char *ht_space_constraint_text(const ht_space *space, size_t constraint);

/* A constraint that the defaults break, as its author wrote it; NULL: they are legal. Those of a T1
 * file need not be: nothing begins with them. */
const char *ht_space_default_breaks(const ht_space *space);

/* Values of the constraints' own subexpressions, so that a model can see what the author of the
 * constraints thought mattered (threads in a block, bytes of LDS, a quotient). */
/* The number of numeric subexpressions of the constraints that depend on two or more parameters,
 * all different; operands of comparisons and remainders first. */
size_t ht_space_term_count(const ht_space *space);
/* The term as text: "BLOCK_X * BLOCK_Y"; borrowed. */
const char *ht_space_term_text(const ht_space *space, size_t term);
/* False when the term cannot be evaluated there (a division by zero, overflow). */
bool ht_space_term(const ht_space *space, size_t term, const ht_config *config, double *out_value);

/* A product of parameters and a whole number, such as the threads of a block along an axis. */
enum { HT_SPACE_FACTORS_MAX = 4, HT_SPACE_AXES = 3 };
typedef struct ht_space_product {
    double constant;
    size_t factors[HT_SPACE_FACTORS_MAX]; /* dimensions */
    size_t count;
} ht_space_product;

/* The launch that a T1 file declares, by axis. */
typedef struct ht_space_launch {
    ht_space_product block;   /* threads of a block */
    ht_space_product covered; /* what of the problem a block computes */
} ht_space_launch;

/* Returns HT_SPACE_AXES of them, from KernelSpecification's LocalSize and GridDivX, ...; NULL when
 * there is none, when it does not depend on a parameter, and when it is more than products. An axis
 * without divisors covers what its block has threads. */
const ht_space_launch *ht_space_declared_launch(const ht_space *space);
double ht_space_product_of(const ht_space *space, const ht_space_product *product,
                           const ht_config *config);

#endif
