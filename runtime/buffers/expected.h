/* The values that outputs must have, and the comparison. */
#ifndef HT_RUNTIME_BUFFERS_EXPECTED_H
#define HT_RUNTIME_BUFFERS_EXPECTED_H

#include "runtime/buffers/layout.h"

/* Expected contents of one output buffer. Counts are components (element count times the type's
 * components). */
typedef struct ht_expected {
    size_t arg;      /* index of the argument */
    size_t count;    /* components the buffer has */
    size_t known;    /* entries below; `count` when `index` is NULL */
    uint64_t *index; /* ascending components that are known; NULL: all; owned */
    double *value;   /* owned; NULL when compared bitwise */
    double *scale;   /* sum of absolute products that make each value; owned; NULL when compared
                        bitwise */
    unsigned char
        *bytes; /* the buffer's exact contents; owned; NULL when compared within the tolerance */
    uint64_t byte_count; /* of `bytes` */
} ht_expected;

/* Expected contents of every output for one seed. */
typedef struct ht_reference {
    uint64_t seed;
    ht_expected *outputs; /* owned */
    size_t count;
} ht_reference;

void ht_expected_free(ht_expected *expected);
void ht_reference_free(ht_reference *reference);

/* Compares a buffer read from the device. Within the tolerance means, for finite values: |got -
 * value| <= tolerance * scale + one unit in the last place of the value in the output's type; else
 * the same infinity; NaN only where NaN is expected (elements that the reference leaves unwritten
 * among them). HT_ERROR_MISMATCH with "mismatch: ..." naming the first offending element. */
ht_status ht_expected_compare(const ht_expected *expected, const ht_layout_arg *arg,
                              const void *got, double tolerance, ht_error *error);

/* Files in the job's folder, so that a restarted worker need not compute a reference again. */
ht_status ht_reference_save(const ht_reference *reference, const char *path, ht_error *error);
ht_status ht_reference_load(const char *path, ht_reference *out_reference, ht_error *error);

#endif
