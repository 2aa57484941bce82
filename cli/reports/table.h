/* Aligned columns, for people. */
#ifndef HT_CLI_REPORTS_TABLE_H
#define HT_CLI_REPORTS_TABLE_H

#include <stdio.h>

/* table.c: aligned columns, for people. Cells are copied. */
typedef struct ht_table ht_table;
/* One letter a column: 'l' left, 'r' right, 't' left and cut to what is left of the stream's width.
 */
ht_table *ht_table_new(const char *alignment, const char *const *headings);
/* As many cells as columns. */
void ht_table_row(ht_table *table, const char *const *cells);
/* The same, and frees each cell. */
void ht_table_row_take(ht_table *table, char *const *cells);
/* Prints, indented by `indent`, and frees the table. */
void ht_table_finish(ht_table *table, FILE *out, int indent);

#endif
