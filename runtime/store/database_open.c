#include "runtime/store/database_internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "runtime/store/races_schema.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files up to this size are checked as a whole when they are opened: a tenth of a second. Rows are
 * checked in any. */
enum { WHOLE_CHECK_BYTES = 64 << 20 };

static const char damaged_remedy[] =
    "nothing in it was changed: move it away (a new one is made); `sqlite3 FILE .dump` shows what "
    "can still be read";
static const char index_remedy[] =
    "nothing in it was changed: `sqlite3 FILE REINDEX` makes its indexes anew, and its rows have "
    "checksums of their own; or move it away (a new one is made)";

typedef struct opening {
    sqlite3 *sqlite;
    const char *path;
    ht_error *error;
} opening;

/* Reports a failure, with remedies for people who see the message once a year. */
ht_status ht_database_fail(sqlite3 *sqlite, const char *path, const char *doing, ht_error *error) {
    int code = sqlite3_errcode(sqlite);
    const char *words = sqlite3_errmsg(sqlite);
    const char *remedy = "check the disk and the folder's permissions, or name another database";
    switch (code & 0xff) {
    case SQLITE_NOTADB:
        words = "this file is not an SQLite database";
        remedy = "name another database, or move the file away";
        break;
    case SQLITE_CORRUPT:
        words = "the file is damaged";
        remedy = damaged_remedy;
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        words = "the database stayed locked by another process";
        remedy = "wait until that process has finished, or name another database";
        break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        remedy = "make the file and its folder writable, or name another database";
        break;
    case SQLITE_FULL:
        remedy = "free space on the disk; what was committed before is kept";
        break;
    default:
        break;
    }
    return ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "tuning database: %s: %s; %s", doing,
                           words, remedy);
}

ht_status ht_database_fail_input(ht_status status, ht_error *error) {
    if (status != HT_ERROR_IO)
        return status;
    if (error)
        error->status = HT_ERROR_INPUT;
    return HT_ERROR_INPUT;
}

static ht_status fail(const opening *in, const char *doing) {
    return ht_database_fail(in->sqlite, in->path, doing, in->error);
}

/* Reports damage on one line: SQLite may say how on several, under a heading. */
static ht_status fail_damaged(const opening *in, const char *how) {
    static const char heading[] = "*** in database main ***\n";
    if (ht_text_begins(how, heading))
        how += strlen(heading);
    return ht_error_set_at(in->error, HT_ERROR_IO, in->path, 0, 0,
                           "tuning database: the file is damaged: %.*s; %s",
                           (int)strcspn(how, "\n"), how,
                           strstr(how, " index ") != NULL ? index_remedy : damaged_remedy);
}

static ht_status query_integer(const opening *in, const char *sql, sqlite3_int64 *out_value) {
    sqlite3_stmt *statement = NULL;
    *out_value = 0;
    if (sqlite3_prepare_v2(in->sqlite, sql, -1, &statement, NULL) != SQLITE_OK)
        return fail(in, "cannot be read");
    ht_status status = HT_OK;
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
        *out_value = sqlite3_column_int64(statement, 0);
    else if (step != SQLITE_DONE)
        status = fail(in, "cannot be read");
    sqlite3_finalize(statement);
    return status;
}

