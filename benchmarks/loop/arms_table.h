/* The arms next to each other: mean, spread and worst over seeds. */
#ifndef HT_BENCHMARKS_LOOP_ARMS_TABLE_H
#define HT_BENCHMARKS_LOOP_ARMS_TABLE_H

#include "benchmarks/loop/arms.h"

enum { ARMS_ROWS = 16 };

typedef struct arms_cell {
    unsigned runs;
    double mean, deviation, worst, best; /* of speedups */
    double evaluations, seconds;         /* means */
    double roofline;                     /* the most; 0: not known */
} arms_cell;

typedef struct arms_table {
    arms_cell cells[ARMS_ROWS][ARM_COUNT]; /* in the order of loop_subjects */
} arms_table;

void arms_table_make(const arms_kept *kept, const arms_settings *settings, arms_table *out_table);
/* Both free(). */
char *arms_table_markdown(const arms_table *table, const arms_settings *settings);
char *arms_table_json(const arms_table *table, const arms_settings *settings);

#endif
