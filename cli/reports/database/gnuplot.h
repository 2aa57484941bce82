/* Drawing by gnuplot: scripts that hold nothing but numbers and words of our own. Words of others
 * (kernels, values) are put into the drawing afterwards, escaped: gnuplot runs commands in text. */
#ifndef HT_CLI_REPORTS_DATABASE_GNUPLOT_H
#define HT_CLI_REPORTS_DATABASE_GNUPLOT_H

#include "base/error.h"
#include "base/text.h"

/* A batch of drawings, made by one run of gnuplot. */
typedef struct ht_gnuplot ht_gnuplot;

ht_gnuplot *ht_gnuplot_new(void);
void ht_gnuplot_free(ht_gnuplot *batch);

/* Begins a drawing of this size, in pixels, whose script follows in ht_gnuplot_script; returns its
 * number. `title` is for screen readers; copied. */
size_t ht_gnuplot_add(ht_gnuplot *batch, const char *title, int width, int height);
/* The script of the batch, to be appended to. */
ht_text *ht_gnuplot_script(ht_gnuplot *batch);
/* Appends a quoted text to the script that stands for `label`, cut to `length` characters. */
void ht_gnuplot_label(ht_gnuplot *batch, const char *label, size_t length);

/* Draws all. HT_ERROR_MISSING: gnuplot is not installed, and there are no drawings. */
ht_status ht_gnuplot_draw(ht_gnuplot *batch, ht_error *error);
/* Returns a drawing as an <svg> for a page, or NULL if there is none; borrowed. It needs the shapes
 * of ht_gnuplot_shapes once in the same page. */
const char *ht_gnuplot_svg(const ht_gnuplot *batch, size_t number);
/* Returns <defs> that drawings refer to; "" without such drawings. */
const char *ht_gnuplot_shapes(const ht_gnuplot *batch);

/* The colours that scripts may use for what follows the page's: text and axes, and grids. */
#define HT_GNUPLOT_INK "'#010203'"
#define HT_GNUPLOT_GRID "'#040506'"

#endif