static ht_status execute(const opening *in, const char *sql, const char *doing) {
    if (sqlite3_exec(in->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        return fail(in, doing);
    return HT_OK;
}

/* Checks the version: one flipped bit in it must not have the rows' checksums made anew from what
 * they hold. */
static ht_status version_check(const opening *in, sqlite3_int64 version) {
    sqlite3_int64 columns = 0;
    ht_status status = query_integer(
        in, "SELECT count(*) FROM pragma_table_info('evaluations') WHERE name = 'checksum'",
        &columns);
    if (status == HT_OK && (columns == 0) != (version < HT_DATABASE_CHECKSUMS_SINCE))
        status = fail_damaged(in, "its tables are not those of its version");
    return status;
}

static ht_status identify_now(const opening *in, sqlite3_int64 *out_version) {
    sqlite3_int64 tables = 0, application = 0, version = 0;
    ht_status status = query_integer(in, "SELECT count(*) FROM sqlite_schema", &tables);
    if (status == HT_OK)
        status = query_integer(in, "PRAGMA application_id", &application);
    if (status == HT_OK)
        status = query_integer(in, "PRAGMA user_version", &version);
    if (status != HT_OK)
        return status;
    if (tables == 0 && application == 0 && version == 0)
        return HT_OK;
    if (application != HT_DATABASE_APPLICATION_ID)
        return ht_error_set_at(in->error, HT_ERROR_INPUT, in->path, 0, 0,
                               "this SQLite database belongs to another program; name another "
                               "database");
    if (version > HT_DATABASE_VERSION)
        return ht_error_set_at(in->error, HT_ERROR_INPUT, in->path, 0, 0,
                               "the tuning database has schema %lld and this program knows up to "
                               "%d; use the newer hiptemper, or name another database",
                               (long long)version, HT_DATABASE_VERSION);
    if (version < 1)
        return ht_error_set_at(in->error, HT_ERROR_INPUT, in->path, 0, 0,
                               "the tuning database has schema %lld, which no release wrote; move "
                               "the file away, or name another database",
                               (long long)version);
    *out_version = version;
    return version_check(in, version);
}

/* Finds out whether this is our file, of a version we know. *out_version is 0 when it has no tables
 * at all. All is read in one transaction, since another process may create the schema right now:
 * its version next to an application that was read before would be a stranger's. */
static ht_status identify(const opening *in, sqlite3_int64 *out_version) {
    *out_version = 0;
    ht_status status = execute(in, "SAVEPOINT identify", "cannot be read");
    if (status != HT_OK)
        return status;
    status = identify_now(in, out_version);
    sqlite3_exec(in->sqlite, "RELEASE identify", NULL, NULL, NULL);
    return status;
}

/* Checks pages, trees and indexes; the rows' content is for their checksums. */
static ht_status check_whole(const opening *in) {
    struct stat info;
    if (stat(in->path, &info) != 0 || info.st_size > WHOLE_CHECK_BYTES)
        return HT_OK;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(in->sqlite, "PRAGMA integrity_check(1)", -1, &statement, NULL) !=
        SQLITE_OK)
        return fail(in, "cannot be read");
    ht_status status = HT_OK;
    int step = sqlite3_step(statement);
    const char *words = step == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (step != SQLITE_ROW)
        status = fail(in, "cannot be read");
    else if (words == NULL || strcmp(words, "ok") != 0)
        status = fail_damaged(in, words ? words : "it cannot be checked");
    sqlite3_finalize(statement);
    return status;
}

/* Upgrades from one version to the next, until it is ours. */
static ht_status upgrade(const opening *in, sqlite3_int64 version, const char *doing) {
    ht_status status = HT_OK;
    if (version == 0)
        status = execute(in, HT_DATABASE_SCHEMA_2, doing);
    if (status == HT_OK && version == 1)
        status = execute(in, HT_DATABASE_FROM_1, doing);
    if (status == HT_OK && version <= 2)
        status = execute(in, HT_DATABASE_FROM_2, doing);
    if (status == HT_OK && version <= 3)
        status = execute(in, HT_DATABASE_FROM_3, doing);
    return status;
}

/* Creates or upgrades the schema. Two processes may do so at once with the same file, so the second
 * look happens under the write lock. */
static ht_status update_schema(const opening *in) {
    const char *doing = "cannot be created or brought up to date";
    ht_status status = execute(in, "BEGIN IMMEDIATE", doing);
    if (status != HT_OK)
        return status;
    sqlite3_int64 version = 0;
    status = identify(in, &version);
    if (status == HT_OK)
        status = upgrade(in, version, doing);
    if (status == HT_OK)
        status = execute(in, "COMMIT", doing);
    if (status != HT_OK)
        sqlite3_exec(in->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* Switches to WAL, which does not wait for the busy timeout in every case, so it is tried for as
 * long. */
static ht_status enter_wal(const opening *in) {
    enum { STEP_US = 20000 };
    for (int waited = 0;; waited += STEP_US / 1000) {
        int code = sqlite3_exec(in->sqlite, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            return HT_OK;
        if ((code & 0xff) != SQLITE_BUSY || waited >= HT_DATABASE_BUSY_MS)
            return fail(in, "cannot be opened");
        usleep(STEP_US);
    }
}

/* Opens, identifies and checks the file. */
static ht_status open_checked(opening *in, ht_database_damage *damage, int flags,
                              sqlite3_int64 *out_version) {
    if (sqlite3_open_v2(in->path, &in->sqlite, flags, NULL) != SQLITE_OK ||
        ht_database_rows_install(in->sqlite, damage) != SQLITE_OK)
        return fail(in, "cannot be opened");
    sqlite3_extended_result_codes(in->sqlite, 1);
    sqlite3_busy_timeout(in->sqlite, HT_DATABASE_BUSY_MS);
    ht_status status = identify(in, out_version);
    if (status == HT_OK && *out_version > 0)
        status = check_whole(in);
    return status;
}

static ht_status open_for_writing(opening *in, ht_database_damage *damage) {
    sqlite3_int64 version = 0;
    ht_status status =
        open_checked(in, damage, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &version);
    if (status != HT_OK)
        return status;
    if (sqlite3_db_readonly(in->sqlite, "main") == 1)
        return ht_error_set_at(in->error, HT_ERROR_IO, in->path, 0, 0,
                               "the tuning database is read-only; make the file and its folder "
                               "writable, or name another database");
    status = enter_wal(in);
    if (status == HT_OK && version < HT_DATABASE_VERSION)
        status = update_schema(in);
    if (status == HT_OK)
        status = execute(in, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON",
                         "cannot be opened");
    return status;
}

/* Puts a copy in memory in the place of the file, and brings that up to date. */
static ht_status upgrade_copy(opening *in, ht_database_damage *damage) {
    opening copy = {.path = in->path, .error = in->error};
    ht_status status = HT_OK;
    if (sqlite3_open(":memory:", &copy.sqlite) != SQLITE_OK ||
        ht_database_rows_install(copy.sqlite, damage) != SQLITE_OK)
        status = fail(&copy, "cannot be copied");
    sqlite3_backup *backup =
        status == HT_OK ? sqlite3_backup_init(copy.sqlite, "main", in->sqlite, "main") : NULL;
    if (backup != NULL)
        sqlite3_backup_step(backup, -1);
    if (status == HT_OK && sqlite3_backup_finish(backup) != SQLITE_OK)
        status = fail(&copy, "cannot be copied");
    if (status == HT_OK)
        status = update_schema(&copy);
    sqlite3_close(in->sqlite);
    in->sqlite = copy.sqlite;
    return status;
}

static ht_status open_for_reading(opening *in, ht_database_damage *damage) {
    sqlite3_int64 version = 0;
    ht_status status = open_checked(in, damage, SQLITE_OPEN_READONLY, &version);
    if (status == HT_OK && version == 0)
        status = ht_error_set_at(in->error, HT_ERROR_INPUT, in->path, 0, 0,
                                 "is not a tuning database: it has no tables; `hiptemper tune "
                                 "--db` makes one");
    if (status == HT_OK && version < HT_DATABASE_VERSION)
        status = upgrade_copy(in, damage);
    return status;
}

static ht_status finish(opening *in, ht_status status, sqlite3 **out_sqlite) {
    if (status != HT_OK) {
        sqlite3_close(in->sqlite);
        in->sqlite = NULL;
    }
    *out_sqlite = in->sqlite;
    return status;
}

ht_status ht_database_file_open(ht_database_damage *damage, sqlite3 **out_sqlite, ht_error *error) {
    opening in = {.path = damage->path, .error = error};
    return finish(&in, open_for_writing(&in, damage), out_sqlite);
}

ht_status ht_database_file_read(ht_database_damage *damage, sqlite3 **out_sqlite, ht_error *error) {
    opening in = {.path = damage->path, .error = error};
    return finish(&in, open_for_reading(&in, damage), out_sqlite);
}
