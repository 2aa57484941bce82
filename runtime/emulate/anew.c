#include "runtime/emulate/anew.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Returns this process's arguments; NULL: they cannot be read. */
static char **own_arguments(void) {
    char *text = NULL, **words = NULL;
    size_t length = 0, count = 0;
    if (ht_file_read("/proc/self/cmdline", 0, &text, &length, NULL) != HT_OK)
        return NULL;
    for (size_t at = 0; at < length; at += strlen(text + at) + 1) {
        HT_GROW(words, count);
        words[count++] = text + at;
    }
    HT_GROW(words, count);
    words[count] = NULL;
    return words; /* the process ends: nothing is freed */
}

ht_status ht_emulate_start_anew(ht_error *error) {
    /* Without a base address, it was started by calling the loader: /proc/self/exe is that. */
    char **arguments = getauxval(AT_BASE) != 0 ? own_arguments() : NULL;
    errno = ENOEXEC;
    fflush(NULL);
    if (arguments != NULL)
        execv("/proc/self/exe", arguments);
    return ht_error_set(error, HT_ERROR_IO, "cannot start anew: %s", strerror(errno));
}

void ht_emulate_sleep_start(void) {
    if (getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL)
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    ht_emulate_start_anew(NULL);
}
