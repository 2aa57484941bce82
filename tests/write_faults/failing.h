/* Shared by the preloaded library (failing.c) and the program that runs commands under it. */
#ifndef HT_TESTS_FAILING_H
#define HT_TESTS_FAILING_H

#include <stdatomic.h>
#include <stddef.h>

/* Zeros but for `wanted` before a run; the file that holds it is mapped by every process. */
typedef struct failing_state {
    _Atomic long wanted; /* the call that fails, from 1; 0: none; below: none, but log all */
    _Atomic long count;  /* calls so far */
    _Atomic size_t log_length;
    char log[1 << 20]; /* "17 write /path\n" */
} failing_state;

#endif
