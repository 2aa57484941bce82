/* Reports that all commands make in the same way: errors, streams, JSON, exit codes. */
#ifndef HT_PIPELINE_REPORT_H
#define HT_PIPELINE_REPORT_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit codes of every command. */
enum {
    HT_EXIT_OK = 0,
    HT_EXIT_FAILED =
        1, /* a kernel failed verification, or could not be measured; output not writable */
    HT_EXIT_INPUT = 2,   /* usage or bad input */
    HT_EXIT_MISSING = 3, /* a tool or device is not there */
    HT_EXIT_DEVICE = 4,  /* the device keeps failing */
    HT_EXIT_INTERRUPTED = 130
};

/* "hiptemper: file:line:col: message" on standard error; returns the exit code for the error's
 * status. */
int ht_report_error(const ht_error *error);
/* "hiptemper: message", without a place. */
void ht_report_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Where the human report goes: standard output, or standard error when `json` is "-". */
FILE *ht_report_stream(const char *json);
/* Writes a document to `path` ("-": standard output); does nothing for NULL. Prints the error and
 * returns the exit code. */
int ht_report_json(const char *path, const json_t *document);
/* Writes one to a file, as ht_report_json does. */
ht_status ht_report_json_write(const char *path, const json_t *document, ht_error *error);
/* {"format": format, "version": version, "hiptemper": "0.1.0"}: how every --json document starts.
 * New reference. */
json_t *ht_report_json_new(const char *format, int version);
/* A JSON string of any text: bytes that are no UTF-8 (a cut message, an odd file name) become '?';
 * null for NULL. New reference. */
json_t *ht_report_json_text(const char *text);
/* Returns a member that is a string, "" where there is none; borrowed. */
const char *ht_report_text_of(const json_t *object, const char *key);
/* Sets members of an object to what another one has; null where it has none. `keys` end in NULL. */
void ht_report_json_copy(json_t *to, const json_t *from, const char *const *keys);
/* Returns true if this stream may have colours and cursor movement (a terminal, NO_COLOR unset,
 * TERM not dumb). */
bool ht_report_is_terminal(FILE *stream);
bool ht_report_has_color(FILE *stream);

#endif
