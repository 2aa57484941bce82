/* A kernel's problem while it is filled from what was launched: capture_fill.c has the steps. */
#ifndef HT_PIPELINE_CAPTURE_FILLING_H
#define HT_PIPELINE_CAPTURE_FILLING_H

#include "pipeline/capture_fields.h"
#include "pipeline/capture_fill.h"
#include "pipeline/capture_line.h"

typedef struct ht_filling {
    json_t *entry;
    const ht_captured_kernel *kernel;
    ht_capture_line *lines; /* owned */
    size_t line_count;
    size_t *arguments; /* of each line; SIZE_MAX: it is passed by no argument */
    /* of each line that is a field, as if each launch had passed it by itself; else NULL.
     * Owned */
    ht_captured_argument **parts;
    ht_capture_fields fields;
    bool launch_unknown; /* the entry has the launch */
    bool *others;  /* one a launch: a buffer held something else than the file of its size; owned */
    char *problem; /* why it cannot be filled */
} ht_filling;

/* The argument of a line in a launch. */
static inline const ht_captured_argument *ht_filling_seen(const ht_filling *in, size_t line,
                                                          size_t launch) {
    return in->parts[line] != NULL ? &in->parts[line][launch]
                                   : &in->kernel->launches[launch]->arguments[in->arguments[line]];
}

static inline bool ht_filling_scalar(const ht_filling *in, size_t line) {
    return !in->lines[line].role && !in->lines[line].structure;
}

/* Returns true for a buffer that an argument, or a field of one, points to. */
static inline bool ht_filling_buffer(const ht_filling *in, size_t line) {
    return in->lines[line].role && in->arguments[line] != SIZE_MAX &&
           (in->parts[line] == NULL || in->parts[line]->size == sizeof(void *));
}

/* Returns true for an array in a structure. */
static inline bool ht_filling_array(const ht_filling *in, size_t line) {
    return in->lines[line].role && in->parts[line] != NULL && !ht_filling_buffer(in, line);
}

/* Notes why it cannot be filled; takes the words over. */
void ht_filling_fail(ht_filling *in, char *words);

/* Takes the one unknown field of "problem.columns + 1", say, from what was passed. */
void ht_filling_derive(ht_filling *in, size_t line);
/* Finds the host's sizes that no argument shows, among the numbers of each launch: those with which
 * the source's launch is the one that was seen. */
void ht_filling_guess(ht_filling *in);
/* Leaves the host's sizes that no argument shows out, where nothing but the launch needs them. */
void ht_filling_leave_out(ht_filling *in);
/* Returns true if the launch of the source's own template is the one that was seen. */
bool ht_filling_launches(const ht_filling *in, size_t launch);

#endif
