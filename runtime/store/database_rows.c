#include "runtime/store/database_rows.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/warning.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends a value with its type and length, so that no two lists of values give the same bytes. */
static void value_append(ht_text *bytes, sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    char tag = (char)('0' + type);
    ht_text_append_n(bytes, &tag, 1);
    if (type == SQLITE_INTEGER) {
        sqlite3_int64 integer = sqlite3_value_int64(value);
        ht_text_append_n(bytes, (const char *)&integer, sizeof integer);
    } else if (type == SQLITE_FLOAT) {
        double real = sqlite3_value_double(value);
        ht_text_append_n(bytes, (const char *)&real, sizeof real);
    } else if (type != SQLITE_NULL) {
        const void *data = sqlite3_value_blob(value);
        int length = sqlite3_value_bytes(value);
        ht_text_append_n(bytes, (const char *)&length, sizeof length);
        if (length > 0 && data != NULL)
            ht_text_append_n(bytes, data, (size_t)length);
    }
}

static sqlite3_int64 checksum_of(int count, sqlite3_value **values) {
    ht_text bytes = {0};
    ht_text_append(&bytes, "");
    for (int i = 0; i < count; ++i)
        value_append(&bytes, values[i]);
    sqlite3_int64 sum = (sqlite3_int64)ht_hash_short(bytes.data, bytes.length);
    ht_text_free(&bytes);
    return sum;
}

static void checksum_function(sqlite3_context *context, int count, sqlite3_value **values) {
    sqlite3_result_int64(context, checksum_of(count, values));
}

static bool is_new(ht_database_damage *damage, const char *table, sqlite3_int64 id) {
    for (size_t i = 0; i < damage->count; ++i)
        if (damage->rows[i].id == id && strcmp(damage->rows[i].table, table) == 0)
            return false;
    HT_GROW(damage->rows, damage->count);
    ht_database_row_name *row = &damage->rows[damage->count++];
    *row = (ht_database_row_name){.id = id};
    snprintf(row->table, sizeof row->table, "%s", table);
    return true;
}

static void row_report(ht_database_damage *damage, const char *table, sqlite3_int64 id) {
    if (!is_new(damage, table, id))
        return;
    ht_warning(
        "%s: tuning database: row %lld of table %s does not fit its checksum: it was damaged or "
        "changed by hand, is not used, and is measured again when needed; check the disk, or "
        "remove "
        "the row with `DELETE FROM %s WHERE rowid = %lld`",
        damage->path, (long long)id, table, table, (long long)id);
}

static void good_function(sqlite3_context *context, int count, sqlite3_value **values) {
    enum { TABLE, ID, CHECKSUM, FIRST };
    const char *table = count > FIRST ? (const char *)sqlite3_value_text(values[TABLE]) : NULL;
    if (table == NULL) {
        sqlite3_result_error(context, "ht_row_good: too few values", -1);
        return;
    }
    sqlite3_value *checksum = values[CHECKSUM];
    sqlite3_int64 id = sqlite3_value_int64(values[ID]);
    bool integer = sqlite3_value_type(checksum) == SQLITE_INTEGER;
    sqlite3_int64 told = sqlite3_value_int64(checksum);
    values[CHECKSUM] = values[TABLE];
    bool good = integer && checksum_of(count - CHECKSUM, values + CHECKSUM) == told;
    values[CHECKSUM] = checksum;
    if (!good)
        row_report(sqlite3_user_data(context), table, id);
    sqlite3_result_int(context, good);
}

int ht_database_rows_install(sqlite3 *sqlite, ht_database_damage *damage) {
    enum { FLAGS = SQLITE_UTF8 | SQLITE_DIRECTONLY };
    int code = sqlite3_create_function_v2(sqlite, "ht_checksum", -1, FLAGS | SQLITE_DETERMINISTIC,
                                          NULL, checksum_function, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_create_function_v2(sqlite, "ht_row_good", -1, FLAGS, damage, good_function,
                                          NULL, NULL, NULL);
    return code;
}

void ht_database_damage_free(ht_database_damage *damage) {
    free(damage->rows);
    damage->rows = NULL;
    damage->count = 0;
}
