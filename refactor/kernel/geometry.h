/* The original's launch geometry as template expressions. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_GEOMETRY_H
#define HT_REFACTOR_KERNEL_GEOMETRY_H

#include "base/text.h"
#include "refactor/kernel/facts.h"

/* Rules by which a grid's axis follows from the number of items n and the block b. */
typedef enum ht_form_kind {
    HT_FORM_CEIL,    /* (n + b - 1) / b and its relatives */
    HT_FORM_FLOOR,   /* n / b */
    HT_FORM_OVER,    /* (n + b) / b, n / b + 1 */
    HT_FORM_GENERIC, /* any other: ceil_div(grid * b, new b), which never covers fewer items */
    HT_FORM_WHOLE    /* grid * (b / new b), where new b divides b: covers the same items */
} ht_form_kind;

enum { HT_FORM_TERMS_MAX = 12 };

/* One of the summands of n. */
typedef struct ht_form_term {
    const ht_symbol *symbol;
    int sign;
} ht_form_term;

typedef struct ht_form ht_form;
struct ht_form {
    ht_form_kind kind;
    const ht_symbol *quotient; /* the whole expression: (n + 15) / 16 */
    const ht_symbol *dividend; /* n + 15; NULL: nothing is added that could overflow */
    const ht_symbol *divisor;  /* the leaf b, or NULL (a shift) */
    const ht_symbol *again;    /* the leaf b of n % b, in n / b + (n % b != 0); or NULL */
    const ht_symbol *addend;   /* the leaf in n + ADDEND, or NULL */
    int64_t addend_offset;     /* its value is the block plus this: -1 for 15, 0 for 16 */
    ht_form_term terms[HT_FORM_TERMS_MAX]; /* n */
    size_t term_count;
    bool editable; /* leaves can be replaced one by one */
    bool pieces;   /* every configuration's new b divides b */
    char *items;   /* n as a template expression; owned */
    /* the form of n itself where that is a number of outputs, divided by a named constant and
     * rounded up: the outputs of a thread; NULL: it is anything else; owned */
    ht_form *each;
    /* the variable that has the number of `each`; NULL: it stands in the launch's own expression */
    const ht_symbol *through;
    /* the outputs are not divided by `each` first, and the threads by the block then: dividend,
     * divisor, again and addend are NULL, the terms are those of the outputs, `each` has the same
     * quotient, and its divisor is the constant's leaf (geometry_joined.h) */
    bool joined;
    /* where they are divided by the product EACH * block: the leaf of the block in each product,
     * and the sum n + EACH * block - 1; NULL: no sum rounds up */
    const ht_symbol *blocks[2];
    size_t block_count; /* 0: blocks are divided by EACH */
    const ht_symbol *sum;
};

typedef struct ht_grid {
    char *original[3]; /* template expressions; NULL: unknown */
    char *block[3];
    char *lds; /* NULL: none */
    ht_form form[3];
    ht_text missing; /* names of what is unknown, for a message */
} ht_grid;

/* Reads the original's geometry. The expressions of unknown axes are NULL, and `missing` says which
 * values are needed. */
void ht_grid_read(const ht_model *model, ht_grid *out_grid);
void ht_grid_free(ht_grid *grid);
/* Frees what a form owns, and makes it one of which nothing is known. */
void ht_form_forget(ht_form *form);

/* Returns why block and grid of this kernel cannot be changed; NULL: they can. free(). */
char *ht_launch_problem(const ht_model *model, int *out_line);

#endif
