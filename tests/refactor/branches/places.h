/* Kernels with preprocessor conditionals in every place. Each stands under names of its own, so
 * that all of them make one source. Built with -DALT, every one computes something else. */
#ifndef HT_TESTS_BRANCHES_PLACES_H
#define HT_TESTS_BRANCHES_PLACES_H

#include <stddef.h>

typedef struct place {
    const char *name;
    const char *top;    /* ahead of the kernel */
    const char *attr;   /* ahead of __global__ */
    const char *params; /* the kernel's; NULL: as they are */
    const char *start;  /* in the body after the indices */
    const char *guard;  /* NULL: as it is */
    const char *ahead;  /* of the loop */
    const char *loop;   /* its header; NULL: as it is */
    const char *inside; /* of the loop */
    const char *end;    /* after the loop */
    const char *host;   /* ahead of the launch */
    const char *launch; /* NULL: as it is */
} place;

extern const place places[];
size_t places_count(void);

/* How many kernels there are: each place in a kernel of one and in one of two dimensions, and those
 * whose threads share memory. */
size_t kernels_count(void);
/* The name of a kernel, its text with its launch, and its problem file's entry; free() all. */
char *kernel_name(size_t index);
char *kernel_text(size_t index);
char *kernel_problem(size_t index);

#endif
