/* Problems inferred from the source: the meaning, sizes and initial values of a kernel's arguments,
 * from its launch, its subscripts and guards, and the host's allocations. Private to refactor/.
 * docs/problem-file.md says what is inferred and what is not. */
#ifndef HT_REFACTOR_INFER_INFER_H
#define HT_REFACTOR_INFER_INFER_H

#include "base/text.h"
#include "refactor/kernel/model.h"
#include "refactor/launch/symbol.h"
#include "refactor/source/record.h"
#include "refactor/unit/slice.h"

/* A field of the problem: a size that the host reads from outside or sets. */
typedef struct ht_infer_field {
    char *name;
    CXCursor declaration; /* of the variable; null for an argument without one */
    int64_t value;
    bool known;               /* the source gives the value */
    bool asked;               /* `value` is the one with which the host launches */
    bool in_grid;             /* the launch's grid is computed from it */
    bool counts;              /* a loop's counter on the host, which may begin with 0 */
    bool of_called;           /* a variable of a function that the launch calls */
    bool tried;               /* elements of a buffer, to be found by a run of the original */
    int line;                 /* line of the value; 0: it was chosen */
    const ht_symbol *initial; /* its first value, to be computed from other fields; owned */
} ht_infer_field;

/* An argument: a parameter of the kernel, or a field of one (infer_record.h). */
typedef struct ht_infer_slot {
    bool is_record;             /* a structure, whose fields are further slots */
    bool is_pointed;            /* a structure that a pointer leads to */
    bool is_array;              /* an array in a structure */
    size_t owner;               /* of a field: the parameter */
    const ht_record_leaf *leaf; /* NULL: a parameter */
} ht_infer_slot;

typedef struct ht_infer {
    ht_model *model;
    ht_parameter_list slots;     /* the model's parameters, then fields: "p.n" */
    ht_infer_slot *slot_records; /* of each slot */
    ht_record *records;          /* of each parameter that is a structure */
    const ht_slice *slice;
    ht_infer_field *fields;
    size_t field_count;
    char **scalars;    /* value of each slot as an argument line has it; NULL: not a scalar, or
                          unknown */
    char *(*parts)[4]; /* of vectors: each component's value */
    char **allocated;  /* elements that the host allocated, where found */
    int *allocated_lines;
    char **extents; /* elements of each slot's buffer as an expression; NULL: unknown */
    char **open;    /* why a buffer's extent is not known; NULL: it is */
    int *open_lines;
    bool *from_host;  /* the extent is that of the allocation, not proved to be enough */
    ht_text *origins; /* the origin of each slot's line */
    ht_text missing;  /* the missing parts, with "; " between them */
    int missing_line;
    bool unclear;      /* a name of the launch is that of two variables */
    bool free_numbers; /* local variables that a number initialises are fields, too */
    bool own_grid;     /* the entry's grid has sizes of its own; owned */
    /* has the fields and scalars, with which the host's expressions are read */
    ht_problem_entry *entry;
} ht_infer;

/* The problem of a kernel: complete if `missing` is NULL, else a skeleton with the known parts. */
typedef struct ht_inferred {
    char *text;    /* of a problem file */
    char *missing; /* NULL: nothing is */
    int line;      /* line of the first missing part; 0: none is */
    bool launched; /* block and grid are known */
} ht_inferred;

/* How a problem is inferred. */
typedef struct ht_infer_manner {
    /* where nothing else is missing, the number of a buffer's elements may be left to a run of the
     * original: a field NAME_elements with a default, to be made larger until no access is outside
     * (pipeline/infer_check.h) */
    bool tries;
    bool own_grid; /* blocks of a grid that is not followed are sizes of their own */
} ht_infer_manner;

void ht_infer_problem(ht_model *model, const ht_slice *slice, ht_infer_manner how,
                      ht_inferred *out);

#endif
