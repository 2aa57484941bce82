/* Programs that disturb hiptemper and compare what it left: what differs is printed and counted. */
#ifndef HT_BENCHMARKS_FAILURES_H
#define HT_BENCHMARKS_FAILURES_H

#include <sys/types.h>

/* Prints "FAILED: ..." on a line, and counts it. */
void bench_complain(unsigned *failures, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The exit code of a status that waitpid gave; 128 and the number of the signal that ended it. */
int bench_exit_code(int status);
/* Waits for a process. Returns its exit code. */
int bench_finish(pid_t pid);

/* Returns a query's rows of one text each, a line a row; "" where there is no file yet, or no
 * table: it was killed before they were made. An error is a failure. free(). */
char *bench_rows(const char *database, const char *sql, unsigned *failures);

#endif
