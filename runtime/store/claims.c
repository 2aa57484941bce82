#include "runtime/store/claims.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/store/database_internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One that was ahead leaves the last configuration of a batch to the others for as long. */
static const double patience = 0.5;
/* Seconds after which a claim of a process that cannot be seen is void. */
enum { FOREIGN_SECONDS = 900 };

/* The row without a configuration says that a process is there, and what it made. */
static const char table[] = "CREATE TABLE IF NOT EXISTS claims ("
                            "  job TEXT NOT NULL,"
                            "  config TEXT NOT NULL,"
                            "  owner TEXT NOT NULL,"
                            "  made INTEGER NOT NULL,"
                            "  at INTEGER NOT NULL,"
                            "  UNIQUE (job, config, owner));";

struct ht_claims {
    ht_database *database; /* borrowed */
    char job[HT_HASH_SIZE];
    char *owner;
    size_t made;
    double waiting_since; /* clock; 0: not waiting */
};

/* ---- owners: "BOOT PROCESS START" */

static char *boot_id(void) {
    char *text = NULL;
    if (ht_file_read("/proc/sys/kernel/random/boot_id", 0, &text, NULL, NULL) != HT_OK)
        return ht_strdup("unknown");
    text[strcspn(text, "\n")] = 0;
    return text;
}

/* Returns when a process started, in ticks since the machine did; 0: there is none. */
static unsigned long long process_start(long process) {
    enum { FIELDS_AFTER_NAME = 20 }; /* proc(5): starttime is the 22nd, the name the 2nd */
    char *path = ht_format("/proc/%ld/stat", process), *text = NULL;
    unsigned long long start = 0;
    if (ht_file_read(path, 0, &text, NULL, NULL) == HT_OK) {
        char *at = strrchr(text, ')');
        for (int i = 0; at && i < FIELDS_AFTER_NAME; ++i)
            at = strchr(at + 1, ' ');
        start = at ? strtoull(at, NULL, 10) : 0;
    }
    free(text);
    free(path);
    return start;
}

static bool is_alive(const char *owner, long long at) {
    char *boot = boot_id();
    size_t length = strlen(boot);
    bool here = strncmp(owner, boot, length) == 0 && owner[length] == ' ';
    free(boot);
    char *end = NULL;
    long process = here ? strtol(owner + length, &end, 10) : 0;
    unsigned long long start = here ? strtoull(end, NULL, 10) : 0;
    if (start == 0) /* of another machine, or one that does not say when processes started */
        return llabs((long long)time(NULL) - at) < FOREIGN_SECONDS;
    return start == process_start(process);
}

/* ---- statements */

static ht_status fail(const ht_claims *claims, ht_error *error) {
    return ht_database_fail(ht_database_handle(claims->database),
                            ht_database_path(claims->database), "its claims cannot be written",
                            error);
}

static ht_status execute(const ht_claims *claims, const char *sql, ht_error *error) {
    if (sqlite3_exec(ht_database_handle(claims->database), sql, NULL, NULL, NULL) == SQLITE_OK)
        return HT_OK;
    return fail(claims, error);
}

/* Runs a statement with the job, this or another owner, a configuration and a number. */
static ht_status run(const ht_claims *claims, const char *sql, const char *owner,
                     const char *config, size_t number, ht_error *error) {
    sqlite3_stmt *statement = NULL;
    bool done = sqlite3_prepare_v2(ht_database_handle(claims->database), sql, -1, &statement,
                                   NULL) == SQLITE_OK;
    if (done) {
        sqlite3_bind_text(statement, 1, claims->job, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, owner, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 3, config, -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 4, (sqlite3_int64)number);
        done = sqlite3_step(statement) == SQLITE_DONE;
    }
    ht_status status = done ? HT_OK : fail(claims, error);
    sqlite3_finalize(statement);
    return status;
}

static ht_status put(const ht_claims *claims, const char *config, ht_error *error) {
    return run(claims,
               "INSERT OR REPLACE INTO claims (job, owner, config, made, at)"
               " VALUES (?1, ?2, ?3, ?4, unixepoch())",
               claims->owner, config, claims->made, error);
}

/* Removes what a process claims; its presence, too, when `all`. */
static ht_status remove_of(const ht_claims *claims, const char *owner, bool all, ht_error *error) {
    return run(claims, "DELETE FROM claims WHERE job = ?1 AND owner = ?2 AND (?4 OR config <> ?3)",
               owner, "", all, error);
}

/* ---- */

ht_status ht_claims_open(ht_database *database, const ht_database_key *key, ht_claims **out_claims,
                         ht_error *error) {
    ht_claims *claims = ht_alloc(1, sizeof *claims);
    char *boot = boot_id();
    *claims = (ht_claims){
        .database = database,
        .owner = ht_format("%s %ld %llu", boot, (long)getpid(), process_start((long)getpid()))};
    ht_hash_strings(claims->job, key->source_hash, key->template_name, key->template_hash,
                    key->problem, key->device, key->compiler, key->method,
                    key->settings ? key->settings : "", key->checking ? key->checking : "", NULL);
    free(boot);
    ht_status status = execute(claims, table, error);
    if (status == HT_OK)
        status = put(claims, "", error);
    if (status == HT_OK)
        *out_claims = claims;
    else
        ht_claims_close(claims);
    return status;
}

