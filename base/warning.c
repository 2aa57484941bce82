#include "base/warning.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void (*ht_warning_sink)(const char *message);

void ht_warning(const char *format, ...) {
    char *message = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&message, format, args);
    va_end(args);
    if (length < 0)
        return;
    if (ht_warning_sink != NULL) {
        ht_warning_sink(message);
    } else {
        fflush(stdout);
        fprintf(stderr, "hiptemper: warning: %s\n", message);
    }
    free(message);
}
