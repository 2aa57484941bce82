#include "pipeline/import/miopen_sqlite.h"

#include "pipeline/import/miopen_solvers.h"

#include <sqlite3.h>
#include <string.h>

static const char *const query =
    "SELECT p.solver, p.params, c.layout, c.data_type, c.direction, c.spatial_dim, c.in_channels, "
    "c.in_h, c.in_w, c.fil_h, c.fil_w, c.out_channels, c.batchsize, c.pad_h, c.pad_w, "
    "c.conv_stride_h, c.conv_stride_w, c.dilation_h, c.dilation_w, c.bias, c.group_count "
    "FROM perf_db AS p JOIN config AS c ON p.config = c.id ORDER BY p.id";

static ht_miopen_text text_of(sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? (ht_miopen_text){text, strlen(text)} : (ht_miopen_text){"", 0};
}

static void word_copy(sqlite3_stmt *row, int column, char out[8]) {
    ht_miopen_text word = text_of(row, column);
    memset(out, 0, 8);
    if (word.length < 8)
        memcpy(out, word.at, word.length);
}

static const char *problem_read(sqlite3_stmt *row, ht_miopen_problem *out) {
    int64_t *const numbers[] = {&out->in_c,  &out->in_h,     &out->in_w,     &out->fil_h,
                                &out->fil_w, &out->out_c,    &out->batch,    &out->pad_h,
                                &out->pad_w, &out->stride_h, &out->stride_w, &out->dil_h,
                                &out->dil_w, &out->bias,     &out->group};
    ht_miopen_text direction = text_of(row, 4);
    *out = (ht_miopen_problem){0};
    word_copy(row, 2, out->layout);
    word_copy(row, 3, out->precision);
    if (sqlite3_column_int64(row, 5) != 2)
        return "a convolution of other than two dimensions";
    if (direction.length == 1)
        out->direction = direction.at[0];
    for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); ++i) {
        int64_t number = sqlite3_column_int64(row, 6 + i);
        if (number < 0 || number >= INT64_C(1) << 31)
            return "a size is less than 1 or out of range";
        *numbers[i] = number;
    }
    ht_miopen_output_fill(out);
    return ht_miopen_problem_check(out);
}

static void row_take(sqlite3_stmt *row, const char *source, const ht_import_device *device,
                     ht_import *import) {
    ht_miopen_problem problem;
    const char *reason = problem_read(row, &problem);
    if (reason)
        ht_import_skip(import, reason, NULL);
    else
        ht_miopen_entry_take(import, &problem, device, source, text_of(row, 0), text_of(row, 1));
}

ht_status ht_miopen_sqlite_import(const char *path, const char *source,
                                  const ht_import_device *device, ht_import *import,
                                  ht_error *error) {
    sqlite3 *database = NULL;
    sqlite3_stmt *rows = NULL;
    int step = SQLITE_ERROR;
    /* foreign bytes: nothing in the file may call functions, and nothing is written next to it */
    bool good = sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
    if (good) {
        sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        good = sqlite3_prepare_v2(database, query, -1, &rows, NULL) == SQLITE_OK;
    }
    while (good && (step = sqlite3_step(rows)) == SQLITE_ROW)
        row_take(rows, source, device, import);
    good = good && step == SQLITE_DONE;
    if (!good)
        ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                        "this SQLite file is not a performance database of MIOpen, or is damaged: "
                        "%s",
                        database ? sqlite3_errmsg(database) : "no memory");
    sqlite3_finalize(rows);
    sqlite3_close(database);
    return good ? HT_OK : HT_ERROR_INPUT;
}
