/* A schema from the header and the values of data files, written as text and parsed. */
#include "predictor/data/dataset.h"
#include "predictor/data/tsv.h"

#include "base/hash.h"
#include "base/memory.h"
#include "templates/expr/span.h"

#include <stdlib.h>
#include <string.h>

/* Different values of a column. */
typedef struct values {
    char **texts; /* owned */
    size_t count;
    uint32_t *table; /* index + 1 into texts, by hash; a power of two of them; owned */
    size_t table_size;
    bool whole; /* all integers */
    bool full;  /* more than a parameter can have: no longer counted */
} values;

typedef struct scan {
    const char *params; /* as given; NULL: those after `src` */
    char **names;       /* of the first file's columns; owned */
    values *values;
    size_t count;
    size_t first_param;
} scan;

static void table_grow(values *all) {
    all->table_size = all->table_size ? 2 * all->table_size : 64;
    free(all->table);
    all->table = ht_alloc(all->table_size, sizeof *all->table);
    for (size_t i = 0; i < all->count; ++i) {
        size_t at = ht_hash_short(all->texts[i], strlen(all->texts[i])) & (all->table_size - 1);
        while (all->table[at])
            at = (at + 1) & (all->table_size - 1);
        all->table[at] = (uint32_t)i + 1;
    }
}

static void note_value(values *all, const char *text) {
    int64_t number;
    if (2 * all->count >= all->table_size)
        table_grow(all);
    size_t at = ht_hash_short(text, strlen(text)) & (all->table_size - 1);
    for (; all->table[at]; at = (at + 1) & (all->table_size - 1))
        if (!strcmp(all->texts[all->table[at] - 1], text))
            return;
    all->whole =
        all->whole && ht_span_integer(ht_span_of(text, (ht_place){0}), &number, NULL) == HT_OK;
    all->full |= all->count == HT_PARAM_VALUES_MAX;
    if (all->full)
        return;
    HT_GROW(all->texts, all->count);
    all->texts[all->count++] = ht_strdup(text);
    all->table[at] = (uint32_t)all->count;
}

static bool listed(const char *params, const char *name) {
    ht_span rest = ht_span_of(params, (ht_place){0}), piece;
    while (ht_span_split(&rest, ',', false, &piece))
        if (ht_span_is(piece, name))
            return true;
    return false;
}

/* Checks that every name of the list is a column. */
static ht_status check_listed(const scan *s, const char *path, ht_error *error) {
    ht_span rest = ht_span_of(s->params, (ht_place){0}), piece;
    while (ht_span_split(&rest, ',', false, &piece)) {
        size_t i = 0;
        while (i < s->count && !ht_span_is(piece, s->names[i]))
            ++i;
        if (i == s->count)
            return ht_error_set_at(error, HT_ERROR_INPUT, path, 1, 0,
                                   "the header has no column '%.*s', named as a parameter",
                                   (int)(piece.length > 60 ? 60 : piece.length), piece.text);
    }
    return HT_OK;
}

static ht_status first_header(scan *s, const ht_tsv *tsv, const char *path, ht_error *error) {
    s->count = ht_tsv_column_count(tsv);
    s->names = ht_alloc(s->count, sizeof *s->names);
    s->values = ht_alloc(s->count, sizeof *s->values);
    s->first_param = s->count;
    for (size_t i = 0; i < s->count; ++i) {
        s->values[i].whole = true;
        s->names[i] = ht_strdup(ht_tsv_column(tsv, i));
        bool here = s->params ? listed(s->params, s->names[i]) : !strcmp(s->names[i], "src");
        if (here && s->first_param == s->count)
            s->first_param = s->params ? i : i + 1;
        if (!ht_span_is_name(ht_span_of(s->names[i], (ht_place){0})))
            return ht_error_set_at(error, HT_ERROR_INPUT, path, 1, 0,
                                   "the column '%.60s' needs a name of letters, digits and _",
                                   s->names[i]);
    }
    if (s->params)
        return check_listed(s, path, error);
    if (s->first_param >= s->count)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 1, 0,
                               "which columns are parameters? Name them, or have them stand "
                               "after a column src");
    return HT_OK;
}

static ht_status check_header(const scan *s, const ht_tsv *tsv, const char *path, ht_error *error) {
    bool same = ht_tsv_column_count(tsv) == s->count;
    for (size_t i = 0; same && i < s->count; ++i)
        same = !strcmp(ht_tsv_column(tsv, i), s->names[i]);
    return same ? HT_OK
                : ht_error_set_at(error, HT_ERROR_INPUT, path, 1, 0,
                                  "the header is not that of the first file; give a schema to "
                                  "join files with other columns");
}

