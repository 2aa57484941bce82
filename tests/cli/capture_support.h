/* Shared by the tests of captures: a run's problems, and their parts. */
#ifndef HT_TESTS_CAPTURE_SUPPORT_H
#define HT_TESTS_CAPTURE_SUPPORT_H

#include <jansson.h>

/* Reads a JSON file of the test's folder; fails the test where it cannot be read. */
json_t *capture_read(const char *name);
/* The entry of a kernel in a document's "kernels"; NULL. */
const json_t *capture_kernel(const json_t *document, const char *name);
/* Runs a capture into seen/. Returns the kernel's entry in its problem file. */
const json_t *capture_run(const char *words, const char *kernel, json_t **out_problems);
/* Expects that `refactor` gives the first kernel this status with the problems in seen/. */
void capture_expect(const char *source, const char *status);
/* The text of an entry's argument; NULL. */
const char *capture_argument(const json_t *entry, size_t index);
/* A field of one of its instances. */
json_int_t capture_field(const json_t *entry, size_t instance, const char *name);

#endif
