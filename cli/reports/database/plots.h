/* The drawings of the report's page. Each function adds one to a batch and returns its number;
 * SIZE_MAX if there is too little to draw. Rows are those of docs/json.md. */
#ifndef HT_CLI_REPORTS_DATABASE_PLOTS_H
#define HT_CLI_REPORTS_DATABASE_PLOTS_H

#include "cli/reports/database/gnuplot.h"

#include <jansson.h>

enum { HT_PLOTS_SPEEDUPS = 40 }; /* rows of ht_plot_speedups, at most */

/* Speedups with their intervals, the largest first; `rows` are kernels or searches. */
size_t ht_plot_speedups(ht_gnuplot *batch, const json_t *rows);
/* The best time so far against evaluations, or against seconds. */
size_t ht_plot_progress(ht_gnuplot *batch, const json_t *search, bool seconds);
/* The best and the median time of each value of a parameter. */
size_t ht_plot_effect(ht_gnuplot *batch, const json_t *effect);
/* The times of a kernel and its original over nights, as multiples of the calibration kernel's. */
size_t ht_plot_history(ht_gnuplot *batch, const json_t *kernel);

#endif
