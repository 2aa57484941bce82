/* The part of the page on one kernel, or on a search that no night's kernel has. */
#ifndef HT_CLI_REPORTS_DATABASE_PAGE_KERNEL_H
#define HT_CLI_REPORTS_DATABASE_PAGE_KERNEL_H

#include "cli/reports/database/gnuplot.h"

#include <jansson.h>

enum { HT_PAGE_EFFECTS = 8 }; /* parameters of a kernel that are drawn, those that explain most */

/* The numbers of a kernel's drawings; SIZE_MAX: it has none. */
typedef struct ht_kernel_plots {
    size_t history, evaluations, seconds, effects[HT_PAGE_EFFECTS];
} ht_kernel_plots;

/* Adds the drawings of a kernel (NULL: there is none) and its search (NULL: it has none) to a
 * batch. */
void ht_kernel_plots_add(ht_gnuplot *batch, const json_t *kernel, const json_t *search,
                         ht_kernel_plots *out_plots);
/* Plots of none. */
void ht_kernel_plots_none(ht_kernel_plots *out_plots);

/* Puts its part of the page, with the id "kNUMBER". */
void ht_page_kernel(size_t number, const json_t *kernel, const json_t *search,
                    const ht_gnuplot *batch, const ht_kernel_plots *plots, ht_text *out);

#endif
