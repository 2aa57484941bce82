/* A kernel's problem, as far as its source says it, completed with what a run of its program
 * shows: values of scalars, sizes of buffers, the launch. */
#ifndef HT_PIPELINE_CAPTURE_FILL_H
#define HT_PIPELINE_CAPTURE_FILL_H

#include "runtime/emulate/capture.h"
#include "templates/annotations/template.h"

#include <jansson.h>
#include <stdbool.h>

/* A file with the content of a buffer. */
typedef struct ht_capture_file {
    char *name;                 /* "index.3f09c41d22b07a65.bin"; owned */
    const unsigned char *bytes; /* borrowed */
    uint64_t length;
} ht_capture_file;

typedef struct ht_capture_files {
    ht_capture_file *items; /* owned */
    size_t count;
} ht_capture_files;

void ht_capture_files_free(ht_capture_files *files);

/* The launches of one kernel, those that took longest first; at least one. */
typedef struct ht_captured_kernel {
    const ht_captured_launch *const *launches; /* borrowed */
    size_t count;
    const ht_template *template; /* what the source made of it by itself, whose launch must give the
                                    one that was seen; NULL: nothing */
    const char *places;          /* of structures' fields, "p.n 8\n", in bytes; NULL: not known */
    const ht_byte_store *contents; /* of buffers; NULL: they are not kept */
    ht_capture_files *files;       /* takes the files that the entry names; NULL: it names none */
    bool as_seen; /* the launch is what was seen, not what the source computes it from */
} ht_captured_kernel;

/* Fills an entry of a problem file ("?" where the source does not say). Returns NULL, or why it
 * cannot be filled; free(). */
char *ht_capture_fill(json_t *entry, const ht_captured_kernel *kernel);

#endif
