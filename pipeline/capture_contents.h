/* The files with what a captured buffer holds, for file(...) in a problem. */
#ifndef HT_PIPELINE_CAPTURE_CONTENTS_H
#define HT_PIPELINE_CAPTURE_CONTENTS_H

#include "pipeline/capture_fill.h"
#include "pipeline/capture_line.h"

/* A buffer of a kernel. */
typedef struct ht_capture_buffer {
    const ht_captured_kernel *kernel;
    const ht_capture_line *line;
    size_t argument;
    const ht_captured_argument *parts; /* one a launch: of a pointer in a structure; NULL: it is an
                                          argument by itself */
    bool indices; /* the kernel reads whole numbers from some buffer, which may lead it to others */
    bool *others; /* one a launch: set where the buffer holds another content than the file that an
                     instance of its size gets; borrowed */
} ht_capture_buffer;

/* Adds a file with these bytes, which are borrowed. Returns "file(...)"; free(). */
char *ht_capture_file_add(ht_capture_files *files, const char *name, const unsigned char *bytes,
                          uint64_t length);

/* Returns "file(...)", and adds the files to the kernel's, for a buffer whose real content is worth
 * having: whole numbers, and small tables of a kernel with such. Random numbers are a better test
 * of all else. NULL: not for this one; free(). */
char *ht_capture_contents(const ht_capture_buffer *buffer);

#endif