static ht_status scan_file(scan *s, const char *path, ht_error *error) {
    ht_tsv *tsv;
    const char *const *cells;
    ht_status status = ht_tsv_open(path, &tsv, error);
    if (status != HT_OK)
        return status;
    status = s->names ? check_header(s, tsv, path, error) : first_header(s, tsv, path, error);
    while (status == HT_OK) {
        status = ht_tsv_next(tsv, &cells, error);
        if (status != HT_OK || !cells)
            break;
        for (size_t i = 0; i < s->count; ++i)
            note_value(&s->values[i], cells[i]);
    }
    ht_tsv_close(tsv);
    return status;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_number(const void *a, const void *b) {
    long long left = strtoll(*(char *const *)a, NULL, 0);
    long long right = strtoll(*(char *const *)b, NULL, 0);
    return (left > right) - (left < right);
}

static ht_status write_values(const scan *s, size_t column, const char *path, ht_text *out,
                              ht_error *error) {
    values *all = &s->values[column];
    if (all->full)
        return ht_error_set_at(
            error, HT_ERROR_INPUT, path, 0, 0,
            "the column %s of %s has more than %d values, too many for a parameter%s; have it "
            "stand "
            "before the parameters (before src, or left out of --params) if it describes the "
            "problem, or write a schema that ignores it",
            s->names[column], all->whole ? "integers" : "words", HT_PARAM_VALUES_MAX,
            all->whole ? "" : " or an enumeration");
    qsort(all->texts, all->count, sizeof *all->texts, all->whole ? by_number : by_text);
    for (size_t v = 0; v < all->count; ++v) {
        if (!all->whole && !ht_span_is_name(ht_span_of(all->texts[v], (ht_place){0})))
            return ht_error_set_at(
                error, HT_ERROR_INPUT, path, 0, 0,
                "column %s has the value '%.60s', neither an integer nor a name; "
                "write a schema that ignores the column",
                s->names[column], all->texts[v]);
        ht_text_printf(out, "%s%s", v ? ", " : " : ", all->texts[v]);
    }
    return HT_OK;
}

static ht_status write_column(const scan *s, size_t column, const char *path, ht_text *out,
                              ht_error *error) {
    const char *name = s->names[column];
    bool param = column >= s->first_param && (!s->params || listed(s->params, name));
    if (!param &&
        (column >= s->first_param || !strcmp(name, "src") || !strcmp(name, "out_exact"))) {
        ht_text_printf(out, "ignore(%s)\n", name);
        return HT_OK;
    }
    ht_text_printf(out, "%s(%s", param ? "param" : "field", name);
    if (param || !s->values[column].whole) {
        ht_status status = write_values(s, column, path, out, error);
        if (status != HT_OK)
            return status;
    }
    ht_text_append(out, ")\n");
    if (!param && (!strcmp(name, "arch") || !strcmp(name, "cu")))
        ht_text_printf(out, "device(%s)\n", name);
    return HT_OK;
}

static void scan_free(scan *s) {
    for (size_t i = 0; i < s->count; ++i) {
        ht_strings_free(s->values[i].texts, s->values[i].count);
        free(s->values[i].table);
        free(s->names[i]);
    }
    free(s->values);
    free(s->names);
}

ht_status ht_schema_from_tsv(const char *const *paths, size_t path_count, const char *params,
                             ht_schema **out_schema, ht_error *error) {
    scan s = {.params = params};
    ht_text text = {0};
    ht_status status = HT_OK;
    if (!path_count)
        return ht_error_set(error, HT_ERROR_INPUT, "a schema cannot come from no data file");
    for (size_t i = 0; status == HT_OK && i < path_count; ++i)
        status = scan_file(&s, paths[i], error);
    if (status == HT_OK && !s.values[0].count)
        status = ht_error_set_at(error, HT_ERROR_INPUT, paths[0], 0, 0, "the file has no records");
    char *kernel = ht_dataset_kernel(paths[0]);
    bool named = ht_span_is_name(ht_span_of(kernel, (ht_place){0}));
    ht_text_printf(&text, "kernel(%s)\n", named ? kernel : "data");
    free(kernel);
    for (size_t i = 0; status == HT_OK && i < s.count; ++i)
        status = write_column(&s, i, paths[0], &text, error);
    if (status == HT_OK) {
        status = ht_schema_parse(text.data, NULL, out_schema, error);
        if (status != HT_OK)
            ht_error_prefix(error, "the columns of %s make no schema: ", paths[0]);
    }
    scan_free(&s);
    ht_text_free(&text);
    return status;
}
