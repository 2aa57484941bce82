/* Running other people's programs: without a shell, with a deadline, and gone with the process that
 * asked. All that this project starts, apart from its own workers, goes through here. */
#ifndef HT_BASE_TOOL_H
#define HT_BASE_TOOL_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

typedef struct ht_tool_call {
    const char *const
        *arguments;     /* NULL ends; the first is a path, or a name to look for in PATH */
    double seconds;     /* the deadline */
    const char *folder; /* to run in; NULL: this one */
    const char *variable, *value; /* added to the environment; NULL: nothing */
    const char *input;            /* file that it reads; NULL: nothing */
    bool no_errors;               /* what it writes to stderr is dropped; else it is output too */
} ht_tool_call;

/* Appends what the program writes to `out`. HT_OK when it has ended: *out_code is its exit status,
 * or 128 + n for signal n. HT_ERROR_MISSING when it cannot be started, HT_ERROR_TIMEOUT when it did
 * not end in time: it was killed with its group, the message names it, and *out_code is 128 +
 * SIGSTOP if it was stopped. It is alone in a process group, and dies with the
 * calling thread. */
ht_status ht_tool_run(const ht_tool_call *call, ht_text *out, int *out_code, ht_error *error);

/* Lets a call of a compiler ask the C library for large pages, where the kernel gives them to those
 * who ask: of a small compile a fifth of the CPU time was to touch memory for the first time. It
 * takes the call's variable; a value that the user gave stays. */
void ht_tool_want_large_pages(ht_tool_call *call);

/* Full path of an executable; a name with a slash is taken as it is. NULL: there is none. free().
 */
char *ht_tool_find(const char *name);

/* Returns true if this process is stopped, as by SIGSTOP, or any below it. Its name and number
 * ("clang-19 (process 4711)") go to `out`, unless that is NULL. */
bool ht_tool_stopped(long pid, char *out, size_t size);

#endif
