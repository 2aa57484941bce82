/* Problems inferred from the source: what a kernel's arguments mean, which sizes they have and with
 * what they begin, from its launch, its subscripts and guards, and the host's allocations. Private
 * to refactor/. docs/problem-file.md tells what is inferred and what is not. */
#ifndef HT_REFACTOR_INFER_INFER_H
#define HT_REFACTOR_INFER_INFER_H

#include "base/text.h"
#include "refactor/kernel_model/kernel_model.h"
#include "refactor/unit/emit.h"

/* ---- bounds of what a kernel computes (infer_bound.c)
 * ------------------------------------------------------------- */

/* An array whose loaded values are subscripts, or bounds of loops: they lie in 0 .. `limit` - 1. */
typedef struct ht_index_array {
    size_t array; /* of the model */
    int64_t limit;
} ht_index_array;

enum { HT_BOUND_CASES_MAX = 5 };

typedef struct ht_bounds {
    ht_kernel_model *km;
    int64_t grid[3], block[3]; /* where they are numbers; 0: not */
    const ht_poly **facts;     /* what is not negative where the access stands */
    size_t fact_count;
    const ht_km_test *cases[HT_BOUND_CASES_MAX]; /* one side or the other holds there */
    size_t case_count;
    bool asking; /* whether a condition can hold at all */
    int depth;
    long budget;
    ht_index_array *indices; /* owned; those that were used so far */
    size_t index_count;
    const char *reason; /* why there is no bound, first; owned by the model's pool */
    int line;           /* what it is about; 0: the access itself */
} ht_bounds;

void ht_bounds_init(ht_bounds *bounds, ht_kernel_model *km);
void ht_bounds_free(ht_bounds *bounds);
/* Takes what guards and loops say at a place for granted. */
void ht_bounds_enter(ht_bounds *bounds, const ht_km_control *control);
/* A polynomial over what is the same for the launch that the value never exceeds (`high`; else
 * never falls below), by construction: sizes are taken as not negative, divisors as positive.
 * NULL: unknown. */
const ht_poly *ht_bound(ht_bounds *bounds, const ht_poly *value, bool high);
/* The same for all sides of the conditions around. */
const ht_poly *ht_bound_of_access(ht_bounds *bounds, const ht_poly *value, bool high);
/* Is it >= 0 for all sizes of at least 1? False: not known. */
bool ht_poly_never_negative(const ht_poly_pool *pool, const ht_poly *poly);

/* ---- what the host says (infer_host.c)
 * ---------------------------------------------------------------------------- */

/* A field of the problem: a size that the host reads from outside, or sets. */
typedef struct ht_infer_field {
    char *name;
    CXCursor declaration; /* of the variable; null for an argument without one */
    int64_t value;
    bool known;               /* the value is the source's */
    bool in_grid;             /* the launch's grid is computed from it */
    bool counts;              /* a loop's counter on the host: its first value may be 0 */
    int line;                 /* where the value stands; 0: chosen */
    const ht_symbol *initial; /* what it is set to first, to be computed from other fields; owned */
} ht_infer_field;

typedef struct ht_infer {
    ht_model *model;
    const ht_slice *slice;
    ht_infer_field *fields;
    size_t field_count;
    char **scalars; /* value of each parameter as written in an argument line; NULL: no scalar, or
                       unknown */
    char *(*parts)[4]; /* of vectors: each component's value */
    char **allocated;  /* elements that the host allocated, where found */
    int *allocated_lines;
    char **extents;    /* elements of each parameter's buffer as an expression; NULL: unknown */
    bool *from_host;   /* the extent is the allocation's, and not proved to be enough */
    ht_text *origins;  /* where each parameter's line comes from */
    ht_text constants; /* JSON-free lines of constant memory, '\n' after each */
    ht_text missing;   /* what is not known, "; " between */
    int missing_line;
    ht_problem_entry *entry; /* with fields and scalars: expressions of the host are read with it */
} ht_infer;

/* Fields and scalar arguments, from the first launch. */
void ht_infer_host(ht_infer *in);
/* The elements that the host allocated for the index-th argument, an expression over fields; NULL:
 * not found. free(). *out_line: of the allocation. */
char *ht_infer_allocation(const ht_infer *in, size_t index, int *out_line);
/* What is missing, each said once. */
void ht_infer_miss(ht_infer *in, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- buffers (infer_buffer.c) and sizes (infer_size.c)
 * ------------------------------------------------------------ */

/* The type of a parameter's element, or of a scalar, as problem files know it; NULL: they do not.
 * Of structures whose fields all have one type it is that; *out_parts says how many there are (else
 * 1; may be NULL). free(). */
char *ht_infer_type(const ht_model *model, const ht_parameter *parameter, long long *out_parts);

/* A type as written without names of its own and qualifiers; free(). */
char *ht_infer_plain_type(CXType type);

/* Finds types and values of template parameters that the launch does not name (infer_deduce.c).
 * False: there was nothing to find. */
bool ht_infer_deduce(ht_model *model);

/* ---- all together (infer.c)
 * ---------------------------------------------------------------------------------------- */

/* The problem of a kernel: complete when `missing` is empty, else a skeleton with what is known. */
typedef struct ht_inferred {
    char *text;    /* of a problem file */
    char *missing; /* NULL: nothing */
    int line;      /* of the first that is missing; 0: none */
} ht_inferred;

void ht_infer_problem(ht_model *model, const ht_slice *slice, ht_inferred *out);
void ht_inferred_free(ht_inferred *inferred);

#endif
