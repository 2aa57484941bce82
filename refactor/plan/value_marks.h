/* Values that an applied source may call by a name. Where values are rendered with `named` set, an
 * expression over parameters that have words (ht_plan_call) is printed as a mark, since only the
 * whole source shows whether a value occurs often enough to need a name. rewrite/constants.h turns
 * marks into names or numbers. */
#ifndef HT_REFACTOR_PLAN_VALUE_MARKS_H
#define HT_REFACTOR_PLAN_VALUE_MARKS_H

#include "refactor/plan/plan.h"

/* A mark in a text: the expression and its value. */
typedef struct ht_value_mark {
    const char *begin, *end; /* of the mark */
    const char *expression;  /* over parameters: "COARSEN_X - 1"; may be empty */
    size_t expression_length;
    const char *number; /* its value, as digits */
    size_t number_length;
    bool enclosed;     /* it needs no parentheses */
    bool tile;         /* the macro stands for items, of which each thread has `expression` */
    const char *macro; /* the author's macro that stands there; its definition may change; NULL */
    size_t macro_length;
    int64_t old; /* the value that the name in `macro`, of a macro or a constant, has; 0: it is not
                    known */
} ht_value_mark;

/* Appends the mark of an expression. Returns false, and appends nothing, if no name can be used in
 * it: `named` is not set, a parameter has no words, or a value is 1. */
bool ht_value_mark_print(const ht_plan *plan, const ht_values *values, const char *expression,
                         int64_t value, bool enclosed, ht_text *out);
/* Returns the mark of an expression, or the number; free(). `macro`: the mark stands for this macro
 * of the author's; NULL: for none. */
char *ht_value_mark_text(const ht_plan *plan, const ht_values *values, const char *expression,
                         int64_t value, const char *macro);
/* Returns the mark of a number in the place of an author's name for `old`, which may stay in an
 * expression; free(). */
char *ht_value_mark_over(const ht_values *values, const char *name, size_t length, int64_t old,
                         int64_t value);
/* Returns the mark of an author's name for the items of a block, `old`, where the block has `value`
 * threads, each of which has `outputs` of them, an expression over parameters; free(). */
char *ht_value_mark_tile(const char *outputs, const char *name, int64_t old, int64_t value,
                         bool enclosed);
/* Returns the text of such a mark: the name, or, where that is the number of threads from now on, a
 * product of it and a mark of the outputs; free(). */
char *ht_value_mark_tile_text(const ht_value_mark *mark, bool by_threads);
/* Finds the next mark from `text` on. Returns false: there is none. */
bool ht_value_mark_next(const char *text, ht_value_mark *out);

#endif
