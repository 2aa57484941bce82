/* The copies to the host of two runs, compared: docs/optimize.md#whole-programs. */
#ifndef HT_PIPELINE_COPIES_COMPARE_H
#define HT_PIPELINE_COPIES_COMPARE_H

#include "pipeline/capture.h"
#include "runtime/emulate/copies.h"

/* A run's copies, and where the bytes of some lie. Borrowed. */
typedef struct ht_copies_seen {
    const ht_copies *copies;
    const ht_byte_store *store;
} ht_copies_seen;

typedef struct ht_copies_question {
    ht_copies_seen before, after;
    const ht_capture *capture; /* whose launches say what elements are */
    double tolerance;          /* of the largest value of a copy; 0: all are compared bit by bit */
} ht_copies_question;

typedef struct ht_copies_answer {
    uint64_t bytes;           /* of the first run's copies */
    uint64_t different;       /* by more than they may */
    uint64_t first_different; /* counted from 1; 0: none */
    uint64_t within;          /* not equal, but within the tolerance */
    double largest;           /* difference of these, as a part of the copy's largest value */
    char *reason;             /* why the first differs; owned; NULL: none does */
} ht_copies_answer;

/* Compares bit by bit. A copy of memory whose elements are known to be floating-point numbers may
 * differ by the tolerance, and a unit in the last place, of its largest value. */
void ht_copies_compare(const ht_copies_question *question, ht_copies_answer *out_answer);
void ht_copies_answer_free(ht_copies_answer *answer);

#endif
