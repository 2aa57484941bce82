#include "pipeline/csv.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

void ht_csv_free(ht_csv *csv) {
    for (size_t i = 0; i < csv->cell_count; ++i)
        free(csv->cells[i]);
    csv->cell_count = 0;
}

/* Reads a cell up to its comma or the end of the line; quotes may hold both. */
static ht_status cell_read(ht_csv *in, ht_error *error) {
    ht_text text = {0};
    bool quoted = false;
    ht_text_append(&text, "");
    for (; in->at < in->end && (quoted || (*in->at != ',' && *in->at != '\n')); ++in->at) {
        bool twice = in->at + 1 < in->end && in->at[1] == '"';
        in->line += *in->at == '\n';
        if (*in->at == '"' && quoted && twice)
            ht_text_append_n(&text, in->at++, 1);
        else if (*in->at == '"')
            quoted = !quoted;
        else if (*in->at != '\r' && *in->at != 0)
            ht_text_append_n(&text, in->at, 1);
    }
    if (quoted || in->cell_count == HT_CSV_CELLS) {
        ht_text_free(&text);
        return ht_error_set_at(error, HT_ERROR_INPUT, in->path, in->row_line, 0,
                               quoted ? "a quote that begins here does not end: is the file whole?"
                                      : "the row has more than 256 cells: is this a profiler's CSV "
                                        "file?");
    }
    in->cells[in->cell_count++] = ht_text_take(&text);
    return HT_OK;
}

ht_status ht_csv_row(ht_csv *in, bool *out_found, ht_error *error) {
    ht_status status = HT_OK;
    ht_csv_free(in);
    while (in->at < in->end && (*in->at == '\n' || *in->at == '\r'))
        in->line += *in->at++ == '\n';
    *out_found = in->at < in->end;
    in->row_line = in->line;
    while (*out_found && status == HT_OK) {
        status = cell_read(in, error);
        if (in->at == in->end || *in->at == '\n')
            break;
        ++in->at; /* the comma */
    }
    return status;
}

int ht_csv_column(const ht_csv *csv, const char *const *names) {
    for (size_t i = 0; names[i]; ++i)
        for (size_t j = 0; j < csv->cell_count; ++j)
            if (strcmp(csv->cells[j], names[i]) == 0)
                return (int)j;
    return -1;
}

const char *ht_csv_cell(const ht_csv *csv, int column) {
    return column >= 0 && (size_t)column < csv->cell_count ? csv->cells[column] : "";
}
