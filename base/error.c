#include "base/error.h"

#undef ht_error_set
#undef ht_error_set_at

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void message_format(char *out, size_t size, const char *format, va_list args) {
    int length = vsnprintf(out, size, format, args);
    if (length >= (int)size)
        memcpy(out + size - 4, "...", 4);
}

ht_status ht_error_set(ht_error *error, ht_status status, const char *format, ...) {
    if (!error)
        return status;
    memset(error, 0, offsetof(ht_error, message));
    error->status = status;
    va_list args;
    va_start(args, format);
    message_format(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

ht_status ht_error_set_at(ht_error *error, ht_status status, const char *file, int line, int column,
                          const char *format, ...) {
    if (!error)
        return status;
    error->status = status;
    error->line = line;
    error->column = column;
    snprintf(error->file, sizeof error->file, "%s", file ? file : "");
    va_list args;
    va_start(args, format);
    message_format(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

void ht_error_prefix(ht_error *error, const char *format, ...) {
    if (!error)
        return;
    char prefix[1024];
    va_list args;
    va_start(args, format);
    message_format(prefix, sizeof prefix, format, args);
    va_end(args);
    size_t prefix_length = strlen(prefix);
    size_t room = sizeof error->message - prefix_length - 1;
    size_t length = strlen(error->message);
    if (length > room)
        length = room;
    memmove(error->message + prefix_length, error->message, length);
    memcpy(error->message, prefix, prefix_length);
    error->message[prefix_length + length] = 0;
}

ht_status ht_error_named(ht_status status, ht_error *error) {
    if (status != HT_ERROR_IO)
        return status;
    if (error)
        error->status = HT_ERROR_INPUT;
    return HT_ERROR_INPUT;
}

const char *ht_status_name(ht_status status) {
    switch (status) {
    case HT_OK:
        return "ok";
    case HT_ERROR_INPUT:
        return "input";
    case HT_ERROR_IO:
        return "io";
    case HT_ERROR_MISSING:
        return "missing";
    case HT_ERROR_UNSUPPORTED:
        return "unsupported";
    case HT_ERROR_COMPILE:
        return "compile";
    case HT_ERROR_LAUNCH:
        return "launch";
    case HT_ERROR_CRASH:
        return "crash";
    case HT_ERROR_TIMEOUT:
        return "timeout";
    case HT_ERROR_MISMATCH:
        return "mismatch";
    case HT_ERROR_INTERRUPTED:
        return "interrupted";
    case HT_ERROR_DEVICE:
        return "device";
    case HT_ERROR_INTERNAL:
        return "internal";
    }
    return "unknown";
}

int ht_status_exit_code(ht_status status) {
    switch (status) {
    case HT_OK:
        return 0;
    case HT_ERROR_INPUT:
        return 2;
    case HT_ERROR_MISSING:
        return 3;
    case HT_ERROR_DEVICE:
        return 4;
    case HT_ERROR_INTERRUPTED:
        return 130;
    default:
        return 1;
    }
}
