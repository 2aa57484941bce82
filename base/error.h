/* Status codes and the error a failing function hands back.
 *
 * Every public function that can fail returns an ht_status and, on failure, fills the caller's
 * ht_error (which may be NULL when the caller does not care) with a message that names the place
 * and the remedy. */
#ifndef HT_BASE_ERROR_H
#define HT_BASE_ERROR_H

typedef enum ht_status {
    HT_OK = 0,
    HT_ERROR_INPUT, /* the user's input is wrong: option, annotation, problem file (exit code 2) */
    HT_ERROR_IO,    /* a file or folder could not be read or written */
    HT_ERROR_MISSING,     /* a tool, library or device is not on this machine (exit code 3) */
    HT_ERROR_UNSUPPORTED, /* valid input that this program declines, with the reason */
    HT_ERROR_COMPILE,     /* the kernel compiler rejected a variant; the message holds its text */
    HT_ERROR_LAUNCH,      /* loading or launching failed */
    HT_ERROR_CRASH,       /* a worker process died of the variant it ran */
    HT_ERROR_TIMEOUT,     /* a variant or a worker ran past its limit */
    HT_ERROR_MISMATCH,    /* outputs differ from the reference */
    HT_ERROR_INTERRUPTED, /* Ctrl-C */
    HT_ERROR_DEVICE,      /* the device keeps failing, with whatever runs on it (exit code 4) */
    HT_ERROR_INTERNAL     /* a defect of this program */
} ht_status;

enum { HT_ERROR_MESSAGE_MAX = 4096, HT_ERROR_FILE_MAX = 512 };

typedef struct ht_error {
    ht_status status;
    int line;                     /* 1-based; 0 when the error has no line */
    int column;                   /* 1-based; 0 when the error has no column */
    char file[HT_ERROR_FILE_MAX]; /* "" when the error has no file */
    char message[HT_ERROR_MESSAGE_MAX];
} ht_error;

/* Fills `error` (if not NULL) and returns `status`, so that `return ht_error_set(...)` is the
 * idiom. Text that does not fit is cut and ends in "...". */
ht_status ht_error_set(ht_error *error, ht_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with a place. `file` may be NULL. */
ht_status ht_error_set_at(ht_error *error, ht_status status, const char *file, int line, int column,
                          const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Puts words in front of the message that is already there ("while reading x: ..."). */
void ht_error_prefix(ht_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A file that the user named and that cannot be read is bad input: makes HT_ERROR_IO of that,
 * in `error` (may be NULL), too. Returns the status. */
ht_status ht_error_named(ht_status status, ht_error *error);

/* A stable lower-case word for a status, as used in JSON and the database: "ok", "input",
 * "compile", ... */
const char *ht_status_name(ht_status status);

/* Process exit code for a status: 0 ok; 2 bad input; 3 something missing; 4 the device fails; 130
 * interrupted; 1 the rest. */
int ht_status_exit_code(ht_status status);

/* Lets the static analyzer see that these return the status they are given. */
#ifdef __clang_analyzer__
#define ht_error_set(error, status, ...) (ht_error_set(error, status, __VA_ARGS__), (status))
#define ht_error_set_at(error, status, ...) (ht_error_set_at(error, status, __VA_ARGS__), (status))
#endif

#endif
