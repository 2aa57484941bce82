#include "cli/command.h"

#include "base/memory.h"
#include "cli/reports/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PLAIN_WIDTH = 1000, GAP = 2, LEAST_CUT = 12 };

struct ht_table {
    char *alignment;
    size_t columns;
    char **cells; /* rows of `columns`; the first row is the headings */
    size_t cell_count;
};

ht_table *ht_table_new(const char *alignment, const char *const *headings) {
    ht_table *table = ht_alloc(1, sizeof *table);
    table->alignment = ht_strdup(alignment);
    table->columns = strlen(alignment);
    ht_table_row(table, headings);
    return table;
}

void ht_table_row(ht_table *table, const char *const *cells) {
    for (size_t i = 0; i < table->columns; ++i) {
        HT_GROW(table->cells, table->cell_count);
        table->cells[table->cell_count++] = ht_strdup(cells[i] ? cells[i] : "");
    }
}

void ht_table_row_take(ht_table *table, char *const *cells) {
    ht_table_row(table, (const char *const *)cells);
    for (size_t i = 0; i < table->columns; ++i)
        free(cells[i]);
}

/* Returns the columns of text: bytes that do not continue a UTF-8 character. */
static size_t text_width(const char *text) {
    size_t width = 0;
    for (; *text; ++text)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static size_t stream_width(FILE *out) {
    struct winsize size;
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 40)
        return size.ws_col;
    return PLAIN_WIDTH;
}

static void widths_find(const ht_table *table, FILE *out, int indent, size_t *widths) {
    size_t total = (size_t)indent + GAP * (table->columns - 1);
    size_t cuttable = SIZE_MAX;
    for (size_t column = 0; column < table->columns; ++column) {
        widths[column] = 0;
        for (size_t at = column; at < table->cell_count; at += table->columns) {
            size_t width = text_width(table->cells[at]);
            if (width > widths[column])
                widths[column] = width;
        }
        total += widths[column];
        if (table->alignment[column] == 't')
            cuttable = column;
    }
    size_t room = stream_width(out);
    if (cuttable != SIZE_MAX && total > room) {
        size_t excess = total - room;
        size_t width = widths[cuttable];
        widths[cuttable] = width > excess + LEAST_CUT ? width - excess : LEAST_CUT;
    }
}

/* Returns the number of bytes of the first `columns` columns of text. */
static int bytes_of(const char *text, size_t columns) {
    const char *at = text;
    while (*at && columns > 0) {
        ++at;
        while (((unsigned char)*at & 0xc0) == 0x80)
            ++at;
        --columns;
    }
    return (int)(at - text);
}

static void cell_print(FILE *out, const char *cell, char alignment, size_t width, bool last) {
    size_t own = text_width(cell);
    int padding = own < width ? (int)(width - own) : 0;
    if (alignment == 'r')
        fprintf(out, "%*s%s", padding, "", cell);
    else if (own > width)
        fprintf(out, "%.*s...", bytes_of(cell, width - 3), cell);
    else
        fprintf(out, "%s%*s", cell, last ? 0 : padding, "");
}

void ht_table_finish(ht_table *table, FILE *out, int indent) {
    size_t *widths = ht_alloc(table->columns, sizeof *widths);
    widths_find(table, out, indent, widths);
    for (size_t at = 0; at < table->cell_count; at += table->columns) {
        fprintf(out, "%*s", indent, "");
        for (size_t column = 0; column < table->columns; ++column) {
            bool last = column + 1 == table->columns;
            cell_print(out, table->cells[at + column], table->alignment[column], widths[column],
                       last);
            if (!last)
                fprintf(out, "%*s", GAP, "");
        }
        fputc('\n', out);
    }
    ht_strings_free(table->cells, table->cell_count);
    free(table->alignment);
    free(table);
    free(widths);
}
