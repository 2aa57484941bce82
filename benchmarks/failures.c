#include "benchmarks/failures.h"

#include "base/file.h"
#include "base/text.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

void bench_complain(unsigned *failures, const char *format, ...) {
    va_list args;
    va_start(args, format);
    printf("FAILED: ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    ++*failures;
}

int bench_exit_code(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int bench_finish(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return bench_exit_code(status);
}

char *bench_rows(const char *database, const char *sql, unsigned *failures) {
    ht_text text = {0};
    ht_text_append(&text, "");
    sqlite3 *sqlite = NULL;
    sqlite3_stmt *rows = NULL;
    if (!ht_file_exists(database))
        return ht_text_take(&text);
    if (sqlite3_open(database, &sqlite) != SQLITE_OK ||
        sqlite3_prepare_v2(sqlite, sql, -1, &rows, NULL) != SQLITE_OK) {
        /* Killed before the tables were made: nothing was committed. */
        if (strstr(sqlite3_errmsg(sqlite), "no such table") == NULL)
            bench_complain(failures, "%s: %s", database, sqlite3_errmsg(sqlite));
    } else {
        while (sqlite3_step(rows) == SQLITE_ROW)
            ht_text_printf(&text, "%s\n", (const char *)sqlite3_column_text(rows, 0));
    }
    sqlite3_finalize(rows);
    sqlite3_close(sqlite);
    return ht_text_take(&text);
}
