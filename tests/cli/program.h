/* Runs the built program as a user would, in a folder of its own. */
#ifndef HT_TESTS_CLI_PROGRAM_H
#define HT_TESTS_CLI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct program_result {
    int code; /* exit code; 128 + signal when it was killed */
    char *out;
    char *err;
} program_result;

/* A fresh folder with a home of its own; every run and file below is in it. Call first in a test.
 */
void workplace_make(void);
void workplace_remove(void);
const char *workplace(void);
/* Writes a file into the workplace, folders on the way included. */
void workplace_write(const char *name, const char *text);
/* Copies files of a folder into it, so that messages name them shortly; NULL ends the names. */
void workplace_copy(const char *from, const char *const *names);
/* The text of a file of the workplace; NULL when it is not there. free(). */
char *workplace_read(const char *name);

/* `words` are split at blanks; "hiptemper" is not among them. */
program_result program_run(const char *words);
/* With separate arguments, NULL-terminated. */
program_result program_run_arguments(const char *const *arguments);
/* Sends SIGINT once `text` has appeared on standard output. */
program_result program_interrupt(const char *words, const char *text);
/* The same on standard error. */
program_result program_interrupt_on_error(const char *words, const char *text);
void program_free(program_result *result);

/* Lines of text. */
size_t count_lines(const char *text);

#endif
