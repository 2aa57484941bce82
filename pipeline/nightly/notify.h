/* A program that is run with a report. */
#ifndef HT_PIPELINE_NIGHTLY_NOTIFY_H
#define HT_PIPELINE_NIGHTLY_NOTIFY_H

#include "base/error.h"

#include <jansson.h>

/* Runs a command, words that blanks divide (no shell reads it), with the document as its standard
 * input, and copies what it prints to standard error. HT_ERROR_MISSING: it cannot be started;
 * HT_ERROR_TIMEOUT: it took longer than 60 s and was killed; HT_ERROR_IO: it ended with another
 * exit code than 0. */
ht_status ht_notify(const char *command, const json_t *document, ht_error *error);

#endif
