/* The parts that reports as pages have in common: plain HTML, nothing that is loaded or run. A row
 * is a kernel's object in a JSON report (docs/json.md). */
#ifndef HT_CLI_REPORTS_HTML_PAGE_H
#define HT_CLI_REPORTS_HTML_PAGE_H

#include "base/text.h"

#include <jansson.h>

typedef struct ht_html_page {
    const char *title, *heading;
    const char *style; /* CSS; NULL: a plain one, for light and dark */
    const char *head;  /* HTML that comes before the title; NULL: nothing */
} ht_html_page;

void ht_html_begin_with(const ht_html_page *page, ht_text *out);
/* The same with the plain style. */
void ht_html_begin(const char *title, const char *heading, ht_text *out);
void ht_html_end(ht_text *out);
/* Puts text, with what HTML reads escaped. */
void ht_html_text(const char *text, ht_text *out);
/* Puts "file:line" of a row or an error. */
void ht_html_place(const json_t *row, ht_text *out);
/* Puts the rows that have a reason, in groups (refactor_groups.h) to be unfolded, under "title:
 * count". */
void ht_html_groups(const json_t *rows, const char *title, ht_text *out);
/* Puts the files that could not be read, if there are any. */
void ht_html_errors(const json_t *errors, ht_text *out);

#endif
