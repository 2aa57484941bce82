/* Tables of the report's page, which its script sorts and filters. */
#ifndef HT_CLI_REPORTS_DATABASE_PAGE_TABLE_H
#define HT_CLI_REPORTS_DATABASE_PAGE_TABLE_H

#include "base/text.h"

#include <jansson.h>

typedef struct ht_page_column {
    const char *name; /* our own words; NULL ends a table's columns */
    bool number;      /* aligned right and sorted by value */
} ht_page_column;

/* Begins a table with this id. `verdicts` (NULL: none) are the words that a second filter chooses
 * from: an object whose keys they are. Columns must live until the table ends. */
void ht_page_table_begin(const char *id, const ht_page_column *columns, const json_t *verdicts,
                         ht_text *out);
void ht_page_table_end(ht_text *out);

/* A row: begin, its cells in the order of the columns, end. `verdict` may be "". */
void ht_page_row_begin(const char *verdict, ht_text *out);
void ht_page_row_end(ht_text *out);
/* A cell of text; as code if `code`. */
void ht_page_text(const ht_page_column *column, const char *text, bool code, ht_text *out);
/* A verdict's word in its colour; if `original_slower`, with that. */
void ht_page_verdict(const char *word, bool original_slower, ht_text *out);
/* A cell with it. */
void ht_page_word(const ht_page_column *column, const char *word, bool original_slower,
                  ht_text *out);
/* A cell with a number as `format` prints it, or empty where it is not one. */
void ht_page_number(const ht_page_column *column, const json_t *number, const char *format,
                    ht_text *out);
/* A cell with "[low, high]", sorted by the low end. */
void ht_page_interval(const ht_page_column *column, const json_t *interval, ht_text *out);

#endif
