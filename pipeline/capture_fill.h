/* A kernel's problem, as far as its source says it, completed with what a run of its program
 * shows: values of scalars, sizes of buffers, the launch. */
#ifndef HT_PIPELINE_CAPTURE_FILL_H
#define HT_PIPELINE_CAPTURE_FILL_H

#include "runtime/emulate/capture.h"
#include "templates/annotations/template.h"

#include <jansson.h>

/* The launches of one kernel, those that took longest first; at least one. */
typedef struct ht_captured_kernel {
    const ht_captured_launch *const *launches; /* borrowed */
    size_t count;
    const ht_template *template; /* what the source made of it by itself, whose launch must give the
                                    one that was seen; NULL: nothing */
} ht_captured_kernel;

/* Fills an entry of a problem file ("?" where the source does not say). Returns NULL, or why it
 * cannot be filled; free(). */
char *ht_capture_fill(json_t *entry, const ht_captured_kernel *kernel);

/* The kernel's name in that of a launch: "ns::scale" of "void ns::scale<float>(float const*, int)";
 * free(). */
char *ht_capture_kernel_name(const char *launched);

#endif
