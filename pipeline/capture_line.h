/* One line of a problem's arguments, taken apart: "in : in float[problem.n] zero",
 * "n : int = problem.n" or "p : struct Params", whose fields follow: "p.n : int = problem.n". */
#ifndef HT_PIPELINE_CAPTURE_LINE_H
#define HT_PIPELINE_CAPTURE_LINE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_capture_line {
    char *name;
    char *role;  /* "in", "out partial", ...; NULL: a scalar or a structure */
    char *type;  /* of an element, or of a scalar */
    char *value; /* the extent, or a scalar's value; of a structure NULL, or its fields if it is a
                    vector: "x : float = 0.5\ny : float = 2.0" */
    char *fill;  /* of a buffer: "integers(0, 63)"; "" */
    bool structure; /* passed by value: it has a name and a type */
} ht_capture_line;

/* False: the text is no such line. */
bool ht_capture_line_read(const char *text, ht_capture_line *out_line);
/* The text again; free(). */
char *ht_capture_line_write(const ht_capture_line *line);
void ht_capture_line_free(ht_capture_line *line);

/* Takes over a new value. */
void ht_capture_line_set(ht_capture_line *line, char *value);

/* A type of one whole number. */
bool ht_capture_is_whole(const char *type);
/* The number in an argument's bytes. */
int64_t ht_capture_whole(const char *type, const unsigned char *bytes);

#endif
