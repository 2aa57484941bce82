/* The original's launch geometry as template expressions. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_GEOMETRY_H
#define HT_REFACTOR_KERNEL_GEOMETRY_H

#include "base/text.h"
#include "refactor/kernel/facts.h"

/* How a grid's axis follows from the number of items n and the block b. */
typedef enum ht_form_kind {
    HT_FORM_CEIL,    /* (n + b - 1) / b and its relatives */
    HT_FORM_FLOOR,   /* n / b */
    HT_FORM_OVER,    /* (n + b) / b, n / b + 1 */
    HT_FORM_GENERIC, /* anything else: ceil_div(grid * b, new b), which never covers less */
    HT_FORM_WHOLE    /* grid * (b / new b), where new b divides b: covers just as much */
} ht_form_kind;

enum { HT_FORM_TERMS_MAX = 12 };

/* One of the summands of n. */
typedef struct ht_form_term {
    const ht_symbol *symbol;
    int sign;
} ht_form_term;

typedef struct ht_form {
    ht_form_kind kind;
    const ht_symbol *quotient; /* all of it: (n + 15) / 16 */
    const ht_symbol *dividend; /* n + 15; NULL: there is none that could overflow */
    const ht_symbol *divisor;  /* the leaf b, or NULL (a shift) */
    const ht_symbol *again;    /* the same once more, in n / b + (n % b != 0); or NULL */
    const ht_symbol *addend;   /* the leaf in n + ADDEND, or NULL */
    int64_t addend_offset;     /* its value is the block plus this: -1 for 15, 0 for 16 */
    ht_form_term terms[HT_FORM_TERMS_MAX]; /* n */
    size_t term_count;
    bool editable; /* leaves can be replaced one by one */
    bool pieces;   /* new b divides b in every configuration */
    char *items;   /* n as a template expression; owned */
} ht_form;

typedef struct ht_grid {
    char *original[3]; /* template expressions; NULL: unknown */
    char *block[3];
    char *lds; /* NULL: none */
    ht_form form[3];
    ht_text missing; /* what is unknown, in words */
} ht_grid;

/* The original's geometry. Axes whose expression is unknown are NULL and `missing` says what it
 * would take. */
void ht_grid_read(const ht_model *model, ht_grid *out_grid);
void ht_grid_free(ht_grid *grid);

/* Why block and grid of this kernel cannot be changed; NULL when they can. free(). */
char *ht_launch_problem(const ht_model *model, int *out_line);

/* A host symbol as a template expression; NULL when something in it is unknown, with words added to
 * `missing`. */
char *ht_symbol_expression(const ht_model *model, const ht_launch_site *site,
                           const ht_symbol *symbol, ht_text *missing);
/* The name of the index-th passed argument in template expressions, when it is an integer scalar;
 * NULL otherwise. */
const char *ht_argument_name(const ht_model *model, size_t index);

#endif