void ht_claims_leave(ht_claims *claims) {
    if (claims)
        remove_of(claims, claims->owner, true, NULL);
}

void ht_claims_close(ht_claims *claims) {
    if (!claims)
        return;
    ht_claims_leave(claims);
    free(claims->owner);
    free(claims);
}

ht_status ht_claims_done(ht_claims *claims, size_t made, ht_error *error) {
    claims->made += made;
    ht_status status = remove_of(claims, claims->owner, false, error);
    return status == HT_OK ? put(claims, "", error) : status;
}

typedef struct others {
    size_t count;     /* processes */
    size_t least;     /* that one of them made */
    bool *claimed;    /* one a configuration */
    ht_text departed; /* owners that are no more, a line each */
} others;

static void other_take(others *out, sqlite3_stmt *row, const char *const *configs, size_t count) {
    const char *config = (const char *)sqlite3_column_text(row, 0);
    const char *owner = (const char *)sqlite3_column_text(row, 1);
    size_t made = (size_t)sqlite3_column_int64(row, 2);
    if (!is_alive(owner, sqlite3_column_int64(row, 3))) {
        ht_text_printf(&out->departed, "%s\n", owner);
        return;
    }
    if (!*config) {
        out->least = out->count && out->least < made ? out->least : made;
        ++out->count;
    }
    for (size_t i = 0; i < count; ++i)
        out->claimed[i] = out->claimed[i] || strcmp(configs[i], config) == 0;
}

static ht_status others_find(const ht_claims *claims, const char *const *configs, size_t count,
                             others *out, ht_error *error) {
    sqlite3_stmt *rows = NULL;
    int step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(ht_database_handle(claims->database),
                           "SELECT config, owner, made, at FROM claims"
                           " WHERE job = ?1 AND owner <> ?2",
                           -1, &rows, NULL) == SQLITE_OK) {
        sqlite3_bind_text(rows, 1, claims->job, -1, SQLITE_STATIC);
        sqlite3_bind_text(rows, 2, claims->owner, -1, SQLITE_STATIC);
        while ((step = sqlite3_step(rows)) == SQLITE_ROW)
            other_take(out, rows, configs, count);
    }
    ht_status status = step == SQLITE_DONE ? HT_OK : fail(claims, error);
    sqlite3_finalize(rows);
    for (char *line = out->departed.data; status == HT_OK && line && *line;) {
        char *end = line + strcspn(line, "\n");
        *end = 0;
        status = remove_of(claims, line, true, error);
        line = end + 1;
    }
    return status;
}

/* Returns how many of those that are free this process is to make. */
static size_t share_of(ht_claims *claims, const others *others, size_t unclaimed) {
    size_t all = others->count + 1;
    bool ahead = others->count > 0 && claims->made > others->least;
    size_t share = ahead ? unclaimed / all : (unclaimed + others->count) / all;
    if (share > 0 || unclaimed == 0) {
        claims->waiting_since = 0;
        return share;
    }
    double now = ht_clock_seconds();
    if (claims->waiting_since <= 0)
        claims->waiting_since = now;
    if (now - claims->waiting_since < patience)
        return 0;
    claims->waiting_since = 0;
    return unclaimed;
}

static ht_status take(ht_claims *claims, const char *const *configs, size_t count, bool *out_mine,
                      ht_error *error) {
    others others = {.claimed = ht_alloc(count + 1, sizeof *others.claimed)};
    ht_status status = put(claims, "", error);
    if (status == HT_OK)
        status = others_find(claims, configs, count, &others, error);
    size_t unclaimed = 0;
    for (size_t i = 0; i < count; ++i)
        unclaimed += !others.claimed[i];
    size_t share = status == HT_OK ? share_of(claims, &others, unclaimed) : 0;
    for (size_t i = 0; i < count && share > 0 && status == HT_OK; ++i) {
        if (others.claimed[i])
            continue;
        status = put(claims, configs[i], error);
        out_mine[i] = true;
        --share;
    }
    ht_text_free(&others.departed);
    free(others.claimed);
    return status;
}

ht_status ht_claims_take(ht_claims *claims, const char *const *configs, size_t count,
                         bool *out_mine, ht_error *error) {
    memset(out_mine, 0, count * sizeof *out_mine);
    ht_status status = execute(claims, "BEGIN IMMEDIATE", error);
    if (status != HT_OK)
        return status;
    status = take(claims, configs, count, out_mine, error);
    if (status == HT_OK)
        return execute(claims, "COMMIT", error);
    sqlite3_exec(ht_database_handle(claims->database), "ROLLBACK", NULL, NULL, NULL);
    return status;
}
