#include "tests/runtime/standin/fault.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENTRIES_MAX = 16 };

static int poisoned; /* the error that every call gives from now on */
static unsigned calls[ENTRIES_MAX];

/* Runs out of memory, as a compiler does that gets no more. */
static void run_out_of_memory(void) {
    enum { PART = 64 << 20 };
    void *volatile part; /* so that the allocations stay */
    do
        part = malloc(PART);
    while (part);
    fprintf(stderr, "LLVM ERROR: out of memory\n");
    abort();
}

static int act(const char *action) {
    if (strcmp(action, "abort") == 0)
        abort();
    if (strcmp(action, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(action, "oom") == 0)
        run_out_of_memory();
    while (strcmp(action, "hang") == 0)
        pause();
    int code = atoi(action);
    if (strchr(action, '!'))
        poisoned = code;
    return code;
}

/* Takes "FUNCTION[:TEXT][@N]=ACTION" apart, in place. */
static bool parse(char *entry, char **function, char **text, unsigned *number, char **action) {
    char *equals = strrchr(entry, '=');
    if (!equals)
        return false;
    *equals = '\0';
    *action = equals + 1;
    char *at = strchr(entry, '@');
    *number = at ? (unsigned)atoi(at + 1) : 0;
    if (at)
        *at = '\0';
    *text = strchr(entry, ':');
    if (*text)
        *(*text)++ = '\0';
    *function = entry;
    return true;
}

int standin_fault(const char *function, const char *subject) {
    const char *wanted = getenv("HT_STANDIN_FAULTS");
    char copy[1024], *rest = NULL;
    if (strncmp(function, "hiprtc", 6) != 0 && poisoned)
        return poisoned;
    if (!wanted)
        return 0;
    snprintf(copy, sizeof copy, "%s", wanted);
    unsigned index = 0;
    for (char *entry = strtok_r(copy, ";", &rest); entry && index < ENTRIES_MAX;
         entry = strtok_r(NULL, ";", &rest), index++) {
        char *name, *text, *action;
        unsigned number;
        if (!parse(entry, &name, &text, &number, &action) || strcmp(name, function) != 0 ||
            (text && (!subject || !strstr(subject, text))))
            continue;
        calls[index]++;
        if (number == 0 || number == calls[index])
            return act(action);
    }
    return 0;
}
